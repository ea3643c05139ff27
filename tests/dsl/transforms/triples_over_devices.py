"""Every composition of three of {pmap, shard, vmap, grad, jvp, checkpoint}, each of a random program whose elements
speak over the axes that the composition has: equal to the same composition of maps alone, a program for one device.

`python -m tests.dsl.transforms.triples_over_devices 216` takes that many programs, of which every fourth also runs on
two devices, and says which fail; `make fuzz` does so. A slice is in `test_triples_over_devices`.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from itertools import product
from random import Random

import dsl
from dsl.interp import evaluate
from dsl.ir.function import Function
from dsl.ir.verify import verify
from dsl.ops.named_axes import NamedAxisParams
from dsl.transforms.pipeline import LOWERING, run
from dsl.transforms.placement import outermost
from dsl.transforms.shard import pmap, shard
from dsl.transforms.vmap import vmap
from tests.dsl.transforms.test_shard import (
    Mapped,
    agree,
    batched,
    gradient,
    lifted,
    mapped,
    on_devices,
    random_cut,
    remembered,
    tangents,
)
from tests.support.programs import random_program, random_values
from tests.support.speaking_programs import Mesh, speaking_program

KINDS = ("pmap", "shard", "vmap", "grad", "jvp", "checkpoint")
TRIPLES = tuple(product(KINDS, repeat=3))
STEPS = {"vmap": batched, "grad": gradient, "jvp": tangents, "checkpoint": remembered}
SIZE = 2


def axes_of(kinds: Sequence[str]) -> Mesh:
    """One named axis for each `pmap`, two for each `shard`."""
    named = [(k, letter) for k, kind in enumerate(kinds) for letter in {"pmap": "i", "shard": "jk"}.get(kind, "")]
    return tuple([NamedAxisParams(f"{letter}{k}", SIZE) for k, letter in named])


def composed(seed: int, kinds: Sequence[str], over: Mapped, cut: Mapped) -> Function:
    """The transformations one after the other, the first innermost; `over` is `pmap` or `vmap`, `cut` `shard` or
    `mapped`."""
    random, mesh = Random(seed), axes_of(kinds)
    f = speaking_program(seed, mesh, steps=3, depth=1) if mesh else random_program(seed, steps=3)
    for k, kind in enumerate(kinds):
        if kind == "pmap":
            sources = [0, *[random.choice((0, None)) for _ in f.params[1:]]]
            f = over(f, sources, [random.choice((0, -1)) for _ in f.results], SIZE, None, f"i{k}")
        elif kind == "shard":
            f, own = lifted(f), tuple([axis for axis in mesh if axis.name in (f"j{k}", f"k{k}")])
            ins = tuple([random_cut(random, t, own) for t in f.param_types])
            f = cut(f, own, ins, tuple([tuple([random.randrange(t.rank) for _ in own]) for t in f.result_types]))
        else:
            f = STEPS[kind](f)
    return f


def compare(seed: int, devices: int = 1) -> None:
    """One program under one composition. Raises where the numbers differ, or something else goes wrong."""
    kinds = TRIPLES[seed % len(TRIPLES)]
    made, same = composed(seed, kinds, pmap, shard), composed(seed, kinds, vmap, mapped)
    verify(made)
    values = random_values(seed, made.param_types)
    wanted = evaluate(run(same, LOWERING), values)
    agree(evaluate(run(made, LOWERING, check=True), values), wanted, seed)
    if devices > 1 and any(True for _ in outermost(made)):
        agree(on_devices(made, devices, values), wanted, seed)


def main() -> int:
    dsl.set_cpu_devices(2)
    count, wrong = int(sys.argv[1]) if len(sys.argv) > 1 else len(TRIPLES), 0
    for seed in range(count):
        try:
            compare(seed, devices=2 if seed % 4 == 0 else 1)
        except Exception:
            wrong += 1
            print(f"program {seed}, {TRIPLES[seed % len(TRIPLES)]}:", flush=True)
            traceback.print_exc(limit=3)
    print(f"compositions of three over devices, {count} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
