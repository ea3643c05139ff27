"""The shape functions: what they compute when their arguments are known, and what holds of them while they
are not.

`reduced permuted inserted removed replaced swapped transposed` give a shape, with a stuck call in it where the
arguments are not known enough. `broadcasted stretched contracted concatenated reshaped` need sizes to be equal and give
these needs along as obligations, less what the facts prove; what the facts refute is a failure.

Laws of stuck calls (`a` an axis or several, `k` any size):

    reduced(s, a, true), replaced(s, a, k), permuted(s, p)    have the rank of s
    permuted(s, p)                                            has as many elements as s
    reduced(s, a, true)                                       is replaced(s, a, 1); broadcasts against s to s
    replaced(replaced(s, a, j), a, k)                         is replaced(s, a, k), for a single axis
    extent(replaced(s, a, k), a)                              is k, for a single axis, also inside of other calls
    replaced(s, a, extent(s, a))                              is s, for a single axis
    reduced(replaced(s, a, j), a, keep)                       is reduced(s, a, keep), for a single axis
    permuted(permuted(s, p), q)                               is permuted(s, p[q]), for literal p and q
    permuted(s, (0, 1, ...))                                  is s
    broadcasted(s, s), broadcasted(s, []), broadcasted([], s) are s
    broadcasted(s, t)                                         is what s or t broadcasts against it to

With shape variables an operation must be right by one and the same rule for every rank.
"""

from __future__ import annotations

from dsl.types.shapefn.axes import (
    extent,
    has_axis,
    inserted,
    is_order,
    missing_axis,
    permuted,
    place,
    reduced,
    removed,
    replaced,
    swapped,
    transposed,
)
from dsl.types.shapefn.equal import Differ, equal_axes, shapes_equal
from dsl.types.shapefn.join import (
    broadcasted,
    broadcasted_call,
    broadcasts,
    ranks_compared,
    same_rank,
    stretched,
    stretched_call,
)
from dsl.types.shapefn.outcome import Failing, Formed, Obligation, ShapeFailure, normalise_shape
from dsl.types.shapefn.product import concatenated, contracted, contracted_call, reshaped, reshaped_call
from dsl.types.shapefn.stuck import StaticFunction, axes_needed, failures, has_value, obligations, settled

__all__ = [
    "Differ",
    "Failing",
    "Formed",
    "Obligation",
    "ShapeFailure",
    "StaticFunction",
    "axes_needed",
    "broadcasted",
    "broadcasted_call",
    "broadcasts",
    "concatenated",
    "contracted",
    "contracted_call",
    "equal_axes",
    "extent",
    "failures",
    "has_axis",
    "has_value",
    "inserted",
    "is_order",
    "missing_axis",
    "normalise_shape",
    "obligations",
    "permuted",
    "place",
    "ranks_compared",
    "reduced",
    "removed",
    "replaced",
    "reshaped",
    "reshaped_call",
    "same_rank",
    "settled",
    "shapes_equal",
    "stretched",
    "stretched_call",
    "swapped",
    "transposed",
]
