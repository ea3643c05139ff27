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
def _piece[F: Float](x: F[n], t: F[q]) -> idx[n - 1][q] where n >= 2 =
    clip(searchsorted(x, t, side="right"), 1, n - 1) - 1
# Points moved into [low, high] as the policy says.
def _placed[F: Float](t: F[q], low: F, high: F, static outside: str) -> F[q] =
    if outside == "constant" then clip(t, low, high)
    else if outside == "periodic" then low + (t - low) % (high - low)
    else t
# nan outside, with the policy that asks for it.
def _masked[F: Float](found: F[q, m], t: F[q], low: F, high: F, static outside: str) -> F[q, m] =
    if outside == "nan" then where(((t >= low) & (t <= high))[:, None], found, nan) else found
def _flat[F: Float](y: F[n, *s]) -> F[n, prod(s)] = _shaped(y, [n, prod(s)])
def _shaped[F: Float](y: F[*t], static shape: shape) -> F[*shape] =
    intrinsic.reshape(y, shape=shape)
def _horner[F: Float](c: F[k, q, m], h: F[q], static j: size, y: F[q, m]) -> F[q, m] =
    if j >= k then y else _horner(c, h, j + 1, y * h[:, None] + c[j])

## The values at some points. Outside of the places, `outside` is "extend" (the polynomials at the ends), "constant" (the
## values at the ends), "nan" or "periodic". O(log n + k) for each point.
##
##     evaluate(cubic_spline(x, y), 0.5)
def evaluate[F: Float](
    p: Piecewise[F, k, n, *s],
    at: F[*t],
    *,
    static outside: str = "extend"
) -> F[*(t + s)]
    where n >= 2 else "there are at least two places"
    where _is_outside(
        outside
    ) else "`outside` is \"extend\", \"constant\", \"nan\" or \"periodic\"" =
    let points = ravel(at)
    let (low, high) = (p.x[0], p.x[n - 1])
    let inside = _placed(points, low, high, outside)
    let piece = _piece(p.x, inside)
    let c = _shaped(p.c, [k, n - 1, prod(s)])[:, piece]
    let found = _horner(c, inside - p.x[piece], 0, zeros([extent(t, none), prod(s)], F))
    _shaped(_masked(found, points, low, high, outside), t + s)
## Return the derivative, a piecewise polynomial of one degree less.
def derivative[F: Float](p: Piecewise[F, k, n, *s]) -> Piecewise[F, k - 1, n, *s]
    where n >= 1 and k >= 1 =
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
    {x = p.x, c = _shaped(concatenate((rows, starts[None])), [k + 1, n - 1, *s])}
## Return the integral from a to b; outside of the places the polynomials at the ends count.
def integral[F: Float](p: Piecewise[F, k, n, *s], a: F, b: F) -> F[*s] where n >= 2 =
    let whole = antiderivative(p)
    evaluate(whole, b) - evaluate(whole, a)

## Return the steps that take at each point the value of the nearest place: of the upper one half way.
def nearest[F: Float](x: F[n], y: F[n, *s]) -> Piecewise[F, 1, n + 1, *s] where n >= 1 =
    {x = concatenate((x[:1], 0.5 * (x[1:] + x[:-1]), x[n - 1 :])), c = y[None]}
## Return the steps that take at each point the value of the place at or before it.
def previous[F: Float](x: F[n], y: F[n, *s]) -> Piecewise[F, 1, n, *s] where n >= 2 =
    {x = x, c = y[None, : n - 1]}
## Return the straight lines between neighbours.
def linear[F: Float](x: F[n], y: F[n, *s]) -> Piecewise[F, 2, n, *s] where n >= 2 =
    let v = _flat(y)
    let slopes = (v[1:] - v[:-1]) / (x[1:] - x[:-1])[:, None]
    {x = x, c = _shaped(stack((slopes, v[:-1])), [2, n - 1, *s])}
