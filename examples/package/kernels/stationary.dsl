### Covariance functions of the distance of two points.

import kernels.distances

## The squared exponential covariance with a length scale; infinitely smooth paths.
##
## >>> rbf([0.0], [1.0], 1.0)
## 0.6065307
def rbf(a: f32[d], b: f32[d], scale: f32) -> f32 = exp(-0.5 * distances.squared(a, b) / scale ** 2)

## The rational quadratic covariance: a mixture of squared exponentials of many length scales.
def rational(a: f32[d], b: f32[d], scale: f32, power: f32) -> f32 =
    (1.0 + distances.squared(a, b) / (2.0 * power * scale ** 2)) ** (-power)

## The covariances of all pairs of points.
##
## >>> gram(fn (a, b) -> distances.squared(a, b), [[0.0], [2.0]])
## [[0.0, 4.0], [4.0, 0.0]]
def gram(k: (f32[d], f32[d]) -> f32, x: f32[n, d]) -> f32[n, n] = [[k(a, b) for b in x] for a in x]
