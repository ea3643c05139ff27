"""How many functions of Python a call runs: as many as if all calls before had been like it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pytest

import dsl
from dsl.host.calls.dispatch import TURNS
from lowering.xla import starts
from tests.support.python_calls import python_calls


@pytest.fixture(autouse=True)
def runs_are_brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start of a program has no detour after the first run, however long that takes on a busy machine."""
    monkeypatch.setattr(starts, "BRIEF", math.inf)


TEXT = """
def flat(w: f32[d], b: f32, x: f32[n, d], y: f32[n]) -> f32 = mean((x @ w + b - y) ** 2.0)
def record(p: {w: f32[d], b: f32}, x: f32[n, d], y: f32[n]) -> f32 = mean((x @ p.w + p.b - y) ** 2.0)
def times(x: f32[n], static k: int) -> f32[n] = x * f32(k)
import random
def noise(x: f32[n]) -> f32[n] ! rand = x + random.normal(fresh_key(), [n])
def whole(x: i32) -> i32 = x + 1
def seeded(ks: key[n]) -> f32[n] = [random.normal(k) for k in ks]
"""
Args = tuple[Any, ...]


def arrays(n: int) -> Args:
    make = np.random.default_rng(n).normal
    return tuple(np.asarray(make(size=shape), np.float32) for shape in ((3,), (), (n, 3), (n,)))


def on_device(args: Args) -> Args:
    return tuple(map(dsl.array, args))


def with_step(kind: Callable[[float], Any]) -> Callable[[Args], Args]:
    return lambda args: (args[0], kind(0.5), *args[2:])


KINDS: dict[str, Callable[[Args], Args]] = {
    "NumPy": lambda args: args,
    "device": on_device,
    "a scalar of NumPy": with_step(np.float32),
    "a scalar beside arrays of the device": lambda args: with_step(np.float32)(on_device(args)),
    "a number beside arrays of the device": lambda args: with_step(float)(on_device(args)),
    "a number": with_step(float),
    "parameters on the device": lambda args: (*on_device(args[:2]), *args[2:]),
}
FORMS: dict[str, Callable[[Args], Args]] = {
    "flat": lambda args: args,
    "record": lambda args: ({"w": args[0], "b": args[1]}, *args[2:]),
}


def fresh(form: str) -> Callable[[Args], Any]:
    function, shaped = getattr(dsl.program(TEXT), form), FORMS[form]
    return lambda args: function(*shaped(args))


