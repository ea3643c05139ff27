"""Memoised results of checking a module."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from msgspec import Struct, field

from dsl.core.statics.calls import Answer
from dsl.types.type import Type
from typechecker.env.values import Known


class Memo(Struct, eq=False):
    """Results memoised while one module is checked: static functions at known arguments (over their Core, otherwise by
    a check of the body) and at arguments for which they stayed calls, types of aliases without parameters, and the
    definitions and aliases known to exceed a budget."""

    evaluated: dict[Hashable, Any] = field(default_factory=dict)
    unfolded: dict[Hashable, Known | None] = field(default_factory=dict)
    computed: dict[Hashable, Answer] = field(default_factory=dict)
    expanded: dict[Hashable, Type] = field(default_factory=dict)
    exploding: set[Hashable] = field(default_factory=set)
