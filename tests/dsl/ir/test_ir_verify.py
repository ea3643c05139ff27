"""The verifier accepts what the builder makes and refuses every way of breaking it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dsl.ir.build import Builder
from dsl.ir.function import Equation, Function, Literal, Tensor, Var
from dsl.ir.op import NONE
from dsl.ir.verify import IRVerifyError, verify
from dsl.ops.builders import add, exp, reduce_sum
from dsl.ops.elementwise import ADD, CompareParams
from dsl.records import replace
from dsl.types.dtype import BOOL, F32, I8, I32, U8


def program() -> Function:
    b = Builder()
    x = b.param(Tensor(F32, (3,)))
    y = exp(b, x)
    return b.finish("main", [reduce_sum(b, add(b, x, y), (0,)), Literal(1, Tensor(I32))])


def with_equation(f: Function, index: int, changed: Callable[[Equation], Equation]) -> Function:
    equations = list(f.equations)
    equations[index] = changed(equations[index])
    return replace(f, equations=tuple(equations))


BROKEN: dict[str, tuple[Callable[[Function], Function], str]] = {
    "equations in the wrong order": (
        lambda f: replace(f, equations=f.equations[::-1]),
        "used before it is bound",
    ),
    "an equation lost": (lambda f: replace(f, equations=f.equations[1:]), "used before it is bound"),
    "an equation twice": (lambda f: replace(f, equations=(*f.equations, f.equations[0])), "bound twice"),
    "a parameter twice": (lambda f: replace(f, params=f.params * 2), "bound twice"),
    "a result of another function": (lambda f: replace(f, results=(Var(Tensor(F32)),)), "main, results"),
    "an output of the wrong type": (
        lambda f: with_equation(f, 2, lambda e: replace(e, outputs=(Var(Tensor(F32, (1,))),))),
        r"equation 2 \(reduce_sum\): the outputs are \(f32\[1\]\), but the op gives \(f32\)",
    ),
    "an output missing": (
        lambda f: with_equation(f, 0, lambda e: replace(e, outputs=())),
        r"the outputs are \(\)",
    ),
    "operands that differ": (
        lambda f: with_equation(f, 1, lambda e: replace(e, inputs=(e.inputs[0], Literal(1, Tensor(I32))))),
        r"equation 1 \(add\): add: operands f32\[3\] and i32 differ",
    ),
    "too few operands": (
        lambda f: with_equation(f, 1, lambda e: replace(e, inputs=e.inputs[:1])),
        "add takes 2 operands, not 1",
    ),
    "params of another op": (
        lambda f: with_equation(f, 1, lambda e: replace(e, params=CompareParams("lt"))),
        "the params are CompareParams",
    ),
    "another op": (lambda f: with_equation(f, 2, lambda e: replace(e, op=ADD, params=NONE)), "add takes 2"),
    "a literal of the wrong kind": (
        lambda f: replace(f, results=(Literal(1, Tensor(F32)),)),
        "1 is not a literal of f32",
    ),
    "a bool as an int": (lambda f: replace(f, results=(Literal(True, Tensor(I32)),)), "True is not a literal"),
    "an int as a bool": (lambda f: replace(f, results=(Literal(1, Tensor(BOOL)),)), "1 is not a literal"),
    "a literal out of range": (lambda f: replace(f, results=(Literal(128, Tensor(I8)),)), "range of i8"),
    "a negative unsigned": (lambda f: replace(f, results=(Literal(-1, Tensor(U8)),)), "range of u8"),
    "a negative size": (lambda f: replace(f, params=(*f.params, Var(Tensor(F32, (-1,))))), "negative size"),
}


def test_what_the_builder_makes_is_accepted() -> None:
    verify(program())


@pytest.mark.parametrize("name", BROKEN)
def test_broken_ir_is_refused(name: str) -> None:
    damage, sentence = BROKEN[name]
    with pytest.raises(IRVerifyError, match=sentence):
        verify(damage(program()))
