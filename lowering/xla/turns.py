"""Programs over several devices run one after another, and nothing waits for ever for another process.

Read next: `places`, where arrays lie; `lowering.processes.member`, which knows of the other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Generic, TypeAlias, TypeVar, cast

from dsl.diagnostics.diagnostic import DeviceError
from lowering.processes.member import Member
from lowering.processes.topics import Topic
from lowering.xla import adapter
from lowering.xla.adapter import Buffer
from lowering.xla.forks import need_threads, threads

T = TypeVar("T")

Start: TypeAlias = Callable[[], list[Buffer]]


class Turns:
    """Start programs over several devices one at a time, so that they come to all devices in one order.

    With `shared_threads`, as the devices of one CPU have, a program starts only after the previous one has finished:
    parts that wait for each other would otherwise wait forever for parts that wait for a thread. Other devices have
    queues of their own, and the host does not wait.
    """

    __slots__ = ("_lock", "_running", "_starter", "member", "shared_threads", "threads")

    def __init__(self, member: Member | None = None, shared_threads: bool = True) -> None:
        self.member = member
        self.shared_threads = shared_threads
        self.threads = threads()
        self._lock = Lock()
        self._running: list[Buffer] = []
        self._starter = None if member is None else Starter(member)

    def take(self, start: Start, topic: Topic | None = None) -> list[Buffer]:
        """The results of `start`, in its turn; where other processes have a part in it, when all have come to
        `topic`."""
        need_threads()
        with self._lock:
            if self.shared_threads:
                self._finish()
            if self._starter is not None and topic is not None:
                self._running = self._starter.take(start, topic)
            else:
                self._running = start()
            return self._running

    def end(self) -> bool:
        """Wait for the programs under way; whether they have ended, as they do unless another process is lost."""
        with self._lock, suppress(DeviceError):
            self._finish()
            return all(buffer.is_ready() for buffer in _kept(self._running))
        return False

    def _finish(self) -> None:
        with suppress(adapter.RuntimeFault):  # told to whoever reads what it did not compute
            if self._starter is not None:
                self._running += self._starter.left_over()
            wait_for(_kept(self._running), self.member)


class Starter:
    """Starts programs of several processes in a thread. XLA computes some programs within the call that starts them,
    and waits there for the other processes, where nothing could end the wait.
    """

    __slots__ = ("_jobs", "_last", "_member")

    def __init__(self, member: Member) -> None:
        self._member = member
        self._last: Job[list[Buffer]] | None = None
        self._jobs: SimpleQueue[Job[list[Buffer]]] | None = None

    def take(self, start: Start, topic: Topic) -> list[Buffer]:
        """The results of `start`, when all have come to `topic`."""
        self._member.meet(topic)
        self._last = job = Job(start)
        self._queue().put(job)
        with blaming(self._member):
            self._settle(job)
            return job.results()

    def left_over(self) -> list[Buffer]:
        """The results of a program whose start nobody has waited for, as after an interrupt."""
        job = self._last
        if job is None:
            return []
        self._settle(job)
        return [] if job.failure is not None else job.results()

    def _settle(self, job: Job[list[Buffer]]) -> None:
        """Wait until a program has started."""
        _poll(job.is_done, self._member)
        self._last = None

    def _queue(self) -> SimpleQueue[Job[list[Buffer]]]:
        if self._jobs is None:
            self._jobs = SimpleQueue()
            Thread(target=_work, args=(self._jobs,), name="programs of puredsl", daemon=True).start()
        return self._jobs


class Job(Generic[T]):
    """A program to start in another thread, in the context of this one, and what came of it."""

    __slots__ = ("_context", "_done", "_results", "_start", "failure")

    def __init__(self, start: Callable[[], T]) -> None:
        self._context = copy_context()
        self._start = start
        self._done = Event()
        self._results: T | None = None
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Start the program."""
        try:
            self._results = self._context.run(self._start)
        except BaseException as failure:
            self.failure = failure
        finally:
            self._done.set()

    def is_done(self, seconds: float | None = None) -> bool:
        """Return whether the program has started within so long; without an end to the wait, when it has."""
        return self._done.wait(seconds)

    def results(self) -> T:
        """The results of the program. Raises what it raised."""
        if self.failure is not None:
            raise self.failure
        return cast(T, self._results)


def _work(jobs: SimpleQueue[Job[list[Buffer]]]) -> None:
    while True:
        jobs.get().run()


def _kept(buffers: list[Buffer]) -> list[Buffer]:
    return [buffer for buffer in buffers if not buffer.is_deleted()]


SHORTEST, LONGEST = 2e-5, 5e-3
"""Seconds between two looks at what other processes have a part in."""


def wait_for(buffers: list[Buffer], member: Member | None) -> None:
    """Until the elements are there. Raises what went wrong; `DeviceError` E1013 where a process is lost that has a part
    in it, for which XLA would wait for ever."""
    if threads().are_lost and not all(buffer.is_ready() for buffer in buffers):
        need_threads()
    if member is None:
        adapter.block_all(buffers)
        return
    if not all(buffer.is_ready() for buffer in buffers):

        def ready(seconds: float) -> bool:
            member.check(seconds)
            return all(buffer.is_ready() for buffer in buffers)

        _poll(ready, member)
    with blaming(member):
        adapter.block_all(buffers)


def _poll(is_done: Callable[[float], bool], member: Member) -> None:
    """Until something has come about, which is asked how it stands after ever longer waits."""
    pause = SHORTEST
    with member.waiting():
        while not is_done(pause):
            member.check(0)
            pause = min(2 * pause, LONGEST)


@contextmanager
def blaming(member: Member | None) -> Iterator[None]:
    """Explain errors of a program on several processes by the loss of one, if it becomes known."""
    try:
        yield
    except adapter.RuntimeFault:
        if member is not None:
            member.check(member.seconds)
        raise
