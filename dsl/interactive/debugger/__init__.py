"""A debugger: a call by the evaluator, line by line, forward and backward.

Staging marks the text (`dsl.staging.env.marks`); `recording` runs the marked program and keeps `frames`; `session`
knows the commands, `view` what they show, `expressions` and `scopes` what can be asked at a line; `prompt` and
`terminal` read what is entered. Read next: `session`.
"""

from __future__ import annotations

import sys
from typing import Any

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.host.functions.function import Function
from dsl.interactive.debugger.prompt import run
from dsl.tools.report import plain


def debug(function: Function, *args: Any, **kwargs: Any) -> None:
    """Evaluate a call of a function line by line, at a prompt."""

    def complain(diagnostic: Diagnostic) -> None:
        plain(diagnostic, sys.stderr)

    run(function, (args, kwargs), complain)
