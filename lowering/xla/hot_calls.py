"""Calls of an executable that are like the one before: each is one function, written for its number of arrays.

Between the call and XLA stands only what tells that the call is such a one, array by array: a loop over ten arrays
costs half a microsecond. Everything else is the caller's: `otherwise` is called for a call of another kind, before
anything has run. Read next: `execute`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from msgspec import Struct

from lowering.xla.adapter import RuntimeFault
from lowering.xla.array import Array
from lowering.xla.array_state import lie_below
from lowering.xla.backends import here
from lowering.xla.execute import Executable, OutOfMemory

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
    otherwise: Callable[..., Any]
    explained: Callable[[OutOfMemory], Exception]


class _Make(Protocol):
    def __call__(
        self, executable: Executable, limits: Sequence[int | None], around: Surroundings
    ) -> Callable[..., Any]: ...


class _Form(Struct, frozen=True):
    """The form of a call, on which its text depends: which arrays are NumPy's, which hold indices; the text that finds
    them, and how many values it names; whether a container is built."""

    host: tuple[bool, ...]
    bounded: tuple[bool, ...]
    lines: tuple[str, ...]
    leaves: tuple[str, ...]
    known: int
    rebuilds: bool


def hot_call(
    executable: Executable, host: Sequence[bool], limits: Sequence[int | None], around: Surroundings
) -> Callable[..., Any] | None:
    """The function that calls an executable with arrays of its types, some of which are NumPy's, as `host` says; the
    others lie where it runs. Some hold indices below a limit. None for programs that print, for those without arrays,
    which run where it is chosen, and where arrays of NumPy have no memory to land in, or those that are looked at are
    many."""
    if executable.prints or not host or not len(host) == len(limits) == len(executable.params):
        return None
    bounded = tuple([limit is not None for limit in limits])
    if (len(host) > UNROLLED and any((*host, *bounded))) or (any(host) and not executable.lands):
        return None
    assert around.rebuild is not None or len(executable.results) == 1
    found = around.finding or Finding((), (), ())
    form = _Form(tuple(host), bounded, found.lines, found.leaves, len(found.known), around.rebuild is not None)
    return _maker(form)(executable, limits, around)


@lru_cache(maxsize=256)
def _maker(form: _Form) -> _Make:
    names: dict[str, Any] = {"RuntimeFault": RuntimeFault, "array": Array, "ndarray": np.ndarray, "here": here}
    names["below"] = lie_below
    exec(compile(_source(form), __file__, "exec"), names)
    made: _Make = names["make"]
    return made


def _source(form: _Form) -> str:
    """The text of a function that makes the call."""
    host, count = form.host, len(form.host)
    unrolled, plain = count <= UNROLLED, not form.leaves
    unpacked = "".join([f"x{k}, " for k in range(count)]) if unrolled else "leaves"
    return _TEXT.format(
        limits="".join([f"l{k}, " for k in range(count)]) if any(form.bounded) else "_",
        known="".join([f"k{k}, " for k in range(form.known)]) if form.known else "_",
        wanted="".join([f"w{k}, " for k in range(count)]) if unrolled else "wanted",
        positional=f"not kwargs and len(args) == {count} and " if plain else "",
        found=f"\n            {unpacked} = args" if plain else _found(form, unpacked),
        same=_same(host, form.bounded) if unrolled else _SAME.format(first="leaves[0]", kind="array", same=_LOOP),
        chosen=" and here() is place" if all(host) else "",
        landed=_landed(host) if any(host) else "",
        buffers=_buffers(host) if unrolled else "x._impl for x in leaves",
        left="executable.leave(landing, results)" if any(host) else "",
        result="rebuild(list(map(array, results, made)))" if form.rebuilds else "array(results[0], made0)",
    )


def _found(form: _Form, unpacked: str) -> str:
    """The lines that find the arrays in containers, and by name."""
    lines = [*form.lines, f"{unpacked} = {', '.join(form.leaves)},"]
    return "".join([f"\n            {line}" for line in lines])


def _same(host: tuple[bool, ...], bounded: tuple[bool, ...]) -> str:
    """The lines that compare the types of all arrays, then the bounds of indices. What is no array of our own has no
    `_ready`."""
    conditions = [(_HOST if is_host else _OURS).format(k=k) for k, is_host in enumerate(host)]
    conditions += [f"below(x{k}, l{k})" for k, is_bounded in enumerate(bounded) if is_bounded]
    if all(host) or len(host) == 1:
        return _SURE.format(same=" and ".join(conditions), first="" if all(host) else "type(x0) is array and ")
    return _SAME.format(first="x0", kind="ndarray" if host[0] else "array", same=" and ".join(conditions))


def _buffers(host: tuple[bool, ...]) -> str:
    return "".join([f"b{k}, " if is_host else f"x{k}._impl, " for k, is_host in enumerate(host)])


_OURS = "x{k}._ready is w{k}"

_HOST = "type(x{k}) is ndarray and x{k}.dtype is w{k}.dtype and x{k}.shape == w{k}.shape"


def _landed(host: tuple[bool, ...]) -> str:
    """The lines that find a buffer for each array of NumPy."""
    slots = "".join([f"s{k}, " if is_host else "_, " for k, is_host in enumerate(host)])
    return _LAND.format(slots=slots) + "".join([_COPY.format(k=k) for k, is_host in enumerate(host) if is_host])


_LAND = """
                landing = executable.land()
                if landing is None:
                    return otherwise(*args, **kwargs)
                {slots}= landing.slots"""

_COPY = """
                b{k} = s{k}[4]
                if b{k} is None:
                    b{k} = place.copied(x{k}, w{k})
                else:
                    s{k}[3][...] = x{k}"""

_LOOP = "[x._ready for x in leaves] == wanted"

_SURE = """
            same = {first}{same}"""

_SAME = """
            same = False
            if type({first}) is {kind}:
                try:
                    same = {same}
                except AttributeError:
                    pass"""

_TEXT = """
def make(executable, limits, around):
    execute, handlers, explained = executable.execute, executable.handlers, executable.explained
    {wanted} = executable.params
    {limits} = limits
    {known} = () if around.finding is None else around.finding.known
    made, place = executable.results, executable.place
    made0 = made[0] if made else None
    rebuild, switch, tally = around.rebuild, around.switch, around.tally
    otherwise, failed = around.otherwise, around.explained

    def call(*args, **kwargs):
        if {positional}switch() is None:{found}{same}
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
