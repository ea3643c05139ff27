"""Failed checks of a run, as errors."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.diagnostics.diagnostic import CheckError, Diagnostic, Label
from dsl.staging.values import Site


def raise_failure(code: int, sites: Sequence[Site]) -> None:
    """Raise the error of the check with this number, counted from 1; 0 stands for none."""
    if code:
        site = sites[code - 1]
        raise CheckError([Diagnostic("E0940", site.message, Label(site.span, "this check failed"))])
