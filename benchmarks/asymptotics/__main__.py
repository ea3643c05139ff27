"""Every function of the library, control construct and transformation beside JAX, at two sizes that differ by 16.

    python -m benchmarks.asymptotics [--only NAME …] [--write]

Seconds of the processor on one thread, in turns, the least of each; memory is what XLA says that a call takes at once
beside its arguments and results. Nothing should take above 1.5 of what JAX takes, or grow faster. Rows that do are
listed at the end, the worst first, with those that raise, take too long or too much memory, or compute other values. A
function that JAX has not is beside its own growth alone. Another process measures, so that one that dies or hangs is a
row of the table. With `--write` all is kept in `benchmarks/results/asymptotics.json`. Read next: `rows`, `measure`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import select
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import jax
import msgspec

from benchmarks.asymptotics.measure import LIMIT, Found, attempted
from benchmarks.asymptotics.row import Row
from benchmarks.asymptotics.rows import rows

RESULTS = Path(__file__).resolve().parents[1] / "results" / "asymptotics.json"
PATIENCE = 180.0
"""Seconds that a row may take."""
ALONE = {"NPROC": "1", "DSL_CACHE": "off", "JAX_PLATFORMS": "cpu", "OPENBLAS_NUM_THREADS": "1"}


def chosen(only: Sequence[str]) -> list[Row]:
    return [row for row in rows() if not only or any(word in row.name for word in only)]


# ---------------------------------------------------------------- the process that measures


def work(only: Sequence[str], first: int) -> None:
    """Measures from this row on, and prints a line for each."""
    for row in chosen(only)[first:]:
        print(msgspec.json.encode(attempted(row)).decode(), flush=True)


def _worker(only: Sequence[str], first: int) -> subprocess.Popen[bytes]:
    """A process with one thread."""
    command = [sys.executable, "-m", "benchmarks.asymptotics", "--from", str(first), "--only", *only]
    return subprocess.Popen(command, env=os.environ | ALONE, stdout=subprocess.PIPE)


def _line(worker: subprocess.Popen[bytes]) -> bytes:
    """The next line of a worker; nothing where it ends, or takes too long."""
    assert worker.stdout is not None
    ready, _, _ = select.select([worker.stdout], [], [], PATIENCE)
    return worker.stdout.readline() if ready else b""


def found(only: Sequence[str], names: Sequence[str]) -> Iterator[Found]:
    """The measurements of the rows of these names, each as it is known."""
    done = 0
    while done < len(names):
        with _worker(only, done) as worker:
            while line := _line(worker):
                yield msgspec.json.decode(line, type=Found)
                done += 1
            worker.kill()
        if done < len(names):
            yield Found(names[done], None, None, f"no result in {PATIENCE:.0f} s, or the process died")
            done += 1


# ---------------------------------------------------------------- the table


def head() -> str:
    heads = ("n us", 10), ("JAX", 10), ("16 n us", 11), ("JAX", 11), ("/JAX", 7), ("grows", 7), ("JAX", 7), ("kB", 9)
    return f"{'row':42}" + "".join(f"{head:>{width}}" for head, width in (*heads, ("JAX", 9)))


def line(f: Found) -> str:
    if f.times is None or f.memory is None:
        return f"{f.name:42}  {f.note}"
    times = "".join(f"{_text(t, 1e6)[:10]:>{w}}" for pair, w in zip(f.times, (10, 11), strict=True) for t in pair)
    ratio = "" if f.ratio is None else f"{f.ratio:.2f}"
    growth = "".join(f"{_text(g, 1):>7}" for g in f.growth)
    memory = "".join(f"{_text(b, 1e-3):>9}" for b in f.memory[1])
    return f"{f.name:42}{times}{ratio:>7}{growth}{memory}" + (f"  {f.note}" if f.note else "")


def _text(value: float | None, factor: float) -> str:
    return "" if value is None else f"{value * factor:.1f}"


def summary(every: Sequence[Found]) -> Iterator[str]:
    beside = [f for f in every if f.ratio is not None]
    wrong = sorted((f for f in every if f.is_wrong), key=lambda f: -f.badness)
    yield f"\n{len(every)} rows, {len(beside)} beside JAX; {len(wrong)} above {LIMIT}, steeper, or with a note:"
    yield from (head(), *map(line, wrong))


def written(every: Sequence[Found], current: Collection[str]) -> str:
    """The text of the results, with those of other current rows that are on record."""
    before = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"] if RESULTS.exists() else []
    known = {each["name"]: each for each in [*before, *msgspec.to_builtins(every)]}
    kept = [each for name, each in known.items() if name in current]
    machine = f"{platform.machine()}, one thread of {os.cpu_count()}"
    page = {"date": time.strftime("%Y-%m-%d"), "machine": machine, "jax": jax.__version__, "rows": kept}
    return json.dumps(page, indent=None).replace('{"name"', '\n{"name"') + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--from", type=int, dest="first", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first is not None:
        work(options.only, options.first)
        return
    current = [row.name for row in rows()]
    every: list[Found] = []
    print(head())
    for each in found(options.only, [row.name for row in chosen(options.only)]):
        every.append(each)
        print(line(each), flush=True)
        if options.write:
            RESULTS.write_text(written(every, current), encoding="utf-8")
    print("\n".join(summary(every)))


if __name__ == "__main__":
    main()
