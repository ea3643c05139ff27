"""`dsl playground`: the page and its answers, for this machine alone.

Two processes answer: one what is asked while one types, one what runs programs. Requests of other sites, which a
browser would send along, are refused. Read next: `worker`, `page/playground.js`.
"""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from types import MappingProxyType
from typing import Any

import msgspec

from dsl.playground.questions import Question, Run
from dsl.playground.worker import Worker

HOST = "127.0.0.1"
LONGEST = 1 << 20
"""Bytes of a question."""
CHECK_SECONDS, RUN_SECONDS = 20.0, 10.0

_TYPES: Mapping[str, str] = MappingProxyType(
    {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:"
)


class Server(ThreadingHTTPServer):
    """The server of a page, at a port of this machine; 0 is any that is free."""

    daemon_threads = True

    def __init__(self, port: int, run_seconds: float = RUN_SECONDS) -> None:
        self._workers: tuple[Worker, ...] = ()
        super().__init__((HOST, port), Handler)
        self._workers = Worker(CHECK_SECONDS), Worker(run_seconds, runs=True)

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names by which a browser of this machine asks."""
        return f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"

    def answer(self, question: Question) -> bytes:
        """The answer to a question, as JSON."""
        looking, running = self._workers
        return (running if isinstance(question, Run) else looking).ask(question)

    def server_close(self) -> None:
        super().server_close()
        for worker in self._workers:
            worker.close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send a file of the page."""
        name = self.path.partition("?")[0].strip("/") or "index.html"
        file = page_files().get(name)
        if not self._is_own():
            self._refuse(HTTPStatus.FORBIDDEN)
        elif file is None:
            self._refuse(HTTPStatus.NOT_FOUND)
        else:
            self._send(HTTPStatus.OK, _TYPES[name.rpartition(".")[2]], file)

    def do_POST(self) -> None:
        """Answer a question."""
        length = int(self.headers.get("Content-Length") or 0)
        if not self._is_own() or self.headers.get_content_type() != "application/json" or self.path != "/ask":
            self._refuse(HTTPStatus.FORBIDDEN)
        elif length > LONGEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self._answer(self.rfile.read(length))

    def _answer(self, body: bytes) -> None:
        try:
            question = msgspec.json.decode(body, type=Question)
        except msgspec.DecodeError:
            self._refuse(HTTPStatus.BAD_REQUEST)
        else:
            self._send(HTTPStatus.OK, "application/json", self.server.answer(question))

    def _is_own(self) -> bool:
        """Return whether the request comes from the page: another site may have its name point to this machine."""
        origin = self.headers.get("Origin")
        known = self.server.hosts
        return self.headers.get("Host") in known and (origin is None or origin.removeprefix("http://") in known)

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True
        self._send(status, "text/plain", status.phrase.encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        with suppress(ConnectionError):  # the page may be gone
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing of requests."""


def page_files() -> Mapping[str, bytes]:
    """The files of the page by name."""
    files = resources.files("dsl.playground").joinpath("page").iterdir()
    return {file.name: file.read_bytes() for file in files if file.name.rpartition(".")[2] in _TYPES}


class PortTaken(Exception):
    """A port that cannot be used, with the reason of the system."""


def _server(port: int) -> Server:
    try:
        return Server(port)
    except OSError as fault:
        raise PortTaken(f"port {port} cannot be used: {fault.strerror}; --port 0 is any that is free") from None


def play(port: int, browse: bool) -> int:
    """Serve the page until Ctrl-C. Raises `PortTaken`."""
    with _server(port) as server:
        print(f"{server.address} (Ctrl-C ends)", flush=True)
        if browse:
            webbrowser.open(server.address)
        server.serve_forever()
    return 0
