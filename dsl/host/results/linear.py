"""Linear functions that `dsl.vjp` and `dsl.linearize` return: residuals on the device, IR compiled when
called.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dsl.host.argument_errors import Problem, of_linear
from dsl.host.arguments.conversions import read_array
from dsl.host.arguments.placement import where
from dsl.host.arguments.pytree import parts_of
from dsl.host.arguments.shares import devices_for
from dsl.host.compiling.compile_errors import passes_for
from dsl.host.results.containers import Rebuild, rebuilding
from dsl.host.results.shape_dtype_struct import format_types
from dsl.host.results.variants import Variant
from dsl.ir import text
from dsl.staging.values import LinearMap, RecordValue, Slot, TupleValue, Value
from dsl.transforms.pipeline import RESUMING, TIDY, run
from lowering.stablehlo.module import lower
from lowering.xla.array import Array
from lowering.xla.compile import compile
from lowering.xla.execute import Executable
from lowering.xla.foreign import settled


class Linear:
    """Call it with one tangent per argument, or with a cotangent of the result."""

    def __init__(self, map: LinearMap, residuals: Sequence[Array]) -> None:
        self._map = map
        self._residuals = tuple(residuals)

    @property
    def type(self) -> str:
        """`(f32[n]) -> (f32,)`: what it takes and what it gives."""
        return f"({', '.join(map(format_types, self._map.inputs))}) -> {format_types(self._map.output)}"

    @property
    def ir(self) -> str:
        """Its IR as text; the residuals come before the arguments."""
        return text.show(run(self._map.function, TIDY))

    def __repr__(self) -> str:
        return f"<dsl linear {self.type}>"

    @cached_property
    def _executable(self) -> Executable:
        function = self._map.function
        try:
            devices = devices_for(function, where(self._residuals), {})
        except Problem as problem:
            raise of_linear(problem.code, problem.message) from None
        made = run(function, passes_for(RESUMING, devices))
        return compile(lower(made, devices=len(devices), settle=settled, platform=devices[0].platform), devices=devices)

    @cached_property
    def _rebuild(self) -> Rebuild:
        return rebuilding(self._map.output, {}, Variant)

    def __call__(self, *args: Any, **named: Any) -> Any:
        shapes = self._map.inputs
        if named:
            raise of_linear("E0906", f"this linear function has no parameter `{next(iter(named))}`: none has a name")
        if len(args) != len(shapes):
            code = "E0905" if len(args) < len(shapes) else "E0906"
            raise of_linear(code, f"this linear function takes {len(shapes)} arguments, not {len(args)}")
        given: list[Any] = []
        for shape, arg in zip(shapes, args, strict=True):
            _collect(shape, arg, given)
        return self._rebuild(self._executable(*self._residuals, *given))


def _collect(shape: Value, value: Any, found: list[Any]) -> None:
    """The leaves of `value` at the slots of `shape`, in the types they have there."""
    match shape:
        case Slot(type):
            array = value if isinstance(value, Array) and value.type == type else _converted(value, shape)
            found.append(array)
        case TupleValue(parts):
            inner = parts_of(value)
            if parts and (inner is None or len(inner[1]) != len(parts)):
                raise of_linear("E0915", f"expected a tuple of {len(parts)} parts")
            for part, item in zip(parts, inner[1] if inner else (), strict=True):
                _collect(part, item, found)
        case RecordValue(fields):
            inner = parts_of(value)
            if inner is None or inner[0] != tuple([name for name, _ in fields]):
                names = ", ".join(name for name, _ in fields)
                raise of_linear("E0908", f"expected a record with the fields {names}")
            for (_, part), item in zip(fields, inner[1], strict=True):
                _collect(part, item, found)


def _converted(value: Any, slot: Slot) -> Any:
    """An argument converts where that loses nothing, as it does for a parameter of this dtype."""
    try:
        read = read_array(value, slot.type.dtype, "the argument", str(slot.type))
        made = np.asarray(value if read.convert is None else read.convert(value if read.parts is None else read.parts))
    except Problem as problem:
        raise of_linear(problem.code, problem.message) from None
    if made.shape != slot.type.shape:
        raise of_linear("E0903", f"expected {slot.type}, not {made.dtype}{list(made.shape)}")
    return made
