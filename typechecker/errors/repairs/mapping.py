"""The text of what says how the arguments of a transformed function are mapped: `in_axes=(0, none)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dsl.syntax.foreign_blocks import call_arguments
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import children, leading_axes, part_names
from typechecker.errors.words import is_integer

_OPTION = re.compile(r"\bin_axes=(?=\()(?!\([^(),]*\))")
_ONE_FOR_ALL = re.compile(r"\bin_axes=\(?(-?\w+)\)?")


def entries(call: str) -> list[str]:
    """The entries of `in_axes`, if it has one for each argument."""
    found = _OPTION.search(call)
    return [] if found is None else call_arguments(call, found.end())[0]


def with_entry(call: str, place: int, entry: str) -> str:
    """A call with another entry of `in_axes`."""
    return with_entries(call, [entry if k == place else old for k, old in enumerate(entries(call))])


def with_entries(call: str, new: Sequence[str]) -> str:
    """A call with other entries of `in_axes`; one entry alone is that of a tuple of one."""
    found = _OPTION.search(call)
    if found is None:
        return call
    _, end = call_arguments(call, found.end())
    return f"{call[: found.end()]}({', '.join(new)}{',' if len(new) == 1 else ''}){call[end + 1 :]}"


def axes_of_leaves(kind: Type, axis: int) -> str:
    """The entry of a tree that maps the leaves that have this axis, and no others."""
    match kind:
        case ty.TupleType(parts):
            shown = [axes_of_leaves(part, axis) for part in parts]
            return f"({', '.join(shown)}{',' if len(shown) == 1 else ''})"
        case ty.RecordType():
            pairs = zip(part_names(kind), children(kind), strict=True)
            return f"{{{', '.join([f'{name} = {axes_of_leaves(part, axis)}' for name, part in pairs])}}}"
        case _:
            shape = leading_axes(kind)
            has = shape is not None and (shape.rank is None or -shape.rank <= axis < shape.rank)
            return str(axis) if has else "none"


def with_axes_of_leaves(call: str, place: int, given: int, kind: Type, axis: int) -> str:
    """A call with the entry of one of its arguments written out leaf by leaf."""
    entry = axes_of_leaves(kind, axis)
    return _with_all(call, [entry if k == place else old for k, old in enumerate(_every(call, given))])


def with_one_unmapped(call: str, kinds: Sequence[Type]) -> Iterator[str]:
    """A call of arguments of these types, each time with another argument, or leaf of one, that is not mapped."""
    old = _every(call, len(kinds))
    for place, kind in enumerate(kinds):
        spelt = axes_of_leaves(kind, int(old[place])) if is_integer(old[place]) else old[place]
        leaves = [f"{spelt[: n.start()]}none{spelt[n.end() :]}" for n in re.finditer(r"(?<![\w.])-?\d+", spelt)]
        for entry in dict.fromkeys(["none", *leaves]):
            yield _with_all(call, [entry if k == place else each for k, each in enumerate(old)])


def _every(call: str, given: int) -> list[str]:
    """The entry of each argument, also where one number stands for all."""
    option = _ONE_FOR_ALL.search(call)
    return entries(call) or ["0" if option is None else option[1]] * given


def _with_all(call: str, new: Sequence[str]) -> str:
    if entries(call):
        return with_entries(call, new)
    option = _ONE_FOR_ALL.search(call)
    shown = f"in_axes=({', '.join(new)}{',' if len(new) == 1 else ''})"
    if option is not None:
        return f"{call[: option.start()]}{shown}{call[option.end() :]}"
    if "(" not in call:
        return call  # that of Python, which has no text here
    _, end = call_arguments(call, call.index("("))
    return f"{call[:end]}, {shown}{call[end:]}"
