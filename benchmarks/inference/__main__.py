"""Eight posteriors by NUTS, in puredsl and in NumPyro, one after the other in the same process.

    python -m benchmarks.inference [NAME …]

The posteriors, their data and the means of a long run of Stan come from posteriordb
(<https://github.com/stan-dev/posteriordb>, Magnusson et al.), in `posteriors.json`. Both sides run four chains in
double precision from uniform places between -2 and 2, with as many steps of warm-up and draws, and a depth of 10 at
most. Each is compiled once; NumPyro as one program of its functions of states, together or one chain after the other,
whichever takes less. A row has the largest distance of a mean from the published one, in Monte Carlo errors; the
largest rank R-hat; how many steps diverged; the effective draws of the worst number per gradient; and the milliseconds
of the processor for one effective draw, of the median run. Read next: `rival`, the models of NumPyro.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import jax
import numpy as np

import dsl
from benchmarks.inference import rival

HERE = Path(__file__).resolve().parent
CHAINS, WARMUP, DRAWS, RUNS = 4, 500, 1000, 3
Array = np.ndarray[Any, Any]
Run = Callable[[int], tuple[Any, Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Posterior:
    name: str
    data: dict[str, Array]
    means: Array
    errors: Array


@dataclass(frozen=True, slots=True)
class Judged:
    """What the runs of one side found, and what an effective draw cost."""

    distance: float
    rhat: float
    per_gradient: float
    cost: float
    divergent: int


def posteriors() -> Iterator[Posterior]:
    for name, found in json.loads((HERE / "posteriors.json").read_text(encoding="utf-8")).items():
        data = {key: np.asarray(value, np.float64) for key, value in found["data"].items()}
        yield Posterior(name, data, np.array(found["means"]), np.array(found["errors"]))


def of_puredsl(program: dsl.Program, posterior: Posterior, warmup: int, draws: int) -> Run:
    chains = getattr(program, f"chains_of_{posterior.name}")

    def run(seed: int) -> tuple[Any, Any, Any, Any]:
        keys = np.asarray([np.asarray(key) for key in dsl.random.split(dsl.key(seed), CHAINS)])
        found = chains(keys, **posterior.data, warmup=warmup, draws=draws)
        values, divergent, gradients, step = (
            np.asarray(found[name]) for name in ("values", "divergent", "gradients", "step_size")
        )
        return values, divergent, gradients, step

    return run


def of_numpyro(posterior: Posterior, warmup: int, draws: int, together: bool) -> Run:
    chains = rival.chains(posterior.name, posterior.data, warmup, draws, together)
    return lambda seed: jax.block_until_ready(chains(jax.random.split(jax.random.PRNGKey(seed), CHAINS)))


def judged(program: dsl.Program, posterior: Posterior, run: Run, runs: int) -> Judged:
    """The runs as one sample: as many chains as all have together."""
    run(0)
    times, parts = [], []
    for seed in range(1, runs + 1):
        start = time.process_time()
        parts.append(run(seed))
        times.append(time.process_time() - start)
    values, divergent, gradients = (np.concatenate([np.asarray(part[k]) for part in parts]) for k in range(3))
    columns = np.moveaxis(np.asarray(values, np.float64), 2, 0)
    rows = [{name: float(x) for name, x in program.judged(x).items()} for x in columns]
    effective = min(row["ess_bulk"] for row in rows)
    distances = [
        abs(row["mean"] - mean) / np.hypot(row["mcse"], error)
        for row, mean, error in zip(rows, posterior.means, posterior.errors, strict=True)
    ]
    return Judged(
        float(max(distances)),
        max(row["rhat"] for row in rows),
        effective / float(gradients.sum()),
        1000 * median(times) * runs / effective,
        int(divergent.sum()),
    )


def line(name: str, ours: Judged, theirs: Judged) -> str:
    sides = (
        f"{s.distance:5.1f} {s.rhat:6.3f} {s.divergent:4d} {s.per_gradient:8.4f} {s.cost:8.3f}" for s in (ours, theirs)
    )
    ratios = f"{ours.per_gradient / theirs.per_gradient:6.2f} {ours.cost / theirs.cost:6.2f}"
    return f"{name:18} {' | '.join(sides)} | {ratios}"


def main(names: Sequence[str], warmup: int = WARMUP, draws: int = DRAWS, runs: int = RUNS) -> None:
    program = dsl.load(HERE / "posteriors.dsl")
    side = "error  R-hat  div ESS/grad  ms/draw"
    print(f"{'posterior':18} {side} | {side} | ESS/grad, time of NumPyro's")
    for posterior in posteriors():
        if names and posterior.name not in names:
            continue
        ours = judged(program, posterior, of_puredsl(program, posterior, warmup, draws), runs)
        both = [judged(program, posterior, of_numpyro(posterior, warmup, draws, how), runs) for how in (True, False)]
        print(line(posterior.name, ours, min(both, key=lambda found: found.cost)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
