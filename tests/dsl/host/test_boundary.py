"""What Python has at hand as arguments: each kind is taken or refused in the first call as in every later one."""

from __future__ import annotations

import traceback
from array import array
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.host.functions.function import Function
from lowering.xla.array import borrow
from tests.support.cases import some

TEXT = """
type Layer[d] = {w: f32[d], b: f32}
enum Act = Relu | Leaky(slope: float)
let width = 8
let dims = [width, 3]
let slopes = {low = 0.5, high = (1.0, 2)}
let _hidden = 1

def total(x: f32[n]) -> f32 = sum(x)
def count(x: i32[n]) -> i32 = sum(x)
def picked(x: f32[n, k], y: idx[k][n]) -> f32[n] = [x[i, y[i]] for i in range(n)]
def layers(ps: Layer[d][t]) -> Layer[d] = {w = sum(ps.w, axis=0), b = sum(ps.b)}
def generic[a: Float](ps: {w: a[d]}[t]) -> a = sum(ps.w)
def labelled(ps: {at: idx[4]}[t]) -> i32 = sum([i32(i) for i in ps.at])
def mixed[a: Float](x: a[n], y: a) -> a = sum(x) * y
def drawn(k: key) -> key = k
def filled(static size: int, static s: shape, static more: {a: int, s: shape}) -> f32[size, *s, more.a, *more.s] =
    zeros([size, *s, more.a, *more.s])
"""
X = np.arange(3, dtype=np.float32)
P = dsl.program(TEXT)


class OnlyDLPack:
    """Memory that tells no dtype and no shape but by DLPack."""

    def __init__(self, memory: np.ndarray[Any, Any]) -> None:
        self.memory = memory

    def __dlpack__(self, **options: Any) -> Any:
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class OnlyArray:
    """What becomes an array when it is asked, and tells nothing of it before."""

    def __init__(self, elements: np.ndarray[Any, Any]) -> None:
        self.elements = elements

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.elements


class Named(NamedTuple):
    w: Any
    b: Any


@dataclass
class Data:
    w: Any
    b: Any


def in_itself() -> list[Any]:
    found: list[Any] = [1.0]
    found.append(found)
    return found


KINDS: Mapping[str, Callable[[], Any]] = MappingProxyType(
    {
        "f32": lambda: X,
        "f64": lambda: X.astype(np.float64),
        "i32": lambda: np.array([0, 2, 1], np.int32),
        "i64": lambda: np.array([0, 2, 1]),
        "u8": lambda: np.array([0, 2, 1], np.uint8),
        "u64": lambda: np.array([0, 2, 2**63], np.uint64),
        "bool": lambda: np.array([True, False, True]),
        "big endian": lambda: X.astype(">f4"),
        "view": lambda: X[::-1],
        "two axes": lambda: np.ones((3, 2), np.float32),
        "other size": lambda: np.ones(5, np.float32),
        "out of range": lambda: np.array([0, 2, 7]),
        "masked": lambda: np.ma.masked_array(X, [True, False, False]),
        "device": lambda: dsl.array(X),
        "jax": lambda: jnp.asarray(X),
        "key of jax": lambda: jax.random.key(0),
        "dlpack": lambda: OnlyDLPack(X),
        "dlpack of f64": lambda: OnlyDLPack(X.astype(np.float64)),
        "array.array": lambda: array("f", [0.0, 1.0, 2.0]),
        "memoryview": lambda: memoryview(array("i", [0, 1, 2])),
        "list": lambda: [0.0, 1.0, 2.0],
        "ints": lambda: [0, 1, 2],
        "large ints": lambda: [0, 1, 2**40],
        "huge ints": lambda: [0, 1, 2**400],
        "mixed list": lambda: [0, 1.5, np.float32(2)],
        "words": lambda: ["a", "b", "c"],
        "ragged": lambda: [[0.0], 1.0, 2.0],
        "range": lambda: range(3),
        "tuple": lambda: (0.0, 1.0, 2.0),
        "number": lambda: 1.0,
        "text": lambda: "abc",
        "none": lambda: None,
        "dict": lambda: {"w": X, "b": 1.0},
        "records": lambda: [{"w": X, "b": 1.0}, {"w": X, "b": 2}],
        "only an array": lambda: OnlyArray(X),
        "only a masked array": lambda: OnlyArray(np.ma.masked_array(X, [True, False, False])),
        "list of arrays": lambda: [np.float32(1), dsl.array(2.0), jnp.float32(3)],
        "list of f64": lambda: [np.ones(1), np.ones(1), np.ones(1)],
        "list of i64": lambda: [np.array(1), np.array(2)],
        "list of keys": lambda: [dsl.key(0), dsl.key(1)],
        "words of a key": lambda: (0, -1),
        "objects": lambda: np.array([0.0, None], object),
        "f8": lambda: X.astype(ml_dtypes.float8_e4m3fn),
        "array of texts": lambda: np.array(["a"], np.dtypes.StringDType()),
        "missing": lambda: polars.Series([0.0, None], dtype=polars.Float32),
        "bare type": lambda: jax.ShapeDtypeStruct((3,), np.float32),
        "class": lambda: np.float32,
        "module": lambda: np,
        "memory": lambda: memoryview(X.data),
        "in itself": lambda: in_itself(),
    }
)


