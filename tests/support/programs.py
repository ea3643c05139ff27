"""Random well-typed programs of the IR over f64, with control flow, and the numbers to run them on.

Everything stays bounded and smooth almost everywhere, so that finite differences mean something. The same
seed gives the same program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Literal, Tensor
from dsl.ops.contract import dot_general
from dsl.ops.control import (
    CALL,
    CHECKPOINT,
    COND,
    DOTS,
    NOTHING,
    SCAN,
    WHILE,
    CallParams,
    CheckpointParams,
    CondParams,
    ScanParams,
    WhileParams,
)
from dsl.ops.elementwise import add, compare, convert, div, mul, neg, select, sub
from dsl.ops.extent import concatenate, pad, slice_axis
from dsl.ops.layout import broadcast_in_dim, reduce_sum, reshape, rev, transpose
from dsl.ops.unary import cos, exp, sin, tanh
from dsl.types.dtype import BOOL, F64, I32

Array = np.ndarray[Any, Any]
SCALAR, VECTOR, MATRIX = Tensor(F64), Tensor(F64, (3,)), Tensor(F64, (2, 3))
TYPES = (SCALAR, VECTOR, MATRIX)
STEPS = 3


def number(value: float, type: Tensor = SCALAR) -> Literal:
    return Literal(float(value), type)


def program(types: Sequence[Tensor], write: Callable[..., Any], name: str = "f") -> Function:
    """A function written by `write(builder, *params)`, which gives one result or a tuple of them."""
    b = Builder()
    found = write(b, *[b.param(t) for t in types])
    return b.finish(name, found if isinstance(found, tuple) else (found,))


@dataclass
class Writer:
    """Writes random equations: `pool` holds the values that may be used, by type."""

    random: Random
    b: Builder
    pool: dict[Tensor, list[Atom]]
    depth: int

    def pick(self, type: Tensor) -> Atom:
        """A value of the type, most likely a recent one; made from a scalar if there is none."""
        found = self.pool.get(type)
        if not found or self.random.random() < 0.05:
            if type.shape and self.pool.get(SCALAR):
                return broadcast_in_dim(self.b, self.pick(SCALAR), type.shape, ())
            if self.pool.get(VECTOR) and type is SCALAR and self.random.random() < 0.5:
                return reduce_sum(self.b, self.pick(VECTOR), (0,))
            return number(self.random.uniform(-1, 1), type)
        return found[-1 - min(int(self.random.expovariate(0.6)), len(found) - 1)]

    def keep(self, x: Atom) -> None:
        self.pool.setdefault(x.type, []).append(x)

    def step(self) -> None:
        choices = [self.unary, self.binary, self.binary, self.move, self.choose, self.contract]
        if self.depth:
            choices += [self.branch, self.loop, self.walk, self.call, self.remat]
        self.random.choice(choices)()

    # --- straight line ---

    def unary(self) -> None:
        x = self.pick(self.random.choice(TYPES))
        op = self.random.choice((sin, cos, tanh, neg, lambda b, x: exp(b, tanh(b, x))))
        self.keep(op(self.b, x))

    def binary(self) -> None:
        type = self.random.choice(TYPES)
        x, y = self.pick(type), self.pick(type)
        b = self.b
        op = self.random.choice(
            (
                add,
                sub,
                lambda b, x, y: mul(b, tanh(b, x), y),
                lambda b, x, y: div(b, x, add(b, number(1.5, type), mul(b, y, y))),
            )
        )
        self.keep(op(b, x, y))

    def move(self) -> None:
        b, m, v = self.b, self.pick(MATRIX), self.pick(VECTOR)
        moves: tuple[Callable[[], Atom], ...] = (
            lambda: broadcast_in_dim(b, v, (2, 3), (1,)),
            lambda: reduce_sum(b, m, (0,)),
            lambda: reduce_sum(b, m, (0, 1)),
            lambda: transpose(b, reshape(b, m, (3, 2)), (1, 0)),
            lambda: rev(b, v, (0,)),
            lambda: reshape(b, slice_axis(b, m, 0, 1, 2), (3,)),
            lambda: pad(b, slice_axis(b, v, 0, 0, 2), number(0.5), (1,), (0,), (0,)),
            lambda: concatenate(b, (slice_axis(b, v, 0, 1, 3), slice_axis(b, v, 0, 0, 1)), 0),
        )
        self.keep(self.random.choice(moves)())

    def choose(self) -> None:
        type = self.random.choice(TYPES)
        x, y = self.pick(type), self.pick(type)
        pred = compare(self.b, "lt", self.pick(type), number(self.random.uniform(-0.5, 0.5), type))
        self.keep(select(self.b, pred, x, y))

    def contract(self) -> None:
        m, v = self.pick(MATRIX), self.pick(VECTOR)
        product = dot_general(self.b, m, tanh(self.b, v), ((1,), (0,)))
        self.keep(reduce_sum(self.b, product, (0,)))

    # --- bodies ---

    def body(self, types: Sequence[Tensor], results: Sequence[Tensor], name: str) -> Function:
        return random_function(self.random, types, results, 3, self.depth - 1, name)

    def branch(self) -> None:
        given, results = [SCALAR, VECTOR], [self.random.choice(TYPES)]
        index: Atom = compare(self.b, "lt", self.pick(SCALAR), number(0.1))
        count = self.random.choice((2, 3))
        if count == 3:
            index = convert(self.b, index, I32)
        branches = tuple([self.body(given, results, f"branch{i}") for i in range(count)])
        for y in COND(self.b, CondParams(branches), index, *[self.pick(t) for t in given]):
            self.keep(y)

    def loop(self) -> None:
        carry, output, const = self.random.choice(TYPES), self.random.choice((SCALAR, VECTOR)), VECTOR
        body = self.body([const, carry, SCALAR], [carry, output], "step")
        xs = self.pick(VECTOR)
        params = ScanParams(body, 1, 1, STEPS, self.random.random() < 0.5)
        last, ys = SCAN(self.b, params, self.pick(const), self.pick(carry), xs)
        self.keep(last)
        self.keep(reduce_sum(self.b, ys, (0,)))

    def walk(self) -> None:
        step = self.body([SCALAR, SCALAR], [SCALAR], "walk")

        def more(b: Builder, bound: Atom, x: Atom, left: Atom) -> Atom:
            return compare(b, "lt", tanh(b, x), bound)

        def body(b: Builder, w: Atom, x: Atom, left: Atom) -> tuple[Atom, ...]:
            (y,) = CALL(b, CallParams(step), w, x)
            return add(b, x, mul(b, number(0.3), tanh(b, y))), add(b, left, number(0.25))

        three = [SCALAR, SCALAR, SCALAR]
        params = WhileParams(program(three, more, "more"), program(three, body, "walking"), 1, 1, STEPS)
        for y in WHILE(self.b, params, *[self.pick(SCALAR) for _ in range(3)], number(0.0)):
            self.keep(y)

    def call(self) -> None:
        f = self.body([SCALAR, VECTOR], [VECTOR], "callee")
        for _ in range(2):
            for y in CALL(self.b, CallParams(f), self.pick(SCALAR), self.pick(VECTOR)):
                self.keep(y)

    def remat(self) -> None:
        f = self.body([VECTOR, SCALAR], [SCALAR], "again")
        keep = self.random.choice((NOTHING, DOTS, None))
        for y in CHECKPOINT(self.b, CheckpointParams(f, keep), self.pick(VECTOR), self.pick(SCALAR)):
            self.keep(y)


def random_function(
    random: Random, types: Sequence[Tensor], results: Sequence[Tensor], steps: int, depth: int, name: str
) -> Function:
    b = Builder()
    writer = Writer(random, b, {}, depth)
    for t in types:
        writer.keep(b.param(t))
    for _ in range(steps):
        writer.step()
    return b.finish(name, tuple([tanh(b, writer.pick(t)) for t in results]))


def random_program(seed: int, steps: int = 6, depth: int = 2) -> Function:
    """scalar, vector, matrix -> scalar, vector."""
    return random_function(Random(seed), TYPES, (SCALAR, VECTOR), steps, depth, f"program{seed}")


def random_values(seed: int, types: Sequence[Tensor]) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [
        rng.uniform(size=t.shape) < 0.5 if t.dtype is BOOL else np.asarray(rng.uniform(-1, 1, t.shape)) for t in types
    ]


def slope(f: Function, values: Sequence[Array], directions: Sequence[Array], step: float = 1e-6) -> list[Array]:
    """The directional derivative of each result, by central differences."""
    high = evaluate(f, [x + step * d for x, d in zip(values, directions, strict=True)])
    low = evaluate(f, [x - step * d for x, d in zip(values, directions, strict=True)])
    return [(p - q) / (2 * step) for p, q in zip(high, low, strict=True)]
