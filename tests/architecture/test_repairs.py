"""Helps are made of trees: no module of the errors has regular expressions; and the guard itself, shown to fail."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ERRORS = Path(__file__).parents[2] / "typechecker" / "errors"
PATTERNS = ("re", "regex", "fnmatch", "string.templatelib")


def patterns_in(text: str) -> list[int]:
    """Return the lines of a module that import a library of patterns."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names):
                found += [node.lineno for each in names if each.name in PATTERNS]
            case ast.ImportFrom(module=module):
                found += [node.lineno] * (module in PATTERNS)
            case _:
                pass
    return found


def test_no_regular_expression_reads_source_text() -> None:
    found = {path.name: patterns_in(path.read_text(encoding="utf-8")) for path in ERRORS.rglob("*.py")}
    assert len(found) > 20
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("text", ["import re\n", "def f():\n    from re import match\n", "import os, re as r\n"])
def test_a_pattern_is_seen(text: str) -> None:
    assert patterns_in(text)
