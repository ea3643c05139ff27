"""Checks in full: those of the checker, and of each definition that transforms one instance or more.

A transformation is refused by what staging says of an instance: sizes, dtypes and static values that satisfy the facts
of the definition. `check_source` and `check_file` are the front, as those of `typechecker`; what stages is loaded when
a program has something that may be refused.
"""

from typing import TYPE_CHECKING

from dsl.late_names import late

if TYPE_CHECKING:
    from dsl.witnesses.check import check_file, check_source

__all__ = ["check_file", "check_source"]

_CHECK = "dsl.witnesses.check"
__getattr__ = late(__name__, {"check_file": (_CHECK, "check_file"), "check_source": (_CHECK, "check_source")})
