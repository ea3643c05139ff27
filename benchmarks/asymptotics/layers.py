"""Rows of layers, whose parameters are made where they are used. Read next: `row`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp
from msgspec.structs import replace

from benchmarks.asymptotics.row import Row, Table, heads, images, one, table

NETS: Mapping[str, str] = MappingProxyType(
    {
        "linear": 'nn.linear(rows, "l", 16)',
        "dense": 'nn.dense(rows, "l", 16)',
        "layers": 'nn.layers(rows, "l", 4, fn h -> tanh(nn.dense(h, "d", 16)))',
        "mlp": 'nn.mlp(rows, "l", 16, 3, 4, nn.relu)',
        "embedding": 'rows @ nn.embedding("l", 16, 8)',
        "embed": 'nn.embed(argmax(rows, axis=-1), "l", 16, 8)',
        "multi_head_attention": 'nn.multi_head_attention(reshape(x, [n // 1024, 64, 16]), "l", 4)',
        "lstm": 'nn.lstm(reshape(x, [16, n // 256, 16]), "l", 16).0',
        "lstm_cell": 'nn.lstm_cell(rows, {h = rows, c = rows}, "l").h',
        "gru": 'nn.gru(reshape(x, [16, n // 256, 16]), "l", 16).0',
        "gru_cell": 'nn.gru_cell(rows, rows, "l")',
        "batch_norm": 'nn.batch_statistics(fn () -> nn.batch_norm(rows, "l")).0',
        "batch_statistics": 'nn.batch_statistics(fn () -> nn.batch_norm(rows, "l")).1.l.var',
        "with_statistics": "nn.with_statistics({l = {mean = zeros([16]), var = ones([16])}}, fn () ->"
        ' nn.batch_norm(rows, "l"))',
        "init": 'reshape(x, [n // 16, 16]) * nn.param("w", fn k -> ones([16]))',
        "apply": 'rows * nn.param("w", fn k -> ones([16]))',
        "attend_step": 'nn.attend_step(rows, nn.attention_cache([n // 16], 32, 4, 4), 31, "l", 4).0',
        "attention_cache": "nn.attention_cache([n // 16], 8, 4, 4).key",
    }
)
"""Nets of 16 features, of `n` numbers as `rows` of them."""

CLASSES = "def f(x: f32[n]) where n % 16 == 0 = "
LABELS = "clip(iota([n // 16]) % 16, 0, 15)"
PLAIN: Table = MappingProxyType(
    {
        "alibi_slopes": ("def f(x: f32[n]) = nn.alibi_slopes(n)", None),
        "group_norm": (
            "def f(x: f32[n]) where n % 16 == 0 ="
            " nn.group_norm(reshape(x, [n // 16, 16]), 4, ones([16]), zeros([16]), epsilon=0.0)",
            lambda x: jax.nn.standardize(x.reshape(-1, 4, 4), axis=-1, epsilon=0.0).reshape(-1, 16),
        ),
        "cross_entropy": (
            f"{CLASSES}nn.cross_entropy(reshape(x, [n // 16, 16]), {LABELS})",
            lambda x: -jax.nn.log_softmax(x.reshape(-1, 16))[jnp.arange(len(x) // 16), jnp.arange(len(x) // 16) % 16],
        ),
        "accuracy": (
            f"{CLASSES}nn.accuracy(reshape(x, [n // 16, 16]), {LABELS})",
            lambda x: (x.reshape(-1, 16).argmax(-1) == jnp.arange(len(x) // 16) % 16).mean(),
        ),
        "top_k_accuracy": (
            f"{CLASSES}nn.top_k_accuracy(reshape(x, [n // 16, 16]), {LABELS}, 2)",
            lambda x: (
                (jax.lax.top_k(x.reshape(-1, 16), 2)[1] == (jnp.arange(len(x) // 16) % 16)[:, None]).any(-1).mean()
            ),
        ),
        **{
            name: (
                f"def f(x: f32[n]) = nn.{name}(clip(i32(x * 4.0), 0, 3), clip(i32(x * x * 4.0), 0, 3), 4)",
                None,
            )
            for name in ("confusion_matrix", "precision", "recall", "f1_score")
        },
    }
)
CONVOLUTIONS: Table = MappingProxyType(
    {
        "conv": (
            "def net(x: f32[b, c, h, w]) -> f32[b, 8, h, w] ! nn.param where h >= 1 and w >= 1 ="
            ' nn.conv(x, "c", 8, 3)\n'
            "def f(x: f32[b, c, h, w], k: f32[*s]) where h >= 1 and w >= 1 ="
            " nn.apply(nn.init(random.key(0), fn () -> net(x)), fn () -> net(x))",
            None,
        ),
        "conv_transpose": (
            "def f(x: f32[b, c, h, w], k: f32[o, c, 3, 3]) where h >= 1 and w >= 1 = nn.conv_transpose(x, k, 2)",
            lambda x, k: jax.lax.conv_transpose(x, k, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW")),
        ),
    }
)
ATTENTION: Table = MappingProxyType(
    {
        "attention": (
            "def f(q: f32[b, t, h, d], k: f32[b, t, h, d], v: f32[b, t, h, d]) where h >= 1 ="
            " nn.attention(q, k, v, is_causal=true, block=16)",
            lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True),
        ),
        "rotary": ("def f(q: f32[b, t, h, 16], k: f32[*s], v: f32[*s]) = nn.rotary(q)", None),
    }
)


def _net(name: str, body: str) -> tuple[str, Any]:
    """A net that runs with its first parameters; of `init`, these themselves."""
    made = "nn.init(random.key(0), fn () -> net(x))"
    run = made if name == "init" else f"nn.apply({made}, fn () -> net(x))"
    return (
        "def net(x: f32[n]) ! nn.param where n % 1024 == 0 =\n"
        f"    let rows = reshape(x, [n // 16, 16])\n    {body}\n"
        f"def f(x: f32[n]) where n % 1024 == 0 = {run}",
        None,
    )


def layers() -> Iterator[Row]:
    nets = {name: _net(name, body) for name, body in NETS.items()}
    yield from (replace(row, text=f"import random\n{row.text}") for row in table(one, nets, "nn"))
    yield from table(one, PLAIN, "nn")
    yield from (replace(row, text=f"import random\n{row.text}") for row in table(images, CONVOLUTIONS, "nn"))
    yield from table(heads, ATTENTION, "nn")
