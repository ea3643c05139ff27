"""The derivative of `iterate … limit L` is that of the steps that were taken, and costs what these cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

import dsl
from dsl import interp
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ops.control import CALL, WHILE, CallParams, WhileParams, chunks
from dsl.ops.elementwise import add, compare
from dsl.ops.layout import reduce_sum
from dsl.ops.rule_helpers import splat
from dsl.transforms.vmap import vmap
from dsl.types.dtype import I32
from tests.support.derivative import forward, value_and_grad
from tests.support.programs import SCALAR, VECTOR, Array, program, random_function
from tests.support.run import assert_leaves_close

X, W = np.array([0.3, -0.5, 1.0]), np.array([0.2, 1.5])
KEY = dsl.key(3)

STEPS = {
    "one array": ("x", "sin(c) * w[0] + w[1]", "c"),
    "a tuple": ("(x, 0.5)", "(sin(c.0) * c.1 + x, c.1 * w[0] + mean(c.0))", "c.0 * c.1"),
    "a record": ("{a = x, b = 0.5}", "{a = cos(c.a) * w[1] * c.b, b = c.b + sum(c.a * x)}", "c.a + c.b"),
    "integers and truths": (
        "(x, 0, true)",
        "(if c.2 then c.0 * w[0] * f64(c.1 + 1) else sin(c.0), c.1 + 1, not c.2)",
        "c.0 * f64(c.1)",
    ),
    "a key": ("(x, k)", "moved(c.0 * w[0], c.1)", "c.0"),
    "a choice": ("x", "if sum(c) > 1.0 then sqrt(abs(c) + w[0]) else exp(c) * w[1]", "c"),
    "a matrix that stays": ("x", "tanh(outer(x, x) @ c * w[0] + w[1])", "c"),
    "a loop inside": ("x", "iterate d = c while sum(d * d) < 9.0 limit 6 do d * 1.7 + w[0]", "c"),
    "a scan inside": ("x", "(fold d = c for v in w do d * v) + w[0]", "c"),
    "checkpoint": ("x", "checkpoint(fn (c: f64[3], w: f64[2]) -> exp(sin(c) * w[0]))(c, w)", "c"),
    "a rule backwards": ("x", "doubled(c * w[0])", "c"),
    "a rule forwards": ("x", "tripled(c * w[1])", "c"),
    "a check": ("x", "checked(c) * w[0]", "c"),
}
PROGRAM = """
from random import uniform
def doubled(x: f64[n]) -> f64[n] = custom_vjp(fn y -> sin(y), fn y -> (sin(y), y), fn (y, ct) -> (2.0 * ct * y,))(x)
def _slope(primals: (f64[n],), tangents: (f64[n],)) -> (f64[n], f64[n]) = (sin(primals.0), 3.0 * tangents.0)
def tripled(x: f64[n]) -> f64[n] = custom_jvp(fn y -> sin(y), _slope)(x)
def moved(x: f64[n], k: key) -> (f64[n], key) =
    let (now, later) = split(k, 2)
    (x + uniform(now, [n], f64), later)
def checked(x: f64[n]) -> f64[n] ! check =
    assert all(x < 1e9), "large"
    x
def loop(x: f64[3], w: f64[2], n: i32, k: key, *, static limit: int) =
    let (c, _) = iterate (c, i) = ({start}, 0) while i < n limit limit do ({step}, i + 1)
    sum({out})
def plain(x: f64[3], w: f64[2], k: key, *, static n: int) =
    let (c, _) = fold (c, i) = ({start}, 0) for _ in range(n) do ({step}, i + 1)
    sum({out})
def gradient(x: f64[3], w: f64[2], n: i32, k: key, *, static limit: int) =
    value_and_grad(fn (x: f64[3], w: f64[2]) -> loop(x, w, n, k, limit=limit), argnums=(0, 1))(x, w)
def gradient_plain(x: f64[3], w: f64[2], k: key, *, static n: int) =
    value_and_grad(fn (x: f64[3], w: f64[2]) -> plain(x, w, k, n=n), argnums=(0, 1))(x, w)
