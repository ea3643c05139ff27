"""The only way to make IR. `Builder.emit` applies the op's type rule and appends one typed equation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dsl.diagnostics.source import Span
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.types.limits import EQUATIONS, Exceeded, Growth


class IRTypeError(Exception):
    """An equation that breaks its op's type rule: a bug of the compiler, never of a checked program."""


class Builder:
    """Collects equations of one function. `at(span)` sets the source place given to what is emitted."""

    __slots__ = ("equations", "params", "span")

    def __init__(self) -> None:
        self.params: list[Var] = []
        self.equations: list[Equation] = []
        self.span: Span | None = None

    def param(self, type: Tensor) -> Var:
        """A new parameter of the function being built."""
        var = Var(type)
        self.params.append(var)
        return var

    def emit(self, op: Any, params: Any, inputs: Sequence[Atom]) -> tuple[Atom, ...]:
        """Appends an equation and returns its outputs, of the types that the rule of `op` gives.

        Raises IRTypeError where the inputs do not fit the op.
        """
        types = op.type_rule(params, tuple([x.type for x in inputs]))
        outputs = tuple([Var(t) for t in types])
        self.equations.append(Equation(op, params, tuple(inputs), outputs, self.span))
        return outputs

    @contextmanager
    def at(self, span: Span | None) -> Iterator[None]:
        """Equations emitted inside have the source place `span`."""
        before, self.span = self.span, span
        try:
            yield
        finally:
            self.span = before

    def finish(self, name: str, results: Sequence[Atom]) -> Function:
        """The function with what was emitted so far, returning `results`. Raises Exceeded if that is too much."""
        if len(self.equations) > EQUATIONS:
            raise Exceeded(Growth.EQUATIONS)
        return Function(name, tuple(self.params), tuple(self.equations), tuple(results))


def literal(value: bool | int | float | complex, type: Tensor) -> Literal:
    """A constant of every element `value`: shape and dtype are those of `type`."""
    return Literal(value, type)
