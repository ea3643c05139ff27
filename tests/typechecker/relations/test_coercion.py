"""Coercion: a term fits its own type as it is, and what does not fit is reported once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.core import core
from dsl.diagnostics.source import Source, Span
from dsl.types import type as ty
from dsl.types.dtype import F32, F64, I32
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from dsl.types.type import ArrayType, IndexType, KeyType, RecordType, StackedType, TupleType, Type
from tests.support.contexts import fresh_context
from typechecker.env.reports import Reported
from typechecker.env.values import Term
from typechecker.relations.coercion import Why, coerce, fit

SPAN = Span(Source("test.dsl", "x"), 0, 1)
N = Size.of(SizeVar(1, "n"))
SHAPES = st.lists(st.sampled_from((N, N + 1, Size.of(2))), max_size=2).map(lambda dims: Shape(tuple(dims)))
LEAVES = st.one_of(
    st.builds(ArrayType, st.sampled_from((F32, F64, I32)), SHAPES),
    st.builds(IndexType, st.just(N), SHAPES),
    st.builds(KeyType, SHAPES),
    st.sampled_from((ty.INT, ty.FLOAT, ty.BOOLEAN, ty.STRING)),
)
TYPES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: TupleType(tuple(parts))),
        st.tuples(inner, inner).map(lambda parts: RecordType((("p", parts[0]), ("q", parts[1])))),
    ),
    max_leaves=5,
)


def variable(type_: Type) -> Term:
    return Term(core.Local(SPAN, type_, 1, "x"), type_)


@given(TYPES)
def test_a_term_fits_its_own_type_as_it_is(type_: Type) -> None:
    ctx = fresh_context()
    term = variable(type_)
    assert coerce(ctx, term, type_, Why("argument", "x", "f")) == term
    assert not ctx.program.reports


@given(TYPES)
def test_what_was_reported_fits_everything(type_: Type) -> None:
    ctx = fresh_context()
    assert coerce(ctx, variable(ty.ERROR), type_, Why("argument", "x", "f")).type == type_
    assert not ctx.program.reports


@given(TYPES, TYPES)
def test_to_fit_is_to_have_the_type_or_to_be_reported_once(source: Type, target: Type) -> None:
    ctx = fresh_context()
    made = coerce(ctx, variable(source), target, Why("argument", "x", "f"))
    assert made.type == target
    assert len(ctx.program.reports) <= 1
    if not ctx.program.reports:
        assert coerce(ctx, made, target, Why("argument", "x", "f")).core == made.core


def test_a_term_that_must_fit_ends_the_expression() -> None:
    ctx = fresh_context()
    with pytest.raises(Reported):
        fit(ctx, variable(ArrayType(F32, Shape(()))), ArrayType(F64, Shape(())), Why("argument", "x", "f"))
    assert [d.code for d in ctx.program.reports.all] == ["E0302"]


def test_axes_in_front_of_a_tuple_are_those_of_its_parts() -> None:
    ctx = fresh_context()
    leaf, row = ArrayType(F32, Shape(())), ArrayType(F32, Shape((N,)))
    stacked, spread = StackedType(TupleType((leaf, leaf)), Shape((N,))), TupleType((row, row))
    for source, target in ((stacked, spread), (spread, stacked)):
        assert coerce(ctx, variable(source), target, Why("argument", "x", "f")).type == target
    assert not ctx.program.reports
