# Linear regression by gradient descent.

## The parameters of a linear model of `d` features: one weight per feature, and an intercept.
type Params[d] = {w: f32[d], b: f32}

## What the model says about each of `n` examples.
def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

## The mean squared error.
def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

## One step of gradient descent: the new parameters, and the loss before the step.
def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value)

## Many steps: the last parameters, and the loss before each step.
def fit(
    p: Params[d],
    x: f32[n, d],
    y: f32[n],
    lr: f32,
    static steps: int
) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr)

## The gradient of every single example, all at once.
def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
