"""The server of the page: what it serves, and whom it refuses."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from signal import SIGINT
from subprocess import PIPE, Popen
from threading import Thread
from typing import Any
from urllib.request import urlopen

import pytest

from dsl.playground.questions import Run
from dsl.playground.server import HOST, LONGEST, Server, page_files
from dsl.playground.worker import Worker

JSON = {"Content-Type": "application/json"}
ENDLESS = "def f(x: f32) -> f32 ! div = iterate x = x while x > 0.0 do x + 1.0\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(0) as made:
        Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def request(
    server: Server, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, Any, bytes]:
    connection = HTTPConnection(HOST, server.server_port, timeout=30)
    connection.request(method, path, body, dict(headers or {}))
    response = connection.getresponse()
    found = response.status, response.headers, response.read()
    connection.close()
    return found


def ask(server: Server, **question: str) -> Any:
    status, _, body = request(server, "POST", "/ask", json.dumps(question).encode(), JSON)
    assert status == 200
    return json.loads(body)


def test_the_page_and_its_files(server: Server) -> None:
    status, headers, body = request(server, "GET", "/")
    assert status == 200 and headers.get_content_type() == "text/html" and b"playground.js" in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    for name, text in page_files().items():
        assert request(server, "GET", f"/{name}")[2] == text
    assert request(server, "GET", "/../server.py")[0] == 404


def test_questions_are_answered(server: Server) -> None:
    text = "def double(x: f32) = 2.0 * x\n"
    assert ask(server, ask="check", text=text)["signatures"]
    assert ask(server, ask="run", text=text, expression="double(3.0)")["result"] == "result : f32 = 6.0"
    assert ask(server, ask="check", text="def f() = nothing\n")["findings"][0]["code"] == "E0201"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 403),
        ({"Content-Length": str(LONGEST + 1)}, 413),
        ({}, 400),
    ],
    ids=["host", "origin", "form", "long", "no question"],
)
def test_others_are_refused(server: Server, headers: Mapping[str, str], status: int) -> None:
    assert request(server, "POST", "/ask", b"{}", {**JSON, **headers})[0] == status


def test_the_server_listens_on_this_machine_alone(server: Server) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1" and server.socket.family is socket.AF_INET


def test_the_command_serves_until_it_is_interrupted(server: Server) -> None:
    command = [sys.executable, "-m", "dsl", "playground", "--no-browse", "--port"]
    with Popen([*command, "0"], stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        address, *_ = process.stdout.readline().split()
        with urlopen(address) as page:
            assert b"playground.js" in page.read()
        process.send_signal(SIGINT)
        assert process.wait(20) == 130
    taken = subprocess.run([*command, str(server.server_port)], capture_output=True, text=True)
    assert taken.returncode == 2 and "--port 0 is any that is free" in taken.stderr


def test_a_run_that_takes_too_long_is_ended_and_the_next_is_answered() -> None:
    worker = Worker(1.5, runs=True)
    try:
        assert b"within 1.5 seconds" in worker.ask(Run(ENDLESS, "f(1.0)"))
        assert b"2.0" in worker.ask(Run("", "1.0 + 1.0"))
    finally:
        worker.close()
