"""`checkpoint` within a budget: never more is kept, never more computed again for a larger one, and values stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial, reduce
from typing import Any, cast

import numpy as np
import pytest

import dsl
from benchmarks.checkpoints import given_by
from dsl.host.functions.function import Function
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.equation_work import Whole
from dsl.ir.function import Atom, Equation, Tensor, Var
from dsl.ir.function import Function as IRFunction
from dsl.ir.verify import verify
from dsl.ir.walk import equations
from dsl.ops.control import CALL, CHECKPOINT, NOTHING, CallParams, CheckpointParams
from dsl.ops.elementwise import add, mul
from dsl.ops.layout import reduce_sum
from dsl.ops.residuals.budget import kept_bytes, versions_within
from dsl.ops.residuals.checkpoint_policy import Keeper
from dsl.ops.unary import tanh
from dsl.staging.stage import Staged
from tests.support.cases import some
from tests.support.derivative import value_and_grad
from tests.support.programs import VECTOR, program, random_program, random_values

PROGRAM = """
def layer(w: f64[d, d], x: f64[n, d]) -> f64[n, d] =
    let h = checkpoint_name(x @ w + 1.0, "hidden")
    x + tanh(h) * exp(-(h ** 2))
def chain(w: f64[d, d], x: f64[n, d]) -> f64[n, d] = layer(w, layer(w, layer(w, layer(w, x))))
def loop(w: f64[d, d], x: f64[n, d]) -> f64[n, d] = fold h = x for _ in range(6) do layer(w, h)
def whole(w: f64[d, d], x: f64[n, d], static p: str) -> f64 = mean(checkpoint(chain, policy=p)(w, x) ** 2)
def looped(w: f64[d, d], x: f64[n, d], static p: str) -> f64 = mean(checkpoint(loop, policy=p)(w, x) ** 2)
def steps(w: f64[d, d], x: f64[n, d], static p: str) -> f64 =
    let y = fold h = x for _ in range(6) do checkpoint(layer, policy=p)(w, h)
    mean(y ** 2)
"""
BUDGETS = (16, 1_100, 2_500, 4_700, 11_000, 50_000)
RNG = np.random.default_rng(0)
W, X = RNG.normal(size=(8, 8)) / 3, RNG.normal(size=(16, 8))


@cache
def made() -> dsl.Program:
    return dsl.program(PROGRAM)


def staged(f: Function, *args: Any, **statics: Any) -> IRFunction:
    found, _, _ = f.staged(args, statics)
    assert isinstance(found, Staged)
    return found.function


def halves(function: IRFunction) -> list[tuple[Equation, CheckpointParams]]:
    return [(e, cast("CheckpointParams", e.params)) for e in equations(function) if e.op is CHECKPOINT]


def kept(f: Function, *args: Any, **statics: Any) -> int:
    """The bytes that are kept: those that the policy `nothing` does not give."""
    first, nothing = (staged(f, *args, p=p, **statics).equations for p in (statics.pop("p"), "nothing"))
    return given_by(first) - given_by(nothing)


@pytest.mark.parametrize(("name", "calls"), [("whole", 1), ("looped", 1), ("steps", 6)])
def test_within_the_budget_and_never_more_work_for_a_larger_one(name: str, calls: int) -> None:
    f = getattr(made(), name)
    gradient = dsl.grad(f, (0, 1))
    want = gradient.interpret(W, X, p="everything")
    sizes, works = [], []
    for budget in BUDGETS:
        policy = f"budget:{budget}B"
        sizes.append(kept(gradient, W, X, p=policy))
        assert sizes[-1] <= calls * budget
        works.append(Whole().of_all(staged(gradient, W, X, p=policy).equations).flops)
        for x, y in zip(want, gradient.interpret(W, X, p=policy) if budget in BUDGETS[::2] else want, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)
    assert works == sorted(works, reverse=True)
    assert sizes == sorted(sizes)
    assert sizes[0] == 0 < sizes[-1]
    by_hand = [Whole().of_all(staged(gradient, W, X, p=p).equations).flops for p in ("nothing", "dots")]
    assert works[0] == by_hand[0]
    assert works[-1] <= by_hand[1]


@pytest.mark.parametrize("budget", [1_100, 2_500, 50_000])
def test_what_the_compiled_program_takes_grows_by_no_more_than_the_budget(budget: int) -> None:
    gradient = dsl.grad(made().steps)
    least = gradient.memory(W, X, p="nothing").peak
    assert gradient.memory(W, X, p=f"budget:{budget}B").peak <= least + 1.05 * 6 * budget


def scalar(types: Sequence[Tensor], params: CheckpointParams) -> IRFunction:
    """The sum of all results under a checkpoint."""

    def write(b: Builder, *xs: Atom) -> Atom:
        sums = [reduce_sum(b, y, range(y.type.rank)) for y in CHECKPOINT(b, params, *xs)]
        return reduce(partial(add, b), sums)

    return program(types, write)


@pytest.mark.parametrize("block", range(3))
def test_any_program(block: int) -> None:
    for seed in some(range(7 * block, 7 * block + 7)):
        f = random_program(seed)
        values = random_values(seed, f.param_types)
        results, want, left = len(f.results), None, None
        for budget in (1, 17, 64, 150, 400, 5_000):
            params = CheckpointParams(f, NOTHING, budget=budget)
            g = scalar(f.param_types, params)
            derived = value_and_grad(g, range(len(f.params)))
            verify(derived)
            for e, params in halves(derived):
                if not params.again:
                    assert sum(y.type.bytes for y in e.outputs[results:]) <= budget
            found = evaluate(derived, values)
            for x, y in zip(found, want or found, strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-7, atol=1e-9, err_msg=f"{seed}: {budget}")
            work = Whole().of_all(derived.equations).flops
            assert left is None or work <= left, (seed, budget)
            want, left = found, work


def test_elements_of_a_map_share_the_budget() -> None:
    m = dsl.program(
        PROGRAM
        + """
