"""The kernels of `make bench`: their programs check, and results meet those of JAX and NumPy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dsl
from benchmarks.kernels.__main__ import Row, agree, row, table, written
from benchmarks.kernels.measure import PATHS, SIDES, Measurement, has_side, kernels, measured
from tests.support.cases import some


def test_programs_have_the_kernels() -> None:
    programs = {path: dsl.load(path) for path in set(PATHS.values())}
    for kernel in some(kernels()):
        program = programs[PATHS[kernel.name]]
        assert callable(kernel.ours(program) if kernel.ours else getattr(program, kernel.name))


@pytest.mark.parametrize("name", ["crc16", "gramschmidt", "hdiff"])
def test_sides_agree(name: str, tmp_path: Path) -> None:
    (kernel,) = (k for k in kernels() if k.name == name)
    for side in some(filter(lambda side: has_side(kernel, side), SIDES)):
        found = measured(kernel, side, "tiny", tmp_path)
        assert found.run > 0 and (found.memory > 0) == (side != "numpy")
    agree(kernel, tmp_path)


def test_rows_take_the_least_of_each_number_and_name_ties() -> None:
    numbers = {"puredsl": (0.2, 3.0, 800), "jax": (0.1, 2.9, 1000), "numpy": (0.0, 6.0, 0)}
    found = [
        Measurement("k", side, 0.0, compile * slower, run * slower, memory)
        for side, (compile, run, memory) in numbers.items()
        for slower in (1.5, 1.0)
    ]
    assert row("k", found, "wall") == Row("k", "wall", 0.0, (0.2, 0.1), (3.0, 2.9, 6.0), (800, 1000), 1.5)
    _, line, means = table([row("k", found, "wall")], tie=1.1)
    assert line.endswith("tie") and "0.50" in line
    assert means == "geometric means: run 1.03, compile 2.00, memory 0.80 of JAX; 1 kernels"


def test_results_of_other_kernels_are_kept_in_the_order_of_the_kernels() -> None:
    def new(name: str, check: float) -> Row:
        return Row(name, "wall", check, (0.2, 0.1), (3.0, 2.9, None), (800, 1000), 1.5)

    before = written([new("gp", 1.0), new("gemm", 1.0), new("of_old", 1.0)], "[]")
    after = json.loads(written([new("gp", 2.0)], before))
    assert [(each["kernel"], each["check"]) for each in after] == [("gemm", 1.0), ("gp", 2.0)]
