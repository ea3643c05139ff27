"""Names of a package that are taken from its modules when they are first used, so that importing it loads nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(package: str, homes: Mapping[str, tuple[str, str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: `homes` has the module of each name, and what it is called there; nothing where
    it is the module itself."""

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, own = homes[name]
        module = import_module(home)
        value = getattr(module, own) if own else module
        setattr(sys.modules[package], name, value)
        return value

    return find
