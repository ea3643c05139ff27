"""The coefficients of a derivative, computed by one product for each colour and read off.

Read next: `dsl.host.functions.sparse_derivatives`, which calls it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from dsl.ir import columns as st
from dsl.ir.build import Builder
from dsl.ir.columns import Indices, Known, Sets, State
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.region import Flags
from dsl.ops import builders
from dsl.transforms.dependence import analysis, colours
from dsl.transforms.dependence.analysis import Array
from dsl.transforms.dependence.colours import Plan
from dsl.transforms.linearize import Linearized, linearize
from dsl.transforms.memo import Memo
from dsl.transforms.pipeline import EXPAND, INLINE, SIMPLIFY, TIDY, run
from dsl.transforms.transpose import transpose
from dsl.transforms.vmap import vmap
from dsl.types.dtype import I32

Values: TypeAlias = "Sequence[Array | None]"
READABLE = (*TIDY, INLINE, EXPAND, INLINE, SIMPLIFY)
"""What makes the IR of the derivative one of few ops for the analysis."""


class Sparse(Struct, frozen=True):
    """A derivative by its entries. `function` takes what the original one takes and returns the entries in the order of
    `pattern`, then the results of the original one from `kept` on."""

    function: Function
    pattern: Sets
    columns: int
    plan: Plan


def sparse_derivative(function: Function, flags: Flags, kept: int, known: Values, symmetric: bool) -> Sparse:
    """The derivative of the results before `kept` by the flagged parameters, both in the order of their elements. Of a
    function that is a gradient, it is `symmetric`. `known` are the values of parameters that the pattern may rely
    on."""
    memo = Memo()
    made = linearize(function, flags, memo)
    sources = [p.type for p, flag in zip(function.params, flags, strict=True) if flag]
    columns = sum(t.size for t in sources)
    pattern = pattern_of(function, made, flags, kept, known)
    if symmetric:
        pattern = _mirrored(pattern)
    plan = colours.of_symmetric(pattern) if symmetric else colours.of_matrix(pattern, columns)
    b = Builder()
    params = [b.param(t) for t in function.param_types]
    outs = inlined(b, made.primal, params)
    there = (*params, *outs)
    residuals = [there[k] for k in made.residuals]
    targets = [r.type for r in function.results[:kept]]
    data = _entries(b, made, residuals, sources, targets, plan, memo)
    done = b.finish(function.name, [data, *outs[kept : len(function.results)]])
    return Sparse(done, pattern, columns, plan)


def pattern_of(function: Function, made: Linearized, flags: Flags, kept: int, known: Values) -> Sets:
    """The columns of every element of the first results, one after the other, of a linearised function."""
    primal = run(made.primal, READABLE)
    values = analysis.known_results(primal, known)
    there = [*known, *values]
    states: list[State] = [_as_known(there[k]) for k in made.residuals]
    first = 0
    for p, flag in zip(function.params, flags, strict=True):
        if flag:
            states.append(st.each_its_own(p.type.size, first))
            first += p.type.size
    found = iter(analysis.dependences(run(made.linear, READABLE), states))
    rows = [
        next(found) if flag else st.empty(r.type.size) for r, flag in zip(function.results, made.nonzero, strict=True)
    ]
    return st.stacked(rows[:kept])


def _as_known(x: Array | None) -> State:
    return None if x is None else Known(x)


def _mirrored(pattern: Sets) -> Sets:
    """The entries that are at both places: a symmetric matrix has no others."""
    row, column = pattern.row_of, pattern.columns
    both = np.isin(row * pattern.rows + column, column * pattern.rows + row)
    return st.of_pairs(row[both], column[both], pattern.rows)


def inlined(b: Builder, function: Function, inputs: Sequence[Atom]) -> tuple[Atom, ...]:
    names: dict[Var, Atom] = dict(zip(function.params, inputs, strict=True))
    for equation in function.equations:
        outputs = tuple([Var(y.type) for y in equation.outputs])
        operands = tuple([names[x] if isinstance(x, Var) else x for x in equation.inputs])
        b.equations.append(Equation(equation.op, equation.params, operands, outputs, equation.span))
        names.update(zip(equation.outputs, outputs, strict=True))
    return tuple([names[r] if isinstance(r, Var) else r for r in function.results])


# --- products ----------------------------------------------------------------------------------------------


def _entries(
    b: Builder,
    made: Linearized,
    residuals: Sequence[Atom],
    sources: Sequence[Tensor],
    targets: Sequence[Tensor],
    plan: Plan,
    memo: Memo,
) -> Atom:
    """The entries of the pattern, from the products with all colours of columns and of rows."""
    dtype = sources[0].dtype
    parts: list[Atom] = []
    if plan.forward:
        flags = made.nonzero[: len(targets)]
        parts.append(
            _products(b, made.linear, residuals, sources, targets, flags, plan.column_colours, plan.forward, memo)
        )
    if plan.backward:
        backward, given, nonzero = _backward(made, residuals, targets, memo)
        parts.append(
            _products(
                b,
                backward,
                residuals,
                given,
                sources,
                nonzero,
                _of_nonzero(plan.row_colours, targets, made),
                plan.backward,
                memo,
            )
        )
    if not parts:
        return builders.zeros(Tensor(dtype, (0,)))
    flat = [builders.reshape(b, x, (x.type.size,)) for x in parts]
    whole = flat[0] if len(flat) == 1 else builders.concatenate(b, flat, 0)
    return _read(b, whole, _places(plan, targets, sources))


def _backward(
    made: Linearized, residuals: Sequence[Atom], targets: Sequence[Tensor], memo: Memo
) -> tuple[Function, list[Tensor], Flags]:
    """The transpose, the types of its cotangents, and which of the sources have one."""
    count = len(residuals)
    linear = tuple([k >= count for k in range(len(made.linear.params))])
    nonzero = [k < len(targets) for k, flag in enumerate(made.nonzero) if flag]
    done = transpose(made.linear, linear, tuple(nonzero), None, memo)
    given = [t for t, flag in zip(targets, made.nonzero, strict=False) if flag]
    return done.function, given, done.nonzero


def _of_nonzero(colours_: Indices, targets: Sequence[Tensor], made: Linearized) -> Indices:
    """The colours of the rows of results that have a tangent at all."""
    ends = np.cumsum([t.size for t in targets])
    parts = [c for c, flag in zip(np.split(colours_, ends[:-1]), made.nonzero, strict=False) if flag]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _products(
    b: Builder,
    linear: Function,
    residuals: Sequence[Atom],
    given: Sequence[Tensor],
    results: Sequence[Tensor],
    nonzero: Flags,
    colour: Indices,
    count: int,
    memo: Memo,
) -> Atom:
    """A row for each colour: the results of the linear function for ones where that colour is."""
    axes: list[int | None] = [*[None] * len(residuals), *[0] * len(given)]
    mapped = vmap(linear, axes, [0] * len(linear.results), count, memo)
    found = iter(inlined(b, mapped, [*residuals, *_seeds(b, given, colour, count)]))
    rows = [
        next(found) if flag else builders.zeros(Tensor(t.dtype, (count, *t.shape)))
        for t, flag in zip(results, nonzero, strict=True)
    ]
    flat = [builders.reshape(b, x, (count, t.size)) for x, t in zip(rows, results, strict=True)]
    return flat[0] if len(flat) == 1 else builders.concatenate(b, flat, 1)


def _seeds(b: Builder, given: Sequence[Tensor], colour: Indices, count: int) -> list[Atom]:
    """For each argument, arrays of ones where an element has a colour, for all colours."""
    size = sum(t.size for t in given)
    mine = builders.add_broadcast_axis(b, builders.constant(b, colour.astype(np.int32), I32), count, 0)
    same = builders.compare(b, "eq", builders.iota(b, I32, (count, size), 0), mine)
    first = 0
    made: list[Atom] = []
    for t in given:
        part = builders.slice_axis(b, same, 1, first, first + t.size)
        made.append(builders.reshape(b, builders.convert(b, part, t.dtype), (count, *t.shape)))
        first += t.size
    return made


def _places(plan: Plan, targets: Sequence[Tensor], sources: Sequence[Tensor]) -> Indices:
    """Where each entry is in the products, one after the other."""
    rows, columns = (sum(t.size for t in types) for types in (targets, sources))
    ahead = plan.colour * rows + plan.place
    return np.where(plan.by_row, plan.forward * rows + plan.colour * columns + plan.place, ahead)


def _read(b: Builder, whole: Atom, places: Indices) -> Atom:
    """The elements of a vector at known places."""
    return builders.take_along(b, whole, builders.constant(b, places.astype(np.int32), I32), 0)
