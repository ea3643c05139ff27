"""Partition the known equations of a `checkpoint`: one version that also returns the saved values and runs first, and
one that takes them and runs again.

Only what the second run needs is kept, and nothing that stands before another kept value. A kept value inside of a
call or a loop becomes a further result of it, stacked for a loop. Read next: `call`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from msgspec import Struct

from dsl.ir.function import Equation, Function, Tensor, Var
from dsl.ir.op import RegionOp
from dsl.ir.region import Flags
from dsl.ir.sizes import sizes_decided_by, sizes_of
from dsl.ops.annotations import NameParams
from dsl.ops.flags import cut, select_flagged
from dsl.records import replace
from dsl.types.size import SizeVar

CALL, SCAN = "call", "scan"
"""The ops whose bodies are seen through, by name: `dsl.ops.control` stands above."""


class Policy(Protocol):
    """The ops whose results are kept, None for all; and the names of values that are kept."""

    @property
    def keep(self) -> tuple[str, ...] | None:
        """Which named values are kept; None for all that is not recomputed anyway."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the policy mentions."""


class Versions(Struct, frozen=True):
    """`first` gives `kept` beside what it always gave; `again` needs `kept`, and makes only what was asked for."""

    first: tuple[Equation, ...]
    again: tuple[Equation, ...]
    kept: tuple[Var, ...]


class _Bodies(Struct, frozen=True):
    """A body in two versions. `first` gives `kept` further results, and `again` takes as many at the end; `used` says
    which of its old parameters that one still takes."""

    first: Function
    again: Function
    used: Flags
    kept: tuple[Tensor, ...]


@dataclass(slots=True)
class Keeper:
    """Versions of equations under one policy, which keeps what is `chosen`, too; a body that is shared stays shared."""

    policy: Policy
    chosen: Container[Var] = ()
    known: dict[tuple[Function, Flags, Flags], _Bodies | None] = field(default_factory=dict)

    def versions(self, equations: Sequence[Equation], needed: Iterable[Var]) -> Versions:
        """The equations that run at first, those that run again, and the variables kept for these; `needed` are the
        variables that must be known again. Arrays of sizes that the equations decide are not kept."""
        wanted, named, sizes = set(needed), self._named(equations), set[SizeVar]()
        first, again, kept = [], [], list[Var]()
        own = sizes_decided_by(equations)
        for equation in reversed(equations):
            mentioned = sizes_of(equation) & own if own else own
            every = self._every(equation) and not mentioned
            decides = not sizes.isdisjoint(sizes_decided_by([equation])) if mentioned else False
            asked = [y in wanted or decides for y in equation.outputs]
            stays = tuple(
                [
                    a and not mentioned and (every or y in named or y in self.chosen)
                    for a, y in zip(asked, equation.outputs, strict=True)
                ]
            )
            found = tuple([a and not s for a, s in zip(asked, stays, strict=True)])
            kept += select_flagged(equation.outputs, stays)
            inner = self._inner(equation, found) if any(found) else None
            first.append(equation if inner is None else inner.first[0])
            if any(found):
                late = _renamed(equation, stays) if inner is None else inner.again[0]
                kept += () if inner is None else inner.kept
                again.append(late)
                wanted.update([x for x in late.inputs if isinstance(x, Var)])
                sizes |= mentioned
        return Versions(tuple(first[::-1]), tuple(again[::-1]), tuple(kept))

    def _every(self, equation: Equation) -> bool:
        """Return whether whatever the equation gives is kept."""
        ops = self.policy.keep
        return ops is None or equation.op.name in ops or self._has_name(equation)

    def _has_name(self, equation: Equation) -> bool:
        return isinstance(equation.params, NameParams) and equation.params.name in self.policy.names

    def _named(self, equations: Sequence[Equation]) -> set[Var]:
        """Return the variables with a saved name. A derivative may use the value from before naming, which is the same
        one."""
        made = {y for e in equations for y in e.outputs}
        return {x for e in equations if self._has_name(e) for x in e.inputs if isinstance(x, Var) and x in made}

    def _inner(self, equation: Equation, found: Flags) -> Versions | None:
        """One equation whose body keeps something."""
        body = body_of(equation)
        if body is None:
            return None
        if equation.op.name == SCAN:
            return self._loop(equation, equation.params, found)
        made = self._bodies(body, found, (False,) * len(body.params))
        return None if made is None else _called(equation, found, made)

    def _loop(self, equation: Equation, params: Any, found: Flags) -> Versions | None:
        count = len(params.body.params)
        carried = [params.consts <= i < params.consts + params.carry for i in range(count)]
        flags = tuple([i < params.carry or f for i, f in enumerate(found)])
        made = self._bodies(params.body, flags, tuple(carried))
        if made is None:
            return None
        kept = tuple([Var(Tensor(t.dtype, (params.length, *t.shape))) for t in made.kept])
        consts = sum(made.used[: params.consts])
        first, again = replace(params, body=made.first), replace(params, body=made.again, consts=consts)
        ahead, operands = cut(equation.inputs, params.ahead)
        inputs = (*ahead, *select_flagged(operands, made.used), *kept)
        op, span = equation.op, equation.span
        return Versions(
            (Equation(op, first, equation.inputs, (*equation.outputs, *kept), span),),
            (Equation(op, again, inputs, select_flagged(equation.outputs, flags), span),),
            kept,
        )

    def _bodies(self, body: Function, results: Flags, demanded: Flags) -> _Bodies | None:
        key = body, results, demanded
        if key not in self.known:
            self.known[key] = self._made(body, results, demanded)
        return self.known[key]

    def _made(self, body: Function, results: Flags, demanded: Flags) -> _Bodies | None:
        wanted = select_flagged(body.results, results)
        made = self.versions(body.equations, [r for r in wanted if isinstance(r, Var)])
        if not made.kept:
            return None
        needed = {x for e in made.again for x in e.inputs if isinstance(x, Var)} | {*wanted}
        used = tuple([p in needed or d for p, d in zip(body.params, demanded, strict=True)])
        first = Function(body.name, body.params, made.first, (*body.results, *made.kept))
        again = Function(body.name, (*select_flagged(body.params, used), *made.kept), made.again, wanted)
        return _Bodies(first, again, used, tuple([v.type for v in made.kept]))


def body_of(equation: Equation) -> Function | None:
    """Return the body of a call or of a loop of known length: values in it can be kept alone. None for others."""
    op = equation.op
    return op.bodies(equation.params)[0] if isinstance(op, RegionOp) and op.name in (CALL, SCAN) else None


def _called(equation: Equation, found: Flags, made: _Bodies) -> Versions:
    op, params, span = cast("RegionOp[Any]", equation.op), equation.params, equation.span
    kept = tuple([Var(t) for t in made.kept])
    first, again = op.rebuild(params, (made.first,)), op.rebuild(params, (made.again,))
    inputs = (*select_flagged(equation.inputs, made.used), *kept)
    return Versions(
        (Equation(op, first, equation.inputs, (*equation.outputs, *kept), span),),
        (Equation(op, again, inputs, select_flagged(equation.outputs, found), span),),
        kept,
    )


def _renamed(equation: Equation, taken: Flags) -> Equation:
    """An equation that is run again for one of its outputs gives another name to those that are kept."""
    if not any(taken):
        return equation
    outputs = tuple([Var(y.type) if t else y for y, t in zip(equation.outputs, taken, strict=True)])
    return Equation(equation.op, equation.params, equation.inputs, outputs, equation.span)
