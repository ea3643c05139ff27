"""Results for Python: arrays put back into the containers their types ask for, and the check before they
are read.

Read next: `function`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from operator import itemgetter
from typing import Any, cast

import numpy as np

from dsl.host.argument_errors import Problem
from dsl.host.arguments.inputs import Container
from dsl.host.results.failures import raise_failure
from dsl.ir.function import Literal, Tensor
from dsl.staging.values import (
    FUNCTIONS,
    LinearMap,
    RecordValue,
    Site,
    Slot,
    TupleValue,
    Value,
    VariantValue,
    decided_sizes,
    leaves,
)
from dsl.types.size import Size
from lowering.xla.array import Array
from lowering.xla.array_state import prefix

Rebuild = Callable[[Sequence[Any]], Any]
Present = Callable[[VariantValue], Any]


def rebuilding(output: Value, containers: Mapping[tuple[str, ...], Container], present: Present) -> Rebuild:
    """From the arrays of a result to what Python sees. Records come in the containers they were given in. A function
    in a result is a `Problem`: it belongs to the program, and to the arrays it has captured."""
    if any(isinstance(leaf, FUNCTIONS) and not isinstance(leaf, LinearMap) for leaf in leaves(output)):
        what = "a function" if isinstance(output, FUNCTIONS) else "something with a function in it"
        help = "call it in a function of the program, and give out what that gives"
        raise Problem("E0917", f"the result is {what}, which Python cannot take", help=help)
    made, stop = _maker(output, 0, containers, present)
    sizes = decided_sizes(output)
    return made if not sizes else _at_true_size(made, output, sizes, stop)


def _at_true_size(made: Rebuild, output: Value, sizes: Sequence[Size], stop: int) -> Rebuild:
    """From arrays that are padded, and how many elements there are of each of the `sizes`, which stand behind these."""
    slots = [leaf.type for leaf in leaves(output) if isinstance(leaf, Slot)]

    def cut(arrays: Sequence[Any]) -> Any:
        counts = [int(np.asarray(count)) for count in arrays[stop : stop + len(sizes)]]
        known = dict(zip(sizes, counts, strict=True))
        ends = [_ends(type, known) for type in slots]
        cut = [x if end is None else prefix(x, end) for x, end in zip(arrays, ends, strict=False)]
        return made(cut)

    return cut


def _ends(type: Tensor, known: Mapping[Size, int]) -> tuple[slice, ...] | None:
    """How far an array reaches along its axes; None if it is no longer than that."""
    ends = [known.get(cast("Size", extent)) for extent in type.shape]
    return tuple(map(slice, ends)) if any(end is not None for end in ends) else None


def require_sizes(output: Value, what: str) -> None:
    """Demand that the sizes of a result are known before a run. Raises `Problem` E0917."""
    if decided_sizes(output):
        help = "call the function: the result then has the size that the data decide"
        raise Problem("E0917", f"the size of the result is decided by data, and {what}", help=help)


def _maker(
    output: Value, start: int, containers: Mapping[tuple[str, ...], Container], present: Present
) -> tuple[Rebuild, int]:
    """Return the constructor of a part of a result from all arrays, starting at `start`, and where its arrays end."""
    match output:
        case Slot(keys=True):
            return lambda arrays: _as_keys(arrays[start]), start + 1
        case Slot():
            return itemgetter(start), start + 1
        case TupleValue(parts):
            makers, stop = _makers(parts, start, containers, present)
            flat = all(map(_is_array, parts))
            return (_slice(start, stop, tuple) if flat else lambda arrays: tuple([m(arrays) for m in makers])), stop
        case RecordValue(fields, order):
            names, values = tuple([name for name, _ in fields]), [value for _, value in fields]
            makers, stop = _makers(values, start, containers, present)
            build = containers.get(names, dict)
            if build is dict and len(names) > 1 and all(map(_is_array, values)):
                return _flat_dict(names, order or names, start), stop
            named = dict(zip(names, makers, strict=True))
            ordered = [(name, named[name]) for name in order or names]
            return lambda arrays: build({name: m(arrays) for name, m in ordered}), stop
        case VariantValue():
            return lambda arrays: present(output), start
        case Literal(value, type):
            return lambda arrays: np.full(type.shape, value, type.dtype.numpy), start
        case LinearMap():
            stop = start + len(output.residuals)
            return _slice(start, stop, lambda found: _linear(output, list(found))), stop
        case _:
            return lambda arrays: output, start


def _flat_dict(names: Sequence[str], order: Sequence[str], start: int) -> Rebuild:
    """Return the constructor of a dict of arrays, the first of which is at `start`, from all arrays."""
    places = [start + names.index(name) for name in order]
    if places == [*range(len(names))]:
        return lambda arrays: dict(zip(order, arrays, strict=False))
    pick = itemgetter(*places)
    return lambda arrays: dict(zip(order, pick(arrays), strict=True))


def _is_array(part: Value) -> bool:
    """Return whether a part of a result is an array as it comes."""
    return isinstance(part, Slot) and not part.keys


def _as_keys(words: Any) -> Any:
    """Return the words of a key as a key, and NumPy arrays unchanged."""
    return words.as_keys() if isinstance(words, Array) else words


def _makers(
    parts: Sequence[Value], start: int, containers: Mapping[tuple[str, ...], Container], present: Present
) -> tuple[list[Rebuild], int]:
    makers: list[Rebuild] = []
    for part in parts:
        made, start = _maker(part, start, containers, present)
        makers.append(made)
    return makers, start


def _slice(start: int, stop: int, build: Callable[[Sequence[Any]], Any]) -> Rebuild:
    """Return the constructor of a part of a result from the arrays between `start` and `stop`."""
    return lambda arrays: build(arrays[start:stop])


class Verdict:
    """The error code of one run. Called before any of its results is read; raises the failed check."""

    __slots__ = ("_code", "_earlier", "_sites")

    def __init__(self, code: Array | None, sites: Sequence[Site], earlier: Sequence[Callable[[], None]]) -> None:
        self._code = code
        self._sites = sites
        self._earlier = earlier

    def __call__(self) -> None:
        for verdict in self._earlier:
            verdict()
        if self._code is not None:
            raise_failure(int(np.asarray(self._code)), self._sites)


def _linear(function: LinearMap, residuals: Sequence[Array]) -> Any:
    """Return the caller of a linear function. The compiler is imported late, since few results contain one."""
    return import_module("dsl.host.results.linear").Linear(function, residuals)
