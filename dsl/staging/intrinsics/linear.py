"""Contractions by formula, convolutions, matrices, Fourier transforms. Read next: `dsl.ops.linalg`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from itertools import product
from types import MappingProxyType
from typing import TypeAlias

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NONE
from dsl.ops import builders
from dsl.ops.convolve import ConvParams, conv_general
from dsl.ops.fft import fft as transform
from dsl.ops.linalg import SolveParams, triangular_solve
from dsl.ops.linalg import cholesky as factor
from dsl.ops.table import OPS
from dsl.staging.expressions import contraction
from dsl.staging.intrinsics.elementwise import Pure
from dsl.staging.intrinsics.shapes import parts_of
from dsl.staging.values import TupleValue, Value, as_atom, as_int, as_ints, literal
from dsl.types.dtype import BF16, F16, F32, DType


def einsum(b: Builder, *args: Value, spec: Value) -> Value:
    """Operands are contracted from the left, two at a time; a letter that nothing later needs is summed."""
    assert isinstance(spec, str)
    values = parts_of(args[0]) if len(args) == 1 and isinstance(args[0], TupleValue) else args
    arrays = [as_atom(v) for v in values]
    terms, output = _terms(spec, [x.type.rank for x in arrays])
    current, names = _diagonals(b, arrays[0], terms[0])
    for k in range(1, len(arrays)):
        other, others = _diagonals(b, arrays[k], terms[k])
        later = {*output, *(name for term in terms[k + 1 :] for name in term)}
        current, names = _pair(b, current, names, other, others, later)
    current, names = _summed(b, current, names, set(output))
    return builders.transpose(b, current, [names.index(name) for name in output])


def _terms(spec: str, ranks: Sequence[int]) -> tuple[list[list[str]], list[str]]:
    """Names of the axes of all operands and of the result; `...` becomes `.0`, `.1`, … from the right."""
    inputs, arrow, output = spec.replace(" ", "").partition("->")
    terms = [_spelled(term, rank) for term, rank in zip(inputs.split(","), ranks, strict=True)]
    if not arrow:
        every = [name for term in terms for name in term]
        dots = [name for name in dict.fromkeys(every) if name.startswith(".")]
        alone = sorted(n for n in set(every) if every.count(n) == 1 and n[0] != ".")
        return terms, [*_sorted_dots(dots), *alone]
    dots = _sorted_dots({name for term in terms for name in term if name.startswith(".")})
    head, found, tail = output.partition("...")
    return terms, [*head, *(dots if found else []), *tail]


def _sorted_dots(dots: Sequence[str] | set[str]) -> list[str]:
    return sorted(set(dots), key=lambda name: -int(name[1:]))


def _spelled(term: str, rank: int) -> list[str]:
    head, found, tail = term.partition("...")
    count = rank - len(head) - len(tail)
    dots = [f".{k}" for k in range(count)][::-1] if found else []
    return [*head, *dots, *tail]


def _diagonals(b: Builder, x: Atom, names: list[str]) -> tuple[Atom, list[str]]:
    """A name that occurs twice in one operand takes the diagonal."""
    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            first = names.index(name)
            second = names.index(name, first + 1)
            others = [a for a in range(x.type.rank) if a not in (first, second)]
            size, rest = x.type.shape[first], [x.type.shape[a] for a in others]
            square = builders.transpose(b, x, (*others, first, second))
            line = builders.reshape(b, square, (*rest, size * size))
            x = builders.slice_axis(b, line, len(rest), 0, size * size, size + 1)
            names = [*[names[a] for a in others], name]
    return x, names


def _summed(b: Builder, x: Atom, names: list[str], kept: set[str]) -> tuple[Atom, list[str]]:
    axes = [a for a, name in enumerate(names) if name not in kept]
    return builders.reduce_sum(b, x, axes), [name for name in names if name in kept]


def _pair(b: Builder, x: Atom, left: list[str], y: Atom, right: list[str], later: set[str]) -> tuple[Atom, list[str]]:
    x, left = _summed(b, x, left, later | set(right))
    y, right = _summed(b, y, right, later | set(left))
    batch = [name for name in left if name in right and name in later]
    summed = [name for name in left if name in right and name not in later]
    result = contraction.general(
        b,
        x,
        y,
        ([left.index(n) for n in summed], [right.index(n) for n in summed]),
        ([left.index(n) for n in batch], [right.index(n) for n in batch]),
    )
    free = [n for n in left if n not in right] + [n for n in right if n not in left]
    return result, [*batch, *free]


# ---------------------------------------------------------------- convolutions


def conv(
    b: Builder,
    x: Value,
    w: Value,
    *,
    strides: Value,
    padding: Value,
    base: Value,
    dilation: Value,
    groups: Value,
    lhs_axes: Value = None,
    rhs_axes: Value = None,
    result_axes: Value = None,
) -> Value:
    """x [b, i, *spatial], w [o, i // groups, *spatial] -> [b, o, *spatial], in these orders; options for each axis"""
    image, kernel, (low, high) = _in_order(b, x, lhs_axes), _in_order(b, w, rhs_axes), _ends(padding)
    steps, gaps, spread = as_ints(strides), as_ints(base), as_ints(dilation)
    params = ConvParams(steps, low, high, gaps, spread, as_int(groups), image.type.dtype)
    return _in_order(b, conv_general(b, params, image, kernel), result_axes)


def _in_order(b: Builder, x: Value, axes: Value) -> Atom:
    return as_atom(x) if axes is None else builders.transpose(b, as_atom(x), as_ints(axes))


def pool(b: Builder, x: Value, *, reducer: Value, window: Value, strides: Value, padding: Value) -> Value:
    """The largest element, or the mean, of each window over the last axes; padding counts as -inf, or 0."""
    array, sizes, steps, ends = as_atom(x), as_ints(window), as_ints(strides), _ends(padding)
    dtype, largest = array.type.dtype, reducer == "max"
    if sizes == steps and not any(map(any, ends)):
        split, axes = _tiles(b, array, sizes)
        pooled = builders.reduce_max(b, split, axes) if largest else builders.reduce_sum(b, split, axes)
    else:
        padded = _padded(b, array, literal(-math.inf if largest else 0.0, dtype), len(sizes), ends)
        pooled = _overlapping(b, padded, sizes, steps, builders.maximum if largest else builders.add)
    return pooled if largest else builders.div(b, pooled, literal(math.prod(sizes), dtype, pooled.type.shape))


Combine: TypeAlias = Callable[[Builder, Atom, Atom], Atom]


def _overlapping(b: Builder, x: Atom, sizes: Sequence[int], steps: Sequence[int], combine: Combine) -> Atom:
    """The elements of each window combined, along one axis after the other: of a few at each place, or of runs that are
    twice as long each time."""
    for axis, (size, step) in enumerate(zip(sizes, steps, strict=True), x.type.rank - len(sizes)):
        reach = (x.type.shape[axis] - size) // step * step + 1
        if size <= 8 * step:
            parts = [builders.slice_axis(b, x, axis, k, k + reach, step) for k in range(size)]
            x = reduce(partial(combine, b), parts)
        else:
            x = builders.slice_axis(b, _runs(b, x, axis, size, combine), axis, 0, reach, step)
    return x


def _runs(b: Builder, x: Atom, axis: int, size: int, combine: Combine) -> Atom:
    """Combine `size` successive elements from each position on."""
    count = x.type.shape[axis] - size + 1
    found: Atom | None = None
    start, length = 0, 1
    while True:
        if size & length:
            part = builders.slice_axis(b, x, axis, start, start + count)
            found = part if found is None else combine(b, found, part)
            start += length
        if start == size:
            assert found is not None
            return found
        extent = x.type.shape[axis] - length
        x = combine(
            b, builders.slice_axis(b, x, axis, 0, extent), builders.slice_axis(b, x, axis, length, length + extent)
        )
        length *= 2


def _tiles(b: Builder, x: Atom, sizes: Sequence[int]) -> tuple[Atom, tuple[int, ...]]:
    """The last axes, each as windows side by side and the places in them, and the axes of these places. What is behind
    the last whole window is left out. No element is copied."""
    outer = x.type.rank - len(sizes)
    shape, axes = list(x.type.shape[:outer]), []
    for axis, size in enumerate(sizes, outer):
        count = x.type.shape[axis] // size
        x = builders.slice_axis(b, x, axis, 0, count * size, 1)
        axes.append(len(shape) + 1)
        shape += [count, size]
    return builders.reshape(b, x, shape), tuple(axes)


def windows(
    b: Builder, x: Value, fill: Value, *, window: Value, strides: Value, padding: Value, dilation: Value
) -> Value:
    """Every window over the last axes, its elements along a new first axis."""
    steps = (as_ints(window), as_ints(strides), as_ints(dilation))
    return _windows(b, as_atom(x), as_atom(fill), *steps, _ends(padding))


def _windows(
    b: Builder,
    x: Atom,
    fill: Atom,
    sizes: Sequence[int],
    steps: Sequence[int],
    dilation: Sequence[int],
    ends: tuple[tuple[int, ...], tuple[int, ...]],
) -> Atom:
    outer = x.type.rank - len(sizes)
    padded = _padded(b, x, fill, len(sizes), ends)
    reach = [(k - 1) * d + 1 for k, d in zip(sizes, dilation, strict=True)]
    counts = [(n - k) // s + 1 for n, k, s in zip(padded.type.shape[outer:], reach, steps, strict=True)]
    places = product(*[range(0, k * d, d) for k, d in zip(sizes, dilation, strict=True)])
    return builders.stack(b, [_strided(b, padded, outer, place, counts, steps) for place in places], 0)


def _padded(b: Builder, x: Atom, fill: Atom, axes: int, ends: tuple[tuple[int, ...], tuple[int, ...]]) -> Atom:
    """The array with the fill around the last axes."""
    low, high = ([*[0] * (x.type.rank - axes), *end] for end in ends)
    return builders.pad(b, x, fill, low, high, [0] * x.type.rank)


def _strided(
    b: Builder, x: Atom, outer: int, place: Sequence[int], counts: Sequence[int], steps: Sequence[int]
) -> Atom:
    """The elements at one place of every window."""
    for axis, (start, count, step) in enumerate(zip(place, counts, steps, strict=True), outer):
        x = builders.slice_axis(b, x, axis, start, start + (count - 1) * step + 1, step)
    return x


def _ends(padding: Value) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The first and the second number of each pair."""
    pairs = [as_ints(pair) for pair in parts_of(padding)]
    return tuple([p[0] for p in pairs]), tuple([p[1] for p in pairs])


# ---------------------------------------------------------------- matrices and transforms


def _widened(x: Atom) -> DType:
    """Half precision is decomposed in f32: no library of matrices has less."""
    return F32 if x.type.dtype in (BF16, F16) else x.type.dtype


def cholesky(b: Builder, a: Value) -> Value:
    matrix = as_atom(a)
    return builders.convert(b, factor(b, builders.convert(b, matrix, _widened(matrix))), matrix.type.dtype)


def solve_triangular(
    b: Builder,
    a: Value,
    y: Value,
    *,
    lower: Value = False,
    trans: Value = False,
    unit_diagonal: Value = False,
) -> Value:
    """x with a x = y; y is one vector less in rank, or holds columns."""
    given = as_atom(a)
    matrix, right = (builders.convert(b, as_atom(v), _widened(given)) for v in (a, y))
    vector = right.type.rank == matrix.type.rank - 1
    columns = builders.expand_dims(b, right, (right.type.rank,)) if vector else right
    params = SolveParams(True, bool(lower), "transpose" if trans else "none", bool(unit_diagonal))
    found = builders.convert(b, triangular_solve(b, params, matrix, columns), given.type.dtype)
    return builders.reshape(b, found, right.type.shape) if vector else found


def _fourier(kind: str) -> Pure:
    def call(b: Builder, x: Value, *, axes: Value, n: Value = None) -> Value:
        array = as_atom(x)
        rank = array.type.rank
        chosen = [axis % rank for axis in as_ints(axes)]
        order = [axis for axis in range(rank) if axis not in chosen] + chosen
        turned = builders.transpose(b, array, tuple(order))
        *others, last = turned.type.shape[-len(chosen) :]
        length = (2 * (last - 1) if kind == "irfft" else last) if n is None else as_int(n)
        wanted = length // 2 + 1 if kind == "irfft" else length
        found = transform(b, kind, _fitted(b, turned, wanted), (*others, length))
        return builders.transpose(b, found, tuple([order.index(axis) for axis in range(rank)]))

    return call


def _fitted(b: Builder, x: Atom, length: int) -> Atom:
    """The last axis cut or padded with zeros to `length`."""
    axis, size = x.type.rank - 1, x.type.shape[-1]
    if size >= length:
        return builders.slice_axis(b, x, axis, 0, length) if size > length else x
    none = [0] * x.type.rank
    high = [*none[:-1], length - size]
    return builders.pad(b, x, builders.splat(0, Tensor(x.type.dtype)), none, high, none)


def _decomposition(name: str) -> Pure:
    """All factors, as a tuple."""

    def call(b: Builder, a: Value) -> Value:
        given = as_atom(a)
        found = b.emit(OPS[name], NONE, (builders.convert(b, given, _widened(given)),))
        back = {_widened(given): given.type.dtype}
        return TupleValue(tuple([builders.convert(b, x, back.get(x.type.dtype, x.type.dtype)) for x in found]))

    return call


LINEAR: Mapping[str, Pure] = MappingProxyType(
    {
        "einsum": einsum,
        "conv": conv,
        "pool": pool,
        "windows": windows,
        "cholesky": cholesky,
        "solve_triangular": solve_triangular,
        **{name: _decomposition(name) for name in ("lu", "qr", "eigh", "eig", "svd")},
        **{kind: _fourier(kind) for kind in ("fft", "ifft", "rfft", "irfft")},
    }
)
