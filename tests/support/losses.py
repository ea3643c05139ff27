"""Cases of `nn`: attention, losses and metrics, with their gradients, beside whole matrices and enumerations."""

from __future__ import annotations

from itertools import groupby, product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.support.library import Case
from tests.support.neural import attended, rotated

_random = np.random.default_rng(17)


def _some(*shape: int) -> np.ndarray[Any, Any]:
    return _random.normal(size=shape).astype(np.float32)


Q, K, V = _some(2, 7, 4, 6), _some(2, 5, 2, 6), _some(2, 5, 2, 3)
MASK = np.array([[True, True, False, True, True], [False, False, False, False, False]])
LOGITS, LABELS = _some(4, 5), np.array([0, 3, 3, 1], np.int32)
X, Y = _some(3, 4), _some(3, 4)
BITS = (_some(3, 4) > 0).astype(np.float32)
P = np.asarray(jax.nn.softmax(_some(3, 4)))
FRAMES, SPOKEN = _some(5, 3), np.array([1, 2], np.int32)
TWICE = np.array([1, 1], np.int32)
CLASSES = np.array([0, 2, 1, 1, 0, 2], np.int32), np.array([0, 1, 1, 2, 0, 0], np.int32)
SCORES = np.array([0.1, 0.4, 0.35, 0.8, 0.4, 0.4], np.float32)


def _entropy(x: Any, labels: Any, smoothing: float = 0.0) -> Any:
    q = (1 - smoothing) * jax.nn.one_hot(labels, x.shape[-1]) + smoothing / x.shape[-1]
    return -(q * jax.nn.log_softmax(x)).sum(-1)


def _focal(x: Any, labels: Any) -> Any:
    p = jax.nn.sigmoid(x)
    right = jnp.where(labels == 1, p, 1 - p)
    return -((1 - right) ** 2) * jnp.log(right)


def enumerated(x: Any, labels: Any) -> Any:
    """The loss of CTC by all sequences of classes that become the labels."""
    z = jax.nn.log_softmax(x)
    paths = product(range(x.shape[1]), repeat=len(x))
    right = [p for p in paths if [c for c, _ in groupby(p) if c != 0] == list(labels)]
    return -jax.nn.logsumexp(jnp.stack([sum(z[i, c] for i, c in enumerate(path)) for path in right]))


def _counts(found: Any, labels: Any) -> np.ndarray[Any, Any]:
    table = np.zeros((3, 3), np.int32)
    np.add.at(table, (labels, found), 1)
    return table


def _area(scores: Any, labels: Any) -> Any:
    pairs = [(p, n) for p in scores[labels] for n in scores[~labels]]
    return np.float32(np.mean([1.0 if p > n else 0.5 if p == n else 0.0 for p, n in pairs]))


def _of_halves(q: Any, k: Any, v: Any) -> Any:
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    return attended(q, k, v, np.ones((2, 5), bool), causal=False, window=None, alibi=False).astype(np.float16)


