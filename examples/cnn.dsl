# A convolutional network that reads handwritten digits, trained by Adam on shuffled batches.

import nn
import optim
from random import permutation

type Conv[i, o] = {w: f32[o, i, 3, 3], b: f32[o]}
type Net[c, o] = {first: Conv[1, c], second: Conv[c, 2 * c], out: {w: f32[8 * c, o], b: f32[o]}}
## A model in training, and what Adam remembers of it.
type State[P: VSpace] = {model: P, memory: {count: i32, mu: P, nu: P}}

def init(k: key, static c: size, static o: size) -> State[Net[c, o]] where c >= 1 and o >= 1 =
    let (a, b, d) = split(k, 3)
    let first = {w = nn.he_normal(a, [c, 1, 3, 3]), b = zeros([c])}
    let second = {w = nn.he_normal(b, [2 * c, c, 3, 3]), b = zeros([2 * c])}
    let model = {first = first, second = second, out = {w = nn.glorot_normal(d, [8 * c, o]), b = zeros([o])}}
    {model = model, memory = optim.adam_init(model)}

## Half as many rows and columns, of which each is the largest of two.
def block(p: Conv[i, o], x: f32[n, i, h, w]) -> f32[n, o, h // 2, w // 2] where h >= 2 and w >= 2 =
    nn.max_pool(nn.relu(conv(x, p.w) + p.b[None, :, None, None]), (2, 2), strides=2)

def scores(p: Net[c, o], x: f32[n, 8, 8]) -> f32[n, o] =
    let seen = block(p.second, block(p.first, x[:, None, :, :]))
    reshape(seen, [n, 8 * c]) @ p.out.w + p.out.b

def loss(p: Net[c, o], x: f32[n, 8, 8], y: idx[o][n]) -> f32 =
    mean(optim.softmax_cross_entropy_with_integer_labels(scores(p, x), y))

## The share of the images that are read right.
def accuracy(p: Net[c, o], x: f32[n, 8, 8], y: idx[o][n]) -> f32 where o >= 1 = mean(argmax(scores(p, x), axis=1) == y)

## Once through all images in a random order; the mean loss comes with the state.
def epoch(s: State[Net[c, o]], k: key, x: f32[n, 8, 8], y: idx[o][n], rate: f32, static batch: size) -> (State[Net[c, o]], f32)
    where batch >= 1 and n >= batch =
    let rows = reshape(permutation(k, n)[: n // batch * batch], [n // batch, batch])
    let (s, losses) = scan s = s for ids in rows do
        let (value, g) = value_and_grad(loss)(s.model, x[ids], y[ids])
        let (step, memory) = optim.adam_update(g, s.memory, s.model, learning_rate=rate)
        ({model = s.model + step, memory = memory}, value)
    (s, mean(losses))
