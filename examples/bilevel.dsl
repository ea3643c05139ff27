# Which of ten measurements matter? A regression with a penalty of its own for each weight, and the penalties that make it
# err least on patients it has not seen: a problem within a problem. The gradient by the penalties is that of the minimum of
# the inner problem, by the implicit function theorem, and not of the steps that found it.

import solve

## Patients: standardised measurements, and the standardised progress of the disease.
type Patients[n, d] = {x: f32[n, d], y: f32[n]}

## The mean square of the errors of these weights.
def error(w: f32[d], data: Patients[n, d]) -> f32 = mean(square(data.x @ w - data.y))

## The weights that make errors and penalties smallest together; penalties are powers of e, so that they stay positive.
def fitted(log_penalties: f32[d], data: Patients[n, d], static order: size = 2) -> f32[d] =
    let loss = fn w -> error(w, data) + sum(exp(log_penalties) * square(w))
    solve.lbfgs(loss, zeros([d]), tolerance=1e-5, order=order).value

## The error of what was fitted to some patients, on others.
def unseen(log_penalties: f32[d], seen: Patients[n, d], others: Patients[m, d]) -> f32 =
    error(fitted(log_penalties, seen, 1), others)

## Descent along that gradient: the penalties, and the errors on the way.
def tuned(
    start: f32[d],
    seen: Patients[n, d],
    others: Patients[m, d],
    rate: f32,
    static steps: size
) -> (f32[d], f32[steps]) =
    scan p = start for _ in range(steps) do
        let (value, slope) = value_and_grad(unseen)(p, seen, others)
        (p - rate * slope, value)
