"""`vmap`, `pmap` and `shard` met in a program: the function of one element, or of one part, as IR, and what all of them
leave in cells and codes put together. Read next: `dsl.transforms.vmap`, `dsl.transforms.shard`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from math import prod
from types import MappingProxyType
from typing import TypeAlias

from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.sizes import bound
from dsl.ops import builders
from dsl.ops.control.call import call
from dsl.ops.named_axes import NamedAxisParams
from dsl.ops.sharding.parts import add_lifted_param, lift, part_type
from dsl.staging.effects.deferred_failures import collect_cell, first_failure
from dsl.staging.env.closure_conversion import inline
from dsl.staging.env.mesh_specs import leaf_cuts, mesh_of
from dsl.staging.env.scope import bind_axis
from dsl.staging.env.stager import Stager
from dsl.staging.transforms.differentiate import Rule, Traced, give, options, trace
from dsl.staging.values import (
    ATOMS,
    RecordValue,
    Slot,
    Transformed,
    TupleValue,
    Value,
    as_atom,
    as_int,
    atoms,
    leaves,
    positional,
    skeleton,
    traced_numbers,
)
from dsl.transforms.shard import pmap, shard
from dsl.transforms.vmap import vmap
from dsl.types.dtype import I32

# ---------------------------------------------------------------- vmap and pmap


MapFunction: TypeAlias = Callable[..., Function]
"""map(function, in_axes, out_axes, size, memo, name) -> the function over an axis more."""


def _mapping(over: MapFunction, apart: bool = False) -> Rule:
    """A map by one of the transformations of IR that have the arguments of `vmap`; `apart`, if each element is on a
    device of its own."""
    return lambda s, f, args, span, instance: _map(s, f, args, span, instance, over, apart)


def _map(
    s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None, over: MapFunction, apart: bool
) -> Value:
    chosen = options(f)
    per_argument = entries(f.function, chosen.get("in_axes", 0), args)
    places = [a for axes, arg in zip(per_argument, args, strict=True) for a in leaf_axes(axes, arg)]
    given = [atom for arg in args for atom in atoms(arg)]
    size = next(x.type.shape[a] for x, a in zip(given, places, strict=True) if a is not None)
    named = chosen.get("axis_name")
    name = named if isinstance(named, str) else None
    with s.mapping(name, size) as axis:
        parts: list[Value] = [f.function, *args]
        function, *inner = parts if name is None or axis is None else [bind_axis(part, name, axis) for part in parts]
        shares = 1 if apart else bound(size)
        traced = trace(
            s, function, inner, span, instance, lambda type, k: _without(type, places[k]), True, traced_numbers, shares
        )
    s.b.span = span
    out_axes = leaf_axes(chosen.get("out_axes", 0), traced.output)
    outs = [*out_axes, *[0] * (traced.written + traced.checks)]
    numbers = _numbers(s, size)
    in_axes = [None] * traced.captures + places + [0] * len(numbers)
    done = over(traced.function, in_axes, outs, size, s.session.memo, axis)
    return _put_together(s, traced, inline(s.b, done, (*traced.inputs, *numbers), s.session.sizes))


def _numbers(s: Stager, count: int) -> list[Atom]:
    """The number of each element, where keys are drawn by it."""
    return [] if s.keys is None else [builders.iota(s.b, I32, (count,), 0)]


def _put_together(s: Stager, traced: Traced, outputs: Sequence[Atom]) -> Value:
    """The value of all elements; what each of them has left in a cell, or as a code, stands along the first axis."""
    results = list(outputs)
    if traced.checks:
        results[-1] = first_failure(s.b, results[-1])
    cells = [s.cells[name] for name, _ in traced.cells]
    before = [(cell.kind, x) for cell in cells for x in atoms(cell.value)]
    for k, (kind, x) in enumerate(before, traced.outputs):
        results[k] = as_atom(collect_cell(s, kind, x, results[k]))
    return give(s, traced, results)


def _without(type: Tensor, axis: int | None) -> Tensor:
    if axis is None:
        return type
    place = axis % type.rank
    return Tensor(type.dtype, (*type.shape[:place], *type.shape[place + 1 :]))


def entries(function: Value, axes: Value, args: Sequence[Value]) -> list[Value]:
    """One entry per argument: what is said for all, or a tuple with one for each that is not static."""
    places = positional(function, len(args))
    listed = axes.parts if isinstance(axes, TupleValue) else axes if isinstance(axes, tuple) else None
    per_place = dict(zip(places, [axes] * len(places) if listed is None else listed, strict=True))
    return [per_place.get(k) for k in range(len(args))]


def leaf_axes(axes: Value, value: Value) -> list[int | None]:
    """The axis of every traced leaf (or slot), from a tree of axes that may end early."""
    if isinstance(axes, tuple):
        axes = TupleValue(axes)
    match axes, value:
        case TupleValue(inner), TupleValue(parts):
            return [a for axis, part in zip(inner, parts, strict=True) for a in leaf_axes(axis, part)]
        case RecordValue(named), RecordValue(fields):
            pairs = zip(named, fields, strict=True)
            return [a for (_, axis), (_, part) in pairs for a in leaf_axes(axis, part)]
        case _:
            count = sum(isinstance(leaf, (*ATOMS, Slot)) for leaf in leaves(value))
            return [None if axes is None else as_int(axes)] * count


# ---------------------------------------------------------------- shard


def _shard(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    chosen = options(f)
    sizes = mesh_of(chosen["mesh"])
    specs = entries(f.function, chosen["in_specs"], args)
    cuts = [cut for spec, arg in zip(specs, args, strict=True) for cut in leaf_cuts(spec, skeleton(arg), sizes)]
    hidden = chosen.get("hidden", TupleValue(()))
    assert isinstance(hidden, TupleValue)
    parts: list[Value] = [f.function, *args]
    mesh: list[NamedAxisParams] = []
    with ExitStack() as stack:
        for name, size in sizes.items():
            axis = stack.enter_context(s.mapping(name, size))
            assert axis is not None
            mesh.append(NamedAxisParams(axis, size))
            parts = parts if name in hidden.parts else [bind_axis(part, name, axis) for part in parts]
        counts = tuple(sizes.values())
        traced = trace(
            s, parts[0], parts[1:], span, instance, lambda t, k: part_type(t, cuts[k], counts), True, traced_numbers
        )
    s.b.span = span
    numbers, along_all = _numbers(s, prod(sizes.values())), (0,) * len(sizes)
    in_cuts = [*[(None,) * len(sizes)] * traced.captures, *cuts, *[along_all] * len(numbers)]
    left = [along_all] * (traced.written + traced.checks)
    out_cuts = [*leaf_cuts(chosen["out_specs"], traced.output, sizes), *left]
    body = _of_part(traced, len(numbers))
    done = shard(body, tuple(mesh), tuple(in_cuts), tuple(out_cuts), s.session.memo)
    return _put_together(s, traced, inline(s.b, done, (*traced.inputs, *numbers), s.session.sizes))


def _of_part(traced: Traced, numbers: int) -> Function:
    """The function of one part, of whose number and of what it leaves there are many along the first axis."""
    b, function = Builder(), traced.function
    own = len(function.params) - numbers
    given = [add_lifted_param(b, p.type, int(k >= own)) for k, p in enumerate(function.params)]
    outs = call(b, function, given)
    return b.finish(function.name, [lift(b, y, int(k >= traced.outputs)) for k, y in enumerate(outs)])


RULES: Mapping[Kind, Rule] = MappingProxyType(
    {Kind.VMAP: _mapping(vmap), Kind.PMAP: _mapping(pmap, apart=True), Kind.SHARD: _shard}
)
