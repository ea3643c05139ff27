"""The blocks of `docs/language/*.md`: a plain one checks, one `refused=CODE` gives exactly that error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from dsl.diagnostics.message import Severity
from dsl.diagnostics.source import Source
from typechecker import check_source

PAGES = Path(__file__).parents[2] / "docs" / "language"
_BLOCK = re.compile(r"^```dsl(?: refused=(?P<code>E\d+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    name: str
    text: str
    refused: str | None


def blocks() -> Iterator[Block]:
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for found in _BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield Block(f"{page.name}:{line}", found["text"], found["code"])


BLOCKS = tuple(blocks())


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_block(block: Block) -> None:
    found = check_source(Source(block.name, block.text), {}).diagnostics
    errors = [d for d in found if d.severity is Severity.ERROR]
    said = "\n".join(f"{d.primary.span}: {d.code} {d.message}" for d in errors)
    if block.refused is None:
        assert not errors, said
    else:
        assert len(errors) == 1, said
        assert errors[0].code.startswith(block.refused), said


def test_pages_have_blocks_of_both_kinds() -> None:
    refused = [block for block in BLOCKS if block.refused]
    assert len(refused) >= 15
    assert len(BLOCKS) - len(refused) >= 20


def test_every_fence_is_understood() -> None:
    """A block with a misspelled fence would never be run."""
    fences = sum(page.read_text(encoding="utf-8").count("```dsl") for page in PAGES.glob("*.md"))
    assert fences == len(BLOCKS)


def test_links_lead_somewhere() -> None:
    for page in PAGES.glob("*.md"):
        for target in re.findall(r"\]\((\w+\.md)\)", page.read_text(encoding="utf-8")):
            assert (PAGES / target).is_file(), f"{page.name}: {target}"
