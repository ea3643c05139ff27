"""Every change that an advice names is a quick fix, and takes its error away."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from dsl.diagnostics.explain import blocks, page
from dsl.diagnostics.source import Source
from dsl.lsp.analysis import Analysis
from dsl.lsp.places import Places
from dsl.lsp.repairs import actions
from dsl.witnesses import check_source

PLACES = Places(PositionCodec(lsp.PositionEncodingKind.Utf32))
PRINTED = Path(__file__).parents[2] / "golden" / "errors"
ASKING = [
    file.stem
    for file in sorted(PRINTED.glob("E0[1-8]*.txt"))  # of the checker
    if "did you mean" in file.read_text(encoding="utf-8")
]


def offered(folder: Path, text: str) -> list[lsp.CodeAction]:
    """The quick fixes for all errors of a program."""
    analysis, path = Analysis(), folder / "t.dsl"
    analysis.open(path, text)
    (checked,) = analysis.programs(path)
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(text.count("\n") + 1, 0))
    return list(actions(checked, whole, PLACES))


def applied(action: lsp.CodeAction, text: str) -> str:
    assert action.edit is not None
    ((_, edits),) = (action.edit.changes or {}).items()
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda each: -each.range.start.character):
        at = edit.range.start.line
        assert at == edit.range.end.line and isinstance(edit, lsp.TextEdit)
        lines[at] = lines[at][: edit.range.start.character] + edit.new_text + lines[at][edit.range.end.character :]
    return "".join(lines)


@pytest.mark.parametrize(
    ("text", "titles", "preferred"),
    [
        ("def f(x: f32[n]) -> f32 = summ(x)\n", ["did you mean `sum`?"], True),
        ("def f(x: f32[n, m], y: f32[n]) -> f32[n, m] = x + y\n", ["write `x + y[:, None]`"], False),
        (
            "def f(x: f32[n], y: f32[m]) = x + y\n",
            ["write `x[:, None] + y[None, :]`", "write `x[None, :] + y[:, None]`"],
            False,
        ),
        ("def f(w: f32[k], x: f32[n, d]) -> f32[n] = x @ w\n", ["write `f32[d]`"], False),
        ("def f(x: f32[n]) -> f32[n] where n >= 1 = x.at[0].put(1.0)\n", ["did you mean `set`?"], True),
        ("def g(v: f32[n]) -> f32 = sum(v)\ndef f(x: f32[n, m]) = g(x)\n", ["did you mean `vmap(g)(x)`?"], True),
    ],
)
def test_each_change_is_offered_and_mends(text: str, titles: list[str], preferred: bool, tmp_path: Path) -> None:
    found = offered(tmp_path, text)
    assert [action.title for action in found] == titles
    for action in found:
        assert action.is_preferred is preferred
        assert check_source(Source("t.dsl", applied(action, text))).diagnostics == ()


@pytest.mark.parametrize("code", ASKING)
def test_every_did_you_mean_of_a_page_can_be_carried_out(code: str) -> None:
    bad = next(block for block in blocks(page(code) or "") if "bad" in block.words)
    found = check_source(Source(f"{code}.dsl", bad.text)).diagnostics
    asked = [help for diagnostic in found for help in diagnostic.help if "did you mean" in help.text]
    assert asked and all(help.fixes for help in asked), asked
