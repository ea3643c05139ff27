"""Layouts that are chosen by branch and bound: those that trying all of them finds, and bounds that bound."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.host.measures.costs import arguments_of, placed
from dsl.ir.function import Tensor
from dsl.ops.named_axes import NamedAxisParams
from dsl.transforms.layout_facts import FREE, Grid
from dsl.transforms.planning import Group, Machine, Question, _Search, layouts_for, plan, score
from dsl.types.dtype import F32
from tests.support.cases import some

PROGRAM = """
def mlp(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] = tanh(x @ w) @ v
def loss(w: f32[d, h], x: f32[n, d], y: f32[n, h]) -> f32 = mean((tanh(x @ w) - y) ** 2)
def step(w: f32[d, h], x: f32[n, d], y: f32[n, h]) -> f32[d, h] = w - 0.1 * grad(loss)(w, x, y)
def train(w: f32[d, h], x: f32[n, d], y: f32[n, h]) -> f32[d, h] = fold w = w for _ in range(3) do step(w, x, y)
def choose(w: f32[d, h], x: f32[n, d], y: f32[n, d]) -> f32[n, h] = if x[0, 0] > 0.0 then x @ w else y @ w
"""
MACHINES = Machine(1e10, 1e9, 1e8, 1e-6), Machine(1e14, 2e12, 1e11, 1e-5)


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


def question(f: Any, mesh: dict[str, int], machine: Machine, sizes: dict[str, int]) -> Question:
    count = stride = 1
    axes: list[NamedAxisParams] = []
    for name, size in reversed(mesh.items()):
        axes.insert(0, NamedAxisParams(name, size, stride))
        stride *= size
        count *= size
    function = placed(f, count, arguments_of(f, sizes))[0]
    groups = tuple([Group((k,), t) for k, t in enumerate(function.param_types)])
    ties = {0: 0} if function.result_types[0] == function.param_types[0] else {}
    return Question(function, tuple(axes), groups, ties, machine)


SIZES = st.fixed_dictionaries({"n": st.sampled_from([8, 64, 4096]), "d": st.sampled_from([3, 8]), "h": st.just(16)})


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(["mlp", "step", "train", "choose"]), SIZES, st.sampled_from(MACHINES), st.floats(0.3, 1.2))
def test_the_search_finds_what_trying_all_finds(
    m: Any, name: str, sizes: dict[str, int], machine: Machine, share: float
) -> None:
    asked = question(getattr(m, name), {"i": 4}, machine, sizes)
    every = _Search(asked, inf, 10**6)
    found = [every.look(choice) for choice in product(*every._options)]
    room = share * max(each.peak for each in found)
    answer = plan(asked, room)
    fitting = [each for each in found if each.peak <= room]
    assert answer.proven
    if fitting:
        best = min(score(each.seconds, each.peak) for each in fitting)
        assert score(answer.found[0].seconds, answer.found[0].peak) == best and answer.found[0].peak <= room
    else:
        assert not answer.found and answer.least == min(each.peak for each in found)


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(["mlp", "step", "train", "choose"]), SIZES, st.data())
def test_what_is_not_decided_bounds_all_that_can_be(
    m: Any, name: str, sizes: dict[str, int], data: st.DataObject
) -> None:
    search = _Search(question(getattr(m, name), {"i": 2, "j": 2}, MACHINES[0], sizes), inf, 10**6)
    choice = tuple([data.draw(st.sampled_from(options)) for options in search._options])
    open_ones = [data.draw(st.booleans()) for _ in choice]
    seconds, peak = search._bound(tuple([None if o else fact for fact, o in zip(choice, open_ones, strict=True)]))
    whole = search.look(choice)
    assert seconds <= whole.seconds * (1 + 1e-9) and peak <= whole.peak


@pytest.mark.parametrize(
    ("name", "mesh", "sizes", "wanted"),
    [
        # a layer that is larger than its examples: columns, then rows
        ("mlp", {"i": 4}, {"n": 64, "d": 512, "h": 4096}, [{}, {"i": 1}, {"i": 0}]),
        # a small one: the examples are shared out
        ("mlp", {"i": 4}, {"n": 65536, "d": 16, "h": 16}, [{"i": 0}, {}, {}]),
        ("train", {"i": 4}, {"n": 65536, "d": 16, "h": 15}, [{}, {"i": 0}, {"i": 0}]),
    ],
)
def test_known_layouts(m: Any, name: str, mesh: dict[str, int], sizes: dict[str, int], wanted: list[Any]) -> None:
    (best, *_) = plan(question(getattr(m, name), mesh, Machine(1e10, 1e9, 1e9, 5e-5), sizes)).found
    assert [{axis.name: place for axis, place in layout.items()} for layout in best.ins] == wanted


def test_layouts_cut_equal_parts() -> None:
    i, j = NamedAxisParams("i", 2), NamedAxisParams("j", 3)
    found = [dict(each) for each in layouts_for(Tensor(F32, (6, 4)), (i, j))]
    assert found == [{}, {j: 0}, {i: 0}, {i: 0, j: 0}, {i: 1}, {i: 1, j: 0}]


@given(st.lists(st.sampled_from([None, 0, 1, 2]), min_size=2, max_size=2))
def test_a_fact_says_how_an_array_lies(places: list[int | None]) -> None:
    axes = NamedAxisParams("i", 2), NamedAxisParams("j", 3)
    grid = Grid(axes)
    layout = {axis: place for axis, place in zip(axes, places, strict=True) if place is not None}
    fact = grid.fact(layout, 3)
    assert grid.layout(fact, 3) == layout and grid.free(fact) == []
    assert grid.layout(grid.whole | fact, 3) == {} and grid.free(FREE) == [*axes]
    assert fact | FREE == fact
    inner = {axis: place - 1 for axis, place in layout.items() if place > 0}
    assert grid.layout(fact, 2) == inner and set(grid.lost(fact, 2)) == layout.keys() - inner.keys()


def test_a_loop_and_a_call_know_how_their_operands_lie(m: Any) -> None:
    asked = question(m.train, {"i": 4}, MACHINES[0], {"n": 64, "d": 8, "h": 16})
    search = _Search(asked, inf, 10)
    rows = [search._grid.fact({asked.mesh[0]: 0}, 2)] * 2
    found = search.look((search._grid.whole, *rows))
    alone = search.look((search._grid.whole,) * 3)
    assert found.work.flops < alone.work.flops / 3
    assert found.work.exchanges == 3 and dict(found.work.sent) == {"i": 3 * 2 * 3 * 8 * 16 * 4 // 4}
    assert some(found.outs) == ({},)
