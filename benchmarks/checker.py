"""How many lines a second the checker checks, whether that falls as programs grow, and what checking again costs.

    python benchmarks/checker.py [--lines 100 1000 10000] [--repeat 3]

Straight-line programs are one definition with a statement a line; the others have many definitions of a dozen lines
that call those before them. `check` is parsing and checking in a warm process, the best of a few runs; `dsl check` is
the command in a process of its own, from its start to its end.

Then a project of many modules in layers, each of which imports two of the layer below, is checked with a `CheckCache`:
from nothing, as it was, and after edits; `modules` says how many of them were checked.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from typechecker import CheckCache

STATEMENTS = (
    "let x{k} = x{a} * w + x{b}",
    "let x{k} = tanh(x{a}) @ p.u + p.b",
    "let x{k} = x{a} - mean(x{b}, axis=1, keepdims=true) * ones([1, d])",
    "let x{k} = where(x{a} > 0.0, x{a}, 0.5 * x{b})",
    "let x{k} = concatenate((x{a}[:, 1:], x{b}[:, :1]), axis=1)",
    "let x{k} = reshape(reshape(x{a}, [n * d]), [n, d])",
    "let x{k} = [row / (1.0 + sum(abs(row))) for row in x{a}]",
    "let x{k} = if k > {k} then x{a} else x{b}",
)
HEAD = """\
type Layer[d] = {u: f32[d, d], b: f32[d]}

def f(p: Layer[d], x0: f32[n, d], w: f32[d], static k: int) -> f32[n, d] where d >= 1 =
"""
BLOCK = """\
type Cell_{i}[d, h] = {wx: f32[d, h], wh: f32[h, h], b: f32[h]}

## One step, and a sequence of them.
def step_{i}(p: Cell_{i}[d, h], x: f32[b, d], s: f32[b, h]) -> f32[b, h] = tanh(x @ p.wx + s @ p.wh + p.b)

def run_{i}(p: Cell_{i}[d, h], xs: f32[t, b, d], s0: f32[b, h]) -> (f32[b, h], f32[t, b, h]) =
    scan s = s0 for x in xs do
        let s = step_{i}(p, x, s)
        (s, s)

def loss_{i}(p: Cell_{i}[d, h], xs: f32[t, b, d], target: f32[b, h]) -> f32 where t >= 1 =
    let (last, all) = run_{i}(p, xs, zeros([b, h]))
    let windows = [all[j + 1] - all[j] for j in range(t - 1)]
    mean((last - target) ** 2) + 0.01 * sum(windows ** 2) + {before}

def train_{i}(p: Cell_{i}[d, h], xs: f32[t, b, d], y: f32[b, h]) -> Cell_{i}[d, h] where t >= 1 =
    p - 0.1 * grad(loss_{i})(p, xs, y)

"""


def straight(lines: int) -> str:
    """A statement a line, each on the last value and one a little before it."""
    body = [STATEMENTS[k % len(STATEMENTS)].replace("{k}", str(k + 1)) for k in range(lines - 4)]
    made = [line.replace("{a}", str(k)).replace("{b}", str(max(k - 5, 0))) for k, line in enumerate(body)]
    return HEAD + "".join(f"    {line}\n" for line in made) + f"    x{len(made)}\n"


def definitions(lines: int) -> str:
    """Recurrent cells, each with its loss and its training step; each loss calls the one before."""
    count = max(1, lines // BLOCK.count("\n"))
    calls = ("0.0", *(f"loss_{i}({{wx = p.wx, wh = p.wh, b = p.b}}, xs, target)" for i in range(count - 1)))
    return "".join(
        BLOCK.replace("{before}", calls[i] if i % 10 else "0.0").replace("{i}", str(i)) for i in range(count)
    )


KINDS: Mapping[str, Callable[[int], str]] = {"straight line": straight, "definitions": definitions}


LAYERS, WIDTH = 5, 6
MODULE = """\
{imports}
def scaled(x: f32[n], k: f32 = 1.0) -> f32[n] = x * k

def top_loss(p: Cell_0[d, h], xs: f32[t, b, d], y: f32[b, h]) -> f32 where t >= 1 =
    loss_0(p, xs, y){calls}

