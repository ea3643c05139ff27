"""Layouts that `dsl.plan` proposes beside those that `examples/devices.dsl` has by hand, on eight devices of the
processor: the least time of a call on arguments that lie as it wants them, and the memory of a device, by XLA.

The budget of each is the memory that the layout by hand takes, and a hundredth. `python -m benchmarks.plans` prints a
table; both sides take turns. Seconds of the processor, of all threads, tell more than those of the clock on a machine
that does something else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

import dsl

COUNT, CALLS, ROUNDS = 8, 2, 12
ROOM = 1.01
"""The budget of a plan, by what the layout by hand takes."""
PROGRAM = Path(__file__).parents[1] / "examples" / "devices.dsl"


class Case(Struct, frozen=True):
    """A function of the examples for one device, that for several by hand, their mesh, their sizes, and how the
    arguments of the one by hand lie."""

    alone: str
    by_hand: str
    mesh: Mapping[str, int]
    sizes: Mapping[str, int]
    specs: Sequence[Any]


FIRST, SECOND = {"data": 1}, {"data": 0}
HEADS = {"query": {"model": 1}, "key": {"model": 1}, "value": {"model": 1}, "output": {"model": 0}}
CASES = (
    Case("train", "shared_train", {"data": 8}, {"n": 2048, "d": 128, "h": 512, "steps": 5}, (None, SECOND, SECOND)),
    Case(
        "train",
        "fully_sharded_train",
        {"data": 8},
        {"n": 2048, "d": 128, "h": 512, "steps": 5},
        ({"first": FIRST, "second": SECOND}, SECOND, SECOND),
    ),
    Case(
        "mlp",
        "shared_mlp",
        {"data": 4, "model": 2},
        {"n": 1024, "d": 256, "h": 1024},
        ({"data": 0}, {"model": 1}, {"model": 0}),
    ),
    Case("attention", "shared_attention", {"model": 4}, {"t": 512, "d": 256, "h": 8, "k": 32}, (None, HEADS)),
)


def laid_out(mesh: dsl.Mesh, spec: Any, tree: Any) -> Any:
    """The arrays of a tree on the devices of a mesh, by a spec that may end before the leaves."""
    if isinstance(tree, dict):
        inner = spec if isinstance(spec, dict) and spec.keys() == tree.keys() else dict.fromkeys(tree, spec)
        return {name: laid_out(mesh, inner[name], part) for name, part in tree.items()}
    return dsl.device_put(tree, dsl.Sharding(mesh, spec or {}))


def placed(mesh: dsl.Mesh, specs: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """The arguments of a call on the devices of a mesh."""
    return [laid_out(mesh, spec, x) for spec, x in zip(specs, given, strict=True)]


def arguments(case: Case, draw: Callable[..., Any]) -> list[Any]:
    """Arrays of the sizes of a case."""
    sizes = case.sizes
    n, d, h, k = (sizes.get(name, 0) for name in ("n", "d", "h", "k"))
    match case.alone:
        case "train":
            return [{"first": draw(d, h), "second": draw(h)}, draw(n, d), draw(n)]
        case "mlp":
            return [draw(n, d), draw(d, h), draw(h, d)]
        case _:
            heads = {name: draw(d, h, k) for name in ("query", "key", "value")}
            return [draw(sizes["t"], d), {**heads, "output": draw(h, k, d)}]


def seconds(call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of a call, and those of the processor in all threads."""
    started, busy = time.perf_counter(), time.process_time()
    for _ in range(CALLS):
        for leaf in dsl.tree.leaves(call()):
            leaf.block_until_ready()
    return (time.perf_counter() - started) / CALLS, (time.process_time() - busy) / CALLS


class Row(Struct, frozen=True):
    """Seconds by the clock and of the processor, and bytes of both, the planned one first."""

    name: str
    seconds: tuple[float, float]
    busy: tuple[float, float]
    memory: tuple[int, int]
    layout: dsl.PlannedLayout


def compared(m: dsl.Program, case: Case, rng: np.random.Generator) -> Row:
    """Both layouts on the same arrays, whose results agree."""
    mesh = dsl.Mesh(dsl.devices("cpu")[: int(np.prod([*case.mesh.values()]))], **case.mesh)
    given = arguments(case, lambda *shape: (0.1 * rng.normal(size=shape)).astype("f4"))
    statics = {"steps": case.sizes["steps"]} if "steps" in case.sizes else {}
    by_hand, mine = getattr(m, case.by_hand), placed(mesh, case.specs, given)
    with dsl.default_device(*mesh.devices):
        budget = by_hand.memory(*mine, **statics).peak
        planned = dsl.plan(
            getattr(m, case.alone), mesh, case.sizes, memory=round(ROOM * budget), platform="cpu", check_compiled=True
        ).best
        f = dsl.jit(getattr(m, case.alone), **planned.shardings(mesh))
        own = placed(mesh, [planned.in_specs[p] for p in planned.in_specs], given)
        for a, b in zip(dsl.tree.leaves(f(*own, **statics)), dsl.tree.leaves(by_hand(*mine, **statics)), strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-4, atol=2e-4)
        calls = lambda: f(*own, **statics), lambda: by_hand(*mine, **statics)
        rounds = [[seconds(call) for call in calls] for _ in range(ROUNDS)]
    walls, busy = ([min(each[side][clock] for each in rounds) for side in (0, 1)] for clock in (0, 1))
    assert planned.compiled is not None
    return Row(case.by_hand, (walls[0], walls[1]), (busy[0], busy[1]), (planned.compiled.peak, budget), planned)


def table(rows: Sequence[Row]) -> Iterator[str]:
    heads = "planned ms", "by hand", "ratio", "of processor", "planned kB", "by hand"
    yield f"{'':24}" + "".join(f"{head:>{width}}" for head, width in zip(heads, (12, 10, 8, 14, 12, 10), strict=True))
    for row in rows:
        ours, theirs = (1e3 * each for each in row.seconds)
        memory = "".join(f"{each / 1e3:{width}.0f}" for each, width in zip(row.memory, (12, 10), strict=True))
        yield f"{row.name:24}{ours:12.2f}{theirs:10.2f}{ours / theirs:8.2f}{row.busy[0] / row.busy[1]:14.2f}{memory}"
        yield from [f"    {line}" for line in row.layout.specs_text]


def main() -> None:
    m, rng = dsl.load(PROGRAM), np.random.default_rng(0)
    print("\n".join(table([compared(m, case, rng) for case in CASES])))


if __name__ == "__main__":
    dsl.set_cpu_devices(COUNT)
    main()
