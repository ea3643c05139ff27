"""`docs/stdlib.md` lists what the library holds. As a script this writes the page anew."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import stdlib
from dsl.syntax import ast
from tests.support.library import public, source, tree
from typechecker.builtins.table import table

PAGE = Path(__file__).parents[2] / "docs" / "stdlib.md"
HEAD = """# The standard library

Every name of the prelude is in scope everywhere; the others are reached by `import nn`, `nn.relu(x)`, from Python
as `dsl.nn.relu(x)`. The definitions are written by `python -m tests.stdlib.test_reference_page` from the comments in
`stdlib/*.dsl`; the functions whose type no signature states stand at the end. Of several definitions of one name a call
is of the first that takes its arguments: by their number and names, then by whether they are arrays of the class of
dtypes, static numbers or lists.
"""
RULES = "\n## Functions with rules of their own\n"


def entries(module: str) -> list[str]:
    """Signature and comment of every public definition, type and effect, in the order of the text."""
    text, names = source(module), set(public(module))
    nodes = [
        node
        for node in tree(module).declarations
        if (isinstance(node, ast.TypeAliasDecl | ast.EffectDecl) and not node.name.name.startswith("_"))
        or (isinstance(node, ast.Def) and node.name.name in names)
    ]
    return [f"- `{_head(text.text, node)}`  \n  {' '.join((node.doc or '').split())}" for node in nodes]


def _on_one_line(text: str) -> str:
    """A text without its line breaks, and the blanks around brackets that came with them."""
    return re.sub(r"(?<=[(\[{])\s+|\s+(?=[)\]}])", "", " ".join(text.split()))


def _head(text: str, node: ast.Def | ast.TypeAliasDecl | ast.EffectDecl) -> str:
    """The signature on one line, without the `=` and the body; the whole of a type or of an effect."""
    if isinstance(node, ast.TypeAliasDecl | ast.EffectDecl):
        return _on_one_line(text[node.span.start : node.span.end])
    head = text[node.name.span.start : node.body.span.start].rstrip()
    return _on_one_line(head.removesuffix("="))


def page() -> str:
    """The page anew: its last section is kept as it is written."""
    modules = sorted((p.stem for p in Path(stdlib.FOLDER).glob("*.dsl")), key=lambda m: (m != "prelude", m))
    generated = "".join(f"\n## {module}\n\n" + "\n".join(entries(module)) + "\n" for module in modules)
    return HEAD + generated + RULES + PAGE.read_text(encoding="utf-8").partition(RULES)[2]


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_functions_with_rules_of_their_own_are_on_the_page() -> None:
    written = PAGE.read_text(encoding="utf-8").partition(RULES)[2]
    documented = set(re.findall(r"`([a-z_.0-9]+)[`(\[]", written))
    assert sorted(set(table()) - documented) == []


if __name__ == "__main__":
    sys.stdout.write(f"{PAGE.write_text(page(), encoding='utf-8')} characters\n")
