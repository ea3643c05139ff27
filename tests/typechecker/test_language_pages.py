"""The blocks of `docs/language/*.md`: a plain one checks, one `refused=CODE` gives errors of that code alone.

The word `later` behind a fence says that the block is not yet judged rightly; it must still fail then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from dsl.diagnostics.message import Severity
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.cases import some
from tests.support.known_library import known_library

PAGES = Path(__file__).parents[2] / "docs" / "language"
_BLOCK = re.compile(
    r"^```dsl(?: refused=(?P<code>E\d+))?(?P<later> later)?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    name: str
    text: str
    refused: str | None
    later: bool

    def problem(self) -> str | None:
        """What the checker says that it should not, or that it says nothing."""
        found = check_source(Source(self.name, self.text), {}, cache=known_library()).diagnostics
        errors = [d for d in found if d.severity is Severity.ERROR]
        wrong = [d for d in errors if self.refused is None or not d.code.startswith(self.refused)]
        if wrong or (self.refused and not errors):
            return "\n".join(f"{d.primary.span}: {d.code} {d.message}" for d in wrong) or "it is not refused"
        return None


def blocks() -> Iterator[Block]:
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for found in _BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield Block(f"{page.name}:{line}", found["text"], found["code"], found["later"] is not None)


BLOCKS = tuple(blocks())


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_block(block: Block) -> None:
    problem = block.problem()
    if block.later:
        assert problem, "it is judged rightly now: remove the word `later`"
    else:
        assert problem is None, problem


def test_pages_have_blocks_of_both_kinds() -> None:
    refused = [block for block in BLOCKS if block.refused]
    assert len(refused) >= 15
    assert len(BLOCKS) - len(refused) >= 20


def test_every_fence_is_understood() -> None:
    """A block with a misspelled fence would never be run."""
    fences = sum(page.read_text(encoding="utf-8").count("```dsl") for page in PAGES.glob("*.md"))
    assert fences == len(BLOCKS)


def test_links_lead_somewhere() -> None:
    links = [(page, re.findall(r"\]\((\w+\.md)\)", page.read_text(encoding="utf-8"))) for page in PAGES.glob("*.md")]
    for page, target in some([(page, target) for page, targets in links for target in targets]):
        assert (PAGES / target).is_file(), f"{page.name}: {target}"
