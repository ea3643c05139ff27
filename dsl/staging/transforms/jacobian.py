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
from dsl.ops import builders
from dsl.ops.complex import COMPLEX
from dsl.staging.env.closure_conversion import inline
from dsl.staging.env.stager import Stager
from dsl.staging.errors import staging_error
from dsl.staging.transforms.differentiate import (
    Linear,
    Rule,
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
from dsl.transforms.vmap import vmap
from dsl.types.dtype import I32

_Table: TypeAlias = "list[list[Atom]]"
_Blocks: TypeAlias = Callable[[Stager, Linear, Sequence[Tensor], Sequence[Tensor]], _Table]


def _jacfwd(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """By forward mode: one run per element of the arguments."""
    return _jacobian(s, f, args, span, instance, _columns)[1]


def _value_and_jacfwd(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """`(value, jacobian)`: the function itself runs once."""
    return TupleValue(_jacobian(s, f, args, span, instance, _columns))


def _jacrev(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """By reverse mode: one run per element of the result."""
    return _jacobian(s, f, args, span, instance, _rows)[1]


def _hessian(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    inner = Transformed(Kind.JACREV, f.function, f.options)
    return _jacfwd(s, Transformed(Kind.JACFWD, inner, f.options), args, span, instance)


def _jacobian(
    s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None, blocks: _Blocks
) -> tuple[Value, Value]:
    """The value, and the derivative of each of its leaves by each of those of the chosen arguments."""
    argnums = options(f).get("argnums", 0)
    values = traced_arguments(f.function, args)
    chosen = select_argnums(f.function, values, argnums)
    traced = trace(s, f.function, values, span, instance, result=with_traced_scalar)
    s.b.span = span
    linear = linearize_traced(s, traced, flags_of(traced, chosen))
    value = give(s, traced, linear.outputs)
    sources = [atom.type for k in sorted(set(chosen)) for atom in atoms(values[k]) if is_inexact(atom)]
    results = [r.type for r in traced.function.results[: traced.outputs]]
    require_floats(f.kind, sources, results, span)
    _require_real(f.kind, sources, span)
    table = blocks(s, linear, sources, results)
    rows = iter(table)

    def entry(leaf: Value) -> Value:
        if not isinstance(leaf, Slot):
            return UNIT
        row = next(rows)
        return _arranged(values, chosen, row, isinstance(argnums, int | str)) if leaf.type.dtype.is_inexact else UNIT

    return value, map_leaves(entry, traced.output)


def _require_real(kind: Kind, sources: Sequence[Tensor], span: Span) -> None:
    """That what it is differentiated by is real: of a function that Python transforms, the checker knows only that it
    may be."""
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


def _basis(s: Stager, type: Tensor, unit: complex) -> Atom:
    """All arrays of a type with one element, `unit`, that is not zero, along a leading axis."""
    size = type.size
    square = (size, size)
    where = builders.compare(s.b, "eq", builders.iota(s.b, I32, square, 0), builders.iota(s.b, I32, square, 1))
    ones = builders.convert(s.b, where, type.dtype)
    scaled = ones if unit == 1 else builders.mul(s.b, ones, builders.full(type.dtype, square, unit))
    return builders.reshape(s.b, scaled, (size, *type.shape))


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
    return inline(s.b, mapped, (*residuals, *given))


def _columns(s: Stager, linear: Linear, sources: Sequence[Tensor], results: Sequence[Tensor]) -> _Table:
    columns = [_mapped(s, linear.function, linear.residuals, sources, k) for k in range(len(sources))]
    table: list[list[Atom]] = []
    position = iter(range(len(results)))
    for type, nonzero in zip(results, linear.nonzero, strict=False):
        row = next(position) if nonzero else None
        table.append([_column(s, columns[k], row, type, source) for k, source in enumerate(sources)])
    return table


def _column(s: Stager, found: Sequence[Atom], row: int | None, result: Tensor, source: Tensor) -> Atom:
    shape = (*result.shape, *source.shape)
    if row is None:
        return builders.zeros(Tensor(result.dtype, shape))
    last = builders.move_axis(s.b, found[row], 0, result.rank)
    return builders.reshape(s.b, last, shape)


def _rows(s: Stager, linear: Linear, sources: Sequence[Tensor], results: Sequence[Tensor]) -> _Table:
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
