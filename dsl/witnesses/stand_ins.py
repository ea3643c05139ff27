"""Values of types: what stands for a function, an operation or a result of which a witness knows nothing more.

All are zeros. A function that gives zeros is linear, and has a derivative: what is refused with it is refused with
every function, or for want of one.
"""

from __future__ import annotations

from dsl.ir.function import Equation, Function, Literal, Tensor, Var
from dsl.ops.io import PRINT, PrintParams
from dsl.staging.env.environment import Variables
from dsl.staging.values import UNIT, LinearMap, RecordValue, Slot, TupleValue, Value, map_leaves, slot_types
from dsl.types import type as ty
from dsl.types.effect import IO
from dsl.types.type import Type


class NoStandIn(Exception):
    """A type of which there is no value to stand in."""


def is_data(type_: Type) -> bool:
    """Return whether values of a type are arrays, or trees of them."""
    match type_:
        case ty.ArrayType() | ty.IndexType() | ty.KeyType() | ty.TypeVar():
            return True
        case ty.TupleType(parts):
            return all(map(is_data, parts))
        case ty.RecordType(fields):
            return all(is_data(part) for _, part in fields)
        case ty.StackedType(element):
            return is_data(element)
        case _:
            return False


def stand_in(type_: Type, variables: Variables) -> Value:
    """A value of a type. Raises NoStandIn where there is none."""
    match type_:
        case _ if is_data(type_):
            return map_leaves(
                lambda leaf: zeros(leaf.type) if isinstance(leaf, Slot) else leaf, variables.skeleton(type_)
            )
        case ty.TupleType(parts):
            return TupleValue(tuple([stand_in(part, variables) for part in parts]))
        case ty.RecordType(fields):
            return RecordValue(tuple([(name, stand_in(part, variables)) for name, part in fields]))
        case ty.OptionalType(base):
            return stand_in(base, variables)
        case ty.FunctionType(params, result, effects):
            return _function(params, result, IO in effects.effects, variables)
        case ty.NONE:
            return None
        case _:
            raise NoStandIn


def _function(params: tuple[Type, ...], result: Type, prints: bool, variables: Variables) -> LinearMap:
    """A function of these types that gives zeros; one that may print does."""
    inputs = tuple([variables.skeleton(p) if is_data(p) else UNIT for p in params])
    if not is_data(result):
        raise NoStandIn
    output = variables.skeleton(result)
    leaves = [Var(type_) for given in inputs for type_ in slot_types(given)]
    shown = Equation(PRINT, PrintParams(" ".join(["{}"] * len(leaves))), tuple(leaves), (), None)
    function = Function("given", tuple(leaves), (shown,) if prints else (), tuple(map(zeros, slot_types(output))))
    return LinearMap(function, (), inputs, output)


def zeros(type_: Tensor) -> Literal:
    dtype = type_.dtype
    return Literal(False if dtype.is_bool else 0.0 if dtype.is_float else 0j if dtype.is_complex else 0, type_)
