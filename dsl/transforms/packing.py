"""Pack what the two halves of a body that decides sizes pass on: arrays of the bounds, and lengths.

A body that runs several times decides its sizes each time, so that what it leaves for its derivative has no common
shape. Packed, each such residual has the size of its bound, with zeros behind the end, and the second half decides the
same sizes of the lengths before it cuts the residuals to them. Read next: `partial_eval`.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """Return a split whose residuals have the sizes of their bounds: no type among them depends on a size that the
    first half decides."""
    decided = own_sizes(split.known)
    shared = decided and decided & traced_in(split.unknown)
    if not shared:
        return split
    b, known = Builder(), split.known
    lengths = {var: cast("Var", length(b, Size.of(var))) for var in sorted(shared, key=lambda var: var.id)}
    handed = [x for x in split.unknown.params[: len(split.residuals)] if traced_in_params(x.type) & shared]
    full = {x: _at_bound(b, x) for x in handed}
    results = [full.get(x, x) if isinstance(x, Var) else x for x in known.results]
    first = len(known.params) + len(results)
    return replace(
        split,
        known=Function(known.name, known.params, (*known.equations, *b.equations), (*results, *lengths.values())),
        unknown=_unpacking(split, lengths, full),
        residuals=(*range(first, first + len(lengths)), *split.residuals),
    )


def _at_bound(b: Builder, x: Var) -> Var:
    behind, none = [bound(n) - n for n in x.type.shape], [0] * x.type.rank
    return cast("Var", pad(b, x, zeros(Tensor(x.type.dtype)), none, behind, none))


def _unpacking(split: Split, lengths: Mapping[SizeVar, Var], full: Mapping[Var, Var]) -> Function:
    """The second half over packed residuals. They are called there as in the first half."""
    b, unknown = Builder(), split.unknown
    for var, count in lengths.items():
        whole = Tensor(I32, (cast("int", var.bound),))
        held = compare(b, "lt", iota(b, I32, whole.shape, 0), broadcast_in_dim(b, count, whole.shape, ()))
        places(b, held, Size.of(var))
    cut: dict[Atom, Atom] = {
        x: slice_in(b, whole, [0] * x.type.rank, x.type.shape, [1] * x.type.rank) for x, whole in full.items()
    }
    params = [full.get(x, x) for x in unknown.params]
    late = [
        Equation(e.op, e.params, tuple([cut.get(x, x) for x in e.inputs]), e.outputs, e.span) for e in unknown.equations
    ]
    results = tuple([cut.get(x, x) for x in unknown.results])
    return Function(unknown.name, (*lengths.values(), *params), (*b.equations, *late), results)
