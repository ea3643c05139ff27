"""Services that packages below need of those above, which they do not know: the public face offers them.

An array of a low package says how JAX reads it, and a function opens a debugger: both stand above them. Each name is
loaded when it is first used.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from dsl.late_names import LateModule


class Offers:
    """Names of packages above, by what they are for: where each is defined is said once, when `dsl` is imported."""

    def __init__(self) -> None:
        self._homes: Mapping[str, tuple[str, str]] = {}

    def offer(self, homes: Mapping[str, tuple[str, str]]) -> None:
        """Take the module of each name, and what it is called there; nothing where it is the module itself."""
        self._homes = homes

    def _find(self, name: str) -> Any:
        home, own = self._homes[name]
        module = LateModule(home)
        return getattr(module, own) if own else module.module

    @cached_property
    def as_jax(self) -> Any:
        """Return the function from an array to one of JAX."""
        return self._find("as_jax")

    @cached_property
    def array_api(self) -> Any:
        """The functions of the array API standard, as a module."""
        return self._find("array_api")

    @cached_property
    def indexing(self) -> Any:
        """The module of indices of arrays that are not in the memory of the host."""
        return self._find("indexing")

    @cached_property
    def debug(self) -> Any:
        """Return the function that evaluates a call line by line."""
        return self._find("debug")


OFFERS: Final = Offers()
