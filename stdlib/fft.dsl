# Discrete Fourier transforms, scaled as in jax.numpy.fft, of real and complex numbers of any precision: those of f64 and
# c128 are computed as c128, all others as c64. The samples along an axis are cut off, or filled up with zeros, to the
# number that is stated. Several axes are transformed by one operation. The samples are real along the last one, which is
# transformed first on the way there and last on the way back.

static def _samples(size: int, n: int?) -> int = if n == none then size else n
static def _halves(size: int, n: int?) -> int = _samples(size, n) // 2 + 1
static def _wholes(size: int, n: int?) -> int = if n == none then 2 * (size - 1) else n
static def _has_samples(s: shape, axis: int, n: int) -> bool = extent(s, axis) >= 1 and n >= 1
## The Fourier transform along an axis.
def fft[a: Inexact](
    x: a[*s],
    static n: int? = none,
    *,
    static axis: int = -1
) -> complex_of(a)[*replaced(s, axis, _samples(extent(s, axis), n))]
    where has_axis(s, axis)
    where _has_samples(
        s,
        axis,
        _samples(extent(s, axis), n)
    ) else "there is a sample, and one along the axis" =
    intrinsic.fft(cast(x, complex_of(a)), axes=_listed(axis), n=_samples(extent(s, axis), n))
## The inverse of `fft`.
def ifft[a: Inexact](
    x: a[*s],
    static n: int? = none,
    *,
    static axis: int = -1
) -> complex_of(a)[*replaced(s, axis, _samples(extent(s, axis), n))]
    where has_axis(s, axis)
    where _has_samples(
        s,
        axis,
        _samples(extent(s, axis), n)
    ) else "there is a sample, and one along the axis" =
    intrinsic.ifft(cast(x, complex_of(a)), axes=_listed(axis), n=_samples(extent(s, axis), n))
## Half of the Fourier transform of real samples: that of the frequencies 0, …, n // 2.
def rfft[a: Float](
    x: a[*s],
    static n: int? = none,
    *,
    static axis: int = -1
) -> complex_of(a)[*replaced(s, axis, _halves(extent(s, axis), n))]
    where has_axis(s, axis)
    where _has_samples(
        s,
        axis,
        _samples(extent(s, axis), n)
    ) else "there is a sample, and one along the axis" =
    intrinsic.rfft(
        cast(x, real_of(complex_of(a))),
        axes=_listed(axis),
        n=_samples(extent(s, axis), n)
    )
## The inverse of `rfft`.
def irfft[a: Complex](
    x: a[*s],
    static n: int? = none,
    *,
    static axis: int = -1
) -> real_of(a)[*replaced(s, axis, _wholes(extent(s, axis), n))]
    where has_axis(s, axis)
    where _has_samples(
        s,
        axis,
        _wholes(extent(s, axis), n)
    ) else "there is a sample, and one along the axis" =
    intrinsic.irfft(x, axes=_listed(axis), n=_wholes(extent(s, axis), n))

# ---------------------------------------------------------------- along several axes

# The axes that are transformed: all, or the last ones where numbers of samples are stated for as many.
static def _over(t: shape, s: shape?, axes: axes) -> ints =
    if axes != none then _listed(axes)
    else if s == none then [i for i in range(len(t))]
    else [len(t) - len(s) + i for i in range(len(s))]
# The shape with so many samples along these axes, of which the last may be left out.
static def _resized(t: shape, s: shape?, axes: ints) -> shape =
    if s == none then t else [_sized(d, i, _from_front(axes, len(t)), s) for (i, d) in enumerate(t)]
static def _sized(d: int, i: int, axes: ints, s: shape) -> int =
    if i in axes then sum([if j == i then n else 0 for (j, n) in zip(axes, s)]) else d
static def _fits(t: shape, s: shape?, axes: axes) -> bool =
    (
        s == none
        or (
            all([n >= 1 for n in s])
            and (if axes == none then len(s) <= len(t) else len(s) == len(_listed(axes)))
        )
    )
static def _has_some(t: shape, axes: ints) -> bool = all([d >= 1 for d in _at_axes(t, axes)])
static def _last(s: ints) -> int = s[-1]
static def _but_last(s: ints) -> ints = s[:-1]
static def _added(s: shape, t: shape) -> pairs = [(0, n - d) for (n, d) in zip(s, t)]
def _filled[a: Any](x: a[*t], static s: shape?, static axes: ints) -> a[*_resized(t, s, axes)] =
    if s == none then x
    else intrinsic.pad(x, 0, widths=_added(_resized(t, s, axes), t), mode="constant")
