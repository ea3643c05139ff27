"""Arguments of any kind for the functions of `dsl`: what does not fit is reported with a code, never by a traceback."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import dsl
import dsl.checkpoints
import dsl.data
import dsl.training
from tests.support.cases import some

ANY: Any = dsl
"""The module, without the types that would refuse what is wrong."""

VALUES = MappingProxyType(
    {
        "text": "no such thing",
        "integer": 3,
        "nothing": None,
        "array": np.zeros(3),
        "object": object(),
        "list": [1, 2],
        "dict": {"a": 1},
        "function": repr,
        "class": str,
        "float": 1.5,
        "bytes": b"x",
    }
)

PROGRAM = dsl.program("def f(x: f32) -> f32 = x")

MADE_BY_USERS = (dsl.Mesh, dsl.Sharding, dsl.ShapeDtypeStruct, dsl.default_device)
HOMES = (dsl, dsl.tree, dsl.checkpoints, dsl.data, dsl.training, dsl.distributed)

OTHERS = (dsl.load_ipython_extension, dsl.array, dsl.training.fit, dsl.nan_checks)
"""An extension of IPython is given its shell by it; arrays raise TypeError, as NumPy's do; `fit` has its own test;
checks for NaN take no argument, and stay."""


FITTING = MappingProxyType(
    {"f": PROGRAM.f, "function": max, "text": "def f(x: f32) -> f32 = x", "mesh": {"data": 2}, "args": (1.0,)}
)
"""What fits some parameters, by name, so that the others are looked at."""


def public() -> list[Callable[..., Any]]:
    """Return all functions that users call, and the classes that they make objects of."""
    found = [getattr(home, name) for home in HOMES for name in home.__all__]
    classes = (*MADE_BY_USERS, dsl.checkpoints.Checkpoints, dsl.data.Batches)
    return [each for each in found if (inspect.isfunction(each) and each not in OTHERS) or each in classes]


def names(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__name__}"


def calls(function: Callable[..., Any], value: object) -> list[Callable[[], Any]]:
    """Return the call with `value` for all that is required, and for each option the call with it there."""
    parameters = inspect.signature(function).parameters.values()
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [p.name for p in parameters if p.default is p.empty and p.kind in places]
    options = [p.name for p in parameters if p.default is not p.empty and p.kind is not p.POSITIONAL_ONLY]
    fitting = [FITTING.get(name, value) for name in required]
    with_options = [partial(function, *fitting, **{name: value}) for name in options]
    return [partial(function, *[value for _ in required]), *with_options]


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("function", public(), ids=names)
def test_arguments_of_any_kind(
    function: Callable[..., Any], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert dsl.devices()  # in use, so that no call changes how many there are
    for call in some(calls(function, VALUES[kind])):
        try:
            call()
        except dsl.DslError as error:
            assert all(diagnostic.code for diagnostic in error.diagnostics)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ANY.doc(PROGRAM.f), "`program` is a `Program`, not a `Function`"),
        (lambda: ANY.program(b"def f(x: f32) -> f32 = x"), "`text` is a `str`, not a `bytes`"),
        (lambda: ANY.load(3), "`path` is a path, not 3"),
        (lambda: ANY.save(b"x", {}), "`path` is a path, not a `bytes`"),
        (lambda: ANY.define("def f(x: f32) -> f32 = x"), "`@dsl.define` stands above a `def` of Python, not 'def f"),
        (lambda: ANY.checked(dict), "no signature found for builtin type <class 'dict'>, so there is nothing to check"),
        (lambda: ANY.devices(0), "`platform` is a `str`, not 0"),
        (lambda: ANY.Mesh(["cpu:0"], data=1), "`devices` is a `Device`, not 'cpu:0'"),
        (lambda: ANY.Mesh(dsl.devices("cpu")[:1], data=1.0), "`data` is an integer, not 1.0"),
        (lambda: ANY.Mesh(dsl.devices("cpu")[:1], data=2), "a mesh of data=2 has 2 places, not 1"),
        (lambda: ANY.on_emit(np.zeros(2), print), "`tag` is a `str`, not a `ndarray`"),
        (lambda: ANY.tree.map(3, [1, 2]), "`function` is a function, not 3"),
        (lambda: ANY.tree.map(max, [1, 2], [1]), "trees differ at 2 parts"),
    ],
)
def test_messages(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=r"E0919") as caught:
        call()
    assert isinstance(caught.value, dsl.ArgumentError)
    assert caught.value.diagnostics[0].message.startswith(message)
