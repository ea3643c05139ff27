"""How many lines a second the parser reads: `python benchmarks/parse.py [lines …]`."""

from __future__ import annotations

import sys
import time

from dsl.diagnostics.source import Source
from dsl.syntax.parse import parse, scanner

DEFINITION = """\
## One step of descent.
def step_{i}(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) where n > 0 =
    let (value, g) = value_and_grad(loss)(p, x, y)
    let scaled = tree_map(fn (a, b) -> a - lr * b / (1.0 + abs(b)), p, g)
    let history = fold acc = 0.0 for v in x[1:-1, None] do
        let w = if v > 0.0 then sqrt(v) else -v ** 2
        acc + w
    (scaled, value + history)

"""


def main() -> None:
    """Print seconds and lines a second for texts of several lengths; the best of three."""
    started = time.perf_counter()
    scanner()
    print(f"tables: {time.perf_counter() - started:.3f} s")
    for lines in [int(argument) for argument in sys.argv[1:]] or [100, 1_000, 10_000]:
        count = max(1, lines // DEFINITION.count("\n"))
        text = "".join(DEFINITION.replace("{i}", str(i)) for i in range(count))
        best = min(_seconds(text) for _ in range(3))
        read = text.count("\n")
        print(f"{read:6} lines: {best:.3f} s, {read / best:,.0f} lines a second")


def _seconds(text: str) -> float:
    started = time.perf_counter()
    _, wrong = parse(Source("benchmark", text))
    assert not wrong, wrong[0].message
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
