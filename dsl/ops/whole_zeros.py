"""Values that a choice at run time makes zero as a whole, with its condition.

A cotangent that comes out of `where(fine, x, 0)` for one bool `fine` is nowhere zero by selection, or everywhere. What
is linear in it is, too, and what two such conditions leave of a sum is zero where neither holds. A product of such a
value need not look at its elements: what it gives is chosen by the condition. See `zero_flow` for the facts.
Read next: `dsl.transforms.zero_propagation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Var
from dsl.ir.op import NONE, NotLinear, Op
from dsl.ir.region import Facts
from dsl.ops.bits import OR
from dsl.ops.elementwise import SELECT, compare, select
from dsl.ops.layout import BROADCAST_IN_DIM
from dsl.ops.named_axes import NamedAxisParams
from dsl.ops.rule_helpers import splat, zeros
from dsl.ops.zero_flow import CHOSEN, NOTHING

Condition: TypeAlias = "tuple[tuple[Var, bool], ...]"
"""One of these bools has this value."""


class Whole(Struct, frozen=True):
    """A value that is zero unless a condition holds; `kept` are the facts of it where that holds."""

    condition: Condition
    kept: int

    @property
    def always(self) -> bool:
        """Return whether the condition cannot fail."""
        return any((p, not value) in self.condition for p, value in self.condition)


def whole(
    equation: Equation, known: Facts, wholes: Mapping[Atom, Whole], made: Mapping[Atom, Equation]
) -> tuple[Condition, Facts] | None:
    """Return when the results of an equation are not zero as a whole, and the facts of its operands then."""
    op = equation.op
    if not isinstance(op, Op) or isinstance(op.transpose, NotLinear) or isinstance(equation.params, NamedAxisParams):
        return None
    if len(equation.outputs) > 1:
        return None
    if op is SELECT:
        return _of_choice(equation, known, made)
    if wholes.keys().isdisjoint(equation.inputs):
        return None
    inexact = [x.type.dtype.is_inexact for x in equation.inputs]
    chosen = [i for i, fact in enumerate(known) if inexact[i] and fact & CHOSEN]
    found = {i: wholes[equation.inputs[i]] for i in chosen if equation.inputs[i] in wholes}
    if not chosen or len(found) < len(chosen):
        return None
    linear = op.traits.multilinear
    if linear and (len(chosen) > 1 or chosen[0] not in linear):
        return None
    rest = [x for i, x in enumerate(equation.inputs) if i not in found and inexact[i]]
    if not linear and not all(_is_zero(x) for x in rest):
        return None
    facts = tuple([found[i].kept if i in found else fact for i, fact in enumerate(known)])
    return tuple(dict.fromkeys([literal for w in found.values() for literal in w.condition])), facts


def _of_choice(equation: Equation, known: Facts, made: Mapping[Atom, Equation]) -> tuple[Condition, Facts] | None:
    pred, x, y = equation.inputs
    one = _one_bool(pred, made)
    value = _is_zero(y)
    kept = known[1 if value else 2]
    if one is None or not (value or _is_zero(x)) or kept & CHOSEN:
        return None
    return ((one, value),), (NOTHING, kept, kept)


def _one_bool(pred: Atom, made: Mapping[Atom, Equation]) -> Var | None:
    """Return the bool that all elements of a predicate are."""
    equation = made.get(pred)
    if equation is not None and equation.op is BROADCAST_IN_DIM:
        pred = equation.inputs[0]
    return pred if isinstance(pred, Var) and pred.type.rank == 0 else None


def _is_zero(x: Atom) -> bool:
    return not isinstance(x, Var) and x.value == 0


def chosen_by(b: Builder, condition: Condition, x: Atom) -> Atom:
    """Return x where the condition holds, else zero."""
    terms = [p if value else compare(b, "eq", p, splat(0, p.type)) for p, value in condition]
    (holds,) = terms[:1]
    for term in terms[1:]:
        (holds,) = OR(b, NONE, holds, term)
    return select(b, holds, x, zeros(x.type))