def _along[a: Complex](x: a[*s], static axes: ints, static inverse: bool) -> a[*s]
    where has_axis(s, axes) where _has_some(s, axes) =
    if len(axes) == 0 then x
    else if inverse then intrinsic.ifft(x, axes=axes)
    else intrinsic.fft(x, axes=axes)
## The Fourier transform along the axes, or all of them.
def fftn[a: Inexact](
    x: a[*t],
    static s: shape? = none,
    *,
    static axes: axes = none
) -> complex_of(a)[*_resized(t, s, _over(t, s, axes))]
    where has_axis(t, axes)
    where _fits(t, s, axes) else "there are as many numbers of samples as axes, each at least 1"
    where _has_some(t, _over(t, s, axes)) else "there is a sample along each axis" =
    _along(cast(_filled(x, s, _over(t, s, axes)), complex_of(a)), _over(t, s, axes), false)
## The inverse of `fft` along the axes, or all of them.
def ifftn[a: Inexact](
    x: a[*t],
    static s: shape? = none,
    *,
    static axes: axes = none
) -> complex_of(a)[*_resized(t, s, _over(t, s, axes))]
    where has_axis(t, axes)
    where _fits(t, s, axes) else "there are as many numbers of samples as axes, each at least 1"
    where _has_some(t, _over(t, s, axes)) else "there is a sample along each axis" =
    _along(cast(_filled(x, s, _over(t, s, axes)), complex_of(a)), _over(t, s, axes), true)
## Half of the Fourier transform of real samples along the axes, or all of them.
def rfftn[a: Float](
    x: a[*t],
    static s: shape? = none,
    *,
    static axes: axes = none
) -> complex_of(a)[
    *replaced(
        _resized(t, s, _over(t, s, axes)),
        _last(_over(t, s, axes)),
        _halves(extent(_resized(t, s, _over(t, s, axes)), _last(_over(t, s, axes))), none)
    )
]
    where has_axis(t, axes)
    where _fits(t, s, axes) else "there are as many numbers of samples as axes, each at least 1"
    where _has_some(t, _over(t, s, axes)) else "there is a sample along each axis"
    where len(_over(t, s, axes)) >= 1 else "there is an axis to transform along" =
    intrinsic.rfft(
        cast(_filled(x, s, _over(t, s, axes)), real_of(complex_of(a))),
        axes=_over(t, s, axes)
    )
## The inverse of `rfft` along the axes, or all of them: of an even number of samples along the last one.
def irfftn[a: Complex](x: a[*t], *, static axes: axes = none) -> real_of(a)[
    *replaced(t, _last(_over(t, none, axes)), _wholes(extent(t, _last(_over(t, none, axes))), none))
]
    where has_axis(t, axes)
    where _has_some(t, _over(t, none, axes)) else "there is a sample along each axis"
    where len(_over(t, none, axes)) >= 1 else "there is an axis to transform along"
    where _wholes(
        extent(t, _last(_over(t, none, axes))),
        none
    ) >= 1 else "there are at least two frequencies along the last axis" =
    intrinsic.irfft(x, axes=_over(t, none, axes))
## The inverse of `rfft` along the axes, or all of them, with as many samples as `s` says: of an odd number along the last one, too.
def irfftn[a: Complex](x: a[*t], static s: shape, *, static axes: axes = none) -> real_of(a)[
    *replaced(
        _resized(t, _but_last(s), _but_last(_over(t, s, axes))),
        _last(_over(t, s, axes)),
        s[-1]
    )
]
    where has_axis(t, axes)
    where _fits(t, s, axes) else "there are as many numbers of samples as axes, each at least 1"
    where _has_some(t, _over(t, s, axes)) else "there is a sample along each axis"
    where len(s) >= 1 else "there is an axis to transform along" =
    intrinsic.irfft(
        _filled(x, _but_last(s), _but_last(_over(t, s, axes))),
        axes=_over(t, s, axes),
        n=s[-1]
    )
