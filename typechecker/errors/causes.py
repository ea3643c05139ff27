"""Causes: data that rules attach to an error beside terms and types."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.types.limits import CALLS, NESTED_CALLS

if TYPE_CHECKING:
    from typechecker.env.values import Term


class Operation(Struct, frozen=True):
    """An operator or a function, with the arguments whose shapes meet."""

    name: str
    terms: tuple[Term, ...]


class Repeated(Enum):
    """Why a body may run many times."""

    TURNS = auto()
    """It is that of a loop, or of a function that is applied to each element."""
    FUNCTION = auto()
    """It is that of a function that is a value: it may be called any number of times."""
    CLAUSE = auto()
    """It answers an operation, wherever that is performed."""


class Endless(Enum):
    """Why a recursion does not end."""

    CYCLE = "does not end"
    NESTED = f"does not end within {NESTED_CALLS:,} calls"
    CALLS = f"makes more than {CALLS:,} calls"