"""


def project() -> dict[str, str]:
    """The texts of its modules by name; `main` imports the last layer."""
    texts = {}
    for layer in range(LAYERS):
        for place in range(WIDTH):
            used = [f"m{layer - 1}_{k % WIDTH}" for k in (place, place + 1)] if layer else []
            calls = "".join(f" + {name}.top_loss({{wx = p.wx, wh = p.wh, b = p.b}}, xs, y)" for name in used)
            head = MODULE.replace("{imports}", "".join(f"import {name}\n" for name in used))
            texts[f"m{layer}_{place}"] = head.replace("{calls}", calls) + definitions(45)
    last = [f"m{LAYERS - 1}_{place}" for place in range(WIDTH)]
    uses = " + ".join(f"{name}.scaled(x)" for name in last)
    imports = "".join(f"import {name}\n" for name in last)
    return {**texts, "main": f"{imports}\ndef f(x: f32[n]) -> f32[n] = {uses}\n"}


EDITS = {
    "nothing": ("main", "", ""),
    "a body in a leaf": ("m0_0", "= x * k", "= k * x"),
    "a signature in the middle": ("m2_0", "k: f32 = 1.0", "k: f32 = 2.0"),
    "the main module": ("main", "import m4_0\n", "import m4_0\n\n"),
}


def checking_again(texts: Mapping[str, str], cache: CheckCache) -> tuple[float, int]:
    """Seconds to check a project, and how many of its modules were checked."""
    gc.collect()
    started = time.perf_counter()
    modules = {name: Source(f"{name}.dsl", text) for name, text in texts.items()}
    result = check_source(modules["main"], modules, None, cache)
    took = time.perf_counter() - started
    assert result.ok, result.diagnostics[0].message
    return took, len(result.checked)


def print_again(repeat: int) -> None:
    """A row for every edit: seconds, the part of a check from nothing that they are, and the modules checked."""
    texts = project()
    lines = sum(text.count("\n") for text in texts.values())
    runs = []
    for _ in range(repeat):
        cache = CheckCache()
        rows = {"from nothing": checking_again(texts, cache)}
        for edit, (module, old, new) in EDITS.items():
            rows[edit] = checking_again({**texts, module: texts[module].replace(old, new, 1)}, cache)
            checking_again(texts, cache)
        runs.append(rows)
    best = {edit: min(run[edit] for run in runs) for edit in runs[0]}
    print(f"\n{f'{len(texts)} modules, {lines} lines':27}{'check':>10}{'part':>8}{'modules':>9}")
    for edit, (took, count) in best.items():
        print(f"{edit:27}{took:8.4f} s{took / best['from nothing'][0]:8.1%}{count:9}", flush=True)


def checking(text: str) -> float:
    """Seconds to parse and check a text."""
    gc.collect()
    started = time.perf_counter()
    result = check_source(Source("benchmark.dsl", text))
    took = time.perf_counter() - started
    assert result.ok, result.diagnostics[0].message
    return took


def command(text: str) -> float:
    """Seconds of `dsl check` as a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "benchmark.dsl")
        path.write_text(text, encoding="utf-8")
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "dsl", "check", str(path)], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started


def main() -> None:
    """Prints a row for every kind and length; `ratio` compares the lines a second with the row above."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--lines", type=int, nargs="+", default=[100, 1_000, 10_000])
    arguments.add_argument("--repeat", type=int, default=3)
    options = arguments.parse_args()
    checking(straight(10))
    print(f"{'':15}{'lines':>7}{'check':>10}{'lines/s':>10}{'ratio':>7}{'dsl check':>11}")
    for kind, make in KINDS.items():
        rate = 0.0
        for lines in options.lines:
            text = make(lines)
            count = text.count("\n")
            best = min(checking(text) for _ in range(options.repeat))
            before, rate = rate, count / best
            ratio = f"{rate / before:.2f}" if before else ""
            print(f"{kind:15}{count:7}{best:8.3f} s{rate:10,.0f}{ratio:>7}{command(text):9.2f} s", flush=True)
    print_again(options.repeat)


if __name__ == "__main__":
    main()
