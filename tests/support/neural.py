"""Layers of `nn` beside short references in JAX: a definition with parameters by name, its arguments at two sizes, and
what the same parameters give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Expected = Callable[..., Any]
Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """`body` is of `params` and may perform `nn.param`; `expected` is of the record of parameters and the arguments.
    The first `slopes` arguments have a derivative."""

    params: str
    result: str
    body: str
    shapes: tuple[Shapes, Shapes]
    expected: Expected
    slopes: int = 1
    where: str = ""


def _dense(x: Any, p: Any) -> Any:
    return x @ p["w"] + p["b"]


def normal(x: Any, axes: Any, epsilon: float) -> Any:
    return (x - x.mean(axes, keepdims=True)) / jnp.sqrt(x.var(axes, keepdims=True) + epsilon)


def _mlp(p: Any, x: Any) -> Any:
    h = jax.nn.relu(_dense(x, p["m"]["first"]))
    for w, b in zip(p["m"]["hidden"]["layer"]["w"], p["m"]["hidden"]["layer"]["b"], strict=True):
        h = jax.nn.relu(h @ w + b)
    return _dense(h, p["m"]["last"])


def _stack(p: Any, x: Any) -> Any:
    for w, b in zip(p["blocks"]["d"]["w"], p["blocks"]["d"]["b"], strict=True):
        x = x + jnp.tanh(x @ w + b)
    return x


def _channels(v: Any, rank: int) -> Any:
    return v.reshape(-1, *([1] * rank))


def _group_norm(p: Any, x: Any, groups: int) -> Any:
    flat = normal(x.reshape(len(x), groups, -1), -1, 1e-5).reshape(x.shape)
    return flat * _channels(p["scale"], x.ndim - 2) + _channels(p["bias"], x.ndim - 2)


def _conv(p: Any, x: Any, strides: tuple[int, ...], padding: Any, dilation: tuple[int, ...], groups: int) -> Any:
    found = jax.lax.conv_general_dilated(x, p["w"], strides, padding, rhs_dilation=dilation, feature_group_count=groups)
    return found + _channels(p["b"], x.ndim - 2)


def _conv_transpose(p: Any, x: Any, strides: tuple[int, ...], padding: str) -> Any:
    letters = "DHW"[3 - (x.ndim - 2) :]
    layout = ("NC" + letters, "OI" + letters, "NC" + letters)
    found = jax.lax.conv_transpose(x, p["w"], strides, padding, dimension_numbers=layout)
    return found + _channels(p["b"], x.ndim - 2)


def _lstm(p: Any, xs: Any) -> Any:
    w, u, b = p["input"]["w"], p["u"], p["input"]["b"]
    h = c = jnp.zeros((xs.shape[1], len(u)), xs.dtype)
    out = []
    for x in xs:
        i, f, g, o = jnp.split(x @ w + h @ u + b, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        out.append(h)
    return jnp.stack(out)


def _gru_step(p: Any, h: Any, x: Any) -> Any:
    (x_r, x_z, x_n), (h_r, h_z, h_n) = (jnp.split(v, 3, axis=-1) for v in (_dense(x, p["input"]), h @ p["u"]))
    r, z = jax.nn.sigmoid(x_r + h_r), jax.nn.sigmoid(x_z + h_z)
    return (1 - z) * jnp.tanh(x_n + r * (h_n + p["c"])) + z * h


def _gru(p: Any, xs: Any) -> Any:
    h, out = jnp.zeros((xs.shape[1], len(p["u"])), xs.dtype), []
    for x in xs:
        h = _gru_step(p, h, x)
        out.append(h)
    return jnp.stack(out)


def attended(q: Any, k: Any, v: Any, mask: Any, *, causal: bool, window: int | None, alibi: bool) -> Any:
    """Attention by whole matrices of scores."""
    h, places = q.shape[2], (np.arange(q.shape[1])[:, None], np.arange(k.shape[1])[None])
    k, v = (jnp.repeat(x, h // x.shape[2], axis=2) for x in (k, v))
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(q.shape[-1])
    distance = places[0] - places[1]
    if alibi:
        scores = scores - (2.0 ** (-8 * np.arange(1, h + 1) / h))[None, :, None, None].astype("f") * abs(distance)
    seen = mask[:, None, None, :] & np.ones(distance.shape, bool)
    seen = seen & (distance >= 0) if causal else seen
    seen = seen if window is None else seen & (abs(distance) < window)
    weights = jnp.where(seen, jax.nn.softmax(jnp.where(seen, scores, -1e30), axis=-1), 0.0)
    return jnp.einsum("bhts,bshd->bthd", weights, v)


def rotated(x: Any, first: int = 0) -> Any:
    """Pairs of features as complex numbers that turn with the position."""
    d = x.shape[-1]
    angle = (first + np.arange(x.shape[-3]))[:, None, None] * 10000.0 ** (-2 * np.arange(d // 2) / d)
    z = (x[..., : d // 2] + 1j * x[..., d // 2 :]) * np.exp(1j * angle)
    return jnp.concatenate((z.real, z.imag), axis=-1).astype(x.dtype)


def _attention(p: Any, x: Any, y: Any, mask: Any, heads: int, turned: bool = False, **options: Any) -> Any:
    d = x.shape[-1] // heads
    q, k, v = (
        (of @ p[name]["w"]).reshape(*of.shape[:2], -1, d) for of, name in ((x, "query"), (y, "key"), (y, "value"))
    )
    q, k = (rotated(q), rotated(k)) if turned else (q, k)
    rules = {"causal": False, "window": None, "alibi": False} | options
    return attended(q, k, v, mask, **rules).reshape(x.shape) @ p["out"]["w"]


def _all(x: Any) -> Any:
    return np.ones(x.shape[:2], bool)


def _seen(x: Any) -> Any:
    """The mask that the texts below have: all but the last place."""
    return np.broadcast_to(np.arange(x.shape[1]) < x.shape[1] - 1, x.shape[:2])


def _carry(p: Any, x: Any, h: Any, c: Any) -> Any:
    i, f, g, o = jnp.split(_dense(x, p["l"]["input"]) + h @ p["l"]["u"], 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c)


ROWS: tuple[Shapes, Shapes] = (((2, 4),), ((5, 3),))
IMAGES: tuple[Shapes, Shapes] = (((2, 4, 5, 6),), ((1, 6, 4, 3),))
LINES: tuple[Shapes, Shapes] = (((3, 2, 7),), ((1, 4, 9),))
TIMES: tuple[Shapes, Shapes] = (((4, 2, 3),), ((7, 3, 5),))
WORDS: tuple[Shapes, Shapes] = (((2, 7, 12),), ((1, 10, 6),))
ROW, IMAGE, LINE, TIME = "x: f32[b, n]", "x: f32[b, c, h, w]", "x: f32[b, c, t]", "xs: f32[t, b, n]"
WORD = "x: f32[b, t, n]"
LAYERS: Mapping[str, Layer] = MappingProxyType(
    {
        "linear": Layer(ROW, "f32[b, 5]", 'nn.linear(x, "l", 5)', ROWS, lambda p, x: x @ p["l"]["w"]),
        "linear_from": Layer(
            ROW,
            "f32[b, 5]",
            'nn.linear(x, "l", start=fn k -> random.normal(k, [n, 5]))',
            ROWS,
            lambda p, x: x @ p["l"]["w"],
        ),
        "dense": Layer(ROW, "f32[b, 5]", 'nn.dense(x, "l", 5)', ROWS, lambda p, x: _dense(x, p["l"])),
        "dense_from": Layer(
            ROW,
            "f32[b, 5]",
            'nn.dense(x, "l", start=fn k -> 0.1 * random.normal(k, [n, 5]))',
            ROWS,
            lambda p, x: _dense(x, p["l"]),
        ),
        "layers": Layer(
            ROW, "f32[b, n]", 'nn.layers(x, "blocks", 3, fn h -> h + tanh(nn.dense(h, "d", n)))', ROWS, _stack
        ),
        "layers_with_keys": Layer(
            ROW,
            "f32[b, n]",
            "with rng(random.key(3)) do"
            ' nn.layers(x, "blocks", 3, fn (h, k) -> h + nn.dropout(k, tanh(nn.dense(h, "d", n)), 0.0), fresh_key())',
            ROWS,
            _stack,
        ),
        "mlp": Layer(ROW, "f32[b, 2]", 'nn.mlp(x, "m", 6, 3, 2, nn.relu)', ROWS, _mlp),
        "layer_norm": Layer(
            ROW,
            "f32[b, n]",
            'nn.layer_norm(x, "l")',
            ROWS,
            lambda p, x: normal(x, -1, 1e-6) * p["l"]["scale"] + p["l"]["bias"],
        ),
        "rms_norm": Layer(
            ROW,
            "f32[b, n]",
            'nn.rms_norm(x, "l")',
            ROWS,
            lambda p, x: x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * p["l"]["scale"],
        ),
        "group_norm": Layer(
            "x: f32[b, 2 * c, h, w]",
            "f32[b, 2 * c, h, w]",
            'nn.group_norm(x, "l", 2)',
            IMAGES,
            lambda p, x: _group_norm(p["l"], x, 2),
        ),
        "group_norm_of_rows": Layer(
            "x: f32[b, n]",
            "f32[b, n]",
            'nn.group_norm(x, 1, nn.param("scale", fn k -> ones([n])), nn.param("bias", fn k -> zeros([n])))',
            ROWS,
            lambda p, x: _group_norm(p, x, 1),
        ),
        "conv": Layer(
            "x: f32[b, 2 * c, h, w]",
            "f32[b, 8, (h + 1) // 2, (w + 1) // 2]",
            'nn.conv(x, "l", 8, 3, strides=2, groups=2)',
            IMAGES,
            lambda p, x: _conv(p["l"], x, (2, 2), "SAME", (1, 1), 2),
            where="h >= 1 and w >= 1",
        ),
        "conv_of_a_line": Layer(
            LINE,
            "f32[b, 5, t - 2]",
            'nn.conv(x, "l", 5, 2, padding="VALID", dilation=2)',
            LINES,
            lambda p, x: _conv(p["l"], x, (1,), "VALID", (2,), 1),
            where="t >= 3",
        ),
        "conv_padded": Layer(
            IMAGE,
            "f32[b, 3, h, w + 1]",
            'nn.conv(x, "l", 3, (3, 2), padding=((1, 1), (0, 2)))',
            IMAGES,
            lambda p, x: _conv(p["l"], x, (1, 1), ((1, 1), (0, 2)), (1, 1), 1),
            where="h >= 1 and w >= 1",
        ),
        "conv_transpose": Layer(
            IMAGE,
            "f32[b, 3, 2 * h, 2 * w]",
            'nn.conv_transpose(x, "l", 3, 5, strides=2)',
            IMAGES,
            lambda p, x: _conv_transpose(p["l"], x, (2, 2), "SAME"),
            where="h >= 1 and w >= 1",
        ),
        "conv_transpose_of_a_line": Layer(
            LINE,
            "f32[b, 2, 3 * t]",
            'nn.conv_transpose(x, "l", 2, 2, strides=3, padding="VALID")',
            LINES,
            lambda p, x: _conv_transpose(p["l"], x, (3,), "VALID"),
            where="t >= 1",
        ),
        "multi_head_attention": Layer(
            "x: f32[b, t, 6 * n]",
            "f32[b, t, 6 * n]",
            'nn.multi_head_attention(x, "l", 3, block=4)',
            WORDS,
            lambda p, x: _attention(p["l"], x, x, _all(x), 3),
        ),
        "multi_head_attention_of_words": Layer(
            "x: f32[b, t, 6 * n]",
            "f32[b, t, 6 * n]",
            'nn.multi_head_attention(x, "l", 3, mask=broadcast_to(iota([t]) < t - 1, [b, t]), kv_heads=1,'
            " is_causal=true, window=4, rotary=true, block=4)",
            WORDS,
            lambda p, x: _attention(p["l"], x, x, _seen(x), 3, turned=True, causal=True, window=4),
        ),
        "cross_attention": Layer(
            "x: f32[b, t, 6 * n], y: f32[b, s, m]",
            "f32[b, t, 6 * n]",
            'nn.multi_head_attention(x, y, "l", 2, alibi=true, block=4)',
            (((2, 7, 12), (2, 5, 3)), ((1, 3, 6), (1, 9, 4))),
            lambda p, x, y: _attention(p["l"], x, y, _all(y), 2, alibi=True),
            2,
        ),
        "cross_attention_masked": Layer(
            "x: f32[b, t, 6 * n], y: f32[b, s, m]",
            "f32[b, t, 6 * n]",
            'nn.multi_head_attention(x, y, "l", 2, mask=broadcast_to(iota([s]) < s - 1, [b, s]), block=4)',
            (((2, 7, 12), (2, 5, 3)), ((1, 3, 6), (1, 9, 4))),
            lambda p, x, y: _attention(p["l"], x, y, _seen(y), 2),
            2,
        ),
        "lstm": Layer(TIME, "f32[t, b, 4]", 'nn.lstm(xs, "l", 4).0', TIMES, lambda p, x: _lstm(p["l"], x)),
        "lstm_reversed": Layer(
            TIME,
            "f32[t, b, 4]",
            'nn.lstm(xs, "l", 4, reverse=true).0',
            TIMES,
            lambda p, x: _lstm(p["l"], x[::-1])[::-1],
        ),
        "lstm_cell": Layer(
            "x: f32[b, n], h: f32[b, m], c: f32[b, m]",
            "f32[b, m]",
            'nn.lstm_cell(x, {h = h, c = c}, "l").h',
            (((2, 3), (2, 4), (2, 4)), ((1, 5), (1, 2), (1, 2))),
            _carry,
            3,
        ),
        "gru": Layer(TIME, "f32[t, b, 4]", 'nn.gru(xs, "l", 4).0', TIMES, lambda p, x: _gru(p["l"], x)),
        "gru_reversed": Layer(
            TIME,
            "f32[t, b, 4]",
            'nn.gru(xs, "l", 4, reverse=true).0',
            TIMES,
            lambda p, x: _gru(p["l"], x[::-1])[::-1],
        ),
        "gru_cell": Layer(
            "x: f32[b, n], h: f32[b, m]",
            "f32[b, m]",
            'nn.gru_cell(x, h, "l")',
            (((2, 3), (2, 4)), ((1, 5), (1, 2))),
            lambda p, x, h: _gru_step(p["l"], h, x),
            2,
        ),
        "batch_norm": Layer(
            IMAGE,
            "f32[b, c, h, w]",
            'nn.batch_statistics(fn () -> nn.batch_norm(x, "l")).0',
            IMAGES,
            lambda p, x: normal(x, (0, 2, 3), 1e-5) * _channels(p["l"]["scale"], 2) + _channels(p["l"]["bias"], 2),
        ),
        "batch_norm_with_statistics": Layer(
            ROW,
            "f32[b, n]",
            "nn.with_statistics({l = {mean = full([n], 0.5), var = full([n], 4.0)}}, fn () ->"
            ' nn.batch_norm(x, "l", epsilon=0.0))',
            ROWS,
            lambda p, x: (x - 0.5) / 2 * p["l"]["scale"] + p["l"]["bias"],
        ),
        "batch_norm_across": Layer(
            "x: f32[k, b, n]",
            "f32[k, b, n]",
            "vmap(fn x -> nn.batch_statistics(fn () ->"
            ' nn.batch_norm(x, "l", across=fn v -> pmean(v, "i"))).0, axis_name="i")(x)',
            (((3, 2, 4),), ((2, 4, 3),)),
            lambda p, x: normal(x, (0, 1), 1e-5) * p["l"]["scale"] + p["l"]["bias"],
        ),
        "embedding": Layer(
            ROW,
            "f32[b, 11]",
            'nn.embed(argmax(x, axis=-1), "again", n, 11) + x @ nn.embedding("table", n, 11)',
            ROWS,
            lambda p, x: p["again"][x.argmax(-1)] + x @ p["table"],
            where="n >= 1",
        ),
    }
)


def written(name: str, layer: Layer) -> str:
    """A layer, its first parameters, its values, and the slopes of a sum of them."""
    names = [part.split(":")[0].strip() for part in layer.params.split(", ") if ":" in part]
    args, chosen = ", ".join(names), ", ".join(map(str, range(layer.slopes + 1)))
    where = f" where {layer.where}" if layer.where else ""
    head, run = f"{layer.params}){where}", f"{name}_run(p, {args})"
    result = f"{layer.params}) -> {layer.result}"
    slopes = f"grad(fn (p, {args}) -> sum(sin({run})), argnums=({chosen}))(p, {args})"
    return (
        f"def {name}({result} ! nn.param{where} = {layer.body}\n"
        f"def {name}_start(k: key, {layer.params}) -> {name}.param{where} = nn.init(k, fn () -> {name}({args}))\n"
        f"def {name}_run(p: {name}.param, {result}{where} = nn.apply(p, fn () -> {name}({args}))\n"
        f"def {name}_slopes(p: {name}.param, {head} = ({run}, {slopes})\n"
    )


TEXT = "import nn\nimport random\n" + "\n".join(written(name, layer) for name, layer in LAYERS.items())

MODELS = """
import nn
def words(x: f32[b, t, n]) -> f32[b, t, n] ! nn.param where n % 8 == 0 and n >= 8 =
    nn.multi_head_attention(x, "a", 4, kv_heads=2, is_causal=true, rotary=true, window=4)