def one(w: f64[d, d], x: f64[n, d], static p: str) -> f64[d, d] = grad(whole)(w, x, p)
def mapped(w: f64[d, d], xs: f64[k, n, d], static p: str) = vmap(fn x -> one(w, x, p))(xs)
def listed(w: f64[d, d], xs: f64[k, n, d], static p: str) = [one(w, x, p) for x in xs]
def inside(w: f64[d, d], xs: f64[k, n, d], static p: str) = grad(fn w -> sum(vmap(fn x -> whole(w, x, p))(xs)))(w)
def both(w: f64[d, d], xs: f64[k, n, d], static p: str) = (vmap(fn x -> one(w, x, p))(xs), [one(w, xs[0], p)])
"""
    )
    xs = np.stack([X] * 5)
    plain = kept(m.one, W, X, p="budget:5000B")
    assert plain == 4096
    for f in some([m.mapped, m.listed, m.inside]):
        assert kept(f, W, xs, p="budget:5000B") == 0
        assert kept(f, W, xs, p="budget:25000B") == 5 * plain
    assert kept(m.both, W, xs, p="budget:5000B") == plain
    assert kept(dsl.vmap(m.one, in_axes=(None, 0)), W, xs, p="budget:11000B") <= 11_000
    np.testing.assert_allclose(m.mapped.interpret(W, xs, p="budget:25000B")[0], m.one.interpret(W, X, p="nothing"))


def test_each_device_has_a_budget_of_its_own() -> None:
    gradient = dsl.pmap(dsl.grad(made().whole), in_axes=(None, 0))
    mapped = staged(gradient, W, np.stack([X] * 2), p="budget:5000B")
    assert {params.budget for _, params in halves(mapped) if not params.again} == {(5000 - 4096) // 2}


@pytest.mark.parametrize("policy", ["budget:2500B", "budget:20000B"])
def test_derivatives_of_derivatives(policy: str) -> None:
    m = dsl.program(
        PROGRAM
        + """
def twice(w: f64[d, d], x: f64[n, d], static p: str) = grad(fn w -> sum(grad(whole)(w, x, p) ** 2))(w)
def pushed(w: f64[d, d], x: f64[n, d], static p: str) = hvp(fn w -> whole(w, x, p), w, 0.1 * w)
"""
    )
    budget = int(policy[7:-1])
    for f in some([m.twice, m.pushed]):
        np.testing.assert_allclose(f.interpret(W, X, p=policy), f.interpret(W, X, p="nothing"), rtol=1e-10)
        assert kept(f, W, X, p=policy) <= budget


def test_hessian() -> None:
    m = dsl.program("def f(x: f64[n], static p: str) -> f64 = sum(checkpoint(fn x -> tanh(sin(x) ** 2), policy=p)(x))")
    x = np.linspace(0, 1, 3)
    for policy in some(["budget:100B", "budget:1kB"]):
        np.testing.assert_allclose(dsl.hessian(m.f).interpret(x, p=policy), dsl.hessian(m.f).interpret(x, p="nothing"))


def test_the_same_choice_again() -> None:
    texts = {str(dsl.grad(dsl.program(PROGRAM).whole).ir(W, X, p="budget:2500B")) for _ in range(2)}
    assert len(texts) == 1


def test_a_large_value_does_not_keep_small_ones_out() -> None:
    m = dsl.program(
        """
def f(a: f64[n, n], b: f64[n, n], x: f64[n]) -> f64[n] =
    let large = sin((a @ b) @ a) * 1.0
    sin(a @ (tanh(large) @ sin(b @ x)))
def g(a: f64[n, n], b: f64[n, n], x: f64[n], static p: str) -> f64 = sum(checkpoint(f, policy=p)(a, b, x))
"""
    )
    a, b, x = (RNG.normal(size=shape) / 8 for shape in ((12, 12), (12, 12), (12,)))
    assert 0 < kept(dsl.grad(m.g, (0, 1, 2)), a, b, x, p="budget:500B") <= 500


def test_bytes_are_those_of_what_is_kept() -> None:
    f = random_program(3)
    made = versions_within(
        CheckpointParams(f, NOTHING), f.equations, [y for e in f.equations for y in e.outputs], 10_000
    )
    assert kept_bytes(made) == sum(v.type.bytes for v in made.kept)
    everything = Keeper(CheckpointParams(f, None)).versions(f.equations, [y for e in f.equations for y in e.outputs])
    assert kept_bytes(made) <= kept_bytes(everything)


def test_bodies_with_many_callers_are_followed_once() -> None:
    f = program([VECTOR], lambda b, x: tanh(b, mul(b, x, x)), "leaf")
    for _ in range(30):
        f = program([VECTOR], _twice(CallParams(f)), "more")
    size = VECTOR.bytes
    for budget in some([1, size, 3 * size]):
        made = versions_within(CheckpointParams(f, NOTHING), f.equations, [cast("Var", f.results[0])], budget)
        assert kept_bytes(made) == min(budget // size, 1) * size


def _twice(params: CallParams) -> Callable[[Builder, Atom], Atom]:
    def write(b: Builder, x: Atom) -> Atom:
        (y,) = CALL(b, params, *CALL(b, params, x))
        return y

    return write
