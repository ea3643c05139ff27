# Bundle adjustment: cameras, points and weights, and how far each observation is from where it should be.

## A camera: where it looks (an axis times an angle), where it stands, and how its lens distorts.
type Camera = {rotation: f64[3], centre: f64[3], focal: f64, principal: f64[2], radial: f64[2]}

## The point x turned about the axis r by the length of r (the formula of Rodrigues).
def rotated(r: f64[3], x: f64[3]) -> f64[3] =
    let squared = r @ r
    if squared > 0.0 then
        let angle = sqrt(squared)
        let axis = r / angle
        x * cos(angle) + cross(axis, x) * sin(angle) + axis * (axis @ x) * (1.0 - cos(angle))
    else x + cross(r, x)

## A point of the image plane after the distortion of the lens.
def distorted(radial: f64[2], p: f64[2]) -> f64[2] =
    let r2 = p @ p
    p * (1.0 + radial[0] * r2 + radial[1] * r2 ** 2)

## Where a camera sees a point of space.
def project(c: Camera, x: f64[3]) -> f64[2] =
    let (u, v, depth) = rotated(c.rotation, x - c.centre)
    distorted(c.radial, [u / depth, v / depth]) * c.focal + c.principal

## How far an observation is from where the camera sees the point, weighted.
def reprojection(c: Camera, x: f64[3], w: f64, seen: f64[2]) -> f64[2] = w * (project(c, x) - seen)

## What keeps a weight near one.
def slack(w: f64) -> f64 = 1.0 - w ** 2

## All residuals: each observation is of one point by one camera.
def objective(
    cameras: Camera[n],
    points: f64[m, 3],
    weights: f64[p],
    seen: f64[p, 2],
    camera: idx[n][p],
    point: idx[m][p],
) -> (f64[p, 2], f64[p]) =
    let errors = [
        reprojection(cameras[c], points[x], w, feature)
        for c, x, w, feature in zip(camera, point, weights, seen)
    ]
    (errors, [slack(w) for w in weights])

## The derivatives of one observation: two rows, by the camera, the point and the weight, in this order.
def block(c: Camera, x: f64[3], w: f64, seen: f64[2]) -> f64[2, 15] =
    let (dc, dx, dw) = jacrev(reprojection, argnums=(0, 1, 2))(c, x, w, seen)
    concatenate(
        (dc.rotation, dc.centre, dc.focal[:, None], dc.principal, dc.radial, dx, dw[:, None]),
        axis=1
    )

## The sparse Jacobian: the blocks of all observations, and the derivatives of the slacks.
def jacobian(
    cameras: Camera[n],
    points: f64[m, 3],
    weights: f64[p],
    seen: f64[p, 2],
    camera: idx[n][p],
    point: idx[m][p],
) -> (f64[p, 2, 15], f64[p]) =
    let blocks = [
        block(cameras[c], points[x], w, feature)
        for c, x, w, feature in zip(camera, point, weights, seen)
    ]
    (blocks, [grad(slack)(w) for w in weights])
