"""Names that are taken from modules when they are first used, so that importing what mentions them loads nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias


class LateModule:
    """A module that is imported when one of its names is used. Type checkers see the import that stands beside it under
    `if TYPE_CHECKING`."""

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def module(self) -> ModuleType:
        """The module itself, imported."""
        return import_module(self._name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)


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
