"""What an editor waits for: from a keystroke to the diagnostics of the file, in a project of 31 modules.

    python -m benchmarks.editor [--modules 8]

A term is typed at the end of a body, in one module after the other, all of them open; the time is that of the
processor.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.checker import project
from dsl.lsp.analysis import Analysis

BODY, TERM = "= x * k", " + 2.5 * x"


def keystroke(analysis: Analysis, path: Path, text: str) -> float:
    """Seconds until it is known what is wrong in a file with this text."""
    started = time.process_time()
    analysis.open(path, text)
    analysis.diagnostics(path)
    return time.process_time() - started


def main() -> None:
    """Prints the median and the longest."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--modules", type=int, default=8)
    count = arguments.parse_args().modules
    texts = project()
    gc.set_threshold(100_000, 50, 100)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, f"{name}.dsl") for name in texts}
        for name, path in paths.items():
            path.write_text(texts[name])
        analysis = Analysis()
        for name in reversed(texts):
            analysis.open(paths[name], texts[name])
            analysis.diagnostics(paths[name])
        took = []
        for name in list(texts)[:: max(1, len(texts) // count)]:
            for end in range(1, len(TERM) + 1):
                text = texts[name].replace(BODY, BODY + TERM[:end], 1)
                took.append(keystroke(analysis, paths[name], text))
    lines = sum(text.count("\n") for text in texts.values())
    median, longest = statistics.median(took), max(took)
    print(f"{len(texts)} modules, {lines} lines: median {median * 1000:.0f} ms, longest {longest * 1000:.0f} ms")


if __name__ == "__main__":
    main()
