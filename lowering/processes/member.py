"""One process of a group: how it joins, and how it meets the others before they do something together.

Every meeting has a topic, such as the program that is about to start, which must be the same for all. A process that is
missing, lost, frozen or elsewhere is a `DeviceError` on all others, after `seconds` at most. A thread sends heartbeats,
so that a process that computes, compiles or sleeps is not taken for frozen. Read next: `coordinator`, the other end;
`lowering.xla.backends`, which makes devices of a group.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import Any, BinaryIO, NoReturn

import msgspec

from dsl.diagnostics.diagnostic import DeviceError
from lowering.made_once import made_once
from lowering.processes import errors
from lowering.processes.group import Group
from lowering.processes.heartbeats import interval
from lowering.processes.topics import Topic
from lowering.xla.device_errors import device_error

GRACE = 2.0
"""Seconds that an answer of the coordinator may take beyond what processes wait for each other."""


class Member:
    """The connection of a process to those of its `group`. `service` is where jaxlib finds the others."""

    def __init__(self, group: Group, seconds: float) -> None:
        self.group = group
        self.seconds = seconds
        self._lock = Lock()
        self._fault: DeviceError | None = None
        self._over = Event()
        self._waits: list[None] = []
        self._socket = _connected(group, seconds)
        self._lines = self._socket.makefile("rb", buffering=0)  # so that `check` sees at the socket what has come
        self._say({"id": group.id, "count": group.count})
        try:
            (self.service,) = self._answer(errors.no_coordinator(group.address, seconds))
        except (ValueError, TypeError, KeyError):  # the words of another program
            self._fail(errors.no_coordinator(group.address, seconds))
        Thread(target=self._beat, name="heartbeats of puredsl", daemon=True).start()
        os.register_at_fork(after_in_child=self._forked)

    def meet(self, topic: Topic, note: str = "") -> list[str]:
        """The notes of all processes, when all have come to this topic."""
        with self._lock:
            if self._fault is not None:
                raise self._fault
            try:
                self._say({"topic": topic, "note": note})
                return self._answer()
            except BaseException:
                if self._fault is None:  # an interrupt: the answer is still to come, and would be taken for a later one
                    self._fault = errors.interrupted()
                    self._close()
                raise

    def check(self, seconds: float) -> None:
        """Raises a fault that becomes known within so long without having been asked for."""
        with self._lock:
            if self._fault is not None:
                raise self._fault
            if select.select([self._socket], [], [], seconds)[0]:
                self._answer()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Inside, this process waits for a program in which the others have a part."""
        self._waits.append(None)
        try:
            yield
        finally:
            self._waits.pop()

    def leave(self) -> None:
        """Do nothing together with the others any more."""
        if self._fault is None:
            self._say({"leave": True})
            self._close()

    def _beat(self) -> None:
        """Sends heartbeats until the group is over, and keeps the fault that an answer tells."""
        silence = errors.coordinator_lost(self.group.address)
        try:
            with _connected(self.group, self.seconds) as connection, connection.makefile("rb") as lines:
                connection.settimeout(self.seconds + GRACE)
                _send(connection, {"pulse": self.group.id})
                while self._fault is None and not self._over.wait(interval(self.seconds)):
                    _send(connection, {"waits": bool(self._waits)})
                    self._fault = _told(lines, silence) or self._fault
        except (OSError, ValueError, DeviceError):
            self._fault = self._fault or (None if self._over.is_set() else silence)

    def _forked(self) -> None:
        """In the child of a fork, whose parent goes on to belong to the group."""
        self._lock = Lock()
        self._fault = errors.forked()
        self._close()

    def _say(self, message: dict[str, Any]) -> None:
        with suppress(OSError):  # the answer tells
            _send(self._socket, message)

    def _answer(self, silence: DeviceError | None = None) -> list[str]:
        """The next line of the coordinator; `silence` is raised where there is none."""
        self._socket.settimeout(self.seconds + GRACE)
        try:
            line = self._lines.readline()
        except OSError:
            line = b""
        if not line:
            self._fail(silence or errors.coordinator_lost(self.group.address))
        message = json.loads(line)
        if isinstance(message, list):
            self._fail(device_error(*message))
        notes: list[str] = message["notes"]
        return notes

    def _fail(self, fault: DeviceError) -> NoReturn:
        self._fault = fault
        self._close()
        raise fault

    def _close(self) -> None:
        self._over.set()
        self._lines.close()
        self._socket.close()


def _send(connection: socket.socket, message: dict[str, Any]) -> None:
    connection.sendall(msgspec.json.encode(message) + b"\n")


def _told(lines: BinaryIO, silence: DeviceError) -> DeviceError | None:
    """The fault of the group, if the answer to a heartbeat tells one; `silence` where there is no answer."""
    line = lines.readline()
    answer = json.loads(line) if line else None
    return silence if answer is None else device_error(*answer) if isinstance(answer, list) else None


def _connected(group: Group, seconds: float) -> socket.socket:
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((group.host, group.port), timeout=max(end - time.monotonic(), 0.001))
        except OSError:
            if time.monotonic() > end:
                raise errors.no_coordinator(group.address, seconds) from None
            time.sleep(0.02)


def start_coordinator(group: Group, seconds: float) -> None:
    """In a process of its own, which has the port from the start. Raises `DeviceError` E1014 where it is taken."""
    try:
        listening = socket.create_server((group.host, group.port))
    except OSError as fault:
        raise errors.port_taken(group.address) from fault
    with listening:
        descriptor = listening.fileno()
        subprocess.Popen(
            [sys.executable, "-m", "lowering.processes.coordinator", str(descriptor), str(group.count), str(seconds)],
            pass_fds=[descriptor],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # what goes wrong there is told by the members
            start_new_session=True,
        )


class Membership:
    """The group that this process belongs to, if any."""

    __slots__ = ("member",)

    def __init__(self) -> None:
        self.member: Member | None = None


@made_once
def membership() -> Membership:
    """Return the membership of this process."""
    return Membership()
