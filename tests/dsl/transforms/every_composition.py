"""Every composition of up to three transformations of random programs: 155 of each, well formed.

`python -m tests.dsl.transforms.every_composition 500` takes that many programs, and says which fail; `make fuzz` does
so. The numbers of a part of them are compared in `test_compositions`.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from itertools import product

from dsl.ir.function import Function
from dsl.ir.verify import verify
from tests.dsl.transforms.test_compositions import called, gradient, map_some, remembered, tangents
from tests.support.programs import random_program

Step = Callable[[Function], Function]
STEPS: tuple[Step, ...] = (called, tangents, gradient, map_some, remembered)
DEPTH = 3


def failures(seed: int) -> Iterator[tuple[Step, ...]]:
    """The compositions of one program that are wrong, each told of at once; what comes after them is left out."""
    done: dict[tuple[Step, ...], Function] = {(): random_program(seed, steps=4)}
    for steps in [steps for count in range(1, DEPTH + 1) for steps in product(STEPS, repeat=count)]:
        before = done.get(steps[:-1])
        if before is None:
            continue
        try:
            done[steps] = steps[-1](before)
            verify(done[steps])
        except Exception:
            print(f"program {seed}, {[step.__name__ for step in steps]}:", flush=True)
            traceback.print_exc(limit=3)
            yield steps


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    found = sum(len(list(failures(seed))) for seed in range(count))
    print(f"every composition of up to {DEPTH} transformations of {count} programs, {found} wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
