"""Values, gradients and Hessian products of a few models, side by side with JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops.contract import dot_general
from dsl.ops.control import (
    CHECKPOINT,
    COND,
    NOTHING,
    SCAN,
    WHILE,
    CheckpointParams,
    CondParams,
    ScanParams,
    WhileParams,
)
from dsl.ops.elementwise import add, compare, div, mul, select, sub
from dsl.ops.layout import broadcast_in_dim, reduce_sum
from dsl.ops.unary import cos, exp, log, sin, sqrt, tanh
from dsl.transforms.pipeline import LOWERING, run
from dsl.transforms.vmap import vmap
from dsl.types.dtype import F64
from tests.support.cases import some
from tests.support.derivative import grad, hvp
from tests.support.programs import SCALAR, number, program


@dataclass(frozen=True)
class Model:
    """A scalar function written twice, the params to differentiate in, and where."""

    ours: Function
    theirs: Callable[..., Any]
    wrt: tuple[int, ...]
    values: Sequence[np.ndarray[Any, Any]]


def matvec(b: Builder, m: Atom, v: Atom) -> Atom:
    return dot_general(b, m, v, ((m.type.rank - 1,), (0,)))


def perceptron() -> Model:
    types = [Tensor(F64, s) for s in ((4, 3), (4,), (2, 4), (3,), (2,))]

    def ours(b: Builder, w: Atom, c: Atom, v: Atom, x: Atom, y: Atom) -> Atom:
        h = tanh(b, add(b, matvec(b, w, x), c))
        e = sub(b, matvec(b, v, h), y)
        return reduce_sum(b, mul(b, e, e), (0,))

    def theirs(w: Any, c: Any, v: Any, x: Any, y: Any) -> Any:
        return jnp.sum((v @ jnp.tanh(w @ x + c) - y) ** 2)

    rng = np.random.default_rng(0)
    return Model(program(types, ours), theirs, (0, 1, 2), [rng.normal(size=t.shape) for t in types])


def recurrent() -> Model:
    types = [Tensor(F64, s) for s in ((3, 3), (3,), (5, 3))]

    def step(b: Builder, w: Atom, h: Atom, x: Atom) -> tuple[Atom, ...]:
        new = tanh(b, add(b, matvec(b, w, h), x))
        return new, reduce_sum(b, mul(b, new, new), (0,))

    body = program([types[0], types[1], types[1]], step, "step")

    def ours(b: Builder, w: Atom, h: Atom, xs: Atom) -> Atom:
        last, ys = SCAN(b, ScanParams(body, 1, 1, 5), w, h, xs)
        return add(b, reduce_sum(b, last, (0,)), reduce_sum(b, ys, (0,)))

    def theirs(w: Any, h: Any, xs: Any) -> Any:
        def step(h: Any, x: Any) -> tuple[Any, Any]:
            new = jnp.tanh(w @ h + x)
            return new, jnp.sum(new**2)

        last, ys = jax.lax.scan(step, h, xs)
        return jnp.sum(last) + jnp.sum(ys)

    rng = np.random.default_rng(1)
    return Model(program(types, ours), theirs, (0, 1, 2), [rng.normal(size=t.shape) for t in types])


def mixture() -> Model:
    """The negative log-likelihood of points under a mixture of isotropic normals."""
    types = [Tensor(F64, s) for s in ((3,), (3, 2), (3,), (6, 2))]

    def ours(b: Builder, a: Atom, mu: Atom, s: Atom, xs: Atom) -> Atom:
        far = sub(b, broadcast_in_dim(b, xs, (6, 3, 2), (0, 2)), broadcast_in_dim(b, mu, (6, 3, 2), (1, 2)))
        squares = reduce_sum(b, mul(b, far, far), (2,))
        width = exp(b, broadcast_in_dim(b, s, (6, 3), (1,)))
        terms = sub(b, broadcast_in_dim(b, a, (6, 3), (1,)), mul(b, width, squares))
        return sub(b, number(0.0), reduce_sum(b, log(b, reduce_sum(b, exp(b, terms), (1,))), (0,)))

    def theirs(a: Any, mu: Any, s: Any, xs: Any) -> Any:
        squares = jnp.sum((xs[:, None] - mu[None]) ** 2, axis=2)
        return -jnp.sum(jnp.log(jnp.sum(jnp.exp(a - jnp.exp(s) * squares), axis=1)))

    rng = np.random.default_rng(2)
    return Model(program(types, ours), theirs, (0, 1, 2), [rng.normal(size=t.shape) for t in types])


def newton() -> Model:
    """The square root by at most eight steps of Newton's method, and a branch on what came out."""

    def more(b: Builder, a: Atom, x: Atom) -> Atom:
        e = sub(b, mul(b, x, x), a)
        return compare(b, "gt", mul(b, e, e), number(1e-12))

    def better(b: Builder, a: Atom, x: Atom) -> Atom:
        return mul(b, number(0.5), add(b, x, div(b, a, x)))

    two = [SCALAR, SCALAR]
    loop = WhileParams(program(two, more), program(two, better), 1, 1, 8)
    branches = (program([SCALAR], sin), program([SCALAR], lambda b, x: mul(b, x, cos(b, x))))

    def ours(b: Builder, a: Atom, x: Atom) -> Atom:
        (root,) = WHILE(b, loop, a, a, x)
        return COND(b, CondParams(branches), compare(b, "gt", root, number(1.0)), root)[0]

    def theirs(a: Any, x: Any) -> Any:
        for _ in range(8):
            x = jnp.where((x * x - a) ** 2 > 1e-12, 0.5 * (x + a / x), x)
        return jnp.where(x > 1.0, x * jnp.cos(x), jnp.sin(x))

    return Model(program(two, ours), theirs, (0, 1), [np.asarray(3.0), np.asarray(1.3)])


