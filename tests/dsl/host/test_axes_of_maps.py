"""Maps that Python makes of functions over any rank: a call whose arrays lack an axis that they mean is refused."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.cases import some

RANKS = range(4)
AXES = range(-4, 4)
Make = Callable[[Any, int], Any]


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program("def any(x: f32[*s]) -> f32[*s] = x\ndef some(x: f32[n, *s]) -> f32[n, *s] = x")


def _holds_or_is_refused(function: Any, x: np.ndarray[Any, Any], expected: np.ndarray[Any, Any] | None) -> None:
    if expected is not None:
        np.testing.assert_array_equal(np.asarray(function(x)), expected)
        return
    with pytest.raises(dsl.DslError) as caught:
        function(x)
    assert caught.value.code in ("E0806", "E1010")


def _ones(rank: int) -> np.ndarray[Any, Any]:
    shape = tuple(range(1, rank + 1))
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


MAPS: dict[str, Make] = {
    "vmap": lambda f, k: dsl.vmap(f, out_axes=k),
    "pmap": lambda f, k: dsl.pmap(f, out_axes=k),
    "jit": lambda f, k: dsl.jit(dsl.vmap(f, out_axes=k)),
    "pickled": lambda f, k: pickle.loads(pickle.dumps(dsl.vmap(f, out_axes=k))),
    "copied": lambda f, k: copy.deepcopy(dsl.vmap(f, out_axes=k)),
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("axis", AXES)
def test_axes_of_results(m: dsl.Program, name: str, axis: int) -> None:
    function = MAPS[name](m.any, axis)
    for rank in some(RANKS[1:]):
        x = _ones(rank)
        _holds_or_is_refused(function, x, np.moveaxis(x, 0, axis) if -rank <= axis < rank else None)


@pytest.mark.parametrize("axis", AXES)
def test_axes_of_arguments(m: dsl.Program, axis: int) -> None:
    function = dsl.vmap(m.any, in_axes=axis)
    for rank in RANKS:
        x = _ones(rank)
        _holds_or_is_refused(function, x, np.moveaxis(x, axis, 0) if -rank <= axis < rank else None)


@pytest.mark.parametrize("axis", AXES)
def test_axes_of_maps_of_maps(m: dsl.Program, axis: int) -> None:
    function = dsl.vmap(dsl.vmap(m.some, out_axes=axis))
    for rank in some(RANKS[3:]):
        x = _ones(rank)
        there = -rank < axis < rank - 1
        moved = np.stack([np.moveaxis(each, 0, axis) for each in x]) if there else None
        _holds_or_is_refused(function, x, moved)


@pytest.mark.parametrize("side", ["in_specs", "out_specs"])
@pytest.mark.parametrize("axis", AXES)
def test_axes_that_are_cut(m: dsl.Program, side: str, axis: int) -> None:
    specs = {"in_specs": {}, "out_specs": {}, side: {"a": axis}}
    try:
        function = dsl.shard(m.some, {"a": 1}, **specs)
    except dsl.DslError as error:
        assert error.code in ("E1010", "E1011")  # one that no rank has, or that is not told of any
        return
    for rank in some(RANKS[1:]):
        x = _ones(rank)
        _holds_or_is_refused(function, x, x if -rank <= axis < rank else None)