## Return the cubics with these values and slopes at the places (Hermite).
def hermite[F: Float](x: F[n], y: F[n, *s], slopes: F[n, *s]) -> Piecewise[F, 4, n, *s]
    where n >= 2 =
    let (v, d) = (_flat(y), _flat(slopes))
    let h = (x[1:] - x[:-1])[:, None]
    let chord = (v[1:] - v[:-1]) / h
    let bend = (d[:-1] + d[1:] - 2.0 * chord) / h
    {
        x = x,
        c = _shaped(stack((bend / h, (chord - d[:-1]) / h - bend, d[:-1], v[:-1])), [4, n - 1, *s])
    }

static def _is_end(ends: str) -> bool = ends in ("not-a-knot", "natural", "clamped", "periodic")
## Return the cubic spline, with two continuous derivatives. `ends` closes the system: "not-a-knot" (the first two pieces
## are one cubic, and so are the last two), "natural" (second derivatives of 0), "clamped" (slopes of 0), or "periodic"
## (value and derivatives at both ends agree; y[n - 1] is taken to be y[0]). O(n), as
## scipy.interpolate.CubicSpline.
##
##     let p = cubic_spline(x, sin(x), ends="natural")
def cubic_spline[F: Float](
    x: F[n],
    y: F[n, *s],
    *,
    static ends: str = "not-a-knot"
) -> Piecewise[F, 4, n, *s]
    where n >= 2 else "there are at least two places"
    where _is_end(ends) else "`ends` is \"not-a-knot\", \"natural\", \"clamped\" or \"periodic\"" =
    let v = if ends == "periodic" then _flat(y).at[-1].set(_flat(y)[0]) else _flat(y)
    let h = x[1:] - x[:-1]
    let chord = (v[1:] - v[:-1]) / h[:, None]
    hermite(x, _shaped(v, [n, *s]), _shaped(_slopes(h, chord, ends), [n, *s]))
## Return the cubic spline with these slopes at both ends.
def cubic_spline[F: Float](
    x: F[n],
    y: F[n, *s],
    *,
    slopes: (F[*s], F[*s])
) -> Piecewise[F, 4, n, *s]
    where n >= 2 else "there are at least two places" =
    let v = _flat(y)
    let h = x[1:] - x[:-1]
    let chord = (v[1:] - v[:-1]) / h[:, None]
    hermite(
        x,
        y,
        _shaped(_bent(h, chord, (1.0, 0.0, ravel(slopes.0)), (0.0, 1.0, ravel(slopes.1))), [n, *s])
    )
def _slopes[F: Float](h: F[p], chord: F[p, m], static ends: str) -> F[p + 1, m] where p >= 1 =
    if ends == "natural" then _bent(
        h,
        chord,
        (2.0, 1.0, 3.0 * chord[0]),
        (1.0, 2.0, 3.0 * chord[p - 1])
    )
    else if ends == "clamped" then _bent(
        h,
        chord,
        (1.0, 0.0, zeros([m], F)),
        (0.0, 1.0, zeros([m], F))
    )
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
def _bent[F: Float](h: F[p], chord: F[p, m], first: (F, F, F[m]), last: (F, F, F[m])) -> F[p + 1, m]
    where p >= 1 =
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
        let found = _three(
            middle,
            h[1:],
            before[: p - 1],
            concatenate((right, around[:, None]), axis=1)
        )
        let z = found[:, m]
        let share = (
            (found[0, :m] + corner / first * found[p - 1, :m])
            / (1.0 + z[0] + corner / first * z[p - 1])
        )
        let slopes = found[:, :m] - z[:, None] * share[None, :]
        concatenate((slopes, slopes[:1]))
def _three[F: Float](middle: F[p], lower: F[p - 1], upper: F[p - 1], right: F[p, m]) -> F[p, m]
    where p >= 1 =
    let system = solve.tridiagonal(middle, lower, upper)
    [system.inverse(column) for column in right.T].T

