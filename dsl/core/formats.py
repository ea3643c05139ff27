"""The formats of `print`: those of `str.format` whose fields are positional, with a conversion and a spec at most.

The checker holds a format that is written against the types of the values, staging any format against the values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Formatter

from msgspec import Struct

from dsl.types.dtype import UNSIGNED, DType


class Field(Struct, frozen=True):
    """A place in a format: the text in front, which value it shows, and how: `!r:>5`."""

    text: str
    place: int
    suffix: str = ""

    @property
    def pattern(self) -> str:
        """The format of one value alone."""
        return "{0" + self.suffix + "}"

    def fits(self, sample: object) -> bool:
        """Whether a value of this kind can be shown so."""
        try:
            self.pattern.format(sample)
        except (ValueError, TypeError, OverflowError):
            return False
        return True


class Format(Struct, frozen=True):
    """`fields` in order, and the text behind the last."""

    fields: Sequence[Field]
    rest: str

    @property
    def count(self) -> int:
        """How many values it shows."""
        return len({field.place for field in self.fields})


def parse_format(format: str) -> Format:
    """Raises ValueError where it is malformed: fields by name or within specs, numbers left out, sizes over 999."""
    parts = list(Formatter().parse(format))
    places = _places([name for _, name, _, _ in parts if name is not None])
    following, fields, front = iter(places), list[Field](), ""
    for text, name, spec, conversion in parts:
        front += text
        if name is not None:
            suffix = (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
            if re.search(r"[{}]|\d{4}", suffix):
                raise ValueError(f"{{{suffix}}}")
            fields.append(Field(front, next(following), suffix))
            front = ""
    return Format(fields, front)


def _places(names: Sequence[str]) -> Sequence[int]:
    """The values that fields of these names show: in order, or all of them by number."""
    if not any(names):
        return range(len(names))
    places = [int(name) for name in names if re.fullmatch(r"[0-9]{1,4}", name)]
    if len(places) != len(names) or set(places) != set(range(max(places) + 1)):
        raise ValueError(names)
    return places


def sample(dtype: DType, is_scalar: bool) -> object:
    """What is shown as any number, or array, of this dtype: a number as Python's, an array without a spec."""
    if not is_scalar:
        return []
    if dtype.is_bool:
        return True
    if dtype.is_integer:
        return (1 << dtype.bits) - 1 if dtype in UNSIGNED else -1
    return 1j if dtype.is_complex else 0.5


def escape(text: str) -> str:
    """As a part of a format without fields."""
    return text.replace("{", "{{").replace("}", "}}")
