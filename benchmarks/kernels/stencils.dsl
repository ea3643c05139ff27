# Differential equations on grids: each point from its neighbours, over and over.

def jacobi_1d(a: f64[n], b: f64[n], static steps: size) -> (f64[n], f64[n]) where n >= 3 =
    fold (a, b) = (a, b) for _ in range(steps) do
        let b = b.at[1:-1].set((a[:-2] + a[1:-1] + a[2:]) / 3.0)
        (a.at[1:-1].set((b[:-2] + b[1:-1] + b[2:]) / 3.0), b)

def _cross(a: f64[n, m]) -> f64[n - 2, m - 2] where n >= 3 and m >= 3 =
    0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])

def jacobi_2d(a: f64[n, m], b: f64[n, m], static steps: size) -> (f64[n, m], f64[n, m]) where n >= 3 and m >= 3 =
    fold (a, b) = (a, b) for _ in range(steps) do
        let b = b.at[1:-1, 1:-1].set(_cross(a))
        (a.at[1:-1, 1:-1].set(_cross(b)), b)

def _warmed(a: f64[n, m, l]) -> f64[n - 2, m - 2, l - 2] where n >= 3 and m >= 3 and l >= 3 =
    let centre = a[1:-1, 1:-1, 1:-1]
    let x = a[2:, 1:-1, 1:-1] - 2.0 * centre + a[:-2, 1:-1, 1:-1]
    let y = a[1:-1, 2:, 1:-1] - 2.0 * centre + a[1:-1, :-2, 1:-1]
    let z = a[1:-1, 1:-1, 2:] - 2.0 * centre + a[1:-1, 1:-1, :-2]
    centre + 0.125 * (x + y + z)

def heat_3d(a: f64[n, m, l], b: f64[n, m, l], static steps: size) -> (f64[n, m, l], f64[n, m, l])
    where n >= 3 and m >= 3 and l >= 3 =
    fold (a, b) = (a, b) for _ in range(steps) do
        let b = b.at[1:-1, 1:-1, 1:-1].set(_warmed(a))
        (a.at[1:-1, 1:-1, 1:-1].set(_warmed(b)), b)

## Gauss and Seidel's sweep over nine points: what lies above and to the left is already new.
def seidel_2d(a: f64[n, m], static steps: size) -> f64[n, m] where n >= 3 and m >= 3 =
    fold a = a for _ in range(steps) do
        let (_, rows) = scan above = a[0] for row, below in zip(a[1:-1], a[2:]) do
            let known = above[:-2] + above[1:-1] + above[2:] + row[1:-1] + row[2:] + below[:-2] + below[1:-1] + below[2:]
            let (_, inside) = scan left = row[0] for k in known do
                let new = (left + k) / 9.0
                (new, new)
            let new = row.at[1:-1].set(inside)
            (new, new)
        a.at[1:-1].set(rows)

def fdtd_2d(ex: f64[n, m], ey: f64[n, m], hz: f64[n, m], source: f64[t]) -> (f64[n, m], f64[n, m], f64[n, m])
    where n >= 2 and m >= 2 =
    fold (ex, ey, hz) = (ex, ey, hz) for now in source do
        let ey = ey.at[1:].add(-0.5 * (hz[1:] - hz[:-1])).at[0].set(now)
        let ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        let change = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        (ex, ey, hz.at[:-1, :-1].add(-0.7 * change))

## Half a step of the method of alternating directions: implicit along the columns of u, explicit along its rows.
def _swept(u: f64[n, n], implicit: f64, explicit: f64) -> f64[n, n] where n >= 3 =
    let right = explicit * u[:-2, 1:-1] + (1.0 - 2.0 * explicit) * u[1:-1, 1:-1] + explicit * u[2:, 1:-1]
    let start = (zeros([n - 2], f64), ones([n - 2], f64))
    let (_, (ps, qs)) = scan (p, q) = start for r in right.T do
        let pivot = 1.0 + 2.0 * implicit - implicit * p
        let next = (implicit / pivot, (r + implicit * q) / pivot)
        (next, next)
    let (_, inside) = scan v = ones([n - 2], f64) for p, q in zip(ps, qs) reverse do
        let v = p * v + q
        (v, v)
    ones([n, n], f64).at[:, 0].set(0.0).at[:, -1].set(0.0).at[1:-1, 1:-1].set(inside)

def adi(u: f64[n, n], static steps: size) -> f64[n, n] where n >= 3 =
    let (a, d) = (0.1, 0.2)
    fold u = u for _ in range(steps) do _swept(_swept(u, a, d), d, a)

