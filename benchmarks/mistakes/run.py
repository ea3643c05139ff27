"""Runs the mistakes of `cases` with Equinox, Optax and NumPyro, and writes down what these say: `outcomes.json`.

`python -m benchmarks.mistakes.run`. Each script runs on small arrays to its end, or to the first exception. The page
`docs/mistakes.md` is made of the texts and of what is written here, by `python -m tests.docs.test_mistakes_page`.
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from typing import Any

from benchmarks.mistakes.cases import FOLDER, Mistake, mistakes

OUTCOMES = FOLDER / "outcomes.json"
LIBRARIES = ("jax", "equinox", "optax", "numpyro")


def outcome(mistake: Mistake) -> dict[str, str]:
    """The exception that a script ends with and the first line of its words, or the warnings given on the way."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            exec(compile(mistake.script, mistake.title, "exec"), {"__name__": "mistake"})
        except Exception as error:
            return {"raises": type(error).__name__, "says": _first_line(str(error))}
    words = [str(one.message) for one in given if not issubclass(one.category, DeprecationWarning)]
    return {"warns": _first_line(words[0])} if words else {}


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:160] if lines else ""


def main() -> None:
    found: dict[str, Any] = {"versions": {name: version(name) for name in LIBRARIES}}
    for mistake in mistakes():
        found[mistake.title] = outcome(mistake)
        print(f"{mistake.topic:10} {mistake.title:65} {found[mistake.title]}")
    OUTCOMES.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
