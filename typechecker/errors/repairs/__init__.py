"""Suggested edits for the helps of errors: rules that put one piece of syntax in place of another (`rewrites`), goals
that they are tried for, names of other libraries.

Rules that find nothing wrong need none of these: they are loaded when one is used.
"""

from typing import TYPE_CHECKING

from dsl.late_names import LateModule

__all__ = ["other_libraries", "search", "trial"]

if TYPE_CHECKING:
    from typechecker.errors.repairs import other_libraries, search, trial
else:
    other_libraries = LateModule("typechecker.errors.repairs.other_libraries")
    search = LateModule("typechecker.errors.repairs.search")
    trial = LateModule("typechecker.errors.repairs.trial")
