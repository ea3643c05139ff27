"""The examples for several devices: each is the program for one device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl

pytestmark = pytest.mark.cpu

EXAMPLE = Path(__file__).parents[2] / "examples" / "devices.dsl"
RANDOM = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    return RANDOM.normal(size=shape).astype("f4")


MODEL = {"first": normal(3, 4), "second": normal(4)}
WIDE_MODEL = {"first": normal(3, 8), "second": normal(8)}
HEADS = {"query": normal(4, 4, 2), "key": normal(4, 4, 2), "value": normal(4, 4, 2), "output": normal(4, 2, 4)}
CASES: dict[str, tuple[str, tuple[Any, ...], dict[str, int]]] = {
    "shared_train": ("train", (MODEL, normal(16, 3), normal(16)), {"steps": 5}),
    "fully_sharded_train": ("train", (WIDE_MODEL, normal(16, 3), normal(16)), {"steps": 5}),
    "shared_mlp": ("mlp", (normal(8, 3), normal(3, 4), normal(4, 3)), {}),
    "shared_attention": ("attention", (normal(5, 4), HEADS), {}),
    "shared_diffuse": ("diffuse", (normal(8, 6),), {"steps": 3}),
    "shared_noise": ("noise", (3,), {"n": 16}),
}


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.load(EXAMPLE)


def agree(found: Any, wanted: Any) -> None:
    for x, y in zip(dsl.tree.leaves(found), dsl.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_it_is_the_program_for_one_device(m: Any, name: str) -> None:
    alone, args, statics = CASES[name]
    agree(getattr(m, name)(*args, **statics), getattr(m, alone)(*args, **statics))


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("name", ["shared_mlp", "fully_sharded_train"])
def test_so_it_is_on_fewer_devices(m: Any, name: str, count: int) -> None:
    alone, args, statics = CASES[name]
    with dsl.default_device(*dsl.devices()[:count]):
        agree(getattr(m, name)(*args, **statics), getattr(m, alone)(*args, **statics))


def test_parameters_stay_in_shares(m: Any) -> None:
    _, args, statics = CASES["fully_sharded_train"]
    (params, _), shares = m.fully_sharded_train(*args, **statics), m.in_shares(args[0])
    assert [x.addressable_shards[0].data.shape for x in params.values()] == [(3, 1), (1,)]
    assert {name: x.sharding for name, x in params.items()} == {name: x.sharding for name, x in shares.items()}


def test_a_ring_gives_all_parts_to_all(m: Any) -> None:
    x = normal(8)
    copies = np.asarray(m.ring_gather(x)).reshape(4, 8)
    assert (copies == x).all()
    with dsl.default_device("cpu:0", "cpu:1"):
        agree(m.ring_gather(x), copies.reshape(16, 2))


def test_few_words_pass_between_devices(m: Any) -> None:
    _, args, _ = CASES["shared_attention"]
    text = m.shared_attention.lower(*args).as_text("optimized")
    assert text.count(" all-reduce(") == 1 and " all-gather(" not in text
    _, args, statics = CASES["shared_train"]
    text = m.shared_train.lower(*args, **statics).as_text("optimized")
    assert text.count(" all-reduce(") == 1 and " all-gather(" not in text
    _, args, statics = CASES["fully_sharded_train"]
    text = m.fully_sharded_train.lower(*args, **statics).as_text("optimized")
    assert (text.count(" all-reduce("), text.count(" all-gather(")) == (1, 2)