"""


def loops(name: str) -> dsl.Program:
    start, step, out = STEPS[name]
    return dsl.program(PROGRAM.format(start=start, step=step, out=out))


@pytest.fixture(params=[(2, chunks.ROOM), (2, 0), (64, chunks.ROOM)], ids=["few", "few, none held", "usual"])
def base(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """As many steps are kept at once: few, so that there are chunks of chunks, or as many as usual. Those of the last
    chunk are held where there is room."""
    most, room = request.param
    monkeypatch.setattr(chunks, "MOST", most)
    monkeypatch.setattr(chunks, "LEAST", min(most, chunks.LEAST))
    monkeypatch.setattr(chunks, "ROOM", room)
    return int(most)


@pytest.mark.parametrize("name", STEPS)
def test_it_is_the_gradient_of_the_steps_taken(name: str, base: int) -> None:
    m = loops(name)
    limit, n = (7, 5) if base == 2 else (3, 9)
    wanted = m.gradient_plain.interpret(X, W, KEY, n=min(limit, n))
    assert_leaves_close(m.gradient.interpret(X, W, n, KEY, limit=limit), wanted, 1e-9, 1e-12)
    if base != 2:
        assert_leaves_close(m.gradient(X, W, n, KEY, limit=limit), wanted, 1e-9, 1e-12)


TRANSFORMED = """
def step(c: f64[3], w: f64[2]) -> f64[3] = sin(c) * w[0] * c + w[1]
def loop(x: f64[3], w: f64[2], n: i32, *, static limit: int) -> f64 =
    let (c, _) = iterate (c, i) = (x, 0) while i < n limit limit do (step(c, w), i + 1)
    sum(c)
def plain(x: f64[3], w: f64[2], *, static n: int) -> f64 = sum(fold c = x for _ in range(n) do step(c, w))
def _slope(f: (f64[3], f64[2]) -> f64, x: f64[3], w: f64[2]) -> f64[2] = grad(f, argnums=1)(x, w)
def _again(f: (f64[3], f64[2]) -> f64, x: f64[3], w: f64[2]) = grad(fn x -> sum(_slope(f, x, w) ** 2))(x)
def _pushed(f: (f64[3], f64[2]) -> f64, x: f64[3], w: f64[2]) = jvp(fn x -> _slope(f, x, w), (x,), (cos(x),))
def _backward(f: (f64[3], f64[2]) -> f64, x: f64[3], w: f64[2]) = jacrev(fn x -> _slope(f, x, w))(x)
def _curved(f: (f64[3], f64[2]) -> f64, x: f64[3], w: f64[2]) = hessian(fn x -> f(x, w))(x)
def _renewed(f: (f64[3], f64[2]) -> f64, x: f64[3], w: f64[2]) = grad(checkpoint(f), argnums=(0, 1))(x, w)
def of_loop(x: f64[3], w: f64[2], n: i32, *, static limit: int) =
    let f = fn (x: f64[3], w: f64[2]) -> loop(x, w, n, limit=limit)
    (_again(f, x, w), _pushed(f, x, w), _backward(f, x, w), _curved(f, x, w), _renewed(f, x, w))
def of_plain(x: f64[3], w: f64[2], *, static n: int) =
    let f = fn (x: f64[3], w: f64[2]) -> plain(x, w, n=n)
    (_again(f, x, w), _pushed(f, x, w), _backward(f, x, w), _curved(f, x, w), _renewed(f, x, w))
def each(xs: f64[m, 3], w: f64[2], n: i32[m], *, static limit: int) =
    let one = fn (x: f64[3], w: f64[2], n: i32) -> loop(x, w, n, limit=limit)
    vmap(grad(one, argnums=(0, 1)), in_axes=(0, none, 0))(xs, w, n)
def total(xs: f64[m, 3], w: f64[2], n: i32[m], *, static limit: int) =
    let all = fn (xs: f64[m, 3], w: f64[2]) -> sum([loop(x, w, i, limit=limit) for (x, i) in zip(xs, n)])
    grad(all, argnums=(0, 1))(xs, w)
