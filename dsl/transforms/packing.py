"""What the two halves of a body hand on, where the body decides sizes: arrays of the bounds, and lengths.

A body that runs several times decides its sizes each time, so that what it leaves for its derivative has no common
shape. Packed, each such residual has the size of its bound, with zeros behind the end, and the second half decides the
same sizes of the lengths before it cuts the residuals to them. Read next: `partial_eval`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.region import Split
from dsl.ir.sizes import bound, own_sizes, traced_in, traced_in_params
from dsl.ops.elementwise import compare
from dsl.ops.extent import iota, pad, slice_in
from dsl.ops.layout import broadcast_in_dim
from dsl.ops.ragged import length, places
from dsl.ops.rule_helpers import zeros
from dsl.records import replace
from dsl.types.dtype import I32
from dsl.types.size import Size, SizeVar


def packed(split: Split) -> Split:
    """The same cut of a body; sizes that its first half decides are in no type of what is handed on."""
    shared = own_sizes(split.known) & traced_in(split.unknown)
    if not shared:
        return split
    sizes = sorted(shared, key=lambda var: var.id)
    handed = [x.type for x in split.unknown.params[: len(split.residuals)]]
    known = _packing(split.known, sizes)
    first = len(known.params) + len(known.results) - len(sizes)
    return replace(
        split,
        known=known,
        unknown=_unpacking(split.unknown, handed, sizes),
        residuals=(*range(first, first + len(sizes)), *split.residuals),
    )


def _packing(known: Function, sizes: Sequence[SizeVar]) -> Function:
    b = Builder()
    results = [_at_bound(b, x) if traced_in_params(x.type) & set(sizes) else x for x in known.results]
    results += [length(b, Size.of(var)) for var in sizes]
    return Function(known.name, known.params, (*known.equations, *b.equations), tuple(results))


def _unpacking(unknown: Function, handed: Sequence[Tensor], sizes: Sequence[SizeVar]) -> Function:
    b = Builder()
    lengths = [b.param(Tensor(I32)) for _ in sizes]
    for var, count in zip(sizes, lengths, strict=True):
        whole = Tensor(I32, (cast("int", var.bound),))
        held = compare(b, "lt", iota(b, I32, whole.shape, 0), broadcast_in_dim(b, count, whole.shape, ()))
        places(b, held, Size.of(var))
    names: dict[Atom, Atom] = {}
    for param, type in zip(unknown.params, handed, strict=False):
        if traced_in_params(type) & set(sizes):
            given = b.param(Tensor(type.dtype, tuple(map(bound, type.shape))))
            names[param] = slice_in(b, given, [0] * type.rank, type.shape, [1] * type.rank)
        else:
            b.params.append(param)
    b.params += unknown.params[len(handed) :]
    equations = [Equation(e.op, e.params, tuple([names.get(x, x) for x in e.inputs]), e.outputs, e.span) for e in unknown.equations]
    results = tuple([names.get(x, x) for x in unknown.results])
    return Function(unknown.name, tuple(b.params), (*b.equations, *equations), results)


def _at_bound(b: Builder, x: Atom) -> Atom:
    assert isinstance(x, Var)
    behind = [bound(n) - n for n in x.type.shape]
    return pad(b, x, zeros(Tensor(x.type.dtype)), [0] * x.type.rank, behind, [0] * x.type.rank)
