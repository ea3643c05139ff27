"""Atoms of a noble gas that melt in a periodic box: the energies over time, how well their sum is kept, and a picture
of energies and atoms. Run it with `python examples/molecules.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "molecules.svg"
DENSITY, STEP = 0.6, 0.005


def main(side: int = 20, rounds: int = 100) -> None:
    gas = dsl.load(HERE / "molecules.dsl")
    atoms, box = crystal(side, temperature=1.0)
    last, energies, short = gas.simulated(atoms, box, STEP, steps=10, rounds=rounds, **capacities(box, side * side))
    if bool(short):
        raise SystemExit("A list of neighbours was too short.")
    energies = np.asarray(energies) / side**2
    total = energies.sum(axis=1)
    print(f"{side * side} atoms for {rounds * 10} steps: the temperature goes from 1.0 to {energies[-1, 1]:.3f}.")
    print(f"The energy of an atom is {total.mean():.4f}, within {np.ptp(total):.1e}.")
    PICTURE.parent.mkdir(exist_ok=True)
    picture(np.asarray(last["x"]) % box, box, energies).savefig(PICTURE)
    print(f"The picture is {PICTURE}.")


def crystal(side: int, temperature: float) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return atoms on a square grid with random velocities of this temperature and no momentum, and their box."""
    spacing = DENSITY**-0.5
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), axis=-1).reshape(-1, 2)
    v = np.random.default_rng(0).normal(size=grid.shape)
    v -= v.mean(axis=0)
    v *= np.sqrt(2 * temperature * len(v) / np.sum(v**2))
    return {"x": spacing * (grid + 0.5), "v": v}, np.full(2, side * spacing)


def capacities(box: np.ndarray, count: int) -> dict[str, int]:
    """Return how many cells there are, and room for twice as many atoms and pairs as a gas of this density has."""
    reach = 2.5 + 0.4
    cells = int(box[0] // reach)
    return {
        "cells": cells,
        "per_cell": int(2 * DENSITY * (box[0] / cells) ** 2) + 1,
        "size": int(2 * count * DENSITY * np.pi * reach**2),
    }


def picture(x: np.ndarray, box: np.ndarray, energies: np.ndarray) -> Figure:
    """Draw the atoms in their box (left), and potential, kinetic and total energy over time (right)."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.scatter(x[:, 0], x[:, 1], s=30, color="#0066cc")
    left.set(xlabel="x (diameters)", ylabel="y (diameters)", xlim=(0, box[0]), ylim=(0, box[1]), aspect="equal")
    curves = {"potential": energies[:, 0], "kinetic": energies[:, 1], "total": energies.sum(axis=1)}
    for (name, curve), colour in zip(curves.items(), ("#cc6600", "#0066cc", "black"), strict=True):
        right.plot(10 * STEP * np.arange(len(curve)), curve, color=colour, label=name)
    right.set(xlabel="time", ylabel="energy of an atom")
    right.legend()
    return figure


if __name__ == "__main__":
    main()
