# A convolutional network that reads handwritten digits, trained by Adam on shuffled batches.

import nn
import optim
from random import permutation

## Half as many rows and columns, of which each is the largest of two.
def block(
    x: f32[n, i, h, w],
    static name: str,
    static o: size
) -> f32[n, o, h // 2, w // 2] ! nn.param where h >= 2 and w >= 2 and o >= 1 =
    nn.max_pool(nn.relu(nn.conv(x, name, o, [3, 3])), (2, 2), strides=2)

def scores(x: f32[n, 8, 8], static c: size, static o: size) -> f32[n, o] ! nn.param where c >= 1 =
    let seen = block(block(x[:, None, :, :], "first", c), "second", 2 * c)
    nn.dense(reshape(seen, [n, 8 * c]), "out", o)

type Net[c, o] = scores.param
## A model in training, and what Adam remembers of it.
type State[P: VSpace] = {model: P, memory: {count: i32, mu: P, nu: P}}

def init(k: key, static c: size, static o: size) -> State[Net[c, o]] where c >= 1 =
    let model = nn.init(k, fn () -> scores(zeros([1, 8, 8]), c, o))
    {model = model, memory = optim.adam_init(model)}

def loss(p: Net[c, o], x: f32[n, 8, 8], y: idx[o][n]) -> f32 where c >= 1 =
    mean(optim.softmax_cross_entropy_with_integer_labels(nn.apply(p, fn () -> scores(x, c, o)), y))

## The share of the images that are read right.
def accuracy(p: Net[c, o], x: f32[n, 8, 8], y: idx[o][n]) -> f32 where c >= 1 and o >= 1 =
    mean(argmax(nn.apply(p, fn () -> scores(x, c, o)), axis=1) == y)

## Once through all images in a random order; the mean loss comes with the state.
def epoch(
    s: State[Net[c, o]],
    k: key,
    x: f32[n, 8, 8],
    y: idx[o][n],
    rate: f32,
    static batch: size
) -> (State[Net[c, o]], f32)
    where batch >= 1 and n >= batch and c >= 1 =
    let rows = reshape(permutation(k, n)[: n // batch * batch], [n // batch, batch])
    let (s, losses) = scan s = s for ids in rows do
        let (value, g) = value_and_grad(loss)(s.model, x[ids], y[ids])
        let (step, memory) = optim.adam_update(g, s.memory, s.model, learning_rate=rate)
        ({model = s.model + step, memory = memory}, value)
    (s, mean(losses))
