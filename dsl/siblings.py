"""The packages that are installed beside `dsl`, which a file of the same name must not hide."""

from __future__ import annotations

from importlib.machinery import PathFinder
from pathlib import Path

HOME = Path(__file__).parent.parent
SIBLINGS = ("lowering", "stdlib", "typechecker")


def check_siblings() -> None:
    """Raises ImportError where Python finds another module than that of puredsl, as one beside the script that runs."""
    for name in SIBLINGS:
        found = PathFinder.find_spec(name)
        if found is not None and found.origin is not None and not Path(found.origin).is_relative_to(HOME / name):
            raise ImportError(f"{found.origin} hides the package `{name}` of puredsl: give it another name")
