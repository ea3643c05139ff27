"""The pages behind the codes, `docs/errors/CODE.md`, found in a checkout and in an installed package alike.

A page is Markdown: `# CODE: title`, prose, and fenced blocks. The words behind a fence's language say what
the block is: `bad` (gives exactly this code), `good` (the same idea, right), `file=NAME` (a file its examples
use). `docs/errors` reaches the package through the link `pages` beside this module. Read next: `codes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType

from msgspec import Struct

from dsl.diagnostics.codes import is_code

_FENCE = re.compile(r"^```(?P<language>\w+)(?P<words>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(Struct, frozen=True):
    """One fenced block of a page."""

    language: str
    words: tuple[str, ...]
    text: str
    line: int

    @property
    def file(self) -> str | None:
        """The name of the file this block is the content of, if it is one."""
        names = [word.removeprefix("file=") for word in self.words if word.startswith("file=")]
        return names[0] if names else None


_HEADS: Mapping[str, str] = MappingProxyType({"bad": "**Refused:**", "good": "**Accepted:**"})


def headed(text: str) -> str:
    """A page with a line above each example that says whether it is refused: a drawing has no fences."""
    return re.sub(r"^```dsl (bad|good)", lambda fence: f"{_HEADS[fence[1]]}\n\n{fence[0]}", text, flags=re.MULTILINE)


def page(code: str) -> str | None:
    """The text of the page of a code, or none where the code has no page."""
    file = resources.files("dsl.diagnostics").joinpath("pages", f"{code}.md")
    return file.read_text(encoding="utf-8") if file.is_file() else None


def codes_with_pages() -> tuple[str, ...]:
    """Every code that has a page, in order."""
    folder = resources.files("dsl.diagnostics").joinpath("pages")
    names = [file.name.removesuffix(".md") for file in folder.iterdir()] if folder.is_dir() else []
    return tuple(sorted(filter(is_code, names)))


def title(text: str) -> tuple[str, str]:
    """The code and the title in a page's first line; two empty strings where it has another form."""
    match = re.match(r"# (\w+): (.+)\n", text)
    return (match[1], match[2]) if match else ("", "")


def blocks(text: str) -> tuple[Block, ...]:
    """The fenced blocks of a page, in order."""
    return tuple(
        Block(m["language"], tuple(m["words"].split()), m["text"], text.count("\n", 0, m.start()) + 1)
        for m in _FENCE.finditer(text)
    )
