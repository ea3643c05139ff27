# Interpolation: piecewise polynomials, B-splines in one to three dimensions, polynomials by their values, radial
# functions, smoothing. An interpolant is a record; `evaluate`, `derivative`, `antiderivative` and `integral` take it.
# Values may be arrays: y[i] has the shape s for every point, and so has the result at each place. Places x increase.
# Everything is differentiable in values, in places and in the points of evaluation; which piece a point lies in is found
# by binary search, in O(log n), and is a constant of derivatives.

import linalg
import solve

# ---------------------------------------------------------------- piecewise polynomials

## A piecewise polynomial of degree k - 1 between n places: on the piece i it is Σ c[j, i] (t - x[i])^(k - 1 - j).
type Piecewise[F: Float, k, n, *s] = {x: F[n], c: F[k, n - 1, *s]}

static def _is_outside(outside: str) -> bool = outside in ("extend", "constant", "nan", "periodic")
# The piece of each point among n increasing places: the first for points below, the last for those above.
def _piece[F: Float](x: F[n], t: F[q]) -> idx[n - 1][q] where n >= 2 = clip(searchsorted(x, t, side="right"), 1, n - 1) - 1
# Points moved into [low, high] as the policy says.
def _placed[F: Float](t: F[q], low: F, high: F, static outside: str) -> F[q] =
    if outside == "constant" then clip(t, low, high)
    else if outside == "periodic" then low + (t - low) % (high - low)
    else t
# nan outside, with the policy that asks for it.
def _masked[F: Float](found: F[q, m], t: F[q], low: F, high: F, static outside: str) -> F[q, m] =
    if outside == "nan" then where(((t >= low) & (t <= high))[:, None], found, nan) else found
def _flat[F: Float](y: F[n, *s]) -> F[n, prod(s)] = intrinsic.reshape(y, shape=[n, prod(s)])
def _shaped[F: Float](y: F[*t], static shape: shape) -> F[*shape] = intrinsic.reshape(y, shape=shape)
def _horner[F: Float](c: F[k, q, m], h: F[q], static j: size, y: F[q, m]) -> F[q, m] =
    if j >= k then y else _horner(c, h, j + 1, y * h[:, None] + c[j])

## The values at some points. Outside of the places, `outside` is "extend" (the polynomials at the ends), "constant" (the
## values at the ends), "nan" or "periodic". O(log n + k) for each point.
##
##     evaluate(cubic_spline(x, y), 0.5)
def evaluate[F: Float](p: Piecewise[F, k, n, *s], at: F[*t], *, static outside: str = "extend") -> F[*(t + s)]
    where n >= 2 else "there are at least two places"
    where _is_outside(outside) else "`outside` is \"extend\", \"constant\", \"nan\" or \"periodic\"" =
    let points = ravel(at)
    let (low, high) = (p.x[0], p.x[n - 1])
    let inside = _placed(points, low, high, outside)
    let piece = _piece(p.x, inside)
    let c = _shaped(p.c, [k, n - 1, prod(s)])[:, piece]
    let found = _horner(c, inside - p.x[piece], 0, zeros([extent(t, none), prod(s)], F))
    _shaped(_masked(found, points, low, high, outside), t + s)
## Return the derivative, a piecewise polynomial of one degree less.
def derivative[F: Float](p: Piecewise[F, k, n, *s]) -> Piecewise[F, k - 1, n, *s] where n >= 1 and k >= 1 =
    let rows = [cast(k - 1 - j, F) * p.c[j] for j in range(k - 1)]
    {x = p.x, c = rows}
## Return the integral from the first place, a piecewise polynomial of one degree more.
def antiderivative[F: Float](p: Piecewise[F, k, n, *s]) -> Piecewise[F, k + 1, n, *s] where n >= 2 =
    let c = _shaped(p.c, [k, n - 1, prod(s)])
    let rows = [c[j] / cast(k - j, F) for j in range(k)]
    let h = p.x[1:] - p.x[:-1]
    let zero = zeros([n - 1, prod(s)], F)
    let pieces = _horner(concatenate((rows, zero[None])), h, 0, zero)
    let starts = cumsum(concatenate((zeros([1, prod(s)], F), pieces[:-1])), axis=0)
    {x = p.x, c = _shaped(concatenate((rows, starts[None])), [k + 1, n - 1] + s)}
