"""What each command loads, beside what it cannot do without: a table, held in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOOD = "def double(x: f32[n]) -> f32[n] = x * 2.0\n"
OTHER = "def half(x: f32[n]) -> f32[n] = x / 2.0\n"
SLOPE = "def slope(x: f32[n]) -> f32[n] = vmap(grad(fn y -> tanh(y) ** 2))(x)\n"
RULE = """
def straight(x: f32[n]) -> f32[n] = custom_jvp(fn (y: f32[n]) -> tanh(y), fn ((y,), (t,)) -> (tanh(y), 2.0 * t))(x)
def slope(x: f32[n]) -> f32[n] = grad(fn (y: f32[n]) -> sum(straight(y)))(x)
"""

WATCHED = (
    *("numpy", "ml_dtypes", "jaxlib", "jax", "lark", "rich", "click"),
    *("dsl.syntax.explanations", "typechecker.errors.types", "typechecker.errors.repairs.trial"),
    *("dsl.syntax.parse", "typechecker.program", "dsl.staging", "dsl.ops", "dsl.transforms", "lowering"),
)
CHECKER = {"dsl.syntax.parse", "typechecker.program"}
STAGING = {"numpy", "ml_dtypes", "dsl.staging", "dsl.ops", "dsl.transforms"}
COMMAND = "from dsl.__main__ import execute\nassert execute({}) == 0"
CALL = """
import numpy, dsl
assert dsl.program("def double(x: f32[n]) -> f32[n] = x * 2.0").double(numpy.ones(2, numpy.float32)).shape == (2,)
"""
TABLE = {
    "import dsl": ("import dsl", set()),
    "import typechecker": ("import typechecker", set()),
    "dsl --help": (COMMAND.format(["--help"]), {"click"}),
    "dsl explain": (COMMAND.format(["explain", "E0401"]), {"click", "rich"}),
    "dsl cache info": (COMMAND.format(["cache", "info"]), {"click"}),
    "dsl.load_artifact": (
        "import dsl\nassert dsl.load_artifact",
        {"numpy", "ml_dtypes", "jaxlib", "dsl.staging", "lowering"},
    ),
    "a call, program known": (CALL, {"numpy", "ml_dtypes", "jaxlib", "dsl.staging", "lowering"}),
    "dsl check, text known": (COMMAND.format(["check", "known.dsl"]), {"click"}),
    "dsl check, text unknown": (COMMAND.format(["check", "unknown.dsl"]), {"click", *CHECKER}),
    "dsl check, derivatives": (COMMAND.format(["check", "slope.dsl"]), {"click", *CHECKER}),
    "dsl check, custom rules": (COMMAND.format(["check", "rule.dsl"]), {"click", *CHECKER, *STAGING}),
}
"""What runs, and which of the watched packages it loads."""

LOADED = "\nimport json, sys\nprint(json.dumps([name for name in {} if name in sys.modules]))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("loaded")
    (made / "known.dsl").write_text(GOOD)
    (made / "unknown.dsl").write_text(OTHER)
    (made / "rule.dsl").write_text(RULE)
    (made / "slope.dsl").write_text(SLOPE)
    loaded(COMMAND.format(["check", "known.dsl"]) + CALL, made)
    return made


def loaded(code: str, folder: Path) -> set[str]:
    """The watched packages that a process has loaded at its end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DSL_CACHE": "on", "DSL_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-c", code + LOADED.format(WATCHED)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("command", TABLE)
def test_a_command_loads_what_it_needs(command: str, folder: Path) -> None:
    code, expected = TABLE[command]
    assert loaded(code, folder) == expected


def test_the_watched_packages_are_seen_when_they_are_loaded(folder: Path) -> None:
    everything = (
        "import dsl.host.functions.specialisation, typechecker.program.check, lark, rich, click, jax\n"
        "import dsl.syntax.explanations, typechecker.errors.types"
    )
    assert loaded(everything, folder) == set(WATCHED)
