"""Checks a function of the IR: values are bound once and before use, equations obey their type rules.

The type rules are the ones `build` applies. Bodies are checked too, each once. Run after every pass in tests;
a failure is a bug of the compiler. Read next: `text`.
"""

from __future__ import annotations

from dsl.ir.build import IRTypeError
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ir.walk import bodies
from dsl.types.dtype import UNSIGNED


class IRVerifyError(Exception):
    """IR that is not well formed, with one sentence that says where and why."""


def verify(function: Function) -> None:
    """Raises `IRVerifyError` at the first thing that is wrong in `function` or in a body inside it."""
    _verify(function, set(), ())


def _verify(function: Function, seen: set[int], path: tuple[str, ...]) -> None:
    if id(function) in seen:
        return
    seen.add(id(function))
    inside = (*path, function.name)
    where = " > ".join(inside)
    bound: set[Var] = set()
    for param in function.params:
        _bind(param, bound, f"{where}, parameters")
    for index, equation in enumerate(function.equations):
        _equation(equation, bound, f"{where}, equation {index} ({equation.op.name})")
        for body in bodies(equation):
            _verify(body, seen, inside)
    for result in function.results:
        _use(result, bound, f"{where}, results")


def _equation(equation: Equation, bound: set[Var], where: str) -> None:
    for x in equation.inputs:
        _use(x, bound, where)
    if not isinstance(equation.params, equation.op.params):
        raise IRVerifyError(f"{where}: the params are {equation.params!r}")
    try:
        expected = equation.op.type_rule(equation.params, tuple(x.type for x in equation.inputs))
    except IRTypeError as error:
        raise IRVerifyError(f"{where}: {error}") from error
    actual = tuple(y.type for y in equation.outputs)
    if expected != actual:
        raise IRVerifyError(
            f"{where}: the outputs are {format_types(actual)}, but the op gives {format_types(expected)}"
        )
    for y in equation.outputs:
        _bind(y, bound, where)


def format_types(types: tuple[Tensor, ...]) -> str:
    """Types as the text of a signature: `(f32[2], i32)`."""
    return f"({', '.join(map(str, types))})"


def _bind(var: Var, bound: set[Var], where: str) -> None:
    if var in bound:
        raise IRVerifyError(f"{where}: a value of type {var.type} is bound twice")
    if min(var.type.shape, default=0) < 0:
        raise IRVerifyError(f"{where}: {var.type} has a negative size")
    bound.add(var)


def _use(atom: Atom, bound: set[Var], where: str) -> None:
    if isinstance(atom, Literal):
        _literal(atom, where)
    elif atom not in bound:
        raise IRVerifyError(f"{where}: a value of type {atom.type} is used before it is bound")


def _literal(literal: Literal, where: str) -> None:
    """A literal holds the Python type of its dtype's kind, in range."""
    dtype, value = literal.type.dtype, literal.value
    kind = bool if dtype.is_bool else int if dtype.is_integer else float if dtype.is_float else complex
    if type(value) is not kind:
        raise IRVerifyError(f"{where}: {value!r} is not a literal of {literal.type}")
    if kind is int and not in_range(int(value.real), literal.type):
        raise IRVerifyError(f"{where}: {value!r} is out of the range of {dtype}")


def in_range(value: int, type: Tensor) -> bool:
    """Return whether an integer can be represented in the dtype of `type`."""
    bits = type.dtype.bits
    if type.dtype in UNSIGNED:
        return 0 <= value < 1 << bits
    return -(1 << bits - 1) <= value < 1 << bits - 1
