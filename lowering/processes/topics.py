"""The steps that the processes of a group begin together: programs, barriers. Knows nothing of sockets.

Read next: `member`, which comes to them.
"""

from __future__ import annotations

from msgspec import Struct

LONGEST = 2000
"""Characters of the types of a program that are sent to the others."""


class Topic(Struct, frozen=True, array_like=True):
    """A step that all processes begin together, which must be the same for all. Of a program, `types` are those of its
    arguments and `code` is a digest of its text."""

    name: str
    types: str = ""
    code: str = ""


def of_program(name: str, types: list[str], code: str) -> Topic:
    """The start of a program."""
    shown = ", ".join(types)
    return Topic(f"`{name}`", f"({shown})" if len(shown) <= LONGEST else f"({shown[:LONGEST]}…", code)
