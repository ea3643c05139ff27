"""The rivals of `stencils.dsl`."""

from __future__ import annotations

from typing import Any

import jax

from benchmarks.kernels.rival import Kernel, Rival, Static

IN = slice(1, -1)


def jacobi_1d(to: Rival, a: Any, b: Any, *, steps: int) -> Any:
    def step(_: Any, carry: Any) -> Any:
        a, b = carry
        b = to.put(b, IN, (a[:-2] + a[1:-1] + a[2:]) / 3.0)
        return to.put(a, IN, (b[:-2] + b[1:-1] + b[2:]) / 3.0), b

    return to.fold(steps, step, (to.np.array(a), to.np.array(b)))


def cross(a: Any) -> Any:
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def jacobi_2d(to: Rival, a: Any, b: Any, *, steps: int) -> Any:
    def step(_: Any, carry: Any) -> Any:
        a, b = carry
        b = to.put(b, (IN, IN), cross(a))
        return to.put(a, (IN, IN), cross(b)), b

    return to.fold(steps, step, (to.np.array(a), to.np.array(b)))


def warmed(a: Any) -> Any:
    centre = a[IN, IN, IN]
    x = a[2:, IN, IN] - 2.0 * centre + a[:-2, IN, IN]
    y = a[IN, 2:, IN] - 2.0 * centre + a[IN, :-2, IN]
    z = a[IN, IN, 2:] - 2.0 * centre + a[IN, IN, :-2]
    return centre + 0.125 * (x + y + z)


def heat_3d(to: Rival, a: Any, b: Any, *, steps: int) -> Any:
    def step(_: Any, carry: Any) -> Any:
        a, b = carry
        b = to.put(b, (IN, IN, IN), warmed(a))
        return to.put(a, (IN, IN, IN), warmed(b)), b

    return to.fold(steps, step, (to.np.array(a), to.np.array(b)))


def seidel_2d(to: Rival, a: Any, *, steps: int) -> Any:
    def point(left: Any, known: Any) -> Any:
        new = (left + known) / 9.0
        return new, new

    def row(above: Any, both: Any) -> Any:
        row, below = both
        known = above[:-2] + above[1:-1] + above[2:] + row[1:-1] + row[2:] + below[:-2] + below[1:-1] + below[2:]
        new = to.put(to.np.array(row), IN, to.scan(point, row[0], known)[1])
        return new, new

    def sweep(_: Any, a: Any) -> Any:
        return to.put(a, IN, to.scan(row, a[0], (a[1:-1], a[2:]))[1])

    return to.fold(steps, sweep, to.np.array(a))


def fdtd_2d(to: Rival, ex: Any, ey: Any, hz: Any, source: Any) -> Any:
    def step(t: Any, carry: Any) -> Any:
        ex, ey, hz = carry
        ey = to.put(to.add(ey, slice(1, None), -0.5 * (hz[1:] - hz[:-1])), 0, source[t])
        ex = to.add(ex, (slice(None), slice(1, None)), -0.5 * (hz[:, 1:] - hz[:, :-1]))
        change = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        return ex, ey, to.add(hz, (slice(-1), slice(-1)), -0.7 * change)

    return to.fold(len(source), step, (to.np.array(ex), to.np.array(ey), to.np.array(hz)))


def swept(to: Rival, u: Any, implicit: float, explicit: float) -> Any:
    n = u.shape[0]
    right = explicit * u[:-2, IN] + (1 - 2 * explicit) * u[IN, IN] + explicit * u[2:, IN]

    def forward(carry: Any, r: Any) -> Any:
        p, q = carry
        pivot = 1 + 2 * implicit - implicit * p
        new = implicit / pivot, (r + implicit * q) / pivot
        return new, new

    def backward(v: Any, pq: Any) -> Any:
        v = pq[0] * v + pq[1]
        return v, v

    _, (ps, qs) = to.scan(forward, (to.np.zeros(n - 2), to.np.ones(n - 2)), right.T)
    _, inside = to.scan(backward, to.np.ones(n - 2), (ps[::-1], qs[::-1]))
    new = to.put(to.np.ones((n, n)), (slice(None), 0), 0.0)
    return to.put(to.put(new, (slice(None), -1), 0.0), (IN, IN), inside[::-1])


def adi(to: Rival, u: Any, *, steps: int) -> Any:
    return to.fold(steps, lambda _, u: swept(to, swept(to, u, 0.1, 0.2), 0.2, 0.1), u)


def across(a: Any) -> Any:
    return a[1:-1, 2:] - a[1:-1, :-2]


def along(a: Any) -> Any:
    return a[2:, 1:-1] - a[:-2, 1:-1]


def carried(q: Any, u: Any, v: Any, courant: Any, diffusion: Any) -> Any:
    c = q[IN, IN]
    spread = q[IN, 2:] + q[IN, :-2] + q[2:, IN] + q[:-2, IN] - 4 * c
    return c - courant * (u[IN, IN] * (c - q[IN, :-2]) + v[IN, IN] * (c - q[:-2, IN])) + diffusion * spread


