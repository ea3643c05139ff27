# Optimizers as pure functions, named as in optax. Every optimizer NAME has
#     NAME_init(params) -> state        NAME_update(grads, state, params, …) -> (updates, state)
# for parameters of any tree of floats; `apply_updates(params, updates)` takes the step.

import linalg

## params + updates.
def apply_updates[P: VSpace](params: P, updates: P) -> P = params + updates

# ---------------------------------------------------------------- gradients

## The square root of the sum of squares of all elements of all leaves.
def global_norm[P: VSpace](tree: P, *, static dtype: Float = f32) -> dtype =
    sqrt(
        tree_reduce(fn (total, x) -> total + sum(square(_length(x, dtype))), tree, zeros([], dtype))
    )
def _length[a: Inexact](x: a[*s], static dtype: Float) -> dtype[*s] =
    intrinsic.cast(intrinsic.abs(x), dtype=dtype)
def _times[F: Float, P: VSpace](k: F, tree: P) -> P = tree_map(fn x -> cast(k, x.dtype) * x, tree)
def _over[F: Float, P: VSpace](tree: P, k: F) -> P = tree_map(fn x -> x / cast(k, x.dtype), tree)
# 1 - decay^count, of which few digits are left in f32.
def _risen(decay: f32, count: f32) -> f64 = 1.0 - f64(decay) ** f64(count)
## Scaled so that the global norm is at most max_norm.
def clip_by_global_norm[F: Float, P: VSpace](updates: P, max_norm: F) -> P =
    let norm = global_norm(updates, dtype=F)
    _times(where(norm <= max_norm, 1.0, max_norm / norm), updates)
## Every element clipped to ±max_delta.
def clip[a: Float](updates: a[*s], max_delta: a) -> a[*s] =
    minimum(maximum(updates, -max_delta), max_delta)
## updates + weight_decay params.
def add_decayed_weights[F: Float, P: VSpace](updates: P, params: P, weight_decay: F) -> P =
    updates + _times(weight_decay, params)
## decay average + (1 - decay) value.
def ema[P: VSpace](average: P, value: P, decay: f32) -> P =
    _times(decay, average) + _times(1.0 - f64(decay), value)

# ---------------------------------------------------------------- rules with memory
#
# A rule turns gradients into updates and performs `memory` for what it keeps from step to step. Rules compose as
# functions do, each in a scope of its own:
#     def rule(g: Params, p: Params) -> Params ! optim.memory = optim.by_adamw(optim.clip_by_global_norm(g, 1.0), p, 1e-3)
#     let kept = optim.begin(fn () -> rule(p, p))
#     let (updates, kept) = optim.step(kept, fn () -> rule(g, p))

## What a rule keeps, by its name: `start` gives the first value, `next` the one after a step, which is the result.
effect named memory[T: Tree]: (static name: str, start: () -> T, next: (T) -> T) -> T

## The memory of a rule before the first step.
def begin[B: Tree, M: Tree](rule: () -> B ! memory(M)) -> M =
    let (_, first) = with handler memory(name, start, next) -> resume(start()), record do rule()
    first
## What a rule gives, and its memory after the step.
def step[B: Tree, M: Tree](kept: M, rule: () -> B ! memory(M)) -> (B, M) =
    with handler memory(name, start, next) as last from kept -> resume(next(last)), record do rule()

## The number of steps, from 1 on.
def counted() -> i32 ! memory = memory("count", fn () -> 0, fn count -> count + 1)
## The moving mean of values: decay average + (1 - decay) value, from 0 on.
def moving_mean[P: VSpace](value: P, static name: str, decay: f32) -> P ! memory =
    memory(name, fn () -> zeros_like(value), fn average -> ema(average, value, decay))
## trace = g + decay trace, the momentum of g; `nesterov` looks one step ahead.
def trace[P: VSpace](g: P, decay: f32, *, static nesterov: bool = false) -> P ! memory =
    let kept = memory("trace", fn () -> zeros_like(g), fn last -> g + _times(decay, last))
    if nesterov then g + _times(decay, kept) else kept
