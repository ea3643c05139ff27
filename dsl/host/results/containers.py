"""Results for Python: arrays put back into the containers their types ask for, and the check before they
are read.

Read next: `function`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from importlib import import_module
from operator import itemgetter
from types import CodeType
from typing import Any, TypeAlias, cast

import numpy as np
from msgspec import Struct

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
from lowering.xla.hot_calls import Building

Present = Callable[[VariantValue], Any]

Parts: TypeAlias = list[str | int]
"""Those of an expression, as in `Building`."""

DEEP = 64
"""Containers within one another in one expression. Python reads 200 brackets, and each container has one or two."""


class Rebuild(Struct, frozen=True):
    """Puts the arrays of a result into containers. `building` is the same as text, for calls that are written out."""

    building: Building
    call: Callable[[Sequence[Any]], Any]

    def __call__(self, arrays: Sequence[Any]) -> Any:
        return self.call(arrays)


def rebuilding(output: Value, containers: Mapping[tuple[str, ...], Container], present: Present) -> Rebuild:
    """From the arrays of a result to what Python sees. Records come in the containers they were given in. A function
    in a result is a `Problem`: it belongs to the program, and to the arrays it has captured."""
    if any(isinstance(leaf, FUNCTIONS) and not isinstance(leaf, LinearMap) for leaf in leaves(output)):
        what = "a function" if isinstance(output, FUNCTIONS) else "something with a function in it"
        help = "call it in a function of the program, and give out what that gives"
        raise Problem("E0917", f"the result is {what}, which Python cannot take", help=help)
    writer = _Writer(containers, present)
    made = _rebuild(Building(tuple(writer.written(output)), tuple(writer.known)))
    sizes = decided_sizes(output)
    return made if not sizes else _at_true_size(made, output, sizes, writer.count)


def _rebuild(building: Building) -> Rebuild:
    if building.parts == (0,):
        return Rebuild(building, itemgetter(0))
    names = {f"c{k}": value for k, value in enumerate(building.known)}
    return Rebuild(building, eval(_code(building.parts), names))


@lru_cache(maxsize=256)
def _code(parts: tuple[str | int, ...]) -> CodeType:
    return compile(f"lambda arrays: {Building(parts, ()).text('arrays[{k}]')}", __file__, "eval")


def _at_true_size(made: Rebuild, output: Value, sizes: Sequence[Size], stop: int) -> Rebuild:
    """From arrays that are padded, and how many elements there are of each of the `sizes`, which stand behind these."""
    slots = [leaf.type for leaf in leaves(output) if isinstance(leaf, Slot)]

    def cut(*arrays: Any) -> Any:
        counts = [int(np.asarray(count)) for count in arrays[stop:]]
        known = dict(zip(sizes, counts, strict=True))
        ends = [_ends(type, known) for type in slots]
        cut = [x if end is None else prefix(x, end) for x, end in zip(arrays, ends, strict=False)]
        return made(cut)

    return _rebuild(Building(tuple(_joined("c0(", [[k] for k in range(stop + len(sizes))], ")")), (cut,)))


def _ends(type: Tensor, known: Mapping[Size, int]) -> tuple[slice, ...] | None:
    """How far an array reaches along its axes; None if it is no longer than that."""
    ends = [known.get(cast("Size", extent)) for extent in type.shape]
    return tuple(map(slice, ends)) if any(end is not None for end in ends) else None


def require_sizes(output: Value, what: str) -> None:
    """Demand that the sizes of a result are known before a run. Raises `Problem` E0917."""
    if decided_sizes(output):
        help = "call the function: the result then has the size that the data decide"
        raise Problem("E0917", f"the size of the result is decided by data, and {what}", help=help)


class _Writer:
    """Writes the expression that builds a result. `count` is how many arrays it has so far, `known` what it names."""

    def __init__(self, containers: Mapping[tuple[str, ...], Container], present: Present) -> None:
        self.containers = containers
        self.present = present
        self.count = 0
        self.known: list[Any] = []

    def written(self, output: Value, level: int = 0) -> Parts:
        """The parts of the expression for a part of the result, which is within `level` containers."""
        if level == DEEP:
            return self._apart(output)
        match output:
            case Slot(keys=True):
                return self._call(_as_keys, [self._next()])
            case Slot():
                return self._next()
            case TupleValue(parts):
                return _joined("(", [self.written(part, level + 1) for part in parts], ")")
            case RecordValue():
                return self._record(output, level + 1)
            case VariantValue():
                return self._call(partial(self.present, output), [])
            case Literal(value, type):
                return self._call(partial(np.full, type.shape, value, type.dtype.numpy), [])
            case LinearMap():
                return self._call(partial(_linear, output), [self._next() for _ in output.residuals])
            case _:
                return [self._name(output)]

    def _apart(self, output: Value) -> Parts:
        """A call of a function that builds a part by an expression of its own."""
        inner = _Writer(self.containers, self.present)
        made = _rebuild(Building(tuple(inner.written(output)), tuple(inner.known)))
        return self._call(lambda *arrays: made(arrays), [self._next() for _ in range(inner.count)])

    def _record(self, record: RecordValue, level: int) -> Parts:
        """A dict in the order that was written, and the container that is made of one."""
        found = {name: self.written(value, level) for name, value in record.fields}
        names = tuple(found)
        fields = [[f"{name!r}: ", *found[name]] for name in record.order or names]
        build, made = self.containers.get(names, dict), _joined("{", fields, "}")
        return made if build is dict else self._call(build, [made])

    def _next(self) -> Parts:
        self.count += 1
        return [self.count - 1]

    def _call(self, function: Callable[..., Any], args: Sequence[Parts]) -> Parts:
        return _joined(f"{self._name(function)}(", args, ")")

    def _name(self, value: Any) -> str:
        self.known.append(value)
        return f"c{len(self.known) - 1}"


def _joined(start: str, items: Sequence[Parts], end: str) -> Parts:
    """The items between brackets, each followed by a comma."""
    return [start, *[part for item in items for part in (*item, ", ")], end]


def _as_keys(words: Any) -> Any:
    """Return the words of a key as a key, and NumPy arrays unchanged."""
    return words.as_keys() if isinstance(words, Array) else words


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


def _linear(function: LinearMap, *residuals: Array) -> Any:
    """Return the caller of a linear function. The compiler is imported late, since few results contain one."""
    return import_module("dsl.host.results.linear").Linear(function, residuals)