@pytest.mark.parametrize("form", FORMS)
def test_a_call_costs_what_it_costs_alone(form: str) -> None:
    """After a call of any other kind, and in turns with it, few things are found out anew."""
    host = arrays(8)
    alone = {}
    for name, kind in KINDS.items():
        call, args = fresh(form), kind(host)
        call(args)
        alone[name] = python_calls(partial(call, args))
    assert alone["device"] < alone["NumPy"] <= 12
    for first, second in permutations(KINDS, 2):
        call, args = fresh(form), (KINDS[first](host), KINDS[second](host))
        for _ in range(2):
            for given in args:
                call(given)
        for name, given in zip((first, second), args, strict=True):
            assert python_calls(partial(call, given)) <= max(alone[name], 10) + 14, (first, second, name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_any_number_of_sizes_take_turns(form: str, kind: str) -> None:
    call, all_args = fresh(form), [KINDS[kind](arrays(n)) for n in range(2, 14)]
    expected = [float(call(args)) for args in all_args]
    counts = [python_calls(partial(call, args)) for args in all_args]
    assert max(counts) <= 24 + TURNS
    assert [float(call(args)) for args in all_args] == expected


def test_a_key_of_the_device_stays_there() -> None:
    """No call waits for its key."""
    noise, x, key = dsl.program(TEXT).noise, dsl.array(np.ones(3, np.float32)), dsl.key(1)
    expected = np.asarray(noise(x, key=1))
    np.testing.assert_array_equal(noise(x, key=key), expected)
    assert python_calls(lambda: noise(x, key=key)) <= 22


def test_a_key_is_an_array_like_others() -> None:
    """It is compared by its type, and nothing is called for it; seeds and words in turns give the same numbers."""
    noise, x, key = dsl.program(TEXT).noise, dsl.array(np.ones(3, np.float32)), dsl.key(1)
    for _ in range(3):
        expected = noise(x, key=key).tolist()
    assert python_calls(lambda: noise(x, key=key)) <= 2 + 1
    words: list[Any] = [key, 1, np.asarray(key), key, np.array([0, 1], np.uint32), np.int64(1), key]
    for first, second in permutations(words, 2):
        for given in (first, first, second, first):
            assert noise(x, key=given).tolist() == expected
    wrong: list[Any] = [np.zeros(3, np.uint32), np.zeros(2, np.int32), dsl.array(np.zeros(2, np.int32)), 1.0, None, x]
    for right in (key, np.asarray(key)):
        for bad in wrong:
            for _ in range(2):
                assert noise(x, key=right).tolist() == expected
            with pytest.raises(dsl.ArgumentError) as caught:
                noise(x, key=bad)
            assert caught.value.code == "E0914"
    with pytest.raises(dsl.ArgumentError):
        noise(x)


@pytest.mark.parametrize(("name", "value"), [("whole", np.int64(3)), ("seeded", np.arange(3))])
def test_what_is_accepted_does_not_depend_on_calls_before(name: str, value: Any) -> None:
    """Integers of NumPy are read like numbers of Python; arrays of the device of the same type are not."""
    refused = dsl.array(value)
    for before in (refused, value):
        function = getattr(dsl.program(TEXT), name)
        for given in (before, refused):
            if given is value:
                function(given)
            else:
                with pytest.raises(dsl.ArgumentError) as caught:
                    function(given)
                assert caught.value.code in ("E0902", "E0914")


def test_a_record_takes_one_function_for_each_of_four_steps() -> None:
    """The call, the look at what is known, a reader for each container, the run, and the container of the result."""
    swap = dsl.program("def swap(p: {a: f32[n], b: f32[n]}) -> {a: f32[n], b: f32[n]} = {a = p.b, b = p.a}").swap
    record = {name: dsl.array(np.full(3, k, np.float32)) for k, name in enumerate("ab")}
    for _ in range(2):
        found = swap(record)
    assert python_calls(partial(swap, record)) <= 5 + 2  # older Pythons count comprehensions
    assert type(found) is dict and [float(found[name][0]) for name in "ab"] == [1.0, 0.0]
    assert swap({"a": record["a"]} | record)["a"].tolist() == [1.0] * 3
    with pytest.raises(dsl.ArgumentError):
        swap({**record, "c": record["a"]})


HOT = """
def one(x: f32[n]) -> f32[n] = x * 2.0
def three(x: f32[n], y: f32[n], z: f32[n]) -> f32 = sum(x + y + z)
def pair(x: f32[n]) -> (f32[n], f32[n]) = (x, x + 1.0)
def record(p: {b: f32[n], a: f32[n]}) -> {b: f32[n], a: f32[n]} = {b = p.a, a = p.b}
def times(x: f32[n], static k: int) -> f32[n] = x * f32(k)
def nested(p: ({b: f32[n], a: f32[n]}, f32[n]), y: f32[n], static k: int = 1) -> f32[n] =
    (p.0.a - p.0.b + p.1) * y * f32(k)
def picked(x: f32[n], i: idx[n][m]) -> f32[m] = x[i]
def scaled(x: f32[n], s: f32) -> f32[n] = x * s
def shifted(x: f32[n], k: i32) -> f32[n] = x + f32(k)
def chosen(yes: bool, p: {s: f32}, x: f32[n]) -> f32[n] = where(yes, x * p.s, x)
def half(x: f16, y: bf16) -> f32 = f32(x) + f32(y)
"""


@pytest.mark.parametrize("kind", [dsl.array, np.asarray], ids=["device", "NumPy"])
def test_a_call_like_the_one_before_is_one_function(kind: Callable[[Any], Any]) -> None:
    """Nothing is looked up of the program: the call itself, what reads a record, and what builds one."""
    program, x, i = dsl.program(HOT), kind(np.ones(3, np.float32)), kind(np.array([0, 2], np.int32))
    calls: list[tuple[Callable[..., Any], Args, dict[str, Any], int]] = [
        (program.one, (x,), {}, 1),
        (program.three, (x, x, x), {}, 1),
        (program.pair, (x,), {}, 2),
        (program.record, ({"a": x, "b": x},), {}, 2),
        (program.times, (x, 3), {}, 1),
        (program.times, (x,), {"k": 3}, 1),
        (program.nested, (({"a": x, "b": x}, x), x), {"k": 2}, 1),
        (program.picked, (x, i), {}, 3 if kind is dsl.array else 8),  # the least and the greatest, by NumPy
        (program.scaled, (x, 2.0), {}, 5),
        (program.scaled, (x,), {"s": np.float32(2)}, 5),
        (program.shifted, (x, 2), {}, 5),
        (program.chosen, (True, {"s": 2.0}, x), {}, 5),
    ]
    landing = 0 if kind is dsl.array else 4  # memory to land in is taken and left, at the place that is chosen
    for function, args, named, most in calls:
        for _ in range(3):
            function(*args, **named)
        assert python_calls(partial(function, *args, **named)) <= most + landing + 2  # comprehensions of older Pythons


@pytest.mark.parametrize("kind", [dsl.array, np.asarray], ids=["device", "NumPy"])
def test_indices_are_held_against_their_bound_in_every_call(kind: Callable[[Any], Any]) -> None:
    picked, x = dsl.program(HOT).picked, kind(np.arange(3, dtype=np.float32))
    for numbers in ([0, 2], [0, 2], [1, 1], [], []):
        assert picked(x, kind(np.array(numbers, np.int32))).tolist() == numbers
    for numbers in ([0, 3], [-1, 0]):
        for _ in range(2):
            with pytest.raises(dsl.ArgumentError, match="not an index below 3") as caught:
                picked(x, kind(np.array(numbers, np.int32)))
            assert caught.value.code == "E0912"
    changing = np.array([0, 2], np.int32)
    assert [picked(x, changing).tolist() for _ in range(3)] == [[0, 2]] * 3
    changing[0] = 3
    with pytest.raises(dsl.ArgumentError):
        picked(x, changing)


def test_containers_and_names_are_looked_at_in_every_call() -> None:
    """What is not as in the call before is found out, whatever is different."""
    nested, x = dsl.program(HOT).nested, dsl.array(np.ones(2, np.float32))
    part = {"a": 2.0 * x, "b": x}
    for k in (2, 2, 3, 3, 2):
        assert float(nested((part, x), x, k=k)[0]) == 2 * k
    wrong: list[tuple[Args, dict[str, Any]]] = [
        ((({"a": x, "c": x}, x), x), {"k": 2}),
        ((({**part, "c": x}, x), x), {"k": 2}),
        (((part, x, x), x), {"k": 2}),
        (((part, x),), {"k": 2}),
        (((part, x), x), {"j": 2}),
        (((part, x), x), {"k": True}),
    ]
    for args, named in wrong:
        assert float(nested((part, x), x, k=2)[0]) == 4
        with pytest.raises(dsl.ArgumentError):
            nested(*args, **named)
    assert float(nested((part, x), k=2, y=x)[0]) == float(nested([part, x], y=x, k=2)[0]) == 4
    assert float(nested((part, x), x)[0]) == 2


def test_numbers_are_held_against_their_dtype_in_the_way_of_the_last_call() -> None:
    """What an equal number of another kind gives, or one that does not fit, does not depend on the call before."""
    program, x = dsl.program(HOT), dsl.array(np.ones(2, np.float32))
    infinite, nan = float("inf"), float("nan")
    kinds: list[Any] = [2.0, 2, np.float32(2), np.float64(2), np.float16(2), np.array(2, np.float32), infinite, nan]
    for first, second in permutations(kinds, 2):
        for s in (first, first, second, second, first):
            np.testing.assert_array_equal(program.scaled(x, s), np.float32(s) * np.ones(2))
    for k in (3, 3, np.int64(3), 2**31 - 1, -(2**31), 3):
        assert program.shifted(x, k).tolist() == [np.float32(1 + int(k))] * 2
    wrong: list[tuple[dsl.Function, Any]] = [
        (program.scaled, 1e39),
        (program.scaled, -(2**200)),
        (program.scaled, True),
        (program.scaled, 2j),
        (program.shifted, 2**31),
        (program.shifted, 2.0),
        (program.shifted, True),
    ]
    for function, number in wrong:
        for _ in range(2):
            assert function(x, 2)[0] == (2.0 if function is program.scaled else 3.0)
        with pytest.raises(dsl.ArgumentError) as caught:
            function(x, number)
        assert caught.value.code == "E0910"
    for yes in (True, True, False, False, np.bool_(True), True):
        assert program.chosen(yes, {"s": 2.0}, x).tolist() == [2.0 if yes else 1.0] * 2
    with pytest.raises(dsl.ArgumentError):
        program.chosen(1, {"s": 2.0}, x)
    for number in (0.5, 0.5, 1.5, 65504.0, 0.5):
        assert float(program.half(number, 0.25)) == number + 0.25
    for large in (1, 2**63, 2**63, 2**100, 1, 1e38, 2**63):
        assert float(program.half(0.0, large)) == pytest.approx(float(large), rel=2**-8)
    with pytest.raises(dsl.ArgumentError):
        program.half(65600.0, 0.25)


@dataclass
class Late:
    a: Any
    b: Any
    c: Any = field(init=False)


@dataclass
class Pair:
    a: Any
    b: Any


class Packed(msgspec.Struct):
    a: Any
    b: Any


@pytest.mark.parametrize("kind", [dsl.array, np.asarray], ids=["device", "NumPy"])
@pytest.mark.parametrize("make", [Pair, Packed, SimpleNamespace])
def test_fields_that_an_object_loses_or_gets_are_found_out(
    make: Callable[..., Any], kind: Callable[[Any], Any]
) -> None:
    record, x = dsl.program(HOT).record, kind(np.ones(2, np.float32))
    given = make(a=x, b=x)
    for _ in range(3):
        assert record(given).a.tolist() == [1.0, 1.0]
    del given.a
    with pytest.raises(dsl.ArgumentError, match="no field `a`"):
        record(given)
    given.a = x
    assert record(given).a.tolist() == [1.0, 1.0]
    if make is SimpleNamespace:
        given.c = x
        with pytest.raises(dsl.ArgumentError, match="a field `c`"):
            record(given)


def test_a_declared_field_that_an_object_gets_later_is_found_out() -> None:
    record, x = dsl.program(HOT).record, dsl.array(np.ones(2, np.float32))
    given = Late(x, x)
    for _ in range(3):
        assert record(given).a.tolist() == [1.0, 1.0]
    given.c = x
    with pytest.raises(dsl.ArgumentError, match="a field `c`"):
        record(given)
    del given.c
    assert record(given).a.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("inner", [False, True], ids=["alone", "within a record"])
def test_a_field_may_have_a_name_that_python_keeps_for_itself(inner: bool) -> None:
    kind = "{a: {class: f32[n], b: f32[n]}}" if inner else "{class: f32[n], b: f32[n]}"
    program = dsl.program(f"def f(p: {kind}) -> f32[n] = p{'.a' if inner else ''}.class")
    x = np.ones(2, np.float32)
    part = SimpleNamespace(**{"class": x, "b": x})
    for _ in range(3):
        assert program.f({"a": part} if inner else part).tolist() == [1.0, 1.0]


def test_the_way_of_the_last_call_takes_no_other() -> None:
    """Each call after another of a like form gives what it gives in a program of its own."""
    x, other = np.arange(3, dtype=np.float32), np.arange(4, dtype=np.float32)
    kinds: list[Args] = [
        (dsl.array(x),),
        (x,),
        (dsl.array(other),),
        (other,),
        (x[::-1],),
        (x.astype(">f4"),),
        ([1.0, 2.0],),
        (np.float32(2) * np.ones((), np.float32) + np.zeros(2, np.float32),),
    ]
    expected = [np.asarray(dsl.program(HOT).one(*args)) for args in kinds]
    one = dsl.program(HOT).one
    for first, second in permutations(range(len(kinds)), 2):
        for k in (first, first, second, second, first):
            np.testing.assert_array_equal(one(*kinds[k]), expected[k])
    with pytest.raises(dsl.ArgumentError):
        one(dsl.array(x), dsl.array(x))
    with pytest.raises(dsl.ArgumentError):
        one()
    np.testing.assert_array_equal(one(x=dsl.array(x)), x * 2)


def test_many_arrays_are_looked_at_in_a_loop() -> None:
    names = [f"x{k}" for k in range(70)]
    text = f"def total({', '.join([f'{name}: f32[n]' for name in names])}) -> f32[n] = {' + '.join(names)}"
    total, xs = dsl.program(text).total, [dsl.array(np.full(2, k, np.float32)) for k in range(70)]
    for _ in range(3):
        np.testing.assert_array_equal(total(*xs), np.full(2, sum(range(70))))
    assert python_calls(partial(total, *xs)) <= 3
    np.testing.assert_array_equal(total(np.asarray(xs[0]), *xs[1:]), np.full(2, sum(range(70))))
    with pytest.raises(dsl.ArgumentError):
        total(*xs[1:])


def test_static_values_are_compared_in_the_way_of_the_last_call() -> None:
    times, x = dsl.program(HOT).times, dsl.array(np.ones(2, np.float32))
    for k in (2, 2, 2, 3, 2, 3, 3, 3):
        assert float(times(x, k)[0]) == k
    with pytest.raises(dsl.ArgumentError, match="k is True"):
        times(x, True)


def test_checks_of_earlier_calls_are_waited_for() -> None:
    """An array whose check is not over is given on with its check, after any number of calls without one."""
    program = dsl.program(
        "def root(x: f32) -> f32 ! check =\n    assert x >= 0.0\n    sqrt(x)\ndef next(x: f32) -> f32 = x + 1.0\n"
    )
    fine, bad = dsl.array(np.float32(4)), dsl.array(np.float32(-1))
    for _ in range(3):
        assert float(program.next(fine)) == 5
    assert float(program.next(program.root(fine))) == 3
    later = program.next(program.root(bad))
    with pytest.raises(dsl.CheckError):
        float(later)
    with dsl.nan_checks(), pytest.raises(dsl.CheckError, match="NaN"):
        program.next(dsl.array(np.float32("nan")))


def test_a_chosen_device_is_looked_at_in_every_call() -> None:
    one, x = dsl.program(HOT).one, np.ones(3, np.float32)
    first, second, *_ = dsl.devices()
    for device in (first, first, second, first, second, second):
        with dsl.default_device(device):
            assert one(x).device == device
    assert one(dsl.array(x)).device == first


RESULTS = """
enum Kind = Once | Twice
def flat(x: f32[n]) -> {b: f32[n], a: f32[n]} = {b = x, a = -x}
def nested(x: f32[n]) -> (f32[n], {p: ({q: f32[n]}, ()), o: f32}) = (x, {p = ({q = x + 1.0}, ()), o = sum(x)})
def given(p: {w: f32[n], b: f32[n]}) -> ({w: f32[n], b: f32[n]}, f32[n]) = ({w = p.b, b = p.w}, p.w)
def known(x: f32[n], static kind: Kind = Twice) -> (f32[n], Kind, int, {}) = (x, kind, len(x), {})
def keys(x: f32[n], k: key) -> (f32[n], {k: key[2]}) = (x, {k = split(k)})
def decided(x: f32[n]) -> {some: f32[?k], all: f32[n]} where ?k <= n = {some = x[x > 1.0], all = x}
"""


class Weights(NamedTuple):
    w: Any
    b: Any


def leaves_and_kinds(value: Any) -> Any:
    """A value as data that compares: kinds and orders of containers, and elements."""
    if isinstance(value, dict):
        return dict, [(name, leaves_and_kinds(part)) for name, part in value.items()]
    if isinstance(value, tuple):
        return type(value), [leaves_and_kinds(part) for part in value]
    if isinstance(value, dsl.Array):
        return repr(value)
    return type(value), value


@pytest.mark.parametrize("name", ["flat", "nested", "given", "known", "keys", "decided"])
@pytest.mark.parametrize("kind", [dsl.array, np.asarray], ids=["device", "NumPy"])
def test_all_calls_build_their_results_alike(name: str, kind: Callable[[Any], Any]) -> None:
    """The first call is the general one, the third the one that is written out, and a list goes the general way."""
    x = np.arange(4, dtype=np.float32)
    args: tuple[Any, ...] = (kind(x),)
    if name == "given":
        args = (Weights(kind(x), kind(x + 1)),)
    elif name == "keys":
        args = (kind(x), dsl.key(1))
    f = getattr(dsl.program(RESULTS), name)
    first, *later = [leaves_and_kinds(f(*args)) for _ in range(4)]
    assert all(result == first for result in later)
    assert leaves_and_kinds(f.interpret(*args))[0] == first[0]


class Box(NamedTuple):
    a: Any


@pytest.mark.parametrize("depth", [63, 64, 65, 100])
def test_results_are_as_deep_as_types_may_be(depth: int) -> None:
    """Python reads no more than 200 brackets within one another; a container of a class takes two."""
    kind = "(f32[n], key)"
    value: Any = (np.ones(2, np.float32), dsl.key(1))
    for _ in range(depth - 1):
        kind, value = f"{{a: {kind}}}", Box(value)
    same = dsl.program(f"def same(p: {kind}) -> {kind} = p").same
    for _ in range(3):
        found, count = same(value), 1
        while isinstance(found, Box):
            found, count = found.a, count + 1
        assert count == depth and found[0].tolist() == [1.0, 1.0]


def test_functions_of_one_form_have_values_of_their_own() -> None:
    """Calls of the same form share their text."""
    m = dsl.program(
        "def up(x: f32[n]) -> {a: f32[n]} = {a = x + 1.0}\ndef down(x: f32[n]) -> {a: f32[n]} = {a = x - 1.0}"
    )
    x = np.arange(3, dtype=np.float32)
    for k in range(20):
        np.testing.assert_array_equal(m.up(x + k)["a"], x + k + 1)
        np.testing.assert_array_equal(m.down(x + k)["a"], x + k - 1)


@pytest.mark.parametrize("wrong", [{"a": 1}, {"a": 1, "c": 1}, {"a": 1, "b": 1, "c": 1}, {}, {"a": 1, "b": {}}])
@pytest.mark.parametrize("kind", [dsl.array, np.asarray], ids=["device", "NumPy"])
def test_other_fields_after_the_right_ones(wrong: dict[str, Any], kind: Callable[[Any], Any]) -> None:
    f, x = dsl.program("def f(p: {a: f32[n], b: f32[n]}) -> f32[n] = p.a - p.b").f, kind(np.ones(3, np.float32))
    for _ in range(3):
        f({"a": x, "b": x})
        f({"b": x, "a": x})
        with pytest.raises(dsl.ArgumentError):
            f({name: x if value == 1 else value for name, value in wrong.items()})