def cavity_flow(to: Rival, u: Any, v: Any, p: Any, dt: Any, nu: Any, *, steps: int, rounds: int) -> Any:
    h = 2.0 / (u.shape[0] - 1)

    def step(_: Any, carry: Any) -> Any:
        u, v, p = carry
        ux, uy, vx, vy = (x / (2 * h) for x in (across(u), along(u), across(v), along(v)))
        b = h**2 * ((ux + vy) / dt - ux**2 - 2 * uy * vx - vy**2)

        def pressure(_: Any, p: Any) -> Any:
            p = to.put(p, (IN, IN), 0.25 * (p[IN, 2:] + p[IN, :-2] + p[2:, IN] + p[:-2, IN] - b))
            p = to.put(p, (slice(None), -1), p[:, -2])
            p = to.put(p, 0, p[1])
            p = to.put(p, (slice(None), 0), p[:, 1])
            return to.put(p, -1, 0.0)

        p = to.fold(rounds, pressure, p)
        new_u = carried(u, u, v, dt / h, nu * dt / h**2) - dt / (2 * h) * across(p)
        new_v = carried(v, u, v, dt / h, nu * dt / h**2) - dt / (2 * h) * along(p)
        u = to.put(to.put(to.np.zeros_like(u), (IN, IN), new_u), -1, 1.0)
        return u, to.put(to.np.zeros_like(v), (IN, IN), new_v), p

    return to.fold(steps, step, (u, v, to.np.array(p)))


def channel_step(to: Rival, u: Any, force: Any) -> Any:
    bent = to.np.roll(u, -1, 1) + to.np.roll(u, 1, 1) - 2 * u
    inside = u[1:-1] + 0.2 * (bent[1:-1] + u[2:] + u[:-2] - 2 * u[1:-1]) + force
    new = to.put(to.np.array(u), IN, inside)
    return new, to.np.sum(to.np.abs(new - u)) / to.np.sum(to.np.abs(new))


def channel_flow(to: Rival, u: Any, force: Any, *, limit: int) -> Any:
    def step(carry: Any) -> Any:
        i, u, _ = carry
        return i + 1, *channel_step(to, u, force)

    return jax.lax.while_loop(lambda c: (c[2] > 1e-4) & (c[0] < limit), step, (0, u, to.np.inf))[1]


def channel_flow_plain(to: Rival, u: Any, force: Any, *, limit: int) -> Any:
    change, i = to.np.inf, 0
    while change > 1e-4 and i < limit:
        u, change = channel_step(to, u, force)
        i += 1
    return u


def hdiff(to: Rival, q: Any, c: Any) -> Any:
    laplace = 4 * q[1:-1, 1:-1] - (q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2])
    x = laplace[1:, 1:-1] - laplace[:-1, 1:-1]
    x = to.np.where(x * (q[2:-1, 2:-2] - q[1:-2, 2:-2]) > 0, 0.0, x)
    y = laplace[1:-1, 1:] - laplace[1:-1, :-1]
    y = to.np.where(y * (q[2:-2, 2:-1] - q[2:-2, 1:-2]) > 0, 0.0, y)
    return q[2:-2, 2:-2] - c * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])


def vadv(to: Rival, u: Any, w: Any, dt: Any) -> Any:
    def forward(carry: Any, here: Any) -> Any:
        (c, d), (u, low, high) = carry, here
        a, b = -0.25 * dt * low, 0.25 * dt * high
        pivot = 1 / (1 - b - a - a * c)
        new = b * pivot, (u - a * d) * pivot
        return new, new

    def backward(x: Any, cd: Any) -> Any:
        x = cd[1] - cd[0] * x
        return x, x

    zero = to.np.zeros_like(u[0])
    _, (cs, ds) = to.scan(forward, (zero, zero), (u, w[:-1], w[1:]))
    return to.scan(backward, zero, (cs[::-1], ds[::-1]))[1][::-1]


def flow(r: Any, n: int, steps: int, rounds: int) -> Any:
    u, v, p = (0.1 * r.random((n, n)) for _ in range(3))
    return u, v, p, 0.001, 0.1, Static(steps=steps, rounds=rounds)


def grids(count: int, rank: int) -> Any:
    return lambda r, n, steps: (*[r.random((n,) * rank) for _ in range(count)], Static(steps=steps))


KERNELS = (
    Kernel("jacobi_1d", grids(2, 1), jacobi_1d, (9, 3), (3200, 800)),
    Kernel("jacobi_2d", grids(2, 2), jacobi_2d, (6, 3), (150, 50)),
    Kernel("heat_3d", grids(2, 3), heat_3d, (5, 3), (25, 25)),
    Kernel("seidel_2d", grids(1, 2), seidel_2d, (6, 2), (50, 8)),
    Kernel("fdtd_2d", lambda r, n, t: (*[r.random((n, n + 2)) for _ in range(3)], r.random(t)), fdtd_2d,
           (5, 3), (200, 20)),
    Kernel("adi", grids(1, 2), adi, (6, 2), (100, 20)),
    Kernel("cavity_flow", flow, cavity_flow, (6, 2, 3), (61, 25, 5)),
    Kernel("channel_flow", lambda r, n, limit: (r.random((n, n)), 0.01, Static(limit=limit)), channel_flow,
           (6, 20), (61, 5000), channel_flow_plain),
    Kernel("hdiff", lambda r, n, k: (r.random((n + 4, n + 4, k)), r.random((n, n, k))), hdiff, (4, 3), (64, 60)),
    Kernel("vadv", lambda r, n, k: (r.random((k, n, n)), r.random((k + 1, n, n)), 0.1), vadv, (3, 5), (60, 40)),
)  # fmt: skip
