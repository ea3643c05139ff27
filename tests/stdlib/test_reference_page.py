"""`docs/stdlib.md` lists what the library holds. As a script this writes the page anew."""

from __future__ import annotations

import sys
from pathlib import Path

import stdlib
from tests.support.library import public, source

PAGE = Path(__file__).parents[2] / "docs" / "stdlib.md"
HEAD = """# The standard library

Every name of the prelude is in scope everywhere; the others are reached by `import nn`, `nn.relu(x)`. Written by
`python -m tests.stdlib.test_reference_page` from the comments in `stdlib/*.dsl`. Functions of the compiler that no
signature can state (`max min sum mean prod einsum concatenate stack reshape pad tile diag take conv tensordot …`)
stand in `typechecker/specials*.py`.
"""


def entries(module: str) -> list[str]:
    """Signature and comment of every public definition, in the order of the text."""
    lines, names, out = source(module).text.splitlines(), set(public(module)), []
    comment: list[str] = []
    for line in lines:
        if line.startswith("## "):
            comment.append(line[3:])
            continue
        if line.startswith("@"):
            continue
        name = line.removeprefix("def ").split("[")[0].split("(")[0]
        if line.startswith("def ") and name in names:
            signature = line.removeprefix("def ").split(" = intrinsic.")[0]
            head = signature.rsplit(" = ", 1)[0] if signature.endswith("= ") else signature.removesuffix(" =")
            out.append(f"- `{_shortened(head)}`  \n  {' '.join(comment)}")
        comment = []
    return out


def _shortened(head: str) -> str:
    """The signature without the body: what stands in front of the `=` that no bracket holds."""
    depth = 0
    for place, letter in enumerate(head):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "=" and depth == 0 and head[place - 1] not in "=<>!" and head[place + 1 : place + 2] != "=":
            return head[:place].rstrip()
    return head


def page() -> str:
    modules = sorted((p.stem for p in Path(stdlib.FOLDER).glob("*.dsl")), key=lambda m: (m != "prelude", m))
    return HEAD + "".join(f"\n## {module}\n\n" + "\n".join(entries(module)) + "\n" for module in modules)


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


if __name__ == "__main__":
    sys.stdout.write(f"{PAGE.write_text(page(), encoding='utf-8')} characters\n")
