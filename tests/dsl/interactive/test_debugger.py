"""`dsl debug`: calls line by line, forward and backward, by commands that come in."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

import dsl
from dsl.__main__ import execute
from dsl.interactive.debugger import recording, terminal
from dsl.interactive.debugger.frames import Happening, Owners, Stop, in_order
from dsl.interactive.debugger.recording import Recording
from tests.support.cases import some

PROGRAM = """\
type P[d] = {w: f32[d], b: f32}

def act(x: f32[n]) -> f32[n] =
    let y = tanh(x)
    y * 2.0

def loss(p: P[d], x: f32[d]) -> f32 =
    let h = act(p.w * x)
    let e = h - p.b
    sum(e * e)

def fit(p: P[d], x: f32[d], static steps: int) -> P[d] =
    fold p = p for i in range(steps) do
        let g = grad(loss)(p, x)
        p - 0.1 * g

def root(x: f32[n]) -> f32[n] ! {check, io} =
    print("x is {}", x)
    let y = sqrt(x)
    assert y[0] < 2.0, "small roots"
    where(x > 0.0, y, 0.0)

def each(xs: f32[n]) -> f32[n] =
    [act([x, x])[0] for x in xs]

def picked(x: f32, c: bool) -> f32 =
    if c then
        let a = x + 1.0
        a * a
    else
        let b = x - 1.0
        b * b
