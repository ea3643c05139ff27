"""`checkpoint` within a budget beside policies chosen by hand: what is kept, operations, peak memory, and time.

    python -m benchmarks.checkpoints [NAME …]

For each program, each policy by hand has a row, and so has the budget of as many bytes as it keeps; and budgets of a
quarter and of half of what `"everything"` keeps. `best` is the time over that of the fastest policy by hand that keeps
no more. Times are of the processor, medians of interleaved calls of the gradient.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

import dsl
from dsl.host.functions.function import Function
from dsl.ir.equation_work import Whole
from dsl.ir.function import Equation
from dsl.ir.walk import bodies
from dsl.ops.control.call import CHECKPOINT
from dsl.staging.stage import Staged

RNG = np.random.default_rng(0)
BY_HAND = ("nothing", "dots", "everything", "hidden")
CALLS, ROUNDS = 5, 7

TRANSFORMER = """
import nn
type Block[d, f] = {q: f32[d, d], k: f32[d, d], v: f32[d, d], o: f32[d, d], up: f32[d, f], down: f32[f, d]}
def _norm(x: f32[b, n, d]) -> f32[b, n, d] where d >= 1 = nn.layer_norm(x, ones([d]), zeros([d]))
def _block(p: Block[d, f], x: f32[b, n, d]) -> f32[b, n, d] where d >= 1 and d % 4 == 0 and n >= 1 =
    let y = _norm(x)
    let shape = [b, n, 4, d // 4]
    let (q, k, v) = (reshape(y @ p.q, shape), reshape(y @ p.k, shape), reshape(y @ p.v, shape))
    let scores = einsum("bqhd,bkhd->bhqk", q, k) / sqrt(f32(d // 4))
    let mixed = einsum("bhqk,bkhd->bqhd", nn.softmax(scores), v)
    let x = x + checkpoint_name(reshape(mixed, [b, n, d]) @ p.o, "hidden")
    x + checkpoint_name(nn.gelu(_norm(x) @ p.up) @ p.down, "hidden")
def model(p: Block[d, f], x: f32[b, n, d]) -> f32[b, n, d] where d >= 1 and d % 4 == 0 and n >= 1 =
    _block(p, _block(p, _block(p, x)))
def loss(p: Block[d, f], x: f32[b, n, d], static policy: str) -> f32 where d >= 1 and d % 4 == 0 and n >= 1 =
    mean(checkpoint(model, policy=POLICY)(p, x) ** 2)
"""
CHAIN = """
def _layer(w: f32[d, d], x: f32[n, d]) -> f32[n, d] =
    let h = checkpoint_name(x @ w + 0.1, "hidden")
    x + tanh(h) * exp(-(h ** 2))
def model(w: f32[d, d], x: f32[n, d]) -> f32[n, d] =
    let x = _layer(w, _layer(w, _layer(w, x)))
    _layer(w, _layer(w, _layer(w, x)))
def loss(w: f32[d, d], x: f32[n, d], static policy: str) -> f32 = mean(checkpoint(model, policy=POLICY)(w, x) ** 2)
"""
SCAN = """
def model(w: f32[d, d], x: f32[n, d]) -> f32[n, d] =
    fold x = x for _ in range(32) do
        let h = checkpoint_name(x @ w, "hidden")
        0.9 * x + tanh(h) * exp(-(h ** 2))
def loss(w: f32[d, d], x: f32[n, d], static policy: str) -> f32 = mean(checkpoint(model, policy=POLICY)(w, x) ** 2)
"""
LAYERS = """
def _layer(w: f32[d, d], x: f32[n, d]) -> f32[n, d] =
    let h = checkpoint_name(x @ w, "hidden")
    0.9 * x + tanh(h) * exp(-(h ** 2))
def loss(w: f32[d, d], x: f32[n, d], static policy: str) -> f32 =
    let y = fold x = x for _ in range(32) do checkpoint(_layer, policy=POLICY)(w, x)
    mean(y ** 2)
"""


def draw(*shape: int) -> Any:
    return (RNG.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)


def block(d: int, f: int) -> Mapping[str, Any]:
    return {**{name: draw(d, d) for name in "qkvo"}, "up": draw(d, f), "down": draw(f, d)}


@dataclass(frozen=True, slots=True)
class Case:
    """A program, the arguments, and how often the function with the checkpoint is called."""

    text: str
    args: tuple[Any, ...]
    calls: int = 1


CASES: Mapping[str, Case] = MappingProxyType(
    {
        "transformer": Case(TRANSFORMER, (block(128, 512), draw(4, 64, 128))),
        "chain": Case(CHAIN, (draw(192, 192), draw(256, 192))),
        "scan": Case(SCAN, (draw(128, 128), draw(128, 128))),
        "steps of a loop": Case(LAYERS, (draw(128, 128), draw(128, 128)), 32),
    }
)


@dataclass(frozen=True, slots=True)
class Row:
    """A policy: the bytes kept (before rows are compared: what first halves give), operations of the gradient by the
    model, peak memory by the compiler, and seconds."""

    policy: str
    kept: int
    flops: int
    peak: int
    seconds: float = 0.0


def given_by(equations: Sequence[Equation]) -> int:
    """The bytes that the first halves of checkpoints give: their results, and what is kept; in a loop, of all steps."""
    total = 0
    for e in equations:
        params: Any = e.params
        if e.op is CHECKPOINT and not params.again:
            total += sum(y.type.bytes for y in e.outputs)
        else:
            total += getattr(params, "length", 1) * sum(given_by(body.equations) for body in bodies(e))
    return total


def gradient(text: str, policy: str) -> Function:
    option = '("hidden",)' if policy == "hidden" else "policy"
    return dsl.grad(dsl.program(text.replace("POLICY", option)).loss)


def row(text: str, policy: str, args: Sequence[Any]) -> tuple[Row, Function]:
    f = gradient(text, policy)
    word = "nothing" if policy == "hidden" else policy
    staged, _, _ = f.staged(tuple(args), {"policy": word})
    assert isinstance(staged, Staged)
    work = Whole().of_all(staged.function.equations)
    return Row(policy, given_by(staged.function.equations), work.flops, f.memory(*args, policy=word).peak), f


def timed(made: Sequence[tuple[Row, Function]], args: Sequence[Any]) -> list[Row]:
    """Rows with their times, which are taken in turns."""
    results = min(each.kept for each, _ in made)
    samples: list[list[float]] = [[] for _ in made]
    for _ in range(ROUNDS):
        for (each, f), found in zip(made, samples, strict=True):
            word = "nothing" if each.policy == "hidden" else each.policy
            start = time.process_time()
            for _ in range(CALLS):
                for leaf in dsl.tree.leaves(f(*args, policy=word)):
                    leaf.block_until_ready()
            found.append((time.process_time() - start) / CALLS)
    return [
        Row(each.policy, each.kept - results, each.flops, each.peak, statistics.median(found))
        for (each, _), found in zip(made, samples, strict=True)
    ]


def rows(name: str) -> Iterator[str]:
    case = CASES[name]
    given = dsl.tree.map(dsl.array, case.args)
    by_hand = [row(case.text, policy, given) for policy in BY_HAND]
    kept = [(each.kept - by_hand[0][0].kept) // case.calls for each, _ in by_hand]
    budgets = [f"budget:{size}B" for size in sorted({each for each in kept if each} | {max(kept) // 4, max(kept) // 2})]
    found = timed([*by_hand, *[row(case.text, policy, given) for policy in budgets]], given)
    hands = found[: len(BY_HAND)]
    for each in found:
        limit = case.calls * int(each.policy[7:-1]) if each.policy in budgets else each.kept
        assert each.kept <= limit, each
        best = min(hand.seconds for hand in hands if hand.kept <= limit)
        yield (
            f"{name:<16}{each.policy:<22}{each.kept / 1e6:9.3f} MB{each.flops / 1e6:10.1f} Mflop"
            f"{each.peak / 1e6:9.3f} MB{each.seconds * 1e3:9.3f} ms{each.seconds / best:7.2f}"
        )


def main() -> None:
    print(f"{'':<38}{'kept':>12}{'work':>16}{'peak':>12}{'time':>12}{'best':>7}")
    for name in sys.argv[1:] or CASES:
        for line in rows(name):
            print(line, flush=True)


if __name__ == "__main__":
    main()
