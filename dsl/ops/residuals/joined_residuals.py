"""Small residuals of a loop, joined: one array of each dtype is kept in place of many.

A loop keeps each residual in an array of its own, which it carries, writes to in every step, and reads on the way back.
For numbers and short vectors, that is far more work than to compute them, to run and to compile. Read next:
`kept_steps`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.region import Split
from dsl.ir.sizes import is_traced
from dsl.ops.extent import concatenate, slice_axis
from dsl.ops.layout import reshape
from dsl.records import replace
from dsl.types.dtype import DType

SMALL = 32
"""The numbers of the largest residual that is joined with others: more are written faster where they are computed."""


def joined(split: Split, at_hand: Collection[Var]) -> Split:
    """`split` with the small residuals of its known half in one vector of each dtype; those `at_hand` are not kept."""
    known, count = split.known, len(split.out_unknown) - sum(split.out_unknown)
    values = (*known.params, *known.results)
    residuals = [values[i] for i in split.residuals]
    groups = _groups([r for r in dict.fromkeys(residuals) if isinstance(r, Var) and r not in at_hand])
    if not groups:
        return split
    b = Builder()
    vectors = [concatenate(b, [_flat(b, r) for r in group], 0) for group in groups]
    inside = {r for group in groups for r in group}
    alone = [(i, r) for i, r in zip(split.residuals, residuals, strict=True) if r not in inside]
    extra = dict.fromkeys([i for i, _ in alone if i >= len(known.params) + count])
    first = len(known.params) + count
    place = {i: first + len(vectors) + k for k, i in enumerate(extra)}
    results = (*known.results[:count], *vectors, *[values[i] for i in extra])
    return replace(
        split,
        known=Function(known.name, known.params, (*known.equations, *b.equations), results),
        unknown=_apart(split.unknown, residuals, groups, vectors),
        residuals=(*range(first, first + len(vectors)), *[place.get(i, i) for i, _ in alone]),
    )


def _groups(residuals: Iterable[Var]) -> list[list[Var]]:
    """The residuals that are kept together: several small ones of a dtype."""
    found: dict[DType, list[Var]] = {}
    for r in residuals:
        if _is_small(r.type):
            found.setdefault(r.type.dtype, []).append(r)
    return [group for group in found.values() if len(group) > 1]


def _is_small(type: Tensor) -> bool:
    return not any(map(is_traced, type.shape)) and 0 < type.size <= SMALL


def _flat(b: Builder, x: Atom) -> Atom:
    return reshape(b, x, (x.type.size,))


def _apart(
    unknown: Function, residuals: Sequence[Atom], groups: Sequence[Sequence[Var]], vectors: Sequence[Atom]
) -> Function:
    """The unknown half over the vectors, which takes them apart first."""
    b = Builder()
    whole = [b.param(vector.type) for vector in vectors]
    parts: dict[Atom, Atom] = {}
    for vector, group in zip(whole, groups, strict=True):
        start = 0
        for r in group:
            parts[r] = reshape(b, slice_axis(b, vector, 0, start, start + r.type.size), r.type.shape)
            start += r.type.size
    given, rest = unknown.params[: len(residuals)], unknown.params[len(residuals) :]
    names: dict[Atom, Atom] = {p: parts[r] for p, r in zip(given, residuals, strict=True) if r in parts}
    alone = [p for p in given if p not in names]
    late = [_renamed(e, names) for e in unknown.equations]
    results = tuple([names.get(x, x) for x in unknown.results])
    return Function(unknown.name, (*whole, *alone, *rest), (*b.equations, *late), results)


def _renamed(e: Equation, names: Mapping[Atom, Atom]) -> Equation:
    return Equation(e.op, e.params, tuple([names.get(x, x) for x in e.inputs]), e.outputs, e.span)
