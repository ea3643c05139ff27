"""Verdicts of two versions of the checker beside each other: `python -m tests.typechecker.compare_verdicts REVISION`.

Every program of REVISION (corpus, results, error pages, language pages, examples) is checked by that revision and by
the working tree, each in a process of its own; what differs in verdict, code or line is printed. `--texts` compares the
messages too. The exit status is the number of differing programs, at most 1.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import typechecker
from dsl.diagnostics.source import Source
from typechecker import CheckCache

ROOT = Path(__file__).parents[2]
_JUDGED = Path(typechecker.__file__).parents[1] / "dsl" / "witnesses"
"""A revision before there were witnesses has none."""
Texts: TypeAlias = Mapping[str, str]
_HEADER = re.compile(r"^#### (?P<name>\w+)(?: module=(?P<module>[\w.]+))?[^\S\n]*\n", re.MULTILINE)
_BLOCK = re.compile(r"^```dsl[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def collect_programs(tree: Path) -> dict[str, Texts]:
    """All programs of a checkout by name, each as its texts by module."""
    found: dict[str, Texts] = {}
    for file in [*tree.glob("tests/typechecker/cases/*/*.dsl"), *tree.glob("tests/e2e/results/*.dsl")]:
        found |= {f"{file.relative_to(tree)}/{name}": texts for name, texts in _split_programs(file.read_text())}
    for file in tree.glob("docs/**/*.md"):
        blocks = _BLOCK.findall(file.read_text())
        found |= {f"{file.relative_to(tree)}:{i}": {"": text} for i, text in enumerate(blocks)}
    for file in tree.glob("examples/**/*.dsl"):
        found[str(file.relative_to(tree))] = {"": file.read_text()}
    return found


def _split_programs(text: str) -> Iterator[tuple[str, Texts]]:
    programs: dict[str, dict[str, str]] = {}
    heads = list(_HEADER.finditer(text))
    for head, end in zip(heads, [h.start() for h in heads[1:]] + [len(text)], strict=True):
        programs.setdefault(head["name"], {})[head["module"] or ""] = text[head.end() : end]
    yield from programs.items()


def judge(texts: Texts, cache: CheckCache | None = None) -> list[Any]:
    """The diagnostics of a program: severity, code, file, line and message."""
    sources = {module: Source(f"{module or 'main'}.dsl", text) for module, text in texts.items()}
    found = []
    front: Any = import_module("dsl.witnesses" if _JUDGED.is_dir() else "typechecker")
    result = front.check_source(sources.pop(""), sources, cache=cache)
    assert result.ok == (result.program is not None)
    for d in result.diagnostics:
        source, start, _ = d.primary.span
        found.append([d.severity.name, d.code, source.name, source.position(start)[0], d.message])
    return sorted(found)


def judge_in(tree: Path, programs: Path) -> dict[str, list[Any]]:
    """The verdicts of the checker of a checkout, in a fresh process."""
    command = [sys.executable, str(Path(__file__).resolve()), "--judge", str(programs)]
    env = os.environ | {"PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=True)
    verdicts: dict[str, list[Any]] = json.loads(done.stdout)
    return verdicts


def compare(revision: str, *, messages: bool) -> int:
    """Print the programs that are judged differently; how many there are."""
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        tree, programs = Path(folder, "tree"), Path(folder, "programs.json")
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(tree, filter="data")
        programs.write_text(json.dumps(collect_programs(tree)))
        before, now = judge_in(tree, programs), judge_in(ROOT, programs)
    kept = 5 if messages else 4
    differing = [n for n in before if [d[:kept] for d in before[n]] != [d[:kept] for d in now[n]]]
    for name in differing:
        print(name, *(f"  - {d}" for d in before[name]), *(f"  + {d}" for d in now[name]), sep="\n")
    print(f"{len(before)} programs, {len(differing)} judged differently than at {revision}")
    return len(differing)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--judge", file]:
            cache = CheckCache()
            print(json.dumps({name: judge(texts, cache) for name, texts in json.loads(Path(file).read_text()).items()}))
        case [revision, *options] if options in ([], ["--texts"]):
            sys.exit(min(1, compare(revision, messages=bool(options))))
        case _:
            sys.exit(str(__doc__))
