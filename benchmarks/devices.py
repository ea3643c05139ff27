"""Programs over eight devices of the processor, beside the same in JAX: what XLA has the devices say to each other,
counted in the optimised HLO, and the time of a step.

Each program is given to XLA's partitioner in the same way on both sides: by hand (`shard`, `jax.shard_map`), by arrays
that are said to lie in parts (`with_sharding`), or by its boundary (`in_shardings`). `python -m benchmarks.devices`
prints a table, and writes the counts to `benchmarks/results/devices.json`. Times are worth something on a machine that
does nothing else.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import with_sharding_constraint
from jax.sharding import NamedSharding, PartitionSpec
from msgspec import Struct

import dsl

COUNT, CALLS, ROUNDS = 8, 20, 7
COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")
RESULTS = Path(__file__).parent / "results" / "devices.json"
PROGRAM = """
let grid = mesh(data=4, model=2)

type Model[d, h] = {first: f32[d, h], second: f32[h]}
def loss(p: Model[d, h], x: f32[n, d], y: f32[n]) -> f32 = mean((tanh(x @ p.first) @ p.second - y) ** 2)
def step(p: Model[d, h], x: f32[n, d], y: f32[n]) -> Model[d, h] = p - 0.1 * grad(loss)(p, x, y)

def shared(p: Model[d, h], x: f32[n, d], y: f32[n]) -> Model[d, h] ! axis("data") =
    p - 0.1 * pmean(grad(loss)(p, x, y), "data")
def by_hand(p: Model[d, h], x: f32[n, d], y: f32[n]) -> Model[d, h] =
    shard(shared, mesh(data=8), (none, {data = 0}, {data = 0}), none)(p, x, y)

def in_shares(p: Model[d, h]) -> Model[d, h] = with_sharding(p, mesh(data=8), {first = {data = 1}, second = {data = 0}})
def in_parts(p: Model[d, h], x: f32[n, d], y: f32[n]) -> Model[d, h] =
    let (x, y) = with_sharding((x, y), mesh(data=8), {data = 0})
    in_shares(p - 0.1 * grad(loss)(in_shares(p), x, y))

def mlp(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] = tanh(x @ w) @ v
def layers(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] =
    let rows = with_sharding(x, grid, {data = 0}) @ with_sharding(w, grid, {model = 1})
    let hidden = tanh(with_sharding(rows, grid, {data = 0, model = 1}))
    with_sharding(hidden @ with_sharding(v, grid, {model = 0}), grid, {data = 0})
