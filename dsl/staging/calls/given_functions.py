"""Functions that Python gives as arguments, as the checker has made them functions of the types that are wanted: with
the defaults that a call of such a type leaves out, and results of that type. Read next: `dsl.core.application`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.core.application import Application
from dsl.core.walk import passed_function
from dsl.records import replace
from dsl.staging.env.environment import Frame, Variables
from dsl.staging.env.stager import Stager
from dsl.staging.values import Argument, Closure, Missing, Value, VariantValue, map_leaves


def as_checked(s: Stager, definition: core.Function, args: Sequence[Argument], applied: Application) -> list[Argument]:
    """The arguments of a definition, with the functions in them as they have been checked."""
    params = definition.signature.params
    given = {p.id: arg for p, arg in zip(params, args, strict=False) if not isinstance(arg, Missing)}
    frame = Frame(Variables(applied.solution), given)
    made = list(args)
    for place, parameter in enumerate(params):
        if parameter.name in applied.arguments:
            made[place] = _itself(s, s.eval(applied.arguments[parameter.name], frame))
    return made


def _itself(s: Stager, value: Value) -> Value:
    """A value with the functions that others only call with what they are given in place of these."""

    def of(leaf: Value) -> Value:
        match leaf:
            case Closure(node, frame) if (passed := passed_function(node)) is not None:
                return _itself(s, s.eval(passed, frame))
            case VariantValue(parts=parts):
                return replace(leaf, parts=tuple([map_leaves(of, part) for part in parts]))
            case _:
                return leaf

    return map_leaves(of, value)
