"""The examples: their data are whole, their programs check, and the demonstration finds what is known."""

from __future__ import annotations

import csv
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

import dsl
from dsl.diagnostics.message import Severity
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.cases import some
from tests.support.known_library import known_library

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.rglob("*.dsl"))


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{name}_of_the_examples", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return script("demo", monkeypatch)


def labelled(figure: Figure) -> list[Axes]:
    """The axes of a picture, each with labels of its own or of axes that it shares; a bar of colours has one."""
    assert all(axes.get_ylabel() for axes in figure.axes)
    across = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
    assert all(any(other.get_xlabel() for other in axes.get_shared_x_axes().get_siblings(axes)) for axes in across)
    return list(figure.axes)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_program_checks(program: Path) -> None:
    source = Source(program.name, program.read_text(encoding="utf-8"))
    found = check_source(source, folder=program.parent, cache=known_library()).diagnostics
    assert [d.message for d in found if d.severity is Severity.ERROR] == []


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("diabetes.csv", (442, 11)),
        ("iris.csv", (150, 5)),
        ("rats.csv", (30, 5)),
        ("nile.csv", (100, 2)),
        ("karate.csv", (78, 2)),
    ],
)
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


def test_digits_are_the_published_ones(demo: ModuleType) -> None:
    images, shown = demo.read_digits()
    assert images.shape == (1797, 64)
    assert (np.bincount(shown) == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]).all()


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
    found = re.search(r"Of 360 images that it never saw it reads (\d+) as they were meant", said)
    assert found is not None
    assert int(found[1]) > 340
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_learned_weights_are_the_closed_form(demo: ModuleType) -> None:
    names, columns = demo.read("diabetes.csv")
    x, y = demo.standardised(columns[:, :-1]), columns[:, -1]
    model = demo.dsl.load(EXAMPLES / "regression.dsl")
    params, history = demo.train(demo.Console(quiet=True), model, x, y)
    result = demo.compared(names[:-1], x, y, params, history)
    assert np.abs(result.weights - result.closed_form).max() < 0.05
    assert (np.diff(history) <= 1e-3 * history[:-1]).all()


