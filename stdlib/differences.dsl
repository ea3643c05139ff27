# Derivatives on grids: finite differences of any order and accuracy, spectral derivatives by Fourier and Chebyshev, sine
# and cosine transforms, and Poisson's equation by them. Grids are uniform; a boundary says where the points lie and how
# a function goes on beyond them, for n points at distance h:
#   "periodic"   x = i h, with period n h
#   "dirichlet"  x = (i + 1) h between walls at 0 and (n + 1) h, on which the function is 0 (odd beyond them)
#   "neumann"    x = (i + 1/2) h between walls at 0 and n h, on which the slope is 0 (even beyond them)
#   "open"       nothing is known beyond the ends: one-sided differences there

import fft

def _shaped[F: Float](x: F[*t], static shape: shape) -> F[*shape] =
    intrinsic.reshape(x, shape=shape)
static def _exchanged(rank: int, axis: int) -> ints =
    let place = if axis < 0 then axis + rank else axis
    [if i == place then rank - 1 else if i == rank - 1 then place else i for i in range(rank)]
# The elements along an axis as rows, and back.
def _rows[F: Float](x: F[*s], static axis: int) -> F[
    extent(s, none) // max(extent(s, axis), 1),
    extent(s, axis)
] where has_axis(s, axis) =
    _shaped(swapaxes(x, axis, -1), [extent(s, none) // max(extent(s, axis), 1), extent(s, axis)])
def _back[F: Float](rows: F[q, n], static s: shape, static axis: int) -> F[*s]
    where has_axis(s, axis) =
    let whole: F[*swapped(s, axis, -1)] = intrinsic.reshape(rows, shape=swapped(s, axis, -1))
    intrinsic.transpose(whole, axes=_exchanged(len(s), axis))
def _rfft[F: Float](x: F[q, n]) -> (F[q, n // 2 + 1], F[q, n // 2 + 1]) where n >= 1 =
    let z = fft.rfft(x)
    (cast(real(z), F), cast(imag(z), F))
def _irfft[F: Float](re: F[q, m], im: F[q, m], static n: size) -> F[q, n] where n >= 1 =
    cast(fft.irfft(cast(re, complex_of(F)) + 1.0j * cast(im, complex_of(F)), n), F)

# ---------------------------------------------------------------- stencils

## Return the weights of values at n different points in the derivative of an order at `at`, exact for polynomials of
## degree n - 1 (Fornberg 1988). O(n² order).
##
##     differences.weights([-1.0, 0.0, 1.0], 0.0, order=2)
def weights[F: Float](points: F[n], at: F, *, static order: size = 1) -> F[n] where n >= 1 =
    let k: F[order + 1] = iota([order + 1], dtype=F)
    let j = iota([n])
    let start = zeros([n, order + 1], F).at[0, 0].set(1.0)
    let (c, _) = fold (c, before) = (start, cast(1.0, F)) for i in range(n - 1) do
        let gaps = where(j <= i, points[i + 1] - points, 1.0)
        let product = prod(gaps)
        let lower = concatenate((zeros([n, 1], F), c[:, :order]), axis=1) * k
        let old = ((points[i + 1] - at) * c - lower) / gaps[:, None]
        let new = before / product * (lower[i] - (points[i] - at) * c[i])
        (where((j <= i)[:, None], old, 0.0).at[i + 1].set(new), product)
    c[:, order]
static def _is_kind(kind: str) -> bool = kind in ("central", "forward", "backward")
static def _width(order: int, accuracy: int, kind: str) -> int =
    if kind == "central" then
        2 * ((order + 1) // 2) - 1 + 2 * ((accuracy + 1) // 2)
    else
        order + accuracy
## Return the weights of neighbours at distance 1 in a derivative, with an error of h^accuracy: "central" (an odd accuracy
## counts as the next even one), "forward" (from the point on) or "backward" (up to the point).
def stencil(
    static order: size,
    static accuracy: size = 2,
    *,
    static kind: str = "central",
    static dtype: Float = f32
) -> dtype[_width(order, accuracy, kind)]
    where order >= 1 and accuracy >= 1 else "the order and the accuracy are at least 1"
    where _is_kind(kind) else "the kind is \"central\", \"forward\" or \"backward\"" =
    let w = _width(order, accuracy, kind)
    let first = if kind == "central" then w // 2 else if kind == "forward" then 0 else w - 1
    let places: f64[w] = iota([w], dtype=f64)
    cast(weights(places - first, 0.0, order=order), dtype)

static def _is_boundary(boundary: str) -> bool =
    boundary in ("periodic", "dirichlet", "neumann", "open")
static def _is_closed(boundary: str) -> bool = boundary in ("periodic", "dirichlet", "neumann")
static def _reach(order: int, accuracy: int) -> int = _width(order, accuracy, "central") // 2
# How many points the differences along an axis need.
static def _needed(order: int, accuracy: int, boundary: str) -> int =
    if boundary == "open" then max(order + accuracy, _width(order, accuracy, "central"))
    else if boundary == "periodic" then _reach(order, accuracy) else max(_reach(order, accuracy), 1)
# Longer by r at both ends, as the boundary says.
def _extended[F: Float](x: F[q, n], static r: size, static boundary: str) -> F[q, n + 2 * r]
    where n >= r and n >= 1 =
    if boundary == "periodic" then concatenate((x[:, n - r :], x, x[:, :r]), axis=1)
    else if boundary == "neumann" then concatenate(
        (flip(x[:, :r], axis=1), x, flip(x[:, n - r :], axis=1)),
        axis=1
    )
    else
        let wall = zeros([q, 1], F)
        let odd = concatenate((-flip(x, axis=1), wall, x, wall, -flip(x, axis=1)), axis=1)
        odd[:, n + 1 - r : 2 * n + 1 + r]
def _slid[F: Float](x: F[q, n], w: F[m]) -> F[q, n - m + 1] where n >= m and m >= 1 =
    let found: F[q, 1, n - m + 1] = intrinsic.conv(
        x[:, None],
        w[None, None],
        strides=(1,),
        padding=((0, 0),),
        base=(1,),
        dilation=(1,),
        groups=1
    )
    found[:, 0]
# The weights at the first r points of those that a one-sided difference needs.
def _edges(static r: size, static order: size, static accuracy: size) -> f64[r, order + accuracy]
    where order + accuracy >= 1 =
    let places: f64[order + accuracy] = iota([order + accuracy], dtype=f64)
    [weights(places, f64(i), order=order) for i in range(r)]
## The derivative of an order along an axis, with an error of h^accuracy. The boundary is "periodic", "dirichlet",
## "neumann" or "open". O(n (order + accuracy)) for n elements.
##
##     differences.derivative(u, 0.1, order=2, accuracy=4, boundary="periodic")
def derivative[F: Float](
    u: F[*s],
    h: F,
    *,
    static axis: int = -1,
    static order: size = 1,
    static accuracy: size = 2,
    static boundary: str = "open"
) -> F[*s]
    where has_axis(s, axis)
    where order >= 1 and accuracy >= 1 else "the order and the accuracy are at least 1"
    where _is_boundary(
        boundary
    ) else "the boundary is \"periodic\", \"dirichlet\", \"neumann\" or \"open\""
    where extent(s, axis) >= 1 and extent(s, axis) >= _needed(
        order,
        accuracy,
        boundary
    ) else "there are as many points along the axis as the differences need" =
    _back(_derivative(_rows(u, axis), order, accuracy, boundary), s, axis) / h ** order
def _derivative[F: Float](
    x: F[q, n],
    static order: size,
    static accuracy: size,
    static boundary: str
) -> F[q, n]
    where n >= 1 and order >= 1 and accuracy >= 1 and n >= _needed(order, accuracy, boundary) =
    let r = _reach(order, accuracy)
    let central = stencil(order, accuracy, dtype=F)
    if boundary != "open" then _slid(_extended(x, r, boundary), central)
    else
        let low = cast(_edges(r, order, accuracy), F)
        let high = flip(low) * (if order % 2 == 0 then 1.0 else -1.0)
        let w = order + accuracy
        concatenate((x[:, :w] @ low.T, _slid(x, central), x[:, n - w :] @ high.T), axis=1)

# ---------------------------------------------------------------- fields

static def _all_reach(s: shape, order: int, accuracy: int, boundary: str) -> bool =
    all([n >= 1 and n >= _needed(order, accuracy, boundary) for n in s])
## The gradient of a function on a grid of d axes, with distances h: the component along each axis, in the first axis of
## the result.
def gradient[F: Float](
    u: F[*s],
    h: F[len(s)],
    *,
    static accuracy: size = 2,
    static boundary: str = "open"
) -> F[len(s), *s]
    where len(s) >= 1 and accuracy >= 1
    where _is_boundary(
        boundary
    ) else "the boundary is \"periodic\", \"dirichlet\", \"neumann\" or \"open\""
    where _all_reach(
        s,
        1,
        accuracy,
        boundary
    ) else "there are as many points along each axis as the differences need" =
    _partials(u, h, accuracy, boundary, 0)
def _partials[F: Float](
    u: F[*s],
    h: F[len(s)],
    static accuracy: size,
    static boundary: str,
    static axis: size
) -> F[len(s) - axis, *s]
    where axis <= len(s) and accuracy >= 1 and _is_boundary(boundary) and _all_reach(
        s,
        1,
        accuracy,
        boundary
    ) =
    if axis == len(s) then zeros([len(s) - axis, *s], F)
    else
        let here = _back(_derivative(_rows(u, axis), 1, accuracy, boundary), s, axis) / h[axis]
        concatenate((here[None], _partials(u, h, accuracy, boundary, axis + 1)))
## The divergence of a vector field, whose components are in the first axis.
def divergence[F: Float](
    v: F[len(s), *s],
    h: F[len(s)],
    *,
    static accuracy: size = 2,
    static boundary: str = "open"
) -> F[*s]
    where len(s) >= 1 and accuracy >= 1
    where _is_boundary(
        boundary
    ) else "the boundary is \"periodic\", \"dirichlet\", \"neumann\" or \"open\""
    where _all_reach(
        s,
        1,
        accuracy,
        boundary
    ) else "there are as many points along each axis as the differences need" =
    _outflow(v, h, accuracy, boundary, 0)
def _outflow[F: Float](
    v: F[len(s), *s],
    h: F[len(s)],
    static accuracy: size,
    static boundary: str,
    static axis: size
) -> F[*s]
    where axis <= len(s) and accuracy >= 1 and _is_boundary(boundary) and _all_reach(
        s,
        1,
        accuracy,
        boundary
    ) =
    if axis == len(s) then zeros(s, F)
    else _back(
        _derivative(_rows(v[axis], axis), 1, accuracy, boundary),
        s,
        axis
    ) / h[axis] + _outflow(v, h, accuracy, boundary, axis + 1)
## The sum of the second derivatives along all axes.
##
##     differences.laplacian(u, [0.1, 0.1], boundary="dirichlet")
def laplacian[F: Float](
    u: F[*s],
    h: F[len(s)],
    *,
    static accuracy: size = 2,
    static boundary: str = "open"
) -> F[*s]
    where len(s) >= 1 and accuracy >= 1
    where _is_boundary(
        boundary
    ) else "the boundary is \"periodic\", \"dirichlet\", \"neumann\" or \"open\""
    where _all_reach(
        s,
        2,
        accuracy,
        boundary
    ) else "there are as many points along each axis as the differences need" =
    _bends(u, h, accuracy, boundary, 0)
def _bends[F: Float](
    u: F[*s],
    h: F[len(s)],
    static accuracy: size,
    static boundary: str,
    static axis: size
) -> F[*s]
    where axis <= len(s) and accuracy >= 1 and _is_boundary(boundary) and _all_reach(
        s,
        2,
        accuracy,
        boundary
    ) =
    if axis == len(s) then zeros(s, F)
    else _back(
        _derivative(_rows(u, axis), 2, accuracy, boundary),
        s,
        axis
    ) / h[axis] ** 2 + _bends(u, h, accuracy, boundary, axis + 1)
## The curl of a vector field in the plane: ∂v1/∂x0 - ∂v0/∂x1.
def curl_in_plane[F: Float](
    v: F[2, n, m],
    h: F[2],
    *,
    static accuracy: size = 2,
    static boundary: str = "open"
) -> F[n, m]
    where accuracy >= 1
    where _is_boundary(
        boundary
    ) else "the boundary is \"periodic\", \"dirichlet\", \"neumann\" or \"open\""
    where _all_reach(
        [n, m],
        1,
        accuracy,
        boundary
    ) else "there are as many points along each axis as the differences need" =
    derivative(v[1], h[0], axis=0, accuracy=accuracy, boundary=boundary) - derivative(
        v[0],
        h[1],
        axis=1,
        accuracy=accuracy,
        boundary=boundary
    )
## The curl of a vector field in space.
def curl[F: Float](
    v: F[3, n, m, l],
    h: F[3],
    *,
    static accuracy: size = 2,
    static boundary: str = "open"
) -> F[3, n, m, l]
    where accuracy >= 1
    where _is_boundary(
        boundary
    ) else "the boundary is \"periodic\", \"dirichlet\", \"neumann\" or \"open\""
    where _all_reach(
        [n, m, l],
        1,
        accuracy,
        boundary
    ) else "there are as many points along each axis as the differences need" =
    let x = fn (u: F[n, m, l]) -> derivative(u, h[0], axis=0, accuracy=accuracy, boundary=boundary)
    let y = fn (u: F[n, m, l]) -> derivative(u, h[1], axis=1, accuracy=accuracy, boundary=boundary)
    let z = fn (u: F[n, m, l]) -> derivative(u, h[2], axis=2, accuracy=accuracy, boundary=boundary)
    stack((y(v[2]) - z(v[1]), z(v[0]) - x(v[2]), x(v[1]) - y(v[0])))

# ---------------------------------------------------------------- sine and cosine transforms

static def _is_dct(kind: int) -> bool = 1 <= kind and kind <= 3
## The cosine transform of kind 1, 2 or 3 along an axis, scaled as scipy.fft.dct. O(n log n).
@linear(x)
def dct[F: Float](x: F[*s], *, static kind: int = 2, static axis: int = -1) -> F[*s]
    where has_axis(s, axis)
    where _is_dct(kind) else "the kind is 1, 2 or 3"
    where extent(s, axis) >= (
        if kind == 1 then 2 else 1
    ) else "there are enough elements along the axis" =
    _back(_cosines(_rows(x, axis), kind), s, axis)
## The inverse of `dct`.
@linear(x)
def idct[F: Float](x: F[*s], *, static kind: int = 2, static axis: int = -1) -> F[*s]
    where has_axis(s, axis)
    where _is_dct(kind) else "the kind is 1, 2 or 3"
    where extent(s, axis) >= (
        if kind == 1 then 2 else 1
    ) else "there are enough elements along the axis" =
    let n = extent(s, axis)
    let rows = _rows(x, axis)
    let back =
        if kind == 1 then
            _cosines(rows, 1) / (2 * max(n - 1, 1))
        else
            _cosines(rows, 5 - kind) / (2 * n)
    _back(back, s, axis)
def _cosines[F: Float](x: F[q, n], static kind: int) -> F[q, n]
    where n >= 1 and (kind != 1 or n >= 2) =
    let k: F[n] = iota([n], dtype=F)
    let turn = k * (0.5 * pi / n)
    if kind == 1 then
        let (re, _) = _rfft(concatenate((x, flip(x[:, 1 : max(n - 1, 1)], axis=1)), axis=1))
        re.at[:, 0:n].get(mode="clip") + zeros([q, n], F)
    else if kind == 2 then
        let (re, im) = _rfft(concatenate((x, flip(x, axis=1)), axis=1))
        re[:, :n] * cos(turn)[None, :] + im[:, :n] * sin(turn)[None, :]
    else
        let zero = zeros([q, 1], F)
        let re = concatenate((x * cos(turn)[None, :], zero), axis=1)
        let im = concatenate((x * sin(turn)[None, :], zero), axis=1)
        2 * n * _irfft(re, im, 2 * n)[:, :n]
## The sine transform of kind 1 along an axis, scaled as scipy.fft.dst. O(n log n).
@linear(x)
def dst[F: Float](x: F[*s], *, static axis: int = -1) -> F[*s]
    where has_axis(s, axis) where extent(s, axis) >= 1 =
    _back(_sines(_rows(x, axis)), s, axis)
## The inverse of `dst`.
@linear(x)
def idst[F: Float](x: F[*s], *, static axis: int = -1) -> F[*s]
    where has_axis(s, axis) where extent(s, axis) >= 1 =
    _back(_sines(_rows(x, axis)) / (2 * (extent(s, axis) + 1)), s, axis)
def _sines[F: Float](x: F[q, n]) -> F[q, n] where n >= 1 =
    let wall = zeros([q, 1], F)
    let (_, im) = _rfft(concatenate((wall, x, wall, -flip(x, axis=1)), axis=1))
    -im[:, 1 : n + 1]

# ---------------------------------------------------------------- spectral derivatives

## The derivative of an order of a periodic function along an axis by its Fourier transform: exact for sines below half the
## sampling frequency. `length` is the period, of n samples. O(n log n).
@linear(u)
def fourier_derivative[F: Float](
    u: F[*s],
    length: F,
    *,
    static axis: int = -1,
    static order: size = 1
) -> F[*s]
    where has_axis(s, axis) where extent(s, axis) >= 1 =
    _back(_fourier(_rows(u, axis), length, order), s, axis)
def _fourier[F: Float](x: F[q, n], length: F, static order: size) -> F[q, n] where n >= 1 =
    let k: F[n // 2 + 1] = iota([n // 2 + 1], dtype=F)
    let factor = (k * (2.0 * pi / length)) ** order
    let kept = if order % 2 == 1 then where(2.0 * k == n, 0.0, factor) else factor
    let (re, im) = _rfft(x)
    let (a, b) = (re * kept[None, :], im * kept[None, :])
    if order % 4 == 0 then _irfft(a, b, n)
    else if order % 4 == 1 then _irfft(-b, a, n)
    else if order % 4 == 2 then _irfft(-a, -b, n)
    else _irfft(b, -a, n)
## Return the points cos(pi j / (n - 1)) of Chebyshev, from 1 to -1.
def chebyshev_points(static n: size, *, static dtype: Float = f32) -> dtype[n] where n >= 2 =
    let j: f64[n] = iota([n], dtype=f64)
    cast(sin(pi * (n - 1 - 2.0 * j) / (2.0 * (n - 1))), dtype)
## Return the matrix that maps values at the points of Chebyshev to derivatives there (Trefethen 2000).
def chebyshev_matrix(static n: size, *, static dtype: Float = f32) -> dtype[n, n] where n >= 2 =
    let k = iota([n])
    let j: f64[n] = iota([n], dtype=f64)
    let c = where((k == 0) | (k == n - 1), 2.0, f64(1.0)) * where(k % 2 == 0, 1.0, f64(-1.0))
    let half = 0.5 * pi / (n - 1)
    let gaps = 2.0 * sin(half * (j[:, None] + j[None, :])) * sin(half * (j[None, :] - j[:, None]))
    let same = eye(n, bool)
    let off = where(same, 0.0, (c[:, None] / c[None, :]) / where(same, 1.0, gaps))
    cast(off - diag(sum(off, axis=1)), dtype)
## The derivative along an axis of values at the points of Chebyshev on [-1, 1], by a cosine transform: exact for
## polynomials of degree n - 1. O(n log n).
@linear(u)
def chebyshev_derivative[F: Float](u: F[*s], *, static axis: int = -1) -> F[*s]
    where has_axis(s, axis)
    where extent(s, axis) >= 2 else "there are at least two points along the axis" =
    _back(_chebyshev(_rows(u, axis)), s, axis)
def _chebyshev[F: Float](x: F[q, n]) -> F[q, n] where n >= 2 =
    let c = chebyshev_slopes(chebyshev_series(x))
    _cosines(0.5 * concatenate((2.0 * c[:, :1], c[:, 1 : n - 1], 2.0 * c[:, n - 1 :]), axis=1), 1)
## The coefficients of the Chebyshev polynomials in the polynomials through values at the points of Chebyshev, in the last
## axis. O(n log n).
@linear(u)
def chebyshev_series[F: Float](u: F[*s, n]) -> F[*s, n] where n >= 2 =
    let c = _cosines(_shaped(u, [prod(s), n]), 1) / (n - 1)
    _shaped(concatenate((0.5 * c[:, :1], c[:, 1 : n - 1], 0.5 * c[:, n - 1 :]), axis=1), [*s, n])
## The coefficients of the derivative of a Chebyshev series, in the last axis.
@linear(c)
def chebyshev_slopes[F: Float](c: F[*s, n]) -> F[*s, n] where n >= 2 =
    let k: F[n] = iota([n], dtype=F)
    let weighted = (2.0 * k)[None, :] * _shaped(c, [prod(s), n])
    let even = cumsum(where((iota([n]) % 2 == 0)[None, :], weighted, 0.0), axis=1, reverse=true)
    let odd = cumsum(where((iota([n]) % 2 == 1)[None, :], weighted, 0.0), axis=1, reverse=true)
    let sums = where((iota([n]) % 2 == 0)[None, :], odd, even)
    _shaped(sums * where(iota([n]) == 0, 0.5, cast(1.0, F))[None, :], [*s, n])

# ---------------------------------------------------------------- Poisson's equation

static def _is_method(method: str) -> bool = method == "differences" or method == "spectral"
## The u with Δu - shift u = f on a grid with distances h, of any number of axes, by transforms along them: O(n log n) for n
## points. The boundary is "periodic", "dirichlet" or "neumann", on all sides. With the method "differences" Δ is that of
## `laplacian` with accuracy 2, up to rounding; with "spectral" it is exact for the waves of the grid. Where a constant
## changes nothing (shift 0, no wall with values), the mean of f is dropped and u has mean 0.
##
##     differences.poisson(f, [0.1, 0.1], boundary="neumann")
def poisson[F: Float](
    f: F[*s],
    h: F[len(s)],
    *,
    static boundary: str = "dirichlet",
    static method: str = "differences",
    shift: F = 0.0
) -> F[*s]
    where _is_closed(boundary) else "the boundary is \"periodic\", \"dirichlet\" or \"neumann\""
    where _is_method(method) else "the method is \"differences\" or \"spectral\""
    where _all_reach(s, 1, 1, boundary) else "there is a point along each axis" =
    let waves = _waves(f, boundary, false, 0)
    let value = _squares(s, h, boundary, method, 0) + shift
    _waves(where(value == 0.0, 0.0, -waves / where(value == 0.0, 1.0, value)), boundary, true, 0)
# The transforms along all axes from one on, which diagonalise the second difference.
def _waves[F: Float](
    x: F[*s],
    static boundary: str,
    static inverse: bool,
    static axis: size
) -> F[*s] where axis <= len(s) and _all_reach(s, 1, 1, boundary) =
    if axis == len(s) then x
    else
        let rows = _rows(x, axis)
        let n = max(extent(s, axis), 1)
        let found =
            if boundary == "periodic" then _hartley(rows) * (if inverse then 1.0 / n else 1.0)
            else if boundary == "dirichlet" then _sines(rows) * (
                if inverse then 0.5 / (n + 1) else 1.0
            )
            else if inverse then _cosines(rows, 3) * (0.5 / n) else _cosines(rows, 2)
        _waves(_back(found, s, axis), boundary, inverse, axis + 1)
# Σ x (cos + sin), its own inverse times n: the real form of the Fourier transform.
def _hartley[F: Float](x: F[q, n]) -> F[q, n] where n >= 1 =
    let (re, im) = _rfft(x)
    let upper = flip((re + im)[:, 1 : (n + 1) // 2], axis=1)
    concatenate((re - im, upper), axis=1)[:, :n]
# The eigenvalues of -Δ: the sum over the axes from one on.
def _squares[F: Float](
    static s: shape,
    h: F[len(s)],
    static boundary: str,
    static method: str,
    static axis: size
) -> F[*s] where axis <= len(s) =
    if axis == len(s) then zeros(s, F)
    else
        let n = max(extent(s, axis), 1)
        let k: F[*s] = iota(s, axis=axis, dtype=F)
        let angle =
            if boundary == "periodic" then minimum(k, n - k) * (2.0 * pi / n)
            else if boundary == "dirichlet" then (k + 1.0) * (pi / (n + 1)) else k * (pi / n)
        let wave = if method == "spectral" then angle else 2.0 * sin(0.5 * angle)
        (wave / h[axis]) ** 2 + _squares(s, h, boundary, method, axis + 1)
