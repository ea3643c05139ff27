"""Programs at a prompt: what is entered, what is answered, and a terminal with keys."""

from __future__ import annotations

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

import dsl
from dsl.diagnostics.message import Diagnostic
from dsl.interactive import repl
from dsl.interactive.repl import Names, Repl, is_whole
from dsl.interactive.session import Session


@pytest.fixture(scope="module")
def session() -> Session:
    made = Session()
    made.enter("let k = 3")
    made.enter("def double(x: f32[n]) -> f32[n] =\n    2.0 * x\n")
    made.enter("let x = double(ones([k]))")
    return made


def test_expressions_see_declarations_and_values(session: Session) -> None:
    found = session.enter("sum(x) + f32(k)")
    assert found is not None and (found.type, float(found.value)) == ("f32", 9.0)
    block = session.enter("let y = x * x\ny[0]")
    assert block is not None and float(block.value) == 4.0


def test_a_declaration_replaces_the_one_before(session: Session) -> None:
    session.enter("def half(x: f32) = x / 2.0")
    session.enter("def half(x: f32) = x / 4.0")
    found = session.enter("half(4.0)")
    assert found is not None and float(found.value) == 1.0
    with pytest.raises(dsl.DslError):
        session.enter("def half(x: f32[n], y: f32[m]) = x + y")
    again = session.enter("half(8.0)")
    assert again is not None and float(again.value) == 2.0


def test_types_ir_and_times_are_asked_without_a_value(session: Session) -> None:
    assert session.type("double") == "def double(x: f32[n]) -> f32[n]"
    assert session.type("vmap(double)(ones([4, 2]))") == "f32[4, 2]"
    assert "f32[3]" in session.ir("double(x)")
    first, later = session.time("double(x)")
    assert first > later > 0.0


def test_random_numbers_are_drawn_anew(session: Session) -> None:
    session.enter("from random import normal")
    first, second = session.enter("normal(fresh_key(), [2])"), session.enter("normal(fresh_key(), [2])")
    assert first is not None and second is not None and first.value.tolist() != second.value.tolist()


def test_what_is_wrong_is_said_and_nothing_changes() -> None:
    said: list[str] = []
    wrong: list[Diagnostic] = []
    front = Repl(Session(), said.append, wrong.append)
    front.enter("ones([2]) + ones([3])")
    front.enter(":nothing")
    front.enter(":type 1.0 + ones([2])")
    assert [d.code for d in wrong] == ["E0401"]
    assert said == ["there is no `:nothing`; :help lists what there is", "f32[2]"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("1 + 2", True),
        ("def f(x: f32) = x", True),
        ("def f(x: f32) =", False),
        ("def f(x: f32) =\n    x", False),
        ("def f(x: f32) =\n    x\n", True),
        ("sum([1.0,", False),
        (":type x", True),
    ],
)
def test_a_line_that_is_not_whole_goes_on(text: str, whole: bool) -> None:
    assert is_whole(text) == whole


def test_completion(session: Session) -> None:
    def completed(text: str) -> list[str]:
        return [c.text for c in Names(session).get_completions(Document(text), CompleteEvent())]

    assert completed("doub") == ["double"]
    assert "logsumexp" in completed("x + logs") and "fold" in completed("fol")


def test_keys_of_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(repl, "_history", InMemoryHistory)
    with create_pipe_input() as keys:
        keys.send_text("def f(x: f32) =\r    x + 1.0\r\r:type f\r:quit\r")
        assert repl.run_repl(lambda d: None, input=keys, output=DummyOutput()) == 0
    assert "def f(x: f32) -> f32" in capsys.readouterr().out
