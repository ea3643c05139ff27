# Attention, which looks back, and two dense layers.

import nn
from layers import Norm, init_matrix, init_norm, norm

type Block[d] = {
    before: Norm[d],
    qkv: f32[d, 3 * d],
    out: f32[d, d],
    between: Norm[d],
    up: f32[d, 4 * d],
    down: f32[4 * d, d]
}

def init_block(k: key, static d: size) -> Block[d] =
    let (a, b, c, e) = split(k, 4)
    {
        before = init_norm(d),
        qkv = init_matrix(a, d, 3 * d),
        out = init_matrix(b, d, d),
        between = init_norm(d),
        up = init_matrix(c, d, 4 * d),
        down = init_matrix(e, 4 * d, d),
    }

def attend(p: Block[d], x: f32[t, d], static heads: int) -> f32[t, d]
    where heads >= 1 and d % heads == 0 and d >= 1 and t >= 1 =
    let parts = reshape(x @ p.qkv, [t, 3, heads, d // heads])
    let seen = nn.dot_product_attention(parts[:, 0], parts[:, 1], parts[:, 2], is_causal=true)
    reshape(seen, [t, d]) @ p.out

def block(p: Block[d], x: f32[t, d], static heads: int) -> f32[t, d]
    where heads >= 1 and d % heads == 0 and d >= 1 and t >= 1 =
    let x = x + attend(p, norm(p.before, x), heads)
    x + nn.gelu(norm(p.between, x) @ p.up) @ p.down