## Return the cubics of Akima (1970), whose slopes depend on the two neighbours on both sides: no overshoot near flat
## parts. With `modified` the slopes are weighted so that they are flat where one side is (makima).
def akima[F: Float](
    x: F[n],
    y: F[n, *s],
    *,
    static modified: bool = false
) -> Piecewise[F, 4, n, *s]
    where n >= 2 else "there are at least two places" =
    let v = _flat(y)
    let chord = (v[1:] - v[:-1]) / (x[1:] - x[:-1])[:, None]
    hermite(
        x,
        y,
        _shaped(
            if n == 2 then broadcast_to(chord[:1], [n, prod(s)]) else _akima(chord, modified),
            [n, *s]
        )
    )
def _akima[F: Float](chord: F[p, m], static modified: bool) -> F[p + 1, m] where p >= 2 =
    let low = 2.0 * chord[0] - chord[1]
    let high = 2.0 * chord[p - 1] - chord[p - 2]
    let wide = concatenate(
        (stack((2.0 * low - chord[0], low)), chord, stack((high, 2.0 * high - chord[p - 1])))
    )
    let change = (
        abs(wide[1:] - wide[:-1])
        + (if modified then 0.5 * abs(wide[1:] + wide[:-1]) else zeros([p + 3, m], F))
    )
    let (left, right) = (change[2:], change[: p + 1])
    let total = left + right
    let kept = total > 1e-6 * max(concatenate((total, zeros([1, m], F))), axis=0)[None, :]
    let (before, after) = (wide[1 : p + 2], wide[2 : p + 3])
    where(
        kept,
        (left * before + right * after) / where(kept, total, 1.0),
        if modified then zeros([p + 1, m], F) else 0.5 * (before + after)
    )

## Return the cubics of Fritsch and Butland (1984), which are monotone where the values are (PCHIP).
def pchip[F: Float](x: F[n], y: F[n, *s]) -> Piecewise[F, 4, n, *s]
    where n >= 2 else "there are at least two places" =
    let v = _flat(y)
    let h = x[1:] - x[:-1]
    let chord = (v[1:] - v[:-1]) / h[:, None]
    hermite(
        x,
        y,
        _shaped(
            if n == 2 then broadcast_to(chord[:1], [n, prod(s)]) else _monotone(h, chord),
            [n, *s]
        )
    )
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
    where(
        slope * a <= 0.0,
        0.0,
        where((a * b <= 0.0) & (abs(slope) > 3.0 * abs(a)), 3.0 * a, slope)
    )

## Return the natural cubic spline f that makes Σ w (y - f(x))² + λ ∫ f''² smallest (Reinsch 1967), for λ = `penalty` > 0:
## as scipy.interpolate.make_smoothing_spline. O(n).
def smoothing_spline[F: Float](
    x: F[n],
    y: F[n, *s],
    weights: F[n] = ones([n], F),
    *,
    penalty: F
) -> Piecewise[F, 4, n, *s]
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
    let spread = (
        concatenate((a[:, None] * bend, nothing, nothing))
        + concatenate((nothing, b[:, None] * bend, nothing))
        + concatenate((nothing, nothing, c[:, None] * bend))
    )
    cubic_spline(x, _shaped(v - penalty * spread / weights[:, None], [n, *s]), ends="natural")
def _with_off_diagonals[F: Float](bands: F[5, q], near: F[q - 1], far: F[q - 1]) -> F[5, q]
    where q >= 1 =
    let last = if q >= 2 then far.at[-1].set(0.0) else far
    let zero = zeros([1], F)
    let further = roll(concatenate((zero, last)), 1)
    bands.at[1].set(
        concatenate((zero, near))
    ).at[3].set(concatenate((near, zero))).at[0].set(further).at[4].set(concatenate((last, zero)))

# ---------------------------------------------------------------- B-splines

## A spline of degree k as Σ c[i] B[i] over the knots, which do not decrease; its domain is knots[k] … knots[n].
type BSpline[F: Float, k, n, *s] = {knots: F[n + k + 1], c: F[n, *s]}

# The last knot at or before each point, of those where pieces of the domain begin; knots may be repeated at its ends.
def _cell[F: Float](knots: F[p], t: F[q], static k: size, static n: size) -> i32[q]
    where p == n + k + 1 and n >= k + 1 =
    let inner = knots[k : n + 1]
    let first = searchsorted(inner, inner[0], side="right") + (k - 1)
    let last = searchsorted(inner, inner[n - k], side="left") + (k - 1)
    clip(clip(searchsorted(inner, t, side="right") + (k - 1), first, last), k, n - 1)
