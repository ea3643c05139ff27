"""Analyses of checked definitions, over Core: random keys used once, recursion without an end, what needs to know a
size that data decide, sums of what is the same along an axis. What few programs need is loaded when one does."""

from typing import TYPE_CHECKING

from dsl.late_names import late

if TYPE_CHECKING:
    from typechecker.analyses.data_sizes import check_application as check_data_sizes_of_call
    from typechecker.analyses.data_sizes import check_constant, check_data_sizes
    from typechecker.analyses.sums_of_the_same import check_reductions, check_reductions_of_call

__all__ = [
    "check_constant",
    "check_data_sizes",
    "check_data_sizes_of_call",
    "check_reductions",
    "check_reductions_of_call",
]

_SIZES = "typechecker.analyses.data_sizes"
_SUMS = "typechecker.analyses.sums_of_the_same"
__getattr__ = late(
    __name__,
    {
        "check_constant": (_SIZES, "check_constant"),
        "check_data_sizes": (_SIZES, "check_data_sizes"),
        "check_data_sizes_of_call": (_SIZES, "check_application"),
        "check_reductions": (_SUMS, "check_reductions"),
        "check_reductions_of_call": (_SUMS, "check_reductions_of_call"),
    },
)
