# Discrete Fourier transforms, scaled as in jax.numpy.fft: `fft ifft rfft irfft (x, n=none, axis=-1)`, with a 2 for
# several axes (axes=(-2, -1)) and with an n (axes=none, all of them), are functions of the compiler, since the dtype
# of their result belongs to that of x.

## The frequencies of `fft` of n samples at distance d: 0, 1, …, -2, -1 over n d.
def fftfreq(static n: size, d: f32 = 1.0) -> f32[n] where n >= 1 =
    let k = iota([n])
    f32(where(2 * k < n, k, k - n)) / (f32(n) * d)
## The frequencies of `rfft` of n samples at distance d: 0, 1, …, n // 2 over n d.
def rfftfreq(static n: size, d: f32 = 1.0) -> f32[n // 2 + 1] where n >= 1 = f32(iota([n // 2 + 1])) / (f32(n) * d)
## The frequency 0 moved to the middle of the last axis.
def fftshift[a: Any](x: a[*s, n]) -> a[*s, n] = roll(x, n // 2, axis=-1)
## What `fftshift` did, undone.
def ifftshift[a: Any](x: a[*s, n]) -> a[*s, n] = roll(x, -(n // 2), axis=-1)
