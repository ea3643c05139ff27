"""The kernels of `make bench`: their programs check, and results meet those of JAX and NumPy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dsl
from benchmarks.kernels.__main__ import Row, agree, row, table, written
from benchmarks.kernels.measure import PATHS, SIDES, Measurement, has_side, kernels, measured
from benchmarks.kernels.roofline import Machine, Point, draw
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
        Measurement("k", side, 0.0, compile * slower, run * slower, memory, 40, 1000)
        for side, (compile, run, memory) in numbers.items()
        for slower in (1.5, 1.0)
    ]
    made = row("k", found, "wall", Machine(100.0, ((2000, 5000.0),)))
    assert made == Row("k", "wall", 0.0, (0.2, 0.1), (3.0, 2.9, 6.0), (800, 1000), 1.5, 40, 1000, 0.4)
    _, line, means = table([made], tie=1.1)
    assert line.endswith("tie") and "0.50" in line
    assert means == "geometric means: run 1.03, compile 2.00, memory 0.80 of JAX; 1 kernels"


def test_results_of_other_kernels_are_kept_in_the_order_of_the_kernels() -> None:
    def new(name: str, check: float) -> Row:
        return Row(name, "wall", check, (0.2, 0.1), (3.0, 2.9, None), (800, 1000), 1.5)

    before = written([new("gp", 1.0), new("gemm", 1.0), new("of_old", 1.0)], "[]")
    after = json.loads(written([new("gp", 2.0)], before))
    assert [(each["kernel"], each["check"]) for each in after] == [("gemm", 1.0), ("gp", 2.0)]


def test_a_bound_is_what_takes_longer_at_the_pace_of_what_holds_the_bytes() -> None:
    machine = Machine(1e9, ((1000, 1e9), (10**6, 1e6)))
    assert machine.bound(10**6, 500) == 1e-3  # operations
    assert machine.bound(10, 1000) == 1e-6  # bytes in a cache
    assert machine.bound(10, 2000) == 2e-3  # bytes that it does not hold
    assert machine.bound(10, 10**7) == 10.0  # more than anything measured


def test_kernels_are_drawn_under_the_roof(tmp_path: Path) -> None:
    draw(
        Machine(1e10, ((1 << 20, 1e10),)),
        [Point("k", 10**6, 10**5, 1e-3), Point("none", 0, 8, 1e-3)],
        tmp_path / "r.png",
    )
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
