"""Unknown dtypes: what is found does not depend on the order of equations, and is found once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from dsl.types import dtype as dt
from dsl.types.shape import Shape
from dsl.types.type import ArrayType, DTypeVar, Element, RecordType, TupleType, Type
from typechecker.env.solver import Solver

CLASSES = st.sampled_from(("Num", "Inexact", "Real", "Float", "Int"))
PLACES = st.integers(0, 4)
EQUATIONS = st.lists(st.tuples(PLACES, PLACES), max_size=6)
GIVEN = st.lists(st.tuples(PLACES, st.sampled_from((dt.F32, dt.F64, dt.I32, dt.C64))), max_size=2)


def variables(classes: Sequence[str]) -> tuple[Solver, list[DTypeVar]]:
    ids = count()
    solver = Solver(lambda: next(ids))
    return solver, [solver.fresh(dt.CLASSES[name], None) for name in classes]


def solved(
    classes: Sequence[str], equations: Sequence[tuple[int, int]], values: Sequence[tuple[int, dt.DType]]
) -> list[Element] | None:
    """What each variable turns out to be; None if the equations contradict one another."""
    solver, found = variables(classes)
    for left, right in equations:
        if not solver.unify(found[left], found[right]):
            return None
    for place, value in values:
        if not solver.unify(found[place], value):
            return None
    solver.settle()
    return [solver.element(var) for var in found]


@given(st.lists(CLASSES, min_size=5, max_size=5), EQUATIONS, GIVEN)
def test_the_order_of_equations_decides_nothing(
    classes: list[str], equations: list[tuple[int, int]], values: list[tuple[int, dt.DType]]
) -> None:
    shuffled = [(b, a) for a, b in reversed(equations)]
    assert solved(classes, shuffled, values) == solved(classes, equations, values)


@given(st.lists(CLASSES, min_size=5, max_size=5), EQUATIONS)
def test_to_resolve_is_idempotent(classes: list[str], equations: list[tuple[int, int]]) -> None:
    solver, found = variables(classes)
    for left, right in equations:
        solver.unify(found[left], found[right])
    whole: Type = TupleType(tuple(ArrayType(var, Shape(())) for var in found))
    once = solver.resolve(whole)
    assert solver.resolve(once) == once
    assert solver.expected(solver.expected(whole)) == solver.expected(whole)


@given(st.lists(CLASSES, min_size=2, max_size=2))
def test_what_is_unified_is_one_dtype_of_both_classes(classes: list[str]) -> None:
    solver, (left, right) = variables(classes)
    shared = set(dt.CLASSES[classes[0]]) & set(dt.CLASSES[classes[1]])
    assert solver.unify(left, right) == bool(shared)
    solver.settle()
    if shared:
        assert solver.element(left) == solver.element(right)
        assert solver.element(left) in shared


def test_a_type_without_variables_is_resolved_to_itself() -> None:
    solver, _ = variables(())
    whole = RecordType((("a", ArrayType(dt.F32, Shape(()))), ("b", TupleType(()))))
    assert solver.resolve(whole) is whole


def test_a_number_takes_the_strongest_hint() -> None:
    solver, (var,) = variables(["Num"])
    for kind in ("int", "complex", "float"):
        solver.hint(var, kind)
    assert solver.usual(var) == dt.C64


def test_settling_looks_at_the_variables_made_since_the_mark_alone() -> None:
    solver, (before,) = variables(["Num"])
    mark = solver.mark()
    after = solver.fresh(dt.CLASSES["Num"], dt.I32)
    solver.settle(mark)
    assert (solver.element(before), solver.element(after)) == (before, dt.I32)
