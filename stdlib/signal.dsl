# Signals, sampled at equal distances along the last axis: convolution, windows, filters and their design, spectra,
# resampling, smoothing, peaks. Named as in scipy.signal. Frequencies are in units of `fs`, the sampling rate; filters are
# second-order sections in rows [b0, b1, b2, 1, a1, a2], or coefficients b and a of z^0, z^-1, …

import fft
import linalg
import special

# ---------------------------------------------------------------- real transforms of any float dtype

def _shaped[F: Any](x: F[*t], static shape: shape) -> F[*shape] = intrinsic.reshape(x, shape=shape)
def _rows[F: Any](x: F[*s, n]) -> F[prod(s), n] = _shaped(x, [prod(s), n])
def _complex[F: Float](re: F[*s], im: F[*s]) -> complex_of(F)[*s] =
    cast(re, complex_of(F)) + 1.0j * cast(im, complex_of(F))
# The real and the imaginary part of `rfft` and what `irfft` makes of them, in double precision for f64 alone.
def _rfft[F: Float](x: F[q, n]) -> (F[q, n // 2 + 1], F[q, n // 2 + 1]) where n >= 1 =
    let z = fft.rfft(x)
    (cast(real(z), F), cast(imag(z), F))
def _irfft[F: Float](re: F[q, m], im: F[q, m], static n: size) -> F[q, n] where n >= 1 =
    cast(fft.irfft(_complex(re, im), n), F)

# ---------------------------------------------------------------- convolution

static def _is_mode(mode: str) -> bool = mode in ("full", "same", "valid")
static def _taken(n: int, m: int, mode: str) -> int =
    if mode == "full" then n + m - 1 else if mode == "same" then n else max(n, m) - min(n, m) + 1
static def _from(n: int, m: int, mode: str) -> int =
    if mode == "full" then 0 else if mode == "same" then (m - 1) // 2 else min(n, m) - 1
static def _is_method(method: str) -> bool = method in ("auto", "direct", "fft")
# Whether sums of products are fewer operations than three transforms.
static def _is_short(n: int, m: int) -> bool = min(n, m) <= 64
# The least number from n on that is 2^i, 3 2^i or 5 2^i.
static def _good(n: int) -> int = min(_power(n, 1), min(_power(n, 3), _power(n, 5)))
static def _power(n: int, k: int) -> int = if k >= n then k else _power(n, 2 * k)
## Σ x[j] h[i - j] along the last axis: all n + m - 1 of them ("full"), the middle n ("same"), or those where both overlap
## in full ("valid"). The method is "direct", in O(n m), "fft", in O((n + m) log(n + m)), or the cheaper one ("auto").
##
##     signal.convolve(x, signal.hann(9), mode="same")
def convolve[F: Float](
    x: F[*s, n],
    h: F[m],
    *,
    static mode: str = "full",
    static method: str = "auto"
) -> F[*s, _taken(n, m, mode)]
    where n >= 1 and m >= 1
    where _is_mode(mode) else "the mode is \"full\", \"same\" or \"valid\""
    where _is_method(method) else "the method is \"auto\", \"direct\" or \"fft\"" =
    let rows = _rows(x)
    let found =
        if method == "direct" or method == "auto" and _is_short(n, m) then
            _direct(rows, h)
        else
            _by_fft(rows, h)
    let start = _from(n, m, mode)
    _shaped(found[:, start : start + _taken(n, m, mode)], [*s, _taken(n, m, mode)])
def _direct[F: Float](x: F[q, n], h: F[m]) -> F[q, n + m - 1] where n >= 1 and m >= 1 =
    let found: F[q, 1, n + m - 1] = intrinsic.conv(
        x[:, None],
        flip(h)[None, None],
        strides=(1,),
        padding=((m - 1, m - 1),),
        base=(1,),
        dilation=(1,),
        groups=1
    )
    found[:, 0]
def _by_fft[F: Float](x: F[q, n], h: F[m]) -> F[q, n + m - 1] where n >= 1 and m >= 1 =
    let size = _good(n + m - 1)
    let (a, b) = _rfft(pad(x, ((0, 0), (0, max(size - n, 0)))))
    let (c, d) = _rfft(pad(h[None], ((0, 0), (0, max(size - m, 0)))))
    _cut(
        _irfft(_to(a * c - b * d, size // 2 + 1), _to(a * d + b * c, size // 2 + 1), max(size, 1)),
        n + m - 1
    )
def _to[F: Float](x: F[q, n], static m: size) -> F[q, m] =
    _cut(pad(x, ((0, 0), (0, max(m - n, 0)))), m)
def _cut[F: Any](x: F[q, n], static m: size) -> F[q, m] = x.at[:, 0:m].get(mode="clip")
## `convolve` by transforms, in O((n + m) log(n + m)).
def fftconvolve[F: Float](
    x: F[*s, n],
    h: F[m],
    *,
    static mode: str = "full"
) -> F[*s, _taken(n, m, mode)]
    where n >= 1 and m >= 1
    where _is_mode(mode) else "the mode is \"full\", \"same\" or \"valid\"" =
    convolve(x, h, mode=mode, method="fft")
## Σ x[i + j - m + 1] h[j] along the last axis: `convolve` with h turned round.
def correlate[F: Float](
    x: F[*s, n],
    h: F[m],
    *,
    static mode: str = "full",
    static method: str = "auto"
) -> F[*s, _taken(n, m, mode)]
    where n >= 1 and m >= 1
    where _is_mode(mode) else "the mode is \"full\", \"same\" or \"valid\""
    where _is_method(method) else "the method is \"auto\", \"direct\" or \"fft\"" =
    convolve(x, flip(h), mode=mode, method=method)
## Return the lags of the elements of `correlate`.
def correlation_lags(
    static n: size,
    static m: size,
    *,
    static mode: str = "full"
) -> i32[_taken(n, m, mode)]
    where n >= 1 and m >= 1
    where _is_mode(mode) else "the mode is \"full\", \"same\" or \"valid\"" =
    iota([_taken(n, m, mode)]) + (_from(n, m, mode) - m + 1)
# One of the two covers the other along both axes.
static def _covers(n: int, m: int, k: int, l: int) -> bool =
    n >= k and m >= l or n <= k and m <= l
static def _from_of_two(n: int, k: int, mode: str, turned: bool) -> int =
    if mode == "same" and turned then k // 2 else _from(n, k, mode)
## Σ x[i, j] h[p - i, q - j] along the last two axes, in O(n m k l): all (n + k - 1) (m + l - 1) of them ("full"), the middle
## n m ("same"), or those where both overlap in full ("valid"). Beyond its edges x is 0; for other edges, `pad` comes
## before it.
##
##     signal.convolve2d(pad(x, 1, "symmetric"), h, mode="valid")
def convolve2d[F: Float](
    x: F[*s, n, m],
    h: F[k, l],
    *,
    static mode: str = "full"
) -> F[*s, _taken(n, k, mode), _taken(m, l, mode)]
    where n >= 1 and m >= 1 and k >= 1 and l >= 1
    where _is_mode(mode) else "the mode is \"full\", \"same\" or \"valid\""
    where mode != "valid" or _covers(n, m, k, l) else "one of the two covers the other" =
    _of_two(x, h, mode, false)
## Σ x[p + i - k + 1, q + j - l + 1] h[i, j] along the last two axes: `convolve2d` with h turned round, but that the middle
## ("same") is where the middle of h, element [(k - 1) // 2, (l - 1) // 2], lies on the elements of x.
def correlate2d[F: Float](
    x: F[*s, n, m],
    h: F[k, l],
    *,
    static mode: str = "full"
) -> F[*s, _taken(n, k, mode), _taken(m, l, mode)]
    where n >= 1 and m >= 1 and k >= 1 and l >= 1
    where _is_mode(mode) else "the mode is \"full\", \"same\" or \"valid\""
    where mode != "valid" or _covers(n, m, k, l) else "one of the two covers the other" =
    _of_two(x, flip(h), mode, true)
def _of_two[F: Float](
    x: F[*s, n, m],
    h: F[k, l],
    static mode: str,
    static turned: bool
) -> F[*s, _taken(n, k, mode), _taken(m, l, mode)]
    where n >= 1 and m >= 1 and k >= 1 and l >= 1 =
    let found: F[prod(s), 1, n + k - 1, m + l - 1] = intrinsic.conv(
        _shaped(x, [prod(s), 1, n, m]),
        flip(h)[None, None],
        strides=(1, 1),
        padding=((k - 1, k - 1), (l - 1, l - 1)),
        base=(1, 1),
        dilation=(1, 1),
        groups=1
    )
    let top = _from_of_two(n, k, mode, turned)
    let left = _from_of_two(m, l, mode, turned)
    let cut = found[:, 0, top : top + _taken(n, k, mode), left : left + _taken(m, l, mode)]
    _shaped(cut, [*s, _taken(n, k, mode), _taken(m, l, mode)])

# ---------------------------------------------------------------- windows

# The period in samples: m for a periodic window, m - 1 for a symmetric one. A window of one sample is its middle.
static def _period(m: size, periodic: bool) -> int = if periodic and m > 1 then m else m - 1
# The places 0 … m - 1 as shares of the period.
def _turn(static m: size, static periodic: bool, static dtype: Float) -> dtype[m] =
    let k: dtype[m] = iota([m], dtype=dtype)
    k / max(_period(m, periodic), 1)
def _cosines(
    static m: size,
    static c: (float, float, float, float, float),
    static periodic: bool,
    static dtype: Float
) -> dtype[m] =
    if m == 1 then ones([m], dtype)
    else
        let t = 2.0 * pi * _turn(m, periodic, dtype)
        c.0 - _wave(c.1, t) + _wave(c.2, 2.0 * t) - _wave(c.3, 3.0 * t) + _wave(c.4, 4.0 * t)
def _wave[F: Float](static c: float, t: F[m]) -> F[m] =
    if c == 0.0 then zeros([m], F) else c * cos(t)
## Return the window of Hann, 0.5 - 0.5 cos. With `periodic` the last element before the period is the last one, for
## spectra; without it the window is symmetric, for filters.
def hann(static m: size, *, static periodic: bool = false, static dtype: Float = f32) -> dtype[m] =
    _cosines(m, (0.5, 0.5, 0.0, 0.0, 0.0), periodic, dtype)
## Return the window of Hamming, 0.54 - 0.46 cos.
def hamming(
    static m: size,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    _cosines(m, (0.54, 0.46, 0.0, 0.0, 0.0), periodic, dtype)
## Return the window of Blackman, of three terms.
def blackman(
    static m: size,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    _cosines(m, (0.42, 0.5, 0.08, 0.0, 0.0), periodic, dtype)
## Return the window of Blackman and Harris, of four terms: side lobes of -92 dB.
def blackmanharris(
    static m: size,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    _cosines(m, (0.35875, 0.48829, 0.14128, 0.01168, 0.0), periodic, dtype)
## Return the window of Nuttall, of four terms: side lobes of -98 dB.
def nuttall(
    static m: size,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    _cosines(m, (0.3635819, 0.4891775, 0.1365995, 0.0106411, 0.0), periodic, dtype)
## Return the flat top window, of five terms: amplitudes of lines between two frequencies are right to 0.01 dB.
def flattop(
    static m: size,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    _cosines(m, (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), periodic, dtype)
## Return the window of ones.
def boxcar(static m: size, *, static dtype: Float = f32) -> dtype[m] = ones([m], dtype)
## Return the window that rises from 0 to 1 and falls to 0 in straight lines.
def bartlett(
    static m: size,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    if m == 1 then ones([m], dtype) else 1.0 - abs(2.0 * _turn(m, periodic, dtype) - 1.0)
## Return the window of half a sine.
def cosine(
    static m: size,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    let k: dtype[m] = iota([m], dtype=dtype)
    sin(pi / max(_period(m, periodic) + 1, 1) * (k + 0.5))
## Return the window of Tukey: flat but for the share `alpha` of it, which rises and falls as Hann's.
def tukey(
    static m: size,
    alpha: dtype = 0.5,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    let edge = 0.5 * alpha
    let t = _turn(m, periodic, dtype)
    let near = minimum(t, 1.0 - t)
    where((near >= edge) | (m == 1), 1.0, 0.5 - 0.5 * cos(pi * near / where(edge > 0.0, edge, 1.0)))
## Return the window exp(-t² / 2 std²), for distances t from the middle in samples.
def gaussian(
    static m: size,
    std: dtype,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    let t = _off(m, periodic, dtype) / std
    exp(-0.5 * t * t)
def _off(static m: size, static periodic: bool, static dtype: Float) -> dtype[m] =
    let k: dtype[m] = iota([m], dtype=dtype)
    k - 0.5 * _period(m, periodic)
## Return the window of Kaiser, I0(beta sqrt(1 - t²)) / I0(beta).
def kaiser(
    static m: size,
    beta: dtype,
    *,
    static periodic: bool = false,
    static dtype: Float = f32
) -> dtype[m] =
    let t = _off(m, periodic, dtype) * (2.0 / max(_period(m, periodic), 1))
    let inside = maximum(1.0 - t * t, 0.0)
    (
        special.i0(beta * where(inside > 0.0, sqrt(where(inside > 0.0, inside, 1.0)), 0.0))
        / special.i0(beta)
    )

# ---------------------------------------------------------------- filters

# Zeros behind the coefficients, up to k of them.
def _filled[F: Float](b: F[n], static k: size) -> F[k] where n <= k =
    concatenate((b, zeros([k - n], F)))
## Filter along the last axis by the difference equation Σ a[j] y[i - j] = Σ b[j] x[i - j], from rest. O(n k) for k
## coefficients, one sample after the other.
##
##     signal.lfilter([0.1], [1.0, -0.9], x)
def lfilter[F: Float](b: F[p], a: F[q], x: F[*s, n]) -> F[*s, n] where p >= 1 and q >= 1 =
    lfilter(b, a, x, zeros([*s, max(p, q) - 1], F)).0
## The same from a state of max(p, q) - 1 numbers (transposed direct form II), with the state at the end.
def lfilter[F: Float](
    b: F[p],
    a: F[q],
    x: F[*s, n],
    zi: F[*s, max(p, q) - 1]
) -> (F[*s, n], F[*s, max(p, q) - 1])
    where p >= 1 and q >= 1 =
    let k = max(p, q)
    let (b, a) = (_filled(b, k) / a[0], _filled(a, k) / a[0])
    let zero = zeros([prod(s), 1], F)
    let start = concatenate((_shaped(zi, [prod(s), max(p, q) - 1]), zero), axis=1)
    let (state, y) = scan z = start for v in _rows(x).T do
        let out = b[0] * v + z[:, 0]
        let next = (
            concatenate((z[:, 1:], zero), axis=1)
            + v[:, None] * concatenate((b[1:], zeros([1], F)))[None, :]
            - out[:, None] * concatenate((a[1:], zeros([1], F)))[None, :]
        )
        (next, out)
    (_shaped(y.T, [*s, n]), _shaped(state[:, : k - 1], [*s, max(p, q) - 1]))
## Return the state of `lfilter` in which a constant input of 1 has been going on for ever.
def lfilter_zi[F: Float](b: F[p], a: F[q]) -> F[max(p, q) - 1] where p >= 1 and q >= 1 =
    let (b, a) = (_filled(b, max(p, q)), _filled(a, max(p, q)))
    let level = sum(b) / sum(a)
    cumsum((b - a * level) / a[0], reverse=true)[1:]
# Longer by `far` samples at both ends, turned round the ends.
def _extended[F: Float](x: F[q, n], static far: size) -> F[q, n + 2 * far] where n > far =
    let low = 2.0 * x[:, :1] - flip(x[:, 1 : far + 1], axis=1)
    let high = 2.0 * x[:, n - 1 :] - flip(x[:, n - 1 - far : n - 1], axis=1)
    concatenate((low, x, high), axis=1)
## Filter forward and backward, so that no phase is left. The ends are continued by `padlen` samples turned round them.
def filtfilt[F: Float](
    b: F[p],
    a: F[q],
    x: F[*s, n],
    *,
    static padlen: size = 3 * max(p, q)
) -> F[*s, n]
    where p >= 1 and q >= 1
    where n > padlen else "the signal is longer than `padlen`" =
    let zi = lfilter_zi(b, a)
    let wide = _extended(_rows(x), padlen)
    let (once, _) = lfilter(b, a, wide, wide[:, :1] * zi[None, :])
    let back = flip(once, axis=1)
    let (twice, _) = lfilter(b, a, back, back[:, :1] * zi[None, :])
    _shaped(flip(twice, axis=1)[:, padlen : padlen + n], [*s, n])
## Filter by second-order sections, one after the other.
##
##     signal.sosfilt(signal.butter(4, 0.2), x)
def sosfilt[F: Float](sos: F[k, 6], x: F[*s, n]) -> F[*s, n] =
    fold y = x for c in sos do lfilter(c[:3], c[3:], y)
## The same from the states of the sections, with the states at the end.
def sosfilt[F: Float](sos: F[k, 6], x: F[*s, n], zi: F[k, *s, 2]) -> (F[*s, n], F[k, *s, 2]) =
    scan y = x for (c, z) in zip(sos, zi) do lfilter(c[:3], c[3:], y, z)
## Return the states of `sosfilt` in which a constant input of 1 has been going on for ever.
def sosfilt_zi[F: Float](sos: F[k, 6]) -> F[k, 2] =
    let (_, states) = scan level = cast(1.0, F) for c in sos do
        (level * sum(c[:3]) / sum(c[3:]), level * lfilter_zi(c[:3], c[3:]))
    states
## Filter by second-order sections forward and backward, so that no phase is left.
def sosfiltfilt[F: Float](
    sos: F[k, 6],
    x: F[*s, n],
    *,
    static padlen: size = 3 * (2 * k + 1)
) -> F[*s, n]
    where n > padlen else "the signal is longer than `padlen`" =
    let zi = sosfilt_zi(sos)
    let wide = _extended(_rows(x), padlen)
    let (once, _) = sosfilt(sos, wide, [wide[:, :1] * z[None, :] for z in zi])
    let back = flip(once, axis=1)
    let (twice, _) = sosfilt(sos, back, [back[:, :1] * z[None, :] for z in zi])
    _shaped(flip(twice, axis=1)[:, padlen : padlen + n], [*s, n])

# ---------------------------------------------------------------- design

# A low pass of edge 1: poles -x ± i y in the rows, zeros ± i z where `zeros` is not infinite, a pole -r of odd orders, and
# the gain at 0.
type _Lowpass[h] = {x: f64[h], y: f64[h], zeros: f64[h], r: f64, gain: f64}
# The angles of the poles in the upper half.
def _angles(static n: size) -> f64[n // 2] where n >= 1 =
    let k: f64[n // 2] = iota([n // 2], dtype=f64)
    pi * (n - 1 - 2.0 * k) / (2.0 * n)
def _butterworth(static n: size) -> _Lowpass[n // 2] where n >= 1 =
    let t = _angles(n)
    {x = cos(t), y = sin(t), zeros = full([n // 2], f64(inf)), r = 1.0, gain = 1.0}
def _chebyshev1(static n: size, ripple: f64) -> _Lowpass[n // 2] where n >= 1 =
    let e2 = expm1(ripple * (log(f64(10.0)) / 10.0))
    let mu = asinh(1.0 / sqrt(e2)) / n
    let t = _angles(n)
    {
        x = sinh(mu) * cos(t),
        y = cosh(mu) * sin(t),
        zeros = full([n // 2], f64(inf)),
        r = sinh(mu),
        gain = if n % 2 == 0 then 1.0 / sqrt(1.0 + e2) else f64(1.0)
    }
def _chebyshev2(static n: size, attenuation: f64) -> _Lowpass[n // 2] where n >= 1 =
    let mu = asinh(sqrt(expm1(attenuation * (log(f64(10.0)) / 10.0)))) / n
    let t = _angles(n)
    let (x, y) = (sinh(mu) * cos(t), cosh(mu) * sin(t))
    let square = x * x + y * y
    {x = x / square, y = y / square, zeros = 1.0 / sin(t), r = 1.0 / sinh(mu), gain = 1.0}

# An analogue section (n2 s² + n1 s + n0) / (d2 s² + d1 s + d0).
type _Section = {n: (f64, f64, f64), d: (f64, f64, f64)}
# Its digital form, by s = 4 (z - 1) / (z + 1).
def _bilinear(c: _Section) -> f64[6] =
    let ((n2, n1, n0), (d2, d1, d0)) = (c.n, c.d)
    let scale = 16.0 * d2 + 4.0 * d1 + d0
    [
        (16.0 * n2 + 4.0 * n1 + n0) / scale,
        2.0 * (n0 - 16.0 * n2) / scale,
        (16.0 * n2 - 4.0 * n1 + n0) / scale,
        1.0,
        2.0 * (d0 - 16.0 * d2) / scale,
        (16.0 * d2 - 4.0 * d1 + d0) / scale,
    ]
# That of a section of first order, (n1 s + n0) / (d1 s + d0).
def _bilinear_of_one(n1: f64, n0: f64, d1: f64, d0: f64) -> f64[6] =
    let scale = 4.0 * d1 + d0
    [(4.0 * n1 + n0) / scale, (n0 - 4.0 * n1) / scale, 0.0, 1.0, (d0 - 4.0 * d1) / scale, 0.0]
# The edge as it has to be before the bilinear transform bends it.
def _warped(edge: f64) -> f64 = 4.0 * tan(0.5 * pi * edge)
static def _one_edge(kind: str) -> bool = kind == "lowpass" or kind == "highpass"
static def _two_edges(kind: str) -> bool = kind == "bandpass" or kind == "bandstop"
def _with_gain(sos: f64[k, 6], gain: f64) -> f64[k, 6] where k >= 1 = sos.at[0, :3].mul(gain)
# The sections of a low or high pass.
def _of_one_edge(
    p: _Lowpass[h],
    edge: f64,
    static n: size,
    static kind: str
) -> f64[(n + 1) // 2, 6] where n >= 1 and h == n // 2 =
    let w = _warped(edge)
    let pairs = [
        let square = x * x + y * y
        let inverse = 1.0 / (zero * zero)
        _bilinear(
            if kind == "lowpass" then {
                n = (square * inverse, 0.0, square * w * w),
                d = (1.0, 2.0 * x * w, square * w * w)
            }
            else {n = (1.0, 0.0, w * w * inverse), d = (1.0, 2.0 * x / square * w, w * w / square)}
        )
        for (x, y, zero) in zip(p.x, p.y, p.zeros)
    ]
    let alone =
        if kind == "lowpass" then
            _bilinear_of_one(0.0, p.r * w, 1.0, p.r * w)
        else
            _bilinear_of_one(p.r, 0.0, p.r, w)
    _with_gain(concatenate((pairs, alone[None]))[: (n + 1) // 2], p.gain)
# The two roots c ± sqrt(c² - w²), as their real parts and squares of absolute values.
def _roots(c: c128, w: f64) -> ((f64, f64), (f64, f64)) =
    let root = sqrt(c * c - cast(w * w, c128))
    let (first, second) = (c + root, c - root)
    (
        (real(first), real(first) ** 2 + imag(first) ** 2),
        (real(second), real(second) ** 2 + imag(second) ** 2)
    )
# The sections of a band pass or stop: two for each pair of poles, and one for the pole of odd orders.
def _of_two_edges(
    p: _Lowpass[h],
    low: f64,
    high: f64,
    static n: size,
    static kind: str
) -> f64[n, 6] where n >= 1 and h == n // 2 =
    let (left, right) = (_warped(low), _warped(high))
    let (width, middle) = (right - left, sqrt(left * right))
    let (first, second) = [
        _two_sections(x, y, zero, width, middle, kind)
        for (x, y, zero) in zip(p.x, p.y, p.zeros)
    ]
    let w2 = middle * middle
    let alone = _bilinear(
        if kind == "bandpass" then {n = (0.0, p.r * width, 0.0), d = (1.0, p.r * width, w2)}
        else {n = (1.0, 0.0, w2), d = (1.0, width / p.r, w2)}
    )
    _with_gain(concatenate((first, second, alone[None]))[:n], p.gain)
def _two_sections(
    x: f64,
    y: f64,
    zero: f64,
    width: f64,
    middle: f64,
    static kind: str
) -> (f64[6], f64[6]) =
    let square = x * x + y * y
    let pole = _complex(-x, y)
    let half =
        if kind == "bandpass" then
            pole * cast(0.5 * width, c128)
        else
            cast(0.5 * width, c128) / pole
    let ((a, a2), (b, b2)) = _roots(half, middle)
    let inner = where(isfinite(zero), zero, 0.0)
    let reach =
        if kind == "bandpass" then
            0.5 * width * inner
        else
            where(inner > 0.0, 0.5 * width / where(inner > 0.0, inner, 1.0), 0.0)
    let far = reach + sqrt(reach * reach + middle * middle)
    let (t, u) = (far * far, middle ** 4 / (far * far))
    let scale = where(
        isfinite(zero),
        sqrt(square) / where(isfinite(zero), zero, 1.0),
        sqrt(square) * width
    )
    let plain = ~isfinite(zero)
    let numerator = fn (t: f64) ->
        if kind == "bandstop" then (f64(1.0), f64(0.0), t)
        else (where(plain, 0.0, scale), where(plain, scale, 0.0), where(plain, 0.0, scale * t))
    (
        _bilinear({n = numerator(t), d = (1.0, -2.0 * a, a2)}),
        _bilinear({n = numerator(u), d = (1.0, -2.0 * b, b2)})
    )

## Return the sections of Butterworth's filter of an order: flat in the pass band, -3 dB at the edge. `kind` is "lowpass"
## or "highpass". Computed in double precision, and differentiable by the edge.
##
##     signal.butter(4, 50.0, fs=1000.0)
def butter(
    static order: size,
    edge: dtype,
    *,
    static kind: str = "lowpass",
    fs: dtype = 2.0,
    static dtype: Float = f32
) -> dtype[(order + 1) // 2, 6]
    where order >= 1 else "the order is at least 1"
    where _one_edge(
        kind
    ) else "with one edge the kind is \"lowpass\" or \"highpass\"; with two \"bandpass\" or \"bandstop\"" =
    cast(
        _of_one_edge(_butterworth(order), 2.0 * cast(edge, f64) / cast(fs, f64), order, kind),
        dtype
    )
## The same between two edges; `kind` is "bandpass" or "bandstop". There are `order` sections.
def butter(
    static order: size,
    edges: (dtype, dtype),
    *,
    static kind: str = "bandpass",
    fs: dtype = 2.0,
    static dtype: Float = f32
) -> dtype[order, 6]
    where order >= 1 else "the order is at least 1"
    where _two_edges(
        kind
    ) else "with two edges the kind is \"bandpass\" or \"bandstop\"; with one \"lowpass\" or \"highpass\"" =
    let rate = cast(fs, f64)
    cast(
        _of_two_edges(
            _butterworth(order),
            2.0 * cast(edges.0, f64) / rate,
            2.0 * cast(edges.1, f64) / rate,
            order,
            kind
        ),
        dtype
    )
## Return the sections of Chebyshev's filter of the first kind: `ripple` decibels in the pass band, steeper than `butter`.
def cheby1(
    static order: size,
    ripple: dtype,
    edge: dtype,
    *,
    static kind: str = "lowpass",
    fs: dtype = 2.0,
    static dtype: Float = f32
) -> dtype[(order + 1) // 2, 6]
    where order >= 1 else "the order is at least 1"
    where _one_edge(
        kind
    ) else "with one edge the kind is \"lowpass\" or \"highpass\"; with two \"bandpass\" or \"bandstop\"" =
    cast(
        _of_one_edge(
            _chebyshev1(order, cast(ripple, f64)),
            2.0 * cast(edge, f64) / cast(fs, f64),
            order,
            kind
        ),
        dtype
    )
## The same between two edges; `kind` is "bandpass" or "bandstop".
def cheby1(
    static order: size,
    ripple: dtype,
    edges: (dtype, dtype),
    *,
    static kind: str = "bandpass",
    fs: dtype = 2.0,
    static dtype: Float = f32
) -> dtype[order, 6]
    where order >= 1 else "the order is at least 1"
    where _two_edges(
        kind
    ) else "with two edges the kind is \"bandpass\" or \"bandstop\"; with one \"lowpass\" or \"highpass\"" =
    let rate = cast(fs, f64)
    cast(
        _of_two_edges(
            _chebyshev1(order, cast(ripple, f64)),
            2.0 * cast(edges.0, f64) / rate,
            2.0 * cast(edges.1, f64) / rate,
            order,
            kind
        ),
        dtype
    )
## Return the sections of Chebyshev's filter of the second kind: flat in the pass band, at least `attenuation` decibels
## down in the stop band, where the edge is.
def cheby2(
    static order: size,
    attenuation: dtype,
    edge: dtype,
    *,
    static kind: str = "lowpass",
    fs: dtype = 2.0,
    static dtype: Float = f32
) -> dtype[(order + 1) // 2, 6]
    where order >= 1 else "the order is at least 1"
    where _one_edge(
        kind
    ) else "with one edge the kind is \"lowpass\" or \"highpass\"; with two \"bandpass\" or \"bandstop\"" =
    cast(
        _of_one_edge(
            _chebyshev2(order, cast(attenuation, f64)),
            2.0 * cast(edge, f64) / cast(fs, f64),
            order,
            kind
        ),
        dtype
    )
## The same between two edges; `kind` is "bandpass" or "bandstop".
def cheby2(
    static order: size,
    attenuation: dtype,
    edges: (dtype, dtype),
    *,
    static kind: str = "bandpass",
    fs: dtype = 2.0,
    static dtype: Float = f32
) -> dtype[order, 6]
    where order >= 1 else "the order is at least 1"
    where _two_edges(
        kind
    ) else "with two edges the kind is \"bandpass\" or \"bandstop\"; with one \"lowpass\" or \"highpass\"" =
    let rate = cast(fs, f64)
    cast(
        _of_two_edges(
            _chebyshev2(order, cast(attenuation, f64)),
            2.0 * cast(edges.0, f64) / rate,
            2.0 * cast(edges.1, f64) / rate,
            order,
            kind
        ),
        dtype
    )

## Return the zeros, poles and gain of second-order sections, in pairs; of two complex ones that above the real axis
## comes first. Zeros and poles at 0 of sections of first order are among them.
def sos2zpk[F: Float](sos: F[k, 6]) -> {z: complex_of(F)[k, 2], p: complex_of(F)[k, 2], k: F} =
    let (z, y) = _pairs(sos[:, :3])
    let (p, q) = _pairs(sos[:, 3:])
    {z = _complex(z, y), p = _complex(p, q), k = prod(sos[:, 0])}
# The roots of quadratic polynomials: real and imaginary parts.
def _pairs[F: Float](c: F[k, 3]) -> (F[k, 2], F[k, 2]) =
    let half = 0.5 / c[:, 0]
    let d = c[:, 1] * c[:, 1] - 4.0 * c[:, 0] * c[:, 2]
    let across = where(d > 0.0, sqrt(where(d > 0.0, d, 1.0)), 0.0) * half
    let up = where(d < 0.0, sqrt(where(d < 0.0, -d, 1.0)), 0.0) * half
    let middle = -c[:, 1] * half
    (stack((middle + across, middle - across), axis=1), stack((up, -up), axis=1))
## Return the coefficients b and a of the product of second-order sections.
def sos2tf[F: Float](sos: F[k, 6]) -> (F[2 * k + 1], F[2 * k + 1]) =
    (_product(sos[:, :3]), _product(sos[:, 3:]))
def _product[F: Float](c: F[k, 3]) -> F[2 * k + 1] =
    let one = zeros([2 * k + 1], F).at[0].set(1.0)
    fold p = one for row in c do
        let once = concatenate((zeros([1], F), p[: 2 * k]))
        let twice = concatenate((zeros([1], F), once[: 2 * k]))
        row[0] * p + row[1] * once + row[2] * twice
## The response of coefficients b and a to frequencies: complex amplitudes.
def freqz[F: Float](b: F[p], a: F[q], frequencies: F[m], *, fs: F = 2.0) -> complex_of(F)[m] =
    let z = exp(-2.0j * cast(pi * frequencies / fs, complex_of(F)))
    _polynomial(cast(b, complex_of(F)), z) / _polynomial(cast(a, complex_of(F)), z)
def _polynomial[C: Complex](b: C[p], z: C[m]) -> C[m] =
    fold y = zeros([m], C) for c in b reverse do y * z + c
## The response of second-order sections to frequencies: complex amplitudes.
def sosfreqz[F: Float](sos: F[k, 6], frequencies: F[m], *, fs: F = 2.0) -> complex_of(F)[m] =
    fold h = ones([m], complex_of(F)) for c in sos do h * freqz(c[:3], c[3:], frequencies, fs=fs)
## Return the n coefficients of a symmetric filter by a window: `kind` is "lowpass" or "highpass".
##
##     signal.firwin(31, 0.2)
def firwin(
    static n: size,
    edge: dtype,
    *,
    static kind: str = "lowpass",
    fs: dtype = 2.0,
    static dtype: Float = f32,
    window: dtype[n] = hamming(n, dtype=dtype)
) -> dtype[n]
    where n >= 1
    where _one_edge(
        kind
    ) else "with one edge the kind is \"lowpass\" or \"highpass\"; with two \"bandpass\" or \"bandstop\""
    where kind == "lowpass" or n % 2 == 1 else "a high pass has an odd number of coefficients" =
    let e = 2.0 * edge / fs
    if kind == "lowpass" then
        _windowed(window, [0.0], [e], 0.0)
    else
        _windowed(window, [e], [1.0], 1.0)
## The same between two edges; `kind` is "bandpass" or "bandstop".
def firwin(
    static n: size,
    edges: (dtype, dtype),
    *,
    static kind: str = "bandpass",
    fs: dtype = 2.0,
    static dtype: Float = f32,
    window: dtype[n] = hamming(n, dtype=dtype)
) -> dtype[n]
    where n >= 1
    where _two_edges(
        kind
    ) else "with two edges the kind is \"bandpass\" or \"bandstop\"; with one \"lowpass\" or \"highpass\""
    where kind == "bandpass" or n % 2 == 1 else "a band stop has an odd number of coefficients" =
    let (e, f) = (2.0 * edges.0 / fs, 2.0 * edges.1 / fs)
    if kind == "bandpass" then
        _windowed(window, [e], [f], 0.5 * (e + f))
    else
        _windowed(window, [0.0, f], [e, 1.0], 0.0)
# The sum of ideal bands, 1 at a frequency.
def _windowed[F: Float](window: F[n], low: F[k], high: F[k], at: F) -> F[n] where n >= 1 =
    let t = _off(n, false, F)
    let bands = sum([b * sinc(b * t) - a * sinc(a * t) for (a, b) in zip(low, high)], axis=0)
    let h = bands * window
    h / sum(h * cos(pi * at * t))

# ---------------------------------------------------------------- spectra

static def _is_detrend(kind: str) -> bool = kind in ("none", "constant", "linear")
static def _is_scaling(scaling: str) -> bool = scaling == "density" or scaling == "spectrum"
## Subtract the mean ("constant") or the line of least squares ("linear") along the last axis.
def detrend[F: Float](x: F[*s, n], *, static kind: str = "linear") -> F[*s, n]
    where n >= 1
    where _is_detrend(kind) else "the kind is \"linear\", \"constant\" or \"none\"" =
    _shaped(_detrended(_rows(x), kind), [*s, n])
def _detrended[F: Float](x: F[q, n], static kind: str) -> F[q, n] where n >= 1 =
    if kind == "none" then x
    else if kind == "constant" then x - mean(x, axis=1, keepdims=true)
    else
        let t = _off(n, false, F)
        let slope = if n > 1 then (x @ t) / sum(t * t) else zeros([q], F)
        x - mean(x, axis=1, keepdims=true) - slope[:, None] * t[None, :]
# The segments of `width` samples, each `step` behind the one before.
static def _count(n: int, width: int, step: int) -> int = (n - width) // step + 1
def _segments[F: Float](
    x: F[q, n],
    static width: size,
    static step: size
) -> F[q, _count(n, width, step), width] where step >= 1 and width >= 1 and n >= width =
    let starts = step * iota([_count(n, width, step)])
    x.at[:, starts[:, None] + iota([width])[None, :]].get(mode="clip")
# Transforms of the windowed segments: real and imaginary parts.
def _transforms[F: Float](x: F[q, n], window: F[w], static step: size, static kind: str) -> (
    F[q, _count(n, w, step), w // 2 + 1],
    F[q, _count(n, w, step), w // 2 + 1]
)
    where step >= 1 and w >= 1 and n >= w =
    let rows = _shaped(_segments(x, w, step), [q * _count(n, w, step), w])
    let (re, im) = _rfft(_detrended(rows, kind) * window[None, :])
    (
        _shaped(re, [q, _count(n, w, step), w // 2 + 1]),
        _shaped(im, [q, _count(n, w, step), w // 2 + 1])
    )
# What squares are multiplied by: frequencies but 0 and the highest one of even widths stand for two.
def _weights[F: Float](window: F[w], fs: F, static scaling: str) -> F[w // 2 + 1] where w >= 1 =
    let k = iota([w // 2 + 1])
    let scale =
        if scaling == "density" then 1.0 / (fs * sum(window * window)) else 1.0 / sum(window) ** 2
    where((k == 0) | (2 * k == w), 1.0, 2.0) * scale
def _frequencies[F: Float](static w: size, fs: F) -> F[w // 2 + 1] where w >= 1 =
    let k: F[w // 2 + 1] = iota([w // 2 + 1], dtype=F)
    k * (fs / w)
## The power at the frequencies 0 … fs / 2: of one segment, the whole signal. The first result has the frequencies.
## `scaling` is "density" (per frequency) or "spectrum" (squares of amplitudes).
def periodogram[F: Float](
    x: F[*s, n],
    *,
    fs: F = 1.0,
    window: F[n] = ones([n], F),
    static detrend: str = "constant",
    static scaling: str = "density"
) -> (F[n // 2 + 1], F[*s, n // 2 + 1])
    where n >= 1
    where _is_detrend(detrend) else "`detrend` is \"constant\", \"linear\" or \"none\""
    where _is_scaling(scaling) else "the scaling is \"density\" or \"spectrum\"" =
    let (re, im) = _rfft(_detrended(_rows(x), detrend) * window[None, :])
    (
        _frequencies(n, fs),
        _shaped((re * re + im * im) * _weights(window, fs, scaling)[None, :], [*s, n // 2 + 1])
    )
## The mean power of overlapping segments (Welch 1967), `step` samples apart, as long as the window. The first result has
## the frequencies. O(n w log w / step).
##
##     signal.welch(x, signal.hann(256, periodic=true), step=128, fs=1000.0)
def welch[F: Float](
    x: F[*s, n],
    window: F[w],
    *,
    static step: size = max(w - w // 2, 1),
    fs: F = 1.0,
    static detrend: str = "constant",
    static scaling: str = "density"
) -> (F[w // 2 + 1], F[*s, w // 2 + 1])
    where step >= 1 and w >= 1
    where n >= w else "the signal is at least as long as the window"
    where _is_detrend(detrend) else "`detrend` is \"constant\", \"linear\" or \"none\""
    where _is_scaling(scaling) else "the scaling is \"density\" or \"spectrum\"" =
    let (re, im) = _transforms(_rows(x), window, step, detrend)
    (
        _frequencies(w, fs),
        _shaped(
            mean(re * re + im * im, axis=1) * _weights(window, fs, scaling)[None, :],
            [*s, w // 2 + 1]
        )
    )
## The power of each of the segments: frequencies, times of their middles, powers [frequency, segment].
def spectrogram[F: Float](
    x: F[*s, n],
    window: F[w],
    *,
    static step: size = max(w - w // 8, 1),
    fs: F = 1.0,
    static detrend: str = "constant",
    static scaling: str = "density"
) -> (F[w // 2 + 1], F[_count(n, w, step)], F[*s, w // 2 + 1, _count(n, w, step)])
    where step >= 1 and w >= 1
    where n >= w else "the signal is at least as long as the window"
    where _is_detrend(detrend) else "`detrend` is \"constant\", \"linear\" or \"none\""
    where _is_scaling(scaling) else "the scaling is \"density\" or \"spectrum\"" =
    let (re, im) = _transforms(_rows(x), window, step, detrend)
    let powers = (re * re + im * im) * _weights(window, fs, scaling)[None, None, :]
    let k: F[_count(n, w, step)] = iota([_count(n, w, step)], dtype=F)
    (
        _frequencies(w, fs),
        (k * step + 0.5 * w) / fs,
        _shaped(transpose(powers, (0, 2, 1)), [*s, w // 2 + 1, _count(n, w, step)])
    )
# The mean of conj(X) Y over the segments: real and imaginary part.
def _crossed[F: Float](
    x: F[q, n],
    y: F[q, n],
    window: F[w],
    static step: size,
    static kind: str
) -> (F[q, w // 2 + 1], F[q, w // 2 + 1]) where step >= 1 and w >= 1 and n >= w =
    let (a, b) = _transforms(x, window, step, kind)
    let (c, d) = _transforms(y, window, step, kind)
    (mean(a * c + b * d, axis=1), mean(a * d - b * c, axis=1))
## The cross power of two signals by Welch's method, conj(X) Y.
def csd[F: Float](
    x: F[*s, n],
    y: F[*s, n],
    window: F[w],
    *,
    static step: size = max(w - w // 2, 1),
    fs: F = 1.0,
    static detrend: str = "constant",
    static scaling: str = "density"
) -> (F[w // 2 + 1], complex_of(F)[*s, w // 2 + 1])
    where step >= 1 and w >= 1
    where n >= w else "the signal is at least as long as the window"
    where _is_detrend(detrend) else "`detrend` is \"constant\", \"linear\" or \"none\""
    where _is_scaling(scaling) else "the scaling is \"density\" or \"spectrum\"" =
    let (re, im) = _crossed(_rows(x), _rows(y), window, step, detrend)
    let scale = _weights(window, fs, scaling)[None, :]
    (_frequencies(w, fs), _shaped(_complex(re * scale, im * scale), [*s, w // 2 + 1]))
## How far two signals depend on each other linearly at each frequency, 0 … 1, by Welch's method.
def coherence[F: Float](
    x: F[*s, n],
    y: F[*s, n],
    window: F[w],
    *,
    static step: size = max(w - w // 2, 1),
    fs: F = 1.0,
    static detrend: str = "constant"
) -> (F[w // 2 + 1], F[*s, w // 2 + 1])
    where step >= 1 and w >= 1
    where n >= w else "the signal is at least as long as the window"
    where _is_detrend(detrend) else "`detrend` is \"constant\", \"linear\" or \"none\"" =
    let (re, im) = _crossed(_rows(x), _rows(y), window, step, detrend)
    let (own, _) = _crossed(_rows(x), _rows(x), window, step, detrend)
    let (other, _) = _crossed(_rows(y), _rows(y), window, step, detrend)
    (_frequencies(w, fs), _shaped((re * re + im * im) / (own * other), [*s, w // 2 + 1]))

# How many segments cover n samples with half a window of zeros in front and at least that behind.
static def _covering(n: int, w: int, step: int) -> int =
    (n + 2 * (w // 2) - w + step - 1) // step + 1
## The short-time Fourier transform [frequency, segment]: of segments `step` samples apart, the first one centred on the
## first sample, with zeros beyond the ends. Divided by the sum of the window.
##
##     signal.istft(signal.stft(x, w, step=64), w, n, step=64)
def stft[F: Float](
    x: F[*s, n],
    window: F[w],
    *,
    static step: size = max(w - w // 2, 1)
) -> complex_of(F)[*s, w // 2 + 1, _covering(n, w, step)]
    where step >= 1 and w >= 1 and n >= 1 =
    let z = fft.rfft(_covered(_rows(x), window, step) * (window / sum(window)))
    _shaped(transpose(z, (0, 2, 1)), [*s, w // 2 + 1, _covering(n, w, step)])
def _covered[F: Float](
    x: F[q, n],
    window: F[w],
    static step: size
) -> F[q, _covering(n, w, step), w] where step >= 1 and w >= 1 and n >= 1 =
    let place = step * iota([_covering(n, w, step)])[:, None] + iota([w])[None, :] - w // 2
    where((place >= 0) & (place < n), x.at[:, place].get(mode="clip"), 0.0)
## The signal of n samples with this short-time Fourier transform: `stft` undone where windows overlap everywhere. Of a
## transform that no signal has, the one of least squares.
def istft[F: Float](
    z: complex_of(F)[*s, f, c],
    window: F[w],
    static n: size,
    *,
    static step: size = max(w - w // 2, 1)
) -> F[*s, n]
    where step >= 1 and w >= 1 and n >= 1
    where f == w // 2 + 1 else "there are w // 2 + 1 frequencies of a window of w samples" =
    let parts =
        cast(fft.irfft(transpose(_shaped(z, [prod(s), f, c]), (0, 2, 1)), w), F) * sum(window)
    _shaped(_overlapped(parts, window, n, step), [*s, n])
def _overlapped[F: Float](
    parts: F[q, c, w],
    window: F[w],
    static n: size,
    static step: size
) -> F[q, n] where step >= 1 and w >= 1 =
    let place = step * iota([c])[:, None] + iota([w])[None, :] - w // 2
    let inside = where((place >= 0) & (place < n), place, n)
    let sums = zeros([q, n], F).at[:, inside].add(parts * window, mode="drop")
    let squares = zeros([n], F).at[inside].add(
        broadcast_to((window * window)[None, :], [c, w]),
        mode="drop"
    )
    sums / where(squares > 1e-10, squares, 1.0)[None, :]
## The analytic signal: the transform of positive frequencies alone, twice. Its real part is x, its absolute value the
## envelope.
def hilbert[F: Float](x: F[*s, n]) -> complex_of(F)[*s, n] where n >= 1 =
    fft.ifft(fft.fft(x) * cast(_one_side(n), complex_of(F)))
def _one_side(static n: size) -> c64[n] =
    let k = iota([n])
    c64(where((k == 0) | (2 * k == n), 1.0, where(2 * k < n, 2.0, 0.0)))

# ---------------------------------------------------------------- sampling rates

## Return the periodic signal of `num` samples with the same transform, cut or filled with zeros (as a polynomial of sines
## and cosines). O((n + num) log(n + num)).
def resample[F: Float](x: F[*s, n], static num: size) -> F[*s, num] where n >= 1 and num >= 1 =
    let (re, im) = _rfft(_rows(x))
    let half = min(n, num)
    let k = iota([num // 2 + 1])
    let edge = if n == num or half % 2 == 1 then 1.0 else if num < n then 2.0 else 0.5
    let factor =
        cast(where(2 * k == half, edge, where(2 * k < half, 1.0, 0.0)), F) * (1.0 * num / n)
    _shaped(
        _irfft(
            _to(re, num // 2 + 1) * factor[None, :],
            _to(im, num // 2 + 1) * factor[None, :],
            num
        ),
        [*s, num]
    )
static def _longer(n: int, up: int, down: int) -> int = (n * up + down - 1) // down
## Return `up` times as many samples, of which every `down`-th is kept, filtered by the coefficients h in between, which
## are centred: only what is kept is computed.
def resample_poly[F: Float](
    x: F[*s, n],
    static up: size,
    static down: size,
    h: F[2 * m + 1]
) -> F[*s, _longer(n, up, down)]
    where up >= 1 and down >= 1 and n >= 1
    where m >= down else "the filter reaches at least `down` samples to both sides" =
    let beyond = (_longer(n, up, down) - 1) * down + m - (n - 1) * up
    let found: F[prod(s), 1, _longer(n, up, down)] = intrinsic.conv(
        _rows(x)[:, None],
        flip(h)[None, None],
        strides=(down,),
        padding=((m, beyond),),
        base=(up,),
        dilation=(1,),
        groups=1
    )
    _shaped(found, [*s, _longer(n, up, down)])
## The same with a filter by Kaiser's window of 20 max(up, down) + 1 coefficients, as scipy.signal.resample_poly has it.
def resample_poly[F: Float](
    x: F[*s, n],
    static up: size,
    static down: size
) -> F[*s, _longer(n, up, down)]
    where up >= 1 and down >= 1 and n >= 1 =
    let m = 10 * max(up, down)
    let window = kaiser(2 * m + 1, 5.0, dtype=F)
    resample_poly(x, up, down, up * _windowed(window, [0.0], [1.0 / max(up, down)], 0.0))
## Return every q-th sample behind a low pass of order 8 that leaves no phase.
def decimate[F: Float](x: F[*s, n], static q: size) -> F[*s, (n + q - 1) // q]
    where q >= 1
    where n > 27 else "the signal has more than 27 samples" =
    let low = cheby1(8, 0.05, cast(0.8 / q, f64), dtype=f64)
    let smooth = _rows(sosfiltfilt(cast(low, F), x))
    _shaped(smooth[:, ::q], [*s, (n + q - 1) // q])

# ---------------------------------------------------------------- smoothing

## The median of each sample and its k // 2 neighbours on both sides, with zeros beyond the ends. O(n k log k).
def medfilt[F: Real](x: F[*s, n], static k: size = 3) -> F[*s, n] where k % 2 == 1 else "k is odd" =
    let wide = pad(_rows(x), ((0, 0), (k // 2, k // 2)))
    let place = iota([n])[:, None] + iota([k])[None, :]
    _shaped(sort(wide.at[:, place].get(mode="clip"))[:, :, k // 2], [*s, n])
## Smooth by polynomials of least squares over `width` samples (Savitzky and Golay 1964), or return their derivative of
## order `deriv` for samples at distance `delta`. At the ends the first and the last polynomial count.
def savgol_filter[F: Float](
    x: F[*s, n],
    static width: size,
    static degree: size,
    *,
    static deriv: size = 0,
    delta: F = 1.0
) -> F[*s, n]
    where width % 2 == 1 else "the width is odd"
    where degree < width else "the degree is below the width"
    where n >= width else "the signal is at least as long as the width" =
    let weights = _savgol(width, degree, deriv)
    let rows = _rows(x)
    let found: F[prod(s), 1, n - width + 1] = intrinsic.conv(
        rows[:, None],
        cast(weights[width // 2], F)[None, None],
        strides=(1,),
        padding=((0, 0),),
        base=(1,),
        dilation=(1,),
        groups=1
    )
    let low = rows[:, :width] @ cast(weights[: width // 2], F).T
    let high = rows[:, n - width :] @ cast(weights[width // 2 + 1 :], F).T
    _shaped(concatenate((low, found[:, 0], high), axis=1) / delta ** deriv, [*s, n])
# Row t has the weights of the samples in the derivative at the place t.
def _savgol(static width: size, static degree: size, static deriv: size) -> f64[width, width]
    where degree < width and width % 2 == 1 =
    let scale = max(width // 2, 1)
    let t = _off(width, false, f64) / scale
    let powers = flip(vander(t, degree + 1), axis=1)
    let fit = linalg.lstsq(powers, eye(width, f64))
    let factors = [_falling(j, deriv) for j in range(degree + 1)]
    let lower = pad(powers, ((0, 0), (deriv, 0)))[:, : degree + 1]
    (lower * factors[None, :]) @ fit / f64(scale) ** deriv
def _falling(j: i32, static order: size) -> f64 =
    if order == 0 then 1.0 else f64(j - order + 1) * _falling(j, order - 1)

# ---------------------------------------------------------------- peaks

## Whether each sample is a peak of at least this height: larger than both neighbours, or the middle of equals that are. The
## ends are none. O(n).
##
##     x[signal.is_peak(x)]
def is_peak[F: Real](x: F[n]) -> bool[n] =
    let k = iota([n])
    let starts = (k == 0) | (x != roll(x, 1))
    let ends = (k == n - 1) | (x != roll(x, -1))
    let first = cummax(where(starts, k, 0))
    let last = cummin(where(ends, k, n), reverse=true)
    let inside = (first > 0) & (last < n - 1)
    let before = x.at[first - 1].get(mode="clip")
    let after = x.at[last + 1].get(mode="clip")
    inside & (x > before) & (x > after) & (k == (first + last) // 2)
## The indices of the peaks of at least a height whose prominence is at least another: as many as there are.
def find_peaks[F: Float](x: F[n], *, height: F = -inf, prominence: F = 0.0) -> idx[n][?k]
    where ?k <= n =
    let tall = is_peak(x) & (x >= height)
    let kept = if prominence > 0.0 then tall & (prominences(x) >= prominence) else tall
    arange(n)[kept]
## How far each sample rises above the higher one of the two lowest samples between it and the next higher ones, or the
## ends. O(n log n).
def prominences[F: Float](x: F[n]) -> F[n] =
    if n == 0 then x
    else x - maximum(_valley(x), flip(_valley(flip(x))))
# The least sample from the last higher one before each sample up to it: from the widest window of 2^i samples on, each
# that has no higher sample is passed over.
def _valley[F: Float](x: F[n]) -> F[n] where n >= 1 = _passed(x, x, x, 1).0
# The least sample so far and the last one not passed yet, with the largest and the least of the `step` samples up to each.
def _passed[F: Float](x: F[n], most: F[n], least: F[n], static step: int) -> (F[n], i32[n])
    where n >= 1 and step >= 1 and step < 2147483648 =
    let far = iota([n]) - step
    let (low, at) =
        if step >= n then (x, iota([n]))
        else
            let more = where(far >= 0, maximum(most, most.at[far].get(mode="clip")), most)
            _passed(x, more, minimum(least, least.at[far].get(mode="clip")), 2 * step)
    let clear = (at >= 0) & (most.at[at].get(mode="clip") <= x)
    (where(clear, minimum(low, least.at[at].get(mode="clip")), low), where(clear, at - step, at))

# ---------------------------------------------------------------- waves

static def _is_sweep(method: str) -> bool =
    method in ("linear", "quadratic", "logarithmic", "hyperbolic")
## A cosine whose frequency is f0 at the time 0 and f1 at the time t1; in between it goes as `method` says: "linear",
## "quadratic", "logarithmic" or "hyperbolic".
def chirp[F: Float](t: F[*s], f0: F, t1: F, f1: F, *, static method: str = "linear") -> F[*s]
    where _is_sweep(
        method
    ) else "the method is \"linear\", \"quadratic\", \"logarithmic\" or \"hyperbolic\"" =
    let two = cast(2.0 * pi, F)
    if method == "linear" then cos(two * (f0 * t + 0.5 * (f1 - f0) / t1 * t * t))
    else if method == "quadratic" then cos(two * (f0 * t + (f1 - f0) / (t1 * t1) * t * t * t / 3.0))
    else if method == "logarithmic" then
        let rate = log(f1 / f0) / t1
        cos(two * f0 * where(rate == 0.0, t, expm1(rate * t) / where(rate == 0.0, 1.0, rate)))
    else
        let pole = f1 * t1 / where(f0 == f1, 1.0, f1 - f0)
        cos(
            two * f0 * where(f0 == f1, t, -pole * log(abs(1.0 - t / where(pole == 0.0, 1.0, pole))))
        )
## 1 in the first share `duty` of each period of 2 pi, -1 in the rest.
@zero_derivative
def square[F: Float](t: F[*s], duty: F = 0.5) -> F[*s] =
    where(t % (2.0 * pi) < 2.0 * pi * duty, 1.0, -1.0)
## A line from -1 to 1 in the first share `width` of each period of 2 pi, and back in the rest.
def sawtooth[F: Float](t: F[*s], width: F = 1.0) -> F[*s] =
    let phase = (t % (2.0 * pi)) / (2.0 * pi)
    let rest = where(width < 1.0, 1.0 - width, 1.0)
    where(
        phase < width,
        2.0 * phase / where(width > 0.0, width, 1.0) - 1.0,
        1.0 - 2.0 * (phase - width) / rest
    )
