"""Whole Jacobians: the derivative at a point, mapped over a basis of tangents or of cotangents.

For a result of shape r and an argument of shape a the block has shape r + a; results and arguments that
are trees give a tree of trees, the result's structure outside, as in JAX. Read next: `apply`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from dsl.core.transformation import Kind
from dsl.diagnostics.message import Help
from dsl.diagnostics.source import Span
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.op import NONE
from dsl.ir.region import Flags
from dsl.ir.sizes import bound
from dsl.ir.walk import equations
from dsl.ops import builders
from dsl.ops.complex import COMPLEX
from dsl.ops.control.loop import WHILE
from dsl.ops.control.scan import SCAN
from dsl.ops.effects import has_effect
from dsl.records import replace
from dsl.staging.env.closure_conversion import inline
from dsl.staging.env.stager import Stager
from dsl.staging.errors import staging_error
from dsl.staging.expressions.arithmetic import broadcast_atom, cast
from dsl.staging.transforms.differentiate import (
    Linear,
    Rule,
    Traced,
    flags_of,
    give,
    is_inexact,
    linearize_traced,
    options,
    require_floats,
    select_argnums,
    trace,
    traced_arguments,
    transpose_linear,
    with_traced_scalar,
)
from dsl.staging.values import UNIT, Slot, Transformed, TupleValue, Value, atoms, map_leaves
from dsl.transforms.jvp import jvp
from dsl.transforms.linearize import linearize
from dsl.transforms.vmap import vmap
from dsl.types.dtype import I32

_Table: TypeAlias = "list[list[Atom]]"
_Blocks: TypeAlias = Callable[
    [Stager, Traced, Flags, Sequence[Tensor], Sequence[Tensor]], tuple[Sequence[Atom], _Table]
]


def _jacfwd(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """By forward mode: a tangent for each element of the arguments, all at once."""
    return _jacobian(s, f, args, span, instance, _columns)[1]


def _value_and_jacfwd(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """`(value, jacobian)`: the function itself runs once."""
    return TupleValue(_jacobian(s, f, args, span, instance, _columns))


def _jacrev(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """By reverse mode: one run per element of the result."""
    return _jacobian(s, f, args, span, instance, _rows)[1]


def _hessian(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    inner = replace(f, kind=Kind.JACREV)
    return _jacfwd(s, replace(f, kind=Kind.JACFWD, function=inner), args, span, instance)


def _jacobian(
    s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None, blocks: _Blocks
) -> tuple[Value, Value]:
    """The value, and the derivative of each of its leaves by each of those of the chosen arguments."""
    argnums = options(f).get("argnums", 0)
    values = traced_arguments(f.function, args)
    chosen = select_argnums(f.function, values, argnums)
    sources = [atom.type for k in sorted(set(chosen)) for atom in atoms(values[k]) if is_inexact(atom)]
    tangents = sum(bound(type.size) for type in sources) if blocks is _columns else 0
    traced = trace(s, f.function, values, span, instance, result=with_traced_scalar, shares=1 + tangents)
    s.b.span = span
    results = [r.type for r in traced.function.results[: traced.outputs]]
    require_floats(f.kind, sources, results, span)
    _require_real(f.kind, sources, span)
    outputs, table = blocks(s, traced, flags_of(traced, chosen), sources, results)
    rows = iter(table)

    def entry(leaf: Value) -> Value:
        if not isinstance(leaf, Slot):
            return UNIT
        row = next(rows)
        return _arranged(values, chosen, row, isinstance(argnums, int | str)) if leaf.type.dtype.is_inexact else UNIT

    return give(s, traced, outputs), map_leaves(entry, traced.output)


def _require_real(kind: Kind, sources: Sequence[Tensor], span: Span) -> None:
    """Require real sources. For a function that Python transforms, the checker only knows that they may be real."""
    found = next((source for source in sources if source.dtype.is_complex), None)
    if found is not None:
        advice = Help("`jvp` and `vjp` take such arguments")
        message = f"`{kind}` cannot differentiate with respect to `{found}`"
        raise staging_error("E0802", message, span, "a Jacobian is that of the elements of real arrays", help=(advice,))


def _arranged(values: Sequence[Value], chosen: Sequence[int], row: Sequence[Atom], single: bool) -> Value:
    """The blocks of one result leaf in the structure of the arguments."""
    found = iter(row)
    trees = {
        k: map_leaves(lambda leaf: next(found) if is_inexact(leaf) else UNIT, values[k]) for k in sorted(set(chosen))
    }
    return trees[chosen[0]] if single else TupleValue(tuple([trees[k] for k in chosen]))


def _basis(s: Stager, type: Tensor, unit: complex = 1, before: int = 0, size: int | None = None) -> Atom:
    """All arrays of a type with one element, `unit`, that is not zero, along a leading axis; `size` rows in all, where
    so many come `before` that are zero."""
    shape = (type.size if size is None else size, type.size)
    columns = builders.iota(s.b, I32, shape, 1)
    moved = builders.add(s.b, columns, broadcast_atom(s.b, cast(s.b, before, I32), shape)) if before else columns
    ones = builders.convert(s.b, builders.compare(s.b, "eq", builders.iota(s.b, I32, shape, 0), moved), type.dtype)
    scaled = ones if unit == 1 else builders.mul(s.b, ones, builders.full(type.dtype, shape, unit))
    return builders.reshape(s.b, scaled, (shape[0], *type.shape))


def _columns(
    s: Stager, traced: Traced, flags: Flags, sources: Sequence[Tensor], results: Sequence[Tensor]
) -> tuple[Sequence[Atom], _Table]:
    """The results, and what each unit array at an argument makes of them."""
    if _is_pushed(s, traced, flags, sources, results):
        return _pushed_columns(s, traced, flags, sources, results)
    linear = linearize_traced(s, traced, flags)
    columns = [_mapped(s, linear.function, linear.residuals, sources, k) for k in range(len(sources))]
    table: list[list[Atom]] = []
    position = iter(range(len(results)))
    for type, has_tangent in zip(results, linear.nonzero, strict=False):
        row = next(position) if has_tangent else None
        found = [None if row is None else column[row] for column in columns]
        table.append([_column(s, x, type, source) for x, source in zip(found, sources, strict=True)])
    return linear.outputs, table


def _is_pushed(s: Stager, traced: Traced, flags: Flags, sources: Sequence[Tensor], results: Sequence[Tensor]) -> bool:
    """Return whether value and tangents are computed in one run, instead of first the value and what the derivative
    needs.

    In a loop that stops early, the second way keeps room for more steps than are taken, and may recompute some. In one
    of known length it keeps something of each step: that is faster, since what all tangents share is computed once, as
    long as it is no more than the tangents are. What acts on the host does so once, with the value.
    """
    loops = {equation.op for equation in equations(traced.function)} & {WHILE, SCAN}
    if not loops or any(has_effect(equation) for equation in traced.function.equations):
        return False
    size, width = (sum(type.size for type in types) for types in (sources, results))
    return WHILE in loops or bound(_stored(s, traced, flags)) > bound(size * (size + width))


def _stored(s: Stager, traced: Traced, flags: Flags) -> int:
    """How many elements the derivative needs beside the arguments."""
    made = linearize(traced.function, flags, s.session.memo)
    count = len(made.primal.params)
    return sum(made.primal.results[k - count].type.size for k in made.residuals if k >= count)


def _pushed_columns(
    s: Stager, traced: Traced, flags: Flags, sources: Sequence[Tensor], results: Sequence[Tensor]
) -> tuple[Sequence[Atom], _Table]:
    """By one run with a tangent for each element of all arguments."""
    size = sum(type.size for type in sources)
    starts = [sum(type.size for type in sources[:k]) for k in range(len(sources))]
    basis = [_basis(s, type, before=start, size=size) for type, start in zip(sources, starts, strict=True)]
    outputs, nonzero, found = _pushed(s, traced, flags, basis, size)
    table: list[list[Atom]] = []
    position = iter(found)
    for type, has_tangent in zip(results, nonzero, strict=False):
        whole = next(position) if has_tangent else None
        row = [_rows_of(s, whole, start, source.size) for start, source in zip(starts, sources, strict=True)]
        table.append([_column(s, x, type, source) for x, source in zip(row, sources, strict=True)])
    return outputs, table


def _rows_of(s: Stager, whole: Atom | None, start: int, count: int) -> Atom | None:
    return None if whole is None else builders.slice_axis(s.b, whole, 0, start, start + count)


def _pushed(
    s: Stager, traced: Traced, flags: Flags, tangents: Sequence[Atom], size: int
) -> tuple[Sequence[Atom], Flags, Sequence[Atom]]:
    """The results, which of them have a tangent, and these: those of all `tangents` at once, the axis in front."""
    made = jvp(traced.function, flags, None, s.session.memo)
    count = len(traced.function.results)
    axes: list[int | None] = [*(None for _ in traced.inputs), *(0 for _ in tangents)]
    late: list[int | None] = [*(None for _ in range(count)), *(0 for n in made.nonzero if n)]
    outs = inline(
        s.b, vmap(made.function, axes, late, size, s.session.memo), (*traced.inputs, *tangents), s.session.sizes
    )
    return outs[:count], made.nonzero, outs[count:]


def _column(s: Stager, found: Atom | None, result: Tensor, source: Tensor) -> Atom:
    shape = (*result.shape, *source.shape)
    if found is None:
        return builders.zeros(Tensor(result.dtype, shape))
    return builders.reshape(s.b, builders.move_axis(s.b, found, 0, result.rank), shape)


def _mapped(
    s: Stager, function: Function, residuals: Sequence[Atom], types: Sequence[Tensor], place: int, unit: complex = 1
) -> tuple[Atom, ...]:
    """`function` on all multiples by `unit` of unit arrays at argument `place`, zeros at the others; the axis is in
    front."""
    size = types[place].size
    axes: list[int | None] = [0 if k == place else None for k in range(len(types))]
    axes = [*(None for _ in residuals), *axes]
    mapped = vmap(function, axes, [0] * len(function.results), size, s.session.memo)
    given = [_basis(s, t, unit) if k == place else builders.zeros(t) for k, t in enumerate(types)]
    return inline(s.b, mapped, (*residuals, *given), s.session.sizes)


def _rows(
    s: Stager, traced: Traced, flags: Flags, sources: Sequence[Tensor], results: Sequence[Tensor]
) -> tuple[Sequence[Atom], _Table]:
    """The results, and what each unit array at one of them makes of the arguments."""
    linear = linearize_traced(s, traced, flags)
    return linear.outputs, _pulled(s, linear, sources, results)


def _pulled(s: Stager, linear: Linear, sources: Sequence[Tensor], results: Sequence[Tensor]) -> _Table:
    marks = [k < len(results) for k in range(len(linear.nonzero))]
    backward = transpose_linear(s, linear, marks)
    types = [t for t, n in zip(results, linear.nonzero, strict=False) if n]
    table: list[list[Atom]] = []
    place = iter(range(len(types)))
    for type, nonzero in zip(results, linear.nonzero, strict=False):
        shapes = [(*type.shape, *source.shape) for source in sources]
        if nonzero:
            found = _row(s, backward, linear.residuals, types, next(place))
            table.append([builders.reshape(s.b, x, shape) for x, shape in zip(found, shapes, strict=True)])
        else:
            table.append([builders.zeros(Tensor(type.dtype, shape)) for shape in shapes])
    return table


def _row(
    s: Stager, backward: Function, residuals: Sequence[Atom], types: Sequence[Tensor], place: int
) -> Sequence[Atom]:
    """The derivatives of the elements of a result, in its dtype. What comes back to a real argument is the real part of
    the derivative times the cotangent: that of 1 tells the real part, that of i the imaginary one, with a minus."""
    dtype = types[place].dtype
    real = _mapped(s, backward, residuals, types, place)
    if not dtype.is_complex:
        return [builders.convert(s.b, x, dtype) for x in real]
    turned = _mapped(s, backward, residuals, types, place, 1j)
    pairs = [[builders.convert(s.b, x, dtype.real) for x in pair] for pair in zip(real, turned, strict=True)]
    return [COMPLEX(s.b, NONE, x, builders.neg(s.b, y))[0] for x, y in pairs]


RULES: Mapping[Kind, Rule] = MappingProxyType(
    {
        Kind.JACFWD: _jacfwd,
        Kind.VALUE_AND_JACFWD: _value_and_jacfwd,
        Kind.JACREV: _jacrev,
        Kind.HESSIAN: _hessian,
    }
)
