"""What may be done with arrays whose size data decide, by the names of intrinsics: what checks ask.

The declarations of the ops say the same and more, by their factors and their rules `mask` and `pad`; but loading them
loads NumPy, which a check does without. A test runs everything in this table at the true size and padded, with numbers
behind the end that must not be seen. Knows no op. Read next: `slopes`.
"""

from __future__ import annotations

_ELEMENTWISE = (
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil conj cos cosh digamma erf erf_inv erfc exp exp2 expm1 floor "
    "imag lgamma log log1p log_to maximum minimum nextafter population_count real rem round round_away rsqrt sigmoid "
    "sign sin sinh sqrt tan tanh where cast stop_gradient checkpoint_name optimization_barrier"
)
_REDUCING = "sum max min any all cumsum"
_MOVING = "places transpose broadcast_to iota sort tensordot stack"
_OF_SHAPES = (
    "broadcasted contracted extent inserted item joined len list_prod list_sum part permuted reduced removed replaced "
    "stretched swapped transposed"
)

MASKED = frozenset(" ".join((_ELEMENTWISE, _REDUCING, _MOVING)).split())
"""The intrinsics that take arrays of such sizes, and give them."""

MEASURED = frozenset(_OF_SHAPES.split())
"""The functions of shapes and lists that take such sizes: they compute with them and decide nothing by them."""
