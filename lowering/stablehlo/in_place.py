"""Which programs compute arrays in the place of those that they read: what decides how kernels are written.

XLA gives a result the memory of an operand that nothing needs any more. Its older emitters say nothing of that to LLVM,
whose loops then find out, when they run, that the two arrays overlap, and go on element by element. The newer ones do
not have to ask. Read next: `work`, for the other numbers that decide.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ops.control.scan import ScanParams
from dsl.ops.control.while_params import WhileParams
from dsl.ops.dynamic import DYNAMIC_UPDATE_SLICE
from dsl.ops.elementwise import ELEMENTWISE
from dsl.ops.sort import RANKED
from dsl.types.dtype import F64
from lowering.stablehlo.guarded import Guarded, planned
from lowering.stablehlo.kernels import KERNELS, is_fused, joins_lines, kernels
from lowering.stablehlo.work import is_costly

SEVERAL, MANY = 1 << 8, 1 << 10
"""Elements beyond which a loop over single elements shows: by operations of some cost, and by others."""

Question: TypeAlias = tuple[Function, tuple[Var, ...], bool]
"""A body, those of its parameters that it may write to, and whether it repeats."""

Sources: TypeAlias = frozenset[Var]


@dataclass(frozen=True, slots=True)
class Places:
    """Where the results of a program are computed: whether many elements are `in_place` where that counts, or, where
    none are, which equations would do so and are to be kept `apart` from these arrays."""

    in_place: bool
    apart: Mapping[Equation, Sequence[Var]]


NOWHERE = Places(False, {})


def places(function: Function) -> Places:
    """Return where XLA would compute in place where that counts: in a loop, which finds its arrays in the cache, or by
    operations that cost more than to wait for memory. What a program is given stays as it is. What a loop carries has
    to be in its place, and f32 is left to XLA's libraries, which take over plain operations alone: of f64 all else can
    be kept apart."""
    known: dict[Question, _Body] = {}
    _read((function, (), False), known)
    if any(body.in_place for body in known.values()):
        return Places(True, {})
    return Places(False, dict(ChainMap(*[body.apart for body in known.values()])))


def _read(question: Question, known: dict[Question, _Body]) -> None:
    """Read a body and those in it."""
    if question not in known:
        found = known[question] = _Body(*question)
        for each in found.inner():
            _read(each, known)


class _Body:
    """A body while it is read. `sources`: the arrays in memory that a value is made of where it is used; `moved`: those
    of them of which it has other elements, too; `dear`: the values that operations of some cost make of those;
    `positions`: the order of all values."""

    def __init__(self, body: Function, writable: Collection[Var], repeats: bool) -> None:
        self.body = body
        self.repeats = repeats
        self.carried = frozenset(writable)
        self.sources: dict[Atom, Sources] = {x: frozenset([x]) for x in writable}
        self.moved: dict[Atom, Sources] = {}
        self.dear: set[Atom] = set()
        self.kernels = kernels(body, is_costly)
        self.joined = _joined(body)
        made = [y for equation in body.equations for y in equation.outputs]
        self.positions = {x: position for position, x in enumerate((*body.params, *made))}
        self.apart: dict[Equation, Sequence[Var]] = {}
        self.in_place = False
        for step in planned(body):
            if isinstance(step, Guarded):  # a conditional has memory of its own for its results
                self._keep(step.results)
            else:
                self.in_place |= self._overwrites(step)

    def inner(self) -> Iterator[Question]:
        """Yield the bodies of equations, each with what it may write to."""
        for equation in self.body.equations:
            if not isinstance(equation.op, Op):
                repeats = self.repeats or isinstance(equation.params, ScanParams | WhileParams)
                for body in equation.op.bodies(equation.params):
                    yield body, _writable(equation.params, body) if repeats else (), repeats

    def _overwrites(self, equation: Equation) -> bool:
        """Return whether an equation works in place. Remember what its results are made of."""
        op, made = equation.op, [self.sources.get(x, frozenset()) for x in equation.inputs]
        if not isinstance(op, Op) or not is_fused(equation) or joins_lines(equation):
            self._keep(equation.outputs)
            return op is RANKED and equation.inputs[0].type.size > MANY  # lowering writes it as a loop
        if op is DYNAMIC_UPDATE_SLICE:
            self.sources[equation.outputs[0]] = made[0]
            return self.repeats and equation.inputs[1].type.size > MANY and not made[0].isdisjoint(made[1])
        sources = Sources().union(*made)
        of_inputs = [self.moved.get(x, Sources()) for x in equation.inputs]
        rearranges = op.traits.moves and op not in ELEMENTWISE
        moved = sources if rearranges else Sources().union(*of_inputs)
        return self._computes_in_place(equation, op, sources, moved)

    def _keep(self, results: Iterable[Var]) -> None:
        """Remember that these are in memory."""
        for y in results:
            self.sources[y], self.moved[y] = frozenset([y]), Sources()
            self.dear.discard(y)

    def _computes_in_place(self, equation: Equation, op: Op[Any], sources: Sources, moved: Sources) -> bool:
        """Return whether a result of an operation of elements takes the place of a source, of which nothing needs other
        elements, and cannot be kept apart. What costs much is a source itself if several kernels need it."""
        is_dear = is_costly(equation) or not self.dear.isdisjoint(equation.inputs)
        works = is_dear or (self.repeats and not op.traits.moves)
        for y in equation.outputs:
            is_kept = (is_costly(equation) or y in self.joined) and self.kernels.get(y) == KERNELS
            self.sources[y] = frozenset([y]) if is_kept else sources
            self.moved[y] = Sources() if is_kept else moved
            if is_dear and not is_kept:
                self.dear.add(y)
        least = SEVERAL if is_dear else MANY
        others = sorted(sources - moved, key=self.positions.__getitem__)
        taken = [x for y in equation.outputs for x in others if y.type.size > least and _fits(y, x)]
        if works and taken and all(x.type.dtype is F64 and x not in self.carried for x in taken):
            self.apart[equation] = taken
            self.moved |= {y: self.moved[y] | {*taken} for y in equation.outputs}
            return False
        return works and bool(taken)


def _joined(body: Function) -> set[Atom]:
    """Return the values of which parts are joined to lines."""
    found: set[Atom] = set()
    for equation in reversed(body.equations):
        is_part = len(equation.inputs) == 1 and isinstance(equation.op, Op) and equation.op.traits.moves
        if joins_lines(equation) or (is_part and equation.outputs[0] in found):
            found.update(equation.inputs)
    return found


def _writable(params: Any, body: Function) -> tuple[Var, ...]:
    """Return the parameters of a body in a loop that hold what nothing else needs: of a loop, what it carries."""
    if not isinstance(params, ScanParams | WhileParams):
        return body.params
    _, carry, _ = params.signature.params(body.params)
    return carry


def _fits(y: Var, x: Var) -> bool:
    """Return whether an array could have the memory of another."""
    return y.type.shape == x.type.shape and y.type.dtype.bits == x.type.dtype.bits
