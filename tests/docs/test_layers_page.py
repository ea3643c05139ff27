"""The programs of `docs/layers.md` are accepted, and do what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import dsl
from tests.support.library import public

PAGE = (Path(__file__).parents[2] / "docs" / "layers.md").read_text(encoding="utf-8")
TRAINING, GENERATING = re.findall(r"```dsl\n(.*?)```", PAGE, flags=re.DOTALL)


def test_layers_of_the_table_exist() -> None:
    named = {n for row in re.findall(r"^\| (`.*?) \|", PAGE, flags=re.MULTILINE) for n in re.findall(r"`(\w+)`", row)}
    assert len(named) > 15
    assert named - set(public("nn")) == set()


def test_a_network_with_statistics_of_batches_learns() -> None:
    m = dsl.program(TRAINING)
    random = np.random.default_rng(0)
    x, labels = random.normal(size=(16, 2, 5, 5)).astype(np.float32), random.integers(0, 10, 16).astype(np.int32)
    x[np.arange(16), labels % 2] += 0.3 * labels[:, None, None]
    p = m.start(dsl.key(0), x)
    _, kept = m.loss(p, x, labels, key=dsl.key(0))
    losses = []
    for i in range(40):
        p, kept, value = m.step(p, kept, x, labels, key=dsl.key(i))
        losses.append(float(value))
    assert losses[-1] < 0.8 * losses[0]
    assert np.asarray(m.predicted(p, kept, x[:1])).shape == (1,)


def test_a_transformer_writes_what_its_scores_say() -> None:
    m = dsl.program(GENERATING)
    first = np.array([3, 60], np.int32)
    p = m.start(dsl.key(1), first[:, None])
    written = np.asarray(m.written(p, first, length=7)).T
    scores = np.asarray(m.scores(p, written))
    np.testing.assert_array_equal(written[:, 1:], scores.argmax(-1)[:, :-1])
