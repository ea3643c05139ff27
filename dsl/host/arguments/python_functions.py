"""Functions of Python as arguments: called while a program runs, where the type of the parameter has the effect `io`.

    def fit(log: (i32, f32) -> () ! io, x: f32[n]) -> f32[n] ! io = …
    m.fit(lambda step, loss: bar.update(step), x)

What one gives is held against the declared type at every call. Read next: `binding`, which makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import CheckError, Diagnostic, Help, Label
from dsl.diagnostics.source import Span
from dsl.host.argument_errors import Problem
from dsl.host.arguments.inputs import evaluate_bounds, inputs
from dsl.host.arguments.pytree import flatten
from dsl.ir.function import Tensor
from dsl.records import replace
from dsl.staging.env.environment import Variables
from dsl.staging.values import PythonFunction, RecordValue, Slot, TupleValue, Value, leaves, map_leaves
from dsl.types.dtype import I32, U32
from dsl.types.numpy_dtypes import plain
from dsl.types.show import show_type
from dsl.types.type import (
    UNIT,
    ArrayType,
    IndexType,
    KeyType,
    RecordType,
    StackedType,
    TupleType,
    Type,
    TypeVar,
)

if TYPE_CHECKING:
    from dsl.host.arguments.binding import Binder


def settled(value: Value, binder: Binder, parameter: core.Parameter) -> Value:
    """The static argument with the sizes and dtypes that this call has. Raises `Problem` E0901."""

    def of(leaf: Value) -> Value:
        if not isinstance(leaf, PythonFunction):
            return leaf
        params = tuple([_skeleton(t, binder.variables, leaf.name) for t in leaf.type.params])
        typed = replace(leaf, params=params, result=_skeleton(leaf.type.result, binder.variables, leaf.name))
        return replace(typed, call=_Call(typed, binder, parameter.span))

    return map_leaves(of, value)


def _skeleton(type: Type, variables: Variables, path: str, front: tuple[int, ...] = ()) -> Value:
    """The leaves of a type, as arrays."""

    def inside(part: Type) -> Value:
        return _skeleton(part, variables, path, front)

    match type:
        case ArrayType(dtype, shape) if (found := variables.dtype(dtype)) is not None:
            return Slot(Tensor(found, (*front, *variables.shape(shape))))
        case IndexType(_, shape):
            return Slot(Tensor(I32, (*front, *variables.shape(shape))))
        case KeyType(shape):
            return Slot(Tensor(U32, (*front, *variables.shape(shape), 2)))
        case TupleType(parts):
            return TupleValue(tuple([inside(part) for part in parts]))
        case RecordType(fields):
            return RecordValue(tuple([(name, inside(part)) for name, part in fields]))
        case StackedType(element, axes):
            return _skeleton(element, variables, path, (*front, *variables.shape(axes)))
        case TypeVar() if type in variables.types:
            return map_leaves(lambda leaf: _in_front(leaf, front), variables.types[type])
        case _:
            raise Problem("E0901", f"{path} takes or gives {show_type(type)}, which a function of Python cannot")


def _in_front(leaf: Value, front: tuple[int, ...]) -> Value:
    return Slot(Tensor(leaf.type.dtype, (*front, *leaf.type.shape))) if isinstance(leaf, Slot) else leaf


class _Call(Struct, frozen=True):
    """Calls a Python function from a running program."""

    of: PythonFunction
    binder: Binder
    place: Span

    def __call__(self, *arrays: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], ...]:
        given = iter(arrays)
        args = [_python_value(param, given) for param in self.of.params]
        try:
            value = self.of.call(*args)
        except Exception as failure:
            message = f"`{self.of.name}` raised {type(failure).__name__}: {failure}"
            raise CheckError([Diagnostic("E0941", message, Label(self.place, "this function"))]) from failure
        if self.of.type.result == UNIT:
            return ()
        try:
            return self._checked(value)
        except Problem as problem:
            help = (Help(problem.help),) if problem.help else ()
            raise CheckError([Diagnostic("E0942", problem.message, Label(self.place), help=help)]) from None

    def _checked(self, value: Any) -> tuple[np.ndarray[Any, Any], ...]:
        """The arrays of a result. Raises `Problem` where it is not of the declared type."""
        path = f"{self.of.name}(…)"
        binder = self.binder.again()
        found = binder.structure(self.of.type.result, value, path)
        for given, wanted in zip(leaves(found), leaves(self.of.result), strict=True):
            if given != wanted:
                types = [leaf.type if isinstance(leaf, Slot) else leaf for leaf in (given, wanted)]
                raise Problem("E0903", f"{path} is {types[0]}, not {types[1]}")
        parts: list[Any] = []
        flatten(value, parts, [])
        steps = [evaluate_bounds(step, binder.variables.size) for step in binder.steps]
        return tuple([np.asarray(x) for x in inputs(steps, iter(parts))])


def _python_value(skeleton: Value, arrays: Iterator[np.ndarray[Any, Any]]) -> Any:
    """Return the Python value of a skeleton: NumPy arrays, Python numbers for scalars, dicts for records."""
    match skeleton:
        case TupleValue(parts):
            return tuple([_python_value(part, arrays) for part in parts])
        case RecordValue(fields):
            return {name: _python_value(part, arrays) for name, part in fields}
        case Slot():
            return plain(next(arrays))
        case _:
            return skeleton