## Return the integral from a to b; outside of the places the polynomials at the ends count.
def integral[F: Float](p: Piecewise[F, k, n, *s], a: F, b: F) -> F[*s] where n >= 2 =
    let whole = antiderivative(p)
    evaluate(whole, b) - evaluate(whole, a)

## Return the steps that take at each point the value of the nearest place: of the upper one half way.
def nearest[F: Float](x: F[n], y: F[n, *s]) -> Piecewise[F, 1, n + 1, *s] where n >= 1 =
    {x = concatenate((x[:1], 0.5 * (x[1:] + x[:-1]), x[n - 1 :])), c = y[None]}
## Return the steps that take at each point the value of the place at or before it.
def previous[F: Float](x: F[n], y: F[n, *s]) -> Piecewise[F, 1, n, *s] where n >= 2 = {x = x, c = y[None, : n - 1]}
## Return the straight lines between neighbours.
def linear[F: Float](x: F[n], y: F[n, *s]) -> Piecewise[F, 2, n, *s] where n >= 2 =
    let v = _flat(y)
    let slopes = (v[1:] - v[:-1]) / (x[1:] - x[:-1])[:, None]
    {x = x, c = _shaped(stack((slopes, v[:-1])), [2, n - 1] + s)}
## Return the cubics with these values and slopes at the places (Hermite).
def hermite[F: Float](x: F[n], y: F[n, *s], slopes: F[n, *s]) -> Piecewise[F, 4, n, *s] where n >= 2 =
    let (v, d) = (_flat(y), _flat(slopes))
    let h = (x[1:] - x[:-1])[:, None]
    let chord = (v[1:] - v[:-1]) / h
    let bend = (d[:-1] + d[1:] - 2.0 * chord) / h
    {x = x, c = _shaped(stack((bend / h, (chord - d[:-1]) / h - bend, d[:-1], v[:-1])), [4, n - 1] + s)}

static def _is_end(ends: str) -> bool = ends in ("not-a-knot", "natural", "clamped", "periodic")
## Return the cubic spline, with two continuous derivatives. `ends` closes the system: "not-a-knot" (the first two pieces
## are one cubic, and so are the last two), "natural" (second derivatives of 0), "clamped" (slopes of 0), or "periodic"
## (value and derivatives at both ends agree; y[n - 1] is taken to be y[0]). O(n), as
## scipy.interpolate.CubicSpline.
##
##     let p = cubic_spline(x, sin(x), ends="natural")
def cubic_spline[F: Float](x: F[n], y: F[n, *s], *, static ends: str = "not-a-knot") -> Piecewise[F, 4, n, *s]
    where n >= 2 else "there are at least two places"
    where _is_end(ends) else "`ends` is \"not-a-knot\", \"natural\", \"clamped\" or \"periodic\"" =
    let v = if ends == "periodic" then _flat(y).at[-1].set(_flat(y)[0]) else _flat(y)
    let h = x[1:] - x[:-1]
    let chord = (v[1:] - v[:-1]) / h[:, None]
    hermite(x, _shaped(v, [n] + s), _shaped(_slopes(h, chord, ends), [n] + s))
## Return the cubic spline with these slopes at both ends.
def cubic_spline[F: Float](x: F[n], y: F[n, *s], *, slopes: (F[*s], F[*s])) -> Piecewise[F, 4, n, *s]
    where n >= 2 else "there are at least two places" =
    let v = _flat(y)
    let h = x[1:] - x[:-1]
    let chord = (v[1:] - v[:-1]) / h[:, None]
    hermite(x, y, _shaped(_bent(h, chord, (1.0, 0.0, ravel(slopes.0)), (0.0, 1.0, ravel(slopes.1))), [n] + s))
