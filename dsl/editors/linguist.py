"""The language for linguist, which tells GitHub and others what a file is: `python -m dsl.editors.linguist` writes what
a change of linguist adds, to `editors/linguist`. The colours are the TextMate grammar of the extension for VS Code.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dsl.syntax.tables import tables

FOLDER = Path(__file__).parents[2] / "editors" / "linguist"
DECLARATIONS = ("DEF", "STATIC", "TYPE", "ENUM", "EFFECT", "LET")

LANGUAGES = """puredsl:
  type: programming
  color: "#4051b5"
  extensions:
  - ".dsl"
  tm_scope: source.dsl
  ace_mode: text
  language_id: 417264905
"""


def heuristic() -> str:
    """A regular expression that a line of a program matches, and no line of other languages whose files end so: the
    head of a declaration, with the sign behind its name."""
    words = "|".join([tables().terminals[kind].partition("(?!")[0] for kind in DECLARATIONS])
    return rf"^(?:{words})\s+\w+(?:\s+\w+)?\s*(?:[(\[=:]|$)"


def files() -> Mapping[str, str]:
    """By name, the entries for the files of linguist of the same name."""
    rules = f"- extensions: ['.dsl']\n  rules:\n  - language: puredsl\n    pattern: '{heuristic()}'\n"
    return {"languages.yml": LANGUAGES, "heuristics.yml": rules}


def main() -> None:
    """Write the entries."""
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
