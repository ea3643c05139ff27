"""The members of a karate club by PageRank, and the sides that a graph network predicts from the two leaders alone,
with a picture. Run it with `python examples/karate.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "out" / "karate.svg"
LEADERS = (0, 33)
OTHER_SIDE = (10, 15, 16, 19, 21, *range(23, 35))
"""The members who left with the officer of the club, counted from 1 (Zachary 1977)."""
SIZE = 420


def main(steps: int = 200) -> None:
    club = dsl.load(HERE / "karate.dsl")
    edges = friendships()
    rank = np.asarray(club.rank(edges, n=34))
    first = ", ".join(f"{k + 1} ({rank[k]:.4f})" for k in np.argsort(-rank)[:5])
    print(f"The members with the highest rank are {first}.")
    found, losses = club.trained(dsl.key(0), edges, LEADERS, (0, 1), steps=steps, n=34)
    right = int((np.asarray(found) == sides()).sum())
    print(f"Trained on 2 members, the network puts {right} of 34 on the side they took; loss {float(losses[-1]):.4f}.")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(edges, positions(club, edges), rank, np.asarray(found)), encoding="utf-8")
    print(f"The picture is {PICTURE}.")


def friendships() -> dict[str, np.ndarray]:
    """Read the friendships, each in both directions, between members counted from 0."""
    pairs = np.loadtxt(HERE / "data" / "karate.csv", delimiter=",", skiprows=1, dtype=np.int32) - 1
    return {
        "senders": np.concatenate((pairs[:, 0], pairs[:, 1])),
        "receivers": np.concatenate((pairs[:, 1], pairs[:, 0])),
    }


def sides() -> np.ndarray:
    """Return the side that each member took."""
    return np.isin(np.arange(1, 35), OTHER_SIDE).astype(np.int32)


def positions(club: dsl.Program, edges: dict[str, np.ndarray]) -> np.ndarray:
    """Return coordinates in 0 … 1 that change little between friends."""
    _, vectors = np.linalg.eigh(np.asarray(club.layout(edges, n=34)))
    found = np.argsort(np.argsort(vectors[:, 1:3], axis=0), axis=0) / 33.0
    return np.asarray(found)


def picture(edges: dict[str, np.ndarray], at: np.ndarray, rank: np.ndarray, found: np.ndarray) -> str:
    """Draw members as circles whose area is their rank, in the colour of the predicted side."""
    place = 30 + (SIZE - 60) * at
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIZE}" height="{SIZE}" font-family="sans-serif">']
    for a, b in zip(edges["senders"][:78], edges["receivers"][:78], strict=True):
        ends = f'x1="{place[a, 0]:.1f}" y1="{place[a, 1]:.1f}" x2="{place[b, 0]:.1f}" y2="{place[b, 1]:.1f}"'
        parts.append(f'<line {ends} stroke="#bbb"/>')
    for k, (x, y) in enumerate(place):
        fill = "#c60" if found[k] else "#06c"
        edge = "#000" if found[k] != sides()[k] else "none"
        radius = 60 * rank[k] ** 0.5
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}" stroke="{edge}"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{y + 4:.1f}" fill="#fff" font-size="10" text-anchor="middle">{k + 1}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    main()