def test_logistic_regression_is_the_same_by_newton(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logistic = script("logistic", monkeypatch)
    monkeypatch.setattr(logistic, "PICTURE", tmp_path / "out" / "logistic.png")
    logistic.main()
    assert "94 % of 100 flowers are told apart" in capsys.readouterr().out
    assert logistic.PICTURE.read_bytes().startswith(b"\x89PNG")
    model, (x, y) = logistic.dsl.load(EXAMPLES / "logistic.dsl"), logistic.petals()
    start = {"w": np.zeros(2, "f4"), "b": np.float32(0)}
    params, losses = model.fit(start, x, y, logistic.RATE, logistic.DECAY, steps=logistic.STEPS)
    newton = model.fit_by_newton(np.zeros(3, "f4"), x, y, logistic.DECAY, steps=logistic.NEWTON_STEPS)
    assert np.allclose(np.append(params["w"], params["b"]), newton, atol=1e-3)
    assert (np.diff(losses) <= 1e-6).all()


def test_penalties_are_learned_by_the_implicit_gradient(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is that of the closed form of the weights, and lowers the error on patients that chose nothing, too."""
    bilevel = script("bilevel", monkeypatch)
    monkeypatch.setattr(bilevel, "PICTURE", tmp_path / "out" / "bilevel.png")
    bilevel.main()
    before, after = map(
        float, re.findall(r"chose nothing: ([.0-9]+) before, ([.0-9]+) after", capsys.readouterr().out)[0]
    )
    assert after < 0.95 * before
    assert bilevel.PICTURE.read_bytes().startswith(b"\x89PNG")
    _, seen, others, _ = bilevel.patients()
    penalties = np.linspace(-5, 0, 10).astype(np.float32)
    x, y, n = seen["x"].astype(float), seen["y"].astype(float), len(seen["y"])
    w = np.linalg.solve(x.T @ x / n + np.diag(np.exp(penalties)), x.T @ y / n)
    slope = 2 * others["x"].T @ (others["x"] @ w - others["y"]) / len(others["y"])
    wanted = -np.exp(penalties) * w * np.linalg.solve(x.T @ x / n + np.diag(np.exp(penalties)), slope)
    found = bilevel.dsl.grad(bilevel.dsl.load(EXAMPLES / "bilevel.dsl").unseen)(penalties, seen, others)
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=2e-3, atol=1e-5)


def test_keys_and_values_that_are_kept_give_what_the_whole_text_gives() -> None:
    text = (EXAMPLES / "characters.dsl").read_text(encoding="utf-8")
    text += """
def whole(p: Model[v, n, depth], text: idx[v][b, t]) -> f32[b, t, v] where n >= 8 and n % 8 == 0 =
    nn.apply(p, fn () -> model(text, n, depth))
def by_steps(p: Model[v, n, depth], text: idx[v][t]) -> f32[t, v] where n >= 8 and n % 8 == 0 =
    let empty = {key = zeros([depth, t, 4, n // 4]), value = zeros([depth, t, 4, n // 4])}
    let (_, found) = scan cache = empty for (c, i) in zip(text, iota([t])) do
        let (logits, cache) = after(p, cache, c, i)
        (cache, logits)
    found
"""
    m = dsl.program(text)
    state = m.init(0, v=5, n=8, depth=2)
    letters = np.array([3, 1, 4, 1, 0, 2], np.int32)
    whole = np.asarray(m.whole(state["model"], letters[None]))[0]
    np.testing.assert_allclose(np.asarray(m.by_steps(state["model"], letters)), whole, rtol=1e-4, atol=1e-5)
    _, losses = m.train(state, 1, np.tile(letters, 20), 0.02, steps=60, batch=4, length=6)
    assert float(losses[-1]) < 0.3 * float(losses[0])


def test_the_effects_of_schools_are_those_of_the_literature() -> None:
    """The mean of mu is 4.4 and that of tau 3.6 (Stan's reference posterior), with deviations of 3.3 and 3.2."""
    schools = dsl.load(EXAMPLES / "schools.dsl")
    effects, errors = np.array([[28, 8, -3, 7, -1, 1, 18, 12], [15, 10, 16, 11, 9, 11, 10, 18]], np.float32)
    found = schools.chains(dsl.key(0), effects, errors, count=4, warmup=500, draws=300)
    assert np.asarray(found["theta"]).shape == (4, 300, 8)
    mu, tau = (schools.report(found)[name] for name in ("mu", "tau"))
    assert abs(float(mu["mean"]) - 4.4) < 4 * float(mu["mcse"])
    assert abs(float(tau["mean"]) - 3.6) < 4 * float(tau["mcse"])
    assert max(float(mu["rhat"]), float(tau["rhat"])) < 1.03


def test_the_growth_of_rats_is_that_of_the_literature(monkeypatch: pytest.MonkeyPatch) -> None:
    rats, example = dsl.load(EXAMPLES / "rats.dsl"), script("rats", monkeypatch)
    found = rats.chains(dsl.key(0), example.DAYS, example.weights(), count=4, warmup=300, draws=200)
    report = rats.report(found)
    for name, (mean, deviation) in some(example.PUBLISHED.items()):
        row = {field: float(value) for field, value in report[name].items()}
        assert abs(row["mean"] - mean) < 4 * row["mcse"] + 0.05 * deviation
        assert abs(row["sd"] / deviation - 1) < 0.2 and row["rhat"] < 1.03
    (axes,) = labelled(example.picture(np.asarray(found["each"]).reshape(-1, 30), example.alone(example.weights())))
    assert [np.size(line.get_xdata()) for line in axes.lines[:2]] == [30, 30]


def test_the_process_has_the_parameters_of_the_literature(monkeypatch: pytest.MonkeyPatch) -> None:
    process, example = dsl.load(EXAMPLES / "process.dsl"), script("process", monkeypatch)
    z = np.linspace(-12, 12, 5)
    found = process.chains(dsl.key(0), example.X, example.Y, z, count=4, warmup=300, draws=200)
    report = process.report(found)
    for name, mean in some(example.PUBLISHED.items()):
        row = {field: float(value) for field, value in report[name].items()}
        assert abs(row["mean"] - mean) < 4 * row["mcse"] + 0.01 and row["rhat"] < 1.03
    (axes,) = labelled(example.picture(z, np.asarray(found["mean"]).reshape(-1, 5)))
    assert np.size(axes.lines[1].get_xdata()) == 11


def test_the_level_of_the_nile_is_that_of_the_exact_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    nile, example = dsl.load(EXAMPLES / "nile.dsl"), script("nile", monkeypatch)
    years, y = example.flow()
    evidence, exact = example.kalman(y)
    arguments = (example.FIRST, example.SPREAD, example.DRIFT, example.NOISE, np.inf)
    found = nile.filtered(dsl.key(0), y, *arguments, particles=2000)
    level, deviation = np.asarray(found["level"]), np.asarray(found["deviation"])
    assert abs(float(found["log_evidence"]) - evidence) < 1.0
    assert abs(level[-20:] - exact[-20:]).max() < 15 and np.sqrt(np.mean((level - exact) ** 2)) < 40
    assert (np.asarray(found["effective"]) > 100).all()
    (axes,) = labelled(example.picture(years, y, level, deviation, exact))
    assert len(axes.lines) == 3


def test_both_flows_under_a_lid_are_near_the_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    cavity = script("cavity", monkeypatch)
    flow = dsl.load(EXAMPLES / "cavity.dsl")
    w = flow.steady(cavity.REYNOLDS, 0.02, 1e-3, n=16, limit=1500)
    net = np.diff(np.asarray(w["u"]), axis=1) + np.diff(np.asarray(w["v"]), axis=0)
    assert np.abs(net).max() < 1e-4  # as much flows out of each cell as into it
    u, v = flow.lattice(cavity.REYNOLDS, 0.1, n=24, steps=4000)
    profiles = {"cells": cavity.middle_of_edges(w["u"]), "lattice": cavity.middle_of_cells(u)}
    for profile in profiles.values():
        assert np.abs(cavity.at(profile, cavity.HEIGHTS) - cavity.PUBLISHED).max() < 0.03
    _, right, *_ = labelled(cavity.picture(np.hypot(u, v), profiles))
    assert np.size(right.lines[2].get_xdata()) == len(cavity.PUBLISHED)


def test_beats_are_found_behind_a_filter_whose_edges_are_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    heartbeat, example = script("heartbeat", monkeypatch), dsl.load(EXAMPLES / "heartbeat.dsl")
    rates, fs, n = heartbeat.RATES[:4], 100.0, 800
    clean = np.asarray(example.heart(rates, n=n, fs=fs))
    x = example.recorded(dsl.key(0), rates, n=n, fs=fs)
    edges, losses = example.learned(x, clean, (0.3, 40.0), fs, steps=12)
    assert float(losses[-1]) < 0.5 * float(losses[0])
    found = np.asarray(example.cleaned(x, *edges, fs))
    beats = np.asarray(example.beats(found))
    tops = np.flatnonzero((clean[1:-1] > 0.6) & (clean[1:-1] >= clean[:-2]) & (clean[1:-1] > clean[2:])) + 1
    assert len(beats) == len(tops) and np.abs(beats - tops).max() <= 2
    _, middle, _ = labelled(heartbeat.picture(np.asarray(x), found, beats, example))
    assert np.size(middle.lines[1].get_xdata()) == len(beats)


def test_members_of_the_club_have_the_published_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    karate = script("karate", monkeypatch)
    club, edges = dsl.load(EXAMPLES / "karate.dsl"), karate.friendships()
    rank = np.asarray(club.rank.interpret(edges, n=34))
    assert np.argsort(-rank)[:5].tolist() == [33, 0, 32, 2, 1]
    np.testing.assert_allclose(rank[[33, 0]], [0.1009, 0.0970], atol=1e-4)  # as networkx.pagerank has them
    found, losses = club.trained(dsl.key(0), edges, karate.LEADERS, (0, 1), steps=100, n=34)
    assert (np.asarray(found) == karate.sides()).sum() >= 31
    assert float(losses[-1]) < 0.05
    at = karate.positions(club, edges)
    assert karate.picture(edges, at, rank, np.asarray(found)).count("<circle") == 34


def test_atoms_keep_their_energy(monkeypatch: pytest.MonkeyPatch) -> None:
    molecules = script("molecules", monkeypatch)
    gas = dsl.load(EXAMPLES / "molecules.dsl")
    atoms, box = molecules.crystal(8, 1.0)
    room = molecules.capacities(box, 64)
    last, energies, short = gas.simulated(atoms, box, 0.005, steps=5, rounds=12, **room)
    assert not short
    assert np.ptp(np.asarray(energies).sum(axis=1)) < 0.1
    np.testing.assert_allclose(np.asarray(last["v"]).sum(axis=0), 0.0, atol=1e-10)
    r = np.asarray(last["x"])[:, None] - np.asarray(last["x"])[None]
    r2 = np.sum((r - box * np.round(r / box)) ** 2, axis=-1) + 1e9 * np.eye(64)
    well = 4.0 * (r2**-6 - r2**-3) - 4.0 * (2.5**-12 - 2.5**-6)
    np.testing.assert_allclose(energies[-1, 0], 0.5 * np.sum(well, where=r2 < 2.5**2), rtol=1e-9)
    left, _ = labelled(molecules.picture(last["x"] % box, box, np.asarray(energies)))
    assert np.shape(left.collections[0].get_offsets())[0] == 64


def test_a_convolutional_network_is_read_back(tmp_path: Path) -> None:
    cnn = dsl.load(EXAMPLES / "cnn.dsl")
    images, shown = np.eye(8, dtype=np.float32).reshape(1, 8, 8).repeat(4, axis=0), [0, 1, 2, 3]
    state = cnn.init.interpret(0, c=1, o=4)
    after, mean = cnn.epoch.eval_shape(state, 0, images, shown, 0.1, batch=2)
    assert mean.shape == () and after["model"]["out"]["w"].shape == (8, 4)
    dsl.save(tmp_path / "cnn.safetensors", state)
    restored = dsl.load_arrays(tmp_path / "cnn.safetensors", like=state)
    assert cnn.loss.interpret(restored["model"], images, shown) == cnn.loss.interpret(state["model"], images, shown)
    assert cnn.accuracy.interpret(state["model"], images, shown) == 0.25  # four times the same image


def test_chains_take_small_steps_and_go_different_ways() -> None:
    hmc = dsl.load(EXAMPLES / "hmc.dsl")
    x, y = np.array([[1.0], [-1.0]], np.float32), np.array([1.0, 0.0], np.float32)
    starts = [{"w": [1.0], "b": 0.0}] * 2
    draws, accepted = hmc.sample.interpret(starts, x, y, 0.01, steps=2, draws=2, key=0)
    assert np.asarray(accepted).tolist() == [1.0, 1.0]
    assert np.allclose(draws["w"], 1.0, atol=0.2) and len(np.unique(np.asarray(draws["w"]))) == 4


def test_a_language_model_in_four_files_begins_with_even_odds() -> None:
    train = dsl.load(EXAMPLES / "lm" / "train.dsl")
    text = np.arange(12) % 5
    state = train.start.interpret(0, v=5, t=4, d=4, l=2)
    _, losses = train.train.interpret(state, text, 0.01, heads=2, steps=2, batch=3, key=0)
    assert np.allclose(losses, np.log(5), atol=0.05)
    written = train.generate.interpret(state["model"], text[:4], heads=2, count=3, key=0)
    assert written.shape == (3,) and (np.asarray(written) < 5).all()


def test_a_neural_differential_equation_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    neural = script("neural_ode", monkeypatch)
    model = dsl.load(EXAMPLES / "neural_ode.dsl")
    times = np.linspace(0.0, 2.0, 20, dtype=np.float32)
    _, losses = model.train(dsl.key(0), times, 2e-2, h=8, steps=20, n=4, m=3)
    assert float(np.asarray(losses)[-3:].mean()) < float(losses[0])
    (axes,) = labelled(neural.picture({"#999999": np.asarray(model.spiral(neural.START, times))}))
    assert len(axes.lines) == 1


def test_sensitivities_of_robertsons_reactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The concentrations at the end are those of SciPy; the derivatives keep the sum."""
    robertson = script("robertson", monkeypatch)
    monkeypatch.setattr(robertson, "PICTURE", tmp_path / "out" / "robertson.svg")
    robertson.main(points=21)
    assert "<svg" in robertson.PICTURE.read_text(encoding="utf-8")
    above, below = labelled(robertson.picture(np.logspace(-5, 5, 4), np.ones((4, 3)), np.ones((4, 3))))
    assert len(above.lines) == len(below.lines) == 3
    said = capsys.readouterr().out
    found = [float(x) for x in re.findall(r"at the end are ([^,]+), ([^,]+), (.+)\.\n", said)[0]]
    a, b, c = robertson.RATES

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [c * y[1] * y[2] - a * y[0], a * y[0] - c * y[1] * y[2] - b * y[1] ** 2, b * y[1] ** 2]

    there = solve_ivp(slope, (0, 1e5), [1.0, 0.0, 0.0], method="Radau", rtol=1e-9, atol=1e-14).y[:, -1]
    assert np.allclose(found, there, rtol=1e-4)
    model = dsl.load(EXAMPLES / "robertson.dsl")
    slopes = np.asarray(model.sensitivities(robertson.RATES, np.logspace(-5, 5, 21)))
    assert np.abs(slopes.sum(axis=1)).max() < 1e-9
