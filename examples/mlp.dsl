# A network with one hidden layer that tells classes apart, trained by Adam on shuffled batches.

import nn
import optim
from random import permutation

type Dense[i, o] = {w: f32[i, o], b: f32[o]}
type Mlp[i, h, o] = {hidden: Dense[i, h], out: Dense[h, o]}

## What the optimizer remembers of a model: how many steps it took, and averages of gradients and their squares.
type Memory[i, h, o] = {count: i32, mu: Mlp[i, h, o], nu: Mlp[i, h, o]}

## A model to start from: random weights, of a size that keeps what goes through the layers at its size.
def init(k: key, static i: size, static h: size, static o: size) -> Mlp[i, h, o]
    where i >= 1 and h >= 1 and o >= 1 =
    let (a, b) = split(k)
    {
        hidden = {w = nn.he_normal(a, [i, h]), b = zeros([h])},
        out = {w = nn.glorot_normal(b, [h, o]), b = zeros([o])}
    }

def dense(p: Dense[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w + p.b

## A score for every class; the larger, the likelier.
def scores(p: Mlp[i, h, o], x: f32[n, i]) -> f32[n, o] = dense(p.out, nn.relu(dense(p.hidden, x)))

## The mean cross entropy.
def loss(p: Mlp[i, h, o], x: f32[n, i], y: idx[o][n]) -> f32 =
    mean(optim.softmax_cross_entropy_with_integer_labels(scores(p, x), y))

def predict(p: Mlp[i, h, o], x: f32[n, i]) -> idx[o][n] where o >= 1 = argmax(scores(p, x), axis=1)

## The share of the examples whose class is found.
def accuracy(p: Mlp[i, h, o], x: f32[n, i], y: idx[o][n]) -> f32 where o >= 1 =
    mean(predict(p, x) == y)

def start(p: Mlp[i, h, o]) -> Memory[i, h, o] = optim.adam_init(p)

## Once through all examples in a random order, as many at a time as `batch` says: the mean loss comes with it.
def epoch(
    p: Mlp[i, h, o],
    memory: Memory[i, h, o],
    k: key,
    x: f32[n, i],
    y: idx[o][n],
    rate: f32,
    static batch: size,
) -> (Mlp[i, h, o], Memory[i, h, o], f32) where batch >= 1 and n >= batch =
    let order = permutation(k, n)
    let rows = reshape(order[: n // batch * batch], [n // batch, batch])
    let ((p, memory), losses) = scan (p, memory) = (p, memory) for ids in rows do
        let (value, g) = value_and_grad(loss)(p, x[ids], y[ids])
        let (step, memory) = optim.adam_update(g, memory, p, learning_rate=rate)
        ((p + step, memory), value)
    (p, memory, mean(losses))