## The Fourier transform along two axes.
def fft2[a: Inexact](
    x: a[*t],
    static s: shape? = none,
    *,
    static axes: axes = (-2, -1)
) -> complex_of(a)[*_resized(t, s, _over(t, s, axes))]
    where has_axis(t, axes)
    where _fits(t, s, axes) else "there are as many numbers of samples as axes, each at least 1"
    where _has_some(t, _over(t, s, axes)) else "there is a sample along each axis" =
    fftn(x, s, axes=axes)
## The inverse of `fft` along two axes.
def ifft2[a: Inexact](
    x: a[*t],
    static s: shape? = none,
    *,
    static axes: axes = (-2, -1)
) -> complex_of(a)[*_resized(t, s, _over(t, s, axes))]
    where has_axis(t, axes)
    where _fits(t, s, axes) else "there are as many numbers of samples as axes, each at least 1"
    where _has_some(t, _over(t, s, axes)) else "there is a sample along each axis" =
    ifftn(x, s, axes=axes)
## Half of the Fourier transform of real samples along two axes.
def rfft2[a: Float](
    x: a[*t],
    static s: shape? = none,
    *,
    static axes: axes = (-2, -1)
) -> complex_of(a)[
    *replaced(
        _resized(t, s, _over(t, s, axes)),
        _last(_over(t, s, axes)),
        _halves(extent(_resized(t, s, _over(t, s, axes)), _last(_over(t, s, axes))), none)
    )
]
    where has_axis(t, axes)
    where _fits(t, s, axes) else "there are as many numbers of samples as axes, each at least 1"
    where _has_some(t, _over(t, s, axes)) else "there is a sample along each axis"
    where len(_over(t, s, axes)) >= 1 else "there is an axis to transform along" =
    rfftn(x, s, axes=axes)
## The inverse of `rfft` along two axes: of an even number of samples along the last one.
def irfft2[a: Complex](x: a[*t], *, static axes: axes = (-2, -1)) -> real_of(a)[
    *replaced(t, _last(_over(t, none, axes)), _wholes(extent(t, _last(_over(t, none, axes))), none))
]
    where has_axis(t, axes)
    where _has_some(t, _over(t, none, axes)) else "there is a sample along each axis"
    where len(_over(t, none, axes)) >= 1 else "there is an axis to transform along"
    where _wholes(
        extent(t, _last(_over(t, none, axes))),
        none
    ) >= 1 else "there are at least two frequencies along the last axis" =
    irfftn(x, axes=axes)
## The inverse of `rfft` along two axes, with as many samples as `s` says: of an odd number along the last one, too.
def irfft2[a: Complex](x: a[*t], static s: shape, *, static axes: axes = (-2, -1)) -> real_of(a)[
    *replaced(
        _resized(t, _but_last(s), _but_last(_over(t, s, axes))),
        _last(_over(t, s, axes)),
        s[-1]
    )
]
    where has_axis(t, axes)
    where _fits(t, s, axes) else "there are as many numbers of samples as axes, each at least 1"
    where _has_some(t, _over(t, s, axes)) else "there is a sample along each axis"
    where len(s) >= 1 else "there is an axis to transform along" =
    irfftn(x, s, axes=axes)
## The frequencies of `fft` of n samples at distance d: 0, 1, …, -2, -1 over n d.
def fftfreq(static n: size, d: dtype = 1.0, static dtype: Float = f32) -> dtype[n] where n >= 1 =
    let k = iota([n])
    _frequencies(where(2 * k < n, k, k - n), n, d, dtype)
## The frequencies of `rfft` of n samples at distance d: 0, 1, …, n // 2 over n d.
def rfftfreq(static n: size, d: dtype = 1.0, static dtype: Float = f32) -> dtype[n // 2 + 1]
    where n >= 1 =
    _frequencies(iota([n // 2 + 1]), n, d, dtype)
def _frequencies(k: i32[m], static n: size, d: dtype, static dtype: Float) -> dtype[m] =
    if dtype == f16 or dtype == bf16 then
        cast(cast(k, f32) / (n * cast(d, f32)), dtype)
    else
        cast(k, dtype) / (n * d)
## The frequency 0 moved to the middle of the last axis.
@elements(x)
def fftshift[a: Any](x: a[*s, n]) -> a[*s, n] = roll(x, n // 2, axis=-1)
## What `fftshift` did, undone.
@elements(x)
def ifftshift[a: Any](x: a[*s, n]) -> a[*s, n] = roll(x, -(n // 2), axis=-1)
