"""The process in which the others meet: `python -m lowering.processes.coordinator FD COUNT TIMEOUT`.

Process 0 starts it, and it outlives process 0, so that the others learn when that one is lost. Each process sends
lines of JSON and comes, one meeting after the other, to the same topics: when all are there each gets the notes of all.
When one is missing, has ended, is frozen, or comes to something else, all get the same error. A process is frozen when
its heartbeats, on a second connection, stay away while another process waits for a program. The coordination service of
jaxlib runs here too. Read next: `member`, the other end.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from asyncio import StreamReader, StreamWriter, TimerHandle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dsl.diagnostics.diagnostic import DeviceError
from lowering.processes import errors
from lowering.processes.heartbeats import Heartbeats, interval
from lowering.processes.topics import Topic
from lowering.xla import adapter

JOINING = Topic("the group")

LONGEST_LINE = 1 << 24
"""Bytes of a message."""


class Coordinator:
    """`service` starts what the processes need beside this, and gives its address."""

    def __init__(self, count: int, seconds: float, service: Callable[[], str]) -> None:
        self._count = count
        self._seconds = seconds
        self._service = service
        self._members: dict[int, StreamWriter] = {}
        self._refused: list[DeviceError] = []
        self._arrived: dict[int, tuple[Topic, str]] = {}
        self._begun: Topic | None = None
        self._left: set[int] = set()
        self._heartbeats = Heartbeats(seconds)
        self._timer: TimerHandle | None = None
        self._fault: str | None = None
        self._over = asyncio.Event()

    async def serve(self, listening: socket.socket) -> None:
        """Until all processes have ended, or none came."""
        server = await asyncio.start_server(self._receive, sock=listening, limit=LONGEST_LINE)
        self._expect()
        watching = asyncio.create_task(self._watch())
        await self._over.wait()
        watching.cancel()
        server.close()  # without waiting for connections of other programs, which may stay open for ever

    async def _watch(self) -> None:
        """Notices processes whose heartbeats stay away."""
        while True:
            await asyncio.sleep(interval(self._seconds))
            frozen = self._heartbeats.missing(self._members.keys() - self._left)
            if frozen:
                self._fail(errors.frozen(frozen, self._begun, self._seconds))

    async def _receive(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Speaks with one process until it ends. A connection that does not begin as one of a process is closed."""
        _keep_alive(writer.get_extra_info("socket"))
        try:
            with suppress(ValueError, KeyError, TypeError, ConnectionError):
                hello = json.loads(await reader.readline())
                if "pulse" in hello:
                    await self._feel(int(hello["pulse"]), reader, writer)
                elif self._joins(int(hello["id"]), int(hello["count"]), writer):
                    await self._serve_member(int(hello["id"]), reader)
        finally:
            writer.close()

    async def _serve_member(self, id: int, reader: StreamReader) -> None:
        try:
            with suppress(ValueError, KeyError, TypeError, ConnectionError):
                await self._listen(id, reader)
        finally:
            self._ended(id)

    async def _feel(self, id: int, reader: StreamReader, writer: StreamWriter) -> None:
        """Answers each heartbeat of a process, with the fault of the group if there is one."""
        while line := await reader.readline():
            self._heartbeats.hear(id, waits=bool(json.loads(line)["waits"]))
            _send(writer, self._fault or "{}")

    def _joins(self, id: int, count: int, writer: StreamWriter) -> bool:
        """Return whether a process belongs to the group. One that does not is refused, and the group goes on without
        it."""
        refused = self._refusal(id, count)
        if refused is not None:
            self._refused.append(refused)
        answer = _line(refused) if refused is not None else self._fault
        if answer is not None:
            _send(writer, answer)
            return False
        self._members[id] = writer
        self._come(id, JOINING, "")
        return True

    def _refusal(self, id: int, count: int) -> DeviceError | None:
        if count != self._count:
            return errors.misnumbered(count, id, self._count)
        if not 0 <= id < count:
            return errors.no_such_number(id, count)
        return errors.same_number(id) if id in self._members or id in self._left else None

    async def _listen(self, id: int, reader: StreamReader) -> None:
        while line := await reader.readline():
            message = json.loads(line)
            if message.get("leave"):
                self._left.add(id)
            else:
                self._come(id, Topic(*message["topic"]), message["note"])

    def _ended(self, id: int) -> None:
        del self._members[id]
        if id not in self._left:
            self._left.add(id)
            self._fail(self._gone([id]))
        elif self._arrived:
            self._fail(self._gone(sorted(self._left)))
        if not self._members:
            self._over.set()

    def _gone(self, ids: list[int]) -> DeviceError:
        """Processes have ended that the others need for the step that some have come to, or for the last one."""
        coming = next((topic for topic, _ in self._arrived.values()), None)
        return errors.gone(ids, self._begun) if coming is None else errors.gone_before(ids, coming)

    def _come(self, id: int, topic: Topic, note: str) -> None:
        if self._fault is not None:
            _send(self._members[id], self._fault)
            return
        self._arrived[id] = topic, note
        if self._left:
            self._fail(self._gone(sorted(self._left)))
        elif len(self._arrived) == self._count:
            self._meet()
        elif len(self._arrived) == 1 and topic != JOINING:
            self._expect()

    def _expect(self) -> None:
        """The others are to come soon."""
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._waited)

    def _waited(self) -> None:
        missing = sorted(set(range(self._count)) - set(self._arrived))
        topic = next((topic for topic, _ in self._arrived.values()), JOINING)
        refused = self._refused if topic == JOINING else []
        self._fail(errors.absent(missing, topic, self._seconds) if not refused else refused[0])
        if not self._members:
            self._over.set()

    def _meet(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        arrived, self._arrived = self._arrived, {}
        topics = {id: topic for id, (topic, _) in arrived.items()}
        if len(set(topics.values())) > 1:
            self._fail(errors.disagreement(topics))
            return
        self._begun = topics[0]
        notes = [self._service()] if topics[0] == JOINING else [arrived[id][1] for id in range(self._count)]
        answer = json.dumps({"notes": notes})
        for writer in self._members.values():
            _send(writer, answer)

    def _fail(self, error: DeviceError) -> None:
        """Tell all, those that wait as well as those that compute; nothing can be done together any more."""
        if self._fault is None:
            self._fault = _line(error)
            for writer in self._members.values():
                _send(writer, self._fault)


def _line(error: DeviceError) -> str:
    found = error.diagnostics[0]
    return json.dumps([found.code, found.message, "".join([help.text for help in found.help])])


def _send(writer: StreamWriter, message: str) -> None:
    if not writer.is_closing():
        writer.write(message.encode() + b"\n")


def _keep_alive(connection: socket.socket) -> None:
    """A machine that is lost without a word is noticed after some seconds."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (("TCP_KEEPIDLE", 4), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, option):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def main(descriptor: str, count: str, seconds: str) -> None:
    listening = socket.socket(fileno=int(descriptor))
    services: list[Any] = []

    def service() -> str:
        address = f"{listening.getsockname()[0]}:{_free_port(listening.getsockname()[0])}"
        services.append(adapter.coordination_service(address, int(count)))
        return address

    asyncio.run(Coordinator(int(count), float(seconds), service).serve(listening))


def _free_port(host: str) -> int:
    with socket.create_server((host, 0)) as found:
        port: int = found.getsockname()[1]
        return port


if __name__ == "__main__":
    main(*sys.argv[1:])
