"""Values chosen by a static condition that is not decided yet, as sizes, shapes and conditions.

The truth of a condition is a size, 0 or 1, so that `if c then a else b` is the polynomial `t * a + (1 - t) * b`: it
substitutes, evaluates and compares like any other.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping
from functools import partial, reduce
from types import MappingProxyType
from typing import TypeAlias, assert_never

from dsl.types import facts as fa
from dsl.types.facts import Prop
from dsl.types.shape import CHOICE, Shape, ShapeCall, Splice, StaticArg
from dsl.types.size import Atom, Opaque, Size

Comparison: TypeAlias = fa.Eq | fa.Ne | fa.Le | fa.Lt

_NAMES: Mapping[type[Comparison], str] = MappingProxyType({fa.Eq: "==", fa.Ne: "!=", fa.Le: "<=", fa.Lt: "<"})
_COMPARISONS: Mapping[str, Callable[[Size, Size], Comparison]] = MappingProxyType(
    {"==": fa.Eq, "!=": fa.Ne, "<=": fa.Le, "<": fa.Lt}
)
_OPERATORS: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {"==": operator.eq, "!=": operator.ne, "<=": operator.le, "<": operator.lt}
)


def _compare(name: str, a: int, b: int) -> int:
    return int(_OPERATORS[name](a, b))


def truth(prop: Prop) -> Size:
    """1 if the condition holds, 0 if not."""
    match prop:
        case fa.Known(value):
            return Size.of(int(value))
        case fa.Eq(a, b) | fa.Ne(a, b) | fa.Le(a, b) | fa.Lt(a, b):
            name = _NAMES[type(prop)]
            return Size.of(Opaque(name, (a, b), True, partial(_compare, name)))
        case fa.OpaqueProp(name, args, evaluate):
            return Size.of(Opaque(f"is:{name}", args, True, None if evaluate is None else partial(_truth_of, evaluate)))
        case fa.Not(inner):
            return 1 - truth(inner)
        case fa.And(props):
            return reduce(lambda total, p: total * truth(p), props, Size.of(1))
        case fa.Or(props):
            return 1 - truth(fa.And(tuple(map(fa.negation, props))))
        case _:
            assert_never(prop)


def _truth_of(evaluate: Callable[..., bool | Prop | None], *args: Hashable) -> Size | None:
    """Return the truth value of a call for other arguments, as a size."""
    found = evaluate(*args)
    return None if found is None else truth(fa.Known(found) if isinstance(found, bool) else found)


def choose_size(prop: Prop, then: Size, orelse: Size) -> Size:
    t = truth(prop)
    return t * then + (1 - t) * orelse


def choose_prop(prop: Prop, then: Prop, orelse: Prop) -> Prop:
    match then, orelse:
        case _ if then == orelse:
            return then
        case fa.Known(True), fa.Known(False):
            return prop
    return fa.disjunction([fa.conjunction([prop, then]), fa.conjunction([fa.negation(prop), orelse])])


def choose_shape(prop: Prop, then: Shape, orelse: Shape) -> Shape:
    return _choice(truth(prop), then, orelse)


def _choice(t: StaticArg, then: StaticArg, orelse: StaticArg) -> Shape:
    assert isinstance(then, Shape) and isinstance(orelse, Shape)
    value = t.constant if isinstance(t, Size) else t
    if value in (0, 1) or then == orelse:
        return then if value else orelse
    return Shape((Splice(ShapeCall(CHOICE, (t, then, orelse), _choice)),))


# ---------------------------------------------------------------- truths as atoms


def is_truth(atom: Atom) -> bool:
    """Return whether an atom is the truth of a condition."""
    return isinstance(atom, Opaque) and (atom.name in _NAMES.values() or atom.name.startswith("is:"))


def condition_of(atom: Opaque) -> Prop | None:
    """The condition whose truth this is."""
    if atom.name.startswith("is:"):
        return fa.OpaqueProp(atom.name[3:], atom.args)
    left, right = atom.args
    if not isinstance(left, Size) or not isinstance(right, Size):
        return None
    return _COMPARISONS[atom.name](left, right)
