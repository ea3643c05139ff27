"""Meshes, and trees of specs: along which of its axes each leaf of a skeleton is cut.

Read next: `dsl.staging.transforms`.
"""

from __future__ import annotations

from collections.abc import Mapping

from dsl.ir.function import Tensor
from dsl.ir.region import Axes
from dsl.staging.values import RecordValue, Slot, TupleValue, Value, as_int, leaves


def mesh_of(mesh: Value) -> dict[str, int]:
    """The axes of a mesh in order, and how many places they have."""
    assert isinstance(mesh, TupleValue)
    pairs = [pair.parts for pair in mesh.parts if isinstance(pair, TupleValue)]
    return {str(name): as_int(size) for name, size in pairs}


def leaf_cuts(spec: Value, value: Value, mesh: Mapping[str, int]) -> list[Axes]:
    """How every slot is cut along the axes of the mesh, from a tree of specs that may end early."""
    match spec, value:
        case TupleValue(inner), TupleValue(parts):
            return [cut for one, part in zip(inner, parts, strict=True) for cut in leaf_cuts(one, part, mesh)]
        case RecordValue(named), RecordValue(fields) if not is_cut(spec):
            return [cut for name, part in fields for cut in leaf_cuts(dict(named)[name], part, mesh)]
        case _:
            axes = dict(spec.fields) if isinstance(spec, RecordValue) else {}
            slots = [leaf for leaf in leaves(value) if isinstance(leaf, Slot)]
            return [tuple([_axis(axes.get(name), slot.type) for name in mesh]) for slot in slots]


def is_cut(spec: RecordValue) -> bool:
    """Return whether a record says which axes are cut, and not what is to become of the fields of another."""
    return all(isinstance(axis, int) for _, axis in spec.fields)


def _axis(axis: Value, type: Tensor) -> int | None:
    return None if axis is None else as_int(axis) + type.rank * (as_int(axis) < 0)
