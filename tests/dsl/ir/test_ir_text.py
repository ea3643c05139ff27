"""Text of the IR: `parse` undoes `show` on every op, and what is not IR is refused with its line."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Literal, Tensor
from dsl.ir.op import RegionOp
from dsl.ir.text import IRParseError, parse, show
from dsl.ir.verify import verify
from dsl.ops.builders import add, full, mul, reduce_sum
from dsl.ops.table import OPS
from dsl.types.dtype import C64, C128, F32, F64, I32


def test_a_function_reads_like_this() -> None:
    b = Builder()
    x, y = b.param(Tensor(F32, (3,))), b.param(Tensor(F32, (3,)))
    z = reduce_sum(b, add(b, mul(b, x, y), full(F32, (3,), 2.0)), (0,))
    text = show(b.finish("main", [z]))
    assert text == (
        "def main(%0: f32[3], %1: f32[3]) -> (f32):\n"
        "  %2: f32[3] = mul %0, %1\n"
        "  %3: f32[3] = add %2, 2.0: f32[3]\n"
        "  %4: f32 = reduce_sum{axes=(0,)} %3\n"
        "  return %4\n"
    )


@pytest.mark.parametrize("op", list(OPS.values()), ids=lambda op: op.name)
def test_every_op_survives_the_round_trip(op: Any) -> None:
    b = Builder()
    results: list[Atom] = []
    for sample in op.samples:
        results += b.emit(op, sample.params, [b.param(t) for t in sample.inputs])
    function = b.finish(f"samples_{op.name}", results)
    text = show(function)
    again = parse(text, OPS)
    verify(again)
    assert show(again) == text
    if not isinstance(op, RegionOp):
        assert [e.params for e in again.equations] == [e.params for e in function.equations]


LITERALS = st.one_of(
    st.builds(Literal, st.floats(), st.just(Tensor(F64, (2,)))),
    st.builds(Literal, st.complex_numbers(), st.sampled_from([Tensor(C128), Tensor(C64)])),
    st.builds(Literal, st.integers(-(2**31), 2**31 - 1), st.just(Tensor(I32))),
)


@given(LITERALS)
def test_literals_survive_the_round_trip(x: Literal) -> None:
    again = parse(show(Builder().finish("f", [x])), OPS).results[0]
    assert isinstance(again, Literal)
    assert again.type == x.type
    assert same_number(again.value.real, x.value.real) and same_number(again.value.imag, x.value.imag)


def same_number(x: float, y: float) -> bool:
    return (math.isnan(x) and math.isnan(y)) or (x == y and math.copysign(1, x) == math.copysign(1, y))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: no function"),
        ("def f() -> ()", "line 1: a function begins with"),
        ("def f() -> ():\n  %0: f32 = add", "line 2: the function f has no `return`"),
        ("def f() -> ():\n  %0: f32 = nothing\n  return %0", "line 2: no op is called 'nothing'"),
        ("def f() -> ():\n  return %0", "line 2: %0 is not bound"),
        ("def f(%0: f33) -> ():\n  return %0", "line 1: 'f33' is not a dtype"),
        ("def f(%0: f32) -> ():\n  %1: f32 = neg ?\n  return %1", "line 2: cannot read '?'"),
        ("def f(%0: f32) -> ():\n  %1: f32 = neg{a=@g} %0\n  return %1", "line 2: no function is called 'g'"),
        ("def f(%0: f32) -> ():\n  %1: f32 neg %0\n  return %1", "line 2: expected '=', found 'neg'"),
    ],
)
def test_text_that_is_not_ir_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(IRParseError, match="^" + "".join(f"[{c}]" if c in "?[()" else c for c in sentence)):
        parse(text, OPS)
