"""Small results of one run lie in one buffer; nobody sees that but by the time it takes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.host.calls import known_calls
from dsl.host.calls.dispatch import TURNS
from dsl.ir.function import Tensor
from dsl.types.dtype import BOOL, F32, I32
from lowering.lowered import Lowered
from lowering.xla import hot_calls
from lowering.xla.parts import COPIES, FULL, IN_TURN, SEVERAL, Joined, PlacedPart, packs_of
from lowering.xla.places import Place
from lowering.xla.result_buffers import LIMIT
from tests.support.python_calls import python_calls

KINDS = ("bool", "i8", "u16", "i32", "u32", "i64", "f16", "bf16", "f32", "f64", "c64")
SHAPES = ("[n]", "", "[n, 2]", "[0]", "[2, n]", "[1]")


def state_text(dtype: str) -> str:
    fields = ", ".join(f"p{k}: {dtype}{shape}" for k, shape in enumerate(SHAPES))
    turned = ", ".join(f"p{k} = s.p{k}" for k in range(len(SHAPES)))
    return f"def step(s: {{{fields}}}) = {{{turned}}}\n"


def state_of(dtype: str, n: int, seed: int) -> dict[str, Any]:
    make = np.random.default_rng(seed)
    kind = getattr(dsl, "bool_" if dtype == "bool" else dtype).numpy
    shapes: Sequence[tuple[int, ...]] = ((n,), (), (n, 2), (0,), (2, n), (1,))
    return {f"p{k}": np.asarray(make.integers(0, 100, size=shape)).astype(kind) for k, shape in enumerate(shapes)}


def is_part(x: Any) -> bool:
    return type(x._impl) is Joined


@pytest.mark.parametrize("dtype", KINDS)
def test_elements_of_all_dtypes_are_those_of_arrays_alone(dtype: str) -> None:
    step, state = dsl.program(state_text(dtype)).step, state_of(dtype, 5, 1)
    current: Any = state
    for _ in range(10):
        current = step(current)
        assert [is_part(current[name]) for name in state] == [x.size > 0 for x in state.values()]
        for name, x in state.items():
            found = current[name]
            assert (found.shape, found.dtype, found.device) == (x.shape, x.dtype, dsl.devices()[0])
            np.testing.assert_array_equal(np.asarray(found), x)
            assert not np.asarray(found).flags.writeable
    for _ in range(10):
        again = step(current)
        for name, x in state.items():
            np.testing.assert_array_equal(np.asarray(again[name]), x)


TEXT = """
type S = {a: f32[n], b: f32[n], c: f32, d: f32[n, 2], k: i32}
def step(s: {a: f32[n], b: f32[n], c: f32, d: f32[n, 2], k: i32}, x: f32[n])
    -> {a: f32[n], b: f32[n], c: f32, d: f32[n, 2], k: i32} =
    {a = s.a + x, b = s.b * 2.0, c = s.c + sum(x), d = s.d - 1.0, k = s.k + 1}
def mixed(a: f32[n], x: f32[n], b: f32[n], y: f32[n], c: f32[n]) -> (f32[n], f32[n], f32[n], f32[n], f32[n]) =
    (a + 1.0, x + 2.0, b + 3.0, y + 4.0, c + 5.0)
def one(x: f32[n]) -> f32[n] = x * 2.0
def three(x: f32[n], y: f32[n], z: f32[n]) -> f32[n] = x + 10.0 * y + 100.0 * z
def picked(x: f32[n], i: idx[n][m]) -> f32[m] = x[i]
def numbers(x: i32[n]) -> (i32[n], i32[n], i32[n], i32[n]) = (x, x + 1, x + 2, x + 100)
def pieces(x: f32[n]) -> (f32[n], f32[n], f32[n], f32[n]) = (x, x + 1.0, x + 2.0, x + 3.0)
def checked(x: f32[n]) -> (f32[n], f32[n], f32[n], f32[n]) ! check =
    assert x[0] >= 0.0 where n >= 1
    (x, x + 1.0, x + 2.0, x + 3.0)
