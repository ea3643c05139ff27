# Layers of a transformer; each has its parameters as a record, and numbers to start from.

import nn
from random import normal

type Norm[d] = {scale: f32[d], bias: f32[d]}

def norm(p: Norm[d], x: f32[*s, d]) -> f32[*s, d] = nn.layer_norm(x, p.scale, p.bias)
def init_norm(static d: size) -> Norm[d] = {scale = ones([d]), bias = zeros([d])}
def init_matrix(k: key, static i: size, static o: size) -> f32[i, o] = 0.02 * normal(k, [i, o])
