# Logistic regression: how likely each example is of the one kind and not the other.

import linalg

type Model[d] = {w: f32[d], b: f32}

## The logarithm of the odds.
def logits(m: Model[d], x: f32[n, d]) -> f32[n] = x @ m.w + m.b

def probability(m: Model[d], x: f32[n, d]) -> f32[n] = sigmoid(logits(m, x))

## The mean cross entropy, and a little of the squared weights, so that they stay finite.
def loss(m: Model[d], x: f32[n, d], y: f32[n], decay: f32) -> f32 =
    let z = logits(m, x)
    mean(logaddexp(z, 0.0) - z * y) + 0.5 * decay * sum(m.w ** 2)

def accuracy(m: Model[d], x: f32[n, d], y: f32[n]) -> f32 = mean((logits(m, x) > 0.0) == (y > 0.5))

## Gradient descent: the last model, and the loss before each step.
def fit(
    m: Model[d],
    x: f32[n, d],
    y: f32[n],
    rate: f32,
    decay: f32,
    static steps: int
) -> (Model[d], f32[steps]) =
    scan m = m for _ in range(steps) do
        let (value, g) = value_and_grad(loss)(m, x, y, decay)
        (m - rate * g, value)

## Newton's method on the same loss: it needs a handful of steps.
def fit_by_newton(
    m: f32[d + 1],
    x: f32[n, d],
    y: f32[n],
    decay: f32,
    static steps: int
) -> f32[d + 1] =
    let flat = fn (v: f32[d + 1]) -> loss({w = v[:-1], b = v[-1]}, x, y, decay)
    fold v = m for _ in range(steps) do v - linalg.solve(hessian(flat)(v), grad(flat)(v))