# The knots around each point: those from `cell` + 1 - k to `cell` + k, column by column.
def _near[F: Float](knots: F[p], cell: i32[q], shift: i32) -> F[q] =
    knots.at[cell + shift].get(mode="clip")
# The values of the k + 1 functions that are not 0 in the cell of each point, by the recursion of Cox and de Boor.
def _values[F: Float](knots: F[p], t: F[q], cell: i32[q], static k: size) -> F[k + 1, q] =
    if k == 0 then ones([k + 1, q], F)
    else
        let lower = _values(knots, t, cell, k - 1)
        let parts = [
            let left = _near(knots, cell, j + 1 - k)
            let right = _near(knots, cell, j + 1)
            let width = right - left
            lower[j] / where(width > 0.0, width, 1.0)
            for j in range(k)
        ]
        let ups = [(t - _near(knots, cell, j + 1 - k)) * parts[j] for j in range(k)]
        let downs = [(_near(knots, cell, j + 1) - t) * parts[j] for j in range(k)]
        let zero = zeros([1, q], F)
        concatenate((downs, zero)) + concatenate((zero, ups))

## The values of all n B-splines of a degree over the knots, in a row for each point; outside of the domain the
## polynomials at the ends go on. Each row adds up to 1.
def basis[F: Float](knots: F[p], at: F[q], static degree: size) -> F[q, p - degree - 1]
    where p >= 2 * degree + 2 else "there are at least 2 degree + 2 knots" =
    let cell = _cell(knots, at, degree, p - degree - 1)
    let values = _values(knots, at, cell, degree)
    let columns = [cell + (j - degree) for j in range(degree + 1)]
    zeros([q, p - degree - 1], F).at[
        broadcast_to(iota([q])[:, None], [q, degree + 1]),
        columns.T
    ].set(values.T, mode="drop")
## The values at some points. Outside of the domain, `outside` is "extend" (the polynomials at the ends), "constant" (the
## values at the ends), "nan" or "periodic". O(log n + k²) for each point.
def evaluate[F: Float](
    b: BSpline[F, k, n, *s],
    at: F[*t],
    *,
    static outside: str = "extend"
) -> F[*(t + s)]
    where n >= k + 1 else "there are more coefficients than the degree"
    where _is_outside(
        outside
    ) else "`outside` is \"extend\", \"constant\", \"nan\" or \"periodic\"" =
    let points = ravel(at)
    let (low, high) = (b.knots[k], b.knots[n])
    let inside = _placed(points, low, high, outside)
    let cell = _cell(b.knots, inside, k, n)
    let values = _values(b.knots, inside, cell, k)
    let c = _flat(b.c)
    let found = fold total = zeros([extent(t, none), prod(s)], F) for j in range(k + 1) do
        total + values[j][:, None] * c.at[cell + (j - k)].get(mode="clip")
    _shaped(_masked(found, points, low, high, outside), t + s)
## Return the derivative, a spline of one degree less.
def derivative[F: Float](b: BSpline[F, k, n, *s]) -> BSpline[F, k - 1, n - 1, *s]
    where k >= 1 and n >= 1 =
    let width = b.knots[k + 1 : n + k] - b.knots[1:n]
    let c = _flat(b.c)
    let steps = cast(k, F) * (c[1:] - c[:-1]) / where(width > 0.0, width, 1.0)[:, None]
    {
        knots = b.knots[1 : n + k],
        c = _shaped(where((width > 0.0)[:, None], steps, 0.0), [n - 1, *s])
    }
## Return the integral from the first knot, a spline of one degree more.
def antiderivative[F: Float](b: BSpline[F, k, n, *s]) -> BSpline[F, k + 1, n + 1, *s] =
    let width = b.knots[k + 1 :] - b.knots[:n]
    let sums = cumsum(_flat(b.c) * width[:, None], axis=0) / cast(k + 1, F)
    let knots = concatenate((b.knots[:1], b.knots, b.knots[n + k :]))
    {knots = knots, c = _shaped(concatenate((zeros([1, prod(s)], F), sums)), [n + 1, *s])}
