# The flow in a square box whose lid slides: the Navier-Stokes equations on a staggered grid, and the same flow by the
# lattice Boltzmann method. Lengths are in units of the box, velocities in units of the lid's.

# The Navier-Stokes equations by projection (Chorin 1968; Harlow and Welch 1965). Rows are y from the floor to the lid,
# columns are x. Velocities lie on the edges of the cells, pressures in the middle.

## The velocity: u through the vertical edges of n x n cells, v through the horizontal ones.
type Flow[n] = {u: f32[n, n + 1], v: f32[n + 1, n]}

## Add a row of mirror values below and above, so that the mean with its neighbour is the velocity of the wall.
def between_floor_and_lid(u: f32[n, k], lid: f32) -> f32[n + 2, k] where n >= 1 =
    concatenate((-u[:1], u, 2.0 * lid - u[-1:]))

## The means and the differences of neighbours along the first axis.
def middle(x: f32[n, k]) -> f32[n - 1, k] where n >= 1 = 0.5 * (x[1:] + x[:-1])
def slope(x: f32[n, k]) -> f32[n - 1, k] where n >= 1 = x[1:] - x[:-1]

## The rate of change of u at the inner edges by convection and viscosity, where v are the velocities across.
def rate(
    u: f32[n, n + 1],
    v: f32[n + 1, n],
    lid: f32,
    reynolds: f32
) -> f32[n, n - 1] where n >= 1 =
    let cells = f32(n)
    let walled = between_floor_and_lid(u, lid)
    let along = slope(middle(u.T) ** 2).T
    let across = slope(middle(walled)[:, 1:-1] * middle(v.T).T)
    let bend = slope(slope(u.T)).T + slope(slope(walled))[:, 1:-1]
    bend * cells ** 2 / reynolds - (along + across) * cells

## The eigenvectors of the second difference between n cells with closed ends, and its eigenvalues.
def cosines(static n: size) -> (f32[n, n], f32[n]) where n >= 1 =
    let wave = [pi * f32(k) / f32(n) for k in range(n)]
    let modes = [
        [
            (if k == 0 then 1.0 else sqrt(2.0)) * cos(wave[k] * (f32(i) + 0.5)) for k in range(n)
        ] for i in range(n)
    ]
    (modes / sqrt(f32(n)), 2.0 * cos(wave) - 2.0)

## Remove the divergence of a velocity whose walls are closed: subtract the gradient of a pressure.
def project(w: Flow[n]) -> Flow[n] where n >= 1 =
    let (modes, values) = cosines(n)
    let source = modes.T @ (slope(w.u.T).T + slope(w.v)) @ modes
    let scale = values[:, None] + values[None, :]
    let pressure = modes @ where(scale < 0.0, source / scale, 0.0) @ modes.T
    {u = w.u.at[:, 1:-1].add(-slope(pressure.T).T), v = w.v.at[1:-1].add(-slope(pressure))}

def step(w: Flow[n], reynolds: f32, dt: f32) -> Flow[n] where n >= 1 =
    let u = w.u.at[:, 1:-1].add(dt * rate(w.u, w.v, 1.0, reynolds))
    let v = w.v.at[1:-1].add(dt * rate(w.v.T, w.u.T, 0.0, reynolds).T)
    project({u = u, v = v})

## The flow from rest until it moves less than `tolerance` in a unit of time; at most `limit` steps.
def steady(
    reynolds: f32,
    dt: f32,
    tolerance: f32,
    static n: size,
    static limit: size
) -> Flow[n] where n >= 1 =
    let rest = {u = zeros([n, n + 1]), v = zeros([n + 1, n])}
    let (w, _) = iterate (w, moved) = (rest, inf) while moved > tolerance limit limit do
        let next = step(w, reynolds, dt)
        (next, max(abs(next.u - w.u)) / dt)
    w

# The lattice Boltzmann method: nine populations of particles move by one cell each step and relax towards equilibrium
# (Qian, d'Humieres and Lallemand 1992). Walls half a cell beyond the last cells send particles back, the lid with a push.

let moves = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))
let weights = [
    4.0 / 9.0,
    1.0 / 9.0,
    1.0 / 9.0,
    1.0 / 9.0,
    1.0 / 9.0,
    1.0 / 36.0,
    1.0 / 36.0,
    1.0 / 36.0,
    1.0 / 36.0
]
let opposite = [0, 3, 4, 1, 2, 7, 8, 5, 6]
let right = [0.0, 1.0, 0.0, -1.0, 0.0, 1.0, -1.0, -1.0, 1.0]
let up = [0.0, 0.0, 1.0, 0.0, -1.0, 1.0, 1.0, -1.0, -1.0]

## The density and the velocities of populations f[q, y, x].
def moments(f: f32[9, n, m]) -> (f32[n, m], f32[n, m], f32[n, m]) =
    let rho = sum(f, axis=0)
    (rho, tensordot(right, f, 1) / rho, tensordot(up, f, 1) / rho)

def equilibrium(rho: f32[n, m], u: f32[n, m], v: f32[n, m]) -> f32[9, n, m] =
    let speed = 1.5 * (u * u + v * v)
    [
        w * rho * (1.0 + 3.0 * c + 4.5 * c * c - speed) for (w, c) in zip(
            weights,
            [a * u + b * v for (a, b) in zip(right, up)]
        )
    ]

## One population after its move by (a, b). Where it would come from beyond a wall, the opposite one turned back there.
def arrived(
    here: f32[n, n],
    turned: f32[n, n],
    static a: int,
    static b: int
) -> f32[n, n] where n >= 1 =
    let beyond_row = [b != 0 and i == (if b > 0 then 0 else n - 1) for i in range(n)]
    let beyond_column = [a != 0 and i == (if a > 0 then 0 else n - 1) for i in range(n)]
    where(beyond_row[:, None] | beyond_column[None, :], turned, roll(here, (b, a), axis=(0, 1)))

## The push of a lid that slides with this speed to the populations that come from it.
def push(rho: f32[n, n], lid: f32) -> f32[9, n, n] where n >= 1 =
    let down = [6.0 * w * lid * a * maximum(-b, 0.0) for (w, a, b) in zip(weights, right, up)]
    let edge = zeros([n, n]).at[-1].set(rho[-1])
    [d * edge for d in down]

def lattice_step(f: f32[9, n, n], lid: f32, relaxation: f32) -> f32[9, n, n] where n >= 1 =
    let (rho, u, v) = moments(f)
    let met = f + (equilibrium(rho, u, v) - f) / relaxation
    let turned = met[opposite] + push(rho, lid)
    [arrived(met[q], turned[q], a, b) for (q, (a, b)) in enumerate(moves)]

## The velocities (u, v) in the middle of the cells after some steps from rest, in units of the lid's. The viscosity
## follows from the Reynolds number; `lid` is the speed of the lid in cells per step, which has to be far below 0.5.
def lattice(
    reynolds: f32,
    lid: f32,
    static n: size,
    static steps: int
) -> (f32[n, n], f32[n, n]) where n >= 1 and steps >= 0 =
    let relaxation = 0.5 + 3.0 * lid * f32(n) / reynolds
    let rest = equilibrium(ones([n, n]), zeros([n, n]), zeros([n, n]))
    let f = fold f = rest for _ in range(steps) do lattice_step(f, lid, relaxation)
    let (_, u, v) = moments(f)
    (u / lid, v / lid)
