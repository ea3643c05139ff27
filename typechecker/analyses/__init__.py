"""Analyses of checked definitions, over Core: random keys used once, what a derivative reaches, linearity of custom
rules, what forward mode passes through. Those that ask the ops are loaded when a program needs them."""

from typing import TYPE_CHECKING

from dsl.late_names import late

if TYPE_CHECKING:
    from typechecker.analyses.activity import check_activity, check_application

__all__ = ["check_activity", "check_application"]

__getattr__ = late(
    __name__,
    {
        "check_activity": ("typechecker.analyses.activity", "check_activity"),
        "check_application": ("typechecker.analyses.activity", "check_application"),
    },
)
