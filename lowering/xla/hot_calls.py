"""Calls of an executable that are like the one before: each is one function, written for its number of arrays.

Between the call and XLA stands only what tells that the call is such a one, array by array: a loop over ten arrays
costs half a microsecond. Everything else is the caller's: `otherwise` is called for a call of another kind, before
anything has run. Read next: `execute`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

import numpy as np
from msgspec import Struct

from lowering.xla.adapter import RuntimeFault
from lowering.xla.array import Array
from lowering.xla.array_state import lie_below
from lowering.xla.backends import here
from lowering.xla.execute import Executable, OutOfMemory
from lowering.xla.forks import threads

UNROLLED = 64
"""Up to so many arrays are looked at one by one, more of them in a loop."""


class Tally(Struct):
    """How many calls have found their program."""

    hits: int = 0


class Finding(Struct, frozen=True):
    """How arrays are found in `args` and `kwargs`: `lines` return `otherwise(*args, **kwargs)` for a call of another
    structure, `leaves` are expressions. Both call the values of `known` `k0`, `k1`, …"""

    lines: tuple[str, ...]
    leaves: tuple[str, ...]
    known: tuple[Any, ...]


class Given(Struct, frozen=True):
    """How an array comes, by its `kind`: as one of the device or of NumPy, or as a scalar; numbers of Python lie
    between `bounds`. `limit` is what its integers must be below, where it holds indices."""

    kind: type
    limit: int | None = None
    bounds: tuple[Any, Any] | None = None

    @property
    def form(self) -> str:
        """Return the name of its form, on which the text of a call depends."""
        if self.kind in (Array, np.ndarray):
            return "ours" if self.kind is Array else "host"
        return "scalar" if self.bounds is None else "number"


class Surroundings(Struct, frozen=True):
    """The parts of a call that its caller knows.

    `finding` tells how the arrays are found in the arguments; without it they are the arrays themselves. `rebuild` puts
    the results into their containers; without it the only result is an array. No call is hot while `switch` gives
    something else than None. `explained` is the error to raise for a lack of memory.
    """

    finding: Finding | None
    rebuild: Callable[[Sequence[Any]], Any] | None
    switch: Callable[[], object]
    tally: Tally
    explained: Callable[[OutOfMemory], Exception]


Hot: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Makes the function that calls one program, from the one to call in all other cases."""


class _Make(Protocol):
    def __call__(
        self, executable: Executable, given: Sequence[Given], around: Surroundings, otherwise: Callable[..., Any]
    ) -> Callable[..., Any]: ...


class _Form(Struct, frozen=True):
    """The form of a call, on which its text depends: those of its arrays, and which hold indices; the text that finds
    them, and how many values it names; whether a container is built."""

    arrays: tuple[str, ...]
    bounded: tuple[bool, ...]
    lines: tuple[str, ...]
    leaves: tuple[str, ...]
    known: int
    rebuilds: bool


def hot_call(executable: Executable, given: Sequence[Given], around: Surroundings) -> Hot | None:
    """Return what makes the function that calls an executable with arrays of its types, which come as said; those of
    the device lie where it runs. None for programs that print, for those without arrays, which run where it is chosen,
    where arrays of NumPy have no memory to land in, and where those that are looked at are many."""
    if executable.prints or not given or len(given) != len(executable.params):
        return None
    arrays, bounded = tuple([each.form for each in given]), tuple([each.limit is not None for each in given])
    lands = set(arrays) != {"ours"}
    if (len(given) > UNROLLED and (lands or any(bounded))) or (lands and not executable.lands):
        return None
    assert around.rebuild is not None or len(executable.results) == 1
    executable.settle_start()
    found = around.finding or Finding((), (), ())
    form = _Form(arrays, bounded, found.lines, found.leaves, len(found.known), around.rebuild is not None)
    return partial(_maker(form), executable, given, around)


@lru_cache(maxsize=256)
def _maker(form: _Form) -> _Make:
    names: dict[str, Any] = {
        "__name__": __name__,
        "RuntimeFault": RuntimeFault,
        "array": Array,
        "ndarray": np.ndarray,
        "here": here,
    }
    names |= {"below": lie_below, "asarray": np.asarray, "threads": threads()}
    exec(compile(_source(form), __file__, "exec"), names)
    made: _Make = names["make"]
    return made


