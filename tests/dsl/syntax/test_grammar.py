"""The grammar itself: no conflicts, tables of its own, a method for every name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from dsl.diagnostics.source import Source
from dsl.syntax.build import Builder
from dsl.syntax.make_tables import format_tables
from dsl.syntax.tables import FILE, GRAMMAR, read_tables, tables
from tests.support.cases import some


def test_the_grammar_has_no_conflict_and_the_shipped_tables_are_its_own() -> None:
    made = format_tables(GRAMMAR.read_bytes())
    assert made == FILE.read_bytes(), "run `python -m dsl.syntax.make_tables`"


@pytest.mark.parametrize("shipped", [None, FILE.read_bytes()[:-100], FILE.read_bytes()])
def test_tables_of_an_edited_grammar_are_made(shipped: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "grammar.json"
    if shipped is not None:
        file.write_bytes(shipped)
    edited = GRAMMAR.read_bytes() + b"\n// edited\n"
    made = read_tables(file, edited)
    assert made.grammar != tables().grammar and made == replace(tables(), grammar=made.grammar)


def test_tables_do_not_depend_on_the_process() -> None:
    code = "from sys import stdin, stdout; from dsl.syntax.make_tables import format_tables\n"
    code += "stdout.buffer.write(format_tables(stdin.buffer.read()))"
    text = 'declaration: "a" item -> one\nitem: "b" | "c" -> two\nscript: item "b" -> three\nNEWLINE: /\\n/\n'
    text += "\n".join(
        f'{name}: "{sign}"' for name, sign in zip(("COMMA", "RPAR", "RSQB", "RBRACE"), ",)]}", strict=True)
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=text.encode(),
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(found) == 1 and all(found)


def test_every_rule_has_a_method_and_every_rule_without_one_has_one_part() -> None:
    builder = Builder(Source("x", ""))
    for rule in some(tables().rules):
        if not rule.method:
            assert rule.parts == 1, rule
        elif rule.method not in ("second", "inside", "list_closed"):
            assert callable(getattr(builder, rule.method)), rule


def test_the_parser_needs_no_backend_and_no_lark() -> None:
    code = "import sys, dsl.syntax.parse as p; p.scanner(); print({'jaxlib', 'jax', 'lark'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["set()"]