def start(k: key, x: f32[b, t, n]) -> words.param where n % 8 == 0 and n >= 8 = nn.init(k, fn () -> words(x))
def whole(p: words.param, x: f32[b, t, n]) -> f32[b, t, n] where n % 8 == 0 and n >= 8 = nn.apply(p, fn () -> words(x))
def one_by_one(p: words.param, x: f32[b, t, n]) -> f32[b, t, n] where n % 8 == 0 and n >= 8 = nn.apply(p, fn () ->
    let (_, out) = scan (cache, i) = (nn.attention_cache([b], t + 3, 2, n // 4), i32(0)) for v in swapaxes(x, 0, 1) do
        let (y, cache) = nn.attend_step(v, cache, i, "a", 4, rotary=true, window=4, block=5)
        ((cache, i + 1), y)
    swapaxes(out, 0, 1))
def noisy(x: f32[n]) -> f32[n] ! rand = nn.dropout(x, 0.25)
def quiet(x: f32[n]) -> f32[n] ! rand = nn.dropout(x, 0.25, deterministic=true)
def net(x: f32[b, n]) -> f32[b, n] ! {nn.param, nn.statistics} =
    nn.batch_norm(nn.relu(nn.batch_norm(x, "one")), "two", epsilon=1e-3)
def trained(p: net.param, x: f32[b, n]) -> (f32[b, n], net.statistics) =
    nn.batch_statistics(fn () -> nn.apply(p, fn () -> net(x)))
def used(p: net.param, s: net.statistics, x: f32[b, n]) -> f32[b, n] =
    nn.apply(p, fn () -> nn.with_statistics(s, fn () -> net(x)))
def in_blocks(q: f32[t, h, d], k: f32[t, h, d], v: f32[t, h, d]) -> f32[t, h, d] where h >= 1 =
    grad(fn (q: f32[t, h, d]) -> sum(nn.attention(q, k, v, is_causal=true, block=64)))(q)
def as_a_whole(q: f32[t, h, d], k: f32[t, h, d], v: f32[t, h, d]) -> f32[t, h, d] where t >= 1 and d >= 1 =
    grad(fn (q: f32[t, h, d]) -> sum(nn.dot_product_attention(q, k, v, is_causal=true)))(q)
"""
