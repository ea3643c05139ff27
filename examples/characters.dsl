# A transformer that reads text by characters and goes on with it, its keys and values kept from character to character.

import nn
import optim
import random

## Attention to the characters before, then a small network for each of them.
def block(
    x: f32[b, t, n],
    static heads: size
) -> f32[b, t, n] ! nn.param where heads >= 1 and n % (2 * heads) == 0 =
    let x = (
        x
        + nn.multi_head_attention(
            nn.rms_norm(x, "before"),
            "attention",
            heads,
            is_causal=true,
            rotary=true
        )
    )
    x + _wide(nn.rms_norm(x, "behind"))
def _wide(x: f32[*s, n]) -> f32[*s, n] ! nn.param =
    nn.linear(nn.gelu(nn.linear(x, "up", 4 * n)), "down", n)

## How probable each character is to follow, as logits.
def model(
    text: idx[v][b, t],
    static n: size,
    static depth: size
) -> f32[b, t, v] ! nn.param where n >= 8 and n % 8 == 0 =
    let x = nn.layers(nn.embed(text, "characters", v, n), "blocks", depth, fn x -> block(x, 4))
    _logits(x, v)
def _logits(x: f32[*s, n], static v: size) -> f32[*s, v] ! nn.param =
    nn.linear(nn.rms_norm(x, "last"), "out", v)

type Model[v, n, depth] = model.param

## A model in training, and what its rule keeps.
type State[v, n, depth] = {model: Model[v, n, depth], memory: rule.memory}

def rule(
    g: Model[v, n, depth],
    p: Model[v, n, depth],
    rate: f32
) -> Model[v, n, depth] ! optim.memory =
    optim.adamw(optim.clip_by_global_norm(g, 1.0), p, rate, weight_decay=0.01)

def init(
    k: key,
    static v: size,
    static n: size,
    static depth: size
) -> State[v, n, depth] where v >= 1 and n >= 8 and n % 8 == 0 =
    let model = nn.init(k, fn () -> model(clamp_index(zeros([1, 1], i32), v), n, depth))
    {model = model, memory = optim.begin(fn () -> rule(model, model, 0.0))}

## The mean number of nats by which a character is a surprise, where each part of a text is read from its beginning.
def loss(p: Model[v, n, depth], parts: idx[v][b, t + 1]) -> f32 where n >= 8 and n % 8 == 0 =
    let logits = nn.apply(p, fn () -> model(parts[:, :t], n, depth))
    mean(optim.softmax_cross_entropy_with_integer_labels(logits, parts[:, 1:]))

## Some steps, each with parts of the text that begin at random places; the losses come with the state.
def train(
    s: State[v, n, depth],
    k: key,
    text: idx[v][m],
    rate: f32,
    static steps: size,
    static batch: size,
    static length: size
) -> (State[v, n, depth], f32[steps])
    where n >= 8 and n % 8 == 0 and m >= length + 1 =
    scan s = s for k in random.split(k, steps) do
        let begin = random.randint(k, [batch], 0, m - length)
        let parts = [text[clamp_index(i + j, m)] for i in begin, j in range(length + 1)]
        let (value, g) = value_and_grad(loss)(s.model, parts)
        let (updates, memory) = optim.step(s.memory, fn () -> rule(g, s.model, rate))
        ({model = s.model + updates, memory = memory}, value)

# ---------------------------------------------------------------- going on with a text

type Cache[depth, l, n] = {key: f32[depth, l, 4, n // 4], value: f32[depth, l, 4, n // 4]}

## The logits behind one more character, and the keys and values with its own.
def after(
    p: Model[v, n, depth],
    cache: Cache[depth, l, n],
    character: idx[v],
    position: i32
) -> (f32[v], Cache[depth, l, n])
    where n >= 8 and n % 8 == 0 =
    let x = nn.apply({characters = p.characters}, fn () -> nn.embed(character, "characters", v, n))
    let (x, cache) = scan x = x for (q, c) in zip(p.blocks, cache) do
        nn.apply(q, fn () -> _block_after(x, c, position))
    (nn.apply({last = p.last, out = p.out}, fn () -> _logits(x, v)), cache)
def _block_after(
    x: f32[n],
    cache: {key: f32[l, 4, n // 4], value: f32[l, 4, n // 4]},
    position: i32
) -> (f32[n], {key: f32[l, 4, n // 4], value: f32[l, 4, n // 4]}) ! nn.param
    where n >= 8 and n % 8 == 0 =
    let (y, cache) = nn.attend_step(
        nn.rms_norm(x, "before"),
        cache,
        position,
        "attention",
        4,
        rotary=true
    )
    let x = x + y
    (x + _wide(nn.rms_norm(x, "behind")), cache)

## A text that goes on for `length` characters, drawn at this temperature.
def write(
    p: Model[v, n, depth],
    k: key,
    first: idx[v],
    temperature: f32,
    static length: size
) -> idx[v][length] where n >= 8 and n % 8 == 0 =
    let empty = {key = zeros([depth, length, 4, n // 4]), value = zeros([depth, length, 4, n // 4])}
    let (_, text) = scan (character, cache): (
        idx[v],
        Cache[depth, length, n]
    ) = (first, empty) for (k, i) in zip(
        random.split(k, length),
        iota([length])
    ) do
        let (logits, cache) = after(p, cache, character, i)
        let next = clamp_index(random.categorical(k, logits / temperature), v)
        ((next, cache), next)
    text