## A lid drags a fluid round in a box: velocities and pressure after some steps of Chorin's projection.
def cavity_flow(u: f64[n, m], v: f64[n, m], p: f64[n, m], dt: f64, nu: f64, static steps: size, static rounds: size)
    -> (f64[n, m], f64[n, m], f64[n, m]) where n >= 3 and m >= 3 =
    let h = 2.0 / (f64(n) - 1.0)
    fold (u, v, p) = (u, v, p) for _ in range(steps) do
        let (ux, uy) = (_across(u) / (2.0 * h), _along(u) / (2.0 * h))
        let (vx, vy) = (_across(v) / (2.0 * h), _along(v) / (2.0 * h))
        let b = h ** 2 * ((ux + vy) / dt - ux ** 2 - 2.0 * uy * vx - vy ** 2)
        let p = fold p = p for _ in range(rounds) do
            let inner = 0.25 * (p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1] - b)
            let p = p.at[1:-1, 1:-1].set(inner)
            let p = p.at[:, -1].set(p[:, -2])
            let p = p.at[0].set(p[1])
            let p = p.at[:, 0].set(p[:, 1])
            p.at[-1].set(0.0)
        let new_u = _carried(u, u, v, dt / h, nu * dt / h ** 2) - dt / (2.0 * h) * _across(p)
        let new_v = _carried(v, u, v, dt / h, nu * dt / h ** 2) - dt / (2.0 * h) * _along(p)
        (zeros([n, m], f64).at[1:-1, 1:-1].set(new_u).at[-1].set(1.0), zeros([n, m], f64).at[1:-1, 1:-1].set(new_v), p)

def _across(a: f64[n, m]) -> f64[n - 2, m - 2] where n >= 3 and m >= 3 = a[1:-1, 2:] - a[1:-1, :-2]
def _along(a: f64[n, m]) -> f64[n - 2, m - 2] where n >= 3 and m >= 3 = a[2:, 1:-1] - a[:-2, 1:-1]

## A quantity after a step of transport by (u, v) and of diffusion.
def _carried(q: f64[n, m], u: f64[n, m], v: f64[n, m], courant: f64, diffusion: f64) -> f64[n - 2, m - 2]
    where n >= 3 and m >= 3 =
    let c = q[1:-1, 1:-1]
    let spread = q[1:-1, 2:] + q[1:-1, :-2] + q[2:, 1:-1] + q[:-2, 1:-1] - 4.0 * c
    c - courant * (u[1:-1, 1:-1] * (c - q[1:-1, :-2]) + v[1:-1, 1:-1] * (c - q[:-2, 1:-1])) + diffusion * spread

## A fluid pushed through a channel whose ends meet, until its flow is steady: the velocity along it.
def channel_flow(u: f64[n, m], force: f64, static limit: size) -> f64[n, m] where n >= 3 and m >= 1 =
    let (u, _) = iterate (u, change) = (u, inf) while change > 1e-4 limit limit do
        let bent = roll(u, -1, axis=1) + roll(u, 1, axis=1) - 2.0 * u
        let inside = u[1:-1] + 0.2 * (bent[1:-1] + u[2:] + u[:-2] - 2.0 * u[1:-1]) + force
        let next = u.at[1:-1].set(inside)
        (next, sum(abs(next - u)) / sum(abs(next)))
    u

## Horizontal diffusion with a limiter: a Laplacian, fluxes that do not run uphill, and their divergence.
def hdiff(q: f64[n, m, l], c: f64[n - 4, m - 4, l]) -> f64[n - 4, m - 4, l] where n >= 5 and m >= 5 =
    let laplace = 4.0 * q[1:-1, 1:-1] - (q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2])
    let x = laplace[1:, 1:-1] - laplace[:-1, 1:-1]
    let x = where(x * (q[2:-1, 2:-2] - q[1:-2, 2:-2]) > 0.0, 0.0, x)
    let y = laplace[1:-1, 1:] - laplace[1:-1, :-1]
    let y = where(y * (q[2:-2, 2:-1] - q[2:-2, 1:-2]) > 0.0, 0.0, y)
    q[2:-2, 2:-2] - c * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])

## Vertical advection, implicit: a tridiagonal system in every column of the air.
def vadv(u: f64[k, n, m], w: f64[k + 1, n, m], dt: f64) -> f64[k, n, m] where k >= 1 =
    let start = (zeros([n, m], f64), zeros([n, m], f64))
    let (_, (cs, ds)) = scan (c, d) = start for u, low, high in zip(u, w[:-1], w[1:]) do
        let (a, b) = (-0.25 * dt * low, 0.25 * dt * high)
        let pivot = 1.0 / (1.0 - b - a - a * c)
        let next = (b * pivot, (u - a * d) * pivot)
        (next, next)
    let (_, x) = scan x = zeros([n, m], f64) for c, d in zip(cs, ds) reverse do
        let x = d - c * x
        (x, x)
    x
