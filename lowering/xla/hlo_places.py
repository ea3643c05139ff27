"""Where in the program the instructions of optimised HLO come from, read from its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MODULE = re.compile(r"HloModule ([^\s,]+)")
_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\{$", re.MULTILINE)
_INSTRUCTION = re.compile(r"^ +(?:ROOT )?%?([\w.-]+) = (.*)$", re.MULTILINE)
_PLACE = re.compile(r'source_file="([^"]*)" source_line=(\d+)')
_BODY = re.compile(r"calls=%?([\w.-]+)")


def places(text: str) -> tuple[str, dict[str, list[str]]]:
    """The name of a module, and by instruction the lines, `model.dsl:3`, that it computes: for a fusion, those of what
    is fused; lines of the library only where there are no others."""
    bodies = dict(_bodies(text))
    module = _MODULE.match(text)
    found = {name: _lines(rest, bodies) for body in bodies.values() for name, rest in _INSTRUCTION.findall(body)}
    return module.group(1) if module else "", {name: lines for name, lines in found.items() if lines}


def _bodies(text: str) -> Iterator[tuple[str, str]]:
    """The text of each computation by name."""
    starts = list(_COMPUTATION.finditer(text))
    ends = [*[start.start() for start in starts[1:]], len(text)]
    for start, end in zip(starts, ends, strict=True):
        yield start.group(1), text[start.end() : end]


def _lines(instruction: str, bodies: dict[str, str]) -> list[str]:
    called = [bodies.get(name, "") for name in _BODY.findall(instruction)]
    found = dict.fromkeys(_PLACE.findall("".join([*called, instruction])))
    own = [place for place in found if not place[0].startswith("<stdlib>")]
    return [f"{file}:{line}" for file, line in own or found]
