"""Functions with intermediate arrays that no cache holds: the same results from tiles, in the memory of a tile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl
from dsl.transforms.tiles import tile

PROGRAM = """
import nn

def regression(x: f64[n], y: f64[n]) -> f64[n] where n >= 1 =
    nn.softmax(-(((x[:, None] - x[None, :]) / 0.1) ** 2), axis=1) @ y

def slopes(x: f64[n], y: f64[n]) -> (f64[n], f64[n]) where n >= 1 =
    grad(fn (x, y) -> sum((regression(x, y) - y) ** 2), argnums=(0, 1))(x, y)

def attention(q: f64[h, t, d], k: f64[h, t, d], v: f64[h, t, d]) -> f64[h, t, d] where t >= 1 and d >= 1 =
    einsum("hts,hsd->htd", nn.softmax(einsum("htd,hsd->hts", q, k) / sqrt(f64(d))), v)

def distances(x: f64[n]) -> (f64, f64[n], f64[n]) where n >= 1 =
    let d = exp(-abs(x[:, None] - x[None, :])) * cos(x[:, None] * x[None, :])
    (max(d * exp(d)), sum(d * exp(d), axis=0), max(d * exp(d), axis=1))
"""


def inputs(name: str) -> list[Any]:
    rng = np.random.default_rng(7)
    match name:
        case "attention":
            return [rng.normal(size=(5, 130, 4)) for _ in range(3)]
        case "distances":
            return [rng.normal(size=301)]
        case _:
            return [rng.normal(size=301), rng.normal(size=301)]


def leaves(result: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(x) for x in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("name", ["regression", "slopes", "attention", "distances"])
def test_tiles_make_what_the_whole_makes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = getattr(dsl.program(PROGRAM), name)
    wanted, memory = leaves(whole(*inputs(name))), whole.memory(*inputs(name))
    monkeypatch.setattr("dsl.transforms.pipeline.tile_of_machine", lambda: 4096)
    tiled = getattr(dsl.program(PROGRAM), name)
    for x, y in zip(leaves(tiled(*inputs(name))), wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-13)
    assert tiled.memory(*inputs(name)).between < memory.between / 2
    assert "while" in tiled.hlo(*inputs(name))


def test_the_size_of_a_tile_grows_with_the_cores() -> None:
    assert tile.tile_of_machine() % tile.TILE == 0
