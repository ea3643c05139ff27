"""Step and compile time of the training examples beside twins in Equinox and Optax, in one process.

`python -m benchmarks.training` runs all, names after it some: `mlp cnn characters vae diffusion`. Steps of both sides
alternate, and the smallest times are compared, by the clock and by the processor time of all threads; a ratio below 1
means that we are faster. A compile is the first call of a function that nothing is known of: with us from the text, on
the other side from a new function. Read next: `twins`; `attention` measures memory.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from msgspec import Struct

from benchmarks.training import twins

os.environ["DSL_CACHE"] = "library"  # only the records of the library are known

import dsl

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RANDOM = np.random.default_rng(0)
IMAGES = RANDOM.uniform(size=(400, 64)).astype(np.float32)
COUNTS = np.round(16 * IMAGES[:50])
LABELS = RANDOM.integers(0, 10, 400).astype(np.int32)
TEXT = RANDOM.integers(0, 90, 20_000).astype(np.int32)
COMPILES, ROUNDS, SECONDS = 3, 12, 0.1


class Case(Struct, frozen=True):
    """An example: `ours` makes a state and a call of a program, `theirs` likewise; both calls take a state and the
    number of a step. `steps` is how many steps of an optimizer a call takes."""

    steps: int
    ours: Callable[[dsl.Program], tuple[Any, Callable[..., Any]]]
    theirs: Callable[[], tuple[Any, Callable[..., Any]]]
    file: str


def _mlp(m: dsl.Program) -> tuple[Any, Callable[..., Any]]:
    p = m.init(0, i=64, h=128, o=10)

    def call(state: Any, i: int) -> tuple[Any, Any]:
        p, memory, loss = m.epoch(*state, i, IMAGES, LABELS, 0.003, batch=50)
        return (p, memory), loss

    return (p, m.start(p)), call


def _cnn(m: dsl.Program) -> tuple[Any, Callable[..., Any]]:
    images = IMAGES.reshape(-1, 8, 8)
    return m.init(0, c=8, o=10), lambda state, i: m.epoch(state, i, images, LABELS, 0.003, batch=50)


def _characters(m: dsl.Program) -> tuple[Any, Callable[..., Any]]:
    options = {"steps": 4, "batch": 16, "length": 64}
    return m.init(0, v=90, n=64, depth=3), lambda state, i: m.train(state, i, TEXT, 0.003, **options)


def _vae(m: dsl.Program) -> tuple[Any, Callable[..., Any]]:
    return m.init(0, hidden=2, width=128), lambda state, i: m.step(state, COUNTS, 0.001, key=i)


def _diffusion(m: dsl.Program) -> tuple[Any, Callable[..., Any]]:
    x, digits = 2 * IMAGES[:64] - 1, LABELS[:64]
    return m.init(0, width=128, depth=3), lambda state, i: m.step(state, x, digits, 0.001, key=i)


def _twin(twin: twins.Twin, *data: Any, key_last: bool = False) -> tuple[Any, Callable[..., Any]]:
    """A compiled step of a twin, that takes the number of a step for its key."""
    state, step = twin
    run = eqx.filter_jit(step)

    def call(state: Any, i: int) -> Any:
        key = jax.random.key(i)
        return run(state, *data, key) if key_last else run(state, key, *data)

    return state, call


CASES = {
    "mlp": Case(8, _mlp, lambda: _twin(twins.mlp_twin(64, 128, 10, 50, 0.003), IMAGES, LABELS), "mlp"),
    "cnn": Case(8, _cnn, lambda: _twin(twins.cnn_twin(8, 10, 50, 0.003), IMAGES.reshape(-1, 8, 8), LABELS), "cnn"),
    "characters": Case(
        4, _characters, lambda: _twin(twins.characters_twin(90, 64, 3, 4, 16, 64, 0.003), TEXT), "characters"
    ),
    "vae": Case(1, _vae, lambda: _twin(twins.vae_twin(2, 128, 0.001), COUNTS, key_last=True), "vae"),
    "diffusion": Case(
        1,
        _diffusion,
        lambda: _twin(twins.diffusion_twin(128, 3, 0.001), 2 * IMAGES[:64] - 1, LABELS[:64], key_last=True),
        "diffusion",
    ),
}


class Times(Struct, frozen=True):
    """Seconds by the clock, and of the processor in all threads."""

    clock: float
    processor: float


def timed(call: Callable[[], Any]) -> tuple[Times, Any]:
    clock, processor = time.perf_counter(), time.process_time()
    result = call()
    return Times(time.perf_counter() - clock, time.process_time() - processor), result


def finished(result: tuple[Any, Any]) -> tuple[Any, float]:
    """A state that has arrived, and the mean loss."""
    state, loss = result
    for leaf in [*jax.tree.leaves(state), *([] if eqx.is_array(state) else dsl.tree.leaves(state))]:
        if hasattr(leaf, "block_until_ready"):
            leaf.block_until_ready()
    return state, float(np.mean(np.asarray(loss)))


def first_call(call: Callable[..., Any], state: Any) -> tuple[Any, float]:
    return finished(call(state, 0))


def compiled(case: Case) -> tuple[list[Times], list[Times], Any, Any]:
    """The first calls of both sides, and what the last of them compiled."""
    ours, theirs = [], []
    for _ in range(COMPILES):
        text = (EXAMPLES / f"{case.file}.dsl").read_text(encoding="utf-8")
        state, call = case.ours(dsl.program(f"{text}\n# {time.perf_counter_ns()}\n"))
        taken, _ = timed(partial(first_call, call, state))
        ours.append(taken)
        other, other_call = case.theirs()
        taken, _ = timed(partial(first_call, other_call, other))
        theirs.append(taken)
    return ours, theirs, (state, call), (other, other_call)


def burst(state: Any, call: Callable[..., Any], first: int) -> tuple[Times, int, Any, float]:
    """Calls for a while; times are for each."""
    count, start, loss = 0, time.perf_counter(), 0.0
    processor = time.process_time()
    while time.perf_counter() - start < SECONDS:
        state, loss = call(state, first + count)
        count += 1
    state, mean = finished((state, loss))
    taken = Times((time.perf_counter() - start) / count, (time.process_time() - processor) / count)
    return taken, count, state, mean


def stepped(case: Case, ours: Any, theirs: Any) -> tuple[list[Times], list[Times], tuple[float, float]]:
    """Bursts of both sides in turn, and the last losses."""
    mine, others, (state, call), (other, other_call) = [], [], ours, theirs
    k = j = 1
    for _ in range(ROUNDS):
        taken, count, state, loss = burst(state, call, k)
        mine.append(taken)
        k += count
        taken, count, other, other_loss = burst(other, other_call, j)
        others.append(taken)
        j += count
    return mine, others, (loss, other_loss)


def smallest(times: list[Times]) -> Times:
    return Times(min([t.clock for t in times]), min([t.processor for t in times]))


def ratio(what: str, ours: Times, theirs: Times) -> str:
    parts = [
        f"{name} {1e3 * a:8.2f} {1e3 * b:8.2f} ms {a / b:5.2f}"
        for name, a, b in (("clock", ours.clock, theirs.clock), ("processor", ours.processor, theirs.processor))
    ]
    return f"{what:8} " + "   ".join(parts)


def numbers_in(state: Any) -> int:
    return sum([int(np.prod(np.shape(leaf))) for leaf in jax.tree.leaves(state)])


def main(names: list[str]) -> None:
    for name in names or CASES:
        case = CASES[name]
        ours, theirs, mine, others = compiled(case)
        counts = numbers_in(jax.tree.map(np.asarray, mine[0])), numbers_in(others[0])
        assert abs(counts[0] - counts[1]) <= 4, f"the models of {name} differ: {counts} numbers"
        print(name)
        print("  " + ratio("compile", smallest(ours), smallest(theirs)))
        first, second, losses = stepped(case, mine, others)
        per = [Times(t.clock / case.steps, t.processor / case.steps) for t in (smallest(first), smallest(second))]
        print("  " + ratio("step", *per) + f"   losses {losses[0]:.3f} {losses[1]:.3f}", flush=True)


if __name__ == "__main__":
    jnp.zeros(1).block_until_ready()
    main(sys.argv[1:])
