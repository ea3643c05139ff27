# Hand tracking: how far measured points are from a hand model that is posed by 26 numbers.
#
# The model is a mesh that follows a skeleton (linear blend skinning). Its bones form a tree; row 0 of what is
# computed for the bones stands for the world, so that the bone i has the row i + 1 and every bone has a parent.

## The hand at rest: b bones and v vertices (homogeneous), and how much each vertex follows each bone.
type Model[b, v] = {
    relative: f64[b, 4, 4],
    inverse: f64[b, 4, 4],
    rest: f64[v, 4],
    weights: f64[v, b]
}

## The rotation by a vector: its direction is the axis, its length the angle.
def rotation(r: f64[3]) -> f64[3, 3] =
    let squared = r @ r
    if squared > 1e-8 then
        let angle = sqrt(squared)
        let axis = r / angle
        let (x, y, z) = axis
        let turn = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
        cos(angle) * eye(3, f64) + (1.0 - cos(angle)) * outer(axis, axis) + sin(angle) * turn
    else eye(3, f64)

## A joint bent by the angle `flex` and spread by the angle `spread`, as a homogeneous matrix.
def joint(flex: f64, spread: f64) -> f64[4, 4] =
    let (c, s) = (cos(flex), sin(flex))
    let (d, t) = (cos(spread), sin(spread))
    [
        [d, -t * c, t * s, 0.0],
        [t, d * c, -d * s, 0.0],
        [0.0, s, c, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]

## The joints of all bones. A finger has four bones; the first does not move, the second bends and spreads, the
## last two bend. The wrist comes before the fingers, and what comes after them does not move.
def joints(fingers: f64[5, 4]) -> f64[22, 4, 4] =
    let still = zeros([5], f64)
    let flex = stack((still, fingers[:, 0], fingers[:, 2], fingers[:, 3]), axis=1)
    let spread = stack((still, fingers[:, 1], still, still), axis=1)
    let bent = [[joint(f, s) for f, s in zip(fs, ss)] for fs, ss in zip(flex, spread)]
    concatenate((eye(4, f64)[None], reshape(bent, [20, 4, 4]), eye(4, f64)[None]))

## Where every bone is: its own motion after that of its parent. Parents come before their children.
def absolute(motion: f64[b, 4, 4], parent: idx[b + 1][b]) -> f64[b, 4, 4] =
    let start = zeros([b + 1, 4, 4], f64).at[0].set(eye(4, f64))
    let placed = fold placed = start for i in range(b) do placed.at[i + 1].set(
        placed[parent[i]] @ motion[i]
    )
    placed[1:]

## The vertices of the hand in the pose `theta`: a rotation and a translation of all, then the fingers.
def vertices(theta: f64[26], model: Model[22, v], parent: idx[23][22]) -> f64[v, 3] =
    let bent = joints(reshape(theta[6:], [5, 4]))
    let moved = absolute(model.relative @ bent, parent) @ model.inverse
    let skinned = einsum("vb,bij,vj->vi", model.weights, moved, model.rest)
    skinned[:, :3] @ rotation(theta[:3]).T + theta[3:6]

## How far each measured point is from the vertex it is a measurement of.
def objective(
    theta: f64[26],
    model: Model[22, v],
    parent: idx[23][22],
    measured: f64[n, 3],
    vertex: idx[v][n],
) -> f64[n, 3] = measured - vertices(theta, model, parent)[vertex]

## How far each measured point is from a point of a triangle of the mesh, given by two coordinates in it.
def objective_on_triangles(
    us: f64[n, 2], theta: f64[26], model: Model[22, v], parent: idx[23][22], measured: f64[n, 3],
    corners: idx[v][n, 3],
) -> f64[n, 3] =
    let shares = concatenate((us, 1.0 - sum(us, axis=1, keepdims=true)), axis=1)
    measured - einsum("nk,nki->ni", shares, vertices(theta, model, parent)[corners])
