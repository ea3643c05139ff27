"""A small transformer learns to write like the page of this project that says how to contribute; its program lies in
four files. Run it with `python examples/lm/lm.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
TEXT = HERE.parents[1] / "CONTRIBUTING.md"
CONTEXT, WIDTH, LAYERS, HEADS, RATE, ROUNDS, STEPS = 24, 32, 2, 4, 0.003, 6, 50


def main() -> None:
    train = dsl.load(HERE / "train.dsl")
    text = TEXT.read_text(encoding="utf-8")
    letters = sorted(set(text))
    places = np.array([letters.index(c) for c in text])
    state = train.start(0, v=len(letters), t=CONTEXT, d=WIDTH, l=LAYERS)
    print(f"{dsl.tree.count(state['model'])} parameters, {len(text)} characters of {len(letters)} kinds")
    trained = dsl.training.fit(
        lambda state, k: train.train(state, places, RATE, heads=HEADS, steps=STEPS, key=k),
        state,
        steps=ROUNDS,
        every=1,
    )
    written = train.generate(trained.state["model"], places[:CONTEXT], heads=HEADS, count=200, key=0)
    print("".join(letters[i] for i in written))


if __name__ == "__main__":
    main()
