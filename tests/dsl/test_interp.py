"""The reference evaluator: order, bodies, output, and agreement of bodies with their unrolled text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.interp import evaluate, splat_array
from dsl.ir.build import Builder
from dsl.ir.function import Function, Literal, Tensor
from dsl.ir.text import parse, show
from dsl.ir.verify import verify
from dsl.ops.builders import add, compare, mul, splat
from dsl.ops.control.branch import COND, CondParams
from dsl.ops.control.call import CALL, CallParams
from dsl.ops.control.loop import WHILE
from dsl.ops.control.scan import SCAN, ScanParams
from dsl.ops.control.while_params import WhileParams
from dsl.ops.io import emit_print
from dsl.ops.table import OPS
from dsl.types.dtype import BF16, BOOL, F32, F64, I32

SCALAR = Tensor(F64)


def affine(factor: float, shift: float, name: str = "affine") -> Function:
    """x -> factor x + shift."""
    b = Builder()
    x = b.param(SCALAR)
    return b.finish(name, [add(b, mul(b, x, splat(factor, SCALAR)), splat(shift, SCALAR))])


def test_results_may_be_parameters_and_literals() -> None:
    b = Builder()
    x = b.param(SCALAR)
    found = evaluate(b.finish("f", [x, Literal(2, Tensor(I32, (2,))), x]), [np.asarray(3.0)])
    assert [np.asarray(y).tolist() for y in found] == [3.0, [2, 2], 3.0]


def test_a_wrong_number_of_arguments_is_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        evaluate(affine(1, 1), [])


def test_literals_become_splats_of_their_dtype() -> None:
    found = splat_array(Literal(1.5, Tensor(BF16, (2, 1))))
    assert (found.dtype, found.shape) == (BF16.numpy, (2, 1))


@given(st.floats(-10, 10), st.booleans())
def test_cond_runs_the_branch_of_its_index(value: float, chosen: bool) -> None:
    b = Builder()
    p, x = b.param(Tensor(BOOL)), b.param(SCALAR)
    params = CondParams((affine(2, 0, "twice"), affine(1, 5, "plus")))
    function = b.finish("f", COND(b, params, p, x))
    (found,) = evaluate(function, [np.asarray(chosen), np.asarray(value)])
    assert found == (value + 5 if chosen else value * 2)


@given(st.lists(st.floats(-3, 3), max_size=5))
def test_scan_is_a_loop_over_the_leading_axis(values: list[float]) -> None:
    b = Builder()
    carry, x = b.param(SCALAR), b.param(SCALAR)
    total = add(b, carry, x)
    body = b.finish("step", [total, mul(b, total, x)])
    b = Builder()
    start, xs = b.param(SCALAR), b.param(Tensor(F64, (len(values),)))
    function = b.finish("sums", SCAN(b, ScanParams(body, 0, 1, len(values)), start, xs))
    last, stacked = evaluate(function, [np.asarray(1.0), np.array(values)])
    sums = np.cumsum([1.0, *values])
    assert last == sums[-1]
    np.testing.assert_array_equal(stacked, sums[1:] * values)


def doubling() -> Function:
    """Doubles its argument while it is below 100."""
    b = Builder()
    x = b.param(SCALAR)
    test = b.finish("below", [compare(b, "lt", x, splat(100, SCALAR))])
    b = Builder()
    return b.finish("double", WHILE(b, WhileParams(test, affine(2, 0), 0, 0), b.param(SCALAR)))


def test_while_stops_when_its_condition_fails() -> None:
    assert evaluate(doubling(), [np.asarray(3.0)])[0] == 192.0


def calling() -> Function:
    """Two calls of one function, and one of another of the same name."""
    one, other = affine(2, 1), affine(3, 0)
    b = Builder()
    (x,) = CALL(b, CallParams(one), b.param(SCALAR))
    (x,) = CALL(b, CallParams(one), x)
    return b.finish("main", CALL(b, CallParams(other), x))


def test_calls_of_functions_of_one_name() -> None:
    assert evaluate(calling(), [np.asarray(1.0)])[0] == 21.0


@pytest.mark.parametrize("make", [calling, doubling])
def test_bodies_are_printed_once_and_parsed_again(make: object) -> None:
    assert callable(make)
    function = make()
    text = show(function)
    again = parse(text, OPS)
    verify(again)
    assert show(again) == text
    assert text.count("def affine") == (2 if make is calling else 1)
    np.testing.assert_array_equal(evaluate(again, [np.asarray(1.0)]), evaluate(function, [np.asarray(1.0)]))


def test_print_happens_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    b = Builder()
    x, y = b.param(Tensor(F32)), b.param(Tensor(I32, (2,)))
    emit_print(b, "x is {}", (x,))
    emit_print(b, "{1} then {0:.2f}, {{}}", (x, y))
    evaluate(b.finish("f", []), [np.asarray(0.1, np.float32), np.array([1, 2], np.int32)])
    assert capsys.readouterr().out == "x is 0.1\n[1 2] then 0.10, {}\n"
