"""Arguments from Python: what is accepted, what is converted, and what is said about the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import dsl

TEXT = """
type Params[d] = {w: f32[d], b: f32}
enum Act = Relu | Leaky(slope: float)

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b
def both(x: f32[n], y: f32[n]) -> f32[n] = x + y
def half(x: f32[2 * n]) -> f32[n] = x[:n]
def pick(x: f32[n], i: idx[n]) -> f32 = x[i]
def wide(x: f64[n]) -> f64[n] = x
def small(x: u8) -> u8 = x
def pair(t: (f32, f32[n])) -> f32[n] = t.0 * t.1
def times(x: f32[n], static k: int, *, static s: float = 1.0) -> f32[n] = x * f32(k) * s
def shifted(p: Params[d]) -> Params[d] = {p with b = p.b + 1.0}
def act(x: f32[n], static a: Act) -> f32[n] =
    match a with
        Relu -> maximum(x, 0.0)
        Leaky(s) -> x * s
def needs(x: f32[n]) -> f32[n] where n >= 3 = x
def rows(x: f32[n], static k: int) -> f32[n // k, k] where n % k == 0 = reshape(x, [n // k, k])
def grouped(x: f32[n], y: f32[(n // k) * m], static k: int) -> f32[m] = zeros([m])
def block(x: f32[n], i: idx[n // k], y: f32[k]) -> f32 = x[i]
def every(x: f32[n], static k: int) = x[::k]
def choice(x: f32[n], static k: int) -> f32[n] where k >= 2 or n >= 9 where k != 5 = x
def total(x: f32[*s], *, static axis: int) = sum(x, axis=axis)
def grown(x: f32[n], k: i32) -> f32[n] = x * f32(k)
static def item(a: pairs) -> int = a[0].1
def first(x: f32[n], static a: pairs) -> f32[item(a)] = zeros([item(a)])
static def axis_sum(a: axes) -> int = sum(a)
static def endless(s: shape) -> shape = endless(s[1:]) + s[:1]
def without_end(x: f32[*s]) -> f32[*endless(s)] = zeros(endless(s))
def all_of(x: f32[n]) -> f32[axis_sum(none)] = zeros([axis_sum(none)])
static def double(k: int) -> int = 2 ** k
def doubled(x: f32[n], static k: int) -> f32[double(k)] where k >= 0 = zeros([double(k)])
def met(x: f32[*s], y: f32[*t]) -> f32[*broadcasted(s, t)] = x + y
def product(x: f32[*s], y: f32[*t]) -> f32[*contracted(s, t)] = x @ y
static def chosen_shape(s: shape, t: shape) -> shape = if len(s) == 0 then t else contracted(s, t)
def scale(x: f32[*s], y: f32[*t]) -> f32[*chosen_shape(s, t)] = zeros(chosen_shape(s, t))
def turned(x: f32[*s], static t: shape) -> f32[*reshaped(s, t)] = reshape(x, t)
def over(x: f32[*s], *, static axis: axes) -> f32 = sum(sum(x, axis=axis))
def relu_only(x: f32[n], static a: Act) -> f32[n] where a == Relu = x
def named(x: f32[n], static name: str) -> f32[n] where name == "a" or name == "b" = x
def dots[a: Float](x: a[n], y: a[n]) -> a = dot(x, y)
def added[a: Num](x: a[n], k: a) -> a[n] = x + k
def scaled[P: VSpace](p: P, q: P, lr: f32) -> P = p - tree_map(fn x -> cast(lr, x.dtype) * x, q)
def plain(x: f32) -> f32 = 2.0 * x
def lone(i: idx[n]) -> i32 = i
def byte(i: u8, static k: int) -> u8 = i + k
def summed(x: f32[n]) -> f32 = sum(x)
def joined(x: f32[*s], y: f32[*s], static axis: int) = concatenate((x, y), axis=axis)
type Made = {d: dtype}
def made(static d: dtype = f32) -> d[2] = zeros([2], d)
def made_of(static d: Float = f32) -> d[2] = zeros([2], d)
def made_with(static c: Made) = zeros([2], c.d)
def piled(x: f32[*s], y: f32[*s], static axis: int) = stack((x, y), axis=axis)
"""
X = np.arange(3, dtype=np.float32)
M = np.ones((2, 3), np.float32)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


def test_axes_are_counted_from_both_ends(program: dsl.Program) -> None:
    for axis in (0, 1, -1, -2):
        np.testing.assert_allclose(program.total(M, axis=axis), M.sum(axis))
        np.testing.assert_allclose(program.joined(M, M, axis), np.concatenate((M, M), axis))
    for axis in (0, 1, 2, -1, -2, -3):
        np.testing.assert_allclose(program.piled(M, 2 * M, axis), np.stack((M, 2 * M), axis))
    np.testing.assert_allclose(program.over(M, axis=(0, -1)), 6)


class Named(NamedTuple):
    w: Any
    b: Any


@dataclass
class Data:
    w: Any
    b: Any


@pytest.mark.parametrize("make", [dict, Named, Data])
def test_records_come_in_any_container(program: dsl.Program, make: Callable[..., Any]) -> None:
    np.testing.assert_allclose(program.predict(make(w=X, b=np.float32(1)), M), [4, 4])


@pytest.mark.parametrize("make", [dict, Named, Data])
def test_records_come_back_in_the_container_they_were_given_in(program: dsl.Program, make: Callable[..., Any]) -> None:
    result = program.shifted(make(w=X, b=1.0))
    assert type(result) is make
    assert float(result["b"] if make is dict else result.b) == 2.0


def test_numbers_and_lists_adapt(program: dsl.Program) -> None:
    np.testing.assert_allclose(program.predict({"w": [1.0, 2.0, 3], "b": 1}, [[1, 1, 1]]), [7])


def test_value_preserving_conversions_are_done(program: dsl.Program) -> None:
    result = program.wide(np.array([1, 2], np.int32))
    assert result.dtype == np.float64
    np.testing.assert_allclose(program.wide(X), X)


def test_tuples(program: dsl.Program) -> None:
    np.testing.assert_allclose(program.pair((2.0, X)), 2 * X)
    np.testing.assert_allclose(program.pair([2.0, X]), 2 * X)


def test_results_are_arguments(program: dsl.Program) -> None:
    once = program.both(X, X)
    np.testing.assert_allclose(program.both(once, once), 4 * X)


def test_static_arguments_and_defaults(program: dsl.Program) -> None:
    np.testing.assert_allclose(program.times(X, 2), 2 * X)
    np.testing.assert_allclose(program.times(X, k=2, s=0.5), X)


def test_variants(program: dsl.Program) -> None:
    np.testing.assert_allclose(program.act(-X, program.Relu), 0 * X)
    np.testing.assert_allclose(program.act(X, program.Leaky(0.5)), X / 2)
    assert repr(program.Leaky(0.5)) == "Leaky(0.5)"


def test_divisors_come_before_what_is_stated(program: dsl.Program) -> None:
    np.testing.assert_array_equal(program.rows(X, 3), [X])
    assert program.rows.type.endswith("where k >= 1 and n % k == 0")


def test_alternatives_stand_in_parentheses(program: dsl.Program) -> None:
    assert program.choice.type.endswith("where (k >= 2 or n >= 9) and k != 5")


def test_sizes_are_solved(program: dsl.Program) -> None:
    np.testing.assert_allclose(program.half(np.arange(4, dtype=np.float32)), [0, 1])


Bad = Callable[[dsl.Program], Any]
WRONG: dict[str, tuple[str, Bad, str]] = {
    "an array for a record": ("E0901", lambda m: m.predict(X, M), "p is f32[3], not Params[d]"),
    "words": ("E0901", lambda m: m.both(["a"], X), "x is a list, not f32[n]"),
    "a lossy conversion": (
        "E0902",
        lambda m: m.predict({"w": X.astype(np.float64), "b": 0.0}, M),
        "p.w is f64[3], but f32[d] is expected",
    ),
    "too few axes": ("E0903", lambda m: m.predict({"w": X, "b": 0.0}, X), "x has 1 axes, its type has 2"),
    "sizes that disagree": (
        "E0904",
        lambda m: m.both(X, X[:2]),
        "n is 3 according to x (axis 0) but 2 according to y (axis 0)",
    ),
    "a missing argument": ("E0905", lambda m: m.both(X), "`y` is missing"),
    "an unknown name": ("E0906", lambda m: m.both(X, X, z=X), "both has no parameter `z`"),
    "a misspelled name": ("E0906", lambda m: m.both(X, X, yy=X), "both has no parameter `yy`; did you mean `y`?"),
    "too many": ("E0906", lambda m: m.both(X, X, X), "both takes 2 positional arguments, 3 were given"),
    "one by position that is given by name": ("E0906", lambda m: m.times(X, 2, 3.0), "times takes `s` by name: `s=…`"),
    "twice": ("E0907", lambda m: m.both(X, x=X), "`x` is given twice"),
    "a missing field": ("E0908", lambda m: m.predict({"w": X}, M), "p has no field `b`"),
    "a field too much": ("E0908", lambda m: m.predict({"w": X, "b": 0.0, "c": 1}, M), "has a field `c`"),
    "a static of another kind": ("E0909", lambda m: m.times(X, 1.5), "k is 1.5, not a static int"),
    "a variant of nothing": (
        "E0909",
        lambda m: m.act(X, "Rely"),
        "a is 'Rely', and Act has no such variant; did you mean `Relu`?",
    ),
    "a variant as text without its parts": (
        "E0909",
        lambda m: m.act(X, "leaky"),
        "a is Leaky, which has fields: write `Leaky(slope)`",
    ),
    "a variant as text with parts that do not fit": ("E0909", lambda m: m.act(X, "Leaky(1, 2)"), "Leaky takes (slope)"),
    "a number too large": ("E0910", lambda m: m.small(300), "x is 300, which u8 cannot hold (0 to 255)"),
    "a float for an integer": ("E0910", lambda m: m.small(1.0), "x is 1.0, and u8 is an integer type"),
    "a number that overflows": (
        "E0910",
        lambda m: m.predict({"w": X, "b": 1e300}, M),
        "which f32 cannot hold",
    ),
    "an axis that is not there": (
        "E0911",
        lambda m: m.total(M, axis=2),
        "`total` needs has_axis(s, axis); here axis = 2, s = [2, 3]",
    ),
    "shapes that do not broadcast": (
        "E0911",
        lambda m: m.met(M, np.ones(2, np.float32)),
        "`met` needs broadcasted(s, t); [2, 3] and [2] do not broadcast",
    ),
    "a shape of other elements": (
        "E0911",
        lambda m: m.turned(M, (5,)),
        "`turned` needs reshaped(s, t); [2, 3] and [5] have not as many elements",
    ),
    "inner sizes that differ": (
        "E0911",
        lambda m: m.product(M, M),
        "`product` needs contracted(s, t); [2, 3] and [2, 3] have different inner sizes",
    ),
    "inner sizes of the shape that is chosen": (
        "E0911",
        lambda m: m.scale(M, M),
        "`scale` needs contracted([2, 3], [2, 3]); [2, 3] and [2, 3] have different inner sizes",
    ),
    "an axis twice": ("E0911", lambda m: m.over(M, axis=(0, -2)), "`over` needs has_axis(s, axis)"),
    "another variant": ("E0911", lambda m: m.relu_only(X, m.Leaky(0.1)), "needs a == Relu; here a = Leaky(0.1)"),
    "another text": ("E0911", lambda m: m.named(X, "c"), 'needs name == "a" or name == "b"; here name = "c"'),
    "a divisor of 0": ("E0911", lambda m: m.rows(X, 0), "`rows` needs k >= 1; here k = 0"),
    "a divisor below 0": ("E0911", lambda m: m.rows(X, -1), "`rows` needs k >= 1; here k = -1"),
    "a divisor of 0 in the sizes to be solved": ("E0911", lambda m: m.grouped(X, X, 0), "needs k >= 1; here k = 0"),
    "a divisor of 0 in the bound of an index": ("E0911", lambda m: m.block(X, 0, X[:0]), "needs k >= 1; here k = 0"),
    "a step of 0": ("E0911", lambda m: m.every(X, 0), "`every` needs k >= 1; here k = 0"),
    "a step below 0": ("E0911", lambda m: m.every(X, -1), "`every` needs k >= 1; here k = -1"),
    "a constraint": ("E0911", lambda m: m.needs(X[:2]), "needs n >= 3; here n = 2"),
    "an index out of range": ("E0912", lambda m: m.pick(X, 3), "i holds 3, which is not an index below 3"),
    "a negative index": ("E0912", lambda m: m.pick(X, np.int32(-1)), "i holds -1"),
    "no solution": ("E0913", lambda m: m.half(X), "no size makes 2 * n equal to 3"),
    "a dtype outside its class": (
        "E0901",
        lambda m: m.dots([1.0], np.ones(1, np.int32)),
        "y is of i32, and `a` is a Float",
    ),
    "dtypes that disagree": (
        "E0904",
        lambda m: m.added(np.ones(1, np.int32), np.float32(1)),
        "a is i32 according to x but f32 according to k",
    ),
    "a leaf that is no vector": (
        "E0901",
        lambda m: m.scaled({"w": X, "n": np.int32(1)}, {"w": X, "n": np.int32(1)}, 0.1),
        "every leaf of a VSpace `P` is a float",
    ),
    "trees that differ": (
        "E0904",
        lambda m: m.scaled({"w": X}, {"v": X}, 0.1),
        "one type according to p and another according to q",
    ),
    "trees of other shapes": (
        "E0904",
        lambda m: m.scaled({"w": X}, {"w": X[1:]}, 0.1),
        "according to p and another according to q",
    ),
    "an integer beyond doubles": ("E0910", lambda m: m.plain(10**400), "x is an integer of 1329 bits"),
    "an array of one double": ("E0902", lambda m: m.plain(np.array(0.1)), "f64 to f32 may lose information"),
    "keys that are no names": ("E0908", lambda m: m.predict({0: X, 1: 1.0}, M), "p has no field `b`"),
    "an array for a static": ("E0909", lambda m: m.times(X, np.ones(2)), "k is array([1., 1.]), not a static int"),
    "a variant without its parts": (
        "E0909",
        lambda m: m.act(X, m.Leaky),
        "a is Leaky, which has fields: write `Leaky(",
    ),
    "a masked array": ("E0901", lambda m: m.summed(np.ma.array(X, mask=X > 1)), "x is a MaskedArray, not f32[n]"),
    "a size by name that is no size": ("E0909", lambda m: m.lone(0, n=1.5), "n is 1.5, not a static size"),
    "a seed that is none": ("E0914", lambda m: dsl.key(2**64), "a seed is an integer of 64 bits"),
    "a tangent of another shape": ("E0903", lambda m: dsl.jvp(m.summed, (X,), (X[1:],)), "the tangent of x is"),
    "a tangent of an integer": ("E0901", lambda m: dsl.jvp(m.grown, (X, 2), (X, 3)), "i32 has no tangent, `()` takes"),
    "no dtype": ("E0909", lambda m: m.made(d=None), "d is None, not a static dtype"),
    "no dtype of a class": ("E0909", lambda m: m.made_of(d=None), "d is None, not a static dtype"),
    "no dtype in a record": ("E0909", lambda m: m.made_with(c={"d": None}), "c is {'d': None}, not a static Made"),
    "an array for a dtype": ("E0909", lambda m: m.made(d=np.ones(2)), "not a static dtype"),
    "a list without items": ("E0911", lambda m: m.first(X, a=()), "`first` needs item(()), which has no value"),
    "a shape without end": (
        "E0911",
        lambda m: m.without_end(X),
        "`without_end` needs endless([3]), which has no value",
    ),
    "no list": ("E0911", lambda m: m.all_of(X), "`all_of` needs axis_sum(none), which has no value"),
    "an axis that is too long": ("E0911", lambda m: m.doubled(X, k=40), "the result of `doubled` has 1099511627776"),
    "pairs of three": ("E0909", lambda m: m.first(X, a=((1, 2, 3),)), "not a static pairs"),
    "a cotangent of another shape": ("E0903", lambda m: dsl.vjp(m.summed, X)[1](X), "expected f32, not float32[3]"),
    "a tuple of another length": ("E0915", lambda m: m.pair((1.0,)), "t has 1 parts"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(program: dsl.Program, name: str) -> None:
    code, call, words = WRONG[name]
    with pytest.raises(dsl.ArgumentError) as caught:
        call(program)
    assert caught.value.code == code
    assert words in str(caught.value)


@pytest.mark.parametrize("given", [dsl.f64, "f64", "float64", np.float64, np.dtype("f8"), float])
def test_dtypes_are_given_as_those_of_the_language_and_of_numpy(program: dsl.Program, given: Any) -> None:
    assert program.made(d=given).dtype == program.made_with(c={"d": given}).dtype == np.float64


def test_static_numbers_that_do_not_fit(program: dsl.Program) -> None:
    np.testing.assert_equal(np.asarray(program.byte(1, k=3)), 4)
    with pytest.raises(dsl.ArgumentError, match="`byte` needs 0 <= k < 256; here k = 300") as caught:
        program.byte(1, k=300)
    assert caught.value.code == "E0911"


def test_numbers_take_the_dtype_of_the_arrays(program: dsl.Program) -> None:
    for dtype in (np.float64, np.int32, np.float16):
        result = program.added(np.ones(2, dtype), 3)
        assert result.dtype == dtype
        np.testing.assert_array_equal(result, [4, 4])
    assert program.dots([1.0], np.ones(1)).dtype == np.float64
    assert program.dots(np.ones(1, np.float32), np.ones(1)).dtype == np.float64
    assert program.dots([1], [2]).dtype == np.float32


def test_doubles_of_numpy_are_numbers(program: dsl.Program) -> None:
    for number in (np.float64(0.5), 0.5, np.float64(0.5), np.float32(0.5)):
        assert float(program.plain(number)) == 1.0


def test_trees_may_be_mapped_in_part(program: dsl.Program) -> None:
    steps = dsl.vmap(program.scaled, in_axes=(None, 0, None))({"w": X}, {"w": np.ones((2, 3), np.float32)}, 1.0)
    np.testing.assert_allclose(steps["w"], np.stack([X - 1, X - 1]))


def test_all_problems_of_a_call_are_reported(program: dsl.Program) -> None:
    with pytest.raises(dsl.ArgumentError) as caught:
        program.both(X.astype(np.float64), "x")
    assert [d.code for d in caught.value.diagnostics] == ["E0902", "E0901"]


def test_elements_are_checked_at_every_call(program: dsl.Program) -> None:
    program.small(3)
    with pytest.raises(dsl.ArgumentError):
        program.small(256)
    program.pick(X, 1)
    with pytest.raises(dsl.ArgumentError):
        program.pick(X, 5)


def test_later_writes_to_an_argument_are_not_seen(program: dsl.Program) -> None:
    x = np.ones(1000, np.float32)
    result = program.both(x, x)
    x[:] = 7
    np.testing.assert_allclose(result, 2)


LARGE = """
static def ones(k: int) -> ints = [1 for _ in range(k)]
static def power(k: int) -> int = 2 ** (k * 1000)
def deep(x: f32[*s], static k: int) -> f32[*s + ones(k)] where k >= 0 = reshape(x, s + ones(k))
def below(x: f32[n], static k: int) -> f32[n] where n < power(k) = x
"""


@pytest.mark.parametrize(("name", "fits", "exceeds"), [("deep", 2, 20_000), ("below", 2, 20)])
def test_what_a_static_argument_makes_too_large(name: str, fits: int, exceeds: int) -> None:
    function = getattr(dsl.program(LARGE), name)
    assert function(np.ones(2, np.float32), k=fits).size == 2
    with pytest.raises(dsl.DslError, match="too large") as caught:
        function(np.ones(2, np.float32), k=exceeds)
    assert caught.value.code == "E0506"


@pytest.mark.parametrize("kind", [int, np.int64, np.uint64, np.int32, np.int8, np.asarray])
def test_integers_of_numpy_without_axes_are_numbers(program: dsl.Program, kind: Callable[[int], Any]) -> None:
    assert (int(program.small(kind(7))), float(program.plain(kind(7)))) == (7, 14.0)


@pytest.mark.parametrize("number", [np.int64(256), np.int64(-1), np.uint64(2**63), np.asarray(300), np.float64(1)])
def test_integers_of_numpy_beyond_the_dtype_are_refused(program: dsl.Program, number: Any) -> None:
    program.small(np.int64(7))
    with pytest.raises(dsl.ArgumentError) as caught:
        program.small(number)
    assert caught.value.diagnostics[0].code == "E0910"


def test_one_pair_and_one_integer_are_lists_of_pairs(program: dsl.Program) -> None:
    assert [program.first(X, a=given).size for given in (2, (1, 3), ((1, 4), (0, 0)))] == [2, 3, 4]


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda m, i: m.pick(X, i), "i: idx[n]"),
        (lambda m, i: m.added(X[:2], i / 4 if i < 3 else 1e300), "k: a"),
        (lambda m, i: m.byte([0, 300][i > 2], k=1), "i: u8"),
    ],
)
def test_elements_are_refused_at_their_parameter_by_every_call(
    program: dsl.Program, call: Callable[[dsl.Program, int], Any], parameter: str
) -> None:
    """The first call of a kind finds out how its arguments are bound; those after it go the short way."""
    places = []
    for i in (9, 0, 9):
        try:
            call(program, i)
        except dsl.ArgumentError as error:
            span = error.diagnostics[0].primary.span
            places.append(TEXT[span.start :].startswith(parameter))
    assert places == [True, True]
