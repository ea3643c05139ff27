# A diffusion model of images of digits: noise becomes the image of a digit that is asked for, in small steps.

import nn
import optim
import random

let pixels = 64
let classes = 10

## The shares of image and noise at a time between 0 (the image) and 1 (noise); their squares add up to 1.
def image_share(t: f32[*s]) -> f32[*s] = cos(0.5 * pi * t)
def noise_share(t: f32[*s]) -> f32[*s] = sin(0.5 * pi * t)

## What is between image and noise at these times, turned by a right angle: both follow from it and from x.
def network(
    x: f32[b, pixels],
    t: f32[b],
    digits: idx[classes + 1][b],
    static width: size,
    static depth: size
) -> f32[b, pixels] ! nn.param =
    let angles = t[:, None] * exp2(iota([8], dtype=f32))[None, :]
    let about = nn.dense(concatenate((sin(angles), cos(angles)), axis=1), "time", width)
    let about = nn.silu(about + nn.embed(digits, "digits", classes + 1, width))
    let h = nn.layers(nn.dense(x, "in", width), "blocks", depth, fn h -> block(h, about))
    nn.dense(nn.layer_norm(h, "last"), "out", pixels)

def block(h: f32[b, width], about: f32[b, width]) -> f32[b, width] ! nn.param =
    let inner = nn.silu(nn.dense(nn.layer_norm(h, "norm"), "up", 2 * width))
    let shift = nn.dense(about, "about", 2 * width)
    h + nn.dense(inner * (1.0 + shift), "down", width)

type Model[width, depth] = network.param

## A model in training, its average over the last steps, and what its rule keeps.
type State[width, depth] = {
    model: Model[width, depth],
    average: Model[width, depth],
    memory: rule.memory
}

def rule(g: Model[width, depth], rate: f32) -> Model[width, depth] ! optim.memory =
    optim.adam(optim.clip_by_global_norm(g, 1.0), rate)

def init(k: key, static width: size, static depth: size) -> State[width, depth] =
    let model = nn.init(
        k,
        fn () -> network(
            zeros([1, pixels]),
            zeros([1]),
            clamp_index(zeros([1], i32), classes + 1),
            width,
            depth
        )
    )
    {model = model, average = model, memory = optim.begin(fn () -> rule(model, 0.0))}

def predicted(
    p: Model[width, depth],
    x: f32[b, pixels],
    t: f32[b],
    digits: idx[classes + 1][b]
) -> f32[b, pixels] =
    nn.apply(p, fn () -> network(x, t, digits, width, depth))

## The mean squared error of the network for images at random times. A tenth of the digits is hidden from it, so that it
## also learns what images look like whatever they show.
def loss(p: Model[width, depth], x: f32[b, pixels], digits: idx[classes][b]) -> f32 ! rand =
    let t = random.uniform(fresh_key(), [b])
    let noise = random.normal(fresh_key(), [b, pixels])
    let (a, s) = (image_share(t)[:, None], noise_share(t)[:, None])
    let seen = where(random.uniform(fresh_key(), [b]) < 0.1, classes, i32(digits))
    let found = predicted(p, a * x + s * noise, t, clamp_index(seen, classes + 1))
    mean((found - (a * noise - s * x)) ** 2)

def step(
    s: State[width, depth],
    x: f32[b, pixels],
    digits: idx[classes][b],
    rate: f32
) -> (State[width, depth], f32) ! rand =
    let (value, g) = value_and_grad(loss)(s.model, x, digits)
    let (updates, memory) = optim.step(s.memory, fn () -> rule(g, rate))
    let model = s.model + updates
    ({model = model, average = optim.ema(s.average, model, 0.995), memory = memory}, value)

## The images that noise becomes in `steps` steps, where `turned` is what the network predicts.
def denoised(
    turned: (f32[b, pixels], f32[b]) -> f32[b, pixels],
    noise: f32[b, pixels],
    static steps: size
) -> f32[b, pixels] where steps >= 1 =
    fold x = noise for i in range(steps) do
        let t = full([b], 1.0 - f32(i) / f32(steps))
        let next = t - 1.0 / f32(steps)
        let (a, s) = (image_share(t)[:, None], noise_share(t)[:, None])
        let v = turned(x, t)
        (
            image_share(next)[:, None] * clip(a * x - s * v, -1.0, 1.0)
            + noise_share(next)[:, None] * (s * x + a * v)
        )

## Images of these digits, drawn in `steps` steps. The larger `guidance`, the more they look like their digit.
def draw(
    p: Model[width, depth],
    k: key,
    digits: idx[classes][b],
    guidance: f32,
    static steps: size
) -> f32[b, pixels] where steps >= 1 =
    let hidden = clamp_index(full([b], classes), classes + 1)
    let shown = clamp_index(i32(digits), classes + 1)
    let turned = fn (x: f32[b, pixels], t: f32[b]) ->
        let free = predicted(p, x, t, hidden)
        free + guidance * (predicted(p, x, t, shown) - free)
    denoised(turned, random.normal(k, [b, pixels]), steps)
