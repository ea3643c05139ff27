"""The loop of a training: metrics, evaluation, checkpoints, and what goes on as if it had not stopped."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import dsl
from dsl.checkpoints import Checkpoints
from dsl.data import Batches
from dsl.training import History, Trained, fit

RANDOM = np.random.default_rng(0)
DATA = {"x": RANDOM.normal(size=(13, 3)).astype(np.float32), "y": RANDOM.normal(size=13).astype(np.float32)}

TEXT = """
import nn
import optim
def net(x: f32[b, d]) -> f32[b] ! {nn.param, rand} =
    nn.dense(nn.dropout(nn.tanh(nn.dense(x, "hidden", 4)), 0.2), "out", 1)[:, 0]
def loss(p: net.param, x: f32[b, d], y: f32[b]) -> f32 ! rand = mean((nn.apply(p, fn () -> net(x)) - y) ** 2)
type State[d] = {model: net.param, memory: {count: i32, mu: net.param, nu: net.param}}
def init(k: key, static d: size) -> State[d] =
    let (a, b) = split(k)
    let model = with rng(a) do nn.init(b, fn () -> net(zeros([1, d])))
    {model = model, memory = optim.adam_init(model)}
def step(s: State[d], x: f32[b, d], y: f32[b]) -> (State[d], f32) ! rand =
    let (value, g) = value_and_grad(loss)(s.model, x, y)
    let (updates, memory) = optim.adam_update(g, s.memory, s.model, learning_rate=0.05)
    ({model = s.model + updates, memory = memory}, value)
