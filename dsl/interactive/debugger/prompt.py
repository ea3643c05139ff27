"""The prompt of the debugger: commands from a terminal, from what comes in, or given at once.

Read next: `session`, which carries them out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.message import Diagnostic
from dsl.host.functions.function import Function
from dsl.interactive.debugger.session import Debugged, expanded
from dsl.late_names import LateModule

terminal = LateModule("dsl.interactive.debugger.terminal")

PROMPT = "(debug) "

Complain = Callable[[Diagnostic], None]


def run(
    function: Function,
    arguments: tuple[Sequence[Any], dict[str, Any]],
    complain: Complain,
    folder: Path | None = None,
    commands: Sequence[str] | None = None,
) -> None:
    """Debug a call until the commands are over. Raises `DslError` if the call does not fit."""
    args, kwargs = arguments
    debugged = Debugged(function, function.marked(*args, **kwargs), folder, _say)
    _attempt(debugged.begin, complain)
    last = ""
    for line in _lines(debugged, commands):
        entered = line.strip() or last
        last = entered
        if expanded(entered) == "quit":
            return
        if entered:
            _attempt(partial(debugged.enter, entered), complain)


def _lines(debugged: Debugged, commands: Sequence[str] | None) -> Iterator[str]:
    """The commands: those that are given, or what is entered. What does not come from a terminal is repeated."""
    if commands is None and sys.stdin.isatty():
        yield from terminal.lines(PROMPT, [*debugged.commands, "quit"])
        return
    for line in _entered() if commands is None else commands:
        print(f"{PROMPT}{line.strip()}")
        yield line


def _entered() -> Iterator[str]:
    """Yield the lines that are entered, also in a notebook."""
    with suppress(EOFError):
        while True:
            yield input()


def _attempt(action: Callable[[], None], complain: Complain) -> None:
    """Do something, and say what is wrong with it. An interrupt ends it and nothing else."""
    try:
        action()
    except DslError as error:
        sys.stdout.flush()
        for diagnostic in error.diagnostics:
            complain(diagnostic)
    except KeyboardInterrupt:
        print("interrupted; nothing has moved")


def _say(text: str) -> None:
    if text:
        print(text)
