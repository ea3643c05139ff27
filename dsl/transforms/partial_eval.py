"""Partial evaluation: a function cut in two by what is known.

Carrier: a `SplitBuilder` routes what is emitted, to its own equations where all inputs are known and to its
tape where one is not. `jvp` over a `SplitBuilder` whose tangents are unknown is linearisation. Rule table:
the `split` of region ops. Driver: `split`. Knows nothing of derivatives. Read next: `linearize`,
`transpose`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op, RegionOp
from dsl.ir.region import Batched, Flags, Split
from dsl.ir.traits import Cost
from dsl.ops.residuals.rematerialization import lean
from dsl.transforms.dce import live
from dsl.transforms.memo import Memo
from dsl.transforms.packing import packed
from dsl.transforms.vmap import batch


class Tape(Builder):
    """Collects equations with an unknown input, in order; an equation without one goes to `known`."""

    __slots__ = ("known", "unknown")

    def __init__(self, known: Builder, unknown: set[Var]) -> None:
        super().__init__()
        self.known = known
        self.unknown = unknown

    def emit(self, op: Any, params: Any, inputs: Sequence[Atom]) -> tuple[Atom, ...]:
        if not depends(inputs, self.unknown):
            return Builder.emit(self.known, op, params, inputs)
        outputs = super().emit(op, params, inputs)
        self.unknown.update(y for y in outputs if isinstance(y, Var))
        return outputs


class SplitBuilder(Builder):
    """A builder of the known half whose `tape` takes what depends on `unknown` vars."""

    __slots__ = ("memo", "tape", "unknown")

    def __init__(self, memo: Memo, unknown: Iterable[Var] = ()) -> None:
        super().__init__()
        self.memo = memo
        self.unknown = set(unknown)
        self.tape = Tape(self, self.unknown)

    def emit(self, op: Any, params: Any, inputs: Sequence[Atom]) -> tuple[Atom, ...]:
        if not depends(inputs, self.unknown):
            return super().emit(op, params, inputs)
        self.tape.span = self.span
        if op.__class__ is RegionOp:
            return self.cut(op, params, tuple(inputs))
        return self.tape.emit(op, params, inputs)

    def cut(self, op: RegionOp[Any], params: Any, inputs: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """A region op with both kinds of inputs becomes one of each kind, by its own rule."""
        flags = tuple([x.__class__ is Var and x in self.unknown for x in inputs])
        before = self.span

        known = Knowns(self)
        outputs, _ = op.split(known, self.tape, params, inputs, flags, Cutter(self.memo))
        self.span = before
        return outputs


class Cutter:
    """Splits bodies for the rule of a region op."""

    __slots__ = ("memo",)

    def __init__(self, memo: Memo) -> None:
        self.memo = memo

    def __call__(self, body: Function, unknown: Flags, force: Flags | None = None, /) -> Split:
        return packed(split(body, unknown, force, self.memo))

    def lean(self, body: Function, unknown: Flags, force: Flags | None = None, /) -> Split:
        """Return the halves with as few bytes between them as cheap operations allow."""
        key = ("lean", body, unknown, force)
        return packed(self.memo.once(key, lambda: lean(split(body, unknown, force, self.memo), ())))

    def batch(self, body: Function, batched: Flags, force: Flags, size: int) -> Batched:
        return batch(body, batched, force, size, self.memo)


class Knowns(Builder):
    """The known half as a rule sees it: emits straight into it."""

    __slots__ = ()

    def __init__(self, target: Builder) -> None:
        self.params = target.params
        self.equations = target.equations
        self.span = target.span


def depends(inputs: Iterable[Atom], unknown: Container[Atom]) -> bool:
    # Short lists: a comprehension is faster than a generator, and a literal is slow to hash.
    return bool([x for x in inputs if x.__class__ is Var and x in unknown])


def replay(b: SplitBuilder, function: Function) -> tuple[Atom, ...]:
    """Emits the equations of `function` (over its own vars) into the halves of `b`; gives its results
    there."""
    renamed: dict[Atom, Atom] = {}
    for equation in function.equations:
        moved = rename(equation, renamed)
        if not depends(moved.inputs, b.unknown):
            b.equations.append(moved)
        elif moved.op.__class__ is RegionOp:
            b.span = b.tape.span = moved.span
            renamed.update(zip(equation.outputs, b.cut(moved.op, moved.params, moved.inputs), strict=True))
        else:
            b.tape.equations.append(moved)
            b.unknown.update(moved.outputs)
    return tuple([renamed.get(r, r) for r in function.results])


def rename(equation: Equation, renamed: dict[Atom, Atom]) -> Equation:
    """The equation over other inputs; itself where none of them has another name."""
    if not renamed:
        return equation
    inputs = tuple([renamed.get(x, x) if x.__class__ is Var else x for x in equation.inputs])
    if inputs == equation.inputs:
        return equation
    return Equation(equation.op, equation.params, inputs, equation.outputs, equation.span)


def split(function: Function, unknown: Flags, force: Flags | None, memo: Memo) -> Split:
    """Cuts `function`; results flagged in `force` count as unknown. See `Split` for what comes out."""
    flags = force or (False,) * len(function.results)
    return memo.once(("split", function, unknown, flags), lambda: _split(function, unknown, flags, memo))


def _split(function: Function, unknown: Flags, force: Flags, memo: Memo) -> Split:
    given = [p for p, u in zip(function.params, unknown, strict=True) if not u]
    wanted = [p for p, u in zip(function.params, unknown, strict=True) if u]
    if (function, unknown) in memo.pure:
        nothing = Function(function.name, tuple(given), (), ())
        return Split(nothing, function, (True,) * len(function.results), tuple(range(len(given))))
    b = SplitBuilder(memo, wanted)
    results = replay(b, function)
    flags = tuple([f or depends((r,), b.unknown) for r, f in zip(results, force, strict=True)])
    return close(b, function.name, given, wanted, results, flags)


def close(
    b: SplitBuilder,
    name: str,
    given: Sequence[Var],
    wanted: Sequence[Var],
    results: Sequence[Atom],
    flags: Flags,
) -> Split:
    """The two halves of `b` as closed functions, with as few residuals between them as they need."""
    late = [r for r, u in zip(results, flags, strict=True) if u]
    early = [r for r, u in zip(results, flags, strict=True) if not u]
    tape, needed = _remade(b, live(b.tape.equations, late), late)
    place: dict[Atom, int] = {}
    for i, atom in enumerate((*given, *early)):
        if atom.__class__ is Var:
            place.setdefault(atom, i)
    extra = [v for v in needed if v not in place]
    place.update((v, len(given) + len(early) + i) for i, v in enumerate(extra))
    outs = (*early, *extra)
    known = Function(name, tuple(given), tuple(live(b.equations, outs)), outs)
    unknown = Function(name, (*needed, *wanted), tuple(tape), tuple(late))
    # Cutting it again in the same way would leave nothing on the known side.
    b.memo.pure.add((unknown, (False,) * len(needed) + (True,) * len(wanted)))
    return Split(known, unknown, flags, tuple([place[v] for v in needed]))


def _remade(b: SplitBuilder, tape: list[Equation], results: Sequence[Atom]) -> tuple[list[Equation], list[Var]]:
    """The tape and its residuals, those that are cheaper to make again than to keep made on the tape."""
    needed = free_vars(tape, results, b.unknown)
    cheap = {e.outputs[0]: e for e in b.equations if isinstance(e.op, Op) and e.op.traits.cost is Cost.FREE}
    again: dict[Var, Equation] = {}
    todo = [v for v in needed if v in cheap]
    while todo:
        v = todo.pop()
        again[v] = cheap[v]
        todo += [x for x in cheap[v].inputs if isinstance(x, Var) and x in cheap and x not in again]
    if not again:
        return tape, needed
    longer = [*[e for e in b.equations if e.outputs and e.outputs[0] in again], *tape]
    return longer, free_vars(longer, results, {*b.unknown, *again})


def free_vars(equations: Iterable[Equation], results: Iterable[Atom], bound: set[Var]) -> list[Var]:
    """Vars used but not bound, in the order of first use."""
    found: dict[Var, None] = {}
    for equation in equations:
        for x in equation.inputs:
            if isinstance(x, Var) and x not in bound:
                found[x] = None
    for x in results:
        if isinstance(x, Var) and x not in bound:
            found[x] = None
    return list(found)
