"""Calls of an executable that are like the one before: each is one function, written for its number of arrays.

Between the call and XLA stands only what tells that the call is such a one, array by array: a loop over ten arrays
costs half a microsecond. Everything else is the caller's: `otherwise` is called for a call of another kind, before
anything has run. Read next: `execute`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, partial
from types import CodeType, FunctionType, MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.records import replace
from lowering.xla.adapter import RuntimeFault
from lowering.xla.array import Array
from lowering.xla.array_state import lie_below
from lowering.xla.backends import here
from lowering.xla.execute import Executable, OutOfMemory
from lowering.xla.forks import threads
from lowering.xla.parts import Joined, PlacedPart, budget
from lowering.xla.result_buffers import bytes_in, room, starts

UNROLLED = 64
"""Up to so many arrays are looked at one by one, more of them in a loop."""

WITH_PARTS = 512
"""Up to so many arrays, if some are parts of buffers: none of them costs a step of its own."""


PARTS = frozenset({"part", "lone"})
"""The forms of arrays that are parts of buffers: several of one at known places, or any array of a type, which
need not be a part."""


class Tally(Struct):
    """How many calls have found their program."""

    hits: int = 0


class Finding(Struct, frozen=True):
    """How arrays are found in `args` and `kwargs`, as text: `conditions` of the structure of a call, and an expression
    for all `leaves`. Both call the values of `known` `k0`, `k1`, …; a key that a dict lacks may be asked for. Of those
    in `args` that are leaves themselves, `tops` are the places and the numbers."""

    conditions: str
    leaves: str
    known: tuple[Any, ...]
    tops: tuple[tuple[int, int], ...] = ()


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
    between `bounds`. `limit` is what its integers must be below, where it holds indices. `part` is where an array of
    the device lies that is a part of a buffer: several are parts of that with the number `whole`; 0 stands for any."""

    kind: type
    limit: int | None = None
    bounds: tuple[Any, Any] | None = None
    part: PlacedPart | None = None
    whole: int = 0

    @property
    def form(self) -> str:
        """Return the name of its form, on which the text of a call depends."""
        if self.part is not None:
            return "part" if self.whole else "lone"
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


class Hot(Struct, frozen=True, eq=False):
    """Makes the function that calls one program, from the one to call in all other cases. `marks` tell such calls from
    those of other programs: what `mark` gives for the arguments at some places."""

    code: CodeType
    names: Mapping[str, Any]
    marks: Mapping[int, Hashable]

    def __call__(self, otherwise: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function. It finds its values among its globals, which lie together in memory. The code is a copy,
        in which the interpreter notes where they are."""
        return FunctionType(self.code.replace(), {**self.names, "otherwise": otherwise})


MANY = 4
"""So many programs in turns are told apart by a table, fewer one after another."""


def by_marks(hots: Sequence[Hot], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that calls one of several programs, of which an argument tells, or else `otherwise`, which it
    is where no argument does."""
    places = set.intersection(*[set(hot.marks) for hot in hots]) if len(hots) >= MANY else set()
    apart = {place: len({hot.marks[place] for hot in hots}) for place in sorted(places)}
    place = max(apart, key=apart.__getitem__, default=0)
    if apart.get(place, 0) < MANY:
        return otherwise
    find = {hot.marks[place]: hot(otherwise) for hot in reversed(hots)}.get
    array, ndarray, longer = Array, np.ndarray, place + 1

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) >= longer:
            x = args[place]
            if type(x) is array:
                return find(x._ready, otherwise)(*args, **kwargs)
            if type(x) is ndarray:
                return find(x.shape, otherwise)(*args, **kwargs)
        return otherwise(*args, **kwargs)

    return call


def _marks(executable: Executable, given: Sequence[Given], finding: Finding) -> Mapping[int, Hashable]:
    """The marks of calls with arrays that come so: of one of NumPy its shape."""
    found: dict[int, Hashable] = {}
    for place, k in finding.tops:
        match given[k].form:
            case "ours":
                found[place] = executable.params[k]
            case "part":
                found[place] = given[k].part
            case "host":
                found[place] = executable.params[k].shape
    return found


class Run(Struct, frozen=True):
    """A copy of bytes from `start` to `stop` of a buffer, by its number, to the memory that starts `at`."""

    whole: int
    start: int
    stop: int
    at: int