def _source(form: _Form) -> str:
    """The text of a function that makes the call."""
    arrays, count = form.arrays, len(form.arrays)
    unrolled, plain = count <= UNROLLED, not form.leaves
    lands = [k for k, each in enumerate(arrays) if each != "ours"]
    unpacked = _names("x", range(count)) if unrolled else "leaves"
    return _TEXT.format(
        limits=_among("l", [k for k, is_bounded in enumerate(form.bounded) if is_bounded], count),
        kinds=_among("t", [k for k, each in enumerate(arrays) if each in ("scalar", "number")], count),
        bounds=_among("n", [k for k, each in enumerate(arrays) if each == "number"], count),
        known=_names("k", range(form.known)) if form.known else "_",
        wanted=_names("w", range(count)) if unrolled else "wanted",
        positional=f"not kwargs and len(args) == {count} and " if plain else "",
        found=f"\n            {unpacked} = args" if plain else _found(form, unpacked),
        same=_same(arrays, form.bounded) if unrolled else _SAME.format(first="leaves[0]", same=_LOOP),
        chosen=" and here() is place" if len(lands) == count else "",
        landed=_landed(lands, count) if lands else "",
        buffers=_buffers(arrays) if unrolled else "x._impl for x in leaves",
        left="executable.leave(landing, results)" if lands else "",
        result="rebuild(list(map(array, results, made)))" if form.rebuilds else "array(results[0], made0)",
    )


def _names(letter: str, numbers: Sequence[int]) -> str:
    return "".join([f"{letter}{k}, " for k in numbers])


def _among(letter: str, numbers: Sequence[int], count: int) -> str:
    """Names for some of so many values; one for all where none is named."""
    return "".join([f"{letter}{k}, " if k in numbers else "_, " for k in range(count)]) if numbers else "_"


def _found(form: _Form, unpacked: str) -> str:
    """The lines that find the arrays in containers, and by name."""
    lines = [*form.lines, f"{unpacked} = {', '.join(form.leaves)},"]
    return "".join([f"\n            {line}" for line in lines])


def _same(arrays: tuple[str, ...], bounded: tuple[bool, ...]) -> str:
    """The lines that compare the types of all arrays, then the bounds of indices. What is no array of our own has no
    `_ready`: the first is asked whether it is one, and others are asked for their attribute."""
    ours = [k for k, each in enumerate(arrays) if each == "ours"]
    conditions = [_CONDITIONS[each].format(k=k) for k, each in enumerate(arrays)]
    conditions += [f"below(x{k}, l{k})" for k, is_bounded in enumerate(bounded) if is_bounded]
    if len(ours) > 1:
        return _SAME.format(first=f"x{ours[0]}", same=" and ".join(conditions))
    return _SURE.format(same=" and ".join([*[f"type(x{k}) is array" for k in ours], *conditions]))


def _buffers(arrays: tuple[str, ...]) -> str:
    return "".join([f"x{k}._impl, " if each == "ours" else f"b{k}, " for k, each in enumerate(arrays)])


_CONDITIONS = MappingProxyType(
    {
        "ours": "x{k}._ready is w{k}",
        "host": "type(x{k}) is ndarray and x{k}.dtype is w{k}.dtype and x{k}.shape == w{k}.shape",
        "scalar": "type(x{k}) is t{k}",
        "number": "type(x{k}) is t{k} and n{k}[0] <= x{k} <= n{k}[1]",
    }
)


def _landed(lands: Sequence[int], count: int) -> str:
    """The lines that find a buffer for each array that is not of the device."""
    slots = _among("s", lands, count)
    return _LAND.format(slots=slots) + "".join([_COPY.format(k=k) for k in lands])


_LAND = """
                landing = executable.land()
                if landing is None:
                    return otherwise(*args, **kwargs)
                {slots}= landing.slots"""

_COPY = """
                b{k} = s{k}[4]
                if b{k} is None:
                    b{k} = place.copied(asarray(x{k}, w{k}.dtype), w{k})
                else:
                    s{k}[3][...] = x{k}"""

_LOOP = "[x._ready for x in leaves] == wanted"

_SURE = """
            same = {same}"""

_SAME = """
            same = False
            if type({first}) is array:
                try:
                    same = {same}
                except AttributeError:
                    pass"""

_TEXT = """
def make(executable, given, around, otherwise):
    execute, handlers, explained = executable.execute, executable.handlers, executable.explained
    {wanted} = executable.params
    {limits} = [each.limit for each in given]
    {kinds} = [each.kind for each in given]
    {bounds} = [each.bounds for each in given]
    {known} = () if around.finding is None else around.finding.known
    made, place = executable.results, executable.place
    made0 = made[0] if made else None
    rebuild, switch, tally = around.rebuild, around.switch, around.tally
    failed = around.explained

    def call(*args, **kwargs):
        if {positional}switch() is None and not threads.are_lost:{found}{same}
            if same{chosen}:{landed}
                try:
                    results = execute([{buffers}]).consume_with_handlers(handlers)
                except RuntimeFault as fault:
                    raise explained(fault, failed) from None
                {left}
                tally.hits += 1
                return {result}
        return otherwise(*args, **kwargs)

    return call
"""
