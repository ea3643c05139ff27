# Images, in layouts whose spatial axes are the last ones.

import prelude

## The image with `size[0]` rows and `size[1]` columns along its last two axes, as `jax.image.resize`. The method is
## "nearest", "linear", "cubic" (Keys 1981, a = -1/2), "lanczos3" or "lanczos5"; where an axis gets shorter,
## `antialias` widens the kernel as much. Of images `x: f32[n, c, h, w]`, `image.resize(x, (2 * h, 2 * w), "cubic")`
## doubles both sides. Two products of matrices with the weights of each axis: O(h w m + h m k) for each image that
## is resized from [h, w] to [k, m].
def resize[a: Float](
    x: a[*s, h, w],
    static size: (size, size),
    static method: str = "linear",
    *,
    static antialias: bool = true
) -> a[*s, size.0, size.1]
    where h >= 1 and w >= 1 else "the image has at least one row and one column"
    where _is_method(
        method
    ) else "the method is \"nearest\", \"linear\", \"cubic\", \"lanczos3\" or \"lanczos5\"" =
    let wide = resize(x, (size.1,), method, antialias=antialias)
    swapaxes(resize(swapaxes(wide, -1, -2), (size.0,), method, antialias=antialias), -1, -2)
## The same along the last axis.
def resize[a: Float](
    x: a[*s, n],
    static size: (size,),
    static method: str = "linear",
    *,
    static antialias: bool = true
) -> a[*s, size.0]
    where n >= 1 else "the axis has at least one element"
    where _is_method(
        method
    ) else "the method is \"nearest\", \"linear\", \"cubic\", \"lanczos3\" or \"lanczos5\"" =
    if method == "nearest" then
        x[..., _nearest(n, size.0)]
    else
        x @ cast(_weights(n, size.0, method, antialias, if a == f64 then f64 else f32), a)
## The same along the last three axes, of volumes.
def resize[a: Float](
    x: a[*s, d, h, w],
    static size: (size, size, size),
    static method: str = "linear",
    *,
    static antialias: bool = true
) -> a[*s, size.0, size.1, size.2]
    where d >= 1 and h >= 1 and w >= 1 else "the volume has at least one element along each axis"
    where _is_method(
        method
    ) else "the method is \"nearest\", \"linear\", \"cubic\", \"lanczos3\" or \"lanczos5\"" =
    let flat = resize(x, (size.1, size.2), method, antialias=antialias)
    swapaxes(resize(swapaxes(flat, -1, -3), (size.0,), method, antialias=antialias), -1, -3)
static def _is_method(method: str) -> bool =
    method in ("nearest", "linear", "cubic", "lanczos3", "lanczos5")
# The element whose place holds the middle of each new one.
def _nearest(static n: size, static m: size) -> idx[n][m] where n >= 1 =
    clip(i32((2 * i64(iota([m])) + 1) * n // (2 * max(m, 1))), 0, n - 1)
# Column j has the weights of all elements in the new element j; they add up to 1.
def _weights(
    static n: size,
    static m: size,
    static method: str,
    static antialias: bool,
    static dtype: Float
) -> dtype[n, m] =
    let scale = 1.0 * n / max(m, 1)
    let at = (cast(iota([m]), dtype) + 0.5) * scale - 0.5
    let far = (
        abs(at[None, :] - cast(iota([n]), dtype)[:, None])
        / (if antialias then max(scale, 1.0) else 1.0)
    )
    let found = _kernel(far, method)
    let total = sum(found, axis=0, keepdims=true)
    where(
        abs(total) > 1000.0 * (if dtype == f64 then 2.3e-16 else 1.2e-7),
        found / where(total != 0.0, total, 1.0),
        0.0
    )
def _kernel[a: Float](x: a[n, m], static method: str) -> a[n, m] =
    if method == "cubic" then
        where(
            x < 1.0,
            ((1.5 * x - 2.5) * x) * x + 1.0,
            where(x < 2.0, ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0, 0.0)
        )
    else if method == "lanczos3" then _lanczos(x, 3.0)
    else if method == "lanczos5" then _lanczos(x, 5.0)
    else maximum(1.0 - x, 0.0)
def _lanczos[a: Float](x: a[n, m], static radius: float) -> a[n, m] =
    where(x > radius, 0.0, sinc(x) * sinc(x / radius))
