"""Transformations of definitions some of whose arguments are not given: they are made of a function of the others, so
that defaults are evaluated where the definition is called, for the sizes that there are."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core.core import Parameter
from dsl.records import replace
from dsl.staging.values import MISSING, Argument, Missing, Partial, Transformed, TupleValue, Value, as_int

_LISTS = ("in_axes", "in_specs")


def of_given(
    function: Transformed, params: Sequence[Parameter], args: Sequence[Argument]
) -> tuple[Transformed, list[Value]]:
    """The transformation of a function of the given arguments alone, and these. `args` are those of all parameters,
    and may be followed by as many tangents."""
    places = tuple([k for k, p in enumerate(params) if p.counts and not isinstance(args[k], Missing)])
    rest = tuple([MISSING if k in places else arg for k, arg in enumerate(args[: len(params)])])
    inner = Partial(function.function, rest, places, tuple([params[k].name for k in places]))
    counted = [k for k, p in enumerate(params) if p.counts]
    kept = [place for place, k in enumerate(counted) if k in places]
    options = tuple([(name, _of_kept(name, value, kept, len(counted))) for name, value in function.options])
    taken = [arg for k, arg in enumerate(args) if k % len(params) in places]
    return replace(function, function=inner, options=options), [arg for arg in taken if not isinstance(arg, Missing)]


def _of_kept(name: str, value: Value, kept: Sequence[int], count: int) -> Value:
    """An option, as it counts the parameters that are kept."""
    if name == "argnums":
        return _renumbered(value, kept, count)
    if name in _LISTS and isinstance(value, TupleValue | tuple):
        parts = value.parts if isinstance(value, TupleValue) else value
        return TupleValue(tuple([parts[place] for place in kept if place < len(parts)]))
    return value


def _renumbered(value: Value, kept: Sequence[int], count: int) -> Value:
    match value:
        case TupleValue(parts):
            return TupleValue(tuple([_renumbered(part, kept, count) for part in parts]))
        case tuple():
            return tuple([kept.index(place % count) for place in value])
        case str():
            return value
        case _:
            return kept.index(as_int(value) % count)
