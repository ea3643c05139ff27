"""Calls of an executable that are like the one before: each is one function, written for its number of arrays.

Between the call and XLA stands only what tells that the call is such a one, array by array: a loop over ten arrays
costs half a microsecond. Everything else is the caller's: `otherwise` is called for a call of another kind, before
anything has run. Read next: `execute`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from types import CodeType, FunctionType, MappingProxyType
from typing import Any, TypeAlias

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
    """How arrays are found in `args` and `kwargs`, as text: `conditions` of the structure of a call, and an expression
    for all `leaves`. Both call the values of `known` `k0`, `k1`, …; a key that a dict lacks may be asked for."""

    conditions: str
    leaves: str
    known: tuple[Any, ...]


class Building(Struct, frozen=True):
    """How results are put into containers: the parts of an expression, in which a number stands for a result. It calls
    the values of `known` `c0`, `c1`, …"""

    parts: tuple[str | int, ...]
    known: tuple[Any, ...]

    def text(self, result: str) -> str:
        """Return the expression, where `result` is the text for a result, in terms of its number `k`."""
        return _expression(self.parts, result)


def _expression(parts: Sequence[str | int], result: str) -> str:
    return "".join([part if isinstance(part, str) else result.format(k=part) for part in parts])


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

    `finding` tells how the arrays are found in the arguments, `building` how the results are put into their containers.
    No call is hot while `switch` gives something else than None. `explained` is the error for a lack of memory.
    """

    finding: Finding
    building: Building
    switch: Callable[[], object]
    tally: Tally
    explained: Callable[[OutOfMemory], Exception]


Hot: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Makes the function that calls one program, from the one to call in all other cases."""


class _Form(Struct, frozen=True):
    """The form of a call, on which its text depends: those of its arrays, and which hold indices; the text that finds
    them; how many results there are, and the parts of the text that puts them together."""

    arrays: tuple[str, ...]
    bounded: tuple[bool, ...]
    conditions: str
    leaves: str
    results: int
    parts: tuple[str | int, ...]


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
    executable.settle_start()
    finding = around.finding
    form = _Form(arrays, bounded, finding.conditions, finding.leaves, len(executable.results), around.building.parts)
    return partial(_made, _code(form), _names(executable, given, around))


def _made(code: CodeType, names: Mapping[str, Any], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with this code. It finds its values among its globals, which lie together in memory. The code
    is a copy, in which the interpreter notes where they are."""
    return FunctionType(code.replace(), {**names, "otherwise": otherwise})


def _names(executable: Executable, given: Sequence[Given], around: Surroundings) -> Mapping[str, Any]:
    """Return what the names in the text of a call stand for."""
    return {
        "__name__": __name__,
        "array": Array,
        "ndarray": np.ndarray,
        "asarray": np.asarray,
        "below": lie_below,
        "here": here,
        "threads": threads(),
        "switch": around.switch,
        "tally": around.tally,
        "executable": executable,
        "execute": executable.execute,
        "handlers": executable.handlers,
        "place": executable.place,
        "wanted": executable.params,
        "made": executable.results,
        "RuntimeFault": RuntimeFault,
        "explained": partial(executable.explained, told=around.explained),
        **_numbered("w", executable.params),
        **_numbered("m", executable.results),
        **_numbered("l", [each.limit for each in given]),
        **_numbered("t", [each.kind for each in given]),
        **_numbered("n", [each.bounds for each in given]),
        **_numbered("k", around.finding.known),
        **_numbered("c", around.building.known),
    }


def _numbered(letter: str, values: Sequence[Any]) -> Mapping[str, Any]:
    return {f"{letter}{k}": value for k, value in enumerate(values)}


@lru_cache(maxsize=256)
def _code(form: _Form) -> CodeType:
    names: dict[str, Any] = {}
    exec(compile(_source(form), __file__, "exec"), names)
    code: CodeType = names["call"].__code__
    return code


def _source(form: _Form) -> str:
    """The text of a function that makes the call."""
    arrays, count = form.arrays, len(form.arrays)
    unrolled = count <= UNROLLED
    lands = [k for k, each in enumerate(arrays) if each != "ours"]
    return _TEXT.format(
        conditions=form.conditions,
        unpacked=_all("x", count) if unrolled else "leaves",
        leaves=form.leaves,
        same=_same(arrays, form.bounded) if unrolled else _LOOP,
        chosen=" and here() is place" if len(lands) == count else "",
        landed=_landed(lands, count) if lands else "",
        buffers=_buffers(arrays) if unrolled else "x._impl for x in leaves",
        left="executable.leave(landing, results)" if lands else "",
        result=_result(form),
    )


def _all(letter: str, count: int) -> str:
    return "".join([f"{letter}{k}, " for k in range(count)])


def _among(letter: str, numbers: Sequence[int], count: int) -> str:
    """Names for some of so many values."""
    return "".join([f"{letter}{k}, " if k in numbers else "_, " for k in range(count)])


def _result(form: _Form) -> str:
    """The lines that make arrays of the results, and put them into their containers."""
    if not 0 < form.results <= UNROLLED:
        return _MAPPED + _expression(form.parts, "results[{k}]")
    return _TAKEN.format(results=_all("r", form.results)) + _expression(form.parts, "array(r{k}, m{k})")


def _same(arrays: tuple[str, ...], bounded: tuple[bool, ...]) -> str:
    """The condition on the types of all arrays, then on the bounds of indices. What is no array of our own has no
    `_ready`: the first is asked whether it is one, and others are asked for their attribute."""
    conditions = [f"type(x{arrays.index('ours')}) is array"] if "ours" in arrays else []
    conditions += [_CONDITIONS[each].format(k=k) for k, each in enumerate(arrays)]
    conditions += [f"below(x{k}, l{k})" for k, is_bounded in enumerate(bounded) if is_bounded]
    return " and ".join(conditions)


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
    return _LAND.format(slots=_among("s", lands, count)) + "".join([_COPY.format(k=k) for k in lands])


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

_LOOP = "type(leaves[0]) is array and [x._ready for x in leaves] == wanted"

_TAKEN = """{results}= results
        return """

_MAPPED = """results = [*map(array, results, made)]
        return """

_TEXT = """
def call(*args, **kwargs):
    same = False
    try:
        if {conditions}:
            {unpacked} = {leaves}
            same = {same}
    except (AttributeError, KeyError):
        pass
    if same and switch() is None and not threads.are_lost{chosen}:{landed}
        try:
            results = execute([{buffers}]).consume_with_handlers(handlers)
        except RuntimeFault as fault:
            raise explained(fault) from None
        {left}
        tally.hits += 1
        {result}
    return otherwise(*args, **kwargs)
"""
