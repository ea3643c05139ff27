"""Completion after a dot: the fields of the receiver come first, wherever the receiver is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from dsl.lsp.analysis import Analysis
from dsl.lsp.calls import signature_help
from dsl.lsp.complete import complete
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types.type import RecordType
from typechecker.declarations.entities import Definition
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.program import trials
from typechecker.program.bodies import check_body

EXAMPLES = Path(__file__).parents[3] / "examples"
PROGRAMS = [
    EXAMPLES / f"{name}.dsl" for name in ("adbench/ba", "adbench/gmm", "adbench/hand", "lm/block", "hmc", "mlp")
]
HEAD = "type T = {w: f32[3], b: f32}\ndef f(x: f32[n], t: T) =\n"
PLACES = [
    "    let r = t.|\n    r",
    "    let r = sum(x) + t.|\n    r",
    "    let r = x\n    r + t.|",
    "    -t.|",
    "    (t).|",
    "    sum(t.|)",
    "    maximum(t.|, 1.0)",
    "    sum(x) + unknown(t.|)",
    "    x[t.|]",
    "    [x[0] + t.| for v in x]",
    "    [p.| for p in [t, t]]",
    "    let g = fn y -> y + t.|\n    g(x)",
    "    vmap(fn q -> q.|)([t, t])",
    "    {w = t.|}",
    "    if t.| then 1.0 else 2.0",
    "    fold s = t for v in x do s.|",
    "    sum(t.|",
    "    maximum(t.|, 1.0",
    "    [x[t.|",
    "    [v + t.| for v in x",
]


def asked(folder: Path, name: str, text: str) -> list[lsp.CompletionItem]:
    """What is offered at the bar in a text, in the order in which editors show it."""
    analysis, offset = Analysis(), text.index("|")
    analysis.open(folder / name, text.replace("|", "", 1))
    inside = (c for c in analysis.programs(folder / name))
    found = complete(analysis, next(inside), offset)
    return sorted(found, key=lambda item: item.sort_text or item.label)


@pytest.mark.parametrize("body", PLACES)
def test_fields_come_first(body: str, tmp_path: Path) -> None:
    found = asked(tmp_path, "t.dsl", f"{HEAD}{body}\n")
    assert [item.label for item in found[:2]] == ["b", "w"], [item.label for item in found[:5]]
    assert all(item.kind is lsp.CompletionItemKind.Field for item in found[:2])
    assert {"sum", "f"} <= {item.label for item in found}


def fields_read(analysis: Analysis, path: Path) -> Iterator[ast.Field]:
    """The places of a program where a field of a record is read."""
    checked = analysis.programs(path)[0]
    for node in nodes(checked.main.tree.declarations):
        if isinstance(node, ast.Field) and isinstance(checked.index.types.get(node.base.span), RecordType):
            yield node


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_field_of_the_examples_is_offered_where_it_is_read(path: Path) -> None:
    analysis, text = Analysis(), path.read_text(encoding="utf-8")
    analysis.open(path, text)
    read = list(fields_read(analysis, path))
    assert read
    for node in read:
        start = node.name.span.start
        analysis.open(path, text[:start] + text[node.name.span.end :])
        found = complete(analysis, analysis.programs(path)[0], start)
        assert node.name.name in [item.label for item in found if item.kind is lsp.CompletionItemKind.Field]


NAMED = "type T = {w: f32[3], b: f32}\ndef g(t: T) = sum(t.w)\ndef f(x: f32[n], t: T) =\n    g(t) + t.|\n"
NOT_YET = NAMED.replace("t.|", "(t.|")


@pytest.mark.parametrize(
    "text", [NAMED, NOT_YET, NAMED.replace("g(t) +", "f(x, t) +"), NAMED.replace("+ t.|", "+ g(|")]
)
def test_what_is_typed_is_tried_in_its_definition_alone(text: str, tmp_path: Path, monkeypatch: Any) -> None:
    analysis, path, offset = Analysis(), tmp_path / "t.dsl", text.index("|")
    analysis.open(path, text.replace("|", "", 1))
    (checked,) = analysis.programs(path)
    bodies: list[str] = []
    monkeypatch.setattr("dsl.lsp.analysis.check_source", lambda *_: pytest.fail("a request checks the module"))

    def noted(program: ProgramChecker, info: Definition) -> None:
        bodies.append(info.name)
        check_body(program, info)

    monkeypatch.setattr(trials, "check_body", noted)
    before = checked.main.definitions["g"]
    found = signature_help(analysis, checked, offset) if "g(|" in text else complete(analysis, checked, offset)
    assert found and set(bodies) == {"f"} and len(bodies) <= 2
    assert checked.main.definitions["g"] is before and analysis.programs(path)[0] is checked


def test_a_trial_leaves_no_trace(tmp_path: Path) -> None:
    """The diagnostics and the Core after a completion are those of a check without it."""
    analysis, path = Analysis(), tmp_path / "t.dsl"
    text = NAMED.replace("t.|", "t.wrong")
    analysis.open(path, text)
    told, known = analysis.diagnostics(path), dict(analysis.programs(path)[0].main.definitions)
    complete(analysis, analysis.programs(path)[0], text.index("t.wrong") + 2)
    (after,) = analysis.programs(path)
    assert analysis.diagnostics(path) == told and dict(after.main.definitions) == known
    analysis.open(path, text + "# more\n")
    again = analysis.programs(path)[0]
    assert [d.code for d in analysis.diagnostics(path)] == [d.code for d in told] and not again.result.rechecked
