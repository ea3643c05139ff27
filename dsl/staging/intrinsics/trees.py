"""Intrinsics of whole trees: these need the stager, not only its builder."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.sizes import bound
from dsl.ops import builders
from dsl.ops.annotations import barrier
from dsl.ops.annotations import checkpoint_name as named
from dsl.ops.annotations import stop_gradient as stop
from dsl.ops.extent import by_turns
from dsl.ops.named_axes import NamedAxisParams
from dsl.ops.ragged import places as positions
from dsl.ops.sharding.with_sharding import WITH_SHARDING, ShardingParams
from dsl.staging.env.mesh_specs import leaf_cuts, mesh_of
from dsl.staging.env.stager import Intrinsic, Stager
from dsl.staging.values import ATOMS, Value, as_atom, atoms, fill, map_leaves, skeleton, traced_numbers
from dsl.types.dtype import I32
from dsl.types.size import Size, SizeVar


def stop_gradient(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    return map_leaves(lambda leaf: stop(s.b, leaf) if isinstance(leaf, ATOMS) else leaf, args[0])


def checkpoint_name(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    name = str(statics["name"])
    return map_leaves(lambda leaf: named(s.b, leaf, name) if isinstance(leaf, ATOMS) else leaf, args[0])


def with_sharding(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    tree = traced_numbers(args[0])
    sizes = mesh_of(statics["mesh"])
    mesh = tuple([NamedAxisParams(name, size) for name, size in sizes.items()])
    cuts = leaf_cuts(statics["spec"], skeleton(tree), sizes)
    pairs = zip(atoms(tree), cuts, strict=True)
    return fill(skeleton(tree), iter([WITH_SHARDING(s.b, ShardingParams(mesh, cut), x)[0] for x, cut in pairs]))


def optimization_barrier(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    return fill(skeleton(args[0]), iter(barrier(s.b, atoms(args[0]))))


def interleave(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    """The first row of a tree and the rows of the second, by turns with those of the third."""
    whole, even, odd = map(traced_numbers, args)
    leaves = zip(*map(atoms, (whole, even, odd)), strict=True)
    return fill(skeleton(odd), iter([_by_turns(s.b, *leaf) for leaf in leaves]))


def _by_turns(b: Builder, whole: Atom, even: Atom, odd: Atom) -> Atom:
    first = builders.concatenate(b, [builders.slice_axis(b, whole, 0, 0, 1), even], 0)
    return by_turns(b, first, odd, 0)


def places(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    """The positions where a mask holds. Those of one mask are found once: they have one size."""
    mask = as_atom(args[0])
    most = bound(mask.type.shape[0])
    if most == 0:
        return builders.zeros(Tensor(I32, (0,)))
    for body in s.open:
        found = s.places.get((body, mask))
        if found is not None:
            return found
    size = SizeVar(next(s.session.sizes), "k", traced=True, bound=most)
    found = s.places[s.b, mask] = positions(s.b, mask, Size.of(size))
    return found


TREES: Mapping[str, Intrinsic] = MappingProxyType(
    {
        "places": places,
        "stop_gradient": stop_gradient,
        "checkpoint_name": checkpoint_name,
        "interleave": interleave,
        "optimization_barrier": optimization_barrier,
        "with_sharding": with_sharding,
    }
)
