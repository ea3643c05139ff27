"""The flow under a sliding lid by two methods, beside published velocities (Ghia, Ghia and Shin 1982), and a picture of
both. Run it with `python examples/cavity.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "cavity.svg"
REYNOLDS = 100.0
# Heights and horizontal velocities in the vertical middle of the box, at a Reynolds number of 100 (their table I).
HEIGHTS = np.array([0.0547, 0.0703, 0.1016, 0.1719, 0.2813, 0.4531, 0.5, 0.6172, 0.7344, 0.8516, 0.9531, 0.9688])
PUBLISHED = np.array(
    [-0.03717, -0.04775, -0.06434, -0.1015, -0.15662, -0.2109, -0.20581, -0.13641, 0.00332, 0.23151, 0.68717, 0.78871]
)


def main(n: int = 32) -> None:
    flow = dsl.load(HERE / "cavity.dsl")
    w = flow.steady(REYNOLDS, 0.01, 1e-4, n=n, limit=4000)
    u, v = flow.lattice(REYNOLDS, 0.1, n=2 * n, steps=500 * n)
    profiles = {"Navier-Stokes": middle_of_edges(w["u"]), "lattice Boltzmann": middle_of_cells(u)}
    for name, profile in profiles.items():
        print(f"{name}: at most {np.abs(at(profile, HEIGHTS) - PUBLISHED).max():.4f} from the published velocities.")
    PICTURE.parent.mkdir(exist_ok=True)
    picture(np.hypot(u, v), profiles).savefig(PICTURE)
    print(f"The picture is {PICTURE}.")


def middle_of_edges(u: np.ndarray) -> np.ndarray:
    """Return the velocities in the vertical middle of the box, where an even number of cells has an edge."""
    middle: np.ndarray = np.asarray(u)[:, np.shape(u)[0] // 2]
    return middle


def middle_of_cells(u: np.ndarray) -> np.ndarray:
    """Return the velocities in the vertical middle of the box, between the two middle columns of cells."""
    half = np.shape(u)[1] // 2
    middle: np.ndarray = 0.5 * (np.asarray(u)[:, half - 1] + np.asarray(u)[:, half])
    return middle


def at(profile: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Interpolate a profile of cells between the floor at rest and the lid of velocity 1."""
    cells = (np.arange(len(profile)) + 0.5) / len(profile)
    known: np.ndarray = np.interp(
        heights, np.concatenate(([0.0], cells, [1.0])), np.concatenate(([0.0], profile, [1.0]))
    )
    return known


def picture(speed: np.ndarray, profiles: dict[str, np.ndarray]) -> Figure:
    """Draw the speed in the box (left), and the profiles with the published velocities as points (right)."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    shown = left.imshow(speed, origin="lower", extent=(0, 1, 0, 1), cmap="Blues", vmin=0, vmax=1)
    figure.colorbar(shown, ax=left, label="speed (of the lid)")
    left.set(xlabel="x", ylabel="y")
    heights = np.linspace(0.0, 1.0, 101)
    for (name, profile), colour in zip(profiles.items(), ("#0066cc", "#cc6600"), strict=True):
        right.plot(at(profile, heights), heights, color=colour, label=name)
    right.plot(PUBLISHED, HEIGHTS, "o", color="black", fillstyle="none", label="published")
    right.set(xlabel="horizontal velocity in the middle", ylabel="y")
    right.legend()
    return figure


if __name__ == "__main__":
    main()