## The moving mean of the gradient over the root of that of its square, both without their bias towards 0 (Kingma and Ba
## 2014); `nesterov` looks one step ahead (Dozat 2016).
def scale_by_adam[P: VSpace](
    g: P,
    *,
    b1: f32 = 0.9,
    b2: f32 = 0.999,
    static eps: float = 1e-8,
    static nesterov: bool = false
) -> P ! memory =
    let count = f32(counted())
    let mu = moving_mean(g, "mu", b1)
    let nu = moving_mean(_squares(g), "nu", b2)
    let unbiased = _over(mu, _risen(b1, count))
    let m =
        if nesterov then
            _over(_times(b1, mu), _risen(b1, count + 1.0)) + _over(
                _times(1.0 - f64(b1), g),
                _risen(b1, count)
            )
        else
            unbiased
    tree_map(fn (m, v) -> m / (sqrt(v) + eps), m, _over(nu, _risen(b2, count)))
## g / sqrt(nu + eps), nu the moving mean of g² (Hinton 2012).
def scale_by_rms[P: VSpace](g: P, *, decay: f32 = 0.9, static eps: float = 1e-8) -> P ! memory =
    tree_map(fn (g, v) -> g * rsqrt(v + eps), g, moving_mean(_squares(g), "nu", decay))
## g over the root of the sum of all g² so far (Duchi, Hazan and Singer 2011).
def scale_by_rss[P: VSpace[Float]](
    g: P,
    *,
    initial_accumulator_value: f32 = 0.1,
    static eps: float = 1e-7
) -> P ! memory =
    let total = memory(
        "sum_of_squares",
        fn () -> tree_map(fn x -> cast(initial_accumulator_value, x.dtype) * ones_like(x), g),
        fn last -> last + _squares(g)
    )
    tree_map(fn (g, v) -> where(v > 0.0, g * rsqrt(v + eps), 0.0), g, total)
## The sign of b1 mu + (1 - b1) g, then mu moves to g by 1 - b2 (Chen et al. 2023).
def scale_by_lion[P: VSpace](g: P, *, b1: f32 = 0.9, b2: f32 = 0.99) -> P ! memory =
    let kept = memory(
        "mu",
        fn () -> {before = zeros_like(g), now = zeros_like(g)},
        fn last -> {before = last.now, now = ema(last.now, g, b2)}
    )
    tree_map(fn x -> sign(x), ema(kept.before, g, b1))
## Each leaf of the updates scaled by the norm of its parameters over its own, 1 where one of them is 0 (You et al. 2019).
def scale_by_trust_ratio[P: VSpace[Float]](updates: P, params: P) -> P =
    tree_map(fn (u, p) -> _ratio(sqrt(sum(square(p))), sqrt(sum(square(u)))) * u, updates, params)
def _ratio[a: Float](p: a, u: a) -> a =
    where((p > 0.0) & (u > 0.0), p / where(u > 0.0, u, 1.0), 1.0)
def _squares[P: VSpace](tree: P) -> P = tree_map(fn g -> g * g, tree)

## -learning_rate updates.
def descend[F: Float, P: VSpace](updates: P, learning_rate: F) -> P =
    _times(-learning_rate, updates)
## Gradient descent, with momentum where it is not 0.
def sgd[F: Float, P: VSpace](
    g: P,
    learning_rate: F,
    *,
    momentum: f32 = 0.0,
    static nesterov: bool = false
) -> P ! memory =
    descend(trace(g, momentum, nesterov=nesterov), learning_rate)
## Adam (Kingma and Ba 2014).
def adam[F: Float, P: VSpace](
    g: P,
    learning_rate: F,
    *,
    b1: f32 = 0.9,
    b2: f32 = 0.999,
    static eps: float = 1e-8
) -> P ! memory =
    descend(scale_by_adam(g, b1=b1, b2=b2, eps=eps), learning_rate)
## Adam with weights that decay by themselves (Loshchilov and Hutter 2017).
def adamw[F: Float, P: VSpace](
    g: P,
    params: P,
    learning_rate: F,
    *,
    b1: f32 = 0.9,
    b2: f32 = 0.999,
    static eps: float = 1e-8,
    weight_decay: F = 1e-4
) -> P ! memory =
    descend(
        add_decayed_weights(scale_by_adam(g, b1=b1, b2=b2, eps=eps), params, weight_decay),
        learning_rate
    )
## Adam with Nesterov's momentum (Dozat 2016).
def nadam[F: Float, P: VSpace](
    g: P,
    learning_rate: F,
    *,
    b1: f32 = 0.9,
    b2: f32 = 0.999,
    static eps: float = 1e-8
) -> P ! memory =
    descend(scale_by_adam(g, b1=b1, b2=b2, eps=eps, nesterov=true), learning_rate)
