"""Every public function of Python's libraries refuses what it does not take with a code, whatever it is given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl
import dsl.checkpoints
import dsl.data
import dsl.training
from dsl.checkpoints import Checkpoints
from dsl.data import Batches
from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.settings import MissingName, SettingError
from dsl.training import History, fit

DATA = {"x": np.arange(12, dtype=np.float32)}
RIGHT: Mapping[str, Mapping[str, Any]] = {
    "fit": {"step": lambda state, i: (state + 1, None), "state": 0, "steps": 1, "every": 1, "progress": False},
    "Batches": {"source": DATA, "size": 2},
    "prefetch": {"batches": [DATA]},
    "ShapeDtypeStruct": {"shape": (2,), "dtype": "f32"},
}
WRONG: Mapping[str, tuple[Any, ...]] = {
    "step": (3, None, lambda state, i: state, lambda state, i: (state, i, i), lambda state, i: (state, "high")),
    "batches": ([DATA], 3, "x"),
    "steps": (-1, 2.5, "3", None, True),
    "every": (0, -3, 1.5, "2", None),
    "evaluate": (3, {"loss": 1.0}, lambda state: {"loss": "low"}),
    "checkpoints": ("folder", 3),
    "stop": (3, "now"),
    "source": ({}, {"x": np.array(["a"])}, {"x": 1.0}, "text"),
    "size": (0, -1, 2.5, "2", None, 13, [1], float("nan")),
    "last": ("fill", None, 3, ["drop"]),
    "transform": (3, "x"),
    "key": ("seed", 1.5),
    "depth": (0, 1.5, "2"),
    "shape": ((-1,), (2.5,), 3, "ab", None),
    "dtype": ("f31", "text", object),
}
SKIPPED = {"state", "to", "progress", "like"}
"""Parameters that take anything, or what devices refuse with codes of their own."""


def takers() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in (dsl.training, dsl.data):
        for name in module.__all__:
            if name in RIGHT:
                yield name, getattr(module, name)
    yield "ShapeDtypeStruct", dsl.ShapeDtypeStruct


def cases() -> Iterator[Any]:
    for name, function in takers():
        for parameter in inspect.signature(function).parameters:
            for number, value in enumerate(WRONG[parameter] if parameter not in SKIPPED else ()):
                id = f"{name}-{parameter}-{number}"
                if not (name == "prefetch" and parameter == "batches" and value in ("x", [DATA])):
                    yield pytest.param(function, {**RIGHT[name], parameter: value}, id=id)


@pytest.mark.parametrize(("function", "arguments"), list(cases()))
def test_wrong_arguments_are_refused_with_a_code(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    with pytest.raises(DslError) as caught:
        function(**arguments)
    assert caught.value.code.startswith("E09") and "Traceback" not in str(caught.value)


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_the_right_arguments_are_right(name: str) -> None:
    dict(takers())[name](**RIGHT[name])


HISTORY = History(({"step": 1, "loss": 0.5},))


def wrong_calls(folder: Path) -> Iterator[Callable[[], Any]]:
    batches, store = Batches(DATA, 2), Checkpoints(folder, best="loss", asynchronous=False)
    yield from (lambda n=n: batches.batch(n) for n in (-1, 1.5, "x", None))
    yield from (lambda n=n: list(batches.epoch(n)) for n in (-1, 1.5))
    yield from (lambda p=p: next(batches.stream(p)) for p in (-1, "x", {"batch": 1}, {}))
    yield from (lambda n=n: HISTORY.column(n) for n in ("los", 3, None))
    yield from (lambda n=n: HISTORY.svg(n) for n in ("los",))
    yield from (lambda p=p: HISTORY.write(folder / p) for p in ("h.txt", "h", "missing/h.csv"))
    yield from (lambda k=k: Checkpoints(folder, **k) for k in ({"keep": 0}, {"keep": 1.5}, {"mode": "least"}))
    metrics: tuple[Any, ...] = ({}, {"loss": "low"}, {"loss": None}, [1.0], 3)
    yield from (lambda m=m: store.save(1, DATA, metrics=m) for m in metrics)
    yield from (lambda s=s: store.save(s, DATA, metrics={"loss": 1.0}) for s in (-1, 1.5, "1"))
    yield lambda: store.save(1, DATA, metrics={"loss": 1.0}, position=object())
    yield lambda: store.restore(step=7)
    yield lambda: Checkpoints(folder, asynchronous=False).best_step()


def test_wrong_calls_of_methods_are_refused_with_a_code(tmp_path: Path) -> None:
    calls = list(wrong_calls(tmp_path))
    assert len(calls) > 25
    for call in calls:
        with pytest.raises(DslError) as caught:
            call()
        assert caught.value.code.startswith("E09")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_name_says_what_is_meant() -> None:
    with pytest.raises(MissingName, match="did you mean `loss`") as caught:
        HISTORY.column("los")
    assert isinstance(caught.value, KeyError | ValueError) and caught.value.code == "E0919"


def test_what_was_a_value_error_still_is_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        fit(lambda state, i: (state, None), 0, steps=1, every=0)
    with pytest.raises(TypeError, match="a step returns a state and its metrics"):
        fit(lambda state, i: state, 0, steps=1, every=1, progress=False)
    with pytest.raises(SettingError, match="iterable of batches"):
        dict(takers())["prefetch"](3)
