"""Which programs compute arrays in the place of those that they read: what decides how kernels are written.

XLA gives a result the memory of an operand that nothing needs any more. Its older emitters say nothing of that to LLVM,
whose loops then find out, when they run, that the two arrays overlap, and go on element by element. The newer ones do
not have to ask. Read next: `work`, for the other numbers that decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, TypeAlias

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ir.traits import Cost
from dsl.ops.control.scan import ScanParams
from dsl.ops.control.while_params import WhileParams
from dsl.ops.dynamic import DYNAMIC_UPDATE_SLICE
from dsl.ops.sort import RANKED
from lowering.stablehlo.work import is_computed_where_used

SEVERAL, MANY = 1 << 8, 1 << 10
"""Elements beyond which a loop over single elements shows: by operations of some cost, and by others."""

Question: TypeAlias = tuple[Function, tuple[Var, ...], bool]
"""A body, those of its parameters that it may write to, and whether it repeats."""

Sources: TypeAlias = frozenset[Var]


def works_in_place(function: Function) -> bool:
    """Return whether many elements are computed in place where that counts: in a loop, which finds its arrays in the
    cache, or by operations that cost more than to wait for memory. What a program is given stays as it is."""
    return _works_in_place((function, (), False), {})


def _works_in_place(question: Question, known: dict[Question, bool]) -> bool:
    if question not in known:
        known[question] = _Body(*question).works_in_place(known)
    return known[question]


class _Body:
    """A body while it is read. `sources`: the arrays in memory that a value is made of where it is used; `moved`: those
    of them of which it has other elements, too; `dear`: the values that operations of some cost make of those."""

    def __init__(self, body: Function, writable: Collection[Var], repeats: bool) -> None:
        self.body = body
        self.repeats = repeats
        self.sources: dict[Atom, Sources] = {x: frozenset([x]) for x in writable}
        self.moved: dict[Atom, Sources] = {}
        self.dear: set[Atom] = set()
        self.uses = Counter([*body.results, *[x for e in body.equations for x in set(e.inputs)]])

    def works_in_place(self, known: dict[Question, bool]) -> bool:
        inner = (question for e in self.body.equations for question in self._inner(e))
        return any(map(self._overwrites, self.body.equations)) or any(_works_in_place(each, known) for each in inner)

    def _inner(self, equation: Equation) -> Iterator[Question]:
        """Yield the bodies of an equation, each with what it may write to."""
        if not isinstance(equation.op, Op):
            repeats = self.repeats or isinstance(equation.params, ScanParams | WhileParams)
            for body in equation.op.bodies(equation.params):
                yield body, _writable(equation.params, body) if repeats else (), repeats

    def _overwrites(self, equation: Equation) -> bool:
        """Return whether an equation works in place. Remember what its results are made of."""
        op, made = equation.op, [self.sources.get(x, frozenset()) for x in equation.inputs]
        if not isinstance(op, Op) or not (op.traits.moves or is_computed_where_used(equation)):
            self.sources |= {y: frozenset([y]) for y in equation.outputs}
            return op is RANKED and equation.inputs[0].type.size > MANY  # lowering writes it as a loop
        if op is DYNAMIC_UPDATE_SLICE:
            self.sources[equation.outputs[0]] = made[0]
            return self.repeats and equation.inputs[1].type.size > MANY and not made[0].isdisjoint(made[1])
        sources = Sources().union(*made)
        of_inputs = [self.moved.get(x, Sources()) for x in equation.inputs]
        moved = sources if op.traits.moves else Sources().union(*of_inputs)
        return self._computes_in_place(equation, op, sources, moved)

    def _computes_in_place(self, equation: Equation, op: Op[Any], sources: Sources, moved: Sources) -> bool:
        """Return whether a result of an operation of elements takes the place of a source, of which nothing needs other
        elements. What costs much and is used more than once is a source itself."""
        is_dear = op.traits.cost is Cost.MODERATE or not self.dear.isdisjoint(equation.inputs)
        works = is_dear or (self.repeats and not op.traits.moves)
        for y in equation.outputs:
            is_kept = op.traits.cost is Cost.MODERATE and self.uses[y] > 1
            self.sources[y] = frozenset([y]) if is_kept else sources
            self.moved[y] = Sources() if is_kept else moved
            if is_dear and not is_kept:
                self.dear.add(y)
        least = SEVERAL if is_dear else MANY
        return works and any(y.type.size > least and _fits(y, x) for y in equation.outputs for x in sources - moved)


def _writable(params: Any, body: Function) -> tuple[Var, ...]:
    """Return the parameters of a body in a loop that hold what nothing else needs: of a loop, what it carries."""
    if not isinstance(params, ScanParams | WhileParams):
        return body.params
    _, carry, _ = params.signature.params(body.params)
    return carry


def _fits(y: Var, x: Var) -> bool:
    """Return whether an array could have the memory of another."""
    return y.type.shape == x.type.shape and y.type.dtype.bits == x.type.dtype.bits