"""
TEXT = TEXT.replace("type S = {a: f32[n], b: f32[n], c: f32, d: f32[n, 2], k: i32}\n", "").replace(
    "    assert x[0] >= 0.0 where n >= 1\n", "    assert sum(x) >= 0.0\n"
)


def start(n: int = 3) -> dict[str, Any]:
    f = np.float32
    return {"a": np.ones(n, f), "b": np.ones(n, f), "c": f(0), "d": np.zeros((n, 2), f), "k": np.int32(0)}


def expected(s: dict[str, Any], x: Any) -> dict[str, Any]:
    return {"a": s["a"] + x, "b": s["b"] * 2, "c": s["c"] + x.sum(), "d": s["d"] - 1, "k": s["k"] + 1}


def assert_same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert type(found) is dict and found.keys() == wanted.keys()
    for name, x in wanted.items():
        np.testing.assert_allclose(np.asarray(found[name]), x, rtol=1e-6)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """The arrays that were put into buffers of their own."""
    found: list[object] = []
    copied = Place.copied

    def count(self: Place, array: Any, placed: Any) -> Any:
        found.append(placed)
        return copied(self, array, placed)

    monkeypatch.setattr(Place, "copied", count)
    yield found


@pytest.mark.parametrize("kind", [dsl.array, np.asarray], ids=["device", "NumPy"])
def test_a_loop_makes_no_buffers(kind: Callable[[Any], Any], made: list[object]) -> None:
    """The results of a call are the arguments of the next: no call finds out more than the one before."""
    step, x = dsl.program(TEXT).step, kind(np.arange(3, dtype=np.float32))
    state: Any = start()
    wanted = start()
    counts = []
    for k in range(12):
        if k == 4:
            made.clear()
        before = state
        state, wanted = step(state, x), expected(wanted, np.asarray(x))
        assert_same(state, wanted)
        counts.append(python_calls(partial(step, before, x)))
    assert not made and len(set(counts[5:])) == 1
    assert counts[-1] <= 4 + 2 + 3 * (kind is np.asarray)


def test_the_parts_of_a_buffer_are_copied_at_once() -> None:
    """One copy for all that lie in the memory of arguments as they do in the buffer."""
    step, x = dsl.program(TEXT).step, dsl.array(np.ones(3, np.float32))
    state = start()
    for _ in range(5):
        state = step(state, x)
    entry, leaves = step.entry((state, x), {})
    given = entry.given(leaves)
    assert given is not None and [each.form for each in given] == ["part"] * 4 + ["ours"] * 2
    homes, wholes, runs = hot_calls._copies(entry.executable, given)
    assert wholes == ((0, 1, 2, 3),) and len(runs) == 1
    assert (runs[0].start, runs[0].stop, runs[0].at) == (0, 3 * 64 + 24, homes[0][0])


def test_arguments_that_are_used_again_get_buffers_of_their_own(made: list[object]) -> None:
    step, x = dsl.program(TEXT).step, dsl.array(np.ones(3, np.float32))
    state: Any = start()
    for _ in range(4):
        state = step(state, x)
    assert all(is_part(state[name]) for name in "abcd") and not is_part(state["k"])
    made.clear()
    wanted = step(state, x)
    for _ in range(3 * COPIES):
        assert_same(step(state, x), {name: np.asarray(value) for name, value in wanted.items()})
    assert not any(map(is_part, state.values())) and len(made) == 4
    assert python_calls(partial(step, state, x)) <= 2 + 2


def test_what_python_changes_between_calls_is_found_out() -> None:
    step, x = dsl.program(TEXT).step, dsl.array(np.ones(3, np.float32))
    first: Any = start()
    for _ in range(4):
        first = step(first, x)
    second = step(first, x)
    changed: list[dict[str, Any]] = [
        {**first, "a": second["a"]},
        {**first, "a": first["b"], "b": first["a"]},
        {**first, "a": first["b"], "b": first["b"]},
        {**second, "c": first["c"], "d": first["d"]},
        {**first, "a": np.full(3, 7, np.float32)},
        {**first, "b": dsl.array(np.full(3, 7, np.float32))},
        {**first, "c": 3.0},
        dict(reversed(first.items())),
    ]
    for _ in range(3):
        for each in changed:
            assert_same(step(first, x), expected({k: np.asarray(v) for k, v in first.items()}, np.ones(3)))
            assert_same(step(each, x), expected({k: np.asarray(v) for k, v in each.items()}, np.ones(3)))
    mutable = dict(second)
    step(mutable, x)
    mutable["a"] = first["a"]
    assert_same(step(mutable, x), expected({k: np.asarray(v) for k, v in mutable.items()}, np.ones(3)))
    del mutable["a"]
    with pytest.raises(dsl.ArgumentError, match="no field `a`") as caught:
        step(mutable, x)
    assert caught.value.code == "E0908"
    for wrong in (second["k"], second["c"], second["d"]):
        with pytest.raises(dsl.ArgumentError) as caught:
            step({**second, "a": wrong}, x)
        assert caught.value.code in ("E0902", "E0903")


def test_arguments_between_parts_keep_their_elements() -> None:
    """What lies between two parts of a buffer does not land on what lies between two arguments."""
    mixed, n = dsl.program(TEXT).mixed, 3
    zeros = np.zeros(n, np.float32)
    values: Any = mixed(zeros, zeros, zeros, zeros, zeros)
    others: Any = mixed(zeros, zeros, zeros, zeros, zeros)
    alone = dsl.array(np.full(n, 50, np.float32))
    for x, y in (
        (np.full(n, 20, np.float32), alone),
        (alone, np.full(n, 20, np.float32)),
        (others[3], others[1]),
        (others[0], alone),
    ):
        for _ in range(3):
            values, others = mixed(values[0], x, values[2], y, values[4]), mixed(*others)
            found = [float(each[0]) for each in values]
            assert found[1::2] == [float(x[0]) + 2, float(y[0]) + 4]
            again = mixed(values[0], x, values[2], y, values[4])
            assert [float(each[0]) for each in again] == [
                found[0] + 1,
                float(x[0]) + 2,
                found[2] + 3,
                float(y[0]) + 4,
                found[4] + 5,
            ]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.integers(0, 11), min_size=5, max_size=5), min_size=1, max_size=8))
def test_any_arrays_of_any_runs_are_arguments(choices: list[list[int]]) -> None:
    """The program gives what it gives for arrays of NumPy with the same elements."""
    x = np.arange(3, dtype=np.float32)
    mixed = MIXED
    pool: list[Any] = [*mixed(x, x + 1, x + 2, x + 3, x + 4), *mixed(*[x * k for k in range(5)]), x, dsl.array(x)]
    for choice in choices:
        args = [pool[k] for k in choice]
        found = mixed(*args)
        for k, (result, arg) in enumerate(zip(found, args, strict=True), 1):
            np.testing.assert_array_equal(np.asarray(result), np.asarray(arg) + k)
        pool[: len(found)] = found
    assert is_part(pool[0]) and is_part(pool[4])


MIXED = dsl.program(TEXT).mixed


def test_a_part_alone_is_an_argument_like_others() -> None:
    program, x = dsl.program(TEXT), np.arange(3, dtype=np.float32)
    for _ in range(6):
        runs = [program.pieces(x + 10 * k) for k in range(3)]
        for k in range(4):
            assert program.one(runs[0][k]).tolist() == (2 * (x + k)).tolist()
        found = program.three(runs[0][1], runs[1][2], runs[2][3])
        np.testing.assert_allclose(found, (x + 1) + 10 * (x + 12) + 100 * (x + 23))
        np.testing.assert_allclose(program.three(runs[0][1], x, dsl.array(x)), (x + 1) + 110 * x)
    piece = program.pieces(x)[2]
    for _ in range(5 * COPIES):
        assert program.one(piece).tolist() == (2 * (x + 2)).tolist()
    assert not is_part(piece)


LAYERS = 12


def test_parts_of_many_places_are_one_kind_of_call() -> None:
    """A function that is called for one layer after another has few texts of calls for parts at known places, then
    one for parts of any buffers."""
    fields = [f"p{k}" for k in range(SEVERAL * LAYERS)]
    record = ", ".join(f"{name}: f32[n]" for name in fields)
    program = dsl.program(
        f"def twice(s: {{{record}}}) = {{{', '.join(f'{name} = 2.0 * s.{name}' for name in fields)}}}\n"
        "def total(a: f32[n], b: f32[n], c: f32[n], d: f32[n]) -> f32[n] = a + 10.0 * b + 100.0 * c + 1000.0 * d\n"
    )
    state, total = {name: np.full(3, k, np.float32) for k, name in enumerate(fields)}, program.total
    alone = dsl.array(np.ones(3, np.float32))
    for _ in range(3):
        parts = program.twice(state)
        for first in range(0, len(fields), SEVERAL):
            given = [parts[name] for name in fields[first : first + SEVERAL]]
            for args in (given, [*given[:2], alone, given[3]], [alone, np.ones(3, np.float32), *given[2:]]):
                wanted = sum(np.asarray(x) * 10**k for k, x in enumerate(args))
                np.testing.assert_allclose(total(*args), wanted, rtol=1e-6)
    for _ in range(2):
        total(*[program.twice(state)[name] for name in fields[-SEVERAL:]])
    for first in range(0, len(fields), SEVERAL):
        given = [program.twice(state)[name] for name in fields[first : first + SEVERAL]]
        assert python_calls(partial(total, *given)) <= TURNS + 2 * SEVERAL
    assert len(total._hot) <= 3 * (known_calls.PLACES + 1)


def test_indices_among_parts_are_held_against_their_bound() -> None:
    program, x = dsl.program(TEXT), np.arange(4, dtype=np.float32)
    for _ in range(4):
        _, second, _, far = program.numbers(np.array([0, 2], np.int32))
        assert program.picked(x, second).tolist() == [1, 3]
        with pytest.raises(dsl.ArgumentError, match="not an index below 4") as caught:
            program.picked(x, far)
        assert caught.value.code == "E0912"


def test_a_part_is_an_array_for_all_who_read_it() -> None:
    x = np.arange(3, dtype=np.float32)
    part = dsl.program(TEXT).pieces(x)[1]
    assert is_part(part) and part.is_ready() and part.block_until_ready() is part
    assert repr(part) == "Array([1., 2., 3.], f32)" and part.tolist() == [1, 2, 3] and len(part) == 3
    assert part.type == Tensor(F32, (3,)) and part.is_fully_addressable and part.sharding.devices == part.devices
    assert pickle.loads(pickle.dumps(part)).tolist() == [1, 2, 3] and copy.deepcopy(part) is part
    assert (
        (part + 1).tolist() == [2, 3, 4] and part[1:].tolist() == [2, 3] and part.astype(dsl.i32).tolist() == [1, 2, 3]
    )
    assert part.at[0].set(9).tolist() == [9, 2, 3] and part.sum() == 6 and [float(e) for e in part] == [1, 2, 3]
    assert is_part(part) and part.to_device(part.device) is part
    assert np.from_dlpack(part).tolist() == [1, 2, 3] and not is_part(part)
    assert part.tolist() == [1, 2, 3] and part.addressable_shards[0].data.tolist() == [1, 2, 3]
    moved = dsl.program(TEXT).pieces(x)[3].to_device(dsl.devices()[1])
    assert moved.device == dsl.devices()[1] and moved.tolist() == [3, 4, 5]


def test_a_view_outlives_its_array() -> None:
    views = [np.asarray(dsl.program(TEXT).pieces(np.full(3, k, np.float32))[2]) for k in range(50)]
    assert [view.tolist() for view in views] == [[k + 2.0] * 3 for k in range(50)]


def test_checks_go_with_parts() -> None:
    program, x = dsl.program(TEXT), np.arange(3, dtype=np.float32)
    for _ in range(4):
        fine, bad = program.checked(x), program.checked(-x)
        later, wrong = program.one(fine[1]), program.one(bad[1])
        assert later.tolist() == [2, 4, 6] and fine[3].tolist() == [3, 4, 5] and program.one(fine[2])[0] == 4
        for broken in (wrong, *bad, *program.pieces(bad[2])):
            with pytest.raises(dsl.CheckError):
                np.asarray(broken)
            with pytest.raises(dsl.CheckError):
                broken.block_until_ready()


def test_parts_are_given_up_alone() -> None:
    program, x = dsl.program(TEXT), np.arange(3, dtype=np.float32)
    taking = dsl.jit(program.one, donate="x")
    for _ in range(3):
        parts = program.pieces(x)
        assert taking(parts[1]).tolist() == [2, 4, 6]
        with pytest.raises(dsl.DeviceError) as caught:
            parts[1].tolist()
        assert caught.value.code == "E1017" and parts[1].shape == (3,)
        with pytest.raises(dsl.DeviceError):
            program.one(parts[1])
        assert parts[0].tolist() == [0, 1, 2] and program.one(parts[2]).tolist() == [4, 6, 8]


def test_threads_read_one_part_at_once() -> None:
    program, x = dsl.program(TEXT), np.arange(3, dtype=np.float32)
    program.one(program.pieces(x)[2])
    for _ in range(20):
        part, barrier = program.pieces(x)[2], Barrier(4)
        found: list[Any] = []

        def use(k: int, part: Any = part, found: list[Any] = found, barrier: Barrier = barrier) -> None:
            barrier.wait()
            for _ in range(5):
                found.append(np.from_dlpack(part) if k == 0 else part if k == 1 else program.one(part) / 2)

        threads = [Thread(target=use, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 20 and all(np.asarray(each).tolist() == [2, 3, 4] for each in found)


def test_a_program_on_another_device_takes_parts() -> None:
    program, x = dsl.program(TEXT), np.arange(3, dtype=np.float32)
    second = dsl.devices()[1]
    with dsl.default_device(second):
        parts = program.pieces(x)
    for _ in range(4):
        assert program.one(parts[1]).device == second
        assert [each.device for each in program.pieces(parts[2])] == [second] * 4
        with pytest.raises(dsl.DeviceError):
            program.three(parts[0], parts[1], program.pieces(x)[1])


def test_which_results_lie_together() -> None:
    small, large, empty = Tensor(F32, (3,)), Tensor(F32, (LIMIT // 4 + 1,)), Tensor(F32, (0,))

    def of(types: Sequence[Tensor], **more: Any) -> list[tuple[int, ...]]:
        return [pack.results for pack in packs_of(Lowered("f", "", (), tuple(types), **more))]

    assert of([small] * (SEVERAL - 1)) == [] and of([small] * SEVERAL) == [(0, 1, 2, 3)]
    whole = [small, large, Tensor(I32), small, empty, Tensor(BOOL), small, small, Tensor(F32)]
    assert of(whole) == [(0, 3, 6, 7, 8)]
    assert of([*[Tensor(I32)] * SEVERAL, *[Tensor(BOOL)] * SEVERAL]) == [(0, 1, 2, 3), (4, 5, 6, 7)]
    most = [Tensor(F32, (LIMIT // 4,))] * (2 * SEVERAL + 1)
    assert of(most) == [(0, 1, 2, 3), (4, 5, 6, 7)]
    assert of([small, *most[:SEVERAL], *[small] * SEVERAL]) == [(0, 1, 2, 3), (4, 5, 6, 7, 8)]
    for more in ({"donated": (0,)}, {"devices": 2}, {"platform": "cuda"}):
        assert of([small] * SEVERAL, **more) == []


def test_small_kernels_keep_buffers_that_xla_computes_in_turn() -> None:
    """XLA divides kernels over greater ones among threads."""
    names = [f"p{k}" for k in range(20)]
    params = ", ".join(f"{name}: f32[n]" for name in names)
    for result, most in (("sum({0}) + {0}", IN_TURN), ("sum(p0) + {0}", FULL)):
        text = f"def f({params}) = ({', '.join(result.format(name) for name in names)})\n"
        f, x = dsl.program(text).f, np.ones(3, np.float32)
        sizes = [pack.size for pack in f.entry([x] * len(names), {})[0].executable.packs]
        assert max(sizes) == min(most, 64 * len(names)) and (len(sizes) == 1) == (most == FULL)
        assert {float(each[2]) for each in f(*[x] * len(names))} == {4.0}


def test_a_part_keeps_little_memory() -> None:
    """Not all results of its run: losses may be kept of many steps."""
    names = [f"p{k}" for k in range(40)]
    text = f"def step({', '.join(f'{name}: f32[n]' for name in names)}) = (sum(p0), {', '.join(names)})\n"
    loss, *others = dsl.program(text).step(*[np.full(1000, k, np.float32) for k in range(len(names))])
    assert len(loss._impl.bytes()) <= FULL and len({id(x._impl) for x in others}) >= len(names) * 4000 // FULL
    assert [float(x[-1]) for x in others] == [*range(len(names))] and float(loss) == 0


def test_descriptions_of_parts_are_compared_by_identity() -> None:
    first, second = (dsl.program(TEXT).pieces(np.ones(3, np.float32)) for _ in range(2))
    assert all(x._ready is y._ready and type(x._ready) is PlacedPart for x, y in zip(first, second, strict=True))
    assert len({id(x._ready) for x in first}) == len(first)
