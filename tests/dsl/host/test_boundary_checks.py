"""`@dsl.checked` and `@dsl.define`: annotations of jaxtyping, held against calls of Python, and compiled."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
import typeguard
from hypothesis import given
from hypothesis import strategies as st
from jaxtyping import Bool, Complex64, Float, Float32, Int, Int32, Key, PyTree, Shaped, UInt

import dsl
from dsl.host.arguments import pytree
from dsl.host.python_types import boundary

A = np.ndarray
FILE = __file__


def ones(*shape: int) -> A:
    return np.ones(shape, np.float32)


@dsl.checked
def linear(w: Float32[np.ndarray, "d"], x: Float32[np.ndarray, "n d"]) -> Float32[np.ndarray, "n"]:
    """Rows times weights."""
    return np.asarray(x @ w if x[0, 0] else x @ w[:, None])


@dsl.checked
def heads(x: Float[np.ndarray, "*b n h*d"], y: Float[np.ndarray, "h d"]) -> Float[np.ndarray, "*b n"]:
    return np.asarray(np.sum(x, -1))


@dsl.checked
def differences(
    x: Float[np.ndarray, "n"], p: dict[str, Float[np.ndarray, "n-1"]], *more: Float[np.ndarray, "2*n"]
) -> None:
    return None


@dsl.checked
def either(x: Float[np.ndarray, "n 2"] | Float[np.ndarray, "n 3"] | None, **named: Int[np.ndarray, "n"]) -> int:
    return 0 if x is None else int(x.shape[1])


@dsl.checked
def tree(p: PyTree[Float[np.ndarray, "... d"]], t: tuple[Float[np.ndarray, "d"], bool]) -> None:
    return None


@dsl.checked
def device(x: Float32[dsl.Array, "n"], y: Shaped[jnp.ndarray, "n"]) -> Float32[dsl.Array, "n"]:
    return x


class Model:
    @dsl.checked
    def step(self, x: Float32[np.ndarray, "n"], y: Float32[np.ndarray, "n"]) -> None:
        return None


@dsl.checked
def misspelt(x: Float[np.ndarray, "n+"]) -> None:
    return None


def test_what_fits_is_called() -> None:
    np.testing.assert_array_equal(linear(ones(3), ones(2, 3)), [3, 3])
    assert heads(ones(5, 4, 6), ones(2, 3)).shape == (5, 4)
    differences(ones(3), {"a": ones(2), "b": ones(2)}, ones(6), ones(6))
    assert either(ones(4, 3), k=np.zeros(4, np.int32)) == 3
    assert either(None, k=np.zeros(4, np.int8)) == 0
    tree({"a": ones(4, 3), "b": [ones(3), (ones(2, 2, 3),)]}, (ones(3), True))
    device(dsl.array(ones(2)), jnp.zeros(2, int))
    Model().step(ones(2), y=ones(2))
    assert linear.__doc__ == "Rows times weights."
    assert list(inspect.signature(linear).parameters) == ["w", "x"]


loose: Any = SimpleNamespace(**globals())
"""The functions, for calls that a type checker refuses."""

WRONG: list[tuple[Callable[[], Any], list[str], str]] = [
    (lambda: loose.linear(ones(4), ones(2, 3)), ["E0904"], "d is 4 according to w (axis 0) but 3 according to x"),
    (lambda: loose.linear(ones(3), ones(3)), ["E0901"], "x is f32[3], not Float32[ndarray, 'n d']: its axes are [n d]"),
    (lambda: loose.linear(ones(3).astype("f8"), ones(3)), ["E0901", "E0901"], "w is f64[3], not Float32[ndarray, 'd']"),
    (lambda: loose.linear([1.0], ones(2, 1)), ["E0901"], "w is a list, not Float32[ndarray, 'd']"),
    (lambda: loose.linear(ones(3), 0 * ones(2, 3)), ["E0901"], "the result is f32[2, 1], not Float32[ndarray, 'n']"),
    (lambda: loose.heads(ones(4, 7), ones(2, 3)), ["E0904"], "h * d is 6 according to y (axis 0) but 7 according to x"),
    (lambda: loose.heads(ones(6), ones(2, 3)), ["E0901"], "x is f32[6], not Float[ndarray, '*b n h*d']"),
    (lambda: loose.differences(ones(3), {"a": ones(2), "b": ones(3)}), ["E0904"], "but 3 according to p.b (axis 0)"),
    (lambda: loose.differences(ones(3), {"a": 1}), ["E0901"], "value of key 'a' of p is an int, not Float[ndarray"),
    (lambda: loose.differences(ones(3), {}, ones(6), ones(5)), ["E0904"], "but 5 according to more[1] (axis 0)"),
    (lambda: loose.either(ones(4, 5)), ["E0901"], "did not match any element in the union"),
    (lambda: loose.either(ones(4, 2), k=np.zeros(3, np.int32)), ["E0904"], "but 3 according to named['k'] (axis 0)"),
    (lambda: loose.tree({"a": [ones(2, 4)]}, (ones(3), True)), ["E0904"], "d is 4 according to p.a[0] (axis 1) but 3"),
    (lambda: loose.tree({}, (ones(3), 1)), ["E0901"], "item 1 of t is not an instance of bool"),
    (lambda: loose.device(dsl.array(ones(2)), jnp.zeros(3)), ["E0904"], "n is 2 according to x (axis 0) but 3"),
    (lambda: loose.device(ones(2), jnp.zeros(2)), ["E0901"], "x is f32[2], not Float32[Array, 'n']"),
    (lambda: loose.Model().step(ones(2), ones(3)), ["E0904"], "n is 2 according to x (axis 0) but 3 according to y"),
    (lambda: loose.misspelt(ones(2)), ["E0901"], "x has an annotation with the axis `n+`, which is not a size"),
]


@pytest.mark.parametrize(("call", "codes", "words"), WRONG)
def test_what_does_not_fit_is_said_in_the_words_of_calls(call: Callable[[], Any], codes: list[str], words: str) -> None:
    with pytest.raises(dsl.ArgumentError) as caught:
        call()
    assert [d.code for d in caught.value.diagnostics] == codes
    assert words in str(caught.value)


def test_errors_stand_at_the_parameter_in_its_file() -> None:
    with pytest.raises(dsl.ArgumentError) as caught:
        linear(ones(4), ones(2, 3))
    span = caught.value.diagnostics[0].primary.span
    assert span.source.name == FILE
    assert span.text == "x"
    line, _ = span.source.position(span.start)
    assert "def linear(" in inspect.getsource(sys.modules[__name__]).splitlines()[line - 1]


@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 9))
def test_a_computed_size_is_asked_for(n: int, h: int, width: int) -> None:
    x = np.zeros((n, width), np.float64)
    if width == h * 3:
        assert heads(x, np.zeros((h, 3))).shape == (n,)
    else:
        with pytest.raises(dsl.ArgumentError, match=r"h \* d is|no size"):
            heads(x, np.zeros((h, 3)))


def test_other_checks_of_typeguard_are_as_before() -> None:
    typeguard.check_type(ones(3), Float32[np.ndarray, "n"])
    with pytest.raises(typeguard.TypeCheckError):
        typeguard.check_type(ones(3), Float32[np.ndarray, "n 2"])


def test_neither_is_imported_with_the_package() -> None:
    code = "import sys, dsl; m = dsl.program('def f(x: f32) -> f32 = x'); m.f; print('jaxtyping' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


# ---------------------------------------------------------------- define


@dataclass
class Params:
    w: Float32[dsl.Array, "d"]
    b: Float32[dsl.Array, ""]


@dsl.define
def predict(p: Params, x: Float32[dsl.Array, "n d"], k: dsl.Static[int] = 2) -> Float32[dsl.Array, "n"]:
    """
    let y = x @ p.w
    y + p.b * f32(k)
    """
    raise AssertionError


@dsl.define
def inner(x: Float[dsl.Array, "*b n"], i: Int32[dsl.Array, ""], t: tuple[Bool[A, "n"], float]) -> Float[A, "*b"]:
    """sum(where(t.0, x, 0), axis=-1)"""
    raise AssertionError


@dsl.define
def shorter(x: Complex64[A, "n+1 *c"], y: Complex64[A, "_"], k: dsl.Static[int | None] = None) -> Complex64[A, "n *c"]:
    """x[1:]"""
    raise AssertionError


def defined(annotations: dict[str, Any], body: str) -> dsl.Function:
    def f(p: Any, x: Any) -> Any:
        raise AssertionError

    f.__annotations__, f.__doc__ = annotations, body
    return dsl.define(f)


def test_annotations_of_jaxtyping_are_the_signature() -> None:
    given = "p: {b: f32, w: f32[d]}, x: f32[n, d], static k: int = …"
    assert predict.type == f"def predict({given}) -> f32[n] where holds(f32, k)"
    np.testing.assert_array_equal(predict(Params(dsl.array(ones(3)), dsl.array(np.float32(1))), ones(2, 3)), [5, 5])
    assert inner.type.startswith("def inner(x: any_float[*b, n], i: i32, t: (bool[n], ")
    tree = PyTree[Float32[A, "..."], "P"]
    stepped = defined({"p": tree, "x": float, "return": tree}, "p - x * p")
    assert stepped.type == "def f(p: P, x: f32) -> P"
    assert stepped({"w": ones(2)}, 1.0)["w"].tolist() == [0, 0]
    of_any = PyTree[Float[A, "..."], "P"]
    stepped = defined({"p": of_any, "x": float, "return": of_any}, "p - tree_map(fn v -> cast(x, v.dtype) * v, p)")
    assert stepped({"w": ones(2).astype(np.float64)}, 1.0)["w"].tolist() == [0, 0]
    drawn = defined({"p": Key[A, ""], "x": "f32[n]", "return": "'f32[n]'"}, "x + 1.0")
    assert drawn.type == "def f(p: key, x: f32[n]) -> f32[n]"
    assert shorter(np.ones((3, 2), np.complex64), np.ones(1, np.complex64)).shape == (2, 2)


def test_a_definition_needs_a_docstring() -> None:
    with pytest.raises(dsl.DslSyntaxError, match="`f` has no docstring, which is the body of its definition"):
        defined({"p": float, "x": float}, "")


def test_errors_of_a_definition_stand_in_its_file() -> None:
    def bad(x: Float32[A, "n d"], w: Float32[A, "k"]) -> Float32[A, "n"]:
        """
        x @ w
        """
        raise AssertionError

    with pytest.raises(dsl.ShapeError, match=rf"{FILE}") as caught:
        dsl.define(bad)
    span = caught.value.diagnostics[0].primary.span
    line, _ = span.source.position(span.start)
    assert inspect.getsource(sys.modules[__name__]).splitlines()[line - 1].strip() == "x @ w"


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (UInt[A, "n"], "has no dtype of the language"),
        (Float[A, "#n"], "the axis `#n` has no counterpart in the language"),
        (list[int], "`list` is not a type of the language"),
    ],
)
def test_what_the_language_does_not_have_is_refused(annotation: Any, words: str) -> None:
    with pytest.raises(dsl.ArgumentError, match=words):
        defined({"p": annotation, "x": float}, "x")


@dsl.checked
def pair(p: tuple[Float[np.ndarray, "n"], Float[np.ndarray, "m"]], q: Float[np.ndarray, "m"]) -> None:
    return None


@dsl.checked
def many(xs: list[Float[np.ndarray, "n"]]) -> None:
    return None


def test_an_array_that_occurs_twice_is_named_where_it_does_not_fit() -> None:
    x = ones(3)
    with pytest.raises(dsl.ArgumentError, match=r"m is 3 according to p\[1\] \(axis 0\) but 4"):
        pair((x, x), ones(4))


def test_each_leaf_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(value: Any) -> Any:
        calls.append(value)
        return pytree.leaves_of(value)

    monkeypatch.setattr(boundary, "leaves_of", counted)
    for count in (1, 10, 100):
        calls.clear()
        many([ones(2) for _ in range(count)])
        assert len(calls) == 1
