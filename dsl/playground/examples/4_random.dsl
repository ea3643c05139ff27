## Random numbers by keys.
## >>> area()
from random import uniform

## The area of a quarter of a circle. A key is used once: the checker refuses a second use.
def area() -> f32 ! rand =
    let points = uniform(fresh_key(), [1000, 2])
    mean(where(sum(points ** 2, axis=1) < 1.0, 1.0, 0.0))
