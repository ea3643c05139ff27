"""What users read shows nothing of the inside: no private name of the library, no place in it, no object of Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dsl
import stdlib
from dsl.diagnostics.diagnostic import Diagnostic
from tests.support.corpus import read_programs
from typechecker.builtins.table import table

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden"
REFUSED = sorted((HERE / "cases" / "reject").glob("*.dsl"))
LIBRARY = sorted(Path(stdlib.FOLDER).glob("*.dsl"))
PRIVATE = frozenset(
    name for file in LIBRARY for name in re.findall(r"^(?:static )?def (_\w+)", file.read_text("utf-8"), re.MULTILINE)
)
DECLARED = re.compile(r"^(?:static )?def ([a-z]\w*)", re.MULTILINE)
NAMES = {name.rpartition(".")[2] for name in table()} | {
    name for file in LIBRARY for name in DECLARED.findall(file.read_text("utf-8"))
}
INSIDE = re.compile(
    r"intrinsic\.|<stdlib>|<function|object at 0x|__|\bis[:(]|\*?\bif\(|==\(|\bleaf\[|dtype leaf\b|\bweighted_below\b|"
    r"\b(?:StaticName|SizeVar|ShapeVar|DTypeVar|TypeVar|Opaque\w*|Splice|Size|Shape|Span|Known|Traced)\("
)


def words(diagnostic: Diagnostic) -> str:
    labels = [label.text for label in (diagnostic.primary, *diagnostic.secondary)]
    return "\n".join([diagnostic.message, *labels, *diagnostic.notes, *(h.text for h in diagnostic.help)])


def leaks(text: str, own: str) -> list[str]:
    """What a text shows that neither the language nor the program of its reader has."""
    names = [name for name in re.findall(r"\b_\w+", text) if name in PRIVATE and name not in own]
    names += [
        name
        for name in re.findall(r"\bof `(\w+)`", text)
        if f"_{name}" in PRIVATE and name not in NAMES and name not in own
    ]
    return names + [found for found in INSIDE.findall(text) if found not in own]


@pytest.mark.parametrize("file", REFUSED, ids=lambda file: file.stem)
def test_messages_show_nothing_of_the_inside(file: Path) -> None:
    wrong = []
    for program in read_programs(file):
        own = "".join(program.texts.values())
        for diagnostic in program.check().diagnostics:
            places = {label.span.source.name for label in (diagnostic.primary, *diagnostic.secondary)}
            found = [*leaks(words(diagnostic), own), *(p for p in places if p.startswith("<stdlib>"))]
            wrong += [f"{program.name}: {found} in {words(diagnostic)}"] if found else []
    assert wrong == []


def test_recorded_messages_show_nothing_of_the_inside() -> None:
    texts = {file: file.read_text(encoding="utf-8") for file in sorted(GOLDEN.rglob("*.txt"))}
    assert len(texts) > 100
    assert {file.name: found for file, text in texts.items() if (found := leaks(text, ""))} == {}


def test_a_leak_is_seen() -> None:
    assert leaks("`_quotient` needs is(mode, 'full')", "") == ["_quotient", "is("]
    assert leaks("argument `x` of `exp` has dtype leaf: leaf[*leaf]", "") == ["dtype leaf", "leaf["]
    assert leaks("`[*if(==(k, 0), n, m)]`", "") == ["*if(", "==("]
    assert leaks("argument `p` of `convolved` has shape `[3]`", "") == ["convolved"]
    assert leaks("`_quotient` needs n >= 2", "def _quotient(x: f32[n]) -> f32 = x[1]") == []


def test_types_of_functions_show_nothing_of_the_inside() -> None:
    m = dsl.program("""
    def a(x: f32[*s], static axis: axes) = softened(max(x, axis=axis))
    def softened(x: f32[*s]) = cumsum(repeat(x, 2, axis=0), axis=0)
    def b(x: f32[n], y: f32[m], static mode: str) = convolve(x, y, mode=mode)
    def c(x: f32[n], mask: bool[n]) = compress(x, mask, size=3, fill=0.0)
    """)
    assert [found for name in "abc" if (found := leaks(str(getattr(m, name).type), ""))] == []
