# Functions of arrays: elementwise, by columns, updated, chosen, reshaped.

def selu(x: f32[*s], alpha: f32 = 1.67, scale: f32 = 1.05) -> f32[*s] =
    scale * where(x > 0.0, x, alpha * exp(x) - alpha)

## Every column with mean 0 and standard deviation 1.
def normalised(x: f32[n, d]) -> f32[n, d] where n >= 1 = (x - mean(x, axis=0)) / std(x, axis=0)

## The array with another first element. The given one stays as it is.
def with_first(x: f32[n], value: f32) -> f32[n] where n >= 1 = x.at[0].set(value)

## The negative elements, as many as there are: data decide the size.
def negatives(x: f32[n]) -> f32[?k] where ?k <= n = x[x < 0.0]

## These have a size that is known.
def negatives_or_zero(x: f32[n]) -> f32[n] = where(x < 0.0, x, 0.0)

def first_negatives(x: f32[n], static count: size) -> f32[count] ! check =
    compress(x, x < 0.0, size=count, fill=0.0)

## The sign is chosen when the function is compiled, once for each value of the flag.
def signed(x: f32[*s], static neg: bool) -> f32[*s] = if neg then -x else x

## Shapes are known when a program is compiled, so they may be computed with.
def flattened(x: f32[*s]) = reshape(x, [prod(x.shape)])

def dot_of_next(x: f32[n], y: f32[n]) -> f32 = dot(x + 1.0, y + 1.0)