"""


@pytest.fixture(scope="module")
def transformed() -> dsl.Program:
    return dsl.program(TRANSFORMED)


@pytest.mark.parametrize(("limit", "n"), [(0, 3), (1, 0), (3, 3), (3, 4), (9, 8), (9, 2)])
def test_derivatives_of_derivatives_are_those_of_the_steps_taken(
    transformed: dsl.Program, limit: int, n: int, base: int
) -> None:
    """No step, one, as many as there may be, more than there may be; whole chunks and parts of them."""
    wanted = transformed.of_plain.interpret(X, W, n=min(limit, n))
    assert_leaves_close(transformed.of_loop.interpret(X, W, n, limit=limit), wanted, 1e-9, 1e-12)


@pytest.mark.parametrize("limit", [4, 9])
def test_elements_take_steps_of_their_own(transformed: dsl.Program, limit: int, base: int) -> None:
    counts = np.array([4, 0, 1, 9], np.int32)
    xs = np.stack([X + 0.1 * k for k in range(4)])
    slope = dsl.grad(transformed.plain, argnums=(0, 1))
    parts = [slope.interpret(x, W, n=int(min(k, limit))) for x, k in zip(xs, counts, strict=True)]
    wanted = tuple(np.stack([np.asarray(part[k]) for part in parts]) for k in range(2))
    assert_leaves_close(transformed.each.interpret(xs, W, counts, limit=limit), wanted, 1e-9, 1e-12)
    summed = wanted[0], wanted[1].sum(axis=0)
    assert_leaves_close(transformed.total.interpret(xs, W, counts, limit=limit), summed, 1e-9, 1e-12)
    if limit == 4:
        assert_leaves_close(transformed.each(xs, W, counts, limit=limit), wanted, 1e-9, 1e-12)
        assert_leaves_close(transformed.total(xs, W, counts, limit=limit), summed, 1e-9, 1e-12)


# --- any loop ---------------------------------------------------------------------------------------------


def _loop(body: Function, limit: int) -> Function:
    """vector, vector, scalar, steps -> a scalar of what the body makes of the last two in so many steps."""
    count = Tensor(I32)
    more = program([count, VECTOR, SCALAR, count], lambda b, n, x, y, i: compare(b, "lt", i, n))

    def step(b: Builder, w: Atom, x: Atom, y: Atom, i: Atom) -> tuple[Atom, ...]:
        return (*CALL(b, CallParams(body), w, x, y), add(b, i, splat(1, count)))

    params = WhileParams(more, program([VECTOR, VECTOR, SCALAR, count], step), 1, 1, limit)

    def write(b: Builder, w: Atom, x: Atom, y: Atom, n: Atom) -> Atom:
        x, y, _ = WHILE(b, params, n, w, x, y, splat(0, count))
        return add(b, reduce_sum(b, x, (0,)), y)

    return program([VECTOR, VECTOR, SCALAR, count], write)


def _unrolled(body: Function, steps: int) -> Function:
    def write(b: Builder, w: Atom, x: Atom, y: Atom) -> Atom:
        for _ in range(steps):
            x, y = CALL(b, CallParams(body), w, x, y)
        return add(b, reduce_sum(b, x, (0,)), y)

    return program([VECTOR, VECTOR, SCALAR], write)


@pytest.mark.parametrize("seed", range(5))
def test_any_loop_has_the_derivatives_of_its_steps_one_after_another(seed: int, base: int) -> None:
    random = Random(seed)
    body = random_function(random, [VECTOR, VECTOR, SCALAR], [VECTOR, SCALAR], 3, 1, "body")
    limit, counts = random.randrange(1, 8), [random.randrange(9) for _ in range(2)]
    draw = np.random.default_rng(seed)
    values = [draw.normal(size=3), draw.normal(size=3), draw.normal(size=())]
    directions = [draw.normal(size=3), draw.normal(size=3), draw.normal(size=())]
    loop = forward(value_and_grad(_loop(body, limit), (0, 1, 2))).function
    wanted: list[Sequence[Array]] = []
    for n in counts:
        plain = forward(value_and_grad(_unrolled(body, min(n, limit)), (0, 1, 2))).function
        wanted.append(interp.evaluate(plain, [*values, *directions]))
        found = interp.evaluate(loop, [*values, np.asarray(n, np.int32), *directions])
        assert_leaves_close(list(found), list(wanted[-1]), 1e-8, 1e-10)
    mapped = vmap(loop, (None, None, None, 0, None, None, None), (0,) * len(loop.results), 2)
    found = interp.evaluate(mapped, [*values, np.array(counts, np.int32), *directions])
    assert_leaves_close(list(found), [np.stack(column) for column in zip(*wanted, strict=True)], 1e-8, 1e-10)


# --- what it costs ----------------------------------------------------------------------------------------


def _work(m: dsl.Program, limit: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each op runs in a gradient, by the evaluator."""
    return _operations(lambda: m.gradient.interpret(X, W, steps, KEY, limit=limit), monkeypatch)


