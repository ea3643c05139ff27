"""How the time of a check grows with what a program has many of: the exponent of each, which should be 1.

    python -m benchmarks.linearity [NAME…]

Each program is checked at sizes that double; the exponent is fitted to the processor times by least squares of their
logarithms. The status is 1 if one is above 1.2.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from statistics import linear_regression
from types import MappingProxyType

from dsl.diagnostics.source import Source
from typechecker import check_source

MOST = 1.2


def arms(count: int) -> str:
    choices = " else ".join(f"if k == {i} then x * {i}.0" for i in range(count))
    return f"def f(x: f32[n], static k: int) -> f32[n] =\n    {choices} else x\n"


def variants(count: int) -> str:
    names = " | ".join(f"V{i}" for i in range(count))
    return f"enum E = {names}\ndef f(static e: E, x: f32) -> f32 =\n    match e with\n" + _lines(
        f"        V{i} -> x * {i}.0" for i in range(count)
    )


def lambdas(count: int) -> str:
    calls = [f"    let g{i + 1} = fn v -> g{i}(v) + 1.0" for i in range(count)]
    return "def f(x: f32) -> f32 =\n    let g0 = fn v -> v\n" + _lines(calls) + f"    g{count}(x)\n"


def lets(count: int) -> str:
    lines = [f"    let x{i + 1} = x{i} * 2.0 + x0" for i in range(count)]
    return "def f(x0: f32[n]) -> f32[n] =\n" + _lines(lines) + f"    x{count}\n"


def functions(count: int) -> str:
    calls = [f"def f{i + 1}(x: f32[n, d], w: f32[d]) -> f32[n, d] = f{i}(x, w) * w" for i in range(count)]
    return "def f0(x: f32[n, d], w: f32[d]) -> f32[n, d] = x\n" + _lines(calls)


def fields(count: int) -> str:
    declared = ", ".join(f"a{i}: f32[3]" for i in range(count))
    return f"type T = {{{declared}}}\ndef f(t: T) -> f32 = " + " + ".join(f"sum(t.a{i})" for i in range(count)) + "\n"


def sizes(count: int) -> str:
    params = ", ".join(f"x{i}: f32[n{i}]" for i in range(count))
    return f"def f({params}) -> f32 = " + " + ".join(f"sum(x{i})" for i in range(count)) + "\n"


def conditions(count: int) -> str:
    params = "".join(f", static k{i}: int" for i in range(count))
    stated = " and ".join(f"k{i} <= n" for i in range(count))
    return f"def f(x: f32[n]{params}) -> f32 where {stated} = sum(x)\n"


def records(count: int) -> str:
    """Records of records, up to the depth that types may have, again and again."""
    lines = [f"    let r{i + 1} = {{a = {f'r{i}' if i % 50 else 'x'}, b = x}}" for i in range(count)]
    return "def f(x: f32) -> f32 =\n    let r0 = x\n" + _lines(lines) + "    x\n"


def branches(count: int) -> str:
    return "def f(x: f32, t: bool) -> f32 =\n    " + "if t then x else " * count + "x\n"


def sums(count: int) -> str:
    return "def f(x: f32[n]) -> f32[n] = " + " + ".join(["x"] * count) + "\n"


def mistakes(count: int) -> str:
    return "def f(x: f32[n]) -> f32[n] =\n" + _lines(f"    let a{i} = missing{i} + x" for i in range(count)) + "    x\n"


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


PROGRAMS: Mapping[str, tuple[Callable[[int], str], int]] = MappingProxyType(
    {
        "arms": (arms, 100),
        "variants": (variants, 100),
        "lambdas": (lambdas, 100),
        "lets": (lets, 200),
        "functions": (functions, 100),
        "fields": (fields, 50),
        "sizes": (sizes, 50),
        "conditions": (conditions, 50),
        "records": (records, 100),
        "branches": (branches, 50),
        "sums": (sums, 200),
        "mistakes": (mistakes, 25),
    }
)


def check_time(text: str) -> float:
    """Seconds of the processor."""
    gc.collect()
    start = time.process_time()
    check_source(Source("text.dsl", text))
    return time.process_time() - start


def main(names: Sequence[str]) -> int:
    """Prints a line for each program; whether one grows too fast."""
    worst = 0.0
    for name in names or PROGRAMS:
        make, least = PROGRAMS[name]
        check_time(make(least))
        counts = [least * 2**k for k in range(4)]
        seconds = [check_time(make(count)) for count in counts]
        exponent = linear_regression([log(count) for count in counts], [log(s) for s in seconds]).slope
        worst = max(worst, exponent)
        times = "  ".join(f"{count}: {1000 * s:.0f} ms" for count, s in zip(counts, seconds, strict=True))
        print(f"{name:<12}{exponent:5.2f}   {times}", flush=True)
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
