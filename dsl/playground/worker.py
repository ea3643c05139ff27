"""A process that answers questions, one line of JSON each; and the server's hold on one, which ends it if it takes too
long. Read next: `answers`, `server`."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from contextlib import suppress
from subprocess import PIPE, Popen
from threading import Lock

import msgspec

from dsl.playground.answers import Answers
from dsl.playground.questions import Answer, Question, Run

READY = b"ready"


def serve(runs: bool) -> None:
    """Say that it is ready, then answer the questions on standard input until it ends."""
    answers = Answers()
    if runs:
        answers.answer(Run("", "1.0 + 1.0"))  # loads what runs programs
    _write(READY)
    for line in sys.stdin.buffer:
        _write(answers.answer_json(line))


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


class Worker:
    """A process that answers one question after another, and is replaced if one takes longer than `limit` seconds. One
    that `runs` programs loads what that takes before its first question."""

    def __init__(self, limit: float, runs: bool = False) -> None:
        self._limit = limit
        self._command = (sys.executable, "-m", "dsl.playground.worker", *(["runs"] if runs else []))
        self._turn = Lock()
        self._reader = ThreadPoolExecutor(1)
        self._process = self._started()
        self._is_ready = False

    def ask(self, question: Question) -> bytes:
        """The answer as JSON."""
        with self._turn:
            line = self._asked(msgspec.json.encode(question))
            if line:
                return line
            self._end()
            self._process, self._is_ready = self._started(), False
        return msgspec.json.encode(Answer(fault=f"no answer within {self._limit:g} seconds"))

    def _asked(self, question: bytes) -> bytes:
        """A line for a question; nothing if none came in time, or the process has ended."""
        put, get = self._process.stdin, self._process.stdout
        assert put is not None and get is not None
        if not self._is_ready:
            self._is_ready = get.readline().strip() == READY
        with suppress(TooLong, BrokenPipeError):
            put.write(question + b"\n")
            put.flush()
            return self._reader.submit(get.readline).result(self._limit)
        return b""

    def close(self) -> None:
        """End the process."""
        self._end()
        self._reader.shutdown()

    def _started(self) -> Popen[bytes]:
        return Popen(self._command, stdin=PIPE, stdout=PIPE, start_new_session=True)  # Ctrl-C is for the server

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


if __name__ == "__main__":
    serve(runs=sys.argv[1:] == ["runs"])
