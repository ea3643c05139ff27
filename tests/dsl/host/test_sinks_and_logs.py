"""What comes out of a run: values sent to those who listen, a line where compiling takes long."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import numpy as np
import pytest

import dsl
from dsl.host.compiling import compile_log

M = dsl.program("""
    def fit(x: f32[n], static steps: int) -> f32[n] ! io =
        fold x = x for i in range(steps) do
            let y = 0.5 * x
            emit("loss", sum(y), i, steps)
            emit("y", y)
            y
""")


def fit() -> None:
    M.fit(np.array([4.0, 8.0], np.float32), steps=2).block_until_ready()


def test_values_are_sent_in_order_instead_of_being_printed(capsys: pytest.CaptureFixture[str]) -> None:
    losses: list[tuple[object, ...]] = []
    arrays: list[np.ndarray] = []
    with dsl.on_emit("loss", lambda *values: losses.append(values)), dsl.on_emit("y", arrays.append):
        fit()
    assert losses == [(6.0, 0, 2), (3.0, 1, 2)]
    assert [a.tolist() for a in arrays] == [[2.0, 4.0], [1.0, 2.0]]
    assert capsys.readouterr().out == ""
    fit()
    assert capsys.readouterr().out.splitlines()[0] == "loss: 6.0: 0: 2"
    assert len(losses) == 2


TREES = dsl.program("""
    enum Step = Full | Part(k: int)
    def show(x: f32, y: f32[n], static format: str) -> () ! io =
        print("{0} {1:.1f} {0}", {a = x, b = (y, 1)}, x)
        print("{} {{}} {} {} {}", (x,), (), {}, Part(2))
        emit("tree", {a = x, b = (y, "q")}, (1, true))
        print(format, x)
""")


def test_values_of_trees_are_printed_and_sent_as_data_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    sent: list[object] = []
    given = 2.0, np.array([0.5, 1.5], np.float32)
    with dsl.on_emit("tree", lambda *values: sent.extend(values)):
        TREES.show.interpret(*given, format="{:.2f}")
    (record, pair) = sent
    assert isinstance(record, dict)
    assert (record["a"], record["b"][0].tolist(), record["b"][1], pair) == (2.0, [0.5, 1.5], "q", (1, True))
    TREES.show.interpret(*given, format="{!r:>5}")
    printed = ["{a = 2.0, b = ([0.5 1.5], 1)} 2.0 {a = 2.0, b = ([0.5 1.5], 1)}", "(2.0,) {} () {} Part(2)"]
    tree = "tree: {a = 2.0, b = ([0.5 1.5], q)}: (1, True)"
    assert capsys.readouterr().out.splitlines() == [*printed, "2.00", *printed, tree, "  2.0"]


@pytest.mark.parametrize("format", ["{} {}", "{", "{{}}", "{:d}", "{x}", "{.real}", "{:{}}"])
def test_a_format_that_is_given_has_to_fit(format: str) -> None:
    with pytest.raises(dsl.ArgumentError, match="needs shows\\(format, f32\\)") as found:
        TREES.show.interpret(2.0, np.ones(1, np.float32), format=format)
    assert found.value.code == "E0911"


def test_all_who_listen_are_called_and_the_evaluator_sends_too() -> None:
    first: list[float] = []
    second: list[float] = []
    one = dsl.on_emit("loss", lambda loss, *_: first.append(loss))
    with dsl.on_emit("loss", lambda loss, *_: second.append(loss)), dsl.on_emit("y", lambda y: None):
        M.fit.interpret(np.array([4.0, 8.0], np.float32), steps=1)
        one.close()
        fit()
    assert (first, second) == ([6.0], [6.0, 6.0, 3.0])


COUNTING = dsl.program("""
    def step(x: f32, y: f32) -> f32 ! io =
        emit("x", x)
        x + y
    def last(x: f32, k: i32) -> f32 ! io =
        if k > 3 then
            emit("x", x)
            step(x, 1.0)
        else step(step(x, 1.0), 1.0)
    def count(x: f32, static steps: int) -> f32 ! io =
        fold x = x for i in range(steps) do last(x, i)
    def until(x: f32) -> f32 ! io =
        iterate x = x while x < 1000.0 limit 20 do step(x, x)
    def parts(x: f32[n], static k: int) -> f32[n] ! io where n % k == 0 and k >= 1 =
        let y = pmap(fn v -> 2.0 * v)(x)
        emit("x", sum(y))
        y
