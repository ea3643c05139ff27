## Gradient descent.
## >>> fit([[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]], [3.0, 7.0, 11.4], steps=200)

def loss(w: f32[d], x: f32[n, d], y: f32[n]) -> f32 where n >= 1 = mean((x @ w - y) ** 2)

def fit(x: f32[n, d], y: f32[n], static steps: int) where n >= 1 =
    fold w = zeros([d]) for _ in range(steps) do
        w - 0.02 * grad(loss)(w, x, y)