## AdaGrad (Duchi, Hazan and Singer 2011).
def adagrad[F: Float, P: VSpace[Float]](
    g: P,
    learning_rate: F,
    *,
    initial_accumulator_value: f32 = 0.1,
    static eps: float = 1e-7
) -> P ! memory =
    descend(
        scale_by_rss(g, initial_accumulator_value=initial_accumulator_value, eps=eps),
        learning_rate
    )
## RMSProp (Hinton 2012).
def rmsprop[F: Float, P: VSpace](
    g: P,
    learning_rate: F,
    *,
    decay: f32 = 0.9,
    static eps: float = 1e-8
) -> P ! memory =
    descend(scale_by_rms(g, decay=decay, eps=eps), learning_rate)
## Lion (Chen et al. 2023).
def lion[F: Float, P: VSpace](
    g: P,
    params: P,
    learning_rate: F,
    *,
    b1: f32 = 0.9,
    b2: f32 = 0.99,
    weight_decay: F = 1e-3
) -> P ! memory =
    descend(
        add_decayed_weights(scale_by_lion(g, b1=b1, b2=b2), params, weight_decay),
        learning_rate
    )
## LAMB: the steps of Adam, each leaf in proportion to its parameters (You et al. 2019).
def lamb[F: Float, P: VSpace[Float]](
    g: P,
    params: P,
    learning_rate: F,
    *,
    b1: f32 = 0.9,
    b2: f32 = 0.999,
    static eps: float = 1e-6,
    weight_decay: F = 0.0
) -> P ! memory =
    descend(
        scale_by_trust_ratio(
            add_decayed_weights(scale_by_adam(g, b1=b1, b2=b2, eps=eps), params, weight_decay),
            params
        ),
        learning_rate
    )
## A matrix with singular values near 1 and the singular vectors of x, by five steps of a quintic iteration.
def orthogonalised[a: Float](x: a[n, m]) -> a[n, m] =
    let y = x / (sqrt(sum(square(x))) + 1e-7)
    if n > m then _newton_schulz(y.T).T else _newton_schulz(y)
def _newton_schulz[a: Float](x: a[n, m]) -> a[n, m] =
    fold y = x for _ in range(5) do
        let s = y @ y.T
        3.4445 * y + (-4.7750 * s + 2.0315 * (s @ s)) @ y
## Muon, for one matrix of weights: momentum with singular values near 1 (Jordan et al. 2024).
def muon[a: Float](g: a[n, m], learning_rate: a, *, momentum: f32 = 0.95) -> a[n, m] ! memory =
    (
        -learning_rate
        * sqrt(maximum(cast(n, a) / cast(max(1, m), a), 1.0))
        * orthogonalised(trace(g, momentum, nesterov=true))
    )
## A matrix g over the root of the moving mean of its square, of which the means of rows and of columns alone are kept: n + m
## numbers in place of n m (Shazeer and Stern 2018). The decay of step t is 1 - t^-decay_rate.
def scale_by_factored_rms[a: Float](
    g: a[n, m],
    *,
    decay_rate: f32 = 0.8,
    static eps: float = 1e-30
) -> a[n, m] ! memory where n >= 1 and m >= 1 =
    let decay = f32(1.0 - f64(counted()) ** -f64(decay_rate))
    let squares = g * g + eps
    let rows = moving_mean(mean(squares, axis=1), "rows", decay)
    let columns = moving_mean(mean(squares, axis=0), "columns", decay)
    g * rsqrt(rows / mean(rows))[:, None] * rsqrt(columns)[None, :]
def _root_mean_square[a: Float](x: a[n, m]) -> a where n >= 1 and m >= 1 = sqrt(mean(x * x))
## Adafactor, for one matrix of weights: the factored scaling, clipped where its root mean square is above `clipping_threshold`, in
## proportion to the root mean square of the parameters (Shazeer and Stern 2018).
def adafactor[a: Float](
    g: a[n, m],
    params: a[n, m],
    learning_rate: a,
    *,
    decay_rate: f32 = 0.8,
    clipping_threshold: a = 1.0,
    static eps: float = 1e-30
) -> a[n, m] ! memory where n >= 1 and m >= 1 =
    let scaled = scale_by_factored_rms(g, decay_rate=decay_rate, eps=eps)
    let clipped = scaled / maximum(1.0, _root_mean_square(scaled) / clipping_threshold)
    -learning_rate * maximum(_root_mean_square(params), 0.001) * clipped
