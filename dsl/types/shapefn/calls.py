"""Calls of shape functions that wait for their arguments: how each is made, and computed again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from dsl.types.conditional import is_truth
from dsl.types.facts import Facts
from dsl.types.shape import Shape, ShapeCall, Splice, StaticArg
from dsl.types.shapefn.outcome import Formed, ShapeFailure
from dsl.types.size import Atom, Size

Found: TypeAlias = Shape | Formed | ShapeFailure
Rule: TypeAlias = Callable[..., Found]
"""A shape function of facts and arguments; its calls have its name."""


def stuck(rule: Rule, *args: StaticArg) -> Shape:
    """A call that is not computed yet."""
    return _spliced(_call(rule, rule, args))


def compute_call(rule: Rule, at_sight: Rule, *args: StaticArg) -> Shape:
    """The value of a call that stands in a type, where `at_sight` finds it without facts and without needs, else the
    call itself; one that fails stays, for `failures` to find."""
    call = _call(rule, at_sight, args)
    match at_sight(Facts(), *args):
        case Shape() as found:
            return _by_cases(call) if found == _spliced(call) else found
        case Formed(shape, ()):
            return shape
        case _:
            return _spliced(call)


def compute_under(facts: Facts, call: ShapeCall) -> Found | None:
    """Evaluate a call under facts; None if it is not a call of a shape function."""
    again = call.compute
    if not isinstance(again, partial) or again.func is not compute_call:
        return None
    rule: Rule = again.args[0]
    return rule(facts, *call.args)


def _call(rule: Rule, at_sight: Rule, args: tuple[StaticArg, ...]) -> ShapeCall:
    return ShapeCall(rule.__name__, args, partial(compute_call, rule, at_sight))


def _spliced(call: ShapeCall) -> Shape:
    return Shape((Splice(call),))


_MOST_CONDITIONS = 3
"""Of so many conditions that choose an argument all truths are tried."""


def _by_cases(call: ShapeCall) -> Shape:
    """A stuck call of which a condition chooses an argument: the sizes that it chooses, where all are known. What may
    stretch stays a call, which has laws of its own."""
    chosen = dict.fromkeys(atom for arg in call.args if isinstance(arg, Size) for atom in filter(is_truth, arg.atoms()))
    if not 1 <= len(chosen) <= _MOST_CONDITIONS:
        return _spliced(call)
    condition = next(iter(chosen))
    cases = [call.with_args(tuple([_where(arg, condition, value) for arg in call.args])).sizes for value in (1, 0)]
    then, orelse = cases
    if then is None or orelse is None or len(then) != len(orelse):
        return _spliced(call)
    pairs = list(zip(then, orelse, strict=True))
    stretching = any(a != b and Size.of(1) in (a, b) for a, b in pairs)
    t = Size.of(condition)
    return _spliced(call) if stretching else Shape(tuple([t * a + (1 - t) * b for a, b in pairs]))


def _where(arg: StaticArg, condition: Atom, value: int) -> StaticArg:
    """An argument where a condition holds, or does not."""
    return arg.map_atoms(lambda atom: Size.of(value if atom == condition else atom)) if isinstance(arg, Size) else arg
