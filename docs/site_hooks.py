"""What the site makes of a fenced block: the words behind its language, which the tests read, become a title over it,
and a program gets a link to the playground, which is a part of the site."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any

from dsl.playground.links import fragment
from dsl.playground.site import write_site

FENCE = re.compile(r"^( *)```(\w+) +(.+)$", re.MULTILINE)
PROGRAM = re.compile(r"^( *)```dsl\b([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
TITLES = {"good": "accepted", "bad": "refused"}
PLAYGROUND = "playground"


def on_page_markdown(markdown: str, *, page: Any = None, **_: Any) -> str:
    """Called by MkDocs with the text of each page."""
    root = "../" * (page.url.count("/") if page is not None else 0)
    return FENCE.sub(_with_title, PROGRAM.sub(partial(_with_link, root), markdown))


def _with_link(root: str, block: re.Match[str]) -> str:
    """A program with a link below it; the content of a file that others import has none."""
    indent, words, text = block.groups()
    if "file=" in words:
        return block[0]
    address = f"{root}{PLAYGROUND}/index.html#{fragment(dedent(text))}"
    return f'{block[0]}\n\n{indent}<a class="try" href="{address}" target="_blank">Try it</a>\n'


def _with_title(fence: re.Match[str]) -> str:
    indent, language, words = fence.groups()
    title = TITLES.get(words, words.replace("refused=", "refused: ").removeprefix("file="))
    return f'{indent}```{language} title="{title}"'


def on_post_build(config: Any) -> None:
    """Called by MkDocs when the pages are written."""
    write_site(Path(config["site_dir"]) / PLAYGROUND)
