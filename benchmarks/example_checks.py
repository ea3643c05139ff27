"""Processor time of `dsl check` of every example as a text that was never seen, beside `import jax`.

    python -m benchmarks.example_checks [--only shapes lm/] [--repeat 5]

Each figure is the CPU time of a whole process, the least of several; the examples and JAX take turns, so that a change
of the machine's load meets all of them alike. The library is known: its records lie in the cache folder, as a wheel
brings them. The text is not: it ends with a comment of its own. Each ratio should be at most 0.40.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import statistics
import tempfile
from pathlib import Path

from benchmarks.startup import ROOT, base_environment, cpu_seconds

RATIO = 0.40
JAX = ("-c", "import jax")


def edited(text: Path, number: int) -> None:
    """Give a program another last line than it ever had."""
    kept = [line for line in text.read_text(encoding="utf-8").splitlines() if not line.startswith("# edit ")]
    text.write_text("\n".join([*kept, f"# edit {number}"]) + "\n", encoding="utf-8")


def measured(texts: list[Path], folder: Path, repeat: int) -> tuple[float, dict[Path, float]]:
    """The least seconds of `import jax`, and of a check of each text; the first round is not counted."""
    numbers, jax, found = itertools.count(), float("inf"), dict.fromkeys(texts, float("inf"))
    for turn in range(repeat + 1):
        theirs = cpu_seconds(JAX, base_environment(folder))
        jax = min(jax, theirs) if turn else jax
        for text in texts:
            edited(text, next(numbers))
            spent = cpu_seconds(("-m", "dsl", "check", str(text)), base_environment(folder))
            found[text] = min(found[text], spent) if turn else found[text]
    return jax, found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", nargs="*", default=[], help="examples whose paths have one of these in them")
    arguments.add_argument("--repeat", type=int, default=5)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        examples = Path(shutil.copytree(ROOT / "examples", folder / "examples"))
        texts = sorted(examples.rglob("*.dsl"))
        wanted = [t for t in texts if not options.only or any(word in t.as_posix() for word in options.only)]
        jax, found = measured(wanted, folder, options.repeat)
    print(f"{'CPU seconds':<28}{'check':>8}{'ratio':>8}   `import jax` takes {jax:.3f}")
    for text, spent in sorted(found.items(), key=lambda each: -each[1]):
        print(f"{text.relative_to(examples).as_posix():<28}{spent:>8.3f}{spent / jax:>8.2f}")
    ratios = [spent / jax for spent in found.values()]
    print(f"median {statistics.median(ratios):.2f}, largest {max(ratios):.2f} (at most {RATIO:.2f})")


if __name__ == "__main__":
    main()
