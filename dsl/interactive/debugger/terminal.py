"""The debugger at a terminal: lines with a history and the names of the commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import InMemoryHistory


def lines(prompt: str, commands: Sequence[str], **terminal: Any) -> Iterator[str]:
    """Yield the lines that are entered until the end of the input."""
    session: PromptSession[str] = PromptSession(
        history=InMemoryHistory(),
        completer=WordCompleter(list(commands), sentence=True),
        complete_while_typing=False,
        reserve_space_for_menu=0,
        **terminal,
    )
    while True:
        try:
            yield session.prompt(prompt)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