"""


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


def batches(**options: Any) -> Batches:
    return Batches(DATA, 4, **{"key": 3, **options})


def trained(program: dsl.Program, steps: int, checkpoints: Checkpoints | None = None, **options: Any) -> Trained[Any]:
    def step(state: Any, batch: Any, i: int) -> Any:
        return program.step(state, batch["x"], batch["y"], key=i)

    call = {"steps": steps, "every": 4, "progress": False, **options}
    return fit(step, program.init(0, d=3), batches(), checkpoints=checkpoints, **call)


def bits(state: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in dsl.tree.leaves(state)]


@pytest.mark.parametrize("asynchronous", (True, False))
def test_a_training_that_goes_on_is_the_same_to_the_bit(
    program: dsl.Program, tmp_path: Path, asynchronous: bool
) -> None:
    whole = trained(program, 11)
    for steps in (2, 7, 7, 11):  # in the midst of epochs of three batches, and once without a step to take
        part = trained(program, steps, Checkpoints(tmp_path, asynchronous=asynchronous))
        assert part.step == steps
    assert bits(part.state) == bits(whole.state)
    assert [row["step"] for row in part.history.rows] == [2, 4, 7, 8, 11]
    assert [row["step"] for row in whole.history.rows] == [4, 8, 11]
    assert part.history.rows[-1]["loss"] == pytest.approx(whole.history.rows[-1]["loss"])
    assert part.history.column("seconds") == sorted(part.history.column("seconds"))


def test_a_training_that_fails_goes_on_before_the_failure(program: dsl.Program, tmp_path: Path) -> None:
    def failing(state: Any, batch: Any, i: int) -> Any:
        if i == 6:
            raise KeyboardInterrupt
        return program.step(state, batch["x"], batch["y"], key=i)

    with pytest.raises(KeyboardInterrupt):
        fit(
            failing,
            program.init(0, d=3),
            batches(),
            steps=9,
            every=2,
            checkpoints=Checkpoints(tmp_path),
            progress=False,
        )
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 8, "loss": 0.1}\n{"step": 9, "lo')
    again = trained(program, 9, Checkpoints(tmp_path), every=2)
    assert [row["step"] for row in again.history.rows] == [2, 4, 6, 8, 9]
    assert bits(again.state) == bits(trained(program, 9).state)
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [2, 4, 6, 8, 9]


def never(*_: Any) -> tuple[Any, Any]:
    raise AssertionError("a step was taken")


def test_other_data_are_refused_where_a_training_goes_on(program: dsl.Program, tmp_path: Path) -> None:
    trained(program, 2, Checkpoints(tmp_path))
    with pytest.raises(dsl.InputError, match="E0974"):
        fit(never, program.init(0, d=3), batches(key=4), steps=3, every=1, checkpoints=Checkpoints(tmp_path))
    with pytest.raises(dsl.InputError, match="E0972"):
        fit(never, {"w": np.ones(2)}, batches(), steps=3, every=1, checkpoints=Checkpoints(tmp_path))


def test_batches_are_laid_out_over_a_mesh(program: dsl.Program) -> None:
    seen = []
    sharding = dsl.Sharding(dsl.devices("cpu")[:2], axis=0)

    def step(state: int, batch: Any, i: int) -> tuple[int, None]:
        seen.append(batch["x"].sharding)
        return state + 1, None

    assert fit(step, 0, batches(), steps=3, every=3, to=sharding, progress=False).state == 3
    assert seen == [sharding] * 3


# ---------------------------------------------------------------- metrics

METRICS: tuple[tuple[Any, dict[str, float]], ...] = (
    (2.0, {"loss": 2.0}),
    (dsl.array([1.0, 3.0]), {"loss": 2.0}),
    ({"loss": np.float32(1), "at": {"x": 3}}, {"at.x": 3.0, "loss": 1.0}),
    (None, {}),
)


@pytest.mark.parametrize(("metrics", "wanted"), METRICS)
def test_metrics_have_names(metrics: Any, wanted: dict[str, float]) -> None:
    (row,) = fit(lambda state, i: (state, metrics), 0, steps=2, every=2, progress=False).history.rows
    assert {name: value for name, value in row.items() if name not in ("step", "seconds")} == wanted


@pytest.mark.parametrize("metrics", ["text", {"a": np.zeros(0)}, {"a": None}])
def test_metrics_that_are_not_numbers_are_refused(metrics: Any) -> None:
    with pytest.raises(TypeError, match="is not a number"):
        fit(lambda state, i: (state, metrics), 0, steps=1, every=1, progress=False)


def test_a_row_has_means_since_the_row_before_and_the_evaluation() -> None:
    found = fit(
        lambda state, i: (state + 1, {"i": i, **({"odd": 1.0} if i % 2 else {})}),
        0,
        steps=5,
        every=2,
        evaluate=lambda state: {"state": state},
        progress=False,
    ).history
    assert found.column("step") == [2, 4, 5]
    assert found.column("i") == [0.5, 2.5, 4.0] and found.column("state") == [2, 4, 5]
    assert found.column("odd")[:2] == [1.0, 1.0] and np.isnan(found.column("odd")[2])
    with pytest.raises(KeyError):
        found.column("none")
    with pytest.raises(ValueError):
        fit(lambda state, i: (state, None), 0, steps=1, every=0)


def test_a_training_stops_early_and_stays_stopped(tmp_path: Path) -> None:
    def stop(history: History) -> bool:
        return history.column("loss")[-1] <= 7

    def run() -> Trained[int]:
        kept = Checkpoints(tmp_path, best="loss", keep=1)
        return fit(lambda s, i: (s + 1, 10 - i), 0, steps=9, every=1, checkpoints=kept, stop=stop, progress=False)

    assert [run().step, run().step] == [4, 4]


def test_rows_are_printed_and_a_bar_is_shown_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(progress: bool = True) -> str:
        fit(lambda state, i: (state, 0.25), 0, steps=4, every=2, progress=progress)
        return capsys.readouterr().out

    assert run() == "step 2 of 4: loss 0.25\nstep 4 of 4: loss 0.25\n"
    assert run(progress=False) == ""
    file = io.StringIO()
    monkeypatch.setattr(
        "dsl.training.progress.Console",
        lambda quiet: Console(file=file, force_terminal=True, width=90, quiet=quiet, legacy_windows=False),
    )
    run()
    assert "step 2 of 4: loss 0.25" in file.getvalue() and "4/4" in file.getvalue()


# ---------------------------------------------------------------- the history

HISTORY = History(({"step": 1, "loss": 2.5}, {"step": 2, "loss": float("nan"), "<a>": 1.0}, {"step": 3, "loss": 0.5}))


def test_a_history_is_a_table_and_a_plot(tmp_path: Path) -> None:
    HISTORY.write(tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_text() == "step,loss,<a>\n1,2.5,\n2,nan,1.0\n3,0.5,\n"
    HISTORY.write(tmp_path / "h.svg")
    picture = (tmp_path / "h.svg").read_text()
    assert picture.startswith("<svg") and picture.count("<polyline") == 2 and "&lt;a&gt;" in picture
    assert HISTORY.svg("loss").count("<polyline") == 1 and History().svg().count("<polyline") == 0
    console = Console(file=io.StringIO(), width=60)
    console.print(HISTORY.table())
    assert isinstance(console.file, io.StringIO) and "2.5" in console.file.getvalue()
    with pytest.raises(ValueError, match=r"\.csv, \.jsonl or \.svg"):
        HISTORY.write(tmp_path / "h.png")
