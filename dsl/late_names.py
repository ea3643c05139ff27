"""Names of a package that are taken from its modules when they are first used, so that importing it loads nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias

Homes: TypeAlias = Mapping[str, tuple[str, str]]
"""The module of each name, and what it is called there; nothing where it is the module itself."""


def late(package: str, homes: Homes, others: Callable[[], Homes] = dict) -> Callable[[str], Any]:
    """The `__getattr__` of a package: `homes` has its names, and `others` is asked for more when one is not there."""

    def find(name: str) -> Any:
        found = homes.get(name) or ({} if name.startswith("_") else others()).get(name)
        if found is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, own = found
        module = import_module(home)
        value = getattr(module, own) if own else module
        setattr(sys.modules[package], name, value)
        return value

    return find