def _operations(call: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each op runs in a call of the evaluator."""
    found: dict[str, int] = {}
    apply: Any = interp._apply

    def counting(equation: Equation, arrays: Sequence[Array]) -> tuple[Array, ...]:
        found[equation.op.name] = found.get(equation.op.name, 0) + 1
        result: tuple[Array, ...] = apply(equation, arrays)
        return result

    with monkeypatch.context() as patch:
        patch.setattr(interp, "_apply", counting)
        call()
    return found


def test_the_work_is_that_of_the_steps_taken_whatever_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    m = loops("one array")
    few = _work(m, 32, 4, monkeypatch)
    for limit in (2048, 10**6, 10**12):
        many = _work(m, limit, 4, monkeypatch)
        assert many["sin"] <= few["sin"] and many["cos"] <= few["cos"]
        assert sum(many.values()) <= sum(few.values()) + 30 * np.log2(limit)


def test_steps_are_computed_again_as_often_as_there_are_levels_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside what a loop of one chunk does."""
    m = loops("one array")
    monkeypatch.setattr(chunks, "MOST", 8)
    once = _work(m, 8, 8, monkeypatch)["sin"] / 8
    for steps, levels in ((8, 1), (64, 2), (100, 3), (512, 3)):
        assert steps * once <= _work(m, 10**6, steps, monkeypatch)["sin"] <= steps * (once + levels)


def test_memory_grows_with_the_logarithm_of_the_limit() -> None:
    gradient = loops("one array").gradient
    once, more, most = (gradient.memory(X, W, 4, KEY, limit=64**k).peak for k in (1, 2, 4))
    assert more <= 4 * once and most <= 4 * more


SINES = """
def end(y: f32[n], count: i32, static limit: size) -> f32 =
    let (y, _) = iterate (y, i) = (y, 0) while i < count limit limit do (sin(sin(sin(y))), i + 1)
    sum(y)
def gradient(y: f32[n], count: i32, static limit: size) -> f32[n] = grad(end)(y, count, limit=limit)
"""


@pytest.mark.parametrize(("width", "held"), [(256, True), (32768, False)])
def test_large_residuals_of_a_step_are_computed_again(width: int, held: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 12 steps in chunks of 8, those of the first are computed again. Where they are large, those of both are, to
    know where each begins; and then each step, but for what it gives."""
    monkeypatch.setattr(chunks, "MOST", 8)
    m = dsl.program(SINES)
    y = np.linspace(-1, 1, width, dtype=np.float32)
    found = _operations(lambda: m.gradient.interpret(y, 12, limit=64), monkeypatch)
    assert found["sin"] == (3 * (12 + 8) if held else 3 * (12 + 12) + 2 * 12)
    memory = m.gradient.memory(y, 12, limit=64).peak
    assert memory >= 2 * 8 * 3 * y.nbytes if held else memory < 8 * 3 * y.nbytes


@pytest.mark.parametrize("limit", [64, 128])
def test_twice_as_many_chunks_are_kept_before_there_are_chunks_of_chunks(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "MOST", 8)
    m = dsl.program(SINES)
    y = np.linspace(-1, 1, 32, dtype=np.float32)
    found = _operations(lambda: m.gradient.interpret(y, 60, limit=limit), monkeypatch)
    assert found["sin"] == 3 * (60 + 56)


def test_what_a_loop_prints_it_prints_once_for_each_step(base: int, capfd: pytest.CaptureFixture[str]) -> None:
    m = dsl.program("""
def asked(x: f64) -> bool ! io =
    print("asked {}", x)
    x < 5.0
def f(x: f64) -> f64 ! io = iterate c = x while asked(c) limit 9 do
    print("step {}", c)
    c * 1.5
def g(x: f64) -> f64 ! io = grad(f)(x)
""")
    for start, steps in ((1.0, 4), (0.01, 9)):
        slope = float(m.g(start))
        assert slope == pytest.approx(1.5**steps)
        lines = capfd.readouterr().out.split()
        assert (lines.count("asked"), lines.count("step")) == (min(steps + 1, 9), steps)


DECIDED = """
def end(y: f32[n], w: f32[n], count: i32) -> f32 =
    let (y, _) = iterate (y, i) = (y, 0) while i < count limit 200 do (sin(sin(y) * w) + y * 0.5, i + 1)
    sum(y * y)
def total(x: f32[n], count: i32) -> f32 =
    let z = x[x > 0.0]
    end(z, z, count)
def some(x: f32[n], count: i32) -> f32[n] = grad(total)(x, count)
def all(x: f32[n], count: i32) -> f32[n] = grad(fn x -> end(x, x, count))(x)
"""


@pytest.mark.parametrize(("width", "count"), [(0, 3), (30, 3), (30, 70), (4000, 70)])
def test_a_loop_may_be_over_a_size_that_data_decide(width: int, count: int) -> None:
    """As much is kept as there is room for at the largest size."""
    m, x = dsl.program(DECIDED), np.random.default_rng(0).normal(size=width).astype(np.float32)
    wanted = np.zeros_like(x)
    wanted[x > 0] = m.all(x[x > 0], count)
    np.testing.assert_allclose(m.some(x, count), wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(m.some.interpret(x, count), wanted, rtol=1e-5, atol=1e-5)
