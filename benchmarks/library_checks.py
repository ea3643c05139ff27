"""Processor time of checking a text that calls one function of the library, for each definition of each function.

    python -m benchmarks.library_checks [--only conv fft] [--repeat 3] [--slowest 25]

Each text is checked in a process of its own, forked from one that has checked another text, with the records of the
library and no record of the text: what `dsl check` costs beyond that of an empty text. The median should be at most
0.03 s, the maximum 0.25 s.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from dsl.diagnostics.source import Source
from dsl.host.checking.known_checks import Check
from tests.support.one_call import OneCall, every_call

EMPTY = "def f(x: f32[n]) = x\n"
MEDIAN, LONGEST = 0.03, 0.25


def checked(text: str) -> None:
    _ = Check(Source("main.dsl", text), None, lambda: None).diagnostics


def seconds(text: str) -> float:
    """Those of a check in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        start = time.process_time()
        checked(text)
        os.write(writing, str(time.process_time() - start).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        return float(pipe.read())


def measured(calls: list[OneCall], repeat: int) -> Iterator[tuple[float, OneCall]]:
    empty = min(seconds(f"# {k}\n{EMPTY}") for k in range(5))
    for call in calls:
        seconds(call.text)  # brings what it needs of the library to the cache folder
        yield min(seconds(f"# {k}\n{call.text}") for k in range(repeat)) - empty, call


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", nargs="*", default=[])
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--slowest", type=int, default=25)
    options = arguments.parse_args()
    calls = [call for call in every_call() if not options.only or any(word in call.name for word in options.only)]
    checked(EMPTY)
    found = sorted(measured(calls, options.repeat), key=lambda each: -each[0])
    times = [each for each, _ in found]
    for each, call in found[: options.slowest]:
        print(f"{each * 1e3:9.1f} ms  {call.module}.{call.name}#{call.number}")
    print(f"{len(times)} definitions: median {statistics.median(times):.4f} s (at most {MEDIAN}), ", end="")
    print(f"maximum {times[0]:.3f} s (at most {LONGEST})")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o700)
        os.environ["DSL_CACHE_DIR"] = folder
        main()
