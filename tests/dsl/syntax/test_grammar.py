"""The grammar itself: no conflicts, fresh tables, a method for every name, no lark outside `parse`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lark

import dsl.syntax
from dsl.diagnostics.source import Source
from dsl.syntax.build import Builder
from dsl.syntax.parse import TABLE, build_grammar, freeze, grammar, thaw

FOLDER = Path(dsl.syntax.__file__).parent
GRAMMAR = (FOLDER / "grammar.lark").read_text(encoding="utf-8")


def test_the_grammar_has_no_conflict_and_the_shipped_tables_are_its_own() -> None:
    made = build_grammar(GRAMMAR, strict=True)
    shipped = (FOLDER / TABLE).read_text(encoding="utf-8")
    thawed = thaw(shipped, GRAMMAR)
    assert thawed is not None, "run `python -m dsl.syntax.parse`"
    assert _rules(thawed) == _rules(made)
    assert {(t.name, t.pattern.value) for t in thawed.terminals} == {(t.name, t.pattern.value) for t in made.terminals}
    assert _size(thawed) == _size(made)


def _rules(made: lark.Lark) -> set[tuple[str, tuple[str, ...], str]]:
    return {
        (str(rule.origin.name), tuple(str(part.name) for part in rule.expansion), str(rule.alias))
        for rule in made.rules
    }


def _size(made: lark.Lark) -> tuple[int, int]:
    """States and actions; their numbering changes from run to run."""
    states = made.parser.parser.parser.parse_table.states
    return len(states), sum(map(len, states.values()))


def test_tables_come_back_as_they_were_written() -> None:
    made = build_grammar(GRAMMAR)
    thawed = thaw(freeze(made, GRAMMAR), GRAMMAR)
    assert thawed is not None and _size(thawed) == _size(made)


def test_tables_of_another_grammar_or_damaged_ones_are_not_used() -> None:
    shipped = (FOLDER / TABLE).read_text(encoding="utf-8")
    assert thaw(shipped, GRAMMAR) is not None
    assert thaw(shipped, GRAMMAR + "\n// changed") is None
    assert thaw(shipped[: len(shipped) // 2], GRAMMAR) is None
    assert thaw("", GRAMMAR) is None
    assert thaw('{"made_from": 3}', GRAMMAR) is None
    assert thaw("[]", GRAMMAR) is None


def test_every_rule_has_a_method_and_every_rule_without_one_has_one_part() -> None:
    builder = Builder(Source("x", ""))
    for rule, name in grammar().rules:
        if not name:
            assert len(rule.expansion) == 1, rule
        elif name not in ("second", "inside", "list_closed"):
            assert callable(getattr(builder, name)), rule


def test_the_parser_needs_no_backend() -> None:
    code = "import sys, dsl.syntax.parse as p; p.grammar(); print('jaxlib' in sys.modules, 'jax' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "False"]
