"""`dsl debug`: a function of a program on data, line by line. Read next: `session`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from dsl.diagnostics.message import Diagnostic
from dsl.host.functions.function import Function
from dsl.interactive.debugger.prompt import run
from dsl.tools.arguments import bind
from dsl.tools.named_programs import Request, folder_of
from dsl.tools.running import prepare


def debug_function(request: Request, commands: Sequence[str], complain: Callable[[Diagnostic], None]) -> int:
    """Debug a call, by commands that are given or entered."""
    function, given, seed = prepare(request)
    if not isinstance(function, Function):
        raise click.UsageError(f"{request.file} is an artifact; this command takes a program")
    arguments = {**bind(function.signature, given), **seed}
    run(function, ((), arguments), complain, folder_of(request.file), commands or None)
    return 0
