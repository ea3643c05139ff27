"""`dsl debug`: a function of a program on data, line by line. Read next: `session`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dsl.diagnostics.message import Diagnostic
from dsl.host.functions.transforms import grad
from dsl.interactive.debugger.prompt import run
from dsl.tools.named_programs import Request, folder_of
from dsl.tools.running import called


def debug_function(
    request: Request, commands: Sequence[str], derived: bool, complain: Callable[[Diagnostic], None]
) -> int:
    """Debug a call of a function, or of its gradient, by commands that are given or entered."""
    function, arguments = called(request)
    run(grad(function) if derived else function, ((), arguments), complain, folder_of(request.file), commands or None)
    return 0