"""


class Place(Struct, frozen=True):
    """How an array lies, for both."""

    ours: dsl.Sharding
    theirs: NamedSharding


class Case(Struct, frozen=True):
    """A function of `PROGRAM`, the same for JAX, their arguments, and how these lie."""

    ours: Any
    theirs: Any
    args: tuple[Any, ...]
    places: tuple[Any, ...]


def placing(**axes: int) -> Callable[..., Place]:
    """Places over a mesh: the names of the axes of the mesh that the axes of an array lie along."""
    auto = (jax.sharding.AxisType.Auto,) * len(axes)
    theirs = jax.make_mesh(tuple(axes.values()), tuple(axes), axis_types=auto)
    ours = dsl.Mesh(dsl.devices()[:COUNT], **axes)

    def place(*along: str | None) -> Place:
        spec = {name: axis for axis, name in enumerate(along) if name is not None}
        return Place(dsl.Sharding(ours, spec), NamedSharding(theirs, PartitionSpec(*along)))

    return place


def of_theirs(places: Any) -> Any:
    return jax.tree.map(lambda place: place.theirs, places)


# ---------------------------------------------------------------- the programs for JAX


def loss(p: Any, x: Any, y: Any) -> Any:
    return jnp.mean((jnp.tanh(x @ p["first"]) @ p["second"] - y) ** 2)


def moved(p: Any, g: Any) -> Any:
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g)


def step(p: Any, x: Any, y: Any) -> Any:
    return moved(p, jax.grad(loss)(p, x, y))


def mlp(x: Any, w: Any, v: Any) -> Any:
    return jnp.tanh(x @ w) @ v


def data_parallel(p: Any, x: Any, y: Any) -> Any:
    own = jax.tree.map(lambda a: jax.lax.pcast(a, "data", to="varying"), p)
    return moved(p, jax.lax.pmean(jax.grad(loss)(own, x, y), "data"))


def fully_sharded(shares: Any, rows: Any) -> Callable[..., Any]:
    def run(p: Any, x: Any, y: Any) -> Any:
        x, y = with_sharding_constraint((x, y), rows)
        g = jax.grad(lambda p: loss(with_sharding_constraint(p, shares), x, y))(p)
        return with_sharding_constraint(moved(with_sharding_constraint(p, shares), g), shares)

    return run


def layers(rows: Any, columns: Any, both: Any, inner: Any) -> Callable[..., Any]:
    def run(x: Any, w: Any, v: Any) -> Any:
        hidden = with_sharding_constraint(x, rows) @ with_sharding_constraint(w, columns)
        hidden = jnp.tanh(with_sharding_constraint(hidden, both))
        return with_sharding_constraint(hidden @ with_sharding_constraint(v, inner), rows)

    return run


def trainings(m: Any, draw: Callable[..., Any]) -> Iterator[tuple[str, Case]]:
    args = {"first": draw(64, 256), "second": draw(256)}, draw(1024, 64), draw(1024)
    place = placing(data=COUNT)
    whole, rows = place(), place("data")
    places = {"first": whole, "second": whole}, rows, rows
    data = PartitionSpec("data")
    by_hand = jax.shard_map(
        data_parallel, mesh=rows.theirs.mesh, in_specs=(PartitionSpec(), data, data), out_specs=PartitionSpec()
    )
    yield "data parallel, shard", Case(m.by_hand, jax.jit(by_hand), args, places)
    ours = dsl.jit(m.step, in_shardings={"x": rows.ours, "y": rows.ours})
    theirs = jax.jit(step, in_shardings=of_theirs(places), out_shardings=whole.theirs)
    yield "data parallel, in_shardings", Case(ours, theirs, args, places)
    shares = {"first": place(None, "data"), "second": rows}
    theirs = jax.jit(fully_sharded(of_theirs(shares), rows.theirs))
    yield "fully sharded, with_sharding", Case(m.in_parts, theirs, args, (shares, rows, rows))


def networks(m: Any, draw: Callable[..., Any]) -> Iterator[tuple[str, Case]]:
    args = draw(1024, 64), draw(64, 256), draw(256, 64)
    place = placing(data=4, model=2)
    places = rows, columns, inner = place("data"), place(None, "model"), place("model")
    theirs = jax.jit(layers(*of_theirs((rows, columns, place("data", "model"), inner))))
    yield "tensor parallel, with_sharding", Case(m.layers, theirs, args, places)
    ours = dsl.jit(m.mlp, in_shardings={"x": rows.ours, "w": columns.ours, "v": inner.ours}, out_shardings=rows.ours)
    theirs = jax.jit(mlp, in_shardings=of_theirs(places), out_shardings=rows.theirs)
    yield "tensor parallel, in_shardings", Case(ours, theirs, args, places)


# ---------------------------------------------------------------- measuring


def counted(text: str) -> dict[str, int]:
    """Collectives in the optimised HLO."""
    found = {name: len(re.findall(rf" {name}(?:-start)?\(", text)) for name in COLLECTIVES}
    return {name: count for name, count in found.items() if count}


def seconds(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    for _ in range(CALLS):
        jax.block_until_ready(call())
    return (time.perf_counter() - started) / CALLS


def compared(case: Case) -> tuple[Mapping[str, Any], float]:
    """What is counted on both sides, and the ratio of the times, on arguments that lie as they are wanted."""
    mine = jax.tree.map(lambda x, place: dsl.device_put(x, place.ours), case.args, case.places)
    theirs = jax.device_put(case.args, of_theirs(case.places))
    for a, b in zip(dsl.tree.leaves(case.ours(*mine)), jax.tree.leaves(case.theirs(*theirs)), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-5, atol=1e-5)

    def run() -> None:
        for leaf in dsl.tree.leaves(case.ours(*mine)):
            leaf.block_until_ready()

    ratio = median([seconds(run) / seconds(lambda: case.theirs(*theirs)) for _ in range(ROUNDS)])
    ours = counted(case.ours.compile(*mine).raw.hlo_modules()[0].to_string())
    return {"ours": ours, "JAX": counted(case.theirs.lower(*theirs).compile().as_text())}, ratio


def main() -> None:
    m, rng = dsl.program(PROGRAM), np.random.default_rng(0)

    def draw(*shape: int) -> Any:
        return rng.normal(size=shape).astype("f4")

    found = {}
    for name, case in (*trainings(m, draw), *networks(m, draw)):
        found[name], ratio = compared(case)
        print(f"{name:32} {ratio:5.2f} times JAX's time, {found[name]}")
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    dsl.set_cpu_devices(COUNT)
    jax.config.update("jax_num_cpu_devices", COUNT)
    main()
