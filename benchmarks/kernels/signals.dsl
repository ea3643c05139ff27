# Signals, images, particles and sparse matrices.

import linalg

## Stockham's Fourier transform of 2ᵏ samples, with radix 2.
def stockham_fft(x: c128[n]) -> c128[n] where n >= 1 = _passes(x, 1)
def _passes(x: c128[n], static stride: int) -> c128[n] where n >= 1 and stride >= 1 =
    if n % (2 * stride) == 0 then _passes(_pass(x, stride), 2 * stride) else x
def _pass(x: c128[n], static stride: int) -> c128[n] where n >= 1 and stride >= 1 and n % (2 * stride) == 0 =
    let half = n // (2 * stride)
    let z = reshape(x, [2, half, stride])
    let angle = -pi * arange(half, dtype=f64) / f64(half)
    let turn = exp(cast(angle, c128) * sqrt(cast(-1.0, c128)))[:, None]
    reshape(stack((z[0] + z[1], (z[0] - z[1]) * turn), axis=1), [n])

## Deriche's recursive filter: along the rows forward and back, then along the columns.
def deriche(x: f64[n, m], alpha: f64) -> f64[n, m] = _smoothed(_smoothed(x, alpha).T, alpha).T
def _smoothed(x: f64[n, m], alpha: f64) -> f64[n, m] =
    let decay = exp(-alpha)
    let k = (1.0 - decay) ** 2 / (1.0 + 2.0 * alpha * decay - decay ** 2)
    let (a1, a2, a3, a4) = (k, k * decay * (alpha - 1.0), k * decay * (alpha + 1.0), -k * decay ** 2)
    let (b1, b2) = (2.0 * decay, -(decay ** 2))
    let zero = zeros([n], f64)
    let (_, ahead) = scan (x1, y1, y2) = (zero, zero, zero) for x in x.T do
        let y = a1 * x + a2 * x1 + b1 * y1 + b2 * y2
        ((x, y, y1), y)
    let (_, back) = scan (x1, x2, y1, y2) = (zero, zero, zero, zero) for x in x.T reverse do
        let y = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
        ((x, x1, y, y1), y)
    (ahead + back).T

## The moments of a matrix pencil over a contour: at each point z a solution with the matrix z - h.
def contour_integral(h: c128[n, n], y: c128[n, k], points: c128[p], weights: c128[p]) -> (c128[n, k], c128[n, k]) =
    let solutions = [linalg.solve(z * eye(n, c128) - h, y) for z in points]
    (einsum("p,pij->ij", weights, solutions), einsum("p,pij->ij", weights * points, solutions))

## How much weight falls into each ring around the origin.
def azimhist(radius: f64[n], weight: f64[n], static bins: size) -> f64[bins] where bins >= 1 and n >= 1 =
    let widest = max(radius)
    let ring = clip(i32(radius / widest * bins), 0, bins - 1)
    zeros([bins], f64).at[ring].add(weight)

## The mean of the data in each ring.
def azimint(data: f64[n], radius: f64[n], static bins: size) -> f64[bins] where bins >= 1 and n >= 1 =
    let width = max(radius) / f64(bins)
    [_mean_between(data, radius, width * f64(k), width * f64(k + 1)) for k in range(bins)]
def _mean_between(data: f64[n], radius: f64[n], low: f64, high: f64) -> f64 =
    let inside = (radius >= low) & (radius < high)
    sum(where(inside, data, 0.0)) / maximum(f64(sum(inside)), 1.0)

## How many steps until each point of the plane escapes.
def mandelbrot(x: f64[n], y: f64[m], static steps: size) -> i32[m, n] =
    let (cx, cy) = (broadcast_to(x[None, :], [m, n]), broadcast_to(y[:, None], [m, n]))
    let start = (zeros([m, n], f64), zeros([m, n], f64), zeros([m, n], i32))
    let (_, _, count) = fold (a, b, count) = start for _ in range(steps) do
        let stays = a * a + b * b < 4.0
        (where(stays, a * a - b * b + cx, a), where(stays, 2.0 * a * b + cy, b), count + i32(stays))
    count

## Scattering self energies: the Green's functions of shifted momenta and energies between the changes of neighbours.
def scattering_self_energies(
    g: c128[k, e, a, o, o], h: c128[a, b, 3, o, o], d: c128[q, w, a, b, 3, 3], neighbour: idx[a][a, b],
) -> c128[k, e, a, o, o] where k >= 1 and e >= 1 and q <= k and w <= e =
    fold s = zeros([k, e, a, o, o], c128) for i in range(q) do
        fold s = s for j in range(w) do
            let turned = concatenate((g, g))[k - i : k - i + k]
            let lower = concatenate((zeros([k, e, a, o, o], c128), turned), axis=1)[:, e - j : e - j + e]
            let around = lower[:, :, neighbour]
            let left = einsum("keabop,abipr->keabior", around, h)
            let right = einsum("abij,abjrs->abirs", d[i, j], h)
            s + einsum("keabior,abirs->keaos", left, right)

## The product of a sparse matrix with a vector: entries with their rows, in order, and columns.
def spmv(values: f64[l], row: idx[n][l], column: idx[m][l], x: f64[m], static n: size) -> f64[n] =
    segment_sum(values * x[column], row, n)

## Stars under their own gravity, softened: leapfrog steps, and the energy after each.
def nbody(x: f64[n, 3], v: f64[n, 3], mass: f64[n], static steps: size) -> (f64[n, 3], f64[n, 3], f64[steps]) =
    let ((x, v), energies) = scan (x, v) = (x, v) for _ in range(steps) do
        let v = v + 0.005 * _pull(x, mass)
        let x = x + 0.01 * v
        let v = v + 0.005 * _pull(x, mass)
        ((x, v), 0.5 * sum(mass * sum(v ** 2, axis=1)))
    (x, v, energies)
def _pull(x: f64[n, 3], mass: f64[n]) -> f64[n, 3] =
    let gap = x[None, :, :] - x[:, None, :]
    let cubes = (sum(gap ** 2, axis=2) + 0.01) ** -1.5
    sum(gap * (cubes * mass[None, :])[:, :, None], axis=1)

## Molecules: the pairwise potential of Lennard and Jones, and its forces.
def lennard_jones(x: f64[n, 3]) -> (f64, f64[n, 3]) = value_and_grad(_potential)(x)
def _potential(x: f64[n, 3]) -> f64 =
    let gap = x[:, None, :] - x[None, :, :]
    let apart = sum(gap ** 2, axis=2) + eye(n, f64)
    let sixth = apart ** -3
    sum(where(eye(n, f64) > 0.0, 0.0, 2.0 * (sixth ** 2 - sixth)))

## A blur of 5 × 5 pixels.
def blur(x: f32[h, w], k: f32[5, 5]) -> f32[h, w] where h >= 1 and w >= 1 =
    conv(x[None, None], k[None, None], 1, "SAME")[0, 0]

## A convolution of each channel by itself, as in networks for small devices.
def depthwise(x: f32[n, h, w, c], k: f32[3, 3, 1, c]) -> f32[n, h, w, c] where h >= 1 and w >= 1 and c >= 1 =
    conv(x, k, 1, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=c)
