"""Hamiltonian Monte Carlo for a logistic regression on the iris data: four chains at once, and what they agree on.
Run it with `python examples/hmc.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
CHAINS, DRAWS, WARM, STEP = 4, 600, 100, 0.25


def main() -> None:
    model = dsl.load(HERE / "hmc.dsl")
    table = np.loadtxt(HERE / "data" / "iris.csv", delimiter=",", skiprows=1, dtype=np.float32)
    table = table[table[:, 4] > 0]
    x, y = table[:, 2:4], table[:, 4] - 1
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    starts = [{"w": np.full(2, k, np.float32), "b": 0.0} for k in range(CHAINS)]
    draws, accepted = model.sample(starts, x, y, STEP, draws=DRAWS, key=0)
    weights = np.asarray(draws["w"])[:, WARM:]
    within, between = weights.var(axis=1).mean(axis=0), weights.mean(axis=1).var(axis=0)
    print(f"proposals taken: {np.round(accepted, 2)}")
    print(f"weights: {weights.mean(axis=(0, 1))} ± {weights.std(axis=(0, 1))}")
    print(f"R-hat of each weight: {np.sqrt(1 + between / within)}")


if __name__ == "__main__":
    main()
