"""Collectives over a named axis, leaf by leaf of trees. Which axis a name means is `Stager.axis`'s to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dsl.ir.function import Atom
from dsl.ir.op import Op
from dsl.ops.builders import div, splat
from dsl.ops.collective import ALL_GATHER, ALL_TO_ALL, AXIS_INDEX, PMAX, PMIN, PPERMUTE, PSUM, REDUCE_SCATTER
from dsl.ops.named_axes import GatherAxisParams, NamedAxisParams, PermuteParams
from dsl.staging.env.stager import Intrinsic, Stager
from dsl.staging.values import TupleValue, Value, as_atom, as_int, as_ints, map_leaves

Leaf = Callable[[Stager, Atom, str, int], Value]


def _leafwise(leaf: Leaf) -> Intrinsic:
    def call(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
        name, size = s.axis(str(statics["axis_name"]))
        return map_leaves(lambda x: leaf(s, as_atom(x), name, size), args[0])

    return call


def _pmean(s: Stager, x: Atom, name: str, size: int) -> Value:
    total = PSUM(s.b, NamedAxisParams(name, size), x)[0]
    return div(s.b, total, splat(size, total.type))


def _along_axis(op: Op[GatherAxisParams], new: int = 0) -> Intrinsic:
    """By an op that has one of the axes of its operand, or a `new` one, for the elements."""

    def call(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
        (name, size), axis = s.axis(str(statics["axis_name"])), as_int(statics.get("axis", 0))

        def leaf(value: Value) -> Value:
            x = as_atom(value)
            return op(s.b, GatherAxisParams(name, size, axis % (x.type.rank + new)), x)[0]

        return map_leaves(leaf, args[0])

    return call


def _ppermute(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    name, size = s.axis(str(statics["axis_name"]))
    params = PermuteParams(name, size, _pairs(statics, size))
    return map_leaves(lambda x: PPERMUTE(s.b, params, as_atom(x))[0], args[0])


def _pairs(statics: Mapping[str, Value], size: int) -> tuple[tuple[int, int], ...]:
    """Each giver with its receiver: as they are listed, or all, moved along the axis and around its end."""
    if "shift" in statics:
        shift = as_int(statics["shift"])
        return tuple([(k, (k + shift) % size) for k in range(size)])
    listed = statics["perm"]
    return tuple([_pair(p) for p in listed.parts]) if isinstance(listed, TupleValue) else ()


def _pair(value: Value) -> tuple[int, int]:
    source, target = as_ints(value)
    return source, target


def _axis_index(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    return AXIS_INDEX(s.b, NamedAxisParams(*s.axis(str(statics["axis_name"]))))[0]


COLLECTIVES: Mapping[str, Intrinsic] = MappingProxyType(
    {
        "psum": _leafwise(lambda s, x, name, size: PSUM(s.b, NamedAxisParams(name, size), x)[0]),
        "pmax": _leafwise(lambda s, x, name, size: PMAX(s.b, NamedAxisParams(name, size), x)[0]),
        "pmin": _leafwise(lambda s, x, name, size: PMIN(s.b, NamedAxisParams(name, size), x)[0]),
        "pmean": _leafwise(_pmean),
        "all_gather": _along_axis(ALL_GATHER, new=1),
        "reduce_scatter": _along_axis(REDUCE_SCATTER),
        "all_to_all": _along_axis(ALL_TO_ALL),
        "ppermute": _ppermute,
        "axis_index": _axis_index,
    }
)