## Shampoo, for one matrix of weights: L^(-1/4) g R^(-1/4) for the sums L of g g^T and R of g^T g (Gupta, Koren and Singer
## 2018), each by the decomposition of a symmetric matrix at every step; with a `decay` they are moving sums.
def shampoo[a: Float](
    g: a[n, m],
    learning_rate: a,
    *,
    decay: a = 1.0,
    static eps: float = 1e-6
) -> a[n, m] ! memory =
    let left = memory("left", fn () -> eps * eye(n, a), fn last -> decay * last + g @ g.T)
    let right = memory("right", fn () -> eps * eye(m, a), fn last -> decay * last + g.T @ g)
    -learning_rate * (_fourth_root(left) @ g @ _fourth_root(right))
# x^(-1/4) of a positive definite x.
def _fourth_root[a: Float](x: a[n, n]) -> a[n, n] =
    let (values, vectors) = linalg.eigh(x)
    (vectors * maximum(values, 1e-30) ** -0.25) @ vectors.T

# ---------------------------------------------------------------- rules around rules

## The updates of a rule for the leaves, or elements, where `mask` is 1, and zeros where it is 0; the rule sees zeros there.
## The sum of several is a rule for each group of leaves: `masked(g, matrices, …) + masked(g, others, …)`, each in a scope
## of its own. A mask is written by the paths of leaves: `{zeros_like(p) with layer.w = ones_like(p.layer.w)}`.
def masked[P: VSpace, M: Tree](g: P, mask: P, rule: (P) -> P ! memory(M)) -> P ! memory =
    let part = tree_map(fn (x, m) -> x * m, g, mask)
    let kept = memory(
        "inner",
        fn () -> {updates = zeros_like(g), memory = begin(fn () -> rule(part))},
        fn last -> _stepped(last, part, true, rule)
    )
    tree_map(fn (x, m) -> x * m, kept.updates, mask)

## The updates of a rule for the mean of `steps` gradients, once in so many steps; zeros in between.
def every[P: VSpace, M: Tree](g: P, static steps: size, rule: (P) -> P ! memory(M)) -> P ! memory
    where steps >= 1 =
    let count = counted()
    let due = count % steps == 0
    let total = memory(
        "total",
        fn () -> {before = zeros_like(g), sum = zeros_like(g)},
        fn last -> _added(last, g, due)
    )
    let mean = _over(total.before, f32(steps))
    let kept = memory(
        "inner",
        fn () -> {updates = zeros_like(g), memory = begin(fn () -> rule(g))},
        fn last -> _stepped(last, mean, due, rule)
    )
    _times(f32(due), kept.updates)
def _added[P: VSpace](last: {before: P, sum: P}, g: P, due: bool) -> {before: P, sum: P} =
    let sum = last.sum + g
    {before = sum, sum = _times(1.0 - f32(due), sum)}
def _stepped[P: VSpace, M: Tree](
    last: {updates: P, memory: M},
    g: P,
    due: bool,
    rule: (P) -> P ! memory(M)
) -> {updates: P, memory: M} =
    let (updates, kept) = step(last.memory, fn () -> rule(g))
    tree_map(fn (new, old) -> where(due, new, old), {updates = updates, memory = kept}, last)
## The updates of a rule, or zeros where a gradient is not finite; the rule does not see such a gradient.
def where_finite[P: VSpace[Float], M: Tree](g: P, rule: (P) -> P ! memory(M)) -> P ! memory =
    let fine = tree_reduce(fn (fine, x) -> fine & all(isfinite(x)), g, true)
    let safe = tree_map(fn x -> where(isfinite(x), x, zeros_like(x)), g)
    let kept = memory(
        "inner",
        fn () -> {updates = zeros_like(g), memory = begin(fn () -> rule(g))},
        fn last -> _stepped(last, safe, fine, rule)
    )
    _times(f32(fine), kept.updates)

# ---------------------------------------------------------------- descent

## The state of plain descent before the first step.
def sgd_init[P: VSpace](params: P) -> {trace: P} = {trace = zeros_like(params)}
## With momentum m: trace = g + m trace; nesterov looks one step ahead.
def sgd_update[F: Float, P: VSpace](
    grads: P,
    state: {trace: P},
    params: P,
    *,
    learning_rate: F,
    momentum: f32 = 0.0,
    static nesterov: bool = false
) -> (P, {trace: P}) =
    let trace = grads + _times(momentum, state.trace)
    let step = if nesterov then grads + _times(momentum, trace) else trace
    (-_times(learning_rate, step), {trace = trace})

# ---------------------------------------------------------------- adam and its variants