def _slopes[F: Float](h: F[p], chord: F[p, m], static ends: str) -> F[p + 1, m] where p >= 1 =
    if ends == "natural" then _bent(h, chord, (2.0, 1.0, 3.0 * chord[0]), (1.0, 2.0, 3.0 * chord[p - 1]))
    else if ends == "clamped" then _bent(h, chord, (1.0, 0.0, zeros([m], F)), (0.0, 1.0, zeros([m], F)))
    else if ends == "periodic" then _round(h, chord)
    else if p == 1 then broadcast_to(chord[:1], [p + 1, m])
    else if p == 2 then _parabola(h, chord)
    else
        let (a, b) = (h[0], h[1])
        let (c, d) = (h[p - 1], h[p - 2])
        let first = ((a + 2.0 * (a + b)) * b * chord[0] + a * a * chord[1]) / (a + b)
        let last = ((c + 2.0 * (c + d)) * d * chord[p - 1] + c * c * chord[p - 2]) / (c + d)
        _bent(h, chord, (b, a + b, first), (c + d, d, last))
def _parabola[F: Float](h: F[p], chord: F[p, m]) -> F[p + 1, m] where p == 2 =
    let bend = (chord[1] - chord[0]) / (h[0] + h[1])
    stack((chord[0] - bend * h[0], chord[0] + bend * h[0], chord[1] + bend * h[1]))
# The slopes of continuous second derivatives, with an equation for each end: its two coefficients and right side.
def _bent[F: Float](h: F[p], chord: F[p, m], first: (F, F, F[m]), last: (F, F, F[m])) -> F[p + 1, m] where p >= 1 =
    let (before, after) = (h[:-1], h[1:])
    let middle = concatenate((first.0[None], 2.0 * (before + after), last.1[None]))
    let lower = concatenate((after, last.0[None]))
    let upper = concatenate((first.1[None], before))
    let inner = 3.0 * (after[:, None] * chord[:-1] + before[:, None] * chord[1:])
    let right = concatenate((first.2[None], inner, last.2[None]))
    let system = solve.tridiagonal(middle, lower, upper)
    [system.inverse(column) for column in right.T].T
# The same on a circle of p pieces: three diagonals and two corners, which are a change of rank one.
def _round[F: Float](h: F[p], chord: F[p, m]) -> F[p + 1, m] where p >= 1 =
    if p == 1 then zeros([p + 1, m], F)
    else
        let before = roll(h, 1)
        let right = 3.0 * (h[:, None] * roll(chord, 1, axis=0) + before[:, None] * chord)
        let diagonal = 2.0 * (h + before)
        let (corner, other) = (h[0], before[p - 1])
        let first = -diagonal[0]
        let middle = diagonal.at[0].add(-first).at[-1].add(-corner * other / first)
        let around = zeros([p], F).at[0].set(first).at[-1].set(other)
        let found = _three(middle, h[1:], before[: p - 1], concatenate((right, around[:, None]), axis=1))
        let z = found[:, m]
        let share = (found[0, :m] + corner / first * found[p - 1, :m]) / (1.0 + z[0] + corner / first * z[p - 1])
        let slopes = found[:, :m] - z[:, None] * share[None, :]
        concatenate((slopes, slopes[:1]))
def _three[F: Float](middle: F[p], lower: F[p - 1], upper: F[p - 1], right: F[p, m]) -> F[p, m] where p >= 1 =
    let system = solve.tridiagonal(middle, lower, upper)
    [system.inverse(column) for column in right.T].T

## Return the cubics of Akima (1970), whose slopes depend on the two neighbours on both sides: no overshoot near flat
## parts. With `modified` the slopes are weighted so that they are flat where one side is (makima).
def akima[F: Float](x: F[n], y: F[n, *s], *, static modified: bool = false) -> Piecewise[F, 4, n, *s]
    where n >= 2 else "there are at least two places" =
    let v = _flat(y)
    let chord = (v[1:] - v[:-1]) / (x[1:] - x[:-1])[:, None]
    hermite(x, y, _shaped(if n == 2 then broadcast_to(chord[:1], [n, prod(s)]) else _akima(chord, modified), [n] + s))
def _akima[F: Float](chord: F[p, m], static modified: bool) -> F[p + 1, m] where p >= 2 =
    let low = 2.0 * chord[0] - chord[1]
    let high = 2.0 * chord[p - 1] - chord[p - 2]
    let wide = concatenate((stack((2.0 * low - chord[0], low)), chord, stack((high, 2.0 * high - chord[p - 1]))))
    let change = abs(wide[1:] - wide[:-1]) + (if modified then 0.5 * abs(wide[1:] + wide[:-1]) else zeros([p + 3, m], F))
    let (left, right) = (change[2:], change[: p + 1])
    let total = left + right
    let kept = total > 1e-6 * max(concatenate((total, zeros([1, m], F))), axis=0)[None, :]
    let (before, after) = (wide[1 : p + 2], wide[2 : p + 3])
    where(kept, (left * before + right * after) / where(kept, total, 1.0), if modified then zeros([p + 1, m], F) else 0.5 * (before + after))

