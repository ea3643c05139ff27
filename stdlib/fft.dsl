# Discrete Fourier transforms, scaled as in jax.numpy.fft. The n samples along the axis are cut off, or filled up with
# zeros. Axes are transformed one after the other; that along which the samples are real is the last one, transformed
# first on the way there and last on the way back.

static def _samples(size: int, n: int?) -> int = if n == none then size else n
static def _halves(size: int, n: int?) -> int = _samples(size, n) // 2 + 1
static def _wholes(size: int, n: int?) -> int = if n == none then 2 * (size - 1) else n
static def _has_samples(s: shape, axis: int, n: int) -> bool = extent(s, axis) >= 1 and n >= 1
## The Fourier transform along an axis.
def fft[a: Complex](x: a[*s], static n: int? = none, *, static axis: int = -1) -> a[*replaced(s, axis, _samples(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _samples(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    let found: a[*swapped(replaced(s, axis, _samples(extent(s, axis), n)), axis, -1)] =
        intrinsic.fft(swapaxes(x, axis, -1), n=_samples(extent(s, axis), n))
    intrinsic.transpose(found, axes=_exchanged(len(s), axis))
## The Fourier transform along an axis.
def fft(x: f32[*s], static n: int? = none, *, static axis: int = -1) -> c64[*replaced(s, axis, _samples(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _samples(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    fft(cast(x, c64), n, axis=axis)
## The Fourier transform along an axis.
def fft(x: f64[*s], static n: int? = none, *, static axis: int = -1) -> c128[*replaced(s, axis, _samples(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _samples(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    fft(cast(x, c128), n, axis=axis)
## The inverse of `fft`.
def ifft[a: Complex](x: a[*s], static n: int? = none, *, static axis: int = -1) -> a[*replaced(s, axis, _samples(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _samples(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    let found: a[*swapped(replaced(s, axis, _samples(extent(s, axis), n)), axis, -1)] =
        intrinsic.ifft(swapaxes(x, axis, -1), n=_samples(extent(s, axis), n))
    intrinsic.transpose(found, axes=_exchanged(len(s), axis))
## The inverse of `fft`.
def ifft(x: f32[*s], static n: int? = none, *, static axis: int = -1) -> c64[*replaced(s, axis, _samples(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _samples(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    ifft(cast(x, c64), n, axis=axis)
## The inverse of `fft`.
def ifft(x: f64[*s], static n: int? = none, *, static axis: int = -1) -> c128[*replaced(s, axis, _samples(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _samples(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    ifft(cast(x, c128), n, axis=axis)
## Half of the Fourier transform of real samples: that of the frequencies 0, …, n // 2.
def rfft(x: f32[*s], static n: int? = none, *, static axis: int = -1) -> c64[*replaced(s, axis, _halves(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _samples(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    let found: c64[*swapped(replaced(s, axis, _halves(extent(s, axis), n)), axis, -1)] =
        intrinsic.rfft(swapaxes(x, axis, -1), n=_samples(extent(s, axis), n))
    intrinsic.transpose(found, axes=_exchanged(len(s), axis))
## Half of the Fourier transform of real samples: that of the frequencies 0, …, n // 2.
def rfft(x: f64[*s], static n: int? = none, *, static axis: int = -1) -> c128[*replaced(s, axis, _halves(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _samples(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    let found: c128[*swapped(replaced(s, axis, _halves(extent(s, axis), n)), axis, -1)] =
        intrinsic.rfft(swapaxes(x, axis, -1), n=_samples(extent(s, axis), n))
    intrinsic.transpose(found, axes=_exchanged(len(s), axis))
## The inverse of `rfft`.
def irfft(x: c64[*s], static n: int? = none, *, static axis: int = -1) -> f32[*replaced(s, axis, _wholes(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _wholes(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    let found: f32[*swapped(replaced(s, axis, _wholes(extent(s, axis), n)), axis, -1)] =
        intrinsic.irfft(swapaxes(x, axis, -1), n=_wholes(extent(s, axis), n))
    intrinsic.transpose(found, axes=_exchanged(len(s), axis))
## The inverse of `rfft`.
def irfft(x: c128[*s], static n: int? = none, *, static axis: int = -1) -> f64[*replaced(s, axis, _wholes(extent(s, axis), n))]
    where has_axis(s, axis) where _has_samples(s, axis, _wholes(extent(s, axis), n)) else "there is a sample, and one along the axis" =
    let found: f64[*swapped(replaced(s, axis, _wholes(extent(s, axis), n)), axis, -1)] =
        intrinsic.irfft(swapaxes(x, axis, -1), n=_wholes(extent(s, axis), n))
    intrinsic.transpose(found, axes=_exchanged(len(s), axis))
# The last axis and this one change places.
static def _exchanged(rank: int, axis: int) -> ints =
    let place = if axis < 0 then axis + rank else axis
    [if i == place then rank - 1 else if i == rank - 1 then place else i for i in range(rank)]
static def _has_some(s: shape, axes: ints) -> bool = all([d >= 1 for d in _at_axes(s, axes)])
static def _all_or(axes: axes, rank: int) -> ints = if axes == none then [i for i in range(rank)] else _listed(axes)
static def _last(s: ints) -> int = s[-1]
static def _but_last(s: ints) -> ints = s[:-1]
def _along[a: Complex](x: a[*s], static axes: ints, static inverse: bool) -> a[*s] where has_axis(s, axes) where _has_some(s, axes) =
    if len(axes) == 0 then x
    else if inverse then _along(ifft(x, axis=_first(axes)), _rest(axes), inverse)
    else _along(fft(x, axis=_first(axes)), _rest(axes), inverse)
## The Fourier transform along the axes, or all of them.
def fftn[a: Complex](x: a[*s], *, static axes: axes = none) -> a[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    _along(x, _all_or(axes, len(s)), false)
## The Fourier transform along the axes, or all of them.
def fftn(x: f32[*s], *, static axes: axes = none) -> c64[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    fftn(cast(x, c64), axes=axes)
## The Fourier transform along the axes, or all of them.
def fftn(x: f64[*s], *, static axes: axes = none) -> c128[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    fftn(cast(x, c128), axes=axes)
## The inverse of `fft` along the axes, or all of them.
def ifftn[a: Complex](x: a[*s], *, static axes: axes = none) -> a[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    _along(x, _all_or(axes, len(s)), true)
## The inverse of `fft` along the axes, or all of them.
def ifftn(x: f32[*s], *, static axes: axes = none) -> c64[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    ifftn(cast(x, c64), axes=axes)
## The inverse of `fft` along the axes, or all of them.
def ifftn(x: f64[*s], *, static axes: axes = none) -> c128[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    ifftn(cast(x, c128), axes=axes)
## Half of the Fourier transform of real samples along the axes, or all of them.
def rfftn(x: f32[*s], *, static axes: axes = none) -> c64[*replaced(s, _last(_all_or(axes, len(s))), _halves(extent(s, _last(_all_or(axes, len(s)))), none))]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis"
    where len(_all_or(axes, len(s))) >= 1 else "there is an axis to transform along" =
    _along(rfft(x, axis=_last(_all_or(axes, len(s)))), _but_last(_all_or(axes, len(s))), false)
## Half of the Fourier transform of real samples along the axes, or all of them.
def rfftn(x: f64[*s], *, static axes: axes = none) -> c128[*replaced(s, _last(_all_or(axes, len(s))), _halves(extent(s, _last(_all_or(axes, len(s)))), none))]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis"
    where len(_all_or(axes, len(s))) >= 1 else "there is an axis to transform along" =
    _along(rfft(x, axis=_last(_all_or(axes, len(s)))), _but_last(_all_or(axes, len(s))), false)
## The inverse of `rfft` along the axes, or all of them.
def irfftn(x: c64[*s], *, static axes: axes = none) -> f32[*replaced(s, _last(_all_or(axes, len(s))), _wholes(extent(s, _last(_all_or(axes, len(s)))), none))]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis"
    where len(_all_or(axes, len(s))) >= 1 else "there is an axis to transform along"
    where _wholes(extent(s, _last(_all_or(axes, len(s)))), none) >= 1 else "there are at least two frequencies along the last axis" =
    irfft(_along(x, _but_last(_all_or(axes, len(s))), true), axis=_last(_all_or(axes, len(s))))
## The inverse of `rfft` along the axes, or all of them.
def irfftn(x: c128[*s], *, static axes: axes = none) -> f64[*replaced(s, _last(_all_or(axes, len(s))), _wholes(extent(s, _last(_all_or(axes, len(s)))), none))]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis"
    where len(_all_or(axes, len(s))) >= 1 else "there is an axis to transform along"
    where _wholes(extent(s, _last(_all_or(axes, len(s)))), none) >= 1 else "there are at least two frequencies along the last axis" =
    irfft(_along(x, _but_last(_all_or(axes, len(s))), true), axis=_last(_all_or(axes, len(s))))
## The Fourier transform along two axes.
def fft2[a: Complex](x: a[*s], *, static axes: axes = (-2, -1)) -> a[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    fftn(x, axes=axes)
## The Fourier transform along two axes.
def fft2(x: f32[*s], *, static axes: axes = (-2, -1)) -> c64[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    fft2(cast(x, c64), axes=axes)
## The Fourier transform along two axes.
def fft2(x: f64[*s], *, static axes: axes = (-2, -1)) -> c128[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    fft2(cast(x, c128), axes=axes)
## The inverse of `fft` along two axes.
def ifft2[a: Complex](x: a[*s], *, static axes: axes = (-2, -1)) -> a[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    ifftn(x, axes=axes)
## The inverse of `fft` along two axes.
def ifft2(x: f32[*s], *, static axes: axes = (-2, -1)) -> c64[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    ifft2(cast(x, c64), axes=axes)
## The inverse of `fft` along two axes.
def ifft2(x: f64[*s], *, static axes: axes = (-2, -1)) -> c128[*s]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis" =
    ifft2(cast(x, c128), axes=axes)
## Half of the Fourier transform of real samples along two axes.
def rfft2(x: f32[*s], *, static axes: axes = (-2, -1)) -> c64[*replaced(s, _last(_all_or(axes, len(s))), _halves(extent(s, _last(_all_or(axes, len(s)))), none))]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis"
    where len(_all_or(axes, len(s))) >= 1 else "there is an axis to transform along" =
    rfftn(x, axes=axes)
## Half of the Fourier transform of real samples along two axes.
def rfft2(x: f64[*s], *, static axes: axes = (-2, -1)) -> c128[*replaced(s, _last(_all_or(axes, len(s))), _halves(extent(s, _last(_all_or(axes, len(s)))), none))]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis"
    where len(_all_or(axes, len(s))) >= 1 else "there is an axis to transform along" =
    rfftn(x, axes=axes)
## The inverse of `rfft` along two axes.
def irfft2(x: c64[*s], *, static axes: axes = (-2, -1)) -> f32[*replaced(s, _last(_all_or(axes, len(s))), _wholes(extent(s, _last(_all_or(axes, len(s)))), none))]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis"
    where len(_all_or(axes, len(s))) >= 1 else "there is an axis to transform along"
    where _wholes(extent(s, _last(_all_or(axes, len(s)))), none) >= 1 else "there are at least two frequencies along the last axis" =
    irfftn(x, axes=axes)
## The inverse of `rfft` along two axes.
def irfft2(x: c128[*s], *, static axes: axes = (-2, -1)) -> f64[*replaced(s, _last(_all_or(axes, len(s))), _wholes(extent(s, _last(_all_or(axes, len(s)))), none))]
    where has_axis(s, axes)
    where _has_some(s, _all_or(axes, len(s))) else "there is a sample along each axis"
    where len(_all_or(axes, len(s))) >= 1 else "there is an axis to transform along"
    where _wholes(extent(s, _last(_all_or(axes, len(s)))), none) >= 1 else "there are at least two frequencies along the last axis" =
    irfftn(x, axes=axes)
## The inverse of `rfft` along the last two axes, with as many rows and columns as `s` says: of an odd number of columns, too.
def irfft2(x: c64[*d, m, k], *, static s: (size, size)) -> f32[*d, s.0, s.1]
    where m >= 1 and k >= 1 and s.0 >= 1 and s.1 >= 1 else "there is a sample, and one along each axis" =
    irfft(ifft(x, s.0, axis=-2), s.1)
## The inverse of `rfft` along the last two axes, with as many rows and columns as `s` says: of an odd number of columns, too.
def irfft2(x: c128[*d, m, k], *, static s: (size, size)) -> f64[*d, s.0, s.1]
    where m >= 1 and k >= 1 and s.0 >= 1 and s.1 >= 1 else "there is a sample, and one along each axis" =
    irfft(ifft(x, s.0, axis=-2), s.1)
## The frequencies of `fft` of n samples at distance d: 0, 1, …, -2, -1 over n d.
def fftfreq(static n: size, d: dtype = 1.0, static dtype: Float = f32) -> dtype[n] where n >= 1 =
    let k = iota([n])
    _frequencies(where(2 * k < n, k, k - n), n, d, dtype)
## The frequencies of `rfft` of n samples at distance d: 0, 1, …, n // 2 over n d.
def rfftfreq(static n: size, d: dtype = 1.0, static dtype: Float = f32) -> dtype[n // 2 + 1] where n >= 1 =
    _frequencies(iota([n // 2 + 1]), n, d, dtype)
def _frequencies(k: i32[m], static n: size, d: dtype, static dtype: Float) -> dtype[m] =
    if dtype == f16 or dtype == bf16 then cast(cast(k, f32) / (n * cast(d, f32)), dtype) else cast(k, dtype) / (n * d)
## The frequency 0 moved to the middle of the last axis.
@elements(x)
def fftshift[a: Any](x: a[*s, n]) -> a[*s, n] = roll(x, n // 2, axis=-1)
## What `fftshift` did, undone.
@elements(x)
def ifftshift[a: Any](x: a[*s, n]) -> a[*s, n] = roll(x, -(n // 2), axis=-1)
