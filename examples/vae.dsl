# A variational autoencoder of images of digits. A pixel is the number of black points among 16, and a draw of a binomial
# distribution whose probability is itself uncertain. A decoder computes its mean from a few hidden numbers.

import nn
import optim
import prob

let pixels = 64
let points = 16.0

## The distribution of the hidden numbers of images, as means and logarithms of scales.
def encoder(
    x: f32[b, pixels],
    static hidden: size,
    static width: size
) -> (f32[b, hidden], f32[b, hidden]) ! nn.param =
    let seen = nn.mlp(x / points - 0.5, "encoder", width, 2, 2 * hidden, nn.silu)
    (seen[:, :hidden], clip(seen[:, hidden:], -6.0, 2.0))

## The mean share of black points of each pixel, and how certain it is, as for so many points seen before.
def decoder(z: f32[b, hidden], static width: size) -> (f32[b, pixels], f32[pixels]) ! nn.param =
    let seen = nn.mlp(z, "decoder", width, 2, pixels, nn.silu)
    let certainty = nn.param("certainty", fn k -> zeros([pixels]))
    (sigmoid(clip(seen, -8.0, 8.0)), exp(clip(certainty, -4.0, 4.0)))

## The mean shares at the means of the hidden numbers of images.
def model(x: f32[b, pixels], static hidden: size, static width: size) -> f32[b, pixels] ! nn.param =
    decoder(encoder(x, hidden, width).0, width).0

type Model[hidden, width] = model.param

def decoded(p: Model[hidden, width], z: f32[b, hidden]) -> (f32[b, pixels], f32[pixels]) =
    nn.apply({decoder = p.decoder, certainty = p.certainty}, fn () -> decoder(z, width))
def encoded(p: Model[hidden, width], x: f32[b, pixels]) -> (f32[b, hidden], f32[b, hidden]) =
    nn.apply({encoder = p.encoder}, fn () -> encoder(x, hidden, width))

## How images come about: hidden numbers by a standard normal distribution, then the pixels.
def story(
    p: Model[hidden, width],
    x: f32[b, pixels]
) -> f32[b, pixels] ! {prob.sample, prob.observe} =
    let z = prob.sample("z", prob.normal(zeros([b, hidden]), 1.0))
    let (share, certainty) = decoded(p, z)
    let counts = prob.beta_binomial(
        points,
        share * certainty[None, :],
        (1.0 - share) * certainty[None, :]
    )
    prob.observe("x", counts, x)

## The logarithm of the density of images together with their hidden numbers.
def log_density(p: Model[hidden, width], z: f32[b, hidden], x: f32[b, pixels]) -> f32 =
    prob.log_joint({z = z}, fn () -> story(p, x))

## The negative bound of the log probability of an image, in nats, by one draw of its hidden numbers.
def loss(p: Model[hidden, width], x: f32[b, pixels]) -> f32 ! rand =
    let (mean, log_scale) = encoded(p, x)
    let guide = prob.normal(mean, exp(log_scale))
    let z = guide.draw(fresh_key())
    (guide.log_density(z) - log_density(p, z, x)) / f32(b)

## A model in training, and what its rule keeps.
type State[hidden, width] = {model: Model[hidden, width], memory: rule.memory}

def rule(g: Model[hidden, width], rate: f32) -> Model[hidden, width] ! optim.memory =
    optim.adam(optim.clip_by_global_norm(g, 100.0), rate)

def init(k: key, static hidden: size, static width: size) -> State[hidden, width] =
    let model = nn.init(k, fn () -> model(zeros([1, pixels]), hidden, width))
    {model = model, memory = optim.begin(fn () -> rule(model, 0.0))}

def step(
    s: State[hidden, width],
    x: f32[b, pixels],
    rate: f32
) -> (State[hidden, width], f32) ! rand where b >= 1 =
    let (value, g) = value_and_grad(loss)(s.model, x)
    let (updates, memory) = optim.step(s.memory, fn () -> rule(g, rate))
    ({model = s.model + updates, memory = memory}, value)