class _Form(Struct, frozen=True):
    """The form of a call, on which its text depends: those of its arrays, and which hold indices; the text that finds
    them; how many results there are, how often those in each buffer that has several may be copied, and in which buffer
    each lies; and the parts of the text that puts them together. `homes` is the memory that arrays which are parts of
    buffers are copied to, `runs` say of those of one buffer which bytes of it go where, `wholes` which they are."""

    arrays: tuple[str, ...]
    bounded: tuple[bool, ...]
    conditions: str
    leaves: str
    results: int
    packs: tuple[int, ...]
    buffers: tuple[int, ...]
    parts: tuple[str | int, ...]
    homes: tuple[tuple[int, int], ...]
    wholes: tuple[tuple[int, ...], ...]
    runs: tuple[Run, ...]

    @property
    def lone(self) -> list[int]:
        """Return which arrays may be parts of any buffer."""
        return [k for k, each in enumerate(self.arrays) if each == "lone"]


def hot_call(
    executable: Executable, given: Sequence[Given], around: Surroundings, anywhere: bool = False
) -> Hot | None:
    """Return what makes the function that calls an executable with arrays of its types, which come as said; those of
    the device lie where it runs, and small ones may be parts of any buffers if `anywhere`. None for programs that
    print, for those without arrays, which run where it is chosen, where arrays of NumPy have no memory to land in, and
    where those that are looked at are many."""
    if executable.prints or not given or len(given) != len(executable.params):
        return None
    if anywhere:
        given = [
            replace(each, whole=0, part=placed.part(0)) if each.kind is Array and room(placed.type) else each
            for each, placed in zip(given, executable.params, strict=True)
        ]
    arrays, bounded = tuple([each.form for each in given]), tuple([each.limit is not None for each in given])
    lands, most = set(arrays) != {"ours"}, WITH_PARTS if "part" in arrays else UNROLLED
    if (len(given) > most and (lands or any(bounded))) or (lands and not executable.lands):
        return None
    executable.settle_start()
    finding = around.finding
    form = _Form(
        arrays,
        bounded,
        finding.conditions,
        finding.leaves,
        len(executable.results),
        tuple([budget(pack) for pack in executable.packs]),
        tuple(executable.homes),
        around.building.parts,
        *_copies(executable, given),
    )
    return Hot(_code(form), _names(executable, given, around), _marks(executable, given, finding))


