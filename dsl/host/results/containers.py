"""Results for Python: arrays put back into the containers their types ask for, and the check before they
are read.

Read next: `function`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dsl.diagnostics.diagnostic import CheckError, Diagnostic, Label
from dsl.host.argument_errors import Problem
from dsl.host.arguments.inputs import Container
from dsl.host.results.linear import Linear
from dsl.staging.env.stager import Site
from dsl.staging.values import FUNCTIONS, LinearMap, RecordValue, Slot, TupleValue, Value, VariantValue, leaves
from lowering.xla.array import Array

Rebuild = Callable[[Sequence[Any]], Any]
Present = Callable[[VariantValue], Any]


def rebuilding(output: Value, containers: Mapping[tuple[str, ...], Container], present: Present) -> Rebuild:
    """From the arrays of a result to what Python sees. Records come in the containers they were given in. A function
    in a result is a `Problem`: it belongs to the program, and to the arrays it has captured."""
    if any(isinstance(leaf, FUNCTIONS) and not isinstance(leaf, LinearMap) for leaf in leaves(output)):
        what = "a function" if isinstance(output, FUNCTIONS) else "something with a function in it"
        help = "call it in a function of the program, and give out what that gives"
        raise Problem("E0917", f"the result is {what}, which Python cannot take", help=help)
    if isinstance(output, Slot):
        return lambda arrays: arrays[0]
    if isinstance(output, TupleValue) and all(isinstance(part, Slot) for part in output.parts):
        return tuple
    return lambda arrays: _rebuilt(output, iter(arrays), containers, present)


def _rebuilt(
    output: Value, arrays: Iterator[Any], containers: Mapping[tuple[str, ...], Container], present: Present
) -> Any:
    match output:
        case Slot():
            return next(arrays)
        case TupleValue(parts):
            return tuple([_rebuilt(part, arrays, containers, present) for part in parts])
        case RecordValue(fields):
            build = containers.get(tuple([name for name, _ in fields]), dict)
            return build({name: _rebuilt(part, arrays, containers, present) for name, part in fields})
        case VariantValue():
            return present(output)
        case LinearMap():
            return Linear(output, [next(arrays) for _ in output.residuals])
        case _:
            return output


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


def raise_failure(code: int, sites: Sequence[Site]) -> None:
    if code:
        site = sites[code - 1]
        raise CheckError([Diagnostic("E0940", site.message, Label(site.span, "this check failed"))])