def outcome(f: Function, argument: Any) -> Any:
    """The elements of the result, or the codes of all that is wrong."""
    if f.__name__ == "filled":
        given: tuple[Any, ...] = (1, [], {"a": 1, "s": argument})
    else:
        given = (np.ones((3, 3), np.float32), argument) if f.__name__ == "picked" else (argument,)
    try:
        return jax.tree.map(lambda x: np.asarray(x).tolist(), f(*given))
    except dsl.DslError as error:
        return [d.code for d in error.diagnostics]


def anew(name: str) -> Function:
    """The function as if it had never been called."""
    f = dsl.functions(P)[name]
    return Function(f.program, f.value)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["total", "count", "picked", "layers", "drawn", "filled"]),
    st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=5),
)
def test_a_later_call_takes_and_refuses_what_the_first_does(name: str, kinds: list[str]) -> None:
    warm = dsl.functions(P)[name]
    for kind in some([*kinds, *kinds]):
        assert outcome(warm, KINDS[kind]()) == outcome(anew(name), KINDS[kind]()), kind


def test_what_contains_itself_is_refused_however_a_function_is_used() -> None:
    total = P.total
    uses = [total, total.ir, total.lower, total.compile, total.interpret, total.eval_shape]
    uses += [dsl.grad(total), dsl.vmap(total), partial(dsl.vjp, total)]
    for use in [*uses, lambda x: dsl.jvp(total, ([1.0],), (x,))]:
        with pytest.raises(dsl.ArgumentError, match="an argument of `total` contains itself, or is nested too deeply"):
            use(in_itself())


def test_a_static_argument_that_has_changed_is_another_one() -> None:
    s, inner = [2], [3]
    more: dict[str, Any] = {"a": 1, "s": inner}
    for _ in range(2):
        assert P.filled(1, s, more).shape == (1, 2, 1, 3)
    s.append(4)
    assert P.filled(1, s, more).shape == (1, 2, 4, 1, 3)
    more["a"] = 5
    assert P.filled(1, s, more).shape == (1, 2, 4, 5, 3)
    inner.append(6)
    assert P.filled(1, s, more).shape == (1, 2, 4, 5, 3, 6)


def test_what_a_list_holds_is_converted_as_it_would_be_alone() -> None:
    with pytest.raises(dsl.ArgumentError, match=r"x is f64\[1\], but f32\[n\] is expected: f64 to f32 may lose"):
        P.total([np.ones(1), np.ones(1)])
    assert P.mixed([1.0, 2.0], 2.0).dtype == np.float32
    assert P.mixed([np.array(1.0), np.array(2.0)], 2.0).dtype == np.float64
    assert P.count([np.array(1), np.array(2)]).item() == 3


def test_labels_of_any_integer_dtype_are_indices() -> None:
    table = np.arange(6, dtype=np.float32).reshape(2, 3)
    for kind in (np.int64, np.uint64, np.int8, np.uint16, ">i8"):
        np.testing.assert_array_equal(P.picked(table, np.array([0, 2], kind)), [0, 5])
    for wrong in (3, -1, 2**32, 2**32 + 1):
        with pytest.raises(dsl.ArgumentError, match=rf"y holds {wrong}, which is not an index below 3"):
            P.picked(table, np.array([0, wrong]))
    known = dsl.array(np.array([0, 2], np.int32))
    for extent, fits in ((3, True), (3, True), (2, False), (4, True)):  # held against each limit, however often
        with (
            nullcontext()
            if fits
            else pytest.raises(dsl.ArgumentError, match="y holds 2, which is not an index below 2")
        ):
            P.picked(np.zeros((2, extent), np.float32), known)
    with pytest.raises(dsl.ArgumentError) as caught:
        P.picked(table, np.array([0.0, 1.0]))
    assert caught.value.code == "E0902"


