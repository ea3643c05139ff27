# Random numbers: threefry keys, used once each. Draws are those of jax.random for the same key data.

## A key from a seed.
def key(seed: i32) -> key = intrinsic.key(seed)
## num new keys; the old one is gone.
def split(k: key, static num: size = 2) -> key[num] = intrinsic.split(k, num=num)
## The key that belongs to this integer.
def fold_in(k: key, data: i32) -> key = intrinsic.fold_in(k, data)
## Uniform bits.
def bits(k: key, static shape: shape = [], static dtype: dtype = u32) -> dtype[*shape] = intrinsic.bits(k, shape=shape, dtype=dtype)
## Uniform in [minval, maxval).
def uniform(k: key, static shape: shape = [], static dtype: dtype = f32, *, minval: dtype = 0.0, maxval: dtype = 1.0) -> dtype[*shape] = minval + intrinsic.uniform(k, shape=shape, dtype=dtype) * (maxval - minval)
## Standard normal.
def normal(k: key, static shape: shape = [], static dtype: dtype = f32) -> dtype[*shape] = intrinsic.normal(k, shape=shape, dtype=dtype)
## True with probability p.
def bernoulli(k: key, p: f32 = 0.5, static shape: shape = []) -> bool[*shape] = intrinsic.bernoulli(k, p, shape=shape)
## An index, with probabilities proportional to exp(logits).
def categorical(k: key, logits: f32[*s, n]) -> idx[n][*s] where n >= 1 = intrinsic.categorical(k, logits)
## A random order of 0, …, n - 1.
def permutation(k: key, static n: size) -> idx[n][n] = intrinsic.permutation(k, n=n)
## Integers in low <= i < high.
def randint(k: key, static shape: shape, low: i32, high: i32) -> i32[*shape] = intrinsic.randint(k, low, high, shape=shape, dtype=i32)
def exponential(k: key, static shape: shape = [], static dtype: dtype = f32) -> dtype[*shape] = intrinsic.exponential(k, shape=shape, dtype=dtype)
def gumbel(k: key, static shape: shape = [], static dtype: dtype = f32) -> dtype[*shape] = intrinsic.gumbel(k, shape=shape, dtype=dtype)
def laplace(k: key, static shape: shape = [], static dtype: dtype = f32) -> dtype[*shape] = intrinsic.laplace(k, shape=shape, dtype=dtype)
def logistic(k: key, static shape: shape = [], static dtype: dtype = f32) -> dtype[*shape] = intrinsic.logistic(k, shape=shape, dtype=dtype)
def cauchy(k: key, static shape: shape = [], static dtype: dtype = f32) -> dtype[*shape] = intrinsic.cauchy(k, shape=shape, dtype=dtype)
def rademacher(k: key, static shape: shape = [], static dtype: dtype = f32) -> dtype[*shape] = intrinsic.rademacher(k, shape=shape, dtype=dtype)
## Normal, cut off to low < x < high.
def truncated_normal(k: key, low: f32, high: f32, static shape: shape = []) -> f32[*shape] = intrinsic.truncated_normal(k, low, high, shape=shape)