def _copies(
    executable: Executable, given: Sequence[Given]
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, ...], ...], tuple[Run, ...]]:
    """Where arrays that are parts of buffers are copied to, which are parts of one, for each buffer, and how its bytes
    become arguments: in one copy what lies there as it does in the memory of these."""
    if not any(each.part for each in given):
        return (), (), ()
    homes = [
        (at, at + bytes_in(placed.type))
        for at, placed in zip(starts(executable.params), executable.params, strict=True)
    ]
    numbers: dict[int, list[int]] = {}
    for k, each in enumerate(given):
        if each.form == "part":
            numbers.setdefault(each.whole, []).append(k)
    runs: list[Run] = []
    for whole, members in enumerate(numbers.values()):
        end = None
        for k in members:
            part, at = given[k].part, homes[k][0]
            assert part is not None
            if end == (part.start, at):
                runs[-1] = replace(runs[-1], stop=part.stop)
            else:
                runs.append(Run(whole, part.start, part.stop, at))
            taken = room(part.placed.type)
            end = part.start + taken, at + taken
    return tuple(homes), tuple(map(tuple, numbers.values())), tuple(runs)


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
        "joined": Joined,
        "placedpart": PlacedPart,
        "spread": executable.spread,
        "RuntimeFault": RuntimeFault,
        "explained": partial(executable.explained, told=around.explained),
        **_numbered("w", executable.params),
        **_numbered("m", executable.results),
        **_numbered("l", [each.limit for each in given]),
        **_numbered("t", [each.kind for each in given]),
        **_numbered("p", [each.part for each in given]),
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
    unrolled = count <= UNROLLED or set(arrays) != {"ours"}
    lands = [k for k, each in enumerate(arrays) if each != "ours"]
    return _TEXT.format(
        conditions=form.conditions,
        unpacked=_all("x", count) if unrolled else "leaves",
        leaves=form.leaves,
        same=_same(form) if unrolled else _LOOP,
        chosen=" and here() is place" if len(lands) == count and PARTS.isdisjoint(arrays) else "",
        landed=_landed(form, lands) if lands else "",
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
        source = "spread(results)" if form.packs else "results"
        return _MAPPED.format(results=source) + _expression(form.parts, "results[{k}]")
    homes, count = form.buffers, max(form.buffers) + 1
    packs = "".join([_JOINED.format(k=k, left=left) for k, left in enumerate(form.packs, count - len(form.packs))])
    parts = [part if isinstance(part, str) else f"array(r{homes[part]}, m{part})" for part in form.parts]
    return _TAKEN.format(results=_all("r", count), packs=packs) + _expression(parts, "")


def _same(form: _Form) -> str:
    """The condition on the types of all arrays, then on the bounds of indices. What is no array of our own has no
    `_ready`: the first is asked whether it is one, and others are asked for their attribute."""
    arrays = form.arrays
    first = next((k for k, each in enumerate(arrays) if each == "ours" or each in PARTS), None)
    conditions = [] if first is None else [f"type(x{first}) is array"]
    conditions += [_CONDITIONS[each].format(k=k) for k, each in enumerate(arrays)]
    for number, (one, *others) in enumerate(form.wholes):
        conditions.append(f"type(j{number} := x{one}._impl) is joined and j{number}.left > 0")
        conditions += [f"x{k}._impl is j{number}" for k in others]
    conditions += [f"below(x{k}, l{k})" for k, is_bounded in enumerate(form.bounded) if is_bounded]
    return " and ".join(conditions)


def _buffers(arrays: tuple[str, ...]) -> str:
    return "".join([f"x{k}._impl, " if each == "ours" else f"b{k}, " for k, each in enumerate(arrays)])


_CONDITIONS = MappingProxyType(
    {
        "ours": "x{k}._ready is w{k}",
        "part": "x{k}._ready is p{k}",
        "lone": "((q{k} := x{k}._ready) is w{k} or type(q{k}) is placedpart and q{k}.placed is w{k} "
        "and q{k}.free is q{k} and type(i{k} := x{k}._impl) is joined and i{k}.left > 0)",
        "host": "type(x{k}) is ndarray and x{k}.dtype is w{k}.dtype and x{k}.shape == w{k}.shape",
        "scalar": "type(x{k}) is t{k}",
        "number": "type(x{k}) is t{k} and n{k}[0] <= x{k} <= n{k}[1]",
    }
)


def _landed(form: _Form, lands: Sequence[int]) -> str:
    """The lines that find a buffer for each array that has none on the device."""
    count, copied = len(form.arrays), [k for k in lands if form.arrays[k] not in PARTS]
    text = _LAND
    if len(copied) < len(lands):
        text += _BLOCK.format(buffers=_among("b", [k for k in lands if k not in copied], count))
        text += "".join([_LONE.format(k=k, at=form.homes[k][0], end=form.homes[k][1]) for k in form.lone])
        text += "".join([_WHOLE.format(k=k, count=len(each)) for k, each in enumerate(form.wholes)])
        text += "".join([_RUN.format(run=run, end=run.at + run.stop - run.start) for run in form.runs])
    if copied:
        text += _SLOTS.format(slots=_among("s", copied, count)) + "".join([_COPY.format(k=k) for k in copied])
    return text


_LAND = """
        landing = executable.land()
        if landing is None:
            return otherwise(*args, **kwargs)"""

_BLOCK = """
        block = landing.block
        if block is None:
            return otherwise(*args, **kwargs)
        {buffers}= landing.buffers"""

_LONE = """
        if q{k} is w{k}:
            b{k} = x{k}._impl
        else:
            i{k}.left -= 1
            block[{at}:{end}] = (i{k}.seen or i{k}.bytes())[q{k}.start:q{k}.stop]"""

_WHOLE = """
        j{k}.left -= {count}
        h{k} = j{k}.seen
        if h{k} is None:
            h{k} = j{k}.bytes()"""

_RUN = """
        block[{run.at}:{end}] = h{run.whole}[{run.start}:{run.stop}]"""

_SLOTS = """
        {slots}= landing.slots"""

_COPY = """
        b{k} = s{k}[4]
        if b{k} is None:
            b{k} = place.copied(asarray(x{k}, w{k}.dtype), w{k})
        else:
            s{k}[3][...] = x{k}"""

_LOOP = "type(leaves[0]) is array and [x._ready for x in leaves] == wanted"

_TAKEN = """{results}= results{packs}
        return """

_JOINED = """
        r{k} = joined(r{k}, {left})"""

_MAPPED = """results = [*map(array, {results}, made)]
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