## Return the cubics of Fritsch and Butland (1984), which are monotone where the values are (PCHIP).
def pchip[F: Float](x: F[n], y: F[n, *s]) -> Piecewise[F, 4, n, *s] where n >= 2 else "there are at least two places" =
    let v = _flat(y)
    let h = x[1:] - x[:-1]
    let chord = (v[1:] - v[:-1]) / h[:, None]
    hermite(x, y, _shaped(if n == 2 then broadcast_to(chord[:1], [n, prod(s)]) else _monotone(h, chord), [n] + s))
def _monotone[F: Float](h: F[p], chord: F[p, m]) -> F[p + 1, m] where p >= 2 =
    let (a, b) = (chord[:-1], chord[1:])
    let (u, w) = ((2.0 * h[1:] + h[:-1])[:, None], (h[1:] + 2.0 * h[:-1])[:, None])
    let alike = a * b > 0.0
    let inner = where(alike, (u + w) / (u / where(alike, a, 1.0) + w / where(alike, b, 1.0)), 0.0)
    let first = _one_sided(h[0], h[1], chord[0], chord[1])
    let last = _one_sided(h[p - 1], h[p - 2], chord[p - 1], chord[p - 2])
    concatenate((first[None], inner, last[None]))
def _one_sided[F: Float](h: F, g: F, a: F[m], b: F[m]) -> F[m] =
    let slope = ((2.0 * h + g) * a - h * b) / (h + g)
    where(slope * a <= 0.0, 0.0, where((a * b <= 0.0) & (abs(slope) > 3.0 * abs(a)), 3.0 * a, slope))

## Return the natural cubic spline f that makes Σ w (y - f(x))² + λ ∫ f''² smallest (Reinsch 1967), for λ = `penalty` > 0:
## as scipy.interpolate.make_smoothing_spline. O(n).
def smoothing_spline[F: Float](x: F[n], y: F[n, *s], weights: F[n] = ones([n], F), *, penalty: F) -> Piecewise[F, 4, n, *s]
    where n >= 3 else "there are at least three places" =
    let v = _flat(y)
    let h = x[1:] - x[:-1]
    let (a, c) = (1.0 / h[:-1], 1.0 / h[1:])
    let b = -(a + c)
    let (p, q, r) = (1.0 / weights[: n - 2], 1.0 / weights[1 : n - 1], 1.0 / weights[2:])
    let middle = (h[:-1] + h[1:]) / 3.0 + penalty * (a * a * p + b * b * q + c * c * r)
    let near = h[1 : n - 2] / 6.0 + penalty * (b[:-1] * a[1:] * q[:-1] + c[:-1] * b[1:] * r[:-1])
    let far = penalty * c[: n - 3] * a[1:] * r[: n - 3]
    let bands = zeros([5, n - 2], F).at[2].set(middle)
    let wide = _with_off_diagonals(bands, near, far)
    let right = c[:, None] * (v[2:] - v[1:-1]) - a[:, None] * (v[1:-1] - v[:-2])
    let system = solve.banded(wide, 2, 2)
    let bend = [column for column in [system.inverse(column) for column in right.T]].T
    let nothing = zeros([1, prod(s)], F)
    let spread = concatenate((a[:, None] * bend, nothing, nothing)) + concatenate((nothing, b[:, None] * bend, nothing)) + concatenate((nothing, nothing, c[:, None] * bend))
    cubic_spline(x, _shaped(v - penalty * spread / weights[:, None], [n] + s), ends="natural")
def _with_off_diagonals[F: Float](bands: F[5, q], near: F[q - 1], far: F[q - 1]) -> F[5, q] where q >= 1 =
    let last = if q >= 2 then far.at[-1].set(0.0) else far
    let zero = zeros([1], F)
    let further = roll(concatenate((zero, last)), 1)
    bands.at[1].set(concatenate((zero, near))).at[3].set(concatenate((near, zero))).at[0].set(further).at[4].set(concatenate((last, zero)))
