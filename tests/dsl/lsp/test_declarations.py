"""Declarations, signatures and calls, asked of the server by a client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.support.editor_client import Editor

MODEL = """\
# A model of lines,
# with its losses.
import linalg
from stats import norm_pdf

## Parameters.
type Params[d] = {w: f32[d], b: f32}

enum Act = Relu | Leaky(slope: float)

effect noise: (scale: f32) -> f32

let (width, height) = (3, 4)

## The values of the line.
def line(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n], *, rate: f32 = 0.1) -> f32 where n >= 1 =
    let pred = line(p, x)
    let twice = line(p, 2.0 * x)
    fold total = 0.0 for each in pred do
        let next = total + each
        next
"""
MAIN = """\
import model

def step(p: model.Params[d], x: f32[n, d], y: f32[n]) -> f32 where n >= 1 = model.loss(p, x, y, rate=0.2)

def noisy(x: f32) -> f32 ! model.noise = model.noise(x)
"""


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    made = Editor(tmp_path_factory.mktemp("project"))
    assert made.write("model.dsl", MODEL) == []
    assert made.write("main.dsl", MAIN) == []
    yield made
    made.stop()


def test_outline(editor: Editor) -> None:
    params = lsp.DocumentSymbolParams(editor.document("model.dsl"))
    found = editor.run(editor.client.text_document_document_symbol_async(params))
    assert [(s.name, s.kind.name, [c.name for c in s.children]) for s in found] == [
        ("Params", "Struct", ["w", "b"]),
        ("Act", "Enum", ["Relu", "Leaky"]),
        ("noise", "Event", []),
        ("width", "Constant", []),
        ("height", "Constant", []),
        ("line", "Function", []),
        ("loss", "Function", []),
    ]
    line = found[5]
    assert line.detail == "def line(p: Params[d], x: f32[n, d]) -> f32[n]"
    assert (line.selection_range.start.line, line.selection_range.start.character) == (15, 4)
    assert all(_inside(child.selection_range, each.range) for each in found for child in [each, *each.children])


def _inside(inner: lsp.Range, outer: lsp.Range) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


@pytest.mark.parametrize(
    ("query", "names"), [("lss", ["loss"]), ("st", ["step"]), ("NOI", ["noise", "noisy"]), ("zz", [])]
)
def test_symbols_of_the_workspace(editor: Editor, query: str, names: list[str]) -> None:
    found = editor.run(editor.client.workspace_symbol_async(lsp.WorkspaceSymbolParams(query))) or ()
    assert sorted(symbol.name for symbol in found) == names
    assert [editor.written(symbol.location)[1] for symbol in found] == [symbol.name for symbol in found]


def test_folds(editor: Editor) -> None:
    params = lsp.FoldingRangeParams(editor.document("model.dsl"))
    found = editor.run(editor.client.text_document_folding_range_async(params))
    comment, imports = lsp.FoldingRangeKind.Comment, lsp.FoldingRangeKind.Imports
    lines = {(fold.start_line, fold.end_line, fold.kind) for fold in found}
    assert {(0, 1, comment), (2, 3, imports), (17, 22, None), (20, 22, None)} <= lines
    assert all(fold.start_line < fold.end_line for fold in found)


@pytest.mark.parametrize(
    ("line", "label", "active"),
    [
        ("def f(p: Params[2], x: f32[3, 2]) = line(|", "line", "p"),
        ("def f(p: Params[2], x: f32[3, 2]) = line(p, |", "line", "x"),
        ("def f(p: Params[2], x: f32[3, 2]) = line(p, x + |)", "line", "x"),
        ("def f(p: Params[2], x: f32[3, 2]) = line((p, x|", "line", "p"),
        ("def f(p: Params[2], x: f32[3, 2]) = sum(line(p, sin(x|), 3))", "sin", "x"),
        ("def f(p: Params[2], x: f32[3, 2]) = loss(p, rate=|, x", "loss", "rate"),
        ("def f(x: f32[3]) = x.clip(|", "clip", "min"),
        ("def f(x: f32[3, 3]) = linalg.det(|", "det", "x"),
        ("def f(x: f32) -> f32 ! noise = noise(|)", "noise", "scale"),
    ],
)
def test_the_signature_of_the_call_that_is_typed(editor: Editor, line: str, label: str, active: str) -> None:
    text, bar = f"{MODEL}\n{line}\n", "|"
    editor.write("model.dsl", text.replace(bar, "") if text.count(bar) == 1 else _without_last(text))
    offset = text.rindex(bar) - text.rindex("\n", 0, text.rindex(bar)) - 1
    place = lsp.Position(MODEL.count("\n") + 1, offset)
    params = lsp.SignatureHelpParams(editor.document("model.dsl"), place)
    found = editor.run(editor.client.text_document_signature_help_async(params))
    editor.write("model.dsl", MODEL)
    assert found is not None
    (signature,) = found.signatures
    start, end = signature.parameters[found.active_parameter].label
    assert (label in signature.label, signature.label[start:end]) == (True, active)


def _without_last(text: str) -> str:
    at = text.rindex("|")
    return text[:at] + text[at + 1 :]


@pytest.mark.parametrize("after", ["def f(x: f32) = (x + ", "def f(x: f32) = x", "# line(p, "])
def test_there_is_no_signature_where_nothing_is_called(editor: Editor, after: str) -> None:
    editor.write("model.dsl", f"{MODEL}\n{after}\n")
    place = lsp.Position(MODEL.count("\n") + 1, len(after))
    params = lsp.SignatureHelpParams(editor.document("model.dsl"), place)
    found = editor.run(editor.client.text_document_signature_help_async(params))
    editor.write("model.dsl", MODEL)
    assert found is None


def hierarchy(editor: Editor, name: str, before: str, after: str) -> lsp.CallHierarchyItem:
    params = lsp.CallHierarchyPrepareParams(editor.document(name), editor.at(name, before, after))
    found = editor.run(editor.client.text_document_prepare_call_hierarchy_async(params))
    assert found is not None
    item: lsp.CallHierarchyItem = found[0]
    return item


def test_who_calls_whom(editor: Editor) -> None:
    line, loss = hierarchy(editor, "model.dsl", "= ", "line(p, x)"), hierarchy(editor, "main.dsl", "model.", "loss")
    callers = editor.run(editor.client.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(line)))
    assert [(call.from_.name, len(call.from_ranges)) for call in callers] == [("loss", 2)]
    callers = editor.run(editor.client.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(loss)))
    assert [(call.from_.name, editor.written(call.from_)[0]) for call in callers] == [("step", "main.dsl")]
    called = editor.run(editor.client.call_hierarchy_outgoing_calls_async(lsp.CallHierarchyOutgoingCallsParams(loss)))
    assert [(call.to.name, len(call.from_ranges)) for call in called] == [("line", 2)]
    params = lsp.CallHierarchyPrepareParams(editor.document("model.dsl"), editor.at("model.dsl", "type ", "Params"))
    assert not editor.run(editor.client.text_document_prepare_call_hierarchy_async(params))


@pytest.mark.parametrize(
    ("name", "before", "after", "line"),
    [
        ("model.dsl", "@ ", "p.w", "type Params[d] = {w: f32[d], b: f32}"),
        ("main.dsl", "loss(", "p, x", "type Params[d] = {w: f32[d], b: f32}"),
    ],
)
def test_the_declaration_of_a_type(editor: Editor, name: str, before: str, after: str, line: str) -> None:
    params = lsp.TypeDefinitionParams(editor.document(name), editor.at(name, before, after))
    found = editor.run(editor.client.text_document_type_definition_async(params))
    assert found is not None and MODEL.splitlines()[found.range.start.line] == line


def test_a_name_says_whether_it_can_be_renamed(editor: Editor) -> None:
    def asked(before: str, after: str) -> lsp.Range | None:
        place = editor.at("model.dsl", before, after)
        params = lsp.PrepareRenameParams(editor.document("model.dsl"), place)
        found: lsp.Range | None = editor.run(editor.client.text_document_prepare_rename_async(params))
        return found

    where = asked("let ", "pred")
    assert where is not None and (where.start.line, where.start.character, where.end.character) == (18, 8, 12)
    for before, after in (("from stats import ", "norm_pdf"), ("x @ p.w ", "+ p.b")):
        with pytest.raises(JsonRpcException):
            asked(before, after)
