"""What the library says of its own functions, beside their types: lines such as `@elements(x)` above a `def`.

Only what no rule can find out from the body or the type is said so. `tests/stdlib` holds each attribute against values.
"""

from __future__ import annotations

from enum import Enum


class Attribute(Enum):
    """An attribute, by its name in the text; what stands in its parentheses are names of parameters."""

    ELEMENTS = "elements"
    """`@elements(x)`: every element of the result is one of x."""
