"""Files of programs: each begins with a line `#### name`; `#### name module=foo` adds the module `foo` to the program
of that name. The corpus of the checker (`tests/typechecker/cases`) and the results (`tests/e2e/results`) are such.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dsl.diagnostics.message import Diagnostic, Severity
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.known_library import known_library
from typechecker import CheckResult

MAIN = ""
_HEADER = re.compile(r"#### (?P<name>\w+)(?: module=(?P<module>[\w.]+))?\s*")


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program of a file: its texts by module (`""` is the program itself), and the line where it begins."""

    name: str
    file: Path
    line: int
    texts: Mapping[str, str]

    def check(self) -> CheckResult:
        """The result of a check; asked again soon, it is the same one."""
        return _check(tuple(self.texts.items()))

    def errors(self) -> list[Diagnostic]:
        return [d for d in self.check().diagnostics if d.severity is Severity.ERROR]


@lru_cache(maxsize=8)
def _check(texts: tuple[tuple[str, str], ...]) -> CheckResult:
    sources = {module: Source(f"{module or 'main'}.dsl", text) for module, text in texts}
    main = sources.pop(MAIN)
    return check_source(main, sources, cache=known_library())


def read_programs(file: Path) -> Iterator[ProgramText]:
    """The programs of one file, in order. ValueError for a part that occurs twice."""
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    lines: dict[str, int] = {}
    for header, line, text in _split_parts(file):
        name, module = header["name"], header["module"] or MAIN
        if module in texts[name]:
            raise ValueError(f"{file}:{line}: {name} has this part twice")
        texts[name][module] = text
        lines.setdefault(name, line)
    for name, parts in texts.items():
        yield ProgramText(name, file, lines[name], parts)


def _split_parts(file: Path) -> Iterator[tuple[re.Match[str], int, str]]:
    """Each header with its line and the text up to the next one."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    heads = [(i, m) for i, line in enumerate(lines) if (m := _HEADER.fullmatch(line))]
    ends = [i for i, _ in heads[1:]] + [len(lines)]
    for (at, header), end in zip(heads, ends, strict=True):
        yield header, at + 1, "".join(lines[at + 1 : end]).rstrip("\n") + "\n"
