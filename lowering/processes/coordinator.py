"""The process in which the others meet: `python -m lowering.processes.coordinator FD COUNT TIMEOUT`.

Process 0 starts it, and it outlives process 0, so that the others are told when that one is lost. Each process sends
lines of JSON and comes, one meeting after the other, to the same topics: when all are there each gets the notes of all.
When one is missing, has ended, or comes to something else, all get the same error. The coordination service of jaxlib
runs here too. Read next: `member`, the other end.
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
from lowering.xla import adapter

JOINING = "the group"


class Coordinator:
    """`service` starts what the processes need beside this, and gives its address."""

    def __init__(self, count: int, seconds: float, service: Callable[[], str]) -> None:
        self._count = count
        self._seconds = seconds
        self._service = service
        self._members: dict[int, StreamWriter] = {}
        self._arrived: dict[int, tuple[str, str]] = {}
        self._left: set[int] = set()
        self._timer: TimerHandle | None = None
        self._fault: str | None = None
        self._over = asyncio.Event()

    async def serve(self, listening: socket.socket) -> None:
        """Until all processes have ended, or none came."""
        server = await asyncio.start_server(self._receive, sock=listening)
        self._expect()
        async with server:
            await self._over.wait()

    async def _receive(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Speaks with one process until it ends."""
        _keep_alive(writer.get_extra_info("socket"))
        with suppress(ValueError, KeyError, TypeError, ConnectionError):  # of what is no process of a group
            hello = json.loads(await reader.readline())
            id, count = int(hello["id"]), int(hello["count"])
            if not self._joins(id, count, writer):
                return
            with suppress(ConnectionError):
                await self._listen(id, reader)
            self._ended(id)

    def _joins(self, id: int, count: int, writer: StreamWriter) -> bool:
        if self._fault is None and count != self._count:
            self._fail(errors.misnumbered(count, id, self._count))
        elif self._fault is None and id in self._members:
            self._fail(errors.same_number(id))
        if self._fault is not None:
            _send(writer, self._fault)
            return False
        self._members[id] = writer
        self._come(id, JOINING, "")
        return True

    async def _listen(self, id: int, reader: StreamReader) -> None:
        while line := await reader.readline():
            message = json.loads(line)
            if message.get("leave"):
                self._left.add(id)
            else:
                self._come(id, message["topic"], message["note"])

    def _ended(self, id: int) -> None:
        del self._members[id]
        if id not in self._left:
            self._left.add(id)
            self._fail(errors.gone([id], self._topic("the next program")))
        elif self._arrived:
            self._fail(errors.gone(sorted(self._left), self._topic("the next program")))
        if not self._members:
            self._over.set()

    def _topic(self, otherwise: str) -> str:
        return next((topic.partition(" #")[0] for topic, _ in self._arrived.values()), otherwise)

    def _come(self, id: int, topic: str, note: str) -> None:
        if self._fault is not None:
            _send(self._members[id], self._fault)
            return
        self._arrived[id] = topic, note
        if self._left:
            self._fail(errors.gone(sorted(self._left), self._topic("the next program")))
        elif len(self._arrived) == self._count:
            self._meet()
        elif len(self._arrived) == 1 and topic != JOINING:
            self._expect()

    def _expect(self) -> None:
        """The others are to come soon."""
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._waited)

    def _waited(self) -> None:
        missing = sorted(set(range(self._count)) - set(self._arrived))
        self._fail(errors.absent(missing, self._topic(JOINING), self._seconds))
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
        notes = [self._service()] if topics[0] == JOINING else [arrived[id][1] for id in range(self._count)]
        answer = json.dumps({"notes": notes})
        for writer in self._members.values():
            _send(writer, answer)

    def _fail(self, error: DeviceError) -> None:
        """All are told, those that wait as well as those that compute; nothing can be done together any more."""
        if self._fault is None:
            found = error.diagnostics[0]
            self._fault = json.dumps([found.code, found.message, "".join([help.text for help in found.help])])
            for writer in self._members.values():
                _send(writer, self._fault)


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
