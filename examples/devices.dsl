## Programs for several devices, each beside the program for one device that it equals.

from nn import softmax
from random import normal, split

# ---------------------------------------------------------------- examples are shared out: data-parallel training

type Model[d, h] = {first: f32[d, h], second: f32[h]}

def predict(p: Model[d, h], x: f32[n, d]) -> f32[n] = tanh(x @ p.first) @ p.second

def loss(p: Model[d, h], x: f32[n, d], y: f32[n]) -> f32 = mean((predict(p, x) - y) ** 2)

def train(p: Model[d, h], x: f32[n, d], y: f32[n], static steps: int) -> (Model[d, h], f32[steps]) =
    scan p = p for _ in range(steps) do
        let (value, g) = value_and_grad(loss)(p, x, y)
        (p - 0.1 * g, value)

## What one device does: the gradient of its own examples, and the mean of all gradients.
def shared_step(p: Model[d, h], x: f32[n, d], y: f32[n]) -> (Model[d, h], f32) ! axis("data") =
    let (value, g) = value_and_grad(loss)(p, x, y)
    (p - 0.1 * pmean(g, "data"), pmean(value, "data"))

def shared_train(
    p: Model[d, h],
    x: f32[n, d],
    y: f32[n],
    static steps: int
) -> (Model[d, h], f32[steps]) =
    let step = shard(shared_step, mesh(data=8), (none, {data = 0}, {data = 0}), none)
    scan p = p for _ in range(steps) do step(p, x, y)

# ---------------------------------------------------------------- parameters too: fully sharded training

## Each device keeps a share of every parameter.
def in_shares(p: Model[d, h]) -> Model[d, h] =
    with_sharding(p, mesh(data=8), {first = {data = 1}, second = {data = 0}})

## Whole parameters are there only while a step computes with them; XLA gathers them, and adds up gradients.
def fully_sharded_train(
    p: Model[d, h],
    x: f32[n, d],
    y: f32[n],
    static steps: int
) -> (Model[d, h], f32[steps]) =
    let (x, y) = with_sharding((x, y), mesh(data=8), {data = 0})
    let (last, losses) = scan p = in_shares(p) for _ in range(steps) do
        let (value, g) = value_and_grad(loss)(p, x, y)
        (in_shares(p - 0.1 * g), value)
    (in_shares(last), losses)

# ---------------------------------------------------------------- layers are: tensor-parallel layers

def mlp(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] = tanh(x @ w) @ v

def shared_mlp(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] =
    let part = fn (x, w, v) -> psum(mlp(x, w, v), "model")
    shard(part, mesh(data=4, model=2), ({data = 0}, {model = 1}, {model = 0}), {data = 0})(x, w, v)

type Heads[d, h, k] = {
    query: f32[d, h, k],
    key: f32[d, h, k],
    value: f32[d, h, k],
    output: f32[h, k, d]
}

def attention(x: f32[t, d], p: Heads[d, h, k]) -> f32[t, d] where t >= 1 =
    let query = einsum("td,dhk->htk", x, p.query)
    let key = einsum("td,dhk->htk", x, p.key)
    let value = einsum("td,dhk->htk", x, p.value)
    let weights = softmax(einsum("htk,hsk->hts", query, key), axis=-1)
    einsum("hts,hsk,hkd->td", weights, value, p.output)

## Each device has some of the heads.
def shared_attention(x: f32[t, d], p: Heads[d, h, k]) -> f32[t, d] where t >= 1 =
    let heads = {query = {model = 1}, key = {model = 1}, value = {model = 1}, output = {model = 0}}
    shard(fn (x, p) -> psum(attention(x, p), "model"), mesh(model=4), (none, heads), none)(x, p)

# ---------------------------------------------------------------- neighbours: a ring, and a stencil

## All parts, in order, of which each device passes on what it was given last.
def ring(x: f32[n]) -> f32[4, n] ! axis("ring": 4) =
    let (_, seen) = scan block = x for _ in range(4) do
        (ppermute(block, "ring", ((0, 1), (1, 2), (2, 3), (3, 0))), block)
    let here = axis_index("ring")
    [seen[(here - place) % 4] for place in range(4)]

## A copy for each device.
def ring_gather(x: f32[n]) -> f32[16, n // 4] where n % 4 == 0 =
    shard(ring, mesh(ring=4), {ring = 0}, {ring = 0})(x)

def smooth(u: f32[a + 2, b + 2]) -> f32[a, b] =
    0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])

def diffuse(u: f32[n, m], static steps: int) -> f32[n, m] =
    fold u = u for _ in range(steps) do smooth(pad(u, ((1, 1), (1, 1))))

## A part with the edges of its neighbours around it, zeros where there are none.
def with_halo(u: f32[a, b]) -> f32[a + 2, b + 2] ! {
    axis("rows": 4),
    axis("columns": 2)
} where a >= 1 and b >= 1 =
    let above = ppermute(u[-1:], "rows", ((0, 1), (1, 2), (2, 3)))
    let below = ppermute(u[:1], "rows", ((1, 0), (2, 1), (3, 2)))
    let tall = concatenate((above, u, below))
    let left = ppermute(tall[:, -1:], "columns", ((0, 1),))
    let right = ppermute(tall[:, :1], "columns", ((1, 0),))
    concatenate((left, tall, right), axis=1)

def shared_diffuse(u: f32[n, m], static steps: int) -> f32[n, m] where n >= 4 and m >= 2 =
    let part = fn u -> fold u = u for _ in range(steps) do smooth(with_halo(u))
    shard(part, mesh(rows=4, columns=2), {rows = 0, columns = 1}, {rows = 0, columns = 1})(u)

# ---------------------------------------------------------------- random numbers

## As many numbers as keys: the same, wherever they are drawn.
def noise(k: key, static n: int) -> f32[n] where n >= 0 = [normal(each, []) for each in split(k, n)]

def shared_noise(k: key, static n: int) -> f32[n] where n >= 0 and n % 8 == 0 =
    shard(
        fn keys -> [normal(each, []) for each in keys],
        mesh(data=8),
        {data = 0},
        {data = 0}
    )(split(k, n))
