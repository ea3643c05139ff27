"""Signatures of ops with bodies: groups put together are what was cut, and bodies fit what a signature says of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.ir.build import Builder
from dsl.ir.op import RegionOp, Sample
from dsl.ir.region import Jvp
from dsl.ops.control.signature import Origins, Region, Signature
from dsl.ops.table import OPS
from dsl.transforms.jvp import jvp
from tests.support.cases import some

ALIKE: list[tuple[RegionOp[Any], Sample[Any]]] = [
    (op, sample)
    for op in OPS.values()
    if isinstance(op, RegionOp)
    for sample in op.samples
    if hasattr(sample.params, "alike")
]
IDS = [f"{op.name}{k}" for k, (op, _) in enumerate(ALIKE)]
COUNTS = st.integers(0, 3)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_groups_are_a_partition_in_order(ahead: int, consts: int, carry: int, rest: int) -> None:
    signature = Signature(ahead, consts, carry)
    values = tuple(range(ahead + consts + carry + rest))
    groups = signature.operands(values)
    assert [len(group) for group in groups] == [ahead, consts, carry, rest]
    assert tuple(x for group in groups for x in group) == values
    assert groups[1:] == signature.params(values[ahead:])
    assert signature.results(values) == [values[:carry], values[carry:]]


@pytest.mark.parametrize(("op", "sample"), ALIKE, ids=IDS)
def test_bodies_fit_the_signature(op: RegionOp[Any], sample: Sample[Any]) -> None:
    """They take all operands but those ahead, and what is carried has the types of what comes out."""
    params: Region = sample.params
    signature = params.signature
    for body in some(params.alike):
        assert len(body.params) == len(sample.inputs) - signature.ahead
        _, carry, _ = signature.params(body.param_types)
        assert carry == signature.results(body.result_types)[0] == signature.operands(sample.inputs)[2]


@pytest.mark.parametrize(("op", "sample"), ALIKE, ids=IDS)
def test_made_from_itself_an_op_stays_what_it_is(op: RegionOp[Any], sample: Sample[Any]) -> None:
    params: Region = sample.params
    (body, *_) = params.alike
    same = Origins(params.signature, tuple(range(len(body.params))), tuple(range(len(body.results))))
    assert params.remade(params.alike) == params
    assert params.remade(params.alike, same) == params


@pytest.mark.parametrize(("op", "sample"), ALIKE, ids=IDS)
def test_an_op_without_tangents_is_itself(op: RegionOp[Any], sample: Sample[Any]) -> None:
    """The derivative in no direction is the value."""
    b = Builder()
    f = b.finish(op.name, op(b, sample.params, *[b.param(t) for t in sample.inputs]))
    made: Jvp = jvp(f, (False,) * len(f.params))
    assert not any(made.nonzero)
    assert made.function.result_types == f.result_types