def remembered() -> Model:
    """A checkpointed block under a choice by element."""
    vector = Tensor(F64, (4,))

    def block(b: Builder, x: Atom) -> Atom:
        positive = compare(b, "gt", x, number(0.0, vector))
        return select(b, positive, sin(b, mul(b, x, sqrt(b, x))), tanh(b, x))

    params = CheckpointParams(program([vector], block), NOTHING)

    def ours(b: Builder, x: Atom) -> Atom:
        (y,) = CHECKPOINT(b, params, x)
        (y,) = CHECKPOINT(b, params, y)
        return reduce_sum(b, mul(b, y, y), (0,))

    def theirs(x: Any) -> Any:
        def block(x: Any) -> Any:
            safe = jnp.where(x > 0, x, 1.0)
            return jnp.where(x > 0, jnp.sin(safe * jnp.sqrt(safe)), jnp.tanh(x))

        return jnp.sum(block(block(x)) ** 2)

    return Model(program([vector], ours), theirs, (0,), [np.array([-1.0, 0.0, 0.5, 1.2])])


MODELS: tuple[Callable[[], Model], ...] = (perceptron, recurrent, mixture, newton, remembered)


def close(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("make", MODELS)
def test_values_gradients_and_hessian_products(make: Callable[[], Model]) -> None:
    model = make()
    values, wrt = list(model.values), model.wrt
    directions = [np.cos(values[i] + i) for i in wrt]
    with jax.enable_x64(True):
        close(evaluate(model.ours, values)[0], model.theirs(*values))
        slope = jax.grad(model.theirs, argnums=wrt)
        for ours in (grad(model.ours, wrt), run(grad(model.ours, wrt), LOWERING, check=True)):
            for p, q in zip(evaluate(ours, values), slope(*values), strict=True):
                close(p, q)

        def along(*moved: Any) -> Any:
            given = list(values)
            for i, x in zip(wrt, moved, strict=True):
                given[i] = x
            return slope(*given)

        _, want = jax.jvp(along, tuple(values[i] for i in wrt), tuple(directions))
        for p, q in zip(evaluate(hvp(model.ours, wrt), [*values, *directions]), want, strict=True):
            close(p, q)


@pytest.mark.parametrize("make", MODELS)
def test_gradients_of_a_batch(make: Callable[[], Model]) -> None:
    model = make()
    last = len(model.values) - 1
    batch = list(model.values)
    batch[last] = np.stack([model.values[last] * s for s in (1.0, 0.8, 1.1)])
    axes = tuple(0 if i == last else None for i in range(last + 1))
    mapped = vmap(grad(model.ours, model.wrt), axes, [0] * len(model.wrt), 3)
    with jax.enable_x64(True):
        want = jax.vmap(jax.grad(model.theirs, argnums=model.wrt), in_axes=axes)(*batch)
        for ours in (mapped, run(mapped, LOWERING, check=True)):
            for p, q in zip(some(evaluate(ours, batch)), want, strict=True):
                close(p, q)
