"""Run the examples that draw a picture, and write `docs/gallery.md`, which shows the pictures. Run it with
`make gallery`; `python examples/gallery.py nile rats` runs these two alone, and the others keep their pictures.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
PAGE, PICTURES = DOCS / "gallery.md", DOCS / "gallery"
HEAD = """\
# Gallery

Each picture is the result of an example, drawn by its Python program from what the program in the language computed.
`make gallery` runs the examples again and writes this page.
"""


def drawing() -> Iterator[tuple[str, str, str]]:
    """Yield the name of each example that draws a picture, what it does, and the name of the picture."""
    for file in sorted(HERE.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        picture = re.search(r'^PICTURE = .*"(\w+\.(?:svg|png))"$', text, re.MULTILINE)
        if picture is not None:
            doc = ast.get_docstring(ast.parse(text)) or ""
            yield file.stem, _without_commands(doc), picture[1]


def _without_commands(doc: str) -> str:
    """What an example does, without how to run it."""
    sentences = re.split(r"(?<=\.)\s+", " ".join(doc.partition("\n\n")[0].split()))
    return " ".join(sentence for sentence in sentences if "Run it with" not in sentence and sentence[:1] != "`")


def page() -> str:
    """The page of all pictures that there are."""
    parts = [HEAD]
    for name, what, picture in drawing():
        if (PICTURES / picture).is_file():
            files = " and ".join([f"`examples/{each}`" for each in _files(name)])
            title = name.replace("_", " ").capitalize()
            parts.append(f"## {title}\n\n{what} From {files}.\n\n![{title}](gallery/{picture})\n")
    return "\n".join(parts)


def _files(name: str) -> list[str]:
    return [f"{name}{suffix}" for suffix in (".dsl", ".py") if (HERE / f"{name}{suffix}").is_file()]


def main(names: list[str]) -> None:
    """Run the examples with these names, or all."""
    PICTURES.mkdir(exist_ok=True)
    for name, _, picture in drawing():
        if not names or name in names:
            subprocess.run([sys.executable, HERE / f"{name}.py"], check=True, stdout=subprocess.DEVNULL)
            shutil.copy(HERE.parent / "out" / picture, PICTURES / picture)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
