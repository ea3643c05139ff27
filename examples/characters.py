"""A small transformer reads the pages of the language, and writes a text that looks like them. Run it with
`python examples/characters.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dsl

HERE = Path(__file__).resolve().parent
PAGES = HERE.parent / "docs" / "language"
WIDTH, DEPTH, BATCH, LENGTH, RATE = 64, 3, 16, 64, 3e-3


def main(rounds: int = 8, steps: int = 50) -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.md")))
    letters = sorted(set(text))
    numbers = np.array([letters.index(letter) for letter in text], np.int32)
    model = dsl.load(HERE / "characters.dsl")
    trained = dsl.training.fit(
        lambda state, k: model.train(state, k, numbers, RATE, steps=steps, batch=BATCH, length=LENGTH),
        model.init(0, v=len(letters), n=WIDTH, depth=DEPTH),
        steps=rounds,
        every=1,
    )
    written = model.write(trained.state["model"], 1, letters.index("\n"), 0.7, length=200)
    print("".join(letters[i] for i in np.asarray(written)))


if __name__ == "__main__":
    main()