## Return the integral from a to b; outside of the domain the polynomials at the ends count.
def integral[F: Float](b: BSpline[F, k, n, *s], a: F, to: F) -> F[*s] where n >= k + 1 =
    let whole = antiderivative(b)
    evaluate(whole, to) - evaluate(whole, a)

## Return the knots of a spline through values at n places: the ends degree + 1 times, between them the places (odd
## degrees) or the middles (even ones), without those next to the ends. For cubics this is "not-a-knot".
def knots_of[F: Float](x: F[n], static degree: size) -> F[n + degree + 1]
    where n >= degree + 1 else "there are more places than the degree" =
    let low = broadcast_to(x[:1], [degree + 1])
    let high = broadcast_to(x[n - 1 :], [degree + 1])
    if degree % 2 == 1 then concatenate((low, x[(degree + 1) // 2 : n - (degree + 1) // 2], high))
    else
        let middle = 0.5 * (x[1:] + x[:-1])
        concatenate((low, middle[degree // 2 : n - 1 - degree // 2], high))
## Return the spline of a degree through the values, over `knots_of` the places: as
## scipy.interpolate.make_interp_spline. O(n k²), without pivots.
##
##     let b = bspline(x, y, degree=5)
def bspline[F: Float](x: F[n], y: F[n, *s], *, static degree: size = 3) -> BSpline[F, degree, n, *s]
    where n >= degree + 1 else "there are more places than the degree" =
    let knots = knots_of(x, degree)
    let c = _through(knots, x, _flat(y), degree)
    {knots = knots, c = _shaped(c, [n, *s])}
## Return the spline through the values over these knots, of which as many functions as there are places are left; place
## i lies between the knots i and i + degree + 1 (Schoenberg and Whitney 1953).
def bspline[F: Float](
    x: F[n],
    y: F[n, *s],
    knots: F[n + degree + 1],
    *,
    static degree: size = 3
) -> BSpline[F, degree, n, *s]
    where n >= degree + 1 else "there are more places than the degree" =
    {knots = knots, c = _shaped(_through(knots, x, _flat(y), degree), [n, *s])}
def _through[F: Float](knots: F[p], x: F[n], y: F[n, m], static k: size) -> F[n, m]
    where p == n + k + 1 and n >= k + 1 =
    let cell = _cell(knots, x, k, n)
    let values = _values(knots, x, cell, k)
    let bands = fold bands = zeros([2 * k + 1, n], F) for j in range(k + 1) do
        let column = cell + (j - k)
        bands.at[k + iota([n]) - column, column].add(values[j], mode="drop")
    let system = solve.banded(bands, k, k)
    [system.inverse(column) for column in y.T].T
## Return the spline over these knots that makes Σ w (y - f(x))² smallest, for points in any number: as
## scipy.interpolate.make_lsq_spline. O((q + n) k²) by normal equations.
def fit_bspline[F: Float](
    x: F[q],
    y: F[q, *s],
    knots: F[p],
    weights: F[q] = ones([q], F),
    *,
    static degree: size = 3
) -> BSpline[F, degree, p - degree - 1, *s]
    where p >= 2 * degree + 2 else "there are at least 2 degree + 2 knots" =
    let n = p - degree - 1
    let v = _flat(y)
    let cell = _cell(knots, x, degree, n)
    let values = _values(knots, x, cell, degree)
    let (bands, right) =
        fold (bands, right) = (
            zeros([2 * degree + 1, n], F),
            zeros([n, prod(s)], F)
        ) for i in range(degree + 1) do
            let row = cell + (i - degree)
            let weighted = weights * values[i]
            let more = fold bands = bands for j in range(degree + 1) do
                let column = cell + (j - degree)
                bands.at[degree + row - column, column].add(weighted * values[j], mode="drop")
            (more, right.at[row].add(weighted[:, None] * v, mode="drop"))
    let system = solve.banded(bands, degree, degree)
    {knots = knots, c = _shaped([system.inverse(column) for column in right.T].T, [n, *s])}

# ---------------------------------------------------------------- regular grids

## A tensor product of splines of degree k in two dimensions.
type Surface[F: Float, k, n, m, *s] = {knots: (F[n + k + 1], F[m + k + 1]), c: F[n, m, *s]}
## A tensor product of splines of degree k in three dimensions.
type Volume[F: Float, k, n, m, l, *s] = {
    knots: (F[n + k + 1], F[m + k + 1], F[l + k + 1]),
    c: F[n, m, l, *s]
}

## Return the spline through values on a grid of two axes: bilinear for degree 1, bicubic for 3. O(n m k²).
def on_grid[F: Float](
    axes: (F[n], F[m]),
    values: F[n, m, *s],
    *,
    static degree: size = 1
) -> Surface[F, degree, n, m, *s]
    where n >= degree + 1 and m >= degree + 1 else "there are more places along each axis than the degree" =
    let (x, y) = axes
    let first = bspline(x, _shaped(values, [n, m * prod(s)]), degree=degree).c
    let turned = _shaped(transpose(_shaped(first, [n, m, prod(s)]), (1, 0, 2)), [m, n * prod(s)])
    let c = transpose(_shaped(bspline(y, turned, degree=degree).c, [m, n, prod(s)]), (1, 0, 2))
    {knots = (knots_of(x, degree), knots_of(y, degree)), c = _shaped(c, [n, m, *s])}
## Return the spline through values on a grid of three axes: trilinear for degree 1, tricubic for 3.
def on_grid[F: Float](
    axes: (F[n], F[m], F[l]),
    values: F[n, m, l, *s],
    *,
    static degree: size = 1
) -> Volume[F, degree, n, m, l, *s]
    where n >= degree + 1 and m >= degree + 1 and l >= degree + 1 else "there are more places along each axis than the degree" =
    let (x, y, z) = axes
    let first = bspline(x, _shaped(values, [n, m * l * prod(s)]), degree=degree).c
    let turned = _shaped(
        transpose(_shaped(first, [n, m * l, prod(s)]), (1, 2, 0)),
        [m, l, prod(s) * n]
    )
    let inner = on_grid((y, z), turned, degree=degree)
    let c = transpose(_shaped(inner.c, [m * l, prod(s), n]), (2, 0, 1))
    {knots = (knots_of(x, degree), inner.knots.0, inner.knots.1), c = _shaped(c, [n, m, l, *s])}
def _outside_of[F: Float](knots: F[p], t: F[q], static k: size, static outside: str) -> bool[q]
    where p >= 2 * k + 2 =
    if outside == "nan" then (t < knots[k]) | (t > knots[p - k - 1]) else zeros([q], bool)
def _located[F: Float](
    knots: F[p],
    t: F[q],
    static k: size,
    static outside: str
) -> (F[k + 1, q], i32[q]) where p >= 2 * k + 2 =
    let inside = _placed(t, knots[k], knots[p - k - 1], outside)
    let cell = _cell(knots, inside, k, p - k - 1)
    (_values(knots, inside, cell, k), cell)
## The values at points (x, y). O(log n + log m + k²) for each point.
def evaluate[F: Float](
    g: Surface[F, k, n, m, *s],
    at: (F[*t], F[*t]),
    *,
    static outside: str = "extend"
) -> F[*(t + s)]
    where n >= k + 1 and m >= k + 1 else "there are more coefficients along each axis than the degree"
    where _is_outside(
        outside
    ) else "`outside` is \"extend\", \"constant\", \"nan\" or \"periodic\"" =
    let (x, y) = (ravel(at.0), ravel(at.1))
    let (a, row) = _located(g.knots.0, x, k, outside)
    let (b, column) = _located(g.knots.1, y, k, outside)
    let c = _shaped(g.c, [n, m, prod(s)])
    let found = fold total = zeros([extent(t, none), prod(s)], F) for i in range(k + 1) do
        fold total = total for j in range(k + 1) do
            total + (a[i] * b[j])[:, None] * c.at[row + (i - k), column + (j - k)].get(mode="clip")
    let beyond = _outside_of(g.knots.0, x, k, outside) | _outside_of(g.knots.1, y, k, outside)
    _shaped(where(beyond[:, None], nan, found), t + s)
## The values at points (x, y, z).
def evaluate[F: Float](
    g: Volume[F, k, n, m, l, *s],
    at: (F[*t], F[*t], F[*t]),
    *,
    static outside: str = "extend"
) -> F[*(t + s)]
    where n >= k + 1 and m >= k + 1 and l >= k + 1 else "there are more coefficients along each axis than the degree"
    where _is_outside(
        outside
    ) else "`outside` is \"extend\", \"constant\", \"nan\" or \"periodic\"" =
    let (x, y, z) = (ravel(at.0), ravel(at.1), ravel(at.2))
    let (a, row) = _located(g.knots.0, x, k, outside)
    let (b, column) = _located(g.knots.1, y, k, outside)
    let (d, layer) = _located(g.knots.2, z, k, outside)
    let c = _shaped(g.c, [n, m, l, prod(s)])
    let found = fold total = zeros([extent(t, none), prod(s)], F) for i in range(k + 1) do
        fold total = total for j in range(k + 1) do
            fold total = total for h in range(k + 1) do
                (
                    total
                    + (a[i] * b[j] * d[h])[:, None] * c.at[
                        row + (i - k),
                        column + (j - k),
                        layer + (h - k)
                    ].get(mode="clip")
                )
    let beyond = (
        _outside_of(g.knots.0, x, k, outside)
        | _outside_of(g.knots.1, y, k, outside)
        | _outside_of(g.knots.2, z, k, outside)
    )
    _shaped(where(beyond[:, None], nan, found), t + s)

# ---------------------------------------------------------------- polynomials by their values

## The polynomial of degree n - 1 through values at n different places, in any order, with its barycentric weights.
type Lagrange[F: Float, n, *s] = {x: F[n], y: F[n, *s], weights: F[n], scale: F}

## Return the polynomial through the values. O(n²), without a system of equations; for many places take Chebyshev's,
## equal distances amplify errors by 2^n.
def lagrange[F: Float](x: F[n], y: F[n, *s]) -> Lagrange[F, n, *s] where n >= 1 =
    let width = max(x) - min(x)
    let scale = stop_gradient(where(width > 0.0, 4.0 / where(width > 0.0, width, 1.0), 1.0))
    let gaps = [
        [if i == j then cast(1.0, F) else scale * (x[i] - x[j]) for j in range(n)]
        for i in range(n)
    ]
    {x = x, y = y, weights = 1.0 / prod(gaps, axis=1), scale = scale}
## The values at some points, at places too: products of differences, in O(n) for each point.
def evaluate[F: Float](p: Lagrange[F, n, *s], at: F[*t]) -> F[*(t + s)] where n >= 1 =
    let gaps = p.scale * (ravel(at)[:, None] - p.x[None, :])
    let one = ones([extent(t, none), 1], F)
    let before = _products(concatenate((one, gaps[:, : n - 1]), axis=1))
    let after = flip(_products(flip(concatenate((gaps[:, 1:], one), axis=1), axis=1)), axis=1)
    _shaped((before * after * p.weights[None, :]) @ _flat(p.y), t + s)
def _products[F: Float](x: F[q, n]) -> F[q, n] where n >= 1 =
    let (_, all) = scan now = ones([q], F) for column in x.T do
        let next = now * column
        (next, next)
    all.T
## Return the derivative at the places, as the polynomial through those values.
def derivative[F: Float](p: Lagrange[F, n, *s]) -> Lagrange[F, n, *s] where n >= 1 =
    {p with y = _shaped(slopes_between(p.x) @ _flat(p.y), [n, *s])}
## Return the matrix that maps the values of a polynomial at n different places to its derivatives there.
def slopes_between[F: Float](x: F[n]) -> F[n, n] where n >= 1 =
    let w = lagrange(x, x).weights
    let off = [
        [if i == j then cast(0.0, F) else w[j] / (w[i] * (x[i] - x[j])) for j in range(n)]
        for i in range(n)
    ]
    off - diag(sum(off, axis=1))
## Return the integral from a to b, exact up to rounding: by Gauss' quadrature with n // 2 + 1 points.
def integral[F: Float](p: Lagrange[F, n, *s], a: F, b: F) -> F[*s] where n >= 1 =
    let flat = {x = p.x, y = _flat(p.y), weights = p.weights, scale = p.scale}
    _shaped(solve.quadrature(fn (t: F) -> evaluate(flat, t), a, b, n=n // 2 + 1), s)

# ---------------------------------------------------------------- radial functions

## A sum of radial functions around n centres and a linear polynomial. `kernel` takes squares of distances.
type Radial[F: Float, n, d, *s] = {
    centres: F[n, d],
    weights: F[n, *s],
    linear: F[d + 1, *s],
    kernel: (F) -> F
}

static def _is_kernel(kernel: str) -> bool =
    kernel in (
        "linear",
        "thin_plate_spline",
        "cubic",
        "quintic",
        "multiquadric",
        "inverse_multiquadric",
        "inverse_quadratic",
        "gaussian"
    )
def _kernel[F: Float](r2: F, scale: F, static kernel: str) -> F =
    let e2 = scale * scale * r2
    let safe = where(e2 > 0.0, e2, 1.0)
    let r = where(e2 > 0.0, sqrt(safe), 0.0)
    if kernel == "linear" then -r
    else if kernel == "thin_plate_spline" then where(e2 > 0.0, 0.5 * e2 * log(safe), 0.0)
    else if kernel == "cubic" then e2 * r
    else if kernel == "quintic" then -(e2 * e2 * r)
    else if kernel == "multiquadric" then -sqrt(1.0 + e2)
    else if kernel == "inverse_multiquadric" then 1.0 / sqrt(1.0 + e2)
    else if kernel == "inverse_quadratic" then 1.0 / (1.0 + e2)
    else exp(-e2)
## Return the sum of radial functions and a linear polynomial through values at n points of d dimensions, which do not
## lie in a plane: as scipy.interpolate.RBFInterpolator with degree=1. `scale` multiplies distances; a `smoothing` above 0
## lets the sum pass by the values. One dense system: O(n³).
def radial[F: Float](
    points: F[n, d],
    values: F[n, *s],
    *,
    static kernel: str = "thin_plate_spline",
    scale: F = 1.0,
    smoothing: F = 0.0
) -> Radial[F, n, d, *s]
    where n >= d + 1 else "there are more points than dimensions"
    where _is_kernel(
        kernel
    ) else "the kernel is \"linear\", \"thin_plate_spline\", \"cubic\", \"quintic\", \"multiquadric\", \"inverse_multiquadric\", \"inverse_quadratic\" or \"gaussian\"" =
    let phi = fn (r2: F) -> _kernel(r2, scale, kernel)
    let near = [[phi(sum((a - b) ** 2)) for b in points] for a in points]
    let tail = concatenate((ones([n, 1], F), points), axis=1)
    let upper = concatenate((near + smoothing * eye(n, F), tail), axis=1)
    let lower = concatenate((tail.T, zeros([d + 1, d + 1], F)), axis=1)
    let right = concatenate((_flat(values), zeros([d + 1, prod(s)], F)))
    let found = linalg.solve(concatenate((upper, lower)), right)
    {
        centres = points,
        weights = _shaped(found[:n], [n, *s]),
        linear = _shaped(found[n:], [d + 1, *s]),
        kernel = phi
    }
## The values at points, which are rows. O(n d) for each.
def evaluate[F: Float](f: Radial[F, n, d, *s], at: F[q, d]) -> F[q, *s] =
    let near = [[f.kernel(sum((a - b) ** 2)) for b in f.centres] for a in at]
    let tail = concatenate((ones([q, 1], F), at), axis=1)
    _shaped(near @ _flat(f.weights) + tail @ _flat(f.linear), [q, *s])
