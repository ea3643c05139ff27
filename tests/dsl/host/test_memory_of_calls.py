"""Calls leave nothing behind: after many of them as much memory is in use as before."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest

import dsl
from dsl.host.calls import program_store
from dsl.host.checking.deferred import deferred
from dsl.staging.env import stager

TEXT = """
def plain(x: f32[n]) -> f32[n] = x * 2.0
def record(p: {w: f32[n], b: f32}) -> f32[n] = p.w + p.b
def checked_root(x: f32) -> f32 ! check =
    assert x > 0.0, "positive"
    sqrt(x)
def chosen(x: f32[n], i: idx[n]) -> f32 = x[i]
def times(x: f32, static k: float) -> f32 = x * k
"""
X = np.arange(3, dtype=np.float32)
CALLS = 300


def _fails(m: dsl.Program) -> None:
    with suppress(dsl.CheckError):
        float(m.checked_root(-1.0))


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.plain(X),
        lambda m: np.asarray(m.plain(X)),
        lambda m: m.record({"w": X, "b": 1.0}),
        lambda m: m.chosen(X, 1),
        lambda m: float(m.checked_root(1.0)),
        _fails,
        lambda m: m.times(1.0, k=float("nan")),
    ],
)
def test_blocks_in_use_do_not_grow(call: Callable[[dsl.Program], object]) -> None:
    m = dsl.program(TEXT)
    for _ in range(50):
        call(m)
    deferred().finish()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(CALLS):
        call(m)
    gc.collect()
    assert sys.getallocatedblocks() - before < 0.3 * CALLS


def test_so_many_programs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_store, "KEPT", 3)
    monkeypatch.setattr(program_store, "MANY", 4)
    monkeypatch.setattr(stager, "KEPT", 2)
    m = dsl.program(TEXT)
    with pytest.warns(UserWarning, match="compiled 4 times") as caught:
        for k in (1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 1.0):
            assert float(m.times(2.0, k=k)) == 2.0 * k
    assert len(caught) == 1
    info = m.times.cache_info()
    assert (info.misses, info.size) == (6, 3)
