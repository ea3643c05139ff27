"""`dsl run --processes`: no process that it starts is left behind, whatever ends it, and its exit code says why."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from dsl.tools import launching
from dsl.tools.launching import launch
from dsl.tools.named_programs import Request
from lowering.processes import launched

WORKER = """
import os, signal, sys, time
number = int(os.environ["DSL_PROCESS"])
alive = open({pipe!r}, "w")
def ready(): print(number, file=alive, flush=True)
{behaviour}
ready()
time.sleep(60)
"""
"""Holds a pipe open for as long as it lives."""

STUBBORN = "for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(each, signal.SIG_IGN)"
FROZEN = "if number == 1: ready(); os.kill(os.getpid(), signal.SIGSTOP)"


@pytest.fixture(autouse=True)
def _signals_are_heeded() -> Iterator[None]:
    """Also where the shell has the suite ignore them, which its processes would inherit."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGHUP, signal.SIGTERM)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Workers:
    """Two processes of a script, and a pipe that tells whether they live."""

    def __init__(self, script: Path, pipe: int) -> None:
        self.script = script
        self._pipe = pipe
        self._said = b""

    def wait_until_ready(self) -> None:
        """Until both hold the pipe."""
        self._read(60, lambda: self._said.count(b"\n") == 2)
        assert self._said.count(b"\n") == 2

    def have_ended(self, seconds: float = 10) -> bool:
        """Whether nobody holds the pipe any more after so long."""
        return self._read(seconds, lambda: False)

    def _read(self, seconds: float, is_enough: Callable[[], bool]) -> bool:
        """Read until the end of the pipe, once it has been held; whether that has come."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not is_enough():
            with suppress(BlockingIOError):
                data = os.read(self._pipe, 100)
                self._said += data
                if self._said and not data:
                    return True
            time.sleep(0.02)
        return False


@contextmanager
def workers(folder: Path, behaviour: str = "") -> Iterator[Workers]:
    pipe, script = folder / "alive", folder / "worker.py"
    os.mkfifo(pipe)
    script.write_text(WORKER.format(pipe=str(pipe), behaviour=behaviour), encoding="utf-8")
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield Workers(script, reading)
    finally:
        os.close(reading)


@pytest.mark.parametrize(
    ("number", "behaviour", "code"),
    [
        (signal.SIGTERM, "", 128 + signal.SIGTERM),
        (signal.SIGHUP, "", 128 + signal.SIGHUP),
        (signal.SIGINT, "", 130),
        (signal.SIGTERM, STUBBORN, 128 + signal.SIGTERM),
        (signal.SIGTERM, FROZEN, 128 + signal.SIGTERM),
        (signal.SIGKILL, STUBBORN, -signal.SIGKILL),
    ],
)
def test_a_signal_to_the_launcher_alone_ends_its_processes(
    tmp_path: Path, number: signal.Signals, behaviour: str, code: int
) -> None:
    with workers(tmp_path, behaviour) as found:
        command = [sys.executable, "-m", "dsl", "run", "--processes", "2", str(found.script)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as launcher:
            found.wait_until_ready()
            launcher.send_signal(number)
            assert found.have_ended()
            assert launcher.wait(10) == code


@pytest.mark.parametrize(
    ("failing", "code"), [("sys.exit(7)", 7), ("os.kill(os.getpid(), signal.SIGKILL)", 128 + signal.SIGKILL)]
)
@pytest.mark.parametrize(
    "others", ["", STUBBORN, "ready(); time.sleep(0.5); sys.exit(3)"], ids=("asleep", "stubborn", "failing")
)
def test_when_a_process_fails_the_others_end_and_the_exit_code_is_its(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, code: int, others: str
) -> None:
    monkeypatch.setattr(launching, "LAST_WORDS", 1.0)
    monkeypatch.setattr(launching, "LEAVE", 0.3)
    with workers(tmp_path, f"ready()\nif number == 1: {failing}\n{others}") as found:
        assert launch(2, Request(found.script, None), None) == code
        assert found.have_ended()


def test_what_the_processes_say_of_errors_is_printed_also_after_a_signal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launching, "LAST_WORDS", 1.0)
    said = "ready(); print('lost', file=sys.stderr, flush=True); number or os.kill(os.getppid(), signal.SIGTERM)"
    with workers(tmp_path, said) as found:
        assert launch(2, Request(found.script, None), None) == 128 + signal.SIGTERM
        assert found.have_ended()
    assert capsys.readouterr().err == "lost\n"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_process_looks_itself_whether_its_launcher_lives(tmp_path: Path) -> None:
    """Where the kernel does not kill it."""
    watch = f"from {launched.__name__} import watch_launcher; watch_launcher({{**os.environ, 'DSL_LAUNCHER': parent}})"
    behaviour = f"parent = str(os.getppid()); {watch}"
    with workers(tmp_path, behaviour) as found:
        two = f"import subprocess, sys; [subprocess.Popen([sys.executable, {str(found.script)!r}]) for _ in '12']"
        with subprocess.Popen(
            [sys.executable, "-c", f"{two}; input()"], stdin=subprocess.PIPE, env={**os.environ, "DSL_PROCESS": "0"}
        ) as parent:
            found.wait_until_ready()
            parent.kill()
            assert found.have_ended()
