"""Run the examples that draw a picture, and write `docs/gallery.md`, which shows the pictures. Run it with
`make gallery`; `python examples/gallery.py nile rats` runs these two alone, and the others keep their pictures. On one
machine, a picture has the same bytes each time: `gallery.matplotlibrc` fixes the ids in it, and it has no date.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
PAGE, PICTURES = DOCS / "gallery.md", DOCS / "gallery"
DRAWN = {"MATPLOTLIBRC": str(HERE / "gallery.matplotlibrc"), "SOURCE_DATE_EPOCH": "0"}
"""The environment in which matplotlib draws the same bytes for the same picture."""
HEAD = """\
# Gallery

Each picture is the result of an example, drawn by its Python program from what the program in the language computed.
`make gallery` runs the examples again and writes this page.
"""


class Drawing(NamedTuple):
    """An example that draws a picture: what it does, the file of the picture, and what that shows."""

    name: str
    what: str
    picture: str
    shows: str


def drawing() -> Iterator[Drawing]:
    """Yield the examples that draw a picture."""
    for file in sorted(HERE.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        picture = re.search(r'^PICTURE = .*"(\w+\.(?:svg|png))"$', text, re.MULTILINE)
        if picture is not None:
            tree = ast.parse(text)
            yield Drawing(file.stem, _without_commands(ast.get_docstring(tree) or ""), picture[1], _shows(tree))


def _shows(tree: ast.Module) -> str:
    """What the picture shows, as the function that draws it says."""
    found = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in ("picture", "draw"))
    doc = next((ast.get_docstring(node) or "" for node in found), "").removeprefix("Draw ")
    return doc[:1].upper() + doc[1:]


def _without_commands(doc: str) -> str:
    """What an example does, without how to run it."""
    sentences = re.split(r"(?<=\.)\s+", " ".join(doc.partition("\n\n")[0].split()))
    return " ".join(sentence for sentence in sentences if "Run it with" not in sentence and sentence[:1] != "`")


def page() -> str:
    """The page of all pictures that there are."""
    parts = [HEAD]
    for name, what, picture, shows in drawing():
        if (PICTURES / picture).is_file():
            files = " and ".join([f"`examples/{each}`" for each in _files(name)])
            title, caption = name.replace("_", " ").capitalize(), f"\n*{shows}*\n" if shows else ""
            text = "\n".join(wrap(f"{what} From {files}.", 120))
            parts.append(f"## {title}\n\n{text}\n\n![{title}](gallery/{picture})\n{caption}")
    return "\n".join(parts)


def _files(name: str) -> list[str]:
    return [f"{name}{suffix}" for suffix in (".dsl", ".py") if (HERE / f"{name}{suffix}").is_file()]


def main(names: list[str]) -> None:
    """Run the examples with these names, or all."""
    PICTURES.mkdir(exist_ok=True)
    for name, _, picture, _ in drawing():
        if not names or name in names:
            command, around = [sys.executable, str(HERE / f"{name}.py")], {**os.environ, **DRAWN}
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=around)
            shutil.copy(HERE.parent / "out" / picture, PICTURES / picture)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
