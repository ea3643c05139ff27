# k-means: n points in d dimensions, k centres, by Lloyd's algorithm.

## The squared distance of every point to every centre.
def distances(x: f32[n, d], centres: f32[k, d]) -> f32[n, k] =
    sum((x[:, None, :] - centres[None, :, :]) ** 2, axis=-1)

## Which centre is nearest to each point: a number below `k`, and known to be one.
def assign(x: f32[n, d], centres: f32[k, d]) -> idx[k][n] =
    argmin(distances(x, centres), axis=1)

## Each centre moves to the mean of its points; one without points stays where it is.
def update(x: f32[n, d], labels: idx[k][n], centres: f32[k, d]) -> f32[k, d] =
    let member = f32(labels[:, None] == arange(k)[None, :])
    let count = sum(member, axis=0)[:, None]
    where(count > 0.0, member.T @ x / maximum(count, 1.0), centres)

## The sum of squared distances of the points to their nearest centres: what k-means makes small.
def inertia(x: f32[n, d], centres: f32[k, d]) -> f32 =
    sum(min(distances(x, centres), axis=1))

## Many steps: the last centres, and the inertia after each step.
def fit(x: f32[n, d], centres: f32[k, d], static steps: int) -> (f32[k, d], f32[steps]) =
    scan centres = centres for _ in range(steps) do
        let moved = update(x, assign(x, centres), centres)
        (moved, inertia(x, moved))
