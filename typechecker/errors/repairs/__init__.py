"""Suggested edits for the helps of errors: shapes that fit, names of other libraries.

Rules that find nothing wrong need none of these: they are loaded when one is used.
"""

from typing import TYPE_CHECKING

from dsl.late_names import LateModule

__all__ = ["orders", "other_libraries", "trial"]

if TYPE_CHECKING:
    from typechecker.errors.repairs import orders, other_libraries, trial
else:
    orders = LateModule("typechecker.errors.repairs.orders")
    other_libraries = LateModule("typechecker.errors.repairs.other_libraries")
    trial = LateModule("typechecker.errors.repairs.trial")
