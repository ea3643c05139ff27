"""The language server in a process of its own, asked by a client as editors ask it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from dsl.lsp.highlight import LEGEND
from tests.support.editor_client import Editor

MODEL = """\
## What is fitted.
type Params[d] = {w: f32[d], b: f32}

## The mean of the squares.
def loss(p: Params[d], x: f32[n, d], y: f32[n], lr: f32 = 0.1) -> f32 where n >= 1 =
    let pred = x @ p.w + p.b
    let 𝛼 = lr * sum(p.w)
    mean((pred - y) ** 2) + 𝛼

def halves(x: f32[n]) = x[1:] + x[:n - 1]
"""
MAIN = """\
import model
from model import loss

def step(p: model.Params[d], x: f32[n, d], y: f32[n]) -> f32 where n >= 1 = loss(p, x, y, lr=0.2)

def both(x: f32[n]) where n >= 1 = model.halves(x).sum()
"""
SCRIPT = '''\
import dsl

m = dsl.program("""
    def twice(x: f32[n]) -> f32[n] = x   + x

    def wrong(x: f32[n], y: f32[k]) -> f32[n] = x + y
""")
n = dsl.program("def one(x: f32) -> f32 = x")
'''


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    made = Editor(tmp_path_factory.mktemp("project"))
    yield made
    made.stop()


@pytest.fixture
def project(editor: Editor) -> Editor:
    assert editor.write("model.dsl", MODEL) == []
    assert editor.write("main.dsl", MAIN) == []
    editor.write("script.py", SCRIPT)
    return editor


def test_errors_follow_the_text_and_reach_files_that_import_it(project: Editor) -> None:
    project.found.clear()
    (wrong,) = project.write("model.dsl", MODEL.replace("pred - y", "pred - x"))
    assert (wrong.code, wrong.range.start.line, wrong.severity) == ("E0401", 7, lsp.DiagnosticSeverity.Error)
    assert "d comes from here" in [related.message for related in wrong.related_information or ()]
    assert project.write("model.dsl", MODEL.replace("lr: f32", "rate: f32").replace("lr *", "rate *")) == []
    project.run(project._until_known("main.dsl"))
    assert [d.code for d in project.write("main.dsl", MAIN)] == ["E0308"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("let pr", "ed", "pred: f32[n]"),
        ("p.", "w + p.b", "f32[d]"),
        ("f32[", "n, d]", "size n"),
        ("lr * ", "sum", "def sum[a: Num](x: a[*s]"),
        ("let ", "𝛼", "𝛼: f32"),
        ("p: ", "Params", "What is fitted."),
    ],
)
def test_hover_says_types_and_sizes(project: Editor, before: str, after: str, said: str) -> None:
    assert said in project.shown("model.dsl", before, after)


def test_hover_over_a_function_of_another_file(project: Editor) -> None:
    said = project.shown("main.dsl", "= ", "loss(")
    assert "def loss(p: Params[d], x: f32[n, d], y: f32[n], lr: f32 = …) -> f32" in said
    assert "The mean of the squares." in said


def test_hints_say_what_was_inferred(project: Editor) -> None:
    params = lsp.InlayHintParams(project.document("model.dsl"), lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0)))
    found = project.run(project.client.text_document_inlay_hint_async(params)) or ()
    assert [(hint.position.line, hint.label) for hint in found] == [
        (5, ": f32[n]"),
        (6, ": f32"),
        (9, " -> f32[n - 1] where n >= 1"),
    ]


def test_completion(project: Editor) -> None:
    fields = project.labels("model.dsl", "x @ p.", "w")
    assert fields[:2] == ["b", "w"] or {"b", "w"} <= set(fields)
    assert {"Params", "loss", "halves"} == set(project.labels("main.dsl", "model.", "halves"))
    assert project.labels("model.dsl", "mean((pre", "d") == ["pred"]
    assert "where" in project.labels("model.dsl", "(pred - y) ** 2) + ", "𝛼")
    assert "pred" not in project.labels("model.dsl", "def halves(x: f32[n]) = ", "x[1:]")


def test_definitions_are_found_in_the_text_in_other_files_and_in_the_library(project: Editor) -> None:
    def target(name: str, before: str, after: str) -> tuple[str, str]:
        params = lsp.DefinitionParams(project.document(name), project.at(name, before, after))
        return project.written(project.run(project.client.text_document_definition_async(params)))

    assert target("model.dsl", "mean((", "pred") == ("model.dsl", "pred")
    assert target("main.dsl", "(x).", "sum") == ("prelude.dsl", "sum")
    assert target("main.dsl", "model.", "halves") == ("model.dsl", "halves")
    assert target("main.dsl", "y, ", "lr=") == ("model.dsl", "lr")


def test_references_and_renaming_reach_every_file(project: Editor) -> None:
    place = project.at("model.dsl", "def ", "loss")
    params = lsp.ReferenceParams(lsp.ReferenceContext(True), project.document("model.dsl"), place)
    found = project.run(project.client.text_document_references_async(params)) or ()
    assert sorted(project.written(each) for each in found) == [
        *[("main.dsl", "loss")] * 2,
        ("model.dsl", "loss"),
    ]
    renamed = project.run(
        project.client.text_document_rename_async(lsp.RenameParams(project.document("model.dsl"), place, "cost"))
    )
    assert renamed is not None
    texts = project.apply(renamed)
    assert texts["model.dsl"] == MODEL.replace("loss", "cost")
    assert texts["main.dsl"] == MAIN.replace("loss", "cost")


@pytest.mark.parametrize(
    ("before", "after", "name"), [("n], ", "lr: f32", "x"), ("let ", "pred", "let"), ("lr * ", "sum", "s")]
)
def test_a_renaming_that_would_change_the_meaning_is_refused(
    project: Editor, before: str, after: str, name: str
) -> None:
    params = lsp.RenameParams(project.document("model.dsl"), project.at("model.dsl", before, after), name)
    with pytest.raises(JsonRpcException):
        project.run(project.client.text_document_rename_async(params))


def test_renaming_a_size(project: Editor) -> None:
    params = lsp.RenameParams(project.document("model.dsl"), project.at("model.dsl", "halves(x: f32[", "n"), "k")
    renamed = project.run(project.client.text_document_rename_async(params))
    assert renamed is not None
    assert project.apply(renamed)["model.dsl"].endswith("def halves(x: f32[k]) = x[1:] + x[:k - 1]\n")


def test_renaming_a_field(project: Editor) -> None:
    other = "import model\n\ndef made(w: f32[d]) -> model.Params[d] = {w = w, b = 0.0}\n"
    assert project.write("main.dsl", f"{other}\ndef moved(p: model.Params[d]) = {{p with w = p.w + p.b}}\n") == []
    document, place = project.document("model.dsl"), project.at("model.dsl", "x @ p.", "w")
    here = project.run(project.client.text_document_definition_async(lsp.DefinitionParams(document, place)))
    assert here is not None and here.range.start == project.at("model.dsl", "{", "w: f32")
    found = project.run(
        project.client.text_document_references_async(lsp.ReferenceParams(lsp.ReferenceContext(False), document, place))
    )
    assert len(found or []) == 5
    renamed = project.run(
        project.client.text_document_rename_async(lsp.RenameParams(project.document("model.dsl"), place, "weight"))
    )
    assert renamed is not None
    texts = project.apply(renamed)
    assert texts["model.dsl"] == MODEL.replace("p.w", "p.weight").replace("{w:", "{weight:")
    assert "{weight = w, b = 0.0}" in texts["main.dsl"] and "{p with weight = p.weight + p.b}" in texts["main.dsl"]


@pytest.mark.parametrize(("after", "name"), [("w: f32", "b"), ("w: f32", "let")])
def test_a_field_gets_no_name_that_would_be_wrong(project: Editor, after: str, name: str) -> None:
    params = lsp.RenameParams(project.document("model.dsl"), project.at("model.dsl", "{", after), name)
    with pytest.raises(JsonRpcException):
        project.run(project.client.text_document_rename_async(params))


def test_a_repair_mends_the_error(project: Editor) -> None:
    broken = MODEL.replace("x @ p.w", "p.w @ x.T").replace("sum(p.w)", "summ(p.w)")
    (wrong,) = project.write("model.dsl", broken)
    params = lsp.CodeActionParams(project.document("model.dsl"), wrong.range, lsp.CodeActionContext([wrong]))
    action = (project.run(project.client.text_document_code_action_async(params)) or [None])[0]
    assert isinstance(action, lsp.CodeAction) and action.edit is not None
    assert project.write("model.dsl", project.apply(action.edit)["model.dsl"]) == []


def test_formatting_and_colours(project: Editor) -> None:
    project.write("model.dsl", MODEL.replace("lr * sum", "lr  *  sum"))
    params = lsp.DocumentFormattingParams(project.document("model.dsl"), lsp.FormattingOptions(4, True))
    edits = project.run(project.client.text_document_formatting_async(params))
    assert project.edited("model.dsl", edits).count("lr * sum") == 1
    tokens = project.run(
        project.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(project.document("main.dsl")))
    )
    assert tokens is not None
    kinds = [LEGEND.token_types[kind] for kind in tokens.data[3::5]]
    assert kinds[:6] == ["keyword", "namespace", "keyword", "namespace", "keyword", "function"]


def test_completion_in_strings_of_python(project: Editor) -> None:
    project.write("fields.py", 'import dsl\n\nm = dsl.program("""\n    def f(p: {w: f32, b: f32}) = 2.0 * p.\n""")\n')
    assert project.labels("fields.py", "2.0 * p.")[:2] == ["b", "w"]


def test_programs_in_strings_of_python(project: Editor) -> None:
    (wrong,) = project.write("script.py", SCRIPT)
    assert (wrong.code, wrong.range.start) == ("E0401", lsp.Position(5, 48))
    assert "x: f32[n]" in project.shown("script.py", "= ", "x   +")
    assert "def one(x: f32) -> f32" in project.shown("script.py", "def on", "e(x")
    assert {"x", "sum"} <= set(project.labels("script.py", "= ", "x   +"))
    params = lsp.DocumentFormattingParams(project.document("script.py"), lsp.FormattingOptions(4, True))
    edits = project.run(project.client.text_document_formatting_async(params))
    assert project.edited("script.py", edits) == SCRIPT.replace("x   + x", "x + x")
    place = project.at("script.py", "twice(", "x")
    renamed = project.run(
        project.client.text_document_rename_async(lsp.RenameParams(project.document("script.py"), place, "value"))
    )
    assert renamed is not None
    changed = project.apply(renamed)["script.py"]
    assert changed == SCRIPT.replace(
        "twice(x: f32[n]) -> f32[n] = x   + x", "twice(value: f32[n]) -> f32[n] = value   + value"
    )


def message(method: str, **fields: object) -> bytes:
    """One message of the protocol as it is sent."""
    body = json.dumps({"jsonrpc": "2.0", "method": method, **fields}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


INITIALIZE = message("initialize", id=1, params={"processId": None, "rootUri": None, "capabilities": {}})


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        (INITIALIZE + message("shutdown", id=2) + message("exit"), 0),
        (INITIALIZE + message("exit"), 1),
        (INITIALIZE + message("shutdown", id=2), 0),
        (INITIALIZE, 1),
    ],
)
def test_the_exit_code_tells_whether_a_shutdown_was_requested(messages: bytes, code: int) -> None:
    ended = subprocess.run([sys.executable, "-m", "dsl", "lsp"], input=messages, capture_output=True, timeout=60)
    assert (ended.returncode, ended.stderr.decode()) == (code, "")
    assert ended.stdout.count(b"Content-Length") == messages.count(b'"id"')
