# A convolution of one signal, and of many signals: by hand, and by `vmap`.

## The weighted sums of every window of three.
def convolve_one(x: f32[n], w: f32[3]) -> f32[n - 2] where n >= 2 =
    [x[i : i + 3] @ w for i in range(n - 2)]

## Many signals and as many windows, vectorised by hand: shifted copies of the rows, weighted and added.
def convolve_rows(xs: f32[b, n], ws: f32[b, 3]) -> f32[b, n - 2] where n >= 2 =
    xs[:, : n - 2] * ws[:, 0, None] + xs[:, 1 : n - 1] * ws[:, 1, None] + xs[:, 2:] * ws[:, 2, None]

## The same without thinking about the batch.
def mapped(xs: f32[b, n], ws: f32[b, 3]) -> f32[b, n - 2] where n >= 2 = vmap(convolve_one)(xs, ws)

## Signals that stand in columns, and so do the results.
def mapped_columns(xs: f32[n, b], ws: f32[3, b]) -> f32[n - 2, b] where n >= 2 =
    vmap(convolve_one, in_axes=1, out_axes=1)(xs, ws)

## Many signals, one window.
def mapped_signals(xs: f32[b, n], w: f32[3]) -> f32[b, n - 2] where n >= 2 =
    vmap(convolve_one, in_axes=(0, none))(xs, w)

## Compiled before or after it is mapped, it is the same.
def compiled_and_mapped(xs: f32[b, n], w: f32[3]) -> f32[b, n - 2] where n >= 2 =
    jit(vmap(jit(convolve_one), in_axes=(0, none)))(xs, w)

## The full convolution of two signals, through the general convolution: the window is turned round, and the
## signal is padded so that they overlap in at least one place.
def full(x: f32[n], w: f32[k]) -> f32[n + k - 1] where n >= 1 and k >= 1 =
    let padded = concatenate((zeros([k - 1]), x, zeros([k - 1])))
    conv(padded[None, None], flip(w)[None, None], padding="VALID")[0, 0]

## The same by the name it has in the library.
def full_of_library(x: f32[n], w: f32[k]) -> f32[n + k - 1] where n >= 1 and k >= 1 = convolve(x, w)
