"""The training examples written with Equinox and Optax: the same networks, rules and draws.

Each `*_twin` has a state to begin with and a step of it, which `eqx.filter_jit` compiles. Read next: `__main__`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jax.scipy.special import gammaln

Twin = tuple[Any, Callable[..., Any]]
KEY = jax.random.key(0)


def stepped(loss: Callable[..., Any], rule: Any) -> Callable[..., Any]:
    """A step of a state (arrays of the model, memory of the rule) by the gradient of a loss."""

    def step(state: Any, static: Any, *args: Any) -> tuple[Any, Any]:
        arrays, memory = state
        value, g = jax.value_and_grad(lambda p: loss(eqx.combine(p, static), *args))(arrays)
        updates, memory = rule.update(g, memory, arrays)
        return (optax.apply_updates(arrays, updates), memory), value

    return step


def begun(model: Any, rule: Any) -> tuple[Any, Any]:
    """The state at the beginning, and what of the model is not an array."""
    arrays, static = eqx.partition(model, eqx.is_array)
    return (arrays, rule.init(arrays)), static


def cross_entropy(logits: Any, labels: Any) -> Any:
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def epochs(step: Callable[..., Any], static: Any, batch: int) -> Callable[..., Any]:
    """Once through all examples in a random order."""

    def epoch(state: Any, key: Any, x: Any, y: Any) -> tuple[Any, Any]:
        rows = jax.random.permutation(key, len(x))[: len(x) // batch * batch].reshape(-1, batch)
        state, losses = jax.lax.scan(lambda s, ids: step(s, static, x[ids], y[ids]), state, rows)
        return state, losses.mean()

    return epoch


# ---------------------------------------------------------------- mlp and cnn


def mlp_twin(inputs: int, hidden: int, classes: int, batch: int, rate: float) -> Twin:
    rule = optax.adam(rate)
    state, static = begun(eqx.nn.MLP(inputs, classes, hidden, 1, key=KEY), rule)
    step = stepped(lambda model, x, y: cross_entropy(jax.vmap(model)(x), y), rule)
    return state, epochs(step, static, batch)


class Cnn(eqx.Module):
    """Two convolutions with pooling, and a dense layer."""

    first: eqx.nn.Conv2d
    second: eqx.nn.Conv2d
    out: eqx.nn.Linear

    def __init__(self, channels: int, classes: int) -> None:
        a, b, c = jax.random.split(KEY, 3)
        self.first = eqx.nn.Conv2d(1, channels, 3, padding="SAME", key=a)
        self.second = eqx.nn.Conv2d(channels, 2 * channels, 3, padding="SAME", key=b)
        self.out = eqx.nn.Linear(8 * channels, classes, key=c)

    def __call__(self, x: Any) -> Any:
        pool = eqx.nn.MaxPool2d(2, 2)
        x = pool(jax.nn.relu(self.first(x[None])))
        return self.out(pool(jax.nn.relu(self.second(x))).ravel())


def cnn_twin(channels: int, classes: int, batch: int, rate: float) -> Twin:
    rule = optax.adam(rate)
    state, static = begun(Cnn(channels, classes), rule)
    step = stepped(lambda model, x, y: cross_entropy(jax.vmap(model)(x), y), rule)
    return state, epochs(step, static, batch)


# ---------------------------------------------------------------- the transformer of characters


class Block(eqx.Module):
    """Causal attention with rotary positions, then a wide layer."""

    before: eqx.nn.RMSNorm
    attention: eqx.nn.MultiheadAttention
    behind: eqx.nn.RMSNorm
    up: eqx.nn.Linear
    down: eqx.nn.Linear

    def __init__(self, n: int, heads: int, key: Any) -> None:
        a, b, c = jax.random.split(key, 3)
        self.before, self.behind = (eqx.nn.RMSNorm(n, eps=1e-6, use_bias=False) for _ in range(2))
        self.attention = eqx.nn.MultiheadAttention(heads, n, key=a)
        self.up = eqx.nn.Linear(n, 4 * n, use_bias=False, key=b)
        self.down = eqx.nn.Linear(4 * n, n, use_bias=False, key=c)

    def __call__(self, x: Any) -> Any:
        h, t = jax.vmap(self.before)(x), len(x)
        turn = jax.vmap(eqx.nn.RotaryPositionalEmbedding(self.attention.qk_size), in_axes=1, out_axes=1)
        mask = jnp.tril(jnp.ones((t, t), bool))
        x = x + self.attention(h, h, h, mask=mask, process_heads=lambda q, k, v: (turn(q), turn(k), v))
        return x + jax.vmap(lambda v: self.down(jax.nn.gelu(self.up(self.behind(v)))))(x)


class Characters(eqx.Module):
    """A stack of blocks by `scan`, between an embedding and logits."""

    characters: eqx.nn.Embedding
    blocks: Block
    last: eqx.nn.RMSNorm
    out: eqx.nn.Linear

    def __init__(self, vocabulary: int, n: int, depth: int) -> None:
        a, b, c = jax.random.split(KEY, 3)
        self.characters = eqx.nn.Embedding(vocabulary, n, key=a)
        self.blocks = eqx.filter_vmap(lambda key: Block(n, 4, key))(jax.random.split(b, depth))
        self.last = eqx.nn.RMSNorm(n, eps=1e-6, use_bias=False)
        self.out = eqx.nn.Linear(n, vocabulary, use_bias=False, key=c)

    def __call__(self, text: Any) -> Any:
        arrays, static = eqx.partition(self.blocks, eqx.is_array)
        x = jax.vmap(self.characters)(text)
        x, _ = jax.lax.scan(lambda x, block: (eqx.combine(block, static)(x), None), x, arrays)
        return jax.vmap(lambda v: self.out(self.last(v)))(x)


def characters_twin(vocabulary: int, n: int, depth: int, steps: int, batch: int, length: int, rate: float) -> Twin:
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.01))
    state, static = begun(Characters(vocabulary, n, depth), rule)
    step = stepped(lambda model, parts: cross_entropy(jax.vmap(model)(parts[:, :-1]), parts[:, 1:]), rule)

    def train(state: Any, key: Any, text: Any) -> tuple[Any, Any]:
        def one(state: Any, key: Any) -> tuple[Any, Any]:
            begin = jax.random.randint(key, (batch,), 0, len(text) - length)
            return step(state, static, text[begin[:, None] + jnp.arange(length + 1)])

        return jax.lax.scan(one, state, jax.random.split(key, steps))

    return state, train


# ---------------------------------------------------------------- the autoencoder


class Vae(eqx.Module):
    """An encoder, a decoder, and how certain each pixel is."""

    encoder: eqx.nn.MLP
    decoder: eqx.nn.MLP
    certainty: Any

    def __init__(self, hidden: int, width: int) -> None:
        a, b = jax.random.split(KEY)
        self.encoder = eqx.nn.MLP(64, 2 * hidden, width, 2, jax.nn.silu, key=a)
        self.decoder = eqx.nn.MLP(hidden, 64, width, 2, jax.nn.silu, key=b)
        self.certainty = jnp.zeros(64)


def _log_beta(a: Any, b: Any) -> Any:
    return gammaln(a) + gammaln(b) - gammaln(a + b)


def _beta_binomial(x: Any, n: float, a: Any, b: Any) -> Any:
    choose = -jnp.log(n + 1) - _log_beta(n - x + 1, x + 1)
    return choose + _log_beta(x + a, n - x + b) - _log_beta(a, b)


def vae_loss(model: Vae, x: Any, key: Any) -> Any:
    mean, log_scale = jnp.split(jax.vmap(model.encoder)(x / 16 - 0.5), 2, axis=-1)
    scale = jnp.exp(jnp.clip(log_scale, -6, 2))
    z = mean + scale * jax.random.normal(key, mean.shape)
    share = jax.nn.sigmoid(jnp.clip(jax.vmap(model.decoder)(z), -8, 8))
    certainty = jnp.exp(jnp.clip(model.certainty, -4, 4))
    pixels = _beta_binomial(x, 16.0, share * certainty, (1 - share) * certainty).sum()
    joint = jax.scipy.stats.norm.logpdf(z).sum() + pixels
    return (jax.scipy.stats.norm.logpdf(z, mean, scale).sum() - joint) / len(x)


def vae_twin(hidden: int, width: int, rate: float) -> Twin:
    rule = optax.chain(optax.clip_by_global_norm(100.0), optax.adam(rate))
    state, static = begun(Vae(hidden, width), rule)
    step = stepped(vae_loss, rule)
    return state, lambda state, x, key: step(state, static, x, key)


# ---------------------------------------------------------------- the diffusion model


class Residual(eqx.Module):
    """A wide layer that is scaled by what is known of the time and the digit."""

    norm: eqx.nn.LayerNorm
    up: eqx.nn.Linear
    about: eqx.nn.Linear
    down: eqx.nn.Linear

    def __init__(self, width: int, key: Any) -> None:
        a, b, c = jax.random.split(key, 3)
        self.norm = eqx.nn.LayerNorm(width, eps=1e-6)
        self.up = eqx.nn.Linear(width, 2 * width, key=a)
        self.about = eqx.nn.Linear(width, 2 * width, key=b)
        self.down = eqx.nn.Linear(2 * width, width, key=c)

    def __call__(self, h: Any, about: Any) -> Any:
        return h + self.down(jax.nn.silu(self.up(self.norm(h))) * (1 + self.about(about)))


class Diffusion(eqx.Module):
    """A stack of residual layers by `scan`."""

    time: eqx.nn.Linear
    digits: eqx.nn.Embedding
    first: eqx.nn.Linear
    blocks: Residual
    last: eqx.nn.LayerNorm
    out: eqx.nn.Linear

    def __init__(self, width: int, depth: int) -> None:
        a, b, c, d, e = jax.random.split(KEY, 5)
        self.time = eqx.nn.Linear(16, width, key=a)
        self.digits = eqx.nn.Embedding(11, width, key=b)
        self.first = eqx.nn.Linear(64, width, key=c)
        self.blocks = eqx.filter_vmap(lambda key: Residual(width, key))(jax.random.split(d, depth))
        self.last = eqx.nn.LayerNorm(width, eps=1e-6)
        self.out = eqx.nn.Linear(width, 64, key=e)

    def __call__(self, x: Any, t: Any, digit: Any) -> Any:
        angles = t * 2.0 ** jnp.arange(8)
        about = self.time(jnp.concatenate([jnp.sin(angles), jnp.cos(angles)]))
        about = jax.nn.silu(about + self.digits(digit))
        arrays, static = eqx.partition(self.blocks, eqx.is_array)
        h, _ = jax.lax.scan(lambda h, b: (eqx.combine(b, static)(h, about), None), self.first(x), arrays)
        return self.out(self.last(h))


def diffusion_loss(model: Diffusion, x: Any, digits: Any, key: Any) -> Any:
    a, b, c = jax.random.split(key, 3)
    t = jax.random.uniform(a, (len(x),))
    noise = jax.random.normal(b, x.shape)
    image_share, noise_share = jnp.cos(0.5 * jnp.pi * t)[:, None], jnp.sin(0.5 * jnp.pi * t)[:, None]
    seen = jnp.where(jax.random.uniform(c, (len(x),)) < 0.1, 10, digits)
    found = jax.vmap(model)(image_share * x + noise_share * noise, t, seen)
    return ((found - (image_share * noise - noise_share * x)) ** 2).mean()


def diffusion_twin(width: int, depth: int, rate: float) -> Twin:
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))
    state, static = begun(Diffusion(width, depth), rule)
    step = stepped(diffusion_loss, rule)

    def averaged(state: Any, x: Any, digits: Any, key: Any) -> tuple[Any, Any]:
        inner, average = state
        inner, value = step(inner, static, x, digits, key)
        return (inner, jax.tree.map(partial(_ema, 0.995), average, inner[0])), value

    return (state, state[0]), averaged


def _ema(decay: float, average: Any, value: Any) -> Any:
    return decay * average + (1 - decay) * value
