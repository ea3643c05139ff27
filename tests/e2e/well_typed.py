"""Random well-typed programs of all constructs: checked, formatted and checked again, run by XLA and by the evaluator.

`python -m tests.e2e.well_typed 20000` judges that many programs, with XLA's default flags; a second number is the first
seed. `make fuzz` runs it. Each problem is printed with the smallest program that shows it; at the end, or after an
interrupt, a summary follows.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.support.well_typed.batches import batch, problems

BATCH = 25


@dataclass(slots=True)
class Report:
    programs: int = 0
    wrong: int = 0
    families: Counter[str] = field(default_factory=Counter)
    began: float = field(default_factory=time.process_time)

    def judge(self, seed: int) -> None:
        made = batch(seed, BATCH)
        for less, why in problems(made, seed):
            self.wrong += 1
            print(f"{seed}: {why}\n{less.text}", flush=True)
        self.programs += BATCH
        self.families.update([inner.family for node in made.functions for inner in node if inner.family])

    def __str__(self) -> str:
        told = ", ".join([f"{number} of {family}" for family, number in self.families.most_common()])
        seconds = time.process_time() - self.began
        return f"{self.programs} random programs ({told}), {self.wrong} wrong, {seconds:.0f} s"


def main(count: int, first: int = 0) -> int:
    report = Report()
    try:
        for seed in range(first, first + count // BATCH):
            report.judge(seed)
    finally:
        print(report, flush=True)
    return report.wrong


if __name__ == "__main__":
    numbers = list(map(int, sys.argv[1:]))
    sys.exit(min(1, main(*(numbers or [2000]))))
