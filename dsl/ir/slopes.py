"""How the results of first-order ops depend on their operands, by the names of the ops: what analyses of programs ask.

The declarations of the ops say the same and more, but loading them loads NumPy, which a check does without. A test
holds this table against the declarations. Knows no op. Read next: `traits`.

Beside it stands what may be done with arrays whose size data decide, by the names of intrinsics. The ops say it by
their factors and their rules `mask` and `pad`; a test runs everything here at the true size, and padded with numbers
that must not be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct


class Slope(Struct, frozen=True):
    """`linear`: in all inexact operands together, or `multilinear`: in each of several while the others are fixed.
    `flat`: the derivative is zero. `without`: there is no derivative, for this reason. None of these: the derivative
    depends on the operands."""

    linear: bool = False
    multilinear: bool = False
    flat: bool = False
    without: str = ""


_LINEAR = (
    "broadcast_in_dim reduce_sum reshape transpose rev neg add sub select convert complex real imag conj slice pad "
    "concatenate cumsum fft gather scatter_add scatter_set dynamic_slice dynamic_update_slice psum all_gather "
    "reduce_scatter all_to_all ppermute checkpoint_name optimization_barrier with_sharding named"
)
_MULTILINEAR = "mul scale div dot_general conv_general triangular_solve"
_FLAT = (
    "compare floor ceil round_nearest_even round_nearest_afz is_finite and or xor not shift_left "
    "shift_right_arithmetic shift_right_logical popcount count_leading_zeros iota constant reduce_and reduce_or argmax "
    "argmin threefry2x32 axis_index stop_gradient places length"
)
_CURVED = (
    "sqrt rsqrt cbrt exp exp2 expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh logistic pow "
    "integer_pow rem atan2 erf erfc erf_inv lgamma polygamma max min clamp abs sign reduce_prod reduce_max reduce_min "
    "cumprod cummax scatter_mul scatter_min scatter_max cholesky lu qr eigh eig svd sort top_k ranked pmax pmin print"
    " step"
)
_WITHOUT = (
    ("nextafter", "nextafter is a step in the representation of numbers"),
    ("callback", "nobody can look into a function of Python; give it a derivative with custom_jvp"),
    ("stablehlo", "it is StableHLO of another compiler, which came without its derivative"),
)

SLOPES: Mapping[str, Slope] = MappingProxyType(
    {
        **dict.fromkeys(_LINEAR.split(), Slope(linear=True)),
        **dict.fromkeys(_MULTILINEAR.split(), Slope(linear=True, multilinear=True)),
        **dict.fromkeys(_FLAT.split(), Slope(flat=True)),
        **dict.fromkeys(_CURVED.split(), Slope()),
        **{name: Slope(without=why) for name, why in _WITHOUT},
    }
)

_ELEMENTWISE = (
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil conj cos cosh digamma erf erf_inv erfc exp exp2 expm1 floor "
    "imag lgamma log log1p log_to maximum minimum nextafter population_count real rem round round_away rsqrt sigmoid "
    "sign sin sinh sqrt tan tanh where cast stop_gradient checkpoint_name optimization_barrier"
)
_REDUCING = "sum prod max min any all argmax argmin cumsum cumprod cummax"
_MOVING = (
    "places transpose broadcast_to argsort concatenate diag einsum flip iota pad reshape slice_axis sort stack take "
    "take_along_axis tensordot top_k ranked"
)
_OF_SHAPES = (
    "broadcasted contracted extent inserted item joined list_prod list_sum part permuted reduced removed replaced "
    "maximum minimum reshaped stretched swapped transposed"
)

MASKED = frozenset(" ".join((_ELEMENTWISE, _REDUCING, _MOVING)).split())
"""The intrinsics that take arrays of such sizes, and give them."""

COUNTED = frozenset(["has_axis", "is_order", "len"])
"""Those that ask how many sizes there are, and not how large they are."""

MEASURED = frozenset(_OF_SHAPES.split())
"""The functions of shapes and lists that take such sizes: they compute with them and decide nothing by them."""
