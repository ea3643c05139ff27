"""Inlining of calls: of functions that are small, and of functions called once.

A function that is called often and is not small stays shared: its code is lowered once. Inlined equations get
vars of their own and keep their spans. Knows `call` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import cast

from msgspec import Struct

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ops.control.call import CALL, CallParams
from dsl.transforms.region_map import innermost_first, map_bodies

SMALL = 8
"""Functions of at most so many equations are inlined wherever they are called."""


def inline(function: Function, small: int = SMALL) -> Function:
    """`function` with small functions and functions called once in place of their calls, at every depth."""
    order = innermost_first(function)
    wanted, once = _wanted(order, small)
    inner = _Inliner(wanted, once, {})
    for body in order:
        if body not in inner.wanted or body is function:
            inner.done[body] = inner.flatten(body)
    return inner.done[function]


def _wanted(order: Sequence[Function], small: int) -> tuple[set[Function], set[Function]]:
    """The functions whose calls are inlined, and those among them that are called once. A size counts what is
    inlined into a function."""
    uses: Counter[Function] = Counter()
    elsewhere: set[Function] = set()
    for body in order:
        for equation in body.equations:
            if not isinstance(equation.op, Op):
                inner = equation.op.bodies(equation.params)
                uses.update(inner)
                if equation.op is not CALL:
                    elsewhere.update(inner)
    wanted: set[Function] = set()
    sizes: dict[Function, int] = {}
    for body in order:
        sizes[body] = sum([_size(e, wanted, sizes) for e in body.equations])
        if body not in elsewhere and (uses[body] == 1 or sizes[body] <= small):
            wanted.add(body)
    return wanted, {body for body in wanted if uses[body] == 1}


def _size(equation: Equation, wanted: set[Function], sizes: dict[Function, int]) -> int:
    called = _called(equation)
    return sizes[called] if called is not None and called in wanted else 1


def _called(equation: Equation) -> Function | None:
    return cast(CallParams, equation.params).function if equation.op is CALL else None


class _Inliner(Struct, frozen=True):
    """Inlines functions: those to inline, those inlined at their single use, and the rewritten rest."""

    wanted: set[Function]
    once: set[Function]
    done: dict[Function, Function]

    def flatten(self, function: Function) -> Function:
        """One pass over the equations, through those of inlined calls where they stand."""
        equations: list[Equation] = []
        taken: set[Var] = set(function.params)
        frames = [_Frame(function, iter(function.equations), {}, None, False)]
        changed = False
        while True:
            frame = frames[-1]
            equation = next(frame.rest, None)
            if equation is None:
                frames.pop()
                if not frames:
                    break
                assert frame.call is not None
                frames[-1].values.update(zip(frame.call.outputs, frame.results(), strict=True))
                continue
            called = _called(equation)
            if called is not None and called in self.wanted:
                changed = True
                given: dict[Atom, Atom] = dict(zip(called.params, frame.read(equation.inputs), strict=True))
                again = frame.again or called not in self.once
                frames.append(_Frame(called, iter(called.equations), given, equation, again))
                continue
            moved = self._moved(equation, frame, taken)
            changed = changed or moved is not equation
            equations.append(moved)
        if not changed:
            return function
        return Function(function.name, function.params, tuple(equations), frame.results())

    def _moved(self, equation: Equation, frame: _Frame, taken: set[Var]) -> Equation:
        """The equation where it is put: other names, inlined bodies, and new vars if it may come again
        or its own are taken: what is made of a function shares vars with it."""
        inputs = frame.read(equation.inputs) if frame.values else equation.inputs
        params = map_bodies(equation, lambda body: self.done.get(body, body))
        outputs = equation.outputs
        if frame.again or not taken.isdisjoint(outputs):
            outputs = tuple([Var(y.type) for y in outputs])
            frame.values.update(zip(equation.outputs, outputs, strict=True))
        elif params is equation.params and inputs == equation.inputs:
            taken.update(outputs)
            return equation
        taken.update(outputs)
        return Equation(equation.op, params, inputs, outputs, equation.span)


class _Frame(Struct, frozen=True):
    """A function being gone through: what is left of it, its vars as they are called now, who called, and whether
    its equations may come another time."""

    function: Function
    rest: Iterator[Equation]
    values: dict[Atom, Atom]
    call: Equation | None
    again: bool

    def read(self, xs: Sequence[Atom]) -> tuple[Atom, ...]:
        values = self.values
        return tuple([values.get(x, x) if isinstance(x, Var) else x for x in xs])

    def results(self) -> tuple[Atom, ...]:
        return self.read(self.function.results)
