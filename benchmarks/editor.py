"""What an editor waits for, in a project of 31 modules and in one file of 3,000 lines.

    python -m benchmarks.editor [--modules 8] [--lines 3000]

In the project, a term is typed at the end of a body, in one module after the other, all of them open. In the file,
each kind of edit is made in a few places: keystroke to diagnostics is the time until what is wrong in the edited
declaration is known, as the server publishes it; `all` is the time until everything that the edit concerns is checked,
which goes on between requests. Then a hover and a completion are requested in many places. Times are those of the
processor.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pygls.workspace import PositionCodec

from benchmarks.checker import project
from benchmarks.editor_program import program
from dsl.lsp import complete, describe
from dsl.lsp.analysis import Analysis
from dsl.lsp.places import Places
from dsl.lsp.server import SLICE, collect_garbage

BODY, TERM = "= x * k", " + 2.5 * x"

EDITS: Mapping[str, Sequence[tuple[str, str]]] = {
    "a body": [
        (f"x + 0.1 * slope_{i}(a, x)", f"x + 0.1 * slope_{i}(a, x){TERM[:end]}")
        for i in (0, 20, 40)
        for end in range(1, len(TERM) + 1)
    ],
    "an unknown name": [(f"x + 0.1 * slope_{i}(a, x)", f"x + 0.1 * slop_{i}(a, x)") for i in (0, 20, 40)],
    "a shape that does not fit": [
        (f"linalg.solve(damped, b)\n    x + 0.1 * slope_{i}", f"damped\n    x + 0.1 * slope_{i}") for i in (0, 20, 40)
    ],
    "a comment": [(f"# {'-' * 64} block {i}\n", f"# {'-' * 64} block {i}\n# more\n") for i in (0, 20, 40)],
    "a doc comment": [("## One affine layer", "## An affine layer")],
    "an incomplete line": [(f"x + 0.1 * slope_{i}(a, x)", f"x + 0.1 * slope_{i}(a, ") for i in (0, 20, 40)],
    "an incomplete head": [
        (f"def solved_{i}(a: f32[d, d], b: f32[d]) -> f32[d] =", f"def solved_{i}(a: f32[d, d], b: f32[")
        for i in (0, 20, 40)
    ],
    "a new definition": [
        (
            f"## Halve rows and columns.\ndef pooled_{i}(",
            f"def more(x: f32) -> f32 = x\n\n## Halve rows and columns.\ndef pooled_{i}(",
        )
        for i in (0, 20, 40)
    ],
    "a signature used by many": [
        ("def dense(p: Layer[i, o], x: f32[n, i]) ->", "def dense(p: Layer[i, o], x: f32[n, i], k: f32 = 1.0) ->")
    ],
    "a field used by many": [
        ("type Layer[i, o] = {w: f32[o, i], b: f32[o]}", "type Layer[i, o] = {w: f32[o, i], c: f32[o]}")
    ],
}
"""By kind of edit, texts and what takes their place."""


def keystroke(analysis: Analysis, path: Path, text: str) -> float:
    """Seconds until it is known what is wrong in a file with this text."""
    started = time.process_time()
    analysis.open(path, text)
    analysis.diagnostics(path)
    return time.process_time() - started


def sliced(analysis: Analysis, path: Path, text: str) -> tuple[float, float]:
    """Seconds until it is known what is wrong in what was edited, and in all that the edit concerns."""
    end = time.perf_counter() + SLICE
    analysis.enough = lambda: time.perf_counter() > end
    started = time.process_time()
    first = keystroke(analysis, path, text)
    analysis.enough = bool
    analysis.go_on(path)
    analysis.diagnostics(path)
    return first, time.process_time() - started


def in_project(count: int) -> None:
    """Print how long keystrokes take in so many modules of a project."""
    texts = project()
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, f"{name}.dsl") for name in texts}
        for name, path in paths.items():
            path.write_text(texts[name])
        analysis = Analysis()
        for name in reversed(texts):
            analysis.open(paths[name], texts[name])
            analysis.diagnostics(paths[name])
        collect_garbage()
        took = []
        for name in list(texts)[:: max(1, len(texts) // count)]:
            for end in range(1, len(TERM) + 1):
                text = texts[name].replace(BODY, BODY + TERM[:end], 1)
                took.append(keystroke(analysis, paths[name], text))
    lines = sum(text.count("\n") for text in texts.values())
    print(f"{len(texts)} modules, {lines} lines: {_shown(took)}")


def in_file(lines: int) -> None:
    """Print how long keystrokes of each kind take in a file, and requests."""
    text, path, analysis = program(lines), Path(tempfile.gettempdir(), "benchmark.dsl"), Analysis()
    opened = keystroke(analysis, path, text)
    assert not analysis.diagnostics(path)
    collect_garbage()
    print(f"\n{text.count(chr(10))} lines, opened in {opened:.1f} s")
    print(f"{'keystroke to diagnostics':28}{'median':>10}{'longest':>10}{'all':>10}")
    every: list[float] = []
    for kind, pairs in EDITS.items():
        found = [sliced(analysis, path, each) for each in _edited(analysis, path, text, pairs)]
        firsts = [first for first, _ in found]
        every += firsts
        print(f"{kind:28}{_row(firsts, max(end for _, end in found))}")
    print(f"{'of all':28}{_row(every)}")
    _print_requests(analysis, path, text)


def _edited(analysis: Analysis, path: Path, text: str, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the text with each edit; it is as it was before the next."""
    for old, new in pairs:
        assert old in text, old
        yield text.replace(old, new, 1)
        keystroke(analysis, path, text)


def _print_requests(analysis: Analysis, path: Path, text: str) -> None:
    places = Places(PositionCodec())

    def hover(offset: int) -> object:
        return describe.hover(analysis.programs(path)[0], offset, places)

    def completion(offset: int) -> object:
        return complete.complete(analysis, analysis.programs(path)[0], offset)

    offsets = [text.index(f"found = scores_{i}(") + len("found = sc") for i in range(0, 40, 4)]
    dots = [text.index("p.out.w", text.index(f"found = scores_{i}(")) + len("p.out.") for i in range(0, 40, 4)]
    requests = (
        ("hover", hover, offsets),
        ("completion", completion, offsets),
        ("completion after a dot", completion, dots),
    )
    for what, request, at in requests:
        took = []
        for number, offset in enumerate(at):
            keystroke(analysis, path, f"{text}# {number}\n")
            took.append(_seconds(request, offset))
            assert request(offset)
        print(f"{what:28}{_row(took)}")


def _seconds(request: Callable[[int], object], offset: int) -> float:
    started = time.process_time()
    request(offset)
    return time.process_time() - started


def _row(took: Sequence[float], whole: float | None = None) -> str:
    """The median and the longest in a table, and how long the whole took."""
    return "".join(f"{each * 1000:7.0f} ms" for each in (statistics.median(took), max(took), whole) if each is not None)


def _shown(took: Sequence[float]) -> str:
    return f"median {statistics.median(took) * 1000:.0f} ms, longest {max(took) * 1000:.0f} ms"


def main() -> None:
    """Print both tables."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--modules", type=int, default=8)
    arguments.add_argument("--lines", type=int, default=3000)
    given = arguments.parse_args()
    gc.set_threshold(100_000, 50, 100)
    in_project(given.modules)
    in_file(given.lines)


if __name__ == "__main__":
    main()