""")


def test_threads_hear_what_their_own_runs_emit() -> None:
    """Runs of one program at once, each of whose callbacks runs in the thread that started it."""
    ready = threading.Barrier(16)

    def heard(start: float) -> tuple[list[float], list[float]]:
        mine: list[float] = []
        other: list[float] = []
        with dsl.on_emit("x", mine.append), dsl.on_emit("y", other.append):
            ready.wait(60)
            for _ in range(5):
                COUNTING.count(np.float32(start), steps=8)
        return mine, other

    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(heard, range(0, 1600, 100)))
    for start, (mine, other) in zip(range(0, 1600, 100), found, strict=True):
        once: list[float] = []
        with dsl.on_emit("x", once.append):
            COUNTING.count.interpret(np.float32(start), steps=8)
        assert (len(once), mine, other) == (16, 5 * once, [])


@pytest.mark.parametrize("devices", (1, 2))
def test_every_construct_hands_the_run_to_its_callbacks(devices: int) -> None:
    with dsl.default_device(*dsl.devices("cpu")[:devices]):
        heard: list[float] = []
        with dsl.on_emit("x", heard.append):
            COUNTING.parts(np.ones(4, np.float32), k=2)
            COUNTING.until(np.float32(300.0))
        assert heard == [8.0, 300.0, 600.0]


def test_one_processor_calls_in_the_thread_that_started_the_run() -> None:
    def heard() -> set[threading.Thread]:
        found: set[threading.Thread] = set()
        with dsl.on_emit("x", lambda _: found.add(threading.current_thread())):
            COUNTING.count(np.float32(1.0), steps=8)
        return found

    assert heard() == {threading.main_thread()}
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(heard).result() == {threads.submit(threading.current_thread).result()}


def test_a_run_within_a_listener_has_its_own_listeners() -> None:
    outer: list[object] = []

    def listen(x: float) -> None:
        inner: list[float] = []
        with dsl.on_emit("loss", lambda loss, *_: inner.append(loss)), dsl.on_emit("y", lambda y: None):
            fit()
        outer.append((x, inner))

    with dsl.on_emit("x", listen):
        COUNTING.step(1.0, 2.0)
        COUNTING.step(2.0, 2.0)
    assert outer == [(1.0, [6.0, 3.0]), (2.0, [6.0, 3.0])]


def test_tasks_hear_what_their_own_runs_emit() -> None:
    async def heard(start: float) -> list[float]:
        mine: list[float] = []
        with dsl.on_emit("x", mine.append):
            for k in range(3):
                await asyncio.sleep(0)
                COUNTING.step(start + k, 1.0)
        return mine

    async def both() -> list[list[float]]:
        return list(await asyncio.gather(heard(0.0), heard(10.0)))

    assert asyncio.run(both()) == [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]


def test_a_listener_ends_wherever_it_is_closed(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[float] = []
    listener = dsl.on_emit("x", heard.append)
    COUNTING.step(1.0, 1.0)
    closing = threading.Thread(target=listener.close)
    closing.start()
    closing.join()
    COUNTING.step(2.0, 1.0)
    assert heard == [1.0] and capsys.readouterr().out == "x: 2.0\n"


def test_callbacks_see_the_context_of_the_caller() -> None:
    variable: ContextVar[str] = ContextVar("variable", default="none")
    seen: list[str] = []

    def called(value: str) -> None:
        variable.set(value)
        with dsl.on_emit("x", lambda x: seen.append(variable.get())):
            COUNTING.step(1.0, 1.0)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(called, ["a", "b"]))
    assert sorted(seen) == ["a", "b"]


def test_what_a_sink_raises_ends_the_run() -> None:
    def stop(*values: object) -> None:
        raise RuntimeError("enough")

    with dsl.on_emit("loss", stop), dsl.on_emit("y", lambda y: None), pytest.raises(RuntimeError, match="enough"):
        fit()


def test_a_compilation_that_takes_long_is_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compile_log, "LONG", 0.05)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with caplog.at_level(logging.INFO, "dsl"), compile_log.log_compilation("fit"):
        time.sleep(0.2)
    assert [r.getMessage().startswith("compiled `fit` in 0.") for r in caplog.records] == [True]
    with caplog.at_level(logging.INFO, "dsl"), compile_log.log_compilation("quick"):
        pass
    assert len(caplog.records) == 1
    assert not [t for t in threading.enumerate() if t.name.startswith("compiling")], "its line is gone when it returns"
