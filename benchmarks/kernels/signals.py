"""The rivals of `signals.dsl`."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import numpy as np

from benchmarks.kernels.learning import FEW, draw
from benchmarks.kernels.rival import JAX, Kernel, Rival, Static


def stockham_fft(to: Rival, x: Any) -> Any:
    n, stride = x.shape[0], 1
    while n % (2 * stride) == 0:
        half = n // (2 * stride)
        low, high = x.reshape(2, half, stride)
        turn = to.np.exp(-1j * np.pi * to.np.arange(half) / half)[:, None]
        x = to.np.stack((low + high, (low - high) * turn), axis=1).reshape(n)
        stride *= 2
    return x


def smoothed(to: Rival, x: Any, alpha: Any) -> Any:
    decay = to.np.exp(-alpha)
    k = (1 - decay) ** 2 / (1 + 2 * alpha * decay - decay**2)
    a1, a2, a3, a4 = k, k * decay * (alpha - 1), k * decay * (alpha + 1), -k * decay**2
    b1, b2 = 2 * decay, -(decay**2)

    def ahead(carry: Any, x: Any) -> Any:
        x1, y1, y2 = carry
        y = a1 * x + a2 * x1 + b1 * y1 + b2 * y2
        return (x, y, y1), y

    def back(carry: Any, x: Any) -> Any:
        x1, x2, y1, y2 = carry
        y = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
        return (x, x1, y, y1), y

    zero = to.np.zeros(x.shape[0])
    first = to.scan(ahead, (zero, zero, zero), x.T)[1]
    return (first + to.scan(back, (zero, zero, zero, zero), x.T[::-1])[1][::-1]).T


def deriche(to: Rival, x: Any, alpha: Any) -> Any:
    return smoothed(to, smoothed(to, x, alpha).T, alpha).T


def contour_integral(to: Rival, h: Any, y: Any, points: Any, weights: Any) -> Any:
    pencil = points[:, None, None] * to.np.eye(len(h)) - h
    solutions = to.np.linalg.solve(pencil, to.np.broadcast_to(y, (len(points), *y.shape)))
    return to.np.einsum("p,pij->ij", weights, solutions), to.np.einsum("p,pij->ij", weights * points, solutions)


def rings(to: Rival, radius: Any, bins: int) -> Any:
    return to.np.clip((radius / to.np.max(radius) * bins).astype(np.int32), 0, bins - 1)


def azimhist(to: Rival, radius: Any, weight: Any, *, bins: int) -> Any:
    return to.np.bincount(rings(to, radius, bins), weight, **({"length": bins} if to.is_jax else {"minlength": bins}))


def ring_mean(to: Rival, data: Any, radius: Any, low: Any, high: Any) -> Any:
    inside = (radius >= low) & (radius < high)
    return to.np.sum(to.np.where(inside, data, 0)) / to.np.maximum(to.np.sum(inside), 1)


def azimint(to: Rival, data: Any, radius: Any, *, bins: int) -> Any:
    width = to.np.max(radius) / bins
    edges = width * to.np.arange(bins + 1)
    return jax.vmap(partial(ring_mean, to, data, radius))(edges[:-1], edges[1:])


def azimint_plain(to: Rival, data: Any, radius: Any, *, bins: int) -> Any:
    width = np.max(radius) / bins
    insides = ((radius >= width * k) & (radius < width * (k + 1)) for k in range(bins))
    return np.array([np.mean(data[inside]) if np.any(inside) else 0.0 for inside in insides])


def blur(to: Rival, x: Any, k: Any) -> Any:
    return jax.lax.conv(x[None, None], k[None, None], (1, 1), "SAME")[0, 0]


def blur_plain(to: Rival, x: Any, k: Any) -> Any:
    (h, w), padded = x.shape, np.pad(x, 2)
    return sum(padded[i : i + h, j : j + w] * k[i, j] for i in range(5) for j in range(5))


def depthwise(to: Rival, x: Any, k: Any) -> Any:
    channels = x.shape[-1]
    dimensions = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(
        x, k, (1, 1), "SAME", dimension_numbers=dimensions, feature_group_count=channels
    )


def depthwise_plain(to: Rival, x: Any, k: Any) -> Any:
    (_, h, w, _), padded = x.shape, np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return sum(padded[:, i : i + h, j : j + w] * k[i, j, 0] for i in range(3) for j in range(3))


def mandelbrot(to: Rival, x: Any, y: Any, *, steps: int) -> Any:
    cx, cy = (to.np.broadcast_to(c, (len(y), len(x))) for c in (x[None, :], y[:, None]))

    def step(_: Any, carry: Any) -> Any:
        a, b, count = carry
        stays = a * a + b * b < 4
        new = to.np.where(stays, a * a - b * b + cx, a), to.np.where(stays, 2 * a * b + cy, b)
        return *new, count + stays.astype(np.int32)

    zero = to.np.zeros((len(y), len(x)))
    return to.fold(steps, step, (zero, zero, to.np.zeros((len(y), len(x)), np.int32)))[2]


def scattering_self_energies(to: Rival, g: Any, h: Any, d: Any, neighbour: Any) -> Any:
    e = g.shape[1]
    padded = to.np.concatenate((to.np.zeros_like(g), g), axis=1)
    right = to.np.einsum("qwabij,abjrs->qwabirs", d, h)

    def energy(i: Any, s: Any) -> Any:
        def shifted(j: Any, s: Any) -> Any:
            turned = to.np.roll(padded, i, axis=0)
            lower = jax.lax.dynamic_slice_in_dim(turned, e - j, e, 1) if to.is_jax else turned[:, e - j : 2 * e - j]
            left = to.np.einsum("keabop,abipr->keabior", lower[:, :, neighbour], h, **optimize)
            return s + to.np.einsum("keabior,abirs->keaos", left, right[i, j], **optimize)

        return to.fold(d.shape[1], shifted, s)

    optimize: Any = {} if to.is_jax else {"optimize": True}
    return to.fold(d.shape[0], energy, to.np.zeros_like(g))


def spmv(to: Rival, values: Any, row: Any, column: Any, x: Any, *, n: int) -> Any:
    return jax.ops.segment_sum(values * x[column], row, n, indices_are_sorted=True)


def spmv_plain(to: Rival, values: Any, row: Any, column: Any, x: Any, *, n: int) -> Any:
    return np.bincount(row, values * x[column], minlength=n)


def pull(to: Rival, x: Any, mass: Any) -> Any:
    gap = x[None, :, :] - x[:, None, :]
    cubes = (to.np.sum(gap**2, axis=2) + 0.01) ** -1.5
    return to.np.sum(gap * (cubes * mass[None, :])[:, :, None], axis=1)


def nbody(to: Rival, x: Any, v: Any, mass: Any, *, steps: int) -> Any:
    def step(carry: Any, _: Any) -> Any:
        x, v = carry
        v = v + 0.005 * pull(to, x, mass)
        x = x + 0.01 * v
        v = v + 0.005 * pull(to, x, mass)
        return (x, v), 0.5 * to.np.sum(mass * to.np.sum(v**2, axis=1))

    (x, v), energies = to.scan(step, (x, v), to.np.arange(steps))
    return x, v, energies


def potential(to: Rival, x: Any) -> Any:
    gap, one = x[:, None, :] - x[None, :, :], to.np.eye(len(x))
    sixth = (to.np.sum(gap**2, axis=2) + one) ** -3
    return to.np.sum(to.np.where(one > 0, 0.0, 2 * (sixth**2 - sixth)))


def lennard_jones(to: Rival, x: Any) -> Any:
    return jax.value_and_grad(partial(potential, JAX))(x)


def lennard_jones_plain(to: Rival, x: Any) -> Any:
    gap, one = x[:, None, :] - x[None, :, :], np.eye(len(x))
    apart = np.sum(gap**2, axis=2) + one
    sixth = apart**-3
    slope = np.where(one > 0, 0.0, -12 * (2 * sixth**2 - sixth) / apart)
    return np.sum(np.where(one > 0, 0.0, 2 * (sixth**2 - sixth))), 2 * np.sum(slope[:, :, None] * gap, axis=1)


# ---------------------------------------------------------------- arguments


def waves(r: Any, *shape: int) -> Any:
    return r.standard_normal(shape) + 1j * r.standard_normal(shape)


def pencil(r: Any, n: int, k: int, p: int) -> Any:
    return waves(r, n, n) / n, waves(r, n, k), 2 * np.exp(2j * np.pi * np.arange(p) / p), waves(r, p)


def greens(r: Any, k: int, e: int, a: int, b: int, o: int, q: int, w: int) -> Any:
    neighbour = r.integers(0, a, (a, b)).astype(np.int32)
    return waves(r, k, e, a, o, o), waves(r, a, b, 3, o, o), waves(r, q, w, a, b, 3, 3), neighbour


def sparse(r: Any, n: int, entries: int) -> Any:
    row = np.sort(r.integers(0, n, entries)).astype(np.int32)
    return r.random(entries), row, r.integers(0, n, entries).astype(np.int32), r.random(n), Static(n=n)


def stars(r: Any, n: int, steps: int) -> Any:
    return r.standard_normal((n, 3)), r.standard_normal((n, 3)), r.random(n), Static(steps=steps)


def plane(r: Any, n: int, steps: int) -> Any:
    return np.linspace(-2, 0.5, n), np.linspace(-1.25, 1.25, n + 1), Static(steps=steps)


def lattice(r: Any, n: int) -> Any:
    grid = np.stack(np.meshgrid(*[np.arange(n) * 1.1] * 3), axis=-1).reshape(-1, 3)
    return (grid + 0.05 * r.random((n**3, 3)),)


KERNELS = (
    Kernel("stockham_fft", lambda r, n: (waves(r, n),), stockham_fft, (8,), (1 << 16,)),
    Kernel("deriche", lambda r, n, m: (r.random((n, m)), 0.25), deriche, (4, 5), (360, 240)),
    Kernel("contour_integral", pencil, contour_integral, (4, 2, 3), (60, 20, 32), tolerance=1e-8),
    Kernel("azimhist", lambda r, n, k: (r.random(n), r.random(n), Static(bins=k)), azimhist, (20, 4), (400_000, 1000)),
    Kernel("azimint", lambda r, n, k: (r.random(n), r.random(n), Static(bins=k)), azimint, (20, 4), (40_000, 100),
           azimint_plain),
    Kernel("blur", lambda r, n: (draw(r, n, n), draw(r, 5, 5)), blur, (9,), (512,), blur_plain, FEW),
    Kernel("depthwise", lambda r, n, h, c: (draw(r, n, h, h, c), draw(r, 3, 3, 1, c)), depthwise, (2, 5, 3),
           (8, 32, 32), depthwise_plain, FEW),
    Kernel("mandelbrot", plane, mandelbrot, (5, 4), (200, 60)),
    Kernel("scattering_self_energies", greens, scattering_self_energies, (2, 3, 3, 2, 2, 2, 2), (2, 4, 6, 4, 4, 2, 3)),
    Kernel("spmv", sparse, spmv, (6, 9), (8192, 262_144), spmv_plain),
    Kernel("nbody", stars, nbody, (4, 2), (100, 50)),
    Kernel("lennard_jones", lattice, lennard_jones, (2,), (7,), lennard_jones_plain),
)  # fmt: skip
