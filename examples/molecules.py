"""Atoms of a noble gas that melt in a periodic box: the energies over time, how well their sum is kept, and a picture
of energies and atoms. Run it with `python examples/molecules.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "molecules.svg"
SIDE, GAP = 320, 40
DENSITY = 0.6


def main(side: int = 20, rounds: int = 100) -> None:
    gas = dsl.load(HERE / "molecules.dsl")
    atoms, box = crystal(side, temperature=1.0)
    last, energies, short = gas.simulated(atoms, box, 0.005, steps=10, rounds=rounds, **capacities(box, side * side))
    if bool(short):
        raise SystemExit("A list of neighbours was too short.")
    energies = np.asarray(energies) / side**2
    total = energies.sum(axis=1)
    print(f"{side * side} atoms for {rounds * 10} steps: the temperature goes from 1.0 to {energies[-1, 1]:.3f}.")
    print(f"The energy of an atom is {total.mean():.4f}, within {np.ptp(total):.1e}.")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(np.asarray(last["x"]) % box, box, energies), encoding="utf-8")
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


def picture(x: np.ndarray, box: np.ndarray, energies: np.ndarray) -> str:
    """Draw the atoms in their box (left), and potential, kinetic and total energy over time (right)."""
    width, height = 2 * SIDE + 3 * GAP, SIDE + 2 * GAP
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">']
    for a, b in GAP + SIDE * x / box:
        parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{SIDE / (2.2 * box[0]):.1f}" fill="#06c"/>')
    curves = {"potential": energies[:, 0], "kinetic": energies[:, 1], "total": energies.sum(axis=1)}
    low, high = min(c.min() for c in curves.values()), max(c.max() for c in curves.values())
    for line, (name, curve) in enumerate(curves.items()):
        colour = ("#c60", "#06c", "#000")[line]
        times = 2 * GAP + SIDE + SIDE * np.arange(len(curve)) / max(len(curve) - 1, 1)
        values = GAP + SIDE * (high - curve) / (high - low)
        points = " ".join(f"{t:.1f},{v:.1f}" for t, v in zip(times, values, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{2 * GAP + SIDE + 90 * line}" y="24" fill="{colour}" font-size="13">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    main()