@pytest.mark.parametrize("make", [dict, Named, Data, SimpleNamespace])
def test_a_list_of_records_is_a_record_of_arrays(make: Callable[..., Any]) -> None:
    ps = [make(w=X + k, b=float(k)) for k in range(4)]
    result = P.layers(ps)
    assert type(result) is make
    w, b = (result["w"], result["b"]) if make is dict else (result.w, result.b)
    np.testing.assert_array_equal(w, 4 * X + 6)
    assert float(b) == 6.0
    np.testing.assert_array_equal(P.layers.interpret(tuple(ps)).b if make is not dict else b, b)


def test_lists_of_records_settle_dtypes_and_hold_indices_against_bounds() -> None:
    assert float(P.generic([{"w": X.astype(np.float64)}] * 2)) == 6.0
    assert str(P.generic([{"w": X.astype(np.float64)}]).type.dtype) == "f64"
    assert int(P.labelled([{"at": k} for k in range(4)])) == 6
    with pytest.raises(dsl.ArgumentError, match=r"ps\[1\].at holds 4, which is not an index below 4"):
        P.labelled([{"at": 3}, {"at": 4}])


@pytest.mark.parametrize(
    ("ps", "code", "words"),
    [
        ([], "E0901", "ps is empty"),
        ([{"w": X, "b": 1.0}, {"w": X[:2], "b": 1.0}], "E0903", r"ps\[1\] has other sizes or dtypes than ps\[0\]"),
        ([{"w": X, "b": 1.0}, {"w": X}], "E0908", r"ps\[1\] has no field `b`"),
        ([{"w": X, "b": 1.0}, X], "E0901", r"ps\[1\] is f32\[3\], not"),
        ([[{"w": X, "b": 1.0}]], "E0903", "ps.b has 2 axes, its type has 1"),
    ],
)
def test_a_list_of_records_that_differ_is_refused(ps: Any, code: str, words: str) -> None:
    with pytest.raises(dsl.ArgumentError, match=words) as caught:
        P.layers(ps)
    assert caught.value.code == code


def test_memory_without_a_dtype_of_its_own_has_that_of_dlpack() -> None:
    assert float(P.mixed(OnlyDLPack(X.astype(np.float64)), 2.0)) == 6.0
    assert str(P.mixed(OnlyDLPack(X.astype(np.float64)), 2).type.dtype) == "f64"
    assert str(P.mixed(array("f", X), 2).type.dtype) == "f32"


def test_arrays_of_jax_are_read_where_they_are() -> None:
    x = jnp.arange(64, dtype=jnp.float32)
    assert np.shares_memory(borrow(np.asarray(x)), np.asarray(x))
    assert float(P.total(x)) == float(P.total(x)) == 2016.0
    assert float(P.mixed(jnp.ones(3, jnp.bfloat16), 2)) == 6.0


def test_constants_and_enums_are_attributes() -> None:
    assert P.width == 8
    np.testing.assert_array_equal(P.dims, [8, 3])
    assert P.slopes == {"low": 0.5, "high": (1.0, 2)}
    assert P.Act.Relu == P.Relu
    assert P.Act.Leaky(0.5) == P.Leaky(0.5)
    assert sorted(dsl.constants(P)) == ["dims", "slopes", "width"]
    assert {"width", "Act", "Relu", "total"} <= set(dir(P))


@pytest.mark.parametrize(
    ("name", "near"), [("totl", "total"), ("widht", "width"), ("Leeky", "Leaky"), ("_hidden", None), ("zzz", None)]
)
def test_an_unknown_name_suggests_the_nearest(name: str, near: str | None) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(P, name)
    assert str(caught.value) == f"the program has no public `{name}`" + (f"; did you mean `{near}`?" if near else "")
    printed = "".join(traceback.format_exception(caught.value))
    assert printed.lower().count("did you mean") == (near is not None)


def test_an_unknown_variant_suggests_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"Act has no variant `Rely`; did you mean `Relu`\?"):
        _ = P.Act.Rely


def test_tables_are_their_columns_side_by_side() -> None:
    program = dsl.program("def f(x: f32[n, d]) -> f32[d] = sum(x, axis=0)\ndef g(x: f32[n]) -> f32 = sum(x)")
    frame = polars.DataFrame({"a": np.ones(3, np.float32), "b": np.zeros(3, np.float32)})
    for _ in range(2):
        assert program.f(frame).tolist() == program.f(frame.to_arrow()).tolist() == [3.0, 0.0]
        assert float(program.g(frame["a"])) == 3.0
    with pytest.raises(dsl.ArgumentError, match="x is a DataFrame"):
        program.f(polars.DataFrame({"name": ["Ada"]}))
    with pytest.raises(dsl.ArgumentError, match=r"x is f64\[1, 1\]"):
        program.f(polars.DataFrame({"a": [1.0]}))
