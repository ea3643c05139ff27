"""What a user waits for at every start: imports, a first result, `dsl check`, `dsl run`, beside JAX.

    python benchmarks/startup.py [--repeat 5] [--only check]

Every figure is the CPU time of a whole process, the least of several; processes of all rows take turns, so that a
change of the machine's load meets all of them alike. Byte code is cached in a folder of its own. `empty` rows
have empty caches, `known` rows those that the run before left; a row `unknown` has a library that is known and a text
that is not.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
NUMBER = itertools.count()

OURS = """
import numpy as np
import dsl
program = dsl.program('''
def step(w: f32[n], x: f32[m, n], y: f32[m]) -> f32[n] =
    let error = x @ w - y
    w - 0.1 * (error @ x) / m
''')
np.asarray(program.step(np.zeros(3, np.float32), np.ones((4, 3), np.float32), np.ones(4, np.float32)))
"""

THEIRS = """
import numpy as np
import jax
def step(w, x, y):
    error = x @ w - y
    return w - 0.1 * (error @ x) / x.shape[0]
np.asarray(jax.jit(step)(np.zeros(3, np.float32), np.ones((4, 3), np.float32), np.ones(4, np.float32)))
"""

JAX_CACHE = """
import jax
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
"""

RUN = "def main(x: f32) -> f32 = x * 2.0\n"


@dataclass(frozen=True, slots=True)
class Row:
    """A command, and the one of JAX it is held against; `prepare` runs before each start."""

    name: str
    command: tuple[str, ...]
    rival: str
    goal: float | None = None
    environment: Mapping[str, str] | None = None
    prepare: Callable[[], None] = lambda: None


def cpu_seconds(command: tuple[str, ...], environment: Mapping[str, str]) -> float:
    """User and system time of a process and its children; its output is thrown away."""
    process = subprocess.Popen(
        [sys.executable, *command], env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed: {said.decode()}")
    return usage.ru_utime + usage.ru_stime


def base_environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / "code"), "DSL_CACHE_DIR": str(folder / "ours")}


def rivals(folder: Path) -> dict[str, Row]:
    return {
        "import jax": Row("import jax", ("-c", "import jax"), ""),
        "jax": Row("jax", ("-c", THEIRS), ""),
        "jax, cached": Row(
            "jax, cached",
            ("-c", JAX_CACHE + THEIRS),
            "",
            environment={"JAX_COMPILATION_CACHE_DIR": str(folder / "theirs")},
        ),
    }


def rows(folder: Path) -> list[Row]:
    example = ROOT / "examples" / "regression.dsl"
    text, script = folder / "new.dsl", folder / "run.dsl"
    script.write_text(RUN, encoding="utf-8")

    def forget() -> None:
        shutil.rmtree(folder / "empty", ignore_errors=True)

    def edit() -> None:
        text.write_text(f"{example.read_text(encoding='utf-8')}\n# {next(NUMBER)}\n", encoding="utf-8")

    empty = {"DSL_CACHE_DIR": str(folder / "empty")}
    check = ("-m", "dsl", "check")
    return [
        Row("import dsl", ("-c", "import dsl"), "import jax"),
        Row("first result, empty", ("-c", OURS), "jax", 0.7, empty, forget),
        Row("first result, known", ("-c", OURS), "jax, cached", 0.5),
        Row("dsl --help", ("-m", "dsl", "--help"), "import jax"),
        Row("dsl check, empty", (*check, str(example)), "import jax", None, empty, forget),
        Row("dsl check, unknown", (*check, str(text)), "import jax", 0.4, None, edit),
        Row("dsl check, known", (*check, str(example)), "import jax", 0.25),
        Row("dsl run, known", ("-m", "dsl", "run", str(script), "main", "-a", "x=2"), "jax, cached"),
    ]


def measure(wanted: list[Row], others: dict[str, Row], folder: Path, repeat: int) -> dict[str, float]:
    """The least CPU time of each row, rivals among them; the first round of all fills caches and does not count."""
    used = [other for name, other in others.items() if any(row.rival == name for row in wanted)]
    best = {row.name: float("inf") for row in [*wanted, *used]}
    for turn in range(repeat + 1):
        for row in [*wanted, *used]:
            row.prepare()
            spent = cpu_seconds(row.command, {**base_environment(folder), **(row.environment or {})})
            if turn > 0:
                best[row.name] = min(best[row.name], spent)
    return best


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--repeat", type=int, default=5)
    arguments.add_argument("--only", default="", help="rows whose names have this in them")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted = [row for row in rows(folder) if options.only in row.name]
        best = measure(wanted, rivals(folder), folder, options.repeat)
    print(f"{'CPU seconds':<24}{'ours':>8}{'jax':>8}{'ratio':>8}{'goal':>8}")
    for row in wanted:
        own, other = best[row.name], best[row.rival]
        goal = "" if row.goal is None else f"{row.goal:.2f}"
        print(f"{row.name:<24}{own:>8.3f}{other:>8.3f}{own / other:>8.2f}{goal:>8}")


if __name__ == "__main__":
    main()