"""
P: dict[str, Any] = {"w": np.array([1.0, 2.0], np.float32), "b": np.float32(0.5)}
X = np.array([0.1, 0.2], np.float32)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("debugged") / "model.dsl"
    made.write_text(PROGRAM)
    return made


@pytest.fixture(scope="module")
def m(path: Path) -> dsl.Program:
    return dsl.load(path)


class Session:
    """What a session of a call prints: at the start, and for each command."""

    def __init__(self, function: dsl.Function, *args: object, **kwargs: object) -> None:
        self._begin = partial(function.debug, *args, **kwargs)

    def __call__(self, *commands: str) -> list[str]:
        output = io.StringIO()
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
        ):
            patch.setattr(sys, "stdin", io.StringIO("\n".join(commands) + "\n"))
            self._begin()
        return output.getvalue().split("(debug) ")


def lines_of_stops(m: dsl.Function, *args: object, **kwargs: object) -> list[tuple[int, str]]:
    return [(stop.span.source.position(stop.span.start)[0], stop.frame.name) for stop in stops(m, *args, **kwargs)[:-1]]


def stops(function: dsl.Function, *args: object, **kwargs: object) -> list[Stop]:
    found = recorded(function, *args, **kwargs)
    made: list[Stop] = []
    while (stop := found.stop(len(made))) is not None:
        made.append(stop)
    return made


def is_on_row(stop: Stop, row: int) -> bool:
    return stop.span.source.row(stop.span.start) == row


def recorded(function: dsl.Function, *args: object, **kwargs: object) -> Recording:
    call = function.marked(*args, **kwargs)
    return Recording(call.function, call.arrays, Owners(function.program.core), function.definition.span)


def test_the_real_program(path: Path) -> None:
    command = [sys.executable, "-m", "dsl", "debug", str(path), "picked", "-a", "x=2", "-a", "c=true"]
    done = subprocess.run(command, input="step\nstep\nprint a + x\nend\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        *("  x : f32 = 2.0", "  c : bool = true", f"#0  {path}:27 in picked", "> 27 |     if c then"),
        *("(debug) step", f"#1  {path}:28 in picked", "> 28 |         let a = x + 1.0"),
        *("(debug) step", "  a : f32 = 3.0", f"#2  {path}:29 in picked", "> 29 |         a * a"),
        *("(debug) print a + x", "  f32 = 5.0"),
        *("(debug) end", "#3  end", "result : f32 = 9.0"),
    ]


def test_steps_go_into_calls_and_next_goes_over_them(m: dsl.Program) -> None:
    assert lines_of_stops(m.loss, P, X) == [(8, "loss"), (4, "act"), (5, "act"), (9, "loss"), (10, "loss")]
    shown = Session(m.loss, P, X)("n", "rn", "s", "w", "o", "ro")
    places = [each.splitlines()[-2] for each in (shown[1], shown[2], shown[3], shown[5], shown[6])]
    assert [place.rpartition(":")[2] for place in places] == [
        *("9 in loss", "8 in loss", "4 in act", "9 in loss"),
        "8 in loss",
    ]
    assert shown[4].splitlines()[1:] == [f"> act, called at {m.loss.definition.span.source.name}:8", "  loss"]


def test_a_derivative_has_the_lines_and_the_names_of_what_it_derives(m: dsl.Program) -> None:
    found = stops(dsl.grad(m.loss), P, X)
    backward = [stop for stop in found if stop.frame.is_derivative]
    assert [(s.span.source.position(s.span.start)[0], s.frame.name) for s in backward] == [
        *((10, "loss"), (9, "loss"), (5, "act"), (4, "act"), (8, "loss"))
    ]
    names = backward[-1].frame.names.items()
    values: dict[Any, Any] = {key: leaves[""].value for key, leaves in names if "" in leaves}
    h, e = values["h", "value"], values["e", "value"]
    np.testing.assert_allclose(values["e", "cotangent"], 2 * e, rtol=1e-6)
    np.testing.assert_allclose(values["h", "cotangent"], 2 * e, rtol=1e-6)
    np.testing.assert_allclose(h, 2 * np.tanh(P["w"] * X), rtol=1e-6)


def test_a_tangent_stands_beside_its_value() -> None:
    program = dsl.program("""
        def f(x: f32) -> f32 =
            let y = sin(x)
            y * y
        def slope(x: f32) -> (f32, f32) = jvp(f, (x,), (1.0,))
    """)
    last = stops(program.slope, np.float32(0.5))[-2].frame
    assert [key for key, _ in in_order(last.names)] == [
        *(("x", "value"), ("x", "tangent"), ("y", "value"), ("y", "tangent"))
    ]
    np.testing.assert_allclose(np.asarray(last.names["y", "tangent"][""].value), np.cos(0.5), rtol=1e-6)


def test_cells_and_clauses_of_handlers_have_names() -> None:
    program = dsl.program("""
        effect ask: (x: f32) -> f32
        def tick(x: f32) -> f32 ! state(total: f32) =
            total := total + x
            total
        def f(xs: f32[n]) -> (f32, f32) =
            with state total = 0.0 do
                fold s = 0.0 for x in xs do s + tick(x)
        def g(x: f32) -> f32 =
            with handler ask(v) -> resume(v * 2.0) do
                let y = ask(x)
                y + 1.0
    """)
    written = [stop.frame.names for stop in stops(program.f, np.array([1.0, 2.0], np.float32))]
    totals = [names["total", "value"][""].value for names in written if ("total", "value") in names]
    assert sorted({float(total) for total in totals}) == [0.0, 1.0, 3.0]
    frames = [(stop.frame.name, [name for name, _ in stop.frame.names]) for stop in stops(program.g, np.float32(3.0))]
    assert frames[2:4] == [("ask", ["v"]), ("g", ["x", "y"])]


def test_breaks_on_lines_functions_and_conditions(m: dsl.Program) -> None:
    shown = Session(m.fit, P, X, steps=3)(
        "break 15 if i == 1", "c", "print i", "rc", "break act", "c", "break", "delete 2", "c"
    )
    assert [each.splitlines()[-2].partition(":")[2] for each in (shown[2], shown[4], shown[6])] == [
        *("15 in fit", "13 in fit", "4 in act")
    ]
    assert "  i32 = 1" in shown[3]
    assert shown[7].splitlines()[1:] == ["  1: " + shown[1].splitlines()[1][5:], "  2: " + shown[5].splitlines()[1][5:]]
    assert "  i : i32 = 1" in shown[9] and ":15 in fit" in shown[9]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("break 99", ["E0976", "nothing is evaluated on line 99", "the nearest line that is evaluated is 15"]),
        (
            "break nothing",
            ["E0976", "`nothing` is neither a line nor a function that is called", "`act`, `fit`, `loss`"],
        ),
        ("break 15 if g", ["E0324", "not `{b: f32, w: f32[2]}`"]),
        ("break 15 if gg > 1", ["E0201", "undefined name `gg`", "<prompt>:1:4"]),
        ("print p.w + ones([3])", ["E0401", "<prompt>:1:1"]),
        ("foo(1)", ["E0201", "undefined name `foo`"]),
        ("goto 1000000", ["E0976", "there is no stop '1000000'"]),
        ("delete 7", ["E0976", "there is no break '7'"]),
        ("brek 15", ["E0976", "there is no command `brek`", "did you mean `break`?"]),
        ("up", ["E0976", "there is no such call"]),
    ],
)
def test_impossible_commands_are_told(m: dsl.Program, command: str, said: list[str]) -> None:
    shown = Session(m.fit, P, X, steps=1)("step", command)[-1]
    assert [each for each in said if each not in shown] == [], shown


def test_breaks_on_what_happens(m: dsl.Program) -> None:
    shown = Session(m.root, np.array([9.0, -1.0], np.float32))("break nan", "break check", "c", "c", "c")
    assert "NaN comes out of `sqrt`" in shown[3] and shown[3].splitlines()[1] == "x is [ 9. -1.]"
    assert "the check failed: small roots" in shown[4]
    assert "E0940" in shown[5] and "small roots" in shown[5]


def test_nothing_is_printed_twice_and_functions_of_python_are_called_once() -> None:
    program = dsl.program("""
        def f(x: f32, static g: (f32) -> f32 ! io) -> f32 ! io =
            let y = g(x)
            print("y is {}", y)
            y + g(y)
    """)
    asked: list[float] = []

    def g(x: np.ndarray) -> np.ndarray:
        asked.append(float(x))
        return np.float32(2.0) * x

    shown = Session(program.f, np.float32(1.0), g)("end", "start", "s", "s", "rs", "end")
    assert asked == [1.0, 2.0]
    assert "".join(shown).count("y is 2.0") == 3, "each time that the line is passed"
    assert "result : f32 = 6.0" in shown[-1]


def test_elements_of_a_map_are_looked_at_together(m: dsl.Program) -> None:
    found = stops(m.each, np.array([0.1, 0.2, 0.3], np.float32))
    inside = next(stop for stop in found if stop.frame.name == "act" and ("y", "value") in stop.frame.names)
    (leaf,) = inside.frame.names["y", "value"].values()
    assert leaf.axes == 1 and np.shape(leaf.value) == (3, 2)
    shown = Session(m.each, np.array([0.1, 0.2, 0.3], np.float32))("s", "s", "s", "names")
    assert "y : f32[2] for each of 3 = " in shown[-1]


def test_stops_that_were_dropped_come_back(m: dsl.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [(s.number, s.span, list(s.frame.names)) for s in stops(m.fit, P, X, steps=4)]
    monkeypatch.setattr(recording, "KEPT", 4)
    found = recorded(m.fit, P, X, steps=4)
    for number in some([len(whole) - 1, 3, 20, 0, 11, len(whole) - 1]):
        stop = found.stop(number)
        assert stop is not None and (stop.number, stop.span, list(stop.frame.names)) == whole[number]
    assert found.stop(len(whole)) is None
    marks = [n for n, (_, span, _) in enumerate(whole) if span.source.position(span.start)[0] == 15]
    on_line = partial(is_on_row, row=14)
    assert [getattr(found.first(n, on_line), "number", None) for n in (0, marks[0] + 1)] == marks[:2]
    assert [getattr(found.last(n, on_line), "number", None) for n in (len(whole), marks[1], marks[0])] == [
        *(marks[-1], marks[0], None)
    ]


def test_an_endless_loop_can_be_looked_at() -> None:
    program = dsl.program("def f(x: f32) -> f32 ! div = iterate r = x while r > 0.0 do r + 1.0")
    found = recorded(program.f, np.float32(1.0))
    stop = found.first(50, lambda stop: stop.number >= 100)
    assert stop is not None and stop.number == 100 and found.results is None


def test_commands_are_given_on_the_command_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "debug",
        str(path),
        "picked",
        "-a",
        "x=2",
        "-a",
        "c=false",
        "-x",
        "break 32",
        "-x",
        "c",
        "-x",
        "b * 2.0",
    ]
    assert execute(arguments) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "  f32 = 2.0"


def test_an_artifact_has_no_lines(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = tmp_path / "picked.dslx"
    assert execute(["build", str(path), "picked", "-o", str(built), "--portable"]) == 0
    assert execute(["debug", str(built), "-a", "x=2", "-a", "c=true"]) == 2
    assert "is an artifact; this command takes a program" in capsys.readouterr().err


def test_keys_of_a_terminal() -> None:
    with create_pipe_input() as keys:
        keys.send_text("names\rstep\r\x04")
        assert list(terminal.lines("(debug) ", ["names"], input=keys, output=DummyOutput())) == ["names", "step"]


def test_what_happens_is_on_its_line(m: dsl.Program) -> None:
    events = [e for stop in stops(m.root, np.array([-1.0, 4.0], np.float32)) for e in stop.events]
    assert [(e.what, e.text) for e in events] == [
        (Happening.PRINTED, "x is [-1.  4.]"),
        (Happening.NOT_FINITE, "NaN comes out of `sqrt`"),
        (Happening.FAILED, "small roots"),
    ]
