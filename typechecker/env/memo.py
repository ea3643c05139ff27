"""What has been found out while a module is checked, so that it is not found out again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from msgspec import Struct, field

from dsl.core.statics.calls import Answer
from dsl.types.type import Type
from typechecker.env.values import Known


class Memo(Struct, eq=False):
    """What has been evaluated while one module is checked: results of static functions for arguments that are known
    (over their Core, and where that does not do by a check of the body), of calls that stayed calls for other
    arguments, types of aliases without parameters, and the definitions and aliases that are known to exceed a budget.
    """

    evaluated: dict[Hashable, Any] = field(default_factory=dict)
    unfolded: dict[Hashable, Known | None] = field(default_factory=dict)
    computed: dict[Hashable, Answer] = field(default_factory=dict)
    expanded: dict[Hashable, Type] = field(default_factory=dict)
    exploding: set[Hashable] = field(default_factory=set)
