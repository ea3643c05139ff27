"""The suite sees faults that only XLA's optimiser brings out: with the default flags, in the sample of `make test`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import some
from tests.support.compilation import HAS_FUSION_FLAG, ONE_OF, QUICK_FLAGS, VALUES, compares_values, in_leg, in_sample

pytestmark = pytest.mark.cpu

ROOT = Path(__file__).parents[2]
TEST = "tests/lowering/test_agreement.py::test_evaluator_and_xla_agree[div]"
FAULT = ("-p", "tests.support.planted_fault")
AS_USERS = ("--as-users", "--sample=only")
PASSING = {"without the fault": AS_USERS, **({"quickly": FAULT} if HAS_FUSION_FLAG else {})}
"""Where fusion cannot be turned off, a quick compilation shows the fault, too."""


def suite(*options: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    command = [sys.executable, "-m", "pytest", "-q", TEST, *options]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("options", PASSING.values(), ids=PASSING)
def test_without_optimisation_or_without_a_fault_the_test_passes(options: tuple[str, ...]) -> None:
    run = suite(*options)
    assert run.returncode == 0 and "1 passed" in run.stdout, run.stdout


def test_a_value_that_is_wrong_only_with_fusion_is_found() -> None:
    run = suite(*FAULT, *AS_USERS)
    assert run.returncode == 1 and "1 failed" in run.stdout, run.stdout
    assert "div, result" in run.stdout and "Not equal to tolerance" in run.stdout


def test_flags_are_those_of_the_leg(request: pytest.FixtureRequest) -> None:
    flags = os.environ.get("XLA_FLAGS", "")
    assert any(flag in flags for flag in QUICK_FLAGS) != request.config.getoption("--as-users")


def test_the_sample_has_tests_of_every_folder() -> None:
    for folder in some(VALUES):
        tests = [f"tests/{folder}/test_a.py::test_of_{number}" for number in range(100)]
        assert all(map(compares_values, tests)) and any(map(in_sample, tests)), folder
        assert (ROOT / "tests" / folder).is_dir()


def test_the_sample_is_a_fixed_part_of_the_tests_that_compare_values() -> None:
    tests = [f"tests/e2e/test_a.py::test_b[{number}]" for number in range(3000)]
    part = sum(map(in_sample, tests)) / len(tests)
    assert 0.9 / ONE_OF < part < 1.1 / ONE_OF
    assert not compares_values("tests/typechecker/test_corpus.py::test_a")
    assert not compares_values("tests/e2e_other/test_a.py::test_a")


def test_each_test_runs_in_one_of_the_two_legs() -> None:
    names = [f"{folder}/test_a.py::test_b[{number}]" for folder in ("tests/e2e", "tests/docs") for number in range(100)]
    for name in names:
        assert in_leg(name, "none") != (in_leg(name, "only") and compares_values(name)), name
        assert in_leg(name, "all"), name


def test_tests_of_one_case_are_in_the_sample_together() -> None:
    cases = [f"[case_{number}]" for number in range(100)]
    module = "tests/e2e/test_a.py"
    assert [in_sample(f"{module}::test_a{case}") for case in cases] == [
        in_sample(f"{module}::test_b{case}") for case in cases
    ]