## The state of Adam before the first step.
def adam_init[P: VSpace](params: P) -> {count: i32, mu: P, nu: P} =
    {count = 0, mu = zeros_like(params), nu = zeros_like(params)}
## Moving means of the gradient and of its square, without their bias towards 0 (Kingma and Ba 2014).
def adam_update[F: Float, P: VSpace](
    grads: P,
    state: {count: i32, mu: P, nu: P},
    params: P,
    *,
    learning_rate: F,
    b1: f32 = 0.9,
    b2: f32 = 0.999,
    static eps: float = 1e-8
) -> (P, {count: i32, mu: P, nu: P}) =
    adamw_update(
        grads,
        state,
        params,
        learning_rate=learning_rate,
        b1=b1,
        b2=b2,
        eps=eps,
        weight_decay=0.0
    )
## The state of AdamW before the first step.
def adamw_init[P: VSpace](params: P) -> {count: i32, mu: P, nu: P} = adam_init(params)
## Adam with weights that decay by themselves (Loshchilov and Hutter 2017).
def adamw_update[F: Float, P: VSpace](
    grads: P,
    state: {count: i32, mu: P, nu: P},
    params: P,
    *,
    learning_rate: F,
    b1: f32 = 0.9,
    b2: f32 = 0.999,
    static eps: float = 1e-8,
    weight_decay: F = 1e-4
) -> (P, {count: i32, mu: P, nu: P}) =
    let count = state.count + 1
    let mu = ema(state.mu, grads, b1)
    let nu = ema(state.nu, tree_map(fn g -> g * g, grads), b2)
    let m = _over(mu, _risen(b1, f32(count)))
    let v = _over(nu, _risen(b2, f32(count)))
    let step = tree_map(fn (m, v) -> m / (sqrt(v) + eps), m, v) + _times(weight_decay, params)
    (-_times(learning_rate, step), {count = count, mu = mu, nu = nu})

# ---------------------------------------------------------------- gradients over their own size

## The state of RMSProp before the first step.
def rmsprop_init[P: VSpace](params: P) -> {nu: P} = {nu = zeros_like(params)}
## g / sqrt(nu + eps), nu the moving mean of g² (Hinton 2012).
def rmsprop_update[F: Float, P: VSpace](
    grads: P,
    state: {nu: P},
    params: P,
    *,
    learning_rate: F,
    decay: f32 = 0.9,
    static eps: float = 1e-8
) -> (P, {nu: P}) =
    let nu = ema(state.nu, tree_map(fn g -> g * g, grads), decay)
    (-_times(learning_rate, tree_map(fn (g, v) -> g * rsqrt(v + eps), grads, nu)), {nu = nu})

## The state of Adagrad before the first step.
def adagrad_init[P: VSpace](
    params: P,
    initial_accumulator_value: f32 = 0.1
) -> {sum_of_squares: P} =
    {sum_of_squares = _times(initial_accumulator_value, ones_like(params))}
## g / sqrt(the sum of all g² + eps) (Duchi, Hazan and Singer 2011).
def adagrad_update[F: Float, P: VSpace](
    grads: P,
    state: {sum_of_squares: P},
    params: P,
    *,
    learning_rate: F,
    static eps: float = 1e-7
) -> (P, {sum_of_squares: P}) =
    let total = state.sum_of_squares + tree_map(fn g -> g * g, grads)
    (
        -_times(learning_rate, tree_map(fn (g, v) -> g * rsqrt(v + eps), grads, total)),
        {sum_of_squares = total}
    )

## The state of Lion before the first step.
def lion_init[P: VSpace](params: P) -> {mu: P} = {mu = zeros_like(params)}
## The sign of a moving mean (Chen et al. 2023).
def lion_update[F: Float, P: VSpace](
    grads: P,
    state: {mu: P},
    params: P,
    *,
    learning_rate: F,
    b1: f32 = 0.9,
    b2: f32 = 0.99,
    weight_decay: F = 1e-3
) -> (P, {mu: P}) =
    let step = tree_map(fn m -> sign(m), ema(state.mu, grads, b1)) + _times(weight_decay, params)
    (-_times(learning_rate, step), {mu = ema(state.mu, grads, b2)})

# ---------------------------------------------------------------- learning rates of any float dtype, of the number of steps done

## init_value decay_rate^(count / transition_steps).
def exponential_decay[F: Float](
    count: i32,
    init_value: F,
    transition_steps: F,
    decay_rate: F
) -> F =
    init_value * decay_rate ** (cast(count, F) / transition_steps)
