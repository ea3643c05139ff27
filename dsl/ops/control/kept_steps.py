"""The residuals that a loop saves for the derivative: those of its body, stacked by the known half.

Not stacked is what is an operand already, and what does not change from step to step: that is computed once, before
the loop. Which loop runs the halves is the caller's to say. Read next: `rematerialization`, `scan`, `loop`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.equation_work import bounded
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.region import Flags, Split
from dsl.ir.sizes import own_sizes, sizes_of
from dsl.ops.control.region_utils import function
from dsl.ops.control.signature import Signature
from dsl.ops.effects import has_effect
from dsl.ops.flags import others, select_flagged
from dsl.ops.residuals.joined_residuals import joined
from dsl.ops.residuals.rematerialization import lean


class Run(Protocol):
    """Emits the loop with this body: its first `consts` operands are constants. Gives the carry, then the outputs."""

    def __call__(self, b: Builder, body: Function, consts: int, operands: Sequence[Atom], /) -> tuple[Atom, ...]: ...


class Residual(Struct, frozen=True):
    """A residual as an operand of the unknown loop: the same at every step, or read along axis 0."""

    value: Atom
    stacked: bool


class Kept(Struct, frozen=True):
    """The two halves of a loop, whose body is split, with as few bytes as will do between them. The flags say which
    operands of the loop are unknown."""

    split: Split
    signature: Signature
    flags: Flags

    @property
    def known(self) -> Signature:
        """How operands reach the known body."""
        return self.signature.flagged(self.flags, False)

    @property
    def size(self) -> int:
        """The bytes that are stacked for each step."""
        body, there = self.split.known, set(_at_hand(self.split, self.known))
        values = (*body.params, *body.results)
        return sum(bounded(v.type).bytes for v in {values[i] for i in self.split.residuals} - there)

    def run(self, b: Builder, given: tuple[Atom, ...], run: Run) -> tuple[tuple[Atom, ...], list[Residual]]:
        """Emits the known half: its results, and the residuals of the body as values where `b` stands."""
        body, known = self.split.known, self.known
        count = self.split.out_unknown.count(False)
        (consts, _, xs), (c, i, s) = known.params(body.params), known.params(given)
        outer: dict[Var, Atom] = dict(zip(consts, c, strict=True))
        values = (*body.params, *body.results)
        residuals = [values[i] for i in self.split.residuals]
        hoisted = hoist(b, body, outer, residuals)
        constant, whole = {**outer, **hoisted}, dict(zip(xs, s, strict=True))
        outputs = body.results[known.carry : count]
        stack = _to_stack(residuals, constant, whole, outputs)
        made = _body(body, len(c), hoisted, count, stack)
        outs = run(b, made, len(constant), (*c, *hoisted.values(), *i, *s))
        late = zip((*outputs, *stack), outs[known.carry :], strict=True)
        whole.update((y, o) for y, o in late if isinstance(y, Var))
        found = [
            Residual(constant[r], False) if r in constant else Residual(whole[r], True)
            for r in residuals
            if isinstance(r, Var)
        ]
        return outs[:count], found

    def run_late(
        self, b: Builder, residuals: Sequence[Residual], operands: tuple[Atom, ...], run: Run
    ) -> tuple[Atom, ...]:
        """Emits the unknown half; `operands` are those of the whole loop."""
        f, late = self.split.unknown, self.signature.flagged(self.flags)
        own, (dc, di, ds) = f.params[: len(residuals)], late.params(f.params[len(residuals) :])
        stacked = tuple([r.stacked for r in residuals])
        body = function(f, (*others(own, stacked), *dc, *di, *select_flagged(own, stacked), *ds), f.results)
        c, i, s = late.params(select_flagged(operands, self.flags))
        values = [r.value for r in residuals]
        first = (*others(values, stacked), *c)
        return run(b, body, len(first), (*first, *i, *select_flagged(values, stacked), *s))


def keep(split: Split, signature: Signature, flags: Flags) -> Kept:
    """Both halves, with the smallest set of residuals, the small ones of which are joined."""
    known = signature.flagged(flags, False)
    least = lean(split, _at_hand(split, known))
    return Kept(joined(least, set(_at_hand(least, known))), signature, flags)


def _at_hand(split: Split, known: Signature) -> list[Var]:
    """Return the values available to the derivative without stacking: slices, outputs, and loop invariants."""
    body, count = split.known, split.out_unknown.count(False)
    consts, _, slices = known.params(body.params)
    outputs = [y for y in body.results[known.carry : count] if isinstance(y, Var)]
    return [*_invariant(body, consts)[0], *slices, *outputs]


def _invariant(body: Function, consts: Iterable[Var]) -> tuple[set[Var], list[Equation]]:
    """The vars that depend on the consts alone, and the equations that make them. What has a size that the body decides
    differs from step to step."""
    same, own = set(consts), own_sizes(body)
    cone: list[Equation] = []
    for equation in body.equations:
        differs = bool(own) and not own.isdisjoint(sizes_of(equation))
        if all(x in same for x in equation.inputs if isinstance(x, Var)) and not has_effect(equation) and not differs:
            same.update(equation.outputs)
            cone.append(equation)
    return same, cone


def hoist(b: Builder, body: Function, outer: dict[Var, Atom], residuals: Sequence[Atom]) -> dict[Var, Atom]:
    """Emits, before the loop, the residuals that depend on its consts alone; body vars to values outside."""
    invariant, cone = _invariant(body, outer)
    wanted = {r for r in residuals if isinstance(r, Var) and r in invariant and r not in outer}
    needed = set(wanted)
    kept: list[Equation] = []
    for equation in reversed(cone):
        if not needed.isdisjoint(equation.outputs):
            kept.append(equation)
            needed.update([x for x in equation.inputs if isinstance(x, Var)])
    values = dict(outer)
    for equation in reversed(kept):
        b.span = equation.span
        inputs = [values[x] if isinstance(x, Var) else x for x in equation.inputs]
        values.update(zip(equation.outputs, b.emit(equation.op, equation.params, inputs), strict=True))
    hoisted = [y for e in reversed(kept) if not wanted.isdisjoint(e.outputs) for y in e.outputs]
    return {y: values[y] for y in hoisted}


def _to_stack(
    residuals: Sequence[Atom], constant: dict[Var, Atom], whole: dict[Var, Atom], ys: Sequence[Atom]
) -> list[Var]:
    """Residuals that change from step to step and are neither a slice nor an output already."""
    return [
        r
        for r in dict.fromkeys(residuals)
        if isinstance(r, Var) and r not in constant and r not in whole and r not in ys
    ]


def _body(body: Function, n_consts: int, hoisted: dict[Var, Atom], count: int, stack: Sequence[Var]) -> Function:
    """The known body with what was hoisted as more consts, and what is stacked as more outputs."""
    equations = tuple([e for e in body.equations if not any(y in hoisted for y in e.outputs)])
    params = (*body.params[:n_consts], *hoisted, *body.params[n_consts:])
    return Function(body.name, params, equations, (*body.results[:count], *stack))
