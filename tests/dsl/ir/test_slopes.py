"""The table of how ops depend on their operands says what their declarations say."""

from __future__ import annotations

from typing import Any

from dsl.ir.op import NotDifferentiable, NotLinear, Op
from dsl.ir.slopes import SLOPES, Slope
from dsl.ops.rule_helpers import zero_jvp
from dsl.ops.table import OPS


def declared(op: Op[Any]) -> Slope:
    return Slope(
        linear=not isinstance(op.transpose, NotLinear),
        multilinear=bool(op.traits.multilinear),
        flat=op.jvp is zero_jvp,
        without=op.jvp.why if isinstance(op.jvp, NotDifferentiable) else "",
    )


def test_slopes_are_those_that_the_ops_declare() -> None:
    assert {name: declared(op) for name, op in OPS.items() if isinstance(op, Op)} == SLOPES


def test_ops_with_bodies_have_derivatives() -> None:
    bodied = {name: op for name, op in OPS.items() if not isinstance(op, Op)}
    assert bodied and not any(isinstance(op.jvp, NotDifferentiable) for op in bodied.values())
