### Distances between points.

## The square of the Euclidean distance of two points.
##
## >>> squared([0.0, 0.0], [3.0, 4.0])
## 25.0
def squared(a: f32[d], b: f32[d]) -> f32 = sum((a - b) ** 2)

## The sum of the absolute differences of the coordinates of two points.
##
## >>> manhattan([0.0, 0.0], [3.0, 4.0])
## 7.0
def manhattan(a: f32[d], b: f32[d]) -> f32 =
    let difference = a - b
    sum(abs(difference))
