"""Combine the effects of the elements of a parallel map: error codes, and additions to cells."""

from __future__ import annotations

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ops.builders import add, broadcast_in_dim, compare, iota, reduce_sum, select
from dsl.ops.layout import AxesParams
from dsl.ops.reduce import greatest
from dsl.ops.table import OPS
from dsl.staging.env.stager import Stager
from dsl.staging.values import ATOMS, Value, literal
from dsl.types.dtype import I32


def first_failure(b: Builder, codes: Atom) -> Atom:
    """The code of the first element that has one, else 0; `codes` is a vector."""
    shape = codes.type.shape
    if shape[0] == 0:
        return literal(0, I32)
    none = literal(0, I32, shape)
    places = iota(b, I32, shape, 0)
    failed = select(b, compare(b, "ne", codes, none), places, literal(greatest(I32), I32, shape))
    first = b.emit(OPS["reduce_min"], AxesParams((0,)), (failed,))[0]
    here = compare(b, "eq", places, broadcast_in_dim(b, first, shape, ()))
    return reduce_sum(b, select(b, here, codes, none), (0,))


def collect_cell(s: Stager, kind: str, before: Value, left: Value) -> Value:
    """A leaf of a cell after a map, from what it was before and what every element left."""
    assert isinstance(before, ATOMS) and isinstance(left, ATOMS)
    if kind == "check":
        return s.first(before, first_failure(s.b, left))
    return add(s.b, before, reduce_sum(s.b, left, (0,)))
