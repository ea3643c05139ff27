"""The layers of Equinox with the parameters of those of `nn`: by name, a function of the record and the arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

KEY = jax.random.key(0)


def _with(module: Any, **fields: Any) -> Any:
    """A module with other arrays in some of its fields."""
    names = list(fields)
    none = [name for name in names if getattr(module, name) is None]
    assert not none, none
    return eqx.tree_at(lambda m: [getattr(m, name) for name in names], module, list(fields.values()))


def _linear(p: Any) -> Any:
    n, m = p["w"].shape
    made = eqx.nn.Linear(n, m, use_bias="b" in p, key=KEY)
    return _with(made, weight=p["w"].T, **({"bias": p["b"]} if "b" in p else {}))


def _mlp(p: Any, x: Any) -> Any:
    q = p["m"]
    hidden = [{"w": w, "b": b} for w, b in zip(q["hidden"]["layer"]["w"], q["hidden"]["layer"]["b"], strict=True)]
    made = eqx.nn.MLP(len(q["first"]["w"]), 2, 6, len(hidden) + 1, jax.nn.relu, key=KEY)
    parts = tuple([_linear(each) for each in (q["first"], *hidden, q["last"])])
    return jax.vmap(eqx.tree_at(lambda m: m.layers, made, parts))(x)


def _stack(p: Any, x: Any) -> Any:
    """A stack of one module by `scan` over its stacked arrays."""
    blocks = jax.vmap(lambda w, b: _linear({"w": w, "b": b}))(p["blocks"]["d"]["w"], p["blocks"]["d"]["b"])
    arrays, rest = eqx.partition(blocks, eqx.is_array)

    def step(h: Any, layer: Any) -> tuple[Any, None]:
        return h + jnp.tanh(jax.vmap(eqx.combine(layer, rest))(h)), None

    return jax.lax.scan(step, x, arrays)[0]


def _layer_norm(p: Any, x: Any) -> Any:
    made = eqx.nn.LayerNorm(x.shape[-1], eps=1e-6)
    return jax.vmap(_with(made, weight=p["l"]["scale"], bias=p["l"]["bias"]))(x)


def _rms_norm(p: Any, x: Any) -> Any:
    made = eqx.nn.RMSNorm(x.shape[-1], eps=1e-6, use_bias=False)
    return jax.vmap(_with(made, weight=p["l"]["scale"]))(x)


def _group_norm(p: Any, x: Any, groups: int) -> Any:
    made = eqx.nn.GroupNorm(groups, x.shape[1])
    return jax.vmap(_with(made, weight=p["scale"], bias=p["bias"]))(x)


def _conv(p: Any, x: Any, **options: Any) -> Any:
    features, channels, *window = p["l"]["w"].shape
    rank, groups = len(window), options.get("groups", 1)
    made = eqx.nn.Conv(rank, channels * groups, features, window, key=KEY, **options)
    bias = p["l"]["b"].reshape(-1, *[1] * rank)
    return jax.vmap(_with(made, weight=p["l"]["w"], bias=bias))(x)


def _conv_transpose(p: Any, x: Any, **options: Any) -> Any:
    features, channels, *window = p["l"]["w"].shape
    rank = len(window)
    made = eqx.nn.ConvTranspose(rank, channels, features, window, key=KEY, **options)
    bias = p["l"]["b"].reshape(-1, *[1] * rank)
    return jax.vmap(_with(made, weight=p["l"]["w"], bias=bias))(x)


def _attention(p: Any, x: Any, y: Any, heads: int, mask: Any = None, turned: bool = False) -> Any:
    """Heads of keys that serve several heads of queries stand there several times."""
    (n, m), d = (x.shape[-1], y.shape[-1]), x.shape[-1] // heads
    made = eqx.nn.MultiheadAttention(heads, n, m, m, n, d, d, key=KEY)
    names = {"query": "query", "key": "key", "value": "value", "out": "output"}
    for ours, theirs in names.items():
        w = p["l"][ours]["w"]
        shared = ours in ("key", "value") and w.shape[1] != heads * d
        w = jnp.repeat(w.reshape(m, -1, d), heads * d // w.shape[1], axis=1).reshape(m, -1) if shared else w
        made = eqx.tree_at(lambda a, name=f"{theirs}_proj": getattr(a, name).weight, made, w.T)
    return jax.vmap(lambda a, b: made(a, b, b, mask=mask, process_heads=_turned if turned else None))(x, y)


def _turned(q: Any, k: Any, v: Any) -> Any:
    turn = jax.vmap(eqx.nn.RotaryPositionalEmbedding(q.shape[-1]), in_axes=1, out_axes=1)
    return turn(q), turn(k), v


def _without_last(queries: int, keys: int, *, causal: bool = False, window: int | None = None) -> Any:
    distance = np.arange(queries)[:, None] - np.arange(keys)
    seen = np.broadcast_to(np.arange(keys) < keys - 1, distance.shape)
    seen = seen & (distance >= 0) if causal else seen
    return seen if window is None else seen & (abs(distance) < window)


def _words(p: Any, x: Any) -> Any:
    mask = _without_last(x.shape[1], x.shape[1], causal=True, window=4)
    return _attention(p, x, x, 3, mask, turned=True)


def _lstm_module(p: Any) -> Any:
    made = eqx.nn.LSTMCell(len(p["input"]["w"]), len(p["u"]), key=KEY)
    return _with(made, weight_ih=p["input"]["w"].T, weight_hh=p["u"].T, bias=p["input"]["b"])


def _gru_module(p: Any) -> Any:
    made = eqx.nn.GRUCell(len(p["input"]["w"]), len(p["u"]), key=KEY)
    return _with(made, weight_ih=p["input"]["w"].T, weight_hh=p["u"].T, bias=p["input"]["b"], bias_n=p["c"])


def _over_times(cell: Any, carry: Any, xs: Any, reverse: bool) -> Any:
    """The first part of the carry at all times."""

    def step(carry: Any, x: Any) -> tuple[Any, Any]:
        carry = jax.vmap(cell)(x, carry)
        return carry, carry[0] if isinstance(carry, tuple) else carry

    return jax.lax.scan(step, carry, xs, reverse=reverse)[1]


def _lstm(p: Any, xs: Any, reverse: bool = False) -> Any:
    zeros = jnp.zeros((xs.shape[1], len(p["l"]["u"])), xs.dtype)
    return _over_times(_lstm_module(p["l"]), (zeros, zeros), xs, reverse)


def _gru(p: Any, xs: Any, reverse: bool = False) -> Any:
    return _over_times(_gru_module(p["l"]), jnp.zeros((xs.shape[1], len(p["l"]["u"])), xs.dtype), xs, reverse)


def _batch_norm(p: Any, x: Any, axes: tuple[str, ...] = ("batch",)) -> Any:
    made, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(p["l"]["scale"].size, axes, mode="batch")
    run = _with(made, weight=p["l"]["scale"], bias=p["l"]["bias"])
    for axis in reversed(axes):
        run = jax.vmap(run, in_axes=(0, None), out_axes=(0, None), axis_name=axis)
    return run(x, state)[0]


def _batch_norm_used(p: Any, x: Any) -> Any:
    """With statistics that were kept: those of one step with momentum 0."""
    made, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(
        x.shape[1], "batch", eps=0.0, momentum=0.0, inference=True, mode="batch"
    )
    state = state.set(made.batch_counter, jnp.array(1))
    state = state.set(made.batch_state_index, (jnp.full(x.shape[1], 0.5, x.dtype), jnp.full(x.shape[1], 4.0, x.dtype)))
    run = _with(made, weight=p["l"]["scale"], bias=p["l"]["bias"])
    return jax.vmap(run, in_axes=(0, None), out_axes=(0, None), axis_name="batch")(x, state)[0]


def _embedding(p: Any, x: Any) -> Any:
    table = eqx.nn.Embedding(*p["again"].shape, key=KEY)
    found = jax.vmap(_with(table, weight=p["again"]))(x.argmax(-1))
    return found + jax.vmap(_linear({"w": p["table"]}))(x)


def _rows(p: Any, x: Any) -> Any:
    return jax.vmap(_linear(p["l"]))(x)


EQUINOX: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        **dict.fromkeys(("linear", "linear_from", "dense", "dense_from"), _rows),
        **dict.fromkeys(("layers", "layers_with_keys"), _stack),
        "mlp": _mlp,
        "layer_norm": _layer_norm,
        "rms_norm": _rms_norm,
        "group_norm": lambda p, x: _group_norm(p["l"], x, 2),
        "group_norm_of_rows": partial(_group_norm, groups=1),
        "conv": partial(_conv, stride=2, padding="SAME", groups=2),
        "conv_of_a_line": partial(_conv, padding="VALID", dilation=2),
        "conv_padded": partial(_conv, padding=((1, 1), (0, 2))),
        "conv_transpose": partial(_conv_transpose, stride=2, padding="SAME"),
        "conv_transpose_of_a_line": partial(_conv_transpose, stride=3, output_padding=1),
        "multi_head_attention": lambda p, x: _attention(p, x, x, 3),
        "multi_head_attention_of_words": _words,
        "cross_attention_masked": lambda p, x, y: _attention(p, x, y, 2, _without_last(x.shape[1], y.shape[1])),
        "lstm": _lstm,
        "lstm_reversed": partial(_lstm, reverse=True),
        "lstm_cell": lambda p, x, h, c: jax.vmap(_lstm_module(p["l"]))(x, (h, c))[0],
        "gru": _gru,
        "gru_reversed": partial(_gru, reverse=True),
        "gru_cell": lambda p, x, h: jax.vmap(_gru_module(p["l"]))(x, h),
        "batch_norm": _batch_norm,
        "batch_norm_with_statistics": _batch_norm_used,
        "batch_norm_across": partial(_batch_norm, axes=("device", "batch")),
        "embedding": _embedding,
    }
)

WITHOUT: Mapping[str, str] = MappingProxyType({"cross_attention": "Equinox has no biases of distance (ALiBi)"})
"""Layers that are held against short references in JAX alone, and why."""
