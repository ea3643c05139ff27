# A real graph: the friendships of a karate club that split in two (Zachary 1977). PageRank, and a graph network that
# learns from the two leaders alone which side each member took.

import graph
import nn
import optim
import sparse

## The chance to meet each member on a walk along friendships.
def rank(g: graph.Edges[n, e]) -> f32[n] where n >= 1 = graph.pagerank(g)

## The coordinates of members for a picture: the eigenvectors of the graph that change least between friends.
def layout(g: graph.Edges[n, e]) -> f32[n, n] where n >= 1 =
    sparse.to_dense(graph.normalized_laplacian(g, ones([e])))

## Two graph convolutions on members that are known by nothing but their friends.
def net(g: graph.Edges[n, e], static n: size) -> f32[n, 2] ! nn.param where n >= 1 =
    let hidden = nn.tanh(graph.gcn(g, eye(n), "first", 8))
    graph.gcn(g, hidden, "second", 2)

type Training[n] = {model: net.param, memory: rule.memory}

def rule(g: net.param) -> net.param ! optim.memory = optim.adam(g, 0.02)

## The loss of the members whose side is known, and all sides that are predicted.
def loss(
    p: net.param,
    g: graph.Edges[n, e],
    known: idx[n][k],
    sides: idx[2][k]
) -> f32 where n >= 1 and k >= 1 =
    let scores = nn.apply(p, fn () -> net(g, n))
    mean(optim.softmax_cross_entropy_with_integer_labels(scores[known], sides))

## Sides of all members after some steps of training, and the loss of each step.
def trained(
    key: key,
    g: graph.Edges[n, e],
    known: idx[n][k],
    sides: idx[2][k],
    static steps: size
) -> (idx[2][n], f32[steps]) where n >= 1 and k >= 1 =
    let start = nn.init(key, fn () -> net(g, n))
    let memory = optim.begin(fn () -> rule(start))
    let ((p, _), losses) = scan (p, memory) = (start, memory) for _ in range(steps) do
        let (value, slope) = value_and_grad(loss)(p, g, known, sides)
        let (updates, memory) = optim.step(memory, fn () -> rule(slope))
        ((p + updates, memory), value)
    (argmax(nn.apply(p, fn () -> net(g, n)), axis=1), losses)
