"""Sixteen threads, forks, signals and interrupts at once: nothing hangs, every value is right, and the state of the
process is what it was.

`python -m tests.e2e.stress SECONDS` reports what it did. The main thread is interrupted, and forks; the others call
functions, listen to `emit`, check and compile new programs, right ones and wrong ones.

Python's imports do not survive an interrupt: one that comes while a lock of an import is freed is dropped, or leaves
the lock of all imports taken, and then every later import waits for ever. So nothing is imported once the threads run:
each action happens once before, and with a folder of its own as the disk cache, for what an earlier run has checked
would be read from there without loading the checker. A late import is an error of this run. An interrupt that Python
drops in a callback of its own library (a weak reference's, for example) and reports as unraisable is counted by itself:
no program can catch it.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType

import numpy as np

import dsl

THREADS = 15
"""Beside the main one."""

LONGEST = 60
"""Seconds after which the child of a fork, or a thread that is to end, hangs."""

M = dsl.program("""
def double(x: f32[n]) -> f32[n] = 2.0 * x + 1.0
def grow(x: f32[n], static k: int) -> f32[n] = fold y = x for _ in range(k) do y + 1.0
def say(x: f32, static k: int) -> f32 ! io =
    fold y = x for _ in range(k) do
        emit("x", y)
        y + 1.0
""")


class Worker:
    """What one thread does, in turn, until the end; `done` counts it, by kind, and what went wrong."""

    def __init__(self, number: int, done: Counter[str]) -> None:
        self._random = random.Random(number)
        self._number = number
        self._done = done
        self._made = 0

    def act(self) -> None:
        """One action, whose outcome is counted."""
        action = self._random.choice([self._call, self._loop, self._emit, self._new, self._wrong])
        kind = action.__name__.removeprefix("_")
        self._done[kind if action() else f"WRONG {kind}"] += 1

    def begin(self) -> None:
        """Each action once, so that nothing is imported later."""
        assert all([self._call(), self._loop(), self._emit(), self._new(), self._wrong()])

    def _call(self) -> bool:
        size = self._random.randrange(1, 6)
        return bool((np.asarray(M.double(np.full(size, self._number, "f4"))) == 2 * self._number + 1).all())

    def _loop(self) -> bool:
        return bool((np.asarray(M.grow(np.zeros(3, "f4"), k=2000)) == 2000.0).all())

    def _emit(self) -> bool:
        heard: list[float] = []
        with dsl.on_emit("x", heard.append):
            M.say(np.float32(self._number), k=5)
        return heard == [float(self._number + k) for k in range(5)]

    def _new(self) -> bool:
        self._made += 1
        by = 1000 * self._number + self._made
        program = dsl.program(f"def by(x: f32[n]) -> f32[n] = x * {by}.0")
        return bool(np.asarray(program.by(np.ones(2, "f4")))[0] == by)

    def _wrong(self) -> bool:
        self._made += 1
        try:
            dsl.program(f"def f(x: f32[n]) -> f32[n] = x + unknown_{self._number}_{self._made}")
        except dsl.DslError as error:
            return error.code == "E0201"
        return False


class Interrupts:
    """Interrupts of the main thread: each that was handled has to be caught, unless Python itself drops it."""

    def __init__(self, done: Counter[str]) -> None:
        self._done = done
        self._armed: SimpleQueue[None] = SimpleQueue()
        self._handled = False
        self._dropped = False
        sys.unraisablehook = self._note
        signal.signal(signal.SIGINT, self._handle)
        threading.Thread(target=self._send, daemon=True).start()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._handled = True
        raise KeyboardInterrupt

    def _note(self, what: sys.UnraisableHookArgs) -> None:
        sys.__unraisablehook__(what)
        package = str(getattr(what.object, "__module__", "")).partition(".")[0]
        self._dropped |= what.exc_type is KeyboardInterrupt and package in sys.stdlib_module_names

    def _send(self) -> None:
        chance = random.Random(0)
        while True:
            self._armed.get()
            time.sleep(chance.random() * 0.05)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    def one(self, action: Callable[[], None]) -> None:
        """Repeat an action until it is interrupted."""
        self._handled = self._dropped = False
        try:
            self._armed.put(None)
            while not self._handled:
                action()
            self._done["interrupt dropped by Python" if self._dropped else "WRONG interrupt was lost"] += 1
        except KeyboardInterrupt:
            self._done["interrupt"] += 1


def fork(done: Counter[str]) -> None:
    """A child calls what is compiled, or something new: it gets the value, or the error that says why not."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST)
        code = 1
        try:
            code = 0 if float(np.asarray(M.double(np.ones(3, "f4")))[0]) == 3.0 else 1
            M.double(np.ones(2 + os.getpid() % 1000, "f4")).block_until_ready()
        except dsl.DeviceError as error:
            code = 0 if code == 0 and error.code == "E1020" else 2
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    done["fork" if code == 0 else f"WRONG fork: {code}"] += 1


@contextmanager
def no_imports(done: Counter[str]) -> Iterator[None]:
    """What is imported meanwhile is counted as wrong."""
    watched = True

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if watched and event == "import":
            done[f"WRONG late import of {arguments[0]}"] += 1

    sys.addaudithook(note)
    yield
    watched = False


def join(threads: list[threading.Thread], done: Counter[str]) -> None:
    """Wait until all threads have ended, together no longer than one may take."""
    end = time.monotonic() + LONGEST
    for each in threads:
        each.join(max(0.0, end - time.monotonic()))
    if any(each.is_alive() for each in threads):
        done["WRONG thread hangs"] += sum(each.is_alive() for each in threads)
        faulthandler.dump_traceback()


def act(seconds: float, counts: list[Counter[str]]) -> None:
    """Let all threads act for some seconds; `counts` counts what each does, the main one after the others."""
    end = time.monotonic() + seconds

    def work(number: int) -> None:
        worker = Worker(number, counts[number])
        while time.monotonic() < end:
            worker.act()

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(THREADS)]
    for each in threads:
        each.start()
    own, done = Worker(THREADS, counts[THREADS]), counts[THREADS]
    interrupts = Interrupts(done)
    while time.monotonic() < end:
        interrupts.one(own.act)
        if done["interrupt"] % 10 == 0:
            fork(done)
    join(threads, done)


def main(seconds: float) -> None:
    faulthandler.dump_traceback_later(seconds + 2 * LONGEST, exit=True)
    M.double(np.ones(3, "f4"))
    Worker(THREADS + 1, Counter()).begin()
    state = gc.isenabled(), sys.getrecursionlimit()
    counts: list[Counter[str]] = [Counter() for _ in range(THREADS + 2)]
    with no_imports(counts[-1]):
        act(seconds, counts)
    counts[-1]["WRONG state"] += (gc.isenabled(), sys.getrecursionlimit()) != state
    found = +sum(counts, Counter())
    print(", ".join([f"{count:,} {kind}" for kind, count in sorted(found.items())]))
    sys.exit(any(kind.startswith("WRONG") for kind in found) or not {"call", "emit", "fork", "interrupt"} <= set(found))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DSL_CACHE_DIR"] = folder
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