def _attention() -> list[Case]:
    """One head of keys for two of queries; blocks that do not divide the lengths; a row without any key."""
    head = "(q: f32[b, t, 2 * g, d], k: f32[b, s, g, d], v: f32[b, s, g, e], m: bool[b, s]) -> "
    given = "where g >= 1 ="
    found = []
    for name, options, rules in (
        ("plain", "", (False, None, False)),
        ("causal", ", is_causal=true, alibi=true", (True, None, True)),
        ("local", ", is_causal=true, window=3", (True, 3, False)),
        ("near", ", window=2", (False, 2, False)),
    ):

        def expected(q: Any, k: Any, v: Any, m: Any, rules: Any = rules) -> Any:
            return attended(q, k, v, m, causal=rules[0], window=rules[1], alibi=rules[2])

        call = f"nn.attention(q, k, v, mask=m, block=3{options})"
        slope = f"grad(fn (q, k, v) -> sum(sin({call})), argnums=(0, 1, 2))(q, k, v)"
        args = (Q, K, V, MASK)
        found += [
            Case(f"nn_attention_by_blocks_{name}", f"{head}f32[b, t, 2 * g, e] {given} {call}", args, expected),
            Case(
                f"nn_attention_by_blocks_{name}_slope",
                f"{head}(f32[b, t, 2 * g, d], f32[b, s, g, d], f32[b, s, g, e]) {given} {slope}",
                args,
                jax.grad(lambda *x, f=expected: jnp.sum(jnp.sin(f(*x))), (0, 1, 2)),
            ),
        ]
    return [
        *found,
        Case(
            "nn_attention_of_halves",
            "(q: f16[b, t, g, d], k: f16[b, s, g, d], v: f16[b, s, g, e]) -> f16[b, t, g, e] where g >= 1 ="
            " nn.attention(q, k, v)",
            tuple(x.astype(np.float16) for x in (Q[:, :, :2], K, V)),
            _of_halves,
            2e-3,
        ),
        Case(
            "nn_rotary",
            "(x: f32[b, t, h, 2 * d], first: i32) -> f32[b, t, h, 2 * d] = nn.rotary(x, first)",
            (Q, np.int32(3)),
            lambda x, first: rotated(x, int(first)),
        ),
        Case(
            "nn_alibi_slopes",
            "() -> (f32[4], f32[6]) = (nn.alibi_slopes(4), nn.alibi_slopes(6))",
            (),
            lambda: (
                np.array([2**-2, 2**-4, 2**-6, 2**-8], np.float32),
                np.array([2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3], np.float32),
            ),
        ),
        Case(
            "nn_conv_transpose",
            "(x: f32[b, h, w, c], k: f32[3, 2, c, o]) -> f32[b, 2 * h + 1, 2 * w, o] where h >= 1 and w >= 1 ="
            ' nn.conv_transpose(x, k, 2, "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))',
            (_some(2, 4, 3, 2), _some(3, 2, 2, 5)),
            lambda x, k: jax.lax.conv_transpose(x, k, (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        ),
    ]


def _losses() -> list[Case]:
    logits, pair = "(x: f32[n, k], i: idx[k][n]) -> ", "(x: f32[n, m], y: f32[n, m]) -> "
    ctc = "(x: f32[t, k], i: idx[k][n]) -> "
    return [
        Case("nn_cross_entropy", f"{logits}f32[n] where k >= 1 = nn.cross_entropy(x, i)", (LOGITS, LABELS), _entropy),
        Case(
            "nn_cross_entropy_slope",
            f"{logits}f32[n, k] where k >= 1 = grad(fn x -> sum(nn.cross_entropy(x, i, label_smoothing=0.2)))(x)",
            (LOGITS, LABELS),
            jax.grad(lambda x, i: _entropy(x, i, 0.2).sum()),
        ),
        Case("nn_hinge_loss", f"{pair}f32[n, m] = nn.hinge_loss(x, y)", (X, Y), lambda x, y: np.maximum(1 - x * y, 0)),
        Case(
            "nn_kl_divergence",
            f"{pair}f32[n] = nn.kl_divergence(x, where(y > 0.2, y, 0.0))",
            (X, P),
            lambda x, y: np.where(y > 0.2, y * (np.log(y) - x), 0).sum(-1),
        ),
        Case("nn_sigmoid_focal_loss", f"{pair}f32[n, m] = nn.sigmoid_focal_loss(x, y)", (X, BITS), _focal),
        *[
            Case(f"nn_ctc_loss_{name}", f"{ctc}f32 where k >= 1 = nn.ctc_loss(x, i)", (FRAMES, labels), enumerated)
            for name, labels in (("of_two", SPOKEN), ("of_twice_one", TWICE), ("of_none", SPOKEN[:0]))
        ],
        Case(
            "nn_ctc_loss_slope",
            f"{ctc}f32[t, k] where k >= 1 = grad(fn x -> nn.ctc_loss(x, i))(x)",
            (FRAMES, TWICE),
            jax.grad(enumerated),
        ),
        Case(
            "nn_ctc_loss_of_a_part",
            f"{ctc}f32 where k >= 1 = nn.ctc_loss(x, i, frames=4, length=1)",
            (FRAMES, SPOKEN),
            lambda x, i: enumerated(x[:4], i[:1]),
        ),
    ]


def _metrics() -> list[Case]:
    logits, pair = "(x: f32[n, k], i: idx[k][n]) -> ", "(p: idx[3][n], i: idx[3][n]) -> "
    return [
        Case(
            "nn_accuracy",
            f"{logits}f32 where k >= 1 = nn.accuracy(x, i)",
            (LOGITS, LABELS),
            lambda x, i: np.float32((x.argmax(-1) == i).mean()),
        ),
        Case(
            "nn_top_k_accuracy",
            f"{logits}f32 where k >= 2 = nn.top_k_accuracy(x, i, 2)",
            (LOGITS, LABELS),
            lambda x, i: np.float32(np.mean([c in np.argsort(-row)[:2] for row, c in zip(x, i, strict=True)])),
        ),
        Case("nn_confusion_matrix", f"{pair}i32[3, 3] = nn.confusion_matrix(p, i, 3)", CLASSES, _counts),
        Case(
            "nn_precision",
            f"{pair}f32[3] = nn.precision(p, i, 3)",
            CLASSES,
            lambda p, i: (np.diag(_counts(p, i)) / _counts(p, i).sum(0)).astype("f"),
        ),
        Case(
            "nn_recall",
            f"{pair}f32[3] = nn.recall(p, i, 3)",
            CLASSES,
            lambda p, i: (np.diag(_counts(p, i)) / _counts(p, i).sum(1)).astype("f"),
        ),
        Case(
            "nn_f1_score",
            f"{pair}f32[3] = nn.f1_score(p, i, 3)",
            CLASSES,
            lambda p, i: (2 * np.diag(_counts(p, i)) / (_counts(p, i).sum(0) + _counts(p, i).sum(1))).astype("f"),
        ),
        Case(
            "nn_r2_score",
            "(x: f32[n], y: f32[n]) -> f32 where n >= 1 = nn.r2_score(x, y)",
            (X[0], Y[0]),
            lambda x, y: np.float32(1 - ((y - x) ** 2).sum() / ((y - y.mean()) ** 2).sum()),
        ),
        Case(
            "nn_roc_auc",
            "(x: f32[n], i: bool[n]) -> f32 = nn.roc_auc(x, i)",
            (SCORES, np.array([False, False, True, True, True, False])),
            _area,
        ),
    ]


LOSSES: tuple[Case, ...] = (*_attention(), *_losses(), *_metrics())
