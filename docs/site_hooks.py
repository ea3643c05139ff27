"""What the site makes of the words behind a fence's language, which the tests read: a title over the block."""

from __future__ import annotations

import re
from typing import Any

FENCE = re.compile(r"^( *)```(\w+) +(.+)$", re.MULTILINE)
TITLES = {"good": "accepted", "bad": "refused"}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs with the text of each page."""
    return FENCE.sub(_with_title, markdown)


def _with_title(fence: re.Match[str]) -> str:
    indent, language, words = fence.groups()
    title = TITLES.get(words, words.replace("refused=", "refused: ").removeprefix("file="))
    return f'{indent}```{language} title="{title}"'