## From init_value to end_value along a line of transition_steps steps.
def linear_schedule[F: Float](count: i32, init_value: F, end_value: F, transition_steps: F) -> F =
    init_value + (end_value - init_value) * minimum(cast(count, F) / transition_steps, 1.0)
## From init_value to alpha init_value along half a wave of decay_steps steps.
def cosine_decay_schedule[F: Float](
    count: i32,
    init_value: F,
    decay_steps: F,
    alpha: F = 0.0
) -> F =
    let wave = 0.5 * (1.0 + cos(pi * minimum(cast(count, F), decay_steps) / decay_steps))
    init_value * ((1.0 - alpha) * wave + alpha)
def _between[F: Float](count: F, last: F) -> F = minimum(maximum(count, 0.0), last)
## init_value for transition_begin steps, then by a power of what is left of transition_steps steps to end_value.
def polynomial_schedule[F: Float](
    count: i32,
    init_value: F,
    end_value: F,
    power: F,
    transition_steps: F,
    transition_begin: F = 0.0
) -> F =
    let left =
        1.0 - _between(cast(count, F) - transition_begin, transition_steps) / transition_steps
    (init_value - end_value) * left ** power + end_value
## From init_value to peak_value along a line of warmup_steps steps, then to end_value along half a wave until decay_steps,
## counted from the start.
def warmup_cosine_decay_schedule[F: Float](
    count: i32,
    init_value: F,
    peak_value: F,
    warmup_steps: F,
    decay_steps: F,
    end_value: F = 0.0,
    exponent: F = 1.0
) -> F =
    let done = cast(count, F)
    let warm = init_value + (peak_value - init_value) * done / warmup_steps
    let wave = (
        0.5
        * (
            1.0
            + cos(
                pi
                * _between(done - warmup_steps, decay_steps - warmup_steps)
                / (decay_steps - warmup_steps)
            )
        )
    )
    if done < warmup_steps then warm else end_value + (peak_value - end_value) * wave ** exponent

# ---------------------------------------------------------------- losses, for every element

## The square of the difference.
def squared_error[a: Float](predictions: a[*s], targets: a[*s]) -> a[*s] =
    square(predictions - targets)
## Half the square of the difference.
def l2_loss[a: Float](predictions: a[*s], targets: a[*s]) -> a[*s] =
    0.5 * square(predictions - targets)
## Squares near 0, lines further than delta.
def huber_loss[a: Float](predictions: a[*s], targets: a[*s], delta: a = 1.0) -> a[*s] =
    let r = abs(predictions - targets)
    let near = minimum(r, delta)
    0.5 * near * near + delta * (r - near)
## log(cosh(x)).
def log_cosh[a: Float](predictions: a[*s], targets: a[*s]) -> a[*s] =
    let r = predictions - targets
    logaddexp(r, -r) - log(2.0)
## -Σ labels log_softmax(logits) along the last axis.
def softmax_cross_entropy[a: Float](logits: a[*s, n], labels: a[*s, n]) -> a[*s] =
    -sum(labels * (logits - logsumexp(logits, axis=-1, keepdims=true)), axis=-1)
## -log_softmax(logits)[label].
def softmax_cross_entropy_with_integer_labels[a: Float](
    logits: a[*s, n],
    labels: idx[n][*s]
) -> a[*s] =
    logsumexp(logits, axis=-1) - sum(where(one_hot(labels, n, bool), logits, 0.0), axis=-1)
## Of log-odds and labels 0 … 1.
def sigmoid_binary_cross_entropy[a: Float](logits: a[*s], labels: a[*s]) -> a[*s] =
    labels * logaddexp(-logits, 0.0) + (1.0 - labels) * logaddexp(logits, 0.0)
## The cosine of the angle between vectors along the last axis; no length counts as smaller than epsilon.
def cosine_similarity[a: Float](
    predictions: a[*s, n],
    targets: a[*s, n],
    epsilon: a = 0.0
) -> a[*s] =
    sum(predictions * targets, axis=-1) / (_norm(predictions, epsilon) * _norm(targets, epsilon))
def _norm[a: Float](x: a[*s, n], least: a) -> a[*s] =
    let squares = sum(x * x, axis=-1)
    where(squares <= least * least, least, sqrt(squares))
## 1 - cosine_similarity.
def cosine_distance[a: Float](predictions: a[*s, n], targets: a[*s, n], epsilon: a = 0.0) -> a[*s] =
    1.0 - cosine_similarity(predictions, targets, epsilon)
