"""Random well-typed programs of all constructs: checked, formatted and checked again, run by XLA and by the evaluator.

`python -m tests.e2e.well_typed 20000` judges that many; `make fuzz` does so.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from tests.support.quick_compilation import compile_quickly
from tests.support.well_typed.batches import batch, problems

BATCH = 20


def main(count: int, first: int = 0) -> int:
    """Prints every problem in the smallest program that has it, and what was in the programs."""
    began, wrong = time.perf_counter(), 0
    families: Counter[str] = Counter()
    for seed in range(first, first + count // BATCH):
        made = batch(seed, BATCH)
        families.update([inner.family for node in made.functions for inner in node if inner.family])
        for less, why in problems(made, seed):
            wrong += 1
            print(f"{seed}: {why}\n{less.text}", flush=True)
    told = ", ".join([f"{number} of {family}" for family, number in families.most_common()])
    print(f"{count} random programs ({told}), {wrong} wrong, {time.perf_counter() - began:.0f} s")
    return wrong


if __name__ == "__main__":
    compile_quickly()
    numbers = list(map(int, sys.argv[1:]))
    sys.exit(min(1, main(*(numbers or [2000]))))
