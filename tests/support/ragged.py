"""Random programs over arrays of a size that data decide, right ones and wrong ones.

A right program comes twice: as a function that selects by a mask, and as one of arrays that were selected before. At
the true size both are the same function: that is what the first one means.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

ELEMENTWISE = ("sin({})", "tanh({})", "exp(-abs({}))", "sqrt(abs({}) + 0.1)", "log(abs({}) + 0.5)", "abs({})", "-{}")
OPERATORS = ("+", "-", "*")


@dataclass
class Writer:
    """Writes expressions of ragged vectors and of scalars, to a depth."""

    random: random.Random
    names: int = 0

    def name(self) -> str:
        self.names += 1
        return f"e{self.names}"

    def vector(self, depth: int) -> str:
        if depth <= 0:
            return self.random.choice(("y", "v"))
        return self.random.choice(
            (
                self._elementwise,
                self._combined,
                self._scaled,
                self._chosen,
                self._running,
                self._mapped,
                self._outer,
                self._slope,
                self._scanned,
            )
        )(depth - 1)

    def scalar(self, depth: int) -> str:
        if depth <= 0:
            return self.random.choice(("a", "0.5", "f32(y.shape[0])"))
        return self.random.choice(
            (self._reduced, self._product, self._folded, self._mean, self._slope_of_scalar, self._looped, self._branch)
        )(depth - 1)

    # ------------------------------------------------------------ vectors

    def _elementwise(self, depth: int) -> str:
        return self.random.choice(ELEMENTWISE).format(f"({self.vector(depth)})")

    def _combined(self, depth: int) -> str:
        return f"({self.vector(depth)} {self.random.choice(OPERATORS)} {self.vector(depth)})"

    def _scaled(self, depth: int) -> str:
        return f"({self.vector(depth)} {self.random.choice(OPERATORS)} {self.scalar(depth - 1)})"

    def _chosen(self, depth: int) -> str:
        return f"where({self.vector(depth)} > {self.scalar(depth - 1)}, {self.vector(depth)}, {self.vector(depth)})"

    def _running(self, depth: int) -> str:
        return f"{self.random.choice(('cumsum', 'sort'))}({self.vector(depth)})"

    def _mapped(self, depth: int) -> str:
        e = self.name()
        return f"[{e} * cos({e}) + {self.scalar(0)} for {e} in {self.vector(depth)}]"

    def _outer(self, depth: int) -> str:
        return (
            f"sum(sin({self.vector(depth)}[:, None] - {self.vector(depth)}[None, :]), axis={self.random.choice('01')})"
        )

    def _slope(self, depth: int) -> str:
        e = self.name()
        return f"grad(fn {e} -> sum(sin({e}) * {self.vector(depth - 1)}))({self.vector(depth)})"

    def _scanned(self, depth: int) -> str:
        c, e = self.name(), self.name()
        return (
            f"(scan {c} = {self.scalar(depth - 1)} for {e} in {self.vector(depth)} do (0.5 * {c} + {e}, {c} * {e})).1"
        )

    # ------------------------------------------------------------ scalars

    def _reduced(self, depth: int) -> str:
        return f"sum({self.vector(depth)})"

    def _product(self, depth: int) -> str:
        return f"({self.vector(depth)} @ {self.vector(depth)})"

    def _mean(self, depth: int) -> str:
        return f"(sum({self.vector(depth)}) / (1.0 + f32(v.shape[0])))"

    def _folded(self, depth: int) -> str:
        c, e, back = self.name(), self.name(), self.random.choice(("", "reverse "))
        return f"(fold {c} = {self.scalar(depth - 1)} for {e} in {self.vector(depth)} {back}do 0.5 * {c} + sin({e}))"

    def _slope_of_scalar(self, depth: int) -> str:
        e = self.name()
        return f"grad(fn {e} -> sum(tanh({self.vector(depth)} * {e})))({self.scalar(depth - 1)})"

    def _looped(self, depth: int) -> str:
        c, first = self.name(), self.scalar(depth - 1)
        return f"(fold {c} = {first} for _ in range(2) do 0.5 * {c} + sum(sin({self.vector(depth)} * {c})))"

    def _branch(self, depth: int) -> str:
        return f"(if {self.scalar(depth)} > 0.0 then sum({self.vector(depth)}) else {self.scalar(depth)})"


SELECTING = "(x: f32[n], w: f32[n], m: bool[n], a: f32)"
SELECTED = "(y: f32[k], v: f32[k], a: f32)"


def right_program(seed: int, results: int, depth: int = 3) -> str:
    """Two functions of one program, `selecting` and `selected`, with as many results."""
    writer = Writer(random.Random(seed))
    written = [(writer.vector if place % 2 else writer.scalar)(depth) for place in range(results)]
    body = f"({', '.join(written)})"
    return f"def selecting{SELECTING} =\n    let (y, v) = (x[m], w[m])\n    {body}\ndef selected{SELECTED} = {body}\n"


NEEDS_SIZE = (
    "y[::-1]",
    "reshape({}, [-1])",
    "concatenate(({}, {}))",
    "prod({})",
    "argsort({})",
    "flip({})",
    "zeros([y.shape[0] + 1])",
    "zeros([2 * y.shape[0]])",
    "(if y.shape[0] > 3 then {} else {})",
    "({} |> fn u -> u.at[u > 0.0].set(0.0))",
    "cumprod({})",
    "jacfwd(fn u -> u * u)({})",
    "[if e > 0.0 then e else 0.0 for e in {}]",
)
"""What is written with ragged vectors, and needs to know how many elements they have."""

ANEW = (
    "[sum(x[{m}]) for _ in range(3)]",
    "(fold t = 0.0 for _ in range(3) do t + sum(x[{m}]))",
    "(if a > 0.0 then sum(x[{m}]) else 0.0)",
    "vmap(fn t -> sum(x[{m}] * t))([1.0, 2.0])",
    "checkpoint(fn x -> sum(x[{m}]))(x)",
    "(fn q -> x[q])({m})",
)
"""What would decide a size more than once, or lets it out."""

UNEQUAL = ("({} + x[x > 0.0])", "({} * w)", "({} @ w)", "where({} > 0.0, w, 0.0)", "({} + x[~m])")
"""What needs two sizes to be one."""


def wrong_program(seed: int) -> tuple[str, str]:
    """A program that is refused, and the beginning of the code of its error."""
    chosen = random.Random(seed)
    writer = Writer(chosen)
    code, forms = chosen.choice((("E0425", NEEDS_SIZE), ("E0426", ANEW), ("E04", UNEQUAL)))
    form = chosen.choice(forms)
    mask = chosen.choice(("m", "x > 0.0", "w < a"))
    count = form.count("{}")
    wrong = form.format(*[writer.vector(chosen.randrange(3)) for _ in range(count)], m=mask)
    whole = chosen.choice(("{}", "({}, a)", "({}, sum(y))"))
    return f"def f{SELECTING} =\n    let (y, v) = (x[m], w[m])\n    {whole.format(wrong)}\n", code


def masks(count: int, chosen: Callable[[], float]) -> Iterator[list[bool]]:
    """None, all, and some."""
    yield [False] * count
    yield [True] * count
    yield [chosen() < 0.5 for _ in range(count)]
