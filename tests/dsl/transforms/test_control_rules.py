"""Control flow under derivatives and batching: what is not run contributes nothing, and refusals say why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
import pytest

from dsl.diagnostics.source import Source, Span
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import NONE, Op
from dsl.ir.region import CannotTransform, Problem
from dsl.ir.verify import verify
from dsl.ops.annotations import stop_gradient
from dsl.ops.contract import dot_general
from dsl.ops.control import (
    CALL,
    CHECKPOINT,
    COND,
    CUSTOM_JVP,
    CUSTOM_VJP,
    DOTS,
    NOTHING,
    SCAN,
    WHILE,
    CallParams,
    CheckpointParams,
    CondParams,
    CustomJvpParams,
    CustomVjpParams,
    ScanParams,
    WhileParams,
)
from dsl.ops.control.call import call
from dsl.ops.elementwise import add, compare, div, mul, neg
from dsl.ops.io import emit_print
from dsl.ops.layout import broadcast_in_dim, reduce_sum
from dsl.ops.power import NEXTAFTER
from dsl.ops.unary import cos, exp, sin, sqrt, tanh
from dsl.transforms.linearize import linearize
from dsl.transforms.memo import Memo
from dsl.transforms.pipeline import LOWERING, TIDY, run
from dsl.transforms.transpose import transpose
from dsl.transforms.vmap import vmap
from dsl.types.dtype import F64
from tests.support.cases import some
from tests.support.derivative import forward, grad, hvp, value_and_grad
from tests.support.programs import MATRIX, SCALAR, VECTOR, Array, number, program, slope

PAIR = Tensor(F64, (2,))


def total(f: Function) -> Function:
    """The sum of the first result of `f`."""
    b = Builder()
    y = call(b, f, [b.param(t) for t in f.param_types])[0]
    return b.finish("total", (reduce_sum(b, y, range(y.type.rank)),))


def values(f: Function, *xs: object) -> tuple[Array, ...]:
    """The results, which are the same after everything that prepares for lowering."""
    verify(f)
    arrays = [np.asarray(x, float) for x in xs]
    found = evaluate(f, arrays)
    for p, q in zip(evaluate(run(f, LOWERING, check=True), arrays), found, strict=True):
        np.testing.assert_allclose(p, q, rtol=1e-12, atol=1e-12)
    return found


def equations(f: Function) -> Iterable[Equation]:
    """All equations, those of bodies too, each body once."""
    seen: set[Function] = set()
    todo = [f]
    while todo:
        body = todo.pop()
        if body in seen:
            continue
        seen.add(body)
        for equation in body.equations:
            yield equation
            if not isinstance(equation.op, Op):
                todo += equation.op.bodies(equation.params)


def names(f: Function) -> list[str]:
    return [e.op.name for e in equations(f)]


def guarded_root() -> Function:
    """`if x > 0 then sqrt(x) else 0.0`"""
    zero = program([SCALAR], lambda b, x: number(0.0), "zero")
    root = program([SCALAR], lambda b, x: sqrt(b, x), "root")

    def write(b: Builder, x: Atom) -> tuple[Atom, ...]:
        return COND(b, CondParams((zero, root)), compare(b, "gt", x, number(0.0)), x)

    return program([SCALAR], write)


# --- branches ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "derive",
    [
        lambda f: grad(total(vmap(f, (0,), (0,), 3)), (0,)),
        lambda f: vmap(grad(f, (0,)), (0,), (0,), 3),
    ],
    ids=["grad of vmap", "vmap of grad"],
)
def test_a_branch_not_taken_contributes_nothing(derive: Callable[[Function], Function]) -> None:
    first = derive(guarded_root())
    (found,) = values(first, [-1.0, 0.0, 4.0])
    np.testing.assert_array_equal(found, [0.0, 0.0, 0.25])
    (second,) = values(grad(total(first), (0,)), [-1.0, 0.0, 4.0])
    np.testing.assert_allclose(second, [0.0, 0.0, -0.25 * 4.0**-1.5], rtol=1e-12)


def test_nan_of_other_lanes_stays_out_of_shared_operands() -> None:
    zero = program([PAIR, PAIR], lambda b, x, w: number(0.0), "zero")

    def steep(b: Builder, x: Atom, w: Atom) -> Atom:
        e = exp(b, div(b, number(1.0, PAIR), x))
        return dot_general(b, mul(b, e, e), w, ((0,), (0,)))

    def write(b: Builder, x: Atom, w: Atom) -> tuple[Atom, ...]:
        inside = compare(b, "gt", reduce_sum(b, x, (0,)), number(0.0))
        return COND(b, CondParams((zero, program([PAIR, PAIR], steep))), inside, x, w)

    f = program([PAIR, PAIR], write)
    x, w = [[0.0, 0.0], [1.0, 2.0], [0.0, -1.0]], [1.0, 2.0]
    mapped = total(vmap(f, (0, None), (0,), 3))
    dx, dw = values(grad(mapped, (0, 1)), x, w)
    np.testing.assert_allclose(dw, [np.exp(2.0), np.exp(1.0)])
    np.testing.assert_allclose(dx, [[0, 0], [-2 * np.exp(2.0), -2 * 2 * np.exp(1.0) / 4], [0, 0]])


def test_only_the_taken_branch_is_differentiated() -> None:
    g = run(grad(guarded_root(), (0,)), TIDY)
    assert names(g).count("cond") == 2
    assert "select" not in names(g)
    assert values(g, 0.0)[0] == 0.0


def test_lanes_of_two_axes() -> None:
    first = program([SCALAR, SCALAR], lambda b, x, y: mul(b, sin(b, x), y))
    second = program([SCALAR, SCALAR], lambda b, x, y: exp(b, mul(b, x, x)))

    def write(b: Builder, x: Atom, y: Atom) -> tuple[Atom, ...]:
        return COND(b, CondParams((second, first)), compare(b, "gt", x, number(0.3)), x, y)

    f = program([SCALAR, SCALAR], write)
    xs, ys = np.array([0.1, 0.5, 0.9]), np.array([1.0, 2.0])
    both = vmap(vmap(f, (0, None), (0,), 3), (None, 0), (0,), 2)
    want = [[evaluate(f, (x, y))[0] for x in xs] for y in ys]
    np.testing.assert_allclose(values(both, xs, ys)[0], want)
    g = total(both)
    for wrt, size in ((0, 3), (1, 2)):
        (found,) = values(grad(g, (wrt,)), xs, ys)
        for i in range(size):
            unit = [np.zeros(3), np.zeros(2)]
            unit[wrt][i] = 1.0
            np.testing.assert_allclose(found[i], slope(g, [xs, ys], unit)[0], rtol=1e-6, atol=1e-8)


# --- loops ------------------------------------------------------------------------------------------------


def walk(limit: int | None) -> Function:
    """bound, w, x: while x < bound, x + w exp(-x)"""
    more = program([SCALAR, SCALAR], lambda b, bound, x: compare(b, "lt", x, bound))
    step = program([SCALAR, SCALAR], lambda b, w, x: add(b, x, mul(b, w, exp(b, neg(b, x)))))
    params = WhileParams(more, step, 1, 1, limit)
    return program([SCALAR] * 3, lambda b, *xs: WHILE(b, params, *xs))


@pytest.mark.parametrize("limit", [None, 0, 3])
@pytest.mark.parametrize("axes", [a for a in product((0, None), repeat=3) if any(x == 0 for x in a)])
def test_batched_loops_stop_lane_by_lane(limit: int | None, axes: tuple[int | None, ...]) -> None:
    f = walk(limit)
    batch = [np.array([1.0, 2.0, 3.0]), np.array([0.4, 0.5, 0.9]), np.array([0.1, 5.0, 0.1])]
    xs = [x if a == 0 else x[0] for x, a in zip(batch, axes, strict=True)]
    want = [
        evaluate(f, [np.asarray(x[i] if a == 0 else x) for x, a in zip(xs, axes, strict=True)])[0] for i in range(3)
    ]
    mapped = vmap(f, axes, (0,), 3)
    np.testing.assert_allclose(values(mapped, *xs)[0], want)
    directions = [np.ones_like(x) for x in xs]
    tangents = values(forward(mapped).function, *xs, *directions)[1]
    made = linearize(mapped, (True,) * 3)
    known = [*xs, *evaluate(made.primal, xs)]
    if made.nonzero[0]:
        given = [known[i] for i in made.residuals]
        np.testing.assert_allclose(evaluate(made.linear, [*given, *directions])[0], tangents)


def test_a_limit_makes_a_loop_reversible_and_inactive_steps_harmless() -> None:
    # The body divides by 1 - x, and x is 1 once the loop has ended.
    more = program([SCALAR], lambda b, x: compare(b, "lt", x, number(1.0)))
    step = program([SCALAR], lambda b, x: add(b, x, div(b, number(0.25), add(b, number(1.0), neg(b, x)))))
    params = WhileParams(more, step, 0, 0, 5)
    f = program([SCALAR], lambda b, x: WHILE(b, params, x))
    assert values(f, 0.5)[0] == 1.0
    (found,) = values(grad(f, (0,)), 0.5)
    assert found == 1.0 + 0.25 / 0.5**2


def test_reverse_through_a_loop_without_bound_is_refused_at_its_place() -> None:
    span = Span(Source("loop.dsl", "iterate x = 0.0 while x < b do x"), 0, 7)
    inner = walk(None)
    b = Builder()
    xs = [b.param(SCALAR) for _ in range(3)]
    with b.at(span):
        (y,) = call(b, inner, xs)
    f = b.finish("f", (y,))
    with pytest.raises(CannotTransform) as caught:
        grad(f, (1,))
    assert caught.value.problem is Problem.UNBOUNDED_REVERSE
    assert caught.value.span is span
    # Forward it has a derivative, and where no tangent reaches it there is nothing to refuse.
    assert forward(f).nonzero == (True,)
    grad(
        program([SCALAR], lambda b, x: add(b, x, *call(b, inner, (number(1.0), number(0.5), number(0.0))))),
        (0,),
    )


def recurrence(length: int = 4) -> Function:
    """w: vector, h: scalar, xs -> the last h of h = tanh(sum(sin(w)) h + x)"""

    def step(b: Builder, w: Atom, h: Atom, x: Atom) -> Atom:
        return tanh(b, add(b, mul(b, reduce_sum(b, sin(b, w), (0,)), h), x))

    body = program([VECTOR, SCALAR, SCALAR], step, "step")
    xs = Tensor(F64, (length,))
    return program([VECTOR, SCALAR, xs], lambda b, w, h, x: SCAN(b, ScanParams(body, 1, 1, length), w, h, x))


def test_loop_invariant_residuals_are_not_stacked() -> None:
    g = run(grad(recurrence(), (0, 1, 2)), TIDY, check=True)
    scans = [e for e in g.equations if e.op is SCAN]
    assert len(scans) == 2
    params = scans[0].params
    assert isinstance(params, ScanParams)
    # Stacked is the carry, which the slope of tanh is made of too; sin(w) and its sum come before the loop.
    assert [e.op.name for e in g.equations[:3]] == ["sin", "cos", "reduce_sum"]
    assert "sin" not in [e.op.name for e in params.body.equations]
    assert len(scans[0].outputs) == 2


def test_what_is_only_spread_out_is_not_stacked() -> None:
    def step(b: Builder, h: Atom, x: Atom) -> Atom:
        wide = broadcast_in_dim(b, sin(b, x), (3,), ())
        return mul(b, h, wide)

    body = program([VECTOR, SCALAR], step)
    f = total(program([VECTOR, VECTOR], lambda b, h, xs: SCAN(b, ScanParams(body, 0, 1, 3), h, xs)))
    g = run(grad(f, (0,)), LOWERING, check=True)
    stacked = [y.type.shape for e in g.equations if e.op is SCAN for y in e.outputs]
    assert (3, 3) not in stacked
    h, xs = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6])
    np.testing.assert_allclose(values(grad(f, (0,)), h, xs)[0], np.full(3, np.sin(xs).prod()))


def test_a_scan_keeps_direction_and_unroll() -> None:
    body = program([SCALAR, SCALAR], lambda b, h, x: (mul(b, sin(b, h), x), h))
    params = ScanParams(body, 0, 1, 3, True, 2)
    f = program([SCALAR, VECTOR], lambda b, h, x: SCAN(b, params, h, x)[:1])
    g = run(grad(f, (0, 1)), TIDY, check=True)
    directions = [(e.params.reverse, e.params.unroll) for e in g.equations if isinstance(e.params, ScanParams)]
    assert directions == [(True, 2), (False, 2)]


def test_what_has_no_derivative_says_so_at_its_place() -> None:
    span = Span(Source("f.dsl", "nextafter(x, y)"), 0, 15)
    b = Builder()
    x, y = b.param(SCALAR), b.param(SCALAR)
    with b.at(span):
        (z,) = NEXTAFTER(b, NONE, x, y)
    f = b.finish("f", (z,))
    with pytest.raises(CannotTransform) as caught:
        grad(program([SCALAR, SCALAR], lambda b, x, y: CALL(b, CallParams(f), x, y)), (0,))
    assert caught.value.problem is Problem.NOT_DIFFERENTIABLE
    assert (caught.value.op, caught.value.span) == ("nextafter", span)
    assert caught.value.reason


def test_what_is_not_linear_has_no_transpose() -> None:
    with pytest.raises(CannotTransform) as caught:
        transpose(program([SCALAR], sin), (True,))
    assert caught.value.problem is Problem.NOT_LINEAR
    linear = program([SCALAR, SCALAR], lambda b, k, x: add(b, mul(b, sin(b, k), x), neg(b, x)))
    done = transpose(linear, (False, True))
    np.testing.assert_allclose(values(done.function, 0.5, 2.0)[0], 2.0 * (np.sin(0.5) - 1))


# --- calls and checkpoints --------------------------------------------------------------------------------


def test_a_shared_function_is_transformed_once() -> None:
    g = program([SCALAR], lambda b, x: exp(b, sin(b, mul(b, x, x))), "g")

    def ten(b: Builder, x: Atom) -> Atom:
        for _ in range(10):
            (x,) = CALL(b, CallParams(g), x)
        return x

    f = program([SCALAR], ten)
    derived = run(grad(f, (0,)), TIDY, check=True)
    called = [e.params.function for e in derived.equations if isinstance(e.params, CallParams)]
    # Of the last call only the derivative is asked, which is made of its operand.
    assert len(called) == 19
    assert len(set(called)) == 2
    # Mapped, there is one more: the first call on the way back gets the cotangent 1, which has no batch axis.
    mapped = run(vmap(derived, (0,), (0,), 2), TIDY, check=True)
    assert len({e.params.function for e in mapped.equations if isinstance(e.params, CallParams)}) == 3
    memo = Memo()
    assert grad(f, (0,), memo).params == f.params
    before = len(memo.table)
    grad(f, (0,), memo)
    assert len(memo.table) == before


def deep(keep: tuple[str, ...] | None) -> Function:
    """sum(tanh(sin(m @ v))), under a checkpoint that keeps what `keep` names."""

    def inner(b: Builder, m: Atom, v: Atom) -> Atom:
        return tanh(b, sin(b, dot_general(b, m, v, ((1,), (0,)))))

    params = CheckpointParams(program([MATRIX, VECTOR], inner), keep)
    return program([MATRIX, VECTOR], lambda b, m, v: reduce_sum(b, CHECKPOINT(b, params, m, v)[0], (0,)))


@pytest.mark.parametrize(
    ("keep", "dots", "sines"),
    [(NOTHING, 3, 2), (DOTS, 2, 2), (None, 2, 1)],
    ids=["nothing", "dots", "everything"],
)
def test_policies_say_what_is_computed_again(keep: tuple[str, ...] | None, dots: int, sines: int) -> None:
    f = deep(keep)
    g = run(value_and_grad(f, (0,)), TIDY, check=True)
    # One product more is that of the gradient itself.
    assert names(g).count("dot_general") == dots
    assert names(g).count("sin") == sines
    rng = np.random.default_rng(0)
    m, v = rng.normal(size=(2, 3)), rng.normal(size=3)
    inner = m @ v
    want = np.outer((1 - np.tanh(np.sin(inner)) ** 2) * np.cos(inner), v)
    np.testing.assert_allclose(values(g, m, v)[1], want)
    again = values(grad(total(grad(f, (0,))), (0,)), m, v)[0]
    plain = values(grad(total(grad(deep(None), (0,))), (0,)), m, v)[0]
    np.testing.assert_allclose(again, plain)


def test_effects_stay_in_the_primal_in_order_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    def noisy(b: Builder, x: Atom) -> Atom:
        emit_print(b, "in {}", (x,))
        return sin(b, x)

    def step(b: Builder, h: Atom, x: Atom) -> Atom:
        emit_print(b, "step {}", (h,))
        return mul(b, sin(b, h), x)

    inner = CheckpointParams(program([SCALAR], noisy), NOTHING)
    loop = ScanParams(program([SCALAR, SCALAR], step), 0, 1, 2)

    def write(b: Builder, x: Atom) -> Atom:
        emit_print(b, "start", ())
        emit_print(b, "start", ())
        (y,) = CHECKPOINT(b, inner, x)
        (y,) = SCAN(b, loop, y, number(1.0, Tensor(F64, (2,))))
        (y,) = CHECKPOINT(
            b,
            CheckpointParams(program([SCALAR], lambda b, h: SCAN(b, loop, h, number(1.0, Tensor(F64, (2,))))), NOTHING),
            y,
        )
        return y

    f = program([SCALAR], write)
    evaluate(f, [np.asarray(0.5)])
    want = capsys.readouterr().out
    assert want.count("\n") == 7
    for g in (value_and_grad(f, (0,)), forward(f).function, grad(total(grad(f, (0,))), (0,))):
        for passes in ((), TIDY, LOWERING):
            xs = [np.asarray(0.5)] * len(g.params)
            evaluate(run(g, passes, check=True), xs)
            assert capsys.readouterr().out == want
    with pytest.raises(CannotTransform) as caught:
        vmap(f, (0,), (0,), 2)
    assert caught.value.problem is Problem.BATCHED_EFFECT


def test_stop_gradient_is_a_constant_for_derivatives() -> None:
    f = program([SCALAR], lambda b, x: mul(b, x, stop_gradient(b, sin(b, x))))
    g = grad(f, (0,))
    assert values(g, 0.5)[0] == np.sin(0.5)
    assert "stop_gradient" not in names(run(g, LOWERING))


# --- custom rules -----------------------------------------------------------------------------------------


def product_rule(b: Builder, x: Atom, y: Atom, dx: Atom, dy: Atom) -> tuple[Atom, ...]:
    """For sin(x) y, with 3 instead of cos(x)."""
    s = sin(b, x)
    return mul(b, s, y), add(b, mul(b, mul(b, number(3.0), dx), y), mul(b, s, dy))


def custom(way: str) -> Function:
    f = program([SCALAR, SCALAR], lambda b, x, y: mul(b, sin(b, x), y))
    if way == "jvp":
        params = CustomJvpParams(f, program([SCALAR] * 4, product_rule))
        return program([SCALAR, SCALAR], lambda b, x, y: CUSTOM_JVP(b, params, x, y))
    fwd = program([SCALAR, SCALAR], lambda b, x, y: (mul(b, sin(b, x), y), x, y))
    bwd = program([SCALAR] * 3, lambda b, x, y, ct: (mul(b, mul(b, number(3.0), ct), y), mul(b, sin(b, x), ct)))
    rule = CustomVjpParams(f, fwd, bwd)
    return program([SCALAR, SCALAR], lambda b, x, y: CUSTOM_VJP(b, rule, x, y))


@pytest.mark.parametrize("way", ["jvp", "vjp"])
def test_custom_rules_replace_the_derivative(way: str) -> None:
    f = custom(way)
    assert values(f, 0.5, 2.0)[0] == np.sin(0.5) * 2.0
    np.testing.assert_allclose(values(grad(f, (0, 1)), 0.5, 2.0), [6.0, np.sin(0.5)])
    xs = np.array([0.5, 0.1])
    dx, dy = values(vmap(grad(f, (0, 1)), (0, None), (0, 0), 2), xs, 2.0)
    np.testing.assert_allclose(dx, [6.0, 6.0])
    np.testing.assert_allclose(dy, np.sin(xs))
    dx, dy = values(grad(total(vmap(f, (0, None), (0,), 2)), (0, 1)), xs, 2.0)
    np.testing.assert_allclose(dx, [6.0, 6.0])
    np.testing.assert_allclose(dy, np.sin(xs).sum())
    # d/dx of the gradient in y, which the rule gives as sin(x)
    (mixed,) = values(hvp(f, (1,)), 0.5, 2.0, 1.0)
    assert mixed == 0.0
    slope_of_dy = grad(program([SCALAR, SCALAR], lambda b, x, y: call(b, grad(f, (1,)), (x, y))), (0,))
    np.testing.assert_allclose(values(slope_of_dy, 0.5, 2.0)[0], np.cos(0.5))


def test_a_rule_with_only_a_way_back_has_no_way_forward() -> None:
    made = forward(custom("vjp")).function
    with pytest.raises(CannotTransform) as caught:
        run(made, LOWERING)
    assert caught.value.problem is Problem.FORWARD_CUSTOM


@pytest.mark.parametrize("mixed", ["value", "tangent"])
def test_a_rule_that_is_not_linear_is_refused(mixed: str) -> None:
    def rule(b: Builder, x: Atom, dx: Atom) -> tuple[Atom, ...]:
        return (add(b, x, dx), dx) if mixed == "value" else (x, mul(b, dx, dx))

    params = CustomJvpParams(program([SCALAR], lambda b, x: x), program([SCALAR] * 2, rule))
    with pytest.raises(CannotTransform) as caught:
        grad(program([SCALAR], lambda b, x: sin(b, CUSTOM_JVP(b, params, x)[0])), (0,))
    assert caught.value.problem is Problem.NOT_LINEAR


def test_spans_survive() -> None:
    source = Source("f.dsl", "sin(x) * cos(x)")
    b = Builder()
    x = b.param(SCALAR)
    with b.at(Span(source, 0, 6)):
        s = sin(b, x)
    with b.at(Span(source, 9, 15)):
        c = cos(b, x)
    with b.at(Span(source, 0, 15)):
        y = mul(b, s, c)
    f = b.finish("f", (y,))
    for g in (grad(f, (0,)), forward(f).function, vmap(f, (0,), (0,), 2)):
        assert all(e.span is not None and e.span.source is source for e in some(run(g, LOWERING).equations))


def test_broadcasting_under_a_batch_keeps_unmapped_values_unmapped() -> None:
    f = program([SCALAR, VECTOR], lambda b, x, v: mul(b, exp(b, v), broadcast_in_dim(b, x, (3,), ())))
    mapped = vmap(f, (0, None), (0,), 5)
    (exponential,) = [e for e in mapped.equations if e.op.name == "exp"]
    assert exponential.outputs[0].type.shape == (3,)
