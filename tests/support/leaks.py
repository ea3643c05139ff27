"""What users read shows nothing of the inside: no private name of the library, no place in it, no object of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import stdlib
from dsl.diagnostics.diagnostic import Diagnostic
from tests.support.corpus import ProgramText
from typechecker.builtins.table import table

LIBRARY = sorted(Path(stdlib.FOLDER).glob("*.dsl"))
PRIVATE = frozenset(
    name for file in LIBRARY for name in re.findall(r"^(?:static )?def (_\w+)", file.read_text("utf-8"), re.MULTILINE)
)
DECLARED = re.compile(r"^(?:static )?def ([a-z]\w*)", re.MULTILINE)
NAMES = {name.rpartition(".")[2] for name in table()} | {
    name for file in LIBRARY for name in DECLARED.findall(file.read_text("utf-8"))
}
INSIDE = re.compile(
    r"\(\?\)|intrinsic\.|<stdlib>|<function|object at 0x|__|\bis[:(]|\*?\bif\(|==\(|\bleaf\[|dtype leaf\b|"
    r"\bweighted_below\b|\b(?:StaticName|SizeVar|ShapeVar|DTypeVar|TypeVar|Opaque\w*|Splice|Size|Shape|Span|Known|Traced)\("
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


def leaks_of(program: ProgramText) -> Iterator[str]:
    """What the diagnostics of a program show of the inside, each with its words."""
    own = "".join(program.texts.values())
    for diagnostic in program.check().diagnostics:
        places = {label.span.source.name for label in (diagnostic.primary, *diagnostic.secondary)}
        if found := [*leaks(words(diagnostic), own), *(p for p in places if p.startswith("<stdlib>"))]:
            yield f"{found} in {words(diagnostic)}"
