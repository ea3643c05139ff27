"""`dsl run --processes N`: the same command, or a Python program, in several processes of this machine.

What process 0 prints is printed; of all of them, what they say of errors, once if several say the same. Read next:
`running`, which is what each of them does.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from threading import Thread

from dsl.tools.named_programs import Request

HOST = "127.0.0.1"


def launch(count: int, request: Request, output: Path | None) -> int:
    """Run in so many processes; the exit code of the first that failed."""
    command = [sys.executable, str(request.file)] if request.file.suffix == ".py" else _command(request, output)
    with socket.create_server((HOST, 0)) as found:
        coordinator = f"{HOST}:{found.getsockname()[1]}"
    started = [_start(command, coordinator, count, id) for id in range(count)]
    readers = [Thread(target=_print_lines, args=(started[0],))]
    errors = [""] * count
    for id, process in enumerate(started):
        readers.append(Thread(target=_read_errors, args=(process, errors, id)))
    for each in readers:
        each.start()
    for each in readers:
        each.join()
    codes = [process.wait() for process in started]
    print(*dict.fromkeys(filter(None, errors)), sep="", end="", file=sys.stderr)
    return next((abs(code) for code in codes if code), 0)


def _command(request: Request, output: Path | None) -> list[str]:
    """As for one process."""
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


def _start(command: list[str], coordinator: str, count: int, id: int) -> subprocess.Popen[str]:
    group = {"DSL_COORDINATOR": coordinator, "DSL_PROCESSES": str(count), "DSL_PROCESS": str(id)}
    pipe = subprocess.PIPE
    out = pipe if id == 0 else subprocess.DEVNULL
    environment = {**os.environ, **group, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, env=environment, stdout=out, stderr=pipe, text=True)


def _print_lines(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if not line.startswith("[Gloo] "):  # says of each process that it is connected
            print(line, end="", flush=True)


def _read_errors(process: subprocess.Popen[str], errors: list[str], id: int) -> None:
    assert process.stderr is not None
    errors[id] = process.stderr.read()
