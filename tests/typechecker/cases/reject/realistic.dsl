#### regression_transposed
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x.T @ p.w + p.b #! E04

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_bias_in_f64
type Params[d] = {w: f32[d], b: f64}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b #! E03

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value) #! E03

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_loss_not_reduced
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    (predict(p, x) - y) ** 2 #! E04

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_gradient_with_respect_to_targets
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss, argnums=2)(p, x, y)
    (p - lr * g, value) #! E03

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_step_size_is_int
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: i32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value) #! E03

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr) #! E03

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_history_too_short
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps - 1]) =
    scan p = p for _ in range(steps) do #! E04
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_assigns
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    p.w = p.w - lr * g.w #! E06
    (p, value)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_prints
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        print("{}", lr) #! E07
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_one_target
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i]) for i in range(n)] #! E04
#### regression_fit_without_scan_pair
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr).0 #! E03

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_misspelled_weights
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.weights + p.b #! E03|E02

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2)

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### regression_axis_positional
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((predict(p, x) - y) ** 2, 0) #! E0306

def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        step(p, x, y, lr)

def per_example_grads(p: Params[d], x: f32[n, d], y: f32[n]) -> Params[d][n] =
    [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
#### logistic_labels_are_ints
type Model[d] = {w: f32[d], b: f32}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def logits(m: Model[d], x: f32[n, d]) -> f32[n] = x @ m.w + m.b

def cross_entropy(m: Model[d], x: f32[n, d], y: f32[n], l2: f32) -> f32 =
    let z = logits(m, x)
    let nll = mean(maximum(z, 0.0) - z * i32(y) + log1p(exp(-abs(z)))) #! E03
    nll + 0.5 * l2 * sum(m.w ** 2)

def accuracy(m: Model[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((sigmoid(logits(m, x)) > 0.5) == (y > 0.5))

def train(m: Model[d], x: f32[n, d], y: f32[n], static steps: int) -> Model[d] =
    fold m = m for _ in range(steps) do
        m - 0.1 * grad(cross_entropy)(m, x, y, 1e-3)
#### logistic_penalty_is_a_vector
type Model[d] = {w: f32[d], b: f32}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def logits(m: Model[d], x: f32[n, d]) -> f32[n] = x @ m.w + m.b

def cross_entropy(m: Model[d], x: f32[n, d], y: f32[n], l2: f32) -> f32 =
    let z = logits(m, x)
    let nll = mean(maximum(z, 0.0) - z * y + log1p(exp(-abs(z))))
    nll + 0.5 * l2 * m.w ** 2 #! E04

def accuracy(m: Model[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((sigmoid(logits(m, x)) > 0.5) == (y > 0.5))

def train(m: Model[d], x: f32[n, d], y: f32[n], static steps: int) -> Model[d] =
    fold m = m for _ in range(steps) do
        m - 0.1 * grad(cross_entropy)(m, x, y, 1e-3)
#### logistic_accuracy_compares_floats
type Model[d] = {w: f32[d], b: f32}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def logits(m: Model[d], x: f32[n, d]) -> f32[n] = x @ m.w + m.b

def cross_entropy(m: Model[d], x: f32[n, d], y: f32[n], l2: f32) -> f32 =
    let z = logits(m, x)
    let nll = mean(maximum(z, 0.0) - z * y + log1p(exp(-abs(z))))
    nll + 0.5 * l2 * sum(m.w ** 2)

def accuracy(m: Model[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((sigmoid(logits(m, x)) > 0.5) == y) #! E03

def train(m: Model[d], x: f32[n, d], y: f32[n], static steps: int) -> Model[d] =
    fold m = m for _ in range(steps) do
        m - 0.1 * grad(cross_entropy)(m, x, y, 1e-3)
#### logistic_step_missing_argument
type Model[d] = {w: f32[d], b: f32}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def logits(m: Model[d], x: f32[n, d]) -> f32[n] = x @ m.w + m.b

def cross_entropy(m: Model[d], x: f32[n, d], y: f32[n], l2: f32) -> f32 =
    let z = logits(m, x)
    let nll = mean(maximum(z, 0.0) - z * y + log1p(exp(-abs(z))))
    nll + 0.5 * l2 * sum(m.w ** 2)

def accuracy(m: Model[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((sigmoid(logits(m, x)) > 0.5) == (y > 0.5))

def train(m: Model[d], x: f32[n, d], y: f32[n], static steps: int) -> Model[d] =
    fold m = m for _ in range(steps) do
        m - 0.1 * grad(cross_entropy)(m, x, y) #! E03
#### logistic_update_adds_vector
type Model[d] = {w: f32[d], b: f32}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def logits(m: Model[d], x: f32[n, d]) -> f32[n] = x @ m.w + m.b

def cross_entropy(m: Model[d], x: f32[n, d], y: f32[n], l2: f32) -> f32 =
    let z = logits(m, x)
    let nll = mean(maximum(z, 0.0) - z * y + log1p(exp(-abs(z))))
    nll + 0.5 * l2 * sum(m.w ** 2)

def accuracy(m: Model[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((sigmoid(logits(m, x)) > 0.5) == (y > 0.5))

def train(m: Model[d], x: f32[n, d], y: f32[n], static steps: int) -> Model[d] =
    fold m = m for _ in range(steps) do
        m - 0.1 * grad(cross_entropy)(m, x, y, 1e-3).w #! E03
#### logistic_if_on_logits
type Model[d] = {w: f32[d], b: f32}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x) if x > 0.0 else 0.0) #! E01

def logits(m: Model[d], x: f32[n, d]) -> f32[n] = x @ m.w + m.b

def cross_entropy(m: Model[d], x: f32[n, d], y: f32[n], l2: f32) -> f32 =
    let z = logits(m, x)
    let nll = mean(maximum(z, 0.0) - z * y + log1p(exp(-abs(z))))
    nll + 0.5 * l2 * sum(m.w ** 2)

def accuracy(m: Model[d], x: f32[n, d], y: f32[n]) -> f32 =
    mean((sigmoid(logits(m, x)) > 0.5) == (y > 0.5))

def train(m: Model[d], x: f32[n, d], y: f32[n], static steps: int) -> Model[d] =
    fold m = m for _ in range(steps) do
        m - 0.1 * grad(cross_entropy)(m, x, y, 1e-3)
#### softmax_axis_of_sum
def softmax[a: Float](x: a[*s], *, static axis: int = -1) -> a[*s] =
    let z = exp(x - max(x, axis=axis, keepdims=true))
    z / sum(z, axis=axis) #! E04

def nll(w: f32[d, c], x: f32[n, d], y: idx[c][n]) -> f32 =
    let p = softmax(x @ w)
    -mean([log(p[i, y[i]] + 1e-9) for i in range(n)])

def predict(w: f32[d, c], x: f32[n, d]) -> idx[c][n] = argmax(x @ w, axis=-1)
#### softmax_wrong_result
def softmax[a: Float](x: a[*s], *, static axis: int = -1) -> a[*s] =
    let z = exp(x - max(x, axis=axis, keepdims=true))
    z / sum(z, axis=axis, keepdims=true)

def nll(w: f32[d, c], x: f32[n, d], y: idx[c][n]) -> f32 =
    let p = softmax(x @ w)
    -mean([log(p[i, y[i]] + 1e-9) for i in range(n)])

def predict(w: f32[d, c], x: f32[n, d]) -> idx[c][n] = argmax(x @ w, axis=0) #! E04|E03|E07
#### softmax_label_axis
def softmax[a: Float](x: a[*s], *, static axis: int = -1) -> a[*s] =
    let z = exp(x - max(x, axis=axis, keepdims=true))
    z / sum(z, axis=axis, keepdims=true)

def nll(w: f32[d, c], x: f32[n, d], y: idx[c][n]) -> f32 =
    let p = softmax(x @ w)
    -mean([log(p[y[i], i] + 1e-9) for i in range(n)]) #! E07

def predict(w: f32[d, c], x: f32[n, d]) -> idx[c][n] = argmax(x @ w, axis=-1)
#### softmax_labels_unbounded
def softmax[a: Float](x: a[*s], *, static axis: int = -1) -> a[*s] =
    let z = exp(x - max(x, axis=axis, keepdims=true))
    z / sum(z, axis=axis, keepdims=true)

def nll(w: f32[d, c], x: f32[n, d], y: i32[n]) -> f32 =
    let p = softmax(x @ w)
    -mean([log(p[i, y[i]] + 1e-9) for i in range(n)]) #! E07

def predict(w: f32[d, c], x: f32[n, d]) -> idx[c][n] = argmax(x @ w, axis=-1)
#### softmax_log_of_indices
def softmax[a: Float](x: a[*s], *, static axis: int = -1) -> a[*s] =
    let z = exp(x - max(x, axis=axis, keepdims=true))
    z / sum(z, axis=axis, keepdims=true)

def nll(w: f32[d, c], x: f32[n, d], y: idx[c][n]) -> f32 =
    let p = softmax(x @ w)
    -mean([log(p[i, y[i]] + 1e-9) for i in range(n)])

def predict(w: f32[d, c], x: f32[n, d]) -> idx[c][n] = log(argmax(x @ w, axis=-1)) #! E03
#### heads_wrong_permutation
type Heads[d] = {q: f32[d, d], k: f32[d, d], v: f32[d, d], o: f32[d, d]}

def softmax(x: f32[*s]) -> f32[*s] =
    let z = exp(x - max(x, axis=-1, keepdims=true))
    z / sum(z, axis=-1, keepdims=true)

def split_heads(x: f32[n, d], static h: int) -> f32[h, n, d // h] where h >= 1 and d % h == 0 =
    transpose(reshape(x, [n, h, d // h]), (1, 2, 0)) #! E04

def attention(p: Heads[d], x: f32[n, d], static h: int) -> f32[n, d] where h >= 1 and d % h == 0 =
    let q = split_heads(x @ p.q, h)
    let k = split_heads(x @ p.k, h)
    let v = split_heads(x @ p.v, h)
    let scores = einsum("hnd,hmd->hnm", q, k) / sqrt(f32(d // h))
    let causal = arange(n)[:, None] >= arange(n)[None, :]
    let weights = softmax(where(causal, scores, -1e9))
    let mixed = einsum("hnm,hmd->hnd", weights, v)
    reshape(transpose(mixed, (1, 0, 2)), [n, d]) @ p.o
#### heads_traced_count
type Heads[d] = {q: f32[d, d], k: f32[d, d], v: f32[d, d], o: f32[d, d]}

def softmax(x: f32[*s]) -> f32[*s] =
    let z = exp(x - max(x, axis=-1, keepdims=true))
    z / sum(z, axis=-1, keepdims=true)

def split_heads(x: f32[n, d], static h: int) -> f32[h, n, d // h] where h >= 1 and d % h == 0 =
    transpose(reshape(x, [n, h, d // h]), (1, 0, 2))

def attention(p: Heads[d], x: f32[n, d], static h: int) -> f32[n, d] where h >= 1 and d % h == 0 =
    let q = split_heads(x @ p.q, argmax(x[0])) #! E05
    let k = split_heads(x @ p.k, h)
    let v = split_heads(x @ p.v, h)
    let scores = einsum("hnd,hmd->hnm", q, k) / sqrt(f32(d // h))
    let causal = arange(n)[:, None] >= arange(n)[None, :]
    let weights = softmax(where(causal, scores, -1e9))
    let mixed = einsum("hnm,hmd->hnd", weights, v)
    reshape(transpose(mixed, (1, 0, 2)), [n, d]) @ p.o
#### attention_scale_by_int
type Heads[d] = {q: f32[d, d], k: f32[d, d], v: f32[d, d], o: f32[d, d]}

def softmax(x: f32[*s]) -> f32[*s] =
    let z = exp(x - max(x, axis=-1, keepdims=true))
    z / sum(z, axis=-1, keepdims=true)

def split_heads(x: f32[n, d], static h: int) -> f32[h, n, d // h] where h >= 1 and d % h == 0 =
    transpose(reshape(x, [n, h, d // h]), (1, 0, 2))

def attention(p: Heads[d], x: f32[n, d], static h: int) -> f32[n, d] where h >= 1 and d % h == 0 =
    let q = split_heads(x @ p.q, h)
    let k = split_heads(x @ p.k, h)
    let v = split_heads(x @ p.v, h)
    let scores = einsum("hnd,hmd->hnm", q, k) / f32(d) / (d / h) #! E03
    let causal = arange(n)[:, None] >= arange(n)[None, :]
    let weights = softmax(where(causal, scores, -1e9))
    let mixed = einsum("hnm,hmd->hnd", weights, v)
    reshape(transpose(mixed, (1, 0, 2)), [n, d]) @ p.o
#### attention_mask_shape
type Heads[d] = {q: f32[d, d], k: f32[d, d], v: f32[d, d], o: f32[d, d]}

def softmax(x: f32[*s]) -> f32[*s] =
    let z = exp(x - max(x, axis=-1, keepdims=true))
    z / sum(z, axis=-1, keepdims=true)

def split_heads(x: f32[n, d], static h: int) -> f32[h, n, d // h] where h >= 1 and d % h == 0 =
    transpose(reshape(x, [n, h, d // h]), (1, 0, 2))

def attention(p: Heads[d], x: f32[n, d], static h: int) -> f32[n, d] where h >= 1 and d % h == 0 =
    let q = split_heads(x @ p.q, h)
    let k = split_heads(x @ p.k, h)
    let v = split_heads(x @ p.v, h)
    let scores = einsum("hnd,hmd->hnm", q, k) / sqrt(f32(d // h))
    let causal = arange(n)[:, None] >= arange(d)[None, :]
    let weights = softmax(where(causal, scores, -1e9)) #! E04
    let mixed = einsum("hnm,hmd->hnd", weights, v)
    reshape(transpose(mixed, (1, 0, 2)), [n, d]) @ p.o
#### attention_output_not_merged
type Heads[d] = {q: f32[d, d], k: f32[d, d], v: f32[d, d], o: f32[d, d]}

def softmax(x: f32[*s]) -> f32[*s] =
    let z = exp(x - max(x, axis=-1, keepdims=true))
    z / sum(z, axis=-1, keepdims=true)

def split_heads(x: f32[n, d], static h: int) -> f32[h, n, d // h] where h >= 1 and d % h == 0 =
    transpose(reshape(x, [n, h, d // h]), (1, 0, 2))

def attention(p: Heads[d], x: f32[n, d], static h: int) -> f32[n, d] where h >= 1 and d % h == 0 =
    let q = split_heads(x @ p.q, h)
    let k = split_heads(x @ p.k, h)
    let v = split_heads(x @ p.v, h)
    let scores = einsum("hnd,hmd->hnm", q, k) / sqrt(f32(d // h))
    let causal = arange(n)[:, None] >= arange(n)[None, :]
    let weights = softmax(where(causal, scores, -1e9))
    let mixed = einsum("hnm,hmd->hnd", weights, v)
    transpose(mixed, (1, 0, 2)) @ p.o #! E04
#### attention_int_mask
type Heads[d] = {q: f32[d, d], k: f32[d, d], v: f32[d, d], o: f32[d, d]}

def softmax(x: f32[*s]) -> f32[*s] =
    let z = exp(x - max(x, axis=-1, keepdims=true))
    z / sum(z, axis=-1, keepdims=true)

def split_heads(x: f32[n, d], static h: int) -> f32[h, n, d // h] where h >= 1 and d % h == 0 =
    transpose(reshape(x, [n, h, d // h]), (1, 0, 2))

def attention(p: Heads[d], x: f32[n, d], static h: int) -> f32[n, d] where h >= 1 and d % h == 0 =
    let q = split_heads(x @ p.q, h)
    let k = split_heads(x @ p.k, h)
    let v = split_heads(x @ p.v, h)
    let scores = einsum("hnd,hmd->hnm", q, k) / sqrt(f32(d // h))
    let causal = arange(n)[:, None] >= arange(n)[None, :]
    let weights = softmax(where(causal, scores, "-inf")) #! E03
    let mixed = einsum("hnm,hmd->hnd", weights, v)
    reshape(transpose(mixed, (1, 0, 2)), [n, d]) @ p.o
#### norm_gain_missing_field
type Norm[d] = {gain: f32[d], bias: f32[d]}
type Mlp[d, h] = {up: f32[d, h], down: f32[h, d]}
type Block[d, h] = {norm: Norm[d], mlp: Mlp[d, h]}

def layer_norm(p: Norm[d], x: f32[*s, d]) -> f32[*s, d] =
    let mu = mean(x, axis=-1, keepdims=true)
    let v = mean((x - mu) ** 2, axis=-1, keepdims=true)
    p.gain * (x - mu) / sqrt(v + 1e-5) + p.shift #! E03|E02

def mlp(p: Mlp[d, h], x: f32[n, d]) -> f32[n, d] = maximum(x @ p.up, 0.0) @ p.down

def block(p: Block[d, h], x: f32[n, d]) -> f32[n, d] = x + mlp(p.mlp, layer_norm(p.norm, x))

def stack_of(blocks: Block[d, h][k], x: f32[n, d]) -> f32[n, d] =
    fold x = x for p in blocks do block(p, x)
#### mlp_residual_of_hidden
type Norm[d] = {gain: f32[d], bias: f32[d]}
type Mlp[d, h] = {up: f32[d, h], down: f32[h, d]}
type Block[d, h] = {norm: Norm[d], mlp: Mlp[d, h]}

def layer_norm(p: Norm[d], x: f32[*s, d]) -> f32[*s, d] =
    let mu = mean(x, axis=-1, keepdims=true)
    let v = mean((x - mu) ** 2, axis=-1, keepdims=true)
    p.gain * (x - mu) / sqrt(v + 1e-5) + p.bias

def mlp(p: Mlp[d, h], x: f32[n, d]) -> f32[n, d] = maximum(x @ p.up, 0.0) #! E04

def block(p: Block[d, h], x: f32[n, d]) -> f32[n, d] = x + mlp(p.mlp, layer_norm(p.norm, x))

def stack_of(blocks: Block[d, h][k], x: f32[n, d]) -> f32[n, d] =
    fold x = x for p in blocks do block(p, x)
#### mlp_weights_swapped
type Norm[d] = {gain: f32[d], bias: f32[d]}
type Mlp[d, h] = {up: f32[d, h], down: f32[h, d]}
type Block[d, h] = {norm: Norm[d], mlp: Mlp[d, h]}

def layer_norm(p: Norm[d], x: f32[*s, d]) -> f32[*s, d] =
    let mu = mean(x, axis=-1, keepdims=true)
    let v = mean((x - mu) ** 2, axis=-1, keepdims=true)
    p.gain * (x - mu) / sqrt(v + 1e-5) + p.bias

def mlp(p: Mlp[d, h], x: f32[n, d]) -> f32[n, d] = maximum(x @ p.down, 0.0) @ p.up #! E04

def block(p: Block[d, h], x: f32[n, d]) -> f32[n, d] = x + mlp(p.mlp, layer_norm(p.norm, x))

def stack_of(blocks: Block[d, h][k], x: f32[n, d]) -> f32[n, d] =
    fold x = x for p in blocks do block(p, x)
#### block_passes_whole_record
type Norm[d] = {gain: f32[d], bias: f32[d]}
type Mlp[d, h] = {up: f32[d, h], down: f32[h, d]}
type Block[d, h] = {norm: Norm[d], mlp: Mlp[d, h]}

def layer_norm(p: Norm[d], x: f32[*s, d]) -> f32[*s, d] =
    let mu = mean(x, axis=-1, keepdims=true)
    let v = mean((x - mu) ** 2, axis=-1, keepdims=true)
    p.gain * (x - mu) / sqrt(v + 1e-5) + p.bias

def mlp(p: Mlp[d, h], x: f32[n, d]) -> f32[n, d] = maximum(x @ p.up, 0.0) @ p.down

def block(p: Block[d, h], x: f32[n, d]) -> f32[n, d] = x + mlp(p, layer_norm(p.norm, x)) #! E03

def stack_of(blocks: Block[d, h][k], x: f32[n, d]) -> f32[n, d] =
    fold x = x for p in blocks do block(p, x)
#### stack_without_carry_name
type Norm[d] = {gain: f32[d], bias: f32[d]}
type Mlp[d, h] = {up: f32[d, h], down: f32[h, d]}
type Block[d, h] = {norm: Norm[d], mlp: Mlp[d, h]}

def layer_norm(p: Norm[d], x: f32[*s, d]) -> f32[*s, d] =
    let mu = mean(x, axis=-1, keepdims=true)
    let v = mean((x - mu) ** 2, axis=-1, keepdims=true)
    p.gain * (x - mu) / sqrt(v + 1e-5) + p.bias

def mlp(p: Mlp[d, h], x: f32[n, d]) -> f32[n, d] = maximum(x @ p.up, 0.0) @ p.down

def block(p: Block[d, h], x: f32[n, d]) -> f32[n, d] = x + mlp(p.mlp, layer_norm(p.norm, x))

def stack_of(blocks: Block[d, h][k], x: f32[n, d]) -> f32[n, d] =
    fold x = x for p in blocks do block(blocks, x) #! E04|E03
#### norm_epsilon_outside
type Norm[d] = {gain: f32[d], bias: f32[d]}
type Mlp[d, h] = {up: f32[d, h], down: f32[h, d]}
type Block[d, h] = {norm: Norm[d], mlp: Mlp[d, h]}

def layer_norm(p: Norm[d], x: f32[*s, d]) -> f32[*s, d] =
    let mu = mean(x, axis=-1, keepdims=true)
    let v = mean((x - mu) ** 2, axis=-1, keepdims=true)
    p.gain * (x - mu) / sqrt(v + 1e-5) + p.bias[:, None] #! E04

def mlp(p: Mlp[d, h], x: f32[n, d]) -> f32[n, d] = maximum(x @ p.up, 0.0) @ p.down

def block(p: Block[d, h], x: f32[n, d]) -> f32[n, d] = x + mlp(p.mlp, layer_norm(p.norm, x))

def stack_of(blocks: Block[d, h][k], x: f32[n, d]) -> f32[n, d] =
    fold x = x for p in blocks do block(p, x)
#### lstm_gate_slices
type Lstm[i, h] = {wx: f32[i, 4 * h], wh: f32[h, 4 * h], b: f32[4 * h]}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def cell(p: Lstm[i, h], x: f32[b, i], carry: (f32[b, h], f32[b, h])) -> (f32[b, h], f32[b, h]) =
    let (hidden, memory) = carry
    let gates = x @ p.wx + hidden @ p.wh + p.b
    let input = sigmoid(gates[:, :h])
    let forget = sigmoid(gates[:, h : 2 * h])
    let candidate = tanh(gates[:, 2 * h : 4 * h])
    let output = sigmoid(gates[:, 3 * h :])
    let memory = forget * memory + input * candidate #! E04
    (output * tanh(memory), memory)

def run(p: Lstm[i, h], xs: f32[t, b, i]) -> f32[t, b, h] =
    let start = (zeros([b, h]), zeros([b, h]))
    let (_, hs) = scan c = start for x in xs do
        let c = cell(p, x, c)
        (c, c.0)
    hs
#### lstm_three_gates
type Lstm[i, h] = {wx: f32[i, 3 * h], wh: f32[h, 4 * h], b: f32[4 * h]}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def cell(p: Lstm[i, h], x: f32[b, i], carry: (f32[b, h], f32[b, h])) -> (f32[b, h], f32[b, h]) =
    let (hidden, memory) = carry
    let gates = x @ p.wx + hidden @ p.wh + p.b #! E04
    let input = sigmoid(gates[:, :h])
    let forget = sigmoid(gates[:, h : 2 * h])
    let candidate = tanh(gates[:, 2 * h : 3 * h])
    let output = sigmoid(gates[:, 3 * h :])
    let memory = forget * memory + input * candidate
    (output * tanh(memory), memory)

def run(p: Lstm[i, h], xs: f32[t, b, i]) -> f32[t, b, h] =
    let start = (zeros([b, h]), zeros([b, h]))
    let (_, hs) = scan c = start for x in xs do
        let c = cell(p, x, c)
        (c, c.0)
    hs
#### lstm_slice_past_the_end
type Lstm[i, h] = {wx: f32[i, 4 * h], wh: f32[h, 4 * h], b: f32[4 * h]}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def cell(p: Lstm[i, h], x: f32[b, i], carry: (f32[b, h], f32[b, h])) -> (f32[b, h], f32[b, h]) =
    let (hidden, memory) = carry
    let gates = x @ p.wx + hidden @ p.wh + p.b
    let input = sigmoid(gates[:, :h])
    let forget = sigmoid(gates[:, h : 2 * h])
    let candidate = tanh(gates[:, 2 * h : 3 * h])
    let output = sigmoid(gates[:, 3 * h + 1 : 4 * h + 1]) #! E04
    let memory = forget * memory + input * candidate
    (output * tanh(memory), memory)

def run(p: Lstm[i, h], xs: f32[t, b, i]) -> f32[t, b, h] =
    let start = (zeros([b, h]), zeros([b, h]))
    let (_, hs) = scan c = start for x in xs do
        let c = cell(p, x, c)
        (c, c.0)
    hs
#### lstm_carry_is_a_pair
type Lstm[i, h] = {wx: f32[i, 4 * h], wh: f32[h, 4 * h], b: f32[4 * h]}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def cell(p: Lstm[i, h], x: f32[b, i], carry: (f32[b, h], f32[b, h])) -> (f32[b, h], f32[b, h]) =
    let (hidden, memory) = carry
    let gates = x @ p.wx + hidden @ p.wh + p.b
    let input = sigmoid(gates[:, :h])
    let forget = sigmoid(gates[:, h : 2 * h])
    let candidate = tanh(gates[:, 2 * h : 3 * h])
    let output = sigmoid(gates[:, 3 * h :])
    let memory = forget * memory + input * candidate
    (output * tanh(memory), memory)

def run(p: Lstm[i, h], xs: f32[t, b, i]) -> f32[t, b, h] =
    let start = (zeros([b, h]), zeros([b, h]))
    let (_, hs) = scan c = start for x in xs do
        let c = cell(p, x, c)
        (c.0, c.0) #! E03
    hs
#### lstm_hidden_wrong_side
type Lstm[i, h] = {wx: f32[i, 4 * h], wh: f32[h, 4 * h], b: f32[4 * h]}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def cell(p: Lstm[i, h], x: f32[b, i], carry: (f32[b, h], f32[b, h])) -> (f32[b, h], f32[b, h]) =
    let (hidden, memory) = carry
    let gates = x @ p.wx + p.wh @ hidden + p.b #! E04
    let input = sigmoid(gates[:, :h])
    let forget = sigmoid(gates[:, h : 2 * h])
    let candidate = tanh(gates[:, 2 * h : 3 * h])
    let output = sigmoid(gates[:, 3 * h :])
    let memory = forget * memory + input * candidate
    (output * tanh(memory), memory)

def run(p: Lstm[i, h], xs: f32[t, b, i]) -> f32[t, b, h] =
    let start = (zeros([b, h]), zeros([b, h]))
    let (_, hs) = scan c = start for x in xs do
        let c = cell(p, x, c)
        (c, c.0)
    hs
#### lstm_output_shape
type Lstm[i, h] = {wx: f32[i, 4 * h], wh: f32[h, 4 * h], b: f32[4 * h]}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def cell(p: Lstm[i, h], x: f32[b, i], carry: (f32[b, h], f32[b, h])) -> (f32[b, h], f32[b, h]) =
    let (hidden, memory) = carry
    let gates = x @ p.wx + hidden @ p.wh + p.b
    let input = sigmoid(gates[:, :h])
    let forget = sigmoid(gates[:, h : 2 * h])
    let candidate = tanh(gates[:, 2 * h : 3 * h])
    let output = sigmoid(gates[:, 3 * h :])
    let memory = forget * memory + input * candidate
    (output * tanh(memory), memory)

def run(p: Lstm[i, h], xs: f32[t, b, i]) -> f32[b, t, h] =
    let start = (zeros([b, h]), zeros([b, h]))
    let (_, hs) = scan c = start for x in xs do
        let c = cell(p, x, c)
        (c, c.0)
    hs #! E04
#### gru_reset_of_input
type Gru[i, h] = {wz: f32[i, h], uz: f32[h, h], wr: f32[i, h], ur: f32[h, h], wn: f32[i, h], un: f32[h, h]}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def cell(p: Gru[i, h], hidden: f32[h], x: f32[i]) -> f32[h] =
    let z = sigmoid(x @ p.wz + hidden @ p.uz)
    let r = sigmoid(x @ p.wr + hidden @ p.ur)
    let candidate = tanh(x @ p.wn + (r * x) @ p.un) #! E04
    (1.0 - z) * candidate + z * hidden

def encode(p: Gru[i, h], xs: f32[t, i]) -> f32[h] =
    fold hidden = zeros([h]) for x in xs do cell(p, hidden, x)
#### gru_wrong_weights
type Gru[i, h] = {wz: f32[i, h], uz: f32[h, h], wr: f32[i, h], ur: f32[h, h], wn: f32[i, h], un: f32[h, h]}

def sigmoid(x: f32[*s]) -> f32[*s] = 1.0 / (1.0 + exp(-x))

def cell(p: Gru[i, h], hidden: f32[h], x: f32[i]) -> f32[h] =
    let z = sigmoid(x @ p.wz + hidden @ p.uz)
    let r = sigmoid(x @ p.ur + hidden @ p.ur) #! E04
    let candidate = tanh(x @ p.wn + (r * hidden) @ p.un)
    (1.0 - z) * candidate + z * hidden

def encode(p: Gru[i, h], xs: f32[t, i]) -> f32[h] =
    fold hidden = zeros([h]) for x in xs do cell(p, hidden, x)
#### kalman_observation_transposed
import linalg
type Belief[n] = {mean: f32[n], cov: f32[n, n]}

def predict(s: Belief[n], a: f32[n, n], q: f32[n, n]) -> Belief[n] =
    {mean = a @ s.mean, cov = a @ s.cov @ a.T + q}

def update(s: Belief[n], z: f32[m], c: f32[m, n], r: f32[m, m]) -> Belief[n] =
    let innovation = z - c.T @ s.mean #! E04
    let gain = s.cov @ c.T @ linalg.inv(c @ s.cov @ c.T + r)
    {mean = s.mean + gain @ innovation, cov = (eye(n) - gain @ c) @ s.cov}

def run(s: Belief[n], zs: f32[t, m], a: f32[n, n], q: f32[n, n], c: f32[m, n], r: f32[m, m]) -> f32[t, n] =
    let (_, means) = scan s = s for z in zs do
        let s = update(predict(s, a, q), z, c, r)
        (s, s.mean)
    means
#### kalman_gain_without_transpose
import linalg
type Belief[n] = {mean: f32[n], cov: f32[n, n]}

def predict(s: Belief[n], a: f32[n, n], q: f32[n, n]) -> Belief[n] =
    {mean = a @ s.mean, cov = a @ s.cov @ a.T + q}

def update(s: Belief[n], z: f32[m], c: f32[m, n], r: f32[m, m]) -> Belief[n] =
    let innovation = z - c @ s.mean
    let gain = s.cov @ c @ linalg.inv(c @ s.cov @ c.T + r) #! E04
    {mean = s.mean + gain @ innovation, cov = (eye(n) - gain @ c) @ s.cov}

def run(s: Belief[n], zs: f32[t, m], a: f32[n, n], q: f32[n, n], c: f32[m, n], r: f32[m, m]) -> f32[t, n] =
    let (_, means) = scan s = s for z in zs do
        let s = update(predict(s, a, q), z, c, r)
        (s, s.mean)
    means
#### kalman_identity_of_m
import linalg
type Belief[n] = {mean: f32[n], cov: f32[n, n]}

def predict(s: Belief[n], a: f32[n, n], q: f32[n, n]) -> Belief[n] =
    {mean = a @ s.mean, cov = a @ s.cov @ a.T + q}

def update(s: Belief[n], z: f32[m], c: f32[m, n], r: f32[m, m]) -> Belief[n] =
    let innovation = z - c @ s.mean
    let gain = s.cov @ c.T @ linalg.inv(c @ s.cov @ c.T + r)
    {mean = s.mean + gain @ innovation, cov = (eye(m) - gain @ c) @ s.cov} #! E04

def run(s: Belief[n], zs: f32[t, m], a: f32[n, n], q: f32[n, n], c: f32[m, n], r: f32[m, m]) -> f32[t, n] =
    let (_, means) = scan s = s for z in zs do
        let s = update(predict(s, a, q), z, c, r)
        (s, s.mean)
    means
#### kalman_identity_is_scalar_product
import linalg
type Belief[n] = {mean: f32[n], cov: f32[n, n]}

def predict(s: Belief[n], a: f32[n, n], q: f32[n, n]) -> Belief[n] =
    {mean = a @ s.mean, cov = a @ s.cov @ a.T + q}

def update(s: Belief[n], z: f32[m], c: f32[m, n], r: f32[m, m]) -> Belief[n] =
    let innovation = z - c @ s.mean
    let gain = s.cov @ c.T @ linalg.inv(c @ s.cov @ c.T + r)
    {mean = s.mean + innovation @ gain, cov = (eye(n) - gain @ c) @ s.cov} #! E04

def run(s: Belief[n], zs: f32[t, m], a: f32[n, n], q: f32[n, n], c: f32[m, n], r: f32[m, m]) -> f32[t, n] =
    let (_, means) = scan s = s for z in zs do
        let s = update(predict(s, a, q), z, c, r)
        (s, s.mean)
    means
#### kalman_record_field
import linalg
type Belief[n] = {mean: f32[n], cov: f32[n, n]}

def predict(s: Belief[n], a: f32[n, n], q: f32[n, n]) -> Belief[n] =
    {mean = a @ s.mean, covariance = a @ s.cov @ a.T + q} #! E03

def update(s: Belief[n], z: f32[m], c: f32[m, n], r: f32[m, m]) -> Belief[n] =
    let innovation = z - c @ s.mean
    let gain = s.cov @ c.T @ linalg.inv(c @ s.cov @ c.T + r)
    {mean = s.mean + gain @ innovation, cov = (eye(n) - gain @ c) @ s.cov}

def run(s: Belief[n], zs: f32[t, m], a: f32[n, n], q: f32[n, n], c: f32[m, n], r: f32[m, m]) -> f32[t, n] =
    let (_, means) = scan s = s for z in zs do
        let s = update(predict(s, a, q), z, c, r)
        (s, s.mean)
    means
#### kalman_noise_shape
import linalg
type Belief[n] = {mean: f32[n], cov: f32[n, n]}

def predict(s: Belief[n], a: f32[n, n], q: f32[n, n]) -> Belief[n] =
    {mean = a @ s.mean, cov = a @ s.cov @ a.T + q}

def update(s: Belief[n], z: f32[m], c: f32[m, n], r: f32[m, m]) -> Belief[n] =
    let innovation = z - c @ s.mean
    let gain = s.cov @ c.T @ linalg.inv(c @ s.cov @ c.T + s.cov) #! E04
    {mean = s.mean + gain @ innovation, cov = (eye(n) - gain @ c) @ s.cov}

def run(s: Belief[n], zs: f32[t, m], a: f32[n, n], q: f32[n, n], c: f32[m, n], r: f32[m, m]) -> f32[t, n] =
    let (_, means) = scan s = s for z in zs do
        let s = update(predict(s, a, q), z, c, r)
        (s, s.mean)
    means
#### mixture_axis
def logsumexp_of(x: f32[*s, k]) -> f32[*s] =
    let m = max(x, axis=-1, keepdims=true)
    log(sum(exp(x - m), axis=-1)) + squeeze(m, axis=-1)

def log_likelihood(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32 =
    let z = (x[:, None, :] - means[None, :, :]) / scales[None, :, :]
    let logp = -0.5 * sum(z ** 2 + log(2.0 * pi), axis=-1) - sum(log(scales), axis=0) #! E04
    sum(logsumexp_of(logp + log(weights)))

def responsibilities(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32[n, k] =
    let z = (x[:, None, :] - means[None, :, :]) / scales[None, :, :]
    let logp = log(weights) - 0.5 * sum(z ** 2, axis=-1) - sum(log(scales), axis=-1)
    let top = max(logp, axis=1, keepdims=true)
    let p = exp(logp - top)
    p / sum(p, axis=1, keepdims=true)

def m_step(x: f32[n, d], r: f32[n, k]) -> (f32[k], f32[k, d]) =
    let total = sum(r, axis=0)
    (total / n, r.T @ x / total[:, None])
#### mixture_means_not_expanded
def logsumexp_of(x: f32[*s, k]) -> f32[*s] =
    let m = max(x, axis=-1, keepdims=true)
    log(sum(exp(x - m), axis=-1)) + squeeze(m, axis=-1)

def log_likelihood(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32 =
    let z = (x - means[None, :, :]) / scales[None, :, :] #! E04
    let logp = -0.5 * sum(z ** 2 + log(2.0 * pi), axis=-1) - sum(log(scales), axis=-1)
    sum(logsumexp_of(logp + log(weights)))

def responsibilities(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32[n, k] =
    let z = (x[:, None, :] - means[None, :, :]) / scales[None, :, :]
    let logp = log(weights) - 0.5 * sum(z ** 2, axis=-1) - sum(log(scales), axis=-1)
    let top = max(logp, axis=1, keepdims=true)
    let p = exp(logp - top)
    p / sum(p, axis=1, keepdims=true)

def m_step(x: f32[n, d], r: f32[n, k]) -> (f32[k], f32[k, d]) =
    let total = sum(r, axis=0)
    (total / n, r.T @ x / total[:, None])
#### mixture_squeeze_forgotten
def logsumexp_of(x: f32[*s, k]) -> f32[*s] =
    let m = max(x, axis=-1, keepdims=true)
    log(sum(exp(x - m), axis=-1)) + m #! E04

def log_likelihood(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32 =
    let z = (x[:, None, :] - means[None, :, :]) / scales[None, :, :]
    let logp = -0.5 * sum(z ** 2 + log(2.0 * pi), axis=-1) - sum(log(scales), axis=-1)
    sum(logsumexp_of(logp + log(weights)))

def responsibilities(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32[n, k] =
    let z = (x[:, None, :] - means[None, :, :]) / scales[None, :, :]
    let logp = log(weights) - 0.5 * sum(z ** 2, axis=-1) - sum(log(scales), axis=-1)
    let top = max(logp, axis=1, keepdims=true)
    let p = exp(logp - top)
    p / sum(p, axis=1, keepdims=true)

def m_step(x: f32[n, d], r: f32[n, k]) -> (f32[k], f32[k, d]) =
    let total = sum(r, axis=0)
    (total / n, r.T @ x / total[:, None])
#### mixture_normalised_over_examples
def logsumexp_of(x: f32[*s, k]) -> f32[*s] =
    let m = max(x, axis=-1, keepdims=true)
    log(sum(exp(x - m), axis=-1)) + squeeze(m, axis=-1)

def log_likelihood(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32 =
    let z = (x[:, None, :] - means[None, :, :]) / scales[None, :, :]
    let logp = -0.5 * sum(z ** 2 + log(2.0 * pi), axis=-1) - sum(log(scales), axis=-1)
    sum(logsumexp_of(logp + log(weights)))

def responsibilities(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32[n, k] =
    let z = (x[:, None, :] - means[None, :, :]) / scales[None, :, :]
    let logp = log(weights) - 0.5 * sum(z ** 2, axis=-1) - sum(log(scales), axis=-1)
    let top = max(logp, axis=1, keepdims=true)
    let p = exp(logp - top)
    p / sum(p, axis=1) #! E04

def m_step(x: f32[n, d], r: f32[n, k]) -> (f32[k], f32[k, d]) =
    let total = sum(r, axis=0)
    (total / n, r.T @ x / total[:, None])
#### mixture_total_not_expanded
def logsumexp_of(x: f32[*s, k]) -> f32[*s] =
    let m = max(x, axis=-1, keepdims=true)
    log(sum(exp(x - m), axis=-1)) + squeeze(m, axis=-1)

def log_likelihood(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32 =
    let z = (x[:, None, :] - means[None, :, :]) / scales[None, :, :]
    let logp = -0.5 * sum(z ** 2 + log(2.0 * pi), axis=-1) - sum(log(scales), axis=-1)
    sum(logsumexp_of(logp + log(weights)))

def responsibilities(x: f32[n, d], weights: f32[k], means: f32[k, d], scales: f32[k, d]) -> f32[n, k] =
    let z = (x[:, None, :] - means[None, :, :]) / scales[None, :, :]
    let logp = log(weights) - 0.5 * sum(z ** 2, axis=-1) - sum(log(scales), axis=-1)
    let top = max(logp, axis=1, keepdims=true)
    let p = exp(logp - top)
    p / sum(p, axis=1, keepdims=true)

def m_step(x: f32[n, d], r: f32[n, k]) -> (f32[k], f32[k, d]) =
    let total = sum(r, axis=0)
    (total / n, r.T @ x / total) #! E04
#### kmeans_argmin_over_examples
def distances(x: f32[n, d], c: f32[k, d]) -> f32[n, k] =
    sum((x[:, None, :] - c[None, :, :]) ** 2, axis=-1)

def assign(x: f32[n, d], c: f32[k, d]) -> idx[k][n] = argmin(distances(x, c), axis=0) #! E04|E03|E07

def update(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let hot = f32(ids[:, None] == arange(k)[None, :])
    let counts = sum(hot, axis=0)
    where((counts > 0.0)[:, None], hot.T @ x / maximum(counts, 1.0)[:, None], c)

def update_by_scatter(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let totals = zeros_like(c).at[ids].add(x)
    let counts = zeros([k]).at[ids].add(1.0)
    totals / maximum(counts, 1.0)[:, None]

def inertia(x: f32[n, d], c: f32[k, d]) -> f32 = sum(min(distances(x, c), axis=1))

def fit(x: f32[n, d], c: f32[k, d], static steps: int) -> (f32[k, d], f32[steps]) =
    scan c = c for _ in range(steps) do
        let next = update(x, assign(x, c), c)
        (next, inertia(x, next))
#### kmeans_one_hot_transposed
def distances(x: f32[n, d], c: f32[k, d]) -> f32[n, k] =
    sum((x[:, None, :] - c[None, :, :]) ** 2, axis=-1)

def assign(x: f32[n, d], c: f32[k, d]) -> idx[k][n] = argmin(distances(x, c), axis=1)

def update(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let hot = f32(ids[:, None] == arange(k)[None, :])
    let counts = sum(hot, axis=0)
    where((counts > 0.0)[:, None], hot @ x / maximum(counts, 1.0)[:, None], c) #! E04

def update_by_scatter(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let totals = zeros_like(c).at[ids].add(x)
    let counts = zeros([k]).at[ids].add(1.0)
    totals / maximum(counts, 1.0)[:, None]

def inertia(x: f32[n, d], c: f32[k, d]) -> f32 = sum(min(distances(x, c), axis=1))

def fit(x: f32[n, d], c: f32[k, d], static steps: int) -> (f32[k, d], f32[steps]) =
    scan c = c for _ in range(steps) do
        let next = update(x, assign(x, c), c)
        (next, inertia(x, next))
#### kmeans_counts_not_expanded
def distances(x: f32[n, d], c: f32[k, d]) -> f32[n, k] =
    sum((x[:, None, :] - c[None, :, :]) ** 2, axis=-1)

def assign(x: f32[n, d], c: f32[k, d]) -> idx[k][n] = argmin(distances(x, c), axis=1)

def update(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let hot = f32(ids[:, None] == arange(k)[None, :])
    let counts = sum(hot, axis=0)
    where(counts > 0.0, hot.T @ x / maximum(counts, 1.0)[:, None], c) #! E04

def update_by_scatter(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let totals = zeros_like(c).at[ids].add(x)
    let counts = zeros([k]).at[ids].add(1.0)
    totals / maximum(counts, 1.0)[:, None]

def inertia(x: f32[n, d], c: f32[k, d]) -> f32 = sum(min(distances(x, c), axis=1))

def fit(x: f32[n, d], c: f32[k, d], static steps: int) -> (f32[k, d], f32[steps]) =
    scan c = c for _ in range(steps) do
        let next = update(x, assign(x, c), c)
        (next, inertia(x, next))
#### kmeans_distance_ranks
def distances(x: f32[n, d], c: f32[k, d]) -> f32[n, k] =
    sum((x - c[None, :, :]) ** 2, axis=-1) #! E04

def assign(x: f32[n, d], c: f32[k, d]) -> idx[k][n] = argmin(distances(x, c), axis=1)

def update(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let hot = f32(ids[:, None] == arange(k)[None, :])
    let counts = sum(hot, axis=0)
    where((counts > 0.0)[:, None], hot.T @ x / maximum(counts, 1.0)[:, None], c)

def update_by_scatter(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let totals = zeros_like(c).at[ids].add(x)
    let counts = zeros([k]).at[ids].add(1.0)
    totals / maximum(counts, 1.0)[:, None]

def inertia(x: f32[n, d], c: f32[k, d]) -> f32 = sum(min(distances(x, c), axis=1))

def fit(x: f32[n, d], c: f32[k, d], static steps: int) -> (f32[k, d], f32[steps]) =
    scan c = c for _ in range(steps) do
        let next = update(x, assign(x, c), c)
        (next, inertia(x, next))
#### kmeans_scatter_of_points
def distances(x: f32[n, d], c: f32[k, d]) -> f32[n, k] =
    sum((x[:, None, :] - c[None, :, :]) ** 2, axis=-1)

def assign(x: f32[n, d], c: f32[k, d]) -> idx[k][n] = argmin(distances(x, c), axis=1)

def update(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let hot = f32(ids[:, None] == arange(k)[None, :])
    let counts = sum(hot, axis=0)
    where((counts > 0.0)[:, None], hot.T @ x / maximum(counts, 1.0)[:, None], c)

def update_by_scatter(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let totals = zeros_like(c).at[ids].add(x)
    let counts = zeros([k]).at[ids].add(x) #! E04
    totals / maximum(counts, 1.0)[:, None]

def inertia(x: f32[n, d], c: f32[k, d]) -> f32 = sum(min(distances(x, c), axis=1))

def fit(x: f32[n, d], c: f32[k, d], static steps: int) -> (f32[k, d], f32[steps]) =
    scan c = c for _ in range(steps) do
        let next = update(x, assign(x, c), c)
        (next, inertia(x, next))
#### kmeans_mask_as_index
def distances(x: f32[n, d], c: f32[k, d]) -> f32[n, k] =
    sum((x[:, None, :] - c[None, :, :]) ** 2, axis=-1)

def assign(x: f32[n, d], c: f32[k, d]) -> idx[k][n] = argmin(distances(x, c), axis=1)

def update(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let hot = x[ids[:, None] == 0] #! E0420
    let counts = sum(hot, axis=0)
    where((counts > 0.0)[:, None], hot.T @ x / maximum(counts, 1.0)[:, None], c)

def update_by_scatter(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let totals = zeros_like(c).at[ids].add(x)
    let counts = zeros([k]).at[ids].add(1.0)
    totals / maximum(counts, 1.0)[:, None]

def inertia(x: f32[n, d], c: f32[k, d]) -> f32 = sum(min(distances(x, c), axis=1))

def fit(x: f32[n, d], c: f32[k, d], static steps: int) -> (f32[k, d], f32[steps]) =
    scan c = c for _ in range(steps) do
        let next = update(x, assign(x, c), c)
        (next, inertia(x, next))
#### kmeans_assigns_in_place
def distances(x: f32[n, d], c: f32[k, d]) -> f32[n, k] =
    sum((x[:, None, :] - c[None, :, :]) ** 2, axis=-1)

def assign(x: f32[n, d], c: f32[k, d]) -> idx[k][n] = argmin(distances(x, c), axis=1)

def update(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let hot = f32(ids[:, None] == arange(k)[None, :])
    let counts = sum(hot, axis=0)
    where((counts > 0.0)[:, None], hot.T @ x / maximum(counts, 1.0)[:, None], c)

def update_by_scatter(x: f32[n, d], ids: idx[k][n], c: f32[k, d]) -> f32[k, d] =
    let totals = zeros_like(c).at[ids].add(x)
    let counts = zeros([k]).at[ids].add(1.0)
    counts[0] = 1.0 #! E06
    totals / maximum(counts, 1.0)[:, None]

def inertia(x: f32[n, d], c: f32[k, d]) -> f32 = sum(min(distances(x, c), axis=1))

def fit(x: f32[n, d], c: f32[k, d], static steps: int) -> (f32[k, d], f32[steps]) =
    scan c = c for _ in range(steps) do
        let next = update(x, assign(x, c), c)
        (next, inertia(x, next))
#### rk4_time_forgotten
def rk4(f: (f32, f32[n]) -> f32[n], t: f32, y: f32[n], h: f32) -> f32[n] =
    let k1 = f(t, y)
    let k2 = f(t + 0.5 * h, y + 0.5 * h * k1)
    let k3 = f(t + 0.5 * h, y + 0.5 * h * k2)
    let k4 = f(y + h * k3) #! E03
    y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

def lorenz(t: f32, s: f32[3]) -> f32[3] =
    let (x, y, z) = s
    [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]

def trajectory(s: f32[3], h: f32, static steps: int) -> f32[steps, 3] =
    let (_, path) = scan (t, s) = (0.0, s) for _ in range(steps) do
        let s = rk4(lorenz, t, s, h)
        ((t + h, s), s)
    path
#### rk4_system_of_two
def rk4(f: (f32, f32[n]) -> f32[n], t: f32, y: f32[n], h: f32) -> f32[n] =
    let k1 = f(t, y)
    let k2 = f(t + 0.5 * h, y + 0.5 * h * k1)
    let k3 = f(t + 0.5 * h, y + 0.5 * h * k2)
    let k4 = f(t + h, y + h * k3)
    y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

def lorenz(t: f32, s: f32[3]) -> f32[3] =
    let (x, y, z) = s
    [10.0 * (y - x), x * (28.0 - z) - y] #! E04

def trajectory(s: f32[3], h: f32, static steps: int) -> f32[steps, 3] =
    let (_, path) = scan (t, s) = (0.0, s) for _ in range(steps) do
        let s = rk4(lorenz, t, s, h)
        ((t + h, s), s)
    path
#### rk4_state_pattern
def rk4(f: (f32, f32[n]) -> f32[n], t: f32, y: f32[n], h: f32) -> f32[n] =
    let k1 = f(t, y)
    let k2 = f(t + 0.5 * h, y + 0.5 * h * k1)
    let k3 = f(t + 0.5 * h, y + 0.5 * h * k2)
    let k4 = f(t + h, y + h * k3)
    y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

def lorenz(t: f32, s: f32[3]) -> f32[3] =
    let (x, y, z, w) = s #! E03|E04
    [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]

def trajectory(s: f32[3], h: f32, static steps: int) -> f32[steps, 3] =
    let (_, path) = scan (t, s) = (0.0, s) for _ in range(steps) do
        let s = rk4(lorenz, t, s, h)
        ((t + h, s), s)
    path
#### rk4_path_shape
def rk4(f: (f32, f32[n]) -> f32[n], t: f32, y: f32[n], h: f32) -> f32[n] =
    let k1 = f(t, y)
    let k2 = f(t + 0.5 * h, y + 0.5 * h * k1)
    let k3 = f(t + 0.5 * h, y + 0.5 * h * k2)
    let k4 = f(t + h, y + h * k3)
    y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

def lorenz(t: f32, s: f32[3]) -> f32[3] =
    let (x, y, z) = s
    [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]

def trajectory(s: f32[3], h: f32, static steps: int) -> f32[3, steps] =
    let (_, path) = scan (t, s) = (0.0, s) for _ in range(steps) do
        let s = rk4(lorenz, t, s, h)
        ((t + h, s), s)
    path #! E04
#### rk4_carry_forgets_time
def rk4(f: (f32, f32[n]) -> f32[n], t: f32, y: f32[n], h: f32) -> f32[n] =
    let k1 = f(t, y)
    let k2 = f(t + 0.5 * h, y + 0.5 * h * k1)
    let k3 = f(t + 0.5 * h, y + 0.5 * h * k2)
    let k4 = f(t + h, y + h * k3)
    y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

def lorenz(t: f32, s: f32[3]) -> f32[3] =
    let (x, y, z) = s
    [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]

def trajectory(s: f32[3], h: f32, static steps: int) -> f32[steps, 3] =
    let (_, path) = scan (t, s) = (0.0, s) for _ in range(steps) do
        let s = rk4(lorenz, t, s, h)
        (s, s) #! E03|E04
    path
#### rk4_static_division
def rk4(f: (f32, f32[n]) -> f32[n], t: f32, y: f32[n], h: f32) -> f32[n] =
    let k1 = f(t, y)
    let k2 = f(t + 0.5 * h, y + 0.5 * h * k1)
    let k3 = f(t + 0.5 * h, y + 0.5 * h * k2)
    let k4 = f(t + h, y + h * k3)
    y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

def lorenz(t: f32, s: f32[3]) -> f32[3] =
    let (x, y, z) = s
    [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8 / 3 * z] #! E03

def trajectory(s: f32[3], h: f32, static steps: int) -> f32[steps, 3] =
    let (_, path) = scan (t, s) = (0.0, s) for _ in range(steps) do
        let s = rk4(lorenz, t, s, h)
        ((t + h, s), s)
    path
#### heat_offsets
def laplacian(u: f32[h, w]) -> f32[h - 2, w - 2] where h >= 2 and w >= 2 =
    u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 1:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1] #! E04

def step(u: f32[h, w], dt: f32) -> f32[h, w] where h >= 2 and w >= 2 =
    u.at[1:-1, 1:-1].add(dt * laplacian(u))

def simulate(u: f32[h, w], dt: f32, static steps: int) -> f32[h, w] where h >= 2 and w >= 2 =
    fold u = u for _ in range(steps) do step(u, dt)
#### heat_update_of_all
def laplacian(u: f32[h, w]) -> f32[h - 2, w - 2] where h >= 2 and w >= 2 =
    u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]

def step(u: f32[h, w], dt: f32) -> f32[h, w] where h >= 2 and w >= 2 =
    u + dt * laplacian(u) #! E04

def simulate(u: f32[h, w], dt: f32, static steps: int) -> f32[h, w] where h >= 2 and w >= 2 =
    fold u = u for _ in range(steps) do step(u, dt)
#### heat_region
def laplacian(u: f32[h, w]) -> f32[h - 2, w - 2] where h >= 2 and w >= 2 =
    u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]

def step(u: f32[h, w], dt: f32) -> f32[h, w] where h >= 2 and w >= 2 =
    u.at[1:, 1:].add(dt * laplacian(u)) #! E04

def simulate(u: f32[h, w], dt: f32, static steps: int) -> f32[h, w] where h >= 2 and w >= 2 =
    fold u = u for _ in range(steps) do step(u, dt)
#### heat_assigns
def laplacian(u: f32[h, w]) -> f32[h - 2, w - 2] where h >= 2 and w >= 2 =
    u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]

def step(u: f32[h, w], dt: f32) -> f32[h, w] where h >= 2 and w >= 2 =
    u[1:-1, 1:-1] += dt * laplacian(u) #! E06
    u

def simulate(u: f32[h, w], dt: f32, static steps: int) -> f32[h, w] where h >= 2 and w >= 2 =
    fold u = u for _ in range(steps) do step(u, dt)
#### heat_loop_of_python
def laplacian(u: f32[h, w]) -> f32[h - 2, w - 2] where h >= 2 and w >= 2 =
    u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]

def step(u: f32[h, w], dt: f32) -> f32[h, w] where h >= 2 and w >= 2 =
    u.at[1:-1, 1:-1].add(dt * laplacian(u))

def simulate(u: f32[h, w], dt: f32, static steps: int) -> f32[h, w] where h >= 2 and w >= 2 =
    for _ in range(steps): u = step(u, dt) #! E01
#### conv_window
def conv2d(x: f32[h, w, ci], k: f32[a, b, ci, co]) -> f32[h - a + 1, w - b + 1, co]
    where 1 <= a and a <= h and 1 <= b and b <= w =
    [einsum("abi,abio->o", x[i : i + b, j : j + a], k) for i in range(h - a + 1), j in range(w - b + 1)] #! E04

def relu(x: f32[*s]) -> f32[*s] = maximum(x, 0.0)

def pool(x: f32[h, w, c]) -> f32[h // 2, w // 2, c] where h % 2 == 0 and w % 2 == 0 =
    max(reshape(x, [h // 2, 2, w // 2, 2, c]), axis=(1, 3))

def net(x: f32[28, 28, 1], k: f32[5, 5, 1, 8], w: f32[1152, 10]) -> f32[10] =
    reshape(pool(relu(conv2d(x, k))), [1152]) @ w
#### conv_dense_size
def conv2d(x: f32[h, w, ci], k: f32[a, b, ci, co]) -> f32[h - a + 1, w - b + 1, co]
    where 1 <= a and a <= h and 1 <= b and b <= w =
    [einsum("abi,abio->o", x[i : i + a, j : j + b], k) for i in range(h - a + 1), j in range(w - b + 1)]

def relu(x: f32[*s]) -> f32[*s] = maximum(x, 0.0)

def pool(x: f32[h, w, c]) -> f32[h // 2, w // 2, c] where h % 2 == 0 and w % 2 == 0 =
    max(reshape(x, [h // 2, 2, w // 2, 2, c]), axis=(1, 3))

def net(x: f32[28, 28, 1], k: f32[5, 5, 1, 8], w: f32[1024, 10]) -> f32[10] =
    reshape(pool(relu(conv2d(x, k))), [1152]) @ w #! E04
#### conv_pool_axes
def conv2d(x: f32[h, w, ci], k: f32[a, b, ci, co]) -> f32[h - a + 1, w - b + 1, co]
    where 1 <= a and a <= h and 1 <= b and b <= w =
    [einsum("abi,abio->o", x[i : i + a, j : j + b], k) for i in range(h - a + 1), j in range(w - b + 1)]

def relu(x: f32[*s]) -> f32[*s] = maximum(x, 0.0)

def pool(x: f32[h, w, c]) -> f32[h // 2, w // 2, c] where h % 2 == 0 and w % 2 == 0 =
    max(reshape(x, [h // 2, 2, w // 2, 2, c]), axis=(0, 2)) #! E04

def net(x: f32[28, 28, 1], k: f32[5, 5, 1, 8], w: f32[1152, 10]) -> f32[10] =
    reshape(pool(relu(conv2d(x, k))), [1152]) @ w
#### options_argnum
def cdf(x: f32[*s]) -> f32[*s] = 0.5 * (1.0 + erf(x / sqrt(2.0)))

def call(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> f32 =
    let d1 = (log(spot / strike) + (rate + 0.5 * vol ** 2) * t) / (vol * sqrt(t))
    let d2 = d1 - vol * sqrt(t)
    spot * cdf(d1) - strike * exp(-rate * t) * cdf(d2)

def greeks(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> {delta: f32, gamma: f32, vega: f32} = {
    delta = grad(call)(spot, strike, rate, vol, t),
    gamma = grad(grad(call))(spot, strike, rate, vol, t),
    vega = grad(call, argnums=5)(spot, strike, rate, vol, t), #! E08
}

def book(spots: f32[n], strikes: f32[n], rate: f32, vol: f32, t: f32) -> f32[n] =
    vmap(call, in_axes=(0, 0, none, none, none))(spots, strikes, rate, vol, t)
#### options_axes_count
def cdf(x: f32[*s]) -> f32[*s] = 0.5 * (1.0 + erf(x / sqrt(2.0)))

def call(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> f32 =
    let d1 = (log(spot / strike) + (rate + 0.5 * vol ** 2) * t) / (vol * sqrt(t))
    let d2 = d1 - vol * sqrt(t)
    spot * cdf(d1) - strike * exp(-rate * t) * cdf(d2)

def greeks(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> {delta: f32, gamma: f32, vega: f32} = {
    delta = grad(call)(spot, strike, rate, vol, t),
    gamma = grad(grad(call))(spot, strike, rate, vol, t),
    vega = grad(call, argnums=3)(spot, strike, rate, vol, t),
}

def book(spots: f32[n], strikes: f32[n], rate: f32, vol: f32, t: f32) -> f32[n] =
    vmap(call, in_axes=(0, 0, none, none))(spots, strikes, rate, vol, t) #! E08
#### options_unmapped
def cdf(x: f32[*s]) -> f32[*s] = 0.5 * (1.0 + erf(x / sqrt(2.0)))

def call(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> f32 =
    let d1 = (log(spot / strike) + (rate + 0.5 * vol ** 2) * t) / (vol * sqrt(t))
    let d2 = d1 - vol * sqrt(t)
    spot * cdf(d1) - strike * exp(-rate * t) * cdf(d2)

def greeks(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> {delta: f32, gamma: f32, vega: f32} = {
    delta = grad(call)(spot, strike, rate, vol, t),
    gamma = grad(grad(call))(spot, strike, rate, vol, t),
    vega = grad(call, argnums=3)(spot, strike, rate, vol, t),
}

def book(spots: f32[n], strikes: f32[n], rate: f32, vol: f32, t: f32) -> f32[n] =
    vmap(call, in_axes=(0, 0, 0, none, none))(spots, strikes, rate, vol, t) #! E08
#### options_missing_field
def cdf(x: f32[*s]) -> f32[*s] = 0.5 * (1.0 + erf(x / sqrt(2.0)))

def call(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> f32 =
    let d1 = (log(spot / strike) + (rate + 0.5 * vol ** 2) * t) / (vol * sqrt(t))
    let d2 = d1 - vol * sqrt(t)
    spot * cdf(d1) - strike * exp(-rate * t) * cdf(d2)

def greeks(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> {delta: f32, gamma: f32, vega: f32} = { #! E03
    delta = grad(call)(spot, strike, rate, vol, t),
    gamma = grad(grad(call))(spot, strike, rate, vol, t),
}

def book(spots: f32[n], strikes: f32[n], rate: f32, vol: f32, t: f32) -> f32[n] =
    vmap(call, in_axes=(0, 0, none, none, none))(spots, strikes, rate, vol, t)
#### options_undefined
def cdf(x: f32[*s]) -> f32[*s] = 0.5 * (1.0 + erf(x / sqrt(2.0)))

def call(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> f32 =
    let d1 = (log(spot / strike) + (rate + 0.5 * vol ** 2) * t) / (vol * sqrt(t))
    let d2 = d1 - sigma * sqrt(t) #! E02
    spot * cdf(d1) - strike * exp(-rate * t) * cdf(d2)

def greeks(spot: f32, strike: f32, rate: f32, vol: f32, t: f32) -> {delta: f32, gamma: f32, vega: f32} = {
    delta = grad(call)(spot, strike, rate, vol, t),
    gamma = grad(grad(call))(spot, strike, rate, vol, t),
    vega = grad(call, argnums=3)(spot, strike, rate, vol, t),
}

def book(spots: f32[n], strikes: f32[n], rate: f32, vol: f32, t: f32) -> f32[n] =
    vmap(call, in_axes=(0, 0, none, none, none))(spots, strikes, rate, vol, t)
#### bodies_mass_axis
type Bodies[n] = {x: f32[n, 3], v: f32[n, 3], m: f32[n]}

def accelerations(b: Bodies[n]) -> f32[n, 3] =
    let r = b.x[None, :, :] - b.x[:, None, :]
    let d2 = sum(r ** 2, axis=-1) + 1e-4
    sum(r * (b.m / d2 ** 1.5), axis=1) #! E04

def energy(b: Bodies[n]) -> f32 = 0.5 * sum(b.m[:, None] * b.v ** 2)

def step(b: Bodies[n], h: f32) -> Bodies[n] =
    let v = b.v + h * accelerations(b)
    {b with v = v, x = b.x + h * v}
#### bodies_sum_axis
type Bodies[n] = {x: f32[n, 3], v: f32[n, 3], m: f32[n]}

def accelerations(b: Bodies[n]) -> f32[n, 3] =
    let r = b.x[None, :, :] - b.x[:, None, :]
    let d2 = sum(r ** 2, axis=-1) + 1e-4
    sum(r * (b.m / d2 ** 1.5)[:, :, None], axis=2) #! E04

def energy(b: Bodies[n]) -> f32 = 0.5 * sum(b.m[:, None] * b.v ** 2)

def step(b: Bodies[n], h: f32) -> Bodies[n] =
    let v = b.v + h * accelerations(b)
    {b with v = v, x = b.x + h * v}
#### bodies_energy
type Bodies[n] = {x: f32[n, 3], v: f32[n, 3], m: f32[n]}

def accelerations(b: Bodies[n]) -> f32[n, 3] =
    let r = b.x[None, :, :] - b.x[:, None, :]
    let d2 = sum(r ** 2, axis=-1) + 1e-4
    sum(r * (b.m / d2 ** 1.5)[:, :, None], axis=1)

def energy(b: Bodies[n]) -> f32 = 0.5 * sum(b.m * b.v ** 2) #! E04

def step(b: Bodies[n], h: f32) -> Bodies[n] =
    let v = b.v + h * accelerations(b)
    {b with v = v, x = b.x + h * v}
#### bodies_record_update
type Bodies[n] = {x: f32[n, 3], v: f32[n, 3], m: f32[n]}

def accelerations(b: Bodies[n]) -> f32[n, 3] =
    let r = b.x[None, :, :] - b.x[:, None, :]
    let d2 = sum(r ** 2, axis=-1) + 1e-4
    sum(r * (b.m / d2 ** 1.5)[:, :, None], axis=1)

def energy(b: Bodies[n]) -> f32 = 0.5 * sum(b.m[:, None] * b.v ** 2)

def step(b: Bodies[n], h: f32) -> Bodies[n] =
    let v = b.v + h * accelerations(b)
    {b with v = v, pos = b.x + h * v} #! E03|E02
#### bodies_mutated
type Bodies[n] = {x: f32[n, 3], v: f32[n, 3], m: f32[n]}

def accelerations(b: Bodies[n]) -> f32[n, 3] =
    let r = b.x[None, :, :] - b.x[:, None, :]
    let d2 = sum(r ** 2, axis=-1) + 1e-4
    sum(r * (b.m / d2 ** 1.5)[:, :, None], axis=1)

def energy(b: Bodies[n]) -> f32 = 0.5 * sum(b.m[:, None] * b.v ** 2)

def step(b: Bodies[n], h: f32) -> Bodies[n] =
    let v = b.v + h * accelerations(b)
    b.v = v #! E06
    b
#### hmm_symbols_unbounded
def forward(start: f32[k], move: f32[k, k], emit_p: f32[k, v], seen: i32[t]) -> f32 =
    let (alpha, logs) = scan alpha = start for o in seen do
        let a = (alpha @ move) * emit_p[:, o] #! E07
        let z = sum(a)
        (a / z, log(z))
    sum(logs) + log(sum(alpha))
#### hmm_transition
def forward(start: f32[k], move: f32[k, k], emit_p: f32[k, v], seen: idx[v][t]) -> f32 =
    let (alpha, logs) = scan alpha = start for o in seen do
        let a = (move @ alpha[:, None]) * emit_p[:, o] #! E04
        let z = sum(a)
        (a / z, log(z))
    sum(logs) + log(sum(alpha))
#### hmm_scan_output
def forward(start: f32[k], move: f32[k, k], emit_p: f32[k, v], seen: idx[v][t]) -> f32 =
    let (alpha, logs) = scan alpha = start for o in seen do
        let a = (alpha @ move) * emit_p[:, o]
        let z = sum(a)
        a / z #! E03|E04
    sum(logs) + log(sum(alpha))
#### viterbi_max_of_rows
def viterbi(start: f32[k], move: f32[k, k], logp: f32[t, k]) -> idx[k][t] where k >= 1 =
    let (last, back) = scan s = start for e in logp do
        let options = s[:, None] + move
        (max(options) + options, argmax(options, axis=0)) #! E04|E03
    let (_, path) = scan q: idx[k] = argmax(last) for row in back reverse do
        (row[q], q)
    path
#### pi_one_key
from random import split, uniform, normal

def estimate_pi(k: key, static n: int) -> f32 =
    let (a, b) = split(k)
    let x = uniform(a, [n])
    let y = uniform(a, [n]) #! E0610
    4.0 * mean(x * x + y * y < 1.0)

def brownian(k: key, s0: f32, mu: f32, sigma: f32, dt: f32, static steps: int) -> f32[steps] =
    let z = normal(k, [steps])
    s0 * exp(cumsum((mu - 0.5 * sigma ** 2) * dt + sigma * sqrt(dt) * z))
#### pi_key_after_split
from random import split, uniform, normal

def estimate_pi(k: key, static n: int) -> f32 =
    let (a, b) = split(k)
    let x = uniform(a, [n])
    let y = uniform(k, [n]) #! E0610
    4.0 * mean(x * x + y * y < 1.0)

def brownian(k: key, s0: f32, mu: f32, sigma: f32, dt: f32, static steps: int) -> f32[steps] =
    let z = normal(k, [steps])
    s0 * exp(cumsum((mu - 0.5 * sigma ** 2) * dt + sigma * sqrt(dt) * z))
#### pi_size
from random import split, uniform, normal

def estimate_pi(k: key, static n: int) -> f32 =
    let (a, b) = split(k)
    let x = uniform(a, [n])
    let y = uniform(b, [n + 1])
    4.0 * mean(x * x + y * y < 1.0) #! E04

def brownian(k: key, s0: f32, mu: f32, sigma: f32, dt: f32, static steps: int) -> f32[steps] =
    let z = normal(k, [steps])
    s0 * exp(cumsum((mu - 0.5 * sigma ** 2) * dt + sigma * sqrt(dt) * z))
#### brownian_steps
from random import split, uniform, normal

def estimate_pi(k: key, static n: int) -> f32 =
    let (a, b) = split(k)
    let x = uniform(a, [n])
    let y = uniform(b, [n])
    4.0 * mean(x * x + y * y < 1.0)

def brownian(k: key, s0: f32, mu: f32, sigma: f32, dt: f32, static steps: int) -> f32[steps] =
    let z = normal(k, [steps - 1])
    s0 * exp(cumsum((mu - 0.5 * sigma ** 2) * dt + sigma * sqrt(dt) * z)) #! E04
#### chain_key_reused
from random import split, normal, uniform

def chain(logp: (f32[d]) -> f32, k: key, x: f32[d], static steps: int) -> f32[steps, d] =
    let (_, xs) = scan (k, x) = (k, x) for _ in range(steps) do
        let (k, a, b) = split(k, 3)
        let proposal = x + 0.5 * normal(a, [d])
        let accept = log(uniform(a)) < logp(proposal) - logp(x) #! E0610
        let x = if accept then proposal else x
        ((k, x), x)
    xs
#### chain_key_not_carried
from random import split, normal, uniform

def chain(logp: (f32[d]) -> f32, k: key, x: f32[d], static steps: int) -> f32[steps, d] =
    let (_, xs) = scan (k, x) = (k, x) for _ in range(steps) do
        let (q, a, b) = split(k, 3)
        let proposal = x + 0.5 * normal(a, [d])
        let accept = log(uniform(b)) < logp(proposal) - logp(x)
        let x = if accept then proposal else x
        ((k, x), x) #! E0610
    xs
#### chain_accepts_by_and
from random import split, normal, uniform

def chain(logp: (f32[d]) -> f32, k: key, x: f32[d], static steps: int) -> f32[steps, d] =
    let (_, xs) = scan (k, x) = (k, x) for _ in range(steps) do
        let (k, a, b) = split(k, 3)
        let proposal = x + 0.5 * normal(a, [d])
        let accept = log(uniform(b)) < logp(proposal) - logp(x)
        let x = if accept and proposal then proposal else x #! E03|E04
        ((k, x), x)
    xs
#### vae_noise_shape
from random import normal
type Vae[d, h, z] = {enc: f32[d, h], mu: f32[h, z], logvar: f32[h, z], dec: f32[z, h], out: f32[h, d]}

def elbo(p: Vae[d, h, z], k: key, x: f32[n, d]) -> f32 =
    let hidden = tanh(x @ p.enc)
    let mu = hidden @ p.mu
    let logvar = hidden @ p.logvar
    let sample = mu + exp(0.5 * logvar) * normal(k, [z, n]) #! E04
    let recon = tanh(sample @ p.dec) @ p.out
    let kl = -0.5 * sum(1.0 + logvar - mu ** 2 - exp(logvar), axis=1)
    mean(sum((recon - x) ** 2, axis=1) + kl)

def train_step(p: Vae[d, h, z], k: key, x: f32[n, d]) -> Vae[d, h, z] = p - 1e-3 * grad(elbo)(p, k, x)
#### vae_kl_axis
from random import normal
type Vae[d, h, z] = {enc: f32[d, h], mu: f32[h, z], logvar: f32[h, z], dec: f32[z, h], out: f32[h, d]}

def elbo(p: Vae[d, h, z], k: key, x: f32[n, d]) -> f32 =
    let hidden = tanh(x @ p.enc)
    let mu = hidden @ p.mu
    let logvar = hidden @ p.logvar
    let sample = mu + exp(0.5 * logvar) * normal(k, [n, z])
    let recon = tanh(sample @ p.dec) @ p.out
    let kl = -0.5 * sum(1.0 + logvar - mu ** 2 - exp(logvar), axis=0)
    mean(sum((recon - x) ** 2, axis=1) + kl) #! E04

def train_step(p: Vae[d, h, z], k: key, x: f32[n, d]) -> Vae[d, h, z] = p - 1e-3 * grad(elbo)(p, k, x)
#### vae_two_draws
from random import normal
type Vae[d, h, z] = {enc: f32[d, h], mu: f32[h, z], logvar: f32[h, z], dec: f32[z, h], out: f32[h, d]}

def elbo(p: Vae[d, h, z], k: key, x: f32[n, d]) -> f32 =
    let hidden = tanh(x @ p.enc)
    let mu = hidden @ p.mu
    let logvar = hidden @ p.logvar
    let sample = mu + exp(0.5 * logvar) * normal(k, [n, z])
    let again = normal(k, [n, z]) #! E0610
    let recon = tanh(sample @ p.dec) @ p.out
    let kl = -0.5 * sum(1.0 + logvar - mu ** 2 - exp(logvar), axis=1)
    mean(sum((recon - x) ** 2, axis=1) + kl)

def train_step(p: Vae[d, h, z], k: key, x: f32[n, d]) -> Vae[d, h, z] = p - 1e-3 * grad(elbo)(p, k, x)
#### vae_decoder
from random import normal
type Vae[d, h, z] = {enc: f32[d, h], mu: f32[h, z], logvar: f32[h, z], dec: f32[z, h], out: f32[h, d]}

def elbo(p: Vae[d, h, z], k: key, x: f32[n, d]) -> f32 =
    let hidden = tanh(x @ p.enc)
    let mu = hidden @ p.mu
    let logvar = hidden @ p.logvar
    let sample = mu + exp(0.5 * logvar) * normal(k, [n, z])
    let recon = tanh(sample @ p.out) @ p.dec #! E04
    let kl = -0.5 * sum(1.0 + logvar - mu ** 2 - exp(logvar), axis=1)
    mean(sum((recon - x) ** 2, axis=1) + kl)

def train_step(p: Vae[d, h, z], k: key, x: f32[n, d]) -> Vae[d, h, z] = p - 1e-3 * grad(elbo)(p, k, x)
#### mlp_arm_missing
enum Activation = Relu | Tanh | Leaky(slope: float)
type Dense[i, o] = {w: f32[i, o], b: f32[o]}

def activate(static act: Activation, x: f32[*s]) -> f32[*s] =
    match act with #! E03
        Relu -> maximum(x, 0.0)
        Leaky(slope) -> where(x > 0.0, x, slope * x)

def dense(p: Dense[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w + p.b

def mlp(layers: (Dense[a, b], Dense[b, c], Dense[c, d]), x: f32[n, a], static act: Activation = Relu) -> f32[n, d] =
    fold h = x for layer in layers do activate(act, dense(layer, h))
#### mlp_layers_do_not_meet
enum Activation = Relu | Tanh | Leaky(slope: float)
type Dense[i, o] = {w: f32[i, o], b: f32[o]}

def activate(static act: Activation, x: f32[*s]) -> f32[*s] =
    match act with
        Relu -> maximum(x, 0.0)
        Tanh -> tanh(x)
        Leaky(slope) -> where(x > 0.0, x, slope * x)

def dense(p: Dense[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w + p.b

def mlp(layers: (Dense[a, b], Dense[b, c], Dense[b, d]), x: f32[n, a], static act: Activation = Relu) -> f32[n, d] =
    fold h = x for layer in layers do activate(act, dense(layer, h)) #! E04
#### mlp_leaky_of_two
enum Activation = Relu | Tanh | Leaky(slope: float)
type Dense[i, o] = {w: f32[i, o], b: f32[o]}

def activate(static act: Activation, x: f32[*s]) -> f32[*s] =
    match act with
        Relu -> maximum(x, 0.0)
        Tanh -> tanh(x)
        Leaky(slope, cut) -> where(x > 0.0, x, slope * x) #! E03

def dense(p: Dense[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w + p.b

def mlp(layers: (Dense[a, b], Dense[b, c], Dense[c, d]), x: f32[n, a], static act: Activation = Relu) -> f32[n, d] =
    fold h = x for layer in layers do activate(act, dense(layer, h))
#### adam_square_by_operator
def adam[P: VSpace[f32]](p: P, g: P, m: P, v: P, t: f32) -> (P, P, P) =
    let m = 0.9 * m + 0.1 * g
    let v = 0.999 * v + 0.001 * g * g #! E03
    let fix_m = 1.0 / (1.0 - 0.9 ** t)
    let fix_v = 1.0 / (1.0 - 0.999 ** t)
    let step = tree_map(fn (a, b) -> a / (sqrt(b) + 1e-8), fix_m * m, fix_v * v)
    (p - 1e-3 * step, m, v)
#### adam_result_count
def adam[P: VSpace[f32]](p: P, g: P, m: P, v: P, t: f32) -> (P, P, P) =
    let m = 0.9 * m + 0.1 * g
    let v = 0.999 * v + 0.001 * tree_map(fn a -> a * a, g)
    let fix_m = 1.0 / (1.0 - 0.9 ** t)
    let fix_v = 1.0 / (1.0 - 0.999 ** t)
    let step = tree_map(fn (a, b) -> a / (sqrt(b) + 1e-8), fix_m * m, fix_v * v)
    (p - 1e-3 * step, m) #! E03
#### adam_division_of_models
def adam[P: VSpace[f32]](p: P, g: P, m: P, v: P, t: f32) -> (P, P, P) =
    let m = 0.9 * m + 0.1 * g
    let v = 0.999 * v + 0.001 * tree_map(fn a -> a * a, g)
    let fix_m = 1.0 / (1.0 - 0.9 ** t)
    let fix_v = 1.0 / (1.0 - 0.999 ** t)
    let step = fix_m * m / (fix_v * v) #! E03
    (p - 1e-3 * step, m, v)
#### cg_carry_order
def solve_by_cg(a: (f32[n]) -> f32[n], b: f32[n], static steps: int) -> f32[n] =
    let (x, _, _) = fold (x, r, p) = (zeros([n]), b, b) for _ in range(steps) do
        let ap = a(p)
        let alpha = r @ r / (p @ ap)
        let next = r - alpha * ap
        let beta = next @ next / (r @ r)
        (x + alpha * p, next) #! E03
    x
def solve_dense(m: f32[n, n], b: f32[n]) -> f32[n] = solve_by_cg(fn v -> m @ v, b, 20)
#### cg_operator_shape
def solve_by_cg(a: (f32[n]) -> f32[n], b: f32[n], static steps: int) -> f32[n] =
    let (x, _, _) = fold (x, r, p) = (zeros([n]), b, b) for _ in range(steps) do
        let ap = a(p)
        let alpha = r @ r / (p @ ap)
        let next = r - alpha * ap
        let beta = next @ next / (r @ r)
        (x + alpha * p, next, next + beta * p)
    x
def solve_dense(m: f32[n, n], b: f32[n]) -> f32[n] = solve_by_cg(fn v -> m * v, b, 20) #! E04
#### cg_matrix_for_operator
def solve_by_cg(a: (f32[n]) -> f32[n], b: f32[n], static steps: int) -> f32[n] =
    let (x, _, _) = fold (x, r, p) = (zeros([n]), b, b) for _ in range(steps) do
        let ap = a(p)
        let alpha = r @ r / (p @ ap)
        let next = r - alpha * ap
        let beta = next @ next / (r @ r)
        (x + alpha * p, next, next + beta * p)
    x
def solve_dense(m: f32[n, n], b: f32[n]) -> f32[n] = solve_by_cg(m, b, 20) #! E03
#### gp_cross_transposed
import linalg

def kernel(x: f32[n, d], y: f32[m, d], scale: f32) -> f32[n, m] =
    let d2 = sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    exp(-0.5 * d2 / scale ** 2)

def posterior(x: f32[n, d], y: f32[n], new: f32[m, d], scale: f32, noise: f32) -> (f32[m], f32[m, m]) =
    let k = kernel(x, x, scale) + noise * eye(n)
    let cross = kernel(x, new, scale)
    let mean_new = cross @ linalg.solve(k, y) #! E04
    (mean_new, kernel(new, new, scale) - cross.T @ linalg.solve(k, cross))
#### gp_kernel_arguments
import linalg

def kernel(x: f32[n, d], y: f32[m, d], scale: f32) -> f32[n, m] =
    let d2 = sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    exp(-0.5 * d2 / scale ** 2)

def posterior(x: f32[n, d], y: f32[n], new: f32[m, d], scale: f32, noise: f32) -> (f32[m], f32[m, m]) =
    let k = kernel(x, x, scale) + noise * eye(n)
    let cross = kernel(x, y, scale) #! E04
    let mean_new = cross.T @ linalg.solve(k, y)
    (mean_new, kernel(new, new, scale) - cross.T @ linalg.solve(k, cross))
#### gp_noise_identity
import linalg

def kernel(x: f32[n, d], y: f32[m, d], scale: f32) -> f32[n, m] =
    let d2 = sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    exp(-0.5 * d2 / scale ** 2)

def posterior(x: f32[n, d], y: f32[n], new: f32[m, d], scale: f32, noise: f32) -> (f32[m], f32[m, m]) =
    let k = kernel(x, x, scale) + noise * eye(m) #! E04
    let cross = kernel(x, new, scale)
    let mean_new = cross.T @ linalg.solve(k, y)
    (mean_new, kernel(new, new, scale) - cross.T @ linalg.solve(k, cross))
#### bilinear_mixed
def sample(img: f32[h, w], y: f32, x: f32) -> f32 where h >= 2 and w >= 2 =
    let i = clip(i32(floor(y)), 0, h - 2)
    let j = clip(i32(floor(x)), 0, w - 2)
    let fy = y - i #! E03
    let fx = x - f32(j)
    let top = img[i, j] * (1.0 - fx) + img[i, j + 1] * fx
    let bottom = img[i + 1, j] * (1.0 - fx) + img[i + 1, j + 1] * fx
    top * (1.0 - fy) + bottom * fy
#### bilinear_axes_swapped
def sample(img: f32[h, w], y: f32, x: f32) -> f32 where h >= 2 and w >= 2 =
    let i = clip(i32(floor(y)), 0, h - 2)
    let j = clip(i32(floor(x)), 0, w - 2)
    let fy = y - f32(i)
    let fx = x - f32(j)
    let top = img[i, j] * (1.0 - fx) + img[i, j + 1] * fx
    let bottom = img[i + 1, j] * (1.0 - fx) + img[i + 1, i + 1] * fx #! E07
    top * (1.0 - fy) + bottom * fy
#### rank_without_limit
def rank(links: f32[n, n], damping: f32) -> f32[n] =
    let out = sum(links, axis=1, keepdims=true)
    let p = where(out > 0.0, links / maximum(out, 1.0), 1.0 / f32(n))
    let start = full([n], 1.0) / f32(n)
    iterate r = start while max(abs(damped(p, r, damping) - r)) > 1e-6 do damped(p, r, damping) #! E07
def damped(p: f32[n, n], r: f32[n], damping: f32) -> f32[n] = damping * (r @ p) + (1.0 - damping) / f32(n)
#### rank_array_condition
def rank(links: f32[n, n], damping: f32) -> f32[n] =
    let out = sum(links, axis=1, keepdims=true)
    let p = where(out > 0.0, links / maximum(out, 1.0), 1.0 / f32(n))
    let start = full([n], 1.0) / f32(n)
    iterate r = start while abs(damped(p, r, damping) - r) > 1e-6 limit 100 do damped(p, r, damping) #! E03|E04
def damped(p: f32[n, n], r: f32[n], damping: f32) -> f32[n] = damping * (r @ p) + (1.0 - damping) / f32(n)
#### smoothing_length
def moving(x: f32[n], static k: int) -> f32[n - k] where 1 <= k and k <= n =
    [mean(x[i : i + k]) for i in range(n - k + 1)] #! E04
def exponential(x: f32[n], alpha: f32) -> f32[n] where n >= 1 =
    let (_, y) = scan s = x[0] for v in x do
        let s = alpha * v + (1.0 - alpha) * s
        (s, s)
    y
#### smoothing_window_grows
def moving(x: f32[n], static k: int) -> f32[n - k + 1] where 1 <= k and k <= n =
    [mean(x[i : 2 * i + k]) for i in range(n - k + 1)] #! E05|E04
def exponential(x: f32[n], alpha: f32) -> f32[n] where n >= 1 =
    let (_, y) = scan s = x[0] for v in x do
        let s = alpha * v + (1.0 - alpha) * s
        (s, s)
    y
#### policy_action_unbounded
from random import categorical
type Policy[s, a] = {w: f32[s, a], b: f32[a]}

def logits(p: Policy[s, a], x: f32[s]) -> f32[a] = x @ p.w + p.b

def log_prob(p: Policy[s, a], x: f32[s], action: i32) -> f32 =
    let z = logits(p, x)
    let top = max(z)
    z[action] - top - log(sum(exp(z - top))) #! E07

def surrogate(p: Policy[s, a], xs: f32[t, s], actions: idx[a][t], returns: f32[t]) -> f32 =
    -mean([log_prob(p, x, u) * r for x, u, r in zip(xs, actions, returns)])

def act(p: Policy[s, a], k: key, x: f32[s]) -> i32 = categorical(k, logits(p, x))
#### policy_zip
from random import categorical
type Policy[s, a] = {w: f32[s, a], b: f32[a]}

def logits(p: Policy[s, a], x: f32[s]) -> f32[a] = x @ p.w + p.b

def log_prob(p: Policy[s, a], x: f32[s], action: idx[a]) -> f32 =
    let z = logits(p, x)
    let top = max(z)
    z[action] - top - log(sum(exp(z - top)))

def surrogate(p: Policy[s, a], xs: f32[t, s], actions: idx[a][t], returns: f32[t]) -> f32 =
    -mean([log_prob(p, x, u) * r for x, u, r in zip(xs, actions)]) #! E03

def act(p: Policy[s, a], k: key, x: f32[s]) -> i32 = categorical(k, logits(p, x))
#### policy_transposed
from random import categorical
type Policy[s, a] = {w: f32[s, a], b: f32[a]}

def logits(p: Policy[s, a], x: f32[s]) -> f32[a] = p.w @ x + p.b #! E04

def log_prob(p: Policy[s, a], x: f32[s], action: idx[a]) -> f32 =
    let z = logits(p, x)
    let top = max(z)
    z[action] - top - log(sum(exp(z - top)))

def surrogate(p: Policy[s, a], xs: f32[t, s], actions: idx[a][t], returns: f32[t]) -> f32 =
    -mean([log_prob(p, x, u) * r for x, u, r in zip(xs, actions, returns)])

def act(p: Policy[s, a], k: key, x: f32[s]) -> i32 = categorical(k, logits(p, x))
#### life_bool_result
def neighbours(g: i32[h, w]) -> i32[h, w] =
    roll(g, shift=1, axis=0) + roll(g, shift=-1, axis=0) + roll(g, shift=1, axis=1) + roll(g, shift=-1, axis=1)

def diagonal(g: i32[h, w]) -> i32[h, w] =
    let up = roll(g, shift=1, axis=0)
    let down = roll(g, shift=-1, axis=0)
    roll(up, shift=1, axis=1) + roll(up, shift=-1, axis=1) + roll(down, shift=1, axis=1) + roll(down, shift=-1, axis=1)

def step(g: i32[h, w]) -> i32[h, w] =
    let count = neighbours(g) + diagonal(g)
    (count == 3) | (g == 1) & (count == 2) #! E03
#### life_half
def neighbours(g: i32[h, w]) -> i32[h, w] =
    roll(g, shift=1, axis=0) + roll(g, shift=-1, axis=0) + roll(g, shift=1, axis=1) + roll(g, shift=-1, axis=1)

def diagonal(g: i32[h, w]) -> i32[h, w] =
    let up = roll(g, shift=1, axis=0)
    let down = roll(g, shift=-1, axis=0)
    roll(up, shift=1, axis=1) + roll(up, shift=-1, axis=1) + roll(down, shift=1, axis=1) + roll(down, shift=-1, axis=1)

def step(g: i32[h, w]) -> i32[h, w] =
    let count = neighbours(g) + 0.5 * diagonal(g) #! E03
    i32((count == 3) | (g == 1) & (count == 2))
#### life_axis
def neighbours(g: i32[h, w]) -> i32[h, w] =
    roll(g, shift=1, axis=0) + roll(g, shift=-1, axis=0) + roll(g, shift=1, axis=1) + roll(g, shift=-1, axis=1)

def diagonal(g: i32[h, w]) -> i32[h, w] =
    let up = roll(g, shift=1, axis=0)
    let down = roll(g, shift=-1, axis=0)
    roll(up, shift=1, axis=1) + roll(up, shift=-1, axis=1) + roll(down, shift=1, axis=1) + roll(down, shift=-1, axis=2) #! E04

def step(g: i32[h, w]) -> i32[h, w] =
    let count = neighbours(g) + diagonal(g)
    i32((count == 3) | (g == 1) & (count == 2))
#### mandelbrot_order
def escape(re: f32[w], im: f32[h], static steps: int) -> i32[h, w] =
    [[count(x, y, steps=steps) for y in im] for x in re] #! E04
def count(x: f32, y: f32, static steps: int) -> i32 =
    let (_, _, n) = fold (a, b, n) = (0.0, 0.0, 0) for _ in range(steps) do
        let inside = a * a + b * b < 4.0
        (where(inside, a * a - b * b + x, a), where(inside, 2.0 * a * b + y, b), n + where(inside, 1, 0))
    n
#### mandelbrot_if_on_carry
def escape(re: f32[w], im: f32[h], static steps: int) -> i32[h, w] =
    [[count(x, y, steps=steps) for x in re] for y in im]
def count(x: f32, y: f32, static steps: int) -> i32 =
    let (_, _, n) = fold (a, b, n) = (0.0, 0.0, 0) for _ in range(steps) do
        let inside = a * a + b * b < 4.0
        (where(inside, a * a - b * b + x, a), where(inside, 2.0 * a * b + y, b), n + inside) #! E03
    n
#### mandelbrot_steps
def escape(re: f32[w], im: f32[h], static steps: int) -> i32[h, w] =
    [[count(x, y, steps=i32(x)) for x in re] for y in im] #! E05
def count(x: f32, y: f32, static steps: int) -> i32 =
    let (_, _, n) = fold (a, b, n) = (0.0, 0.0, 0) for _ in range(steps) do
        let inside = a * a + b * b < 4.0
        (where(inside, a * a - b * b + x, a), where(inside, 2.0 * a * b + y, b), n + where(inside, 1, 0))
    n
