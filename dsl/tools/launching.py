"""`dsl run --processes N`: the same command, or a Python program, in several processes of this machine.

What process 0 prints is printed; of all of them, the errors, once if several report the same. No process is left
behind, however this one ends. Read next: `running`, which each of them runs; `lowering.processes.launched`, their side.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeAlias

from dsl.tools.named_programs import Request
from lowering.processes.launched import LAUNCHER, end_with

HOST = "127.0.0.1"

LAST_WORDS = 5.0
"""Seconds that the other processes have to end by themselves, with their own errors, after one has failed."""

AT_ONCE = 1.0
"""Seconds in which processes end that an interrupt from the terminal has reached as well."""

LEAVE = 3.0
"""Seconds in which processes end that are asked to, before they are killed."""

SIGNALLED = 128
"""The exit code of a command that a signal has ended, less the number of the signal."""


class Stopped(BaseException):
    """A signal, its argument, has asked this process to end."""


Worker: TypeAlias = "subprocess.Popen[str]"


def launch(count: int, request: Request, output: Path | None) -> int:
    """Run in so many processes; the exit code of the first that failed, or of the signal that ended it or this one."""
    command = [sys.executable, str(request.file)] if request.file.suffix == ".py" else _command(request, output)
    with socket.create_server((HOST, 0)) as found:
        coordinator = f"{HOST}:{found.getsockname()[1]}"
    workers: list[Worker] = []
    errors = [""] * count
    readers: list[Thread] = []
    with _ended_by_signals() as listen:
        try:
            for id in range(count):
                workers.append(_start(command, coordinator, count, id))
            readers = _readers(workers, errors)
            listen()
            return _first_failure(workers)
        except Stopped as stop:
            return SIGNALLED + int(stop.args[0])
        except KeyboardInterrupt:
            if _alive(workers, AT_ONCE):
                _signal(workers, signal.SIGINT)
                _alive(workers, LEAVE)
            raise
        finally:
            _end(workers)
            for each in readers:
                each.join(AT_ONCE)  # what a process has started itself may keep its output open
            print(*dict.fromkeys(filter(None, errors)), sep="", end="", file=sys.stderr)


@contextmanager
def _ended_by_signals() -> Iterator[Callable[[], None]]:
    """Inside, the signals that ask this process to end raise `Stopped`, unless they are ignored. They do so once the
    function that is yielded is called: a signal amid a start would lose the process that is started."""
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]
    early: list[int] = []
    listening = Event()

    def stop(number: int, frame: object) -> None:
        if listening.is_set():
            raise Stopped(number)
        early.append(number)

    def listen() -> None:
        listening.set()
        if early:
            raise Stopped(early[0])

    for number in numbers:
        signal.signal(number, stop)
    try:
        yield listen
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _first_failure(workers: Sequence[Worker]) -> int:
    """Wait until all have ended, or one has failed and the others had time to."""
    ended: SimpleQueue[int] = SimpleQueue()
    for worker in workers:
        Thread(target=_await, args=(worker, ended), daemon=True).start()
    failure, end = 0, None
    for _ in workers:
        try:
            code = ended.get(timeout=None if end is None else max(end - time.monotonic(), 0))
        except Empty:
            break
        if code and end is None:
            failure, end = code, time.monotonic() + LAST_WORDS
    return failure if failure >= 0 else SIGNALLED - failure


def _await(worker: Worker, ended: SimpleQueue[int]) -> None:
    ended.put(worker.wait())


def _end(workers: Sequence[Worker]) -> None:
    """Ask those that run to end, and kill those that do not, frozen ones among them."""
    try:
        _signal(workers, signal.SIGTERM)
        _alive(workers, LEAVE)
    finally:
        _signal(workers, signal.SIGKILL)
        for worker in workers:
            worker.wait()


def _signal(workers: Sequence[Worker], number: int) -> None:
    for worker in workers:
        worker.send_signal(number)  # does nothing where it has ended


def _alive(workers: Sequence[Worker], seconds: float) -> bool:
    """Return whether a process still runs after so long; waits for none that does not."""
    end = time.monotonic() + seconds
    while any(worker.poll() is None for worker in workers):
        if time.monotonic() > end:
            return True
        time.sleep(0.02)
    return False


def _readers(workers: Sequence[Worker], errors: list[str]) -> list[Thread]:
    """Threads that pass on what the processes print."""
    jobs = [partial(_print_lines, workers[0]), *[partial(_read_errors, w, errors, id) for id, w in enumerate(workers)]]
    readers = [Thread(target=job, daemon=True) for job in jobs]
    for each in readers:
        each.start()
    return readers


def _command(request: Request, output: Path | None) -> list[str]:
    """Return the command of one process."""
    words = [sys.executable, "-m", "dsl", "run", str(request.file)]
    if request.function is not None:
        words.append(request.function)
    given = {
        "--input": request.inputs,
        "--static": request.statics,
        "--arg": request.scalars,
        "--column": request.columns,
        "--output": () if output is None else (output,),
    }
    return [*words, *[f"{flag}={value}" for flag, values in given.items() for value in values]]


def _start(command: list[str], coordinator: str, count: int, id: int) -> Worker:
    group = {"DSL_COORDINATOR": coordinator, "DSL_PROCESSES": str(count), "DSL_PROCESS": str(id)}
    pipe = subprocess.PIPE
    out = pipe if id == 0 else subprocess.DEVNULL
    environment = {**os.environ, **group, LAUNCHER: str(os.getpid()), "PYTHONPATH": os.pathsep.join(sys.path)}
    ending = end_with(os.getpid())
    return subprocess.Popen(command, env=environment, stdout=out, stderr=pipe, text=True, preexec_fn=ending)


def _print_lines(process: Worker) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if not line.startswith("[Gloo] "):  # says of each process that it is connected
            print(line, end="", flush=True)


def _read_errors(process: Worker, errors: list[str], id: int) -> None:
    assert process.stderr is not None
    errors[id] = process.stderr.read()
