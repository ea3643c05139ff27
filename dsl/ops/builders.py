"""Builders for the layers above: one function per common op, giving one atom, and a few compositions.

Everything takes the `Builder` first. A literal is a splat: moving or making one emits nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Literal, Tensor
from dsl.ir.op import Tangent
from dsl.ops.bits import logical_and, logical_not, logical_or
from dsl.ops.complex import complex_of, conj, imag, real
from dsl.ops.contract import dot_general
from dsl.ops.convolve import conv_general
from dsl.ops.cumulative import cumsum
from dsl.ops.dynamic import dynamic_slice, dynamic_update_slice
from dsl.ops.elementwise import (
    add,
    compare,
    convert,
    div,
    mul,
    neg,
    reciprocal,
    scale,
    select,
    sub,
    sum_tangents,
)
from dsl.ops.extent import concatenate, constant, iota, pad, slice_axis, slice_in
from dsl.ops.fft import fft
from dsl.ops.index import gather, scatter_add
from dsl.ops.layout import add_broadcast_axis, at_axis, broadcast_in_dim, move_axis, reduce_sum, reshape, rev, transpose
from dsl.ops.linalg import adjoint, cholesky, matmul, swap_last_axes, triangle, triangular_solve
from dsl.ops.power import integer_pow, power, rem
from dsl.ops.random import fold_in, key_of, random_bits, split
from dsl.ops.reduce import reduce_and, reduce_max, reduce_min, reduce_or, reduce_prod
from dsl.ops.rule_helpers import materialise, splat, zeros
from dsl.ops.scatter import scatter_set
from dsl.ops.search import argmax, argmin
from dsl.ops.selection import absolute, clamp, is_finite, maximum, minimum, sign
from dsl.ops.sort import sort, take_along, top_k
from dsl.ops.special import polygamma
from dsl.ops.unary import cos, exp, log, rsqrt, sin, sqrt, tanh
from dsl.types.dtype import DType

__all__ = [
    "absolute",
    "add",
    "add_broadcast_axis",
    "add_tangents",
    "adjoint",
    "argmax",
    "argmin",
    "at_axis",
    "broadcast_in_dim",
    "broadcast_to",
    "cholesky",
    "clamp",
    "compare",
    "complex_of",
    "concatenate",
    "conj",
    "constant",
    "conv_general",
    "convert",
    "cos",
    "cumsum",
    "div",
    "dot_general",
    "dynamic_slice",
    "dynamic_update_slice",
    "exp",
    "expand_dims",
    "fft",
    "fold_in",
    "full",
    "gather",
    "imag",
    "integer_pow",
    "iota",
    "is_finite",
    "key_of",
    "log",
    "logical_and",
    "logical_not",
    "logical_or",
    "materialise",
    "matmul",
    "maximum",
    "minimum",
    "move_axis",
    "mul",
    "neg",
    "pad",
    "polygamma",
    "power",
    "random_bits",
    "real",
    "reciprocal",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "rem",
    "reshape",
    "rev",
    "rsqrt",
    "scale",
    "scatter_add",
    "scatter_set",
    "select",
    "sign",
    "sin",
    "slice_axis",
    "slice_in",
    "sort",
    "splat",
    "split",
    "sqrt",
    "squeeze",
    "stack",
    "sub",
    "sum_tangents",
    "sum_to_shape",
    "swap_last_axes",
    "take_along",
    "tanh",
    "top_k",
    "transpose",
    "triangle",
    "triangular_solve",
    "zeros",
    "zeros_like",
]


def full(dtype: DType, shape: Sequence[int], value: bool | int | float | complex) -> Literal:
    """A splat; `value` must be of the Python type that `dtype` calls for."""
    return Literal(value, Tensor(dtype, tuple(shape)))


def zeros_like(x: Atom) -> Literal:
    """Zeros of the type of `x`."""
    return zeros(x.type)


def expand_dims(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """New axes of size 1 at the positions `axes` of the result."""
    shape = list(x.type.shape)
    for axis in sorted(axes):
        shape.insert(axis, 1)
    return reshape(b, x, shape)


def squeeze(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """The axes `axes`, each of size 1, left out."""
    return reshape(b, x, [n for a, n in enumerate(x.type.shape) if a not in axes])


def broadcast_to(b: Builder, x: Atom, shape: Sequence[int]) -> Atom:
    """NumPy's rule: axes are matched from the end; missing ones and those of size 1 are repeated."""
    shape = tuple(shape)
    lead = len(shape) - x.type.rank
    dims = [lead + a for a, n in enumerate(x.type.shape) if n == shape[lead + a]]
    if len(dims) < x.type.rank:
        x = reshape(b, x, [shape[d] for d in dims])
    return broadcast_in_dim(b, x, shape, dims)


def sum_to_shape(b: Builder, x: Atom, shape: Sequence[int]) -> Atom:
    """The adjoint of `broadcast_to`: sum over what was repeated."""
    shape = tuple(shape)
    lead = x.type.rank - len(shape)
    stretched = [lead + a for a, n in enumerate(shape) if n == 1 != x.type.shape[lead + a]]
    return reshape(b, reduce_sum(b, x, [*range(lead), *stretched]), shape)


def stack(b: Builder, xs: Sequence[Atom], axis: int) -> Atom:
    """The arrays, all of one type, along a new axis at place `axis` of the result."""
    return concatenate(b, [expand_dims(b, x, (axis,)) for x in xs], axis)


def add_tangents(b: Builder, x: Tangent, y: Tangent) -> Tangent:
    """The sum of two tangents of one type; structural zeros emit nothing."""
    return sum_tangents(b, (x, y))
