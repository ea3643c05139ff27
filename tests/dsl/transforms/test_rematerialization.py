"""A loop keeps the fewest bytes from which cheap operations make all residuals, and computes the same with them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dsl
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor, Var
from dsl.ir.region import Split
from dsl.ops.builders import add, broadcast_in_dim, exp, mul, neg, reduce_sum, tanh
from dsl.ops.residuals.rematerialization import is_cheap, lean
from dsl.types.dtype import F64
from tests.support.python_calls import python_calls

LONG, SHORT = Tensor(F64, (40,)), Tensor(F64, (20,))


@st.composite
def splits(draw: Any) -> tuple[Split, list[Var]]:
    """A known half of random equations; an unknown one that sums up residuals and one more param; what is free."""
    b = Builder()
    values = [b.param(LONG), b.param(SHORT), b.param(LONG)]
    free = draw(st.lists(st.sampled_from(values), max_size=1))

    def some(type: Tensor) -> Var:
        found: Var = draw(st.sampled_from([v for v in values if v.type == type]))
        return found

    for _ in range(draw(st.integers(1, 7))):
        kind, type = draw(st.sampled_from(["exp", "neg", "add", "mul", "spread"])), draw(st.sampled_from([LONG, SHORT]))
        if kind in ("exp", "neg"):
            made = (exp if kind == "exp" else neg)(b, some(type))
        elif kind == "spread":
            made = broadcast_in_dim(b, reduce_sum(b, some(type), (0,)), (40,), ())
        else:
            made = (add if kind == "add" else mul)(b, some(type), some(type))
        assert isinstance(made, Var)
        values.append(made)
    chosen = draw(st.lists(st.sampled_from(values), min_size=1, max_size=4, unique=True))
    extra = [v for v in chosen if v not in b.params]
    place = {v: i for i, v in enumerate([*b.params, *extra])}
    known = b.finish("known", extra)
    late = Builder()
    own = [late.param(v.type) for v in chosen]
    last = late.param(Tensor(F64))
    total: Atom = last
    for p in own:
        total = add(late, total, reduce_sum(late, tanh(late, p), (0,)))
    return Split(known, late.finish("unknown", [total]), (True,), tuple([place[v] for v in chosen])), free


def bytes_of(values: Any) -> int:
    return sum(8 * v.type.size for v in values)


def least(split: Split, free: list[Var]) -> int:
    """The bytes of the best set of values, by trying them all."""
    known = split.known
    values = [*known.params, *[y for e in known.equations for y in e.outputs]]
    wanted = {[*known.params, *known.results][i] for i in split.residuals}
    found = bytes_of(wanted)
    for count in range(len(wanted) + 3):
        for kept in combinations([v for v in values if v not in free], count):
            reached = {*free, *kept}
            for e in known.equations:
                if is_cheap(e) and all(x in reached for x in e.inputs if isinstance(x, Var)):
                    reached.update(e.outputs)
            if wanted <= reached:
                found = min(found, bytes_of(kept))
    return found


def run_both(split: Split, arrays: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    found = (*arrays, *evaluate(split.known, arrays))
    (total,) = evaluate(split.unknown, [*[found[i] for i in split.residuals], np.asarray(0.5)])
    return total


@given(splits())
def test_the_least_is_kept_and_nothing_changes(made: tuple[Split, list[Var]]) -> None:
    split, free = made
    slim = lean(split, free)
    values = (*slim.known.params, *slim.known.results)
    kept = {values[i] for i in slim.residuals} - set(free)
    assert bytes_of(kept) <= least(split, free)
    arrays = [np.random.default_rng(k).normal(size=p.type.shape) for k, p in enumerate(split.known.params)]
    np.testing.assert_allclose(run_both(slim, arrays), run_both(split, arrays), rtol=1e-12)


def test_what_is_free_is_not_kept_and_equal_values_are_kept_once() -> None:
    b = Builder()
    x, y = b.param(LONG), b.param(LONG)
    first, second, third = exp(b, y), exp(b, y), mul(b, x, x)
    known = b.finish("known", [first, second, third])
    late = Builder()
    own = [late.param(LONG) for _ in range(3)]
    unknown = late.finish("unknown", [add(late, own[0], mul(late, own[1], own[2]))])
    slim = lean(Split(known, unknown, (True,), (2, 3, 4)), [x])
    assert [r for i, r in enumerate((*slim.known.params, *slim.known.results)) if i in slim.residuals] == [x, first]


def test_functions_of_few_numbers_are_made_again() -> None:
    def residuals(type: Tensor) -> tuple[int, ...]:
        b = Builder()
        x = b.param(type)
        known = b.finish("known", [exp(b, x), tanh(b, x)])
        late = Builder()
        own = [late.param(type) for _ in range(2)]
        return lean(Split(known, late.finish("unknown", own), (True, True), (1, 2)), []).residuals

    assert residuals(Tensor(F64, (3,))) == (0,)
    assert residuals(LONG) == (1, 2)


def identity() -> Function:
    b = Builder()
    return b.finish("same", [b.param(LONG)])


def test_nothing_to_gain_changes_nothing() -> None:
    split = Split(identity(), identity(), (False,), (0,))
    assert lean(split, []) is split


BRANCHED = """
def plain(x: f64[n], k: f64) -> f64 = grad(fn k -> sum(fold y = x for _ in range(20) do sin(k) * tanh(k * y)))(k)
def branched(x: f64[n + 1], k: f64) -> f64 =
    grad(fn k -> sum(fold y = x for _ in range(20) do if y[0] > 0.5 then sin(k) * tanh(k * y) else y))(k)
"""


def test_halves_of_branches_have_the_least_between_them() -> None:
    """A loop cannot look into a branch, which of tanh gives the value alone, not the slope beside it."""
    program, x = dsl.program(BRANCHED), np.ones(40)

    def kept(name: str) -> int:
        lines = str(getattr(program, name).ir(x, 0.5)).splitlines()
        (known,) = [line for line in lines if " = scan{" in line and "reverse=False" in line]
        return known.split(" = scan{")[0].count("f64[20, 40]")

    assert [kept("plain"), kept("branched")] == [2, 2]


def test_long_functions_take_time_in_proportion() -> None:
    """Each of the residuals needs its own way through the graph."""

    def calls(count: int) -> int:
        lines = [f"    let x{k + 1} = sin(x{k}) * x{max(k - 3, 0)}" for k in range(count)]
        text = "\n".join(["def f(x0: f32[64]) -> f32 =", *lines, f"    sum(x{count})"])
        gradient = dsl.grad(dsl.program(text).f)
        return python_calls(lambda: gradient.ir(np.ones(64, np.float32)), builtins=True)

    assert calls(400) < 2.5 * calls(200)
