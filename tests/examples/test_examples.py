"""The examples: their data are whole, their programs check, and the demonstration finds what is known."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dsl.diagnostics.message import Severity
from dsl.diagnostics.source import Source
from typechecker import check_source

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.rglob("*.dsl"))


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_of_the_examples", EXAMPLES / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_program_checks(program: Path) -> None:
    found = check_source(Source(program.name, program.read_text(encoding="utf-8")), {}).diagnostics
    assert [d.message for d in found if d.severity is Severity.ERROR] == []


@pytest.mark.parametrize(("name", "shape"), [("diabetes.csv", (442, 11)), ("iris.csv", (150, 5))])
def test_data_are_whole(name: str, shape: tuple[int, int]) -> None:
    with (EXAMPLES / "data" / name).open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    numbers = np.array(rows, dtype=float)
    assert numbers.shape == shape
    assert len(header) == shape[1]
    assert np.isfinite(numbers).all()


def test_data_are_the_published_ones() -> None:
    diabetes = np.loadtxt(EXAMPLES / "data" / "diabetes.csv", delimiter=",", skiprows=1)
    assert diabetes[:, -1].sum() == 67243  # the mean response of 152.13 in Efron et al.
    iris = np.loadtxt(EXAMPLES / "data" / "iris.csv", delimiter=",", skiprows=1)
    assert np.allclose(iris[:, :4].mean(axis=0), [5.84333, 3.05733, 3.758, 1.19933], atol=1e-5)
    assert (np.bincount(iris[:, 4].astype(int)) == 50).all()


def test_demonstration(
    demo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "out" / "demo.png"
    monkeypatch.setattr(demo, "PICTURE", picture)
    demo.main()
    said = " ".join(capsys.readouterr().out.split())
    assert "error[E0401]" in said
    assert "R² is 0.5177 as learned and 0.5177 by least squares" in said
    assert "134 of 150 flowers are in the group of their species" in said
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_learned_weights_are_the_closed_form(demo: ModuleType) -> None:
    names, columns = demo.read("diabetes.csv")
    x, y = demo.standardised(columns[:, :-1]), columns[:, -1]
    model = demo.dsl.load(EXAMPLES / "regression.dsl")
    params, history = demo.train(demo.Console(quiet=True), model, x, y)
    result = demo.compared(names[:-1], x, y, params, history)
    assert np.abs(result.weights - result.closed_form).max() < 0.05
    assert (np.diff(history) <= 1e-3 * history[:-1]).all()
