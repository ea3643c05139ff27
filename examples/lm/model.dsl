# A language model of characters: a score for each that could come next.

import optim
from block import Block, block, init_block
from layers import Norm, init_matrix, init_norm, norm

type Model[v, t, d, l] = {tokens: f32[v, d], places: f32[t, d], blocks: Block[d][l], last: Norm[d]}

def init(
    k: key,
    static v: size,
    static t: size,
    static d: size,
    static l: size
) -> Model[v, t, d, l] =
    let (a, b, c) = split(k, 3)
    let blocks = vmap(fn k -> init_block(k, d))(split(c, l))
    {
        tokens = init_matrix(a, v, d),
        places = init_matrix(b, t, d),
        blocks = blocks,
        last = init_norm(d)
    }

def scores(p: Model[v, t, d, l], text: idx[v][t], static heads: int) -> f32[t, v]
    where heads >= 1 and d % heads == 0 and d >= 1 and t >= 1 =
    let x = fold x = p.tokens[text] + p.places for b in p.blocks do block(b, x, heads)
    norm(p.last, x) @ p.tokens.T

def loss(p: Model[v, t, d, l], text: idx[v][n, t + 1], static heads: int) -> f32
    where heads >= 1 and d % heads == 0 and d >= 1 and t >= 1 =
    let found = vmap(fn text -> scores(p, text, heads))(text[:, :-1])
    mean(optim.softmax_cross_entropy_with_integer_labels(found, text[:, 1:]))
