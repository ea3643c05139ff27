"""`dsl.nan_checks()`: the line that the first NaN or infinity of a result comes from."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import dsl
from dsl.host.calls.nan_checks import CHECKING

PROGRAM = """\
from nn import softmax

def safe(x: f32[n]) -> f32[n] = where(x > 0.0, log(x), 0.0)

def entropy(p: f32[n]) -> f32 =
    let q = safe(p)
    let l = log(p)
    sum(q) - sum(p * l)

def scaled(x: f32[n]) -> f32[n] =
    let s = 1.0 / sum(x)
    fold y = x for _ in range(3) do
        let z = y * s
        z + 1.0

def chosen(x: f32[n]) -> f32[n] =
    let y = where(x > 0.0, x, -inf)
    softmax(y)

def norm(x: f32[n]) -> f32 = sqrt(sum(x * x))

def branch(x: f32) -> f32 = if x > 0.0 then log(x) else
    let y = x * 2.0
    sqrt(y)

def noisy(x: f32) -> f32 ! io =
    print("x is {}", x)
    1.0 / x

def written(x: f32) -> f32 = if x > 0.0 then x else inf

def checked(x: f32) -> f32 ! check =
    assert x > 0.0
    log(x)
"""


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program(PROGRAM)


def array(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


def complaint(function: dsl.Function, *args: object) -> tuple[int, str, str]:
    """The line of the error, what is said there, and the message."""
    with dsl.nan_checks(), pytest.raises(dsl.CheckError) as caught:
        function(*args)
    (found,) = caught.value.diagnostics
    assert found.code == "E0943"
    span = found.primary.span
    return span.source.row(span.start) + 1, found.primary.text, found.message


@pytest.mark.parametrize(
    ("name", "argument", "line", "said"),
    [
        ("entropy", array(0.0, 1.0), 7, "the first infinity comes out of `log` here"),
        ("scaled", array(0.0, 0.0), 11, "the first infinity comes out of `div` here"),
        ("chosen", array(-1.0, -2.0), 18, "the first NaN comes out of `sub` here"),
        ("branch", np.float32(-1.0), 24, "the first NaN comes out of `sqrt` here"),
        ("norm", array(np.nan), 20, "so does an argument"),
        ("written", np.float32(-1.0), 30, "it is one that the text says"),
    ],
)
def test_the_first_line_is_named(m: dsl.Program, name: str, argument: np.ndarray, line: int, said: str) -> None:
    assert complaint(getattr(m, name), argument)[:2] == (line, said)


def test_the_lines_of_a_derivative_are_those_of_the_function(m: dsl.Program) -> None:
    assert complaint(dsl.grad(m.norm), array(0.0, 0.0)) == (
        *(20, "the first infinity comes out of `div` here", "the result of `norm` holds NaN"),
    )


def test_finite_results_and_what_is_left_out_pass(m: dsl.Program) -> None:
    with dsl.nan_checks():
        assert np.asarray(m.safe(array(0.0, 1.0))).tolist() == [0.0, 0.0]
        np.testing.assert_allclose(np.asarray(m.chosen(array(-1.0, 2.0))), [0.0, 1.0])


def test_nothing_is_printed_a_second_time(m: dsl.Program, capfd: pytest.CaptureFixture[str]) -> None:
    assert complaint(m.noisy, np.float32(0.0))[0] == 28
    assert capfd.readouterr().out == "x is 0.0\n"


def test_a_failed_check_comes_first(m: dsl.Program) -> None:
    with dsl.nan_checks(), pytest.raises(dsl.CheckError, match="E0940"):
        m.checked(np.float32(-1.0))


def test_each_thread_has_its_own_switch_and_it_ends(m: dsl.Program) -> None:
    found: list[float] = []
    with dsl.nan_checks():
        other = Thread(target=lambda: found.append(float(m.entropy(array(0.0)))))
        other.start()
        other.join()
    assert np.isnan(found[0])
    assert np.isnan(float(m.entropy(array(0.0)))), "the switch is off again"
    switch = dsl.nan_checks()
    complaint(m.entropy, array(0.0))
    switch.close()
    assert np.isnan(float(m.entropy(array(0.0))))


def test_an_artifact_knows_no_lines(m: dsl.Program, tmp_path: Path) -> None:
    dsl.save_artifact(tmp_path / "norm.dslx", m.norm, {"x": array(0.0, 0.0)})
    loaded = dsl.load_artifact(tmp_path / "norm.dslx")
    with dsl.nan_checks(), pytest.raises(dsl.CheckError, match="the function of the program tells its line"):
        loaded(array(np.inf, 0.0))


def test_a_call_costs_nothing_once_the_switch_is_off() -> None:
    program = dsl.program(PROGRAM)
    x = np.array([1.0], np.float32)
    with dsl.nan_checks():
        with dsl.nan_checks():
            pass
        with pytest.raises(dsl.CheckError):
            program.scaled(x - 1.0)
    assert CHECKING.get() is None
    switch = dsl.nan_checks()
    thread = Thread(target=switch.close)
    thread.start()
    thread.join()
    program.scaled(x)
    assert CHECKING.get() is None
