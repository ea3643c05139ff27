"""The formats of `print`: those of `str.format` whose fields are positional, with a conversion and a spec at most.

The checker holds a format against the types of the values, where callers give it as a condition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Formatter
from types import MappingProxyType

from msgspec import Struct

from dsl.types.conditional import choose_prop
from dsl.types.dtype import BY_NAME, UNSIGNED, DType
from dsl.types.facts import Known, OpaqueProp, Prop
from dsl.types.shape import StaticArg, StaticChoice


class Field(Struct, frozen=True):
    """A place in a format: the text in front, which value it shows, and how: `!r:>5`."""

    text: str
    place: int
    suffix: str = ""

    @property
    def pattern(self) -> str:
        """The format of one value alone."""
        return "{0" + self.suffix + "}"

    def shows(self, kind: str) -> bool:
        """Return whether every value of a kind can be shown so: of a dtype, `array`, `tree`, or of a type of static
        values."""
        return not self.suffix if kind == "tree" else self.fits(_sample(kind))

    def fits(self, value: object) -> bool:
        """Return whether a value can be shown so."""
        try:
            self.pattern.format(value)
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


def format_shows(template: StaticArg, kinds: Sequence[StaticArg]) -> Prop:
    """Return the condition that a format has a placeholder for each value and can show all its types; a call while the
    format is unknown."""
    match template:
        case StaticChoice(condition, then, orelse):
            return choose_prop(condition, format_shows(then, kinds), format_shows(orelse, kinds))
        case str():
            return Known(_shows(template, [str(kind).split(" | ") for kind in kinds]))
        case _:
            return OpaqueProp("shows", (template, *kinds), _known_format)


def _known_format(template: StaticArg, *kinds: StaticArg) -> Prop | None:
    return format_shows(template, kinds) if isinstance(template, str) else None


def _shows(template: str, kinds: Sequence[Sequence[str]]) -> bool:
    try:
        parsed = parse_format(template)
    except ValueError:
        return False
    return parsed.count == len(kinds) and all(field.shows(k) for field in parsed.fields for k in kinds[field.place])


_SAMPLES = MappingProxyType({"array": (), "int": -1, "size": 1, "float": 0.5, "complex": 1j, "bool": True})


def _sample(kind: str) -> object:
    """Return a sample value of a type for a format: a Python number, or text for types without a dtype."""
    return _number(BY_NAME[kind]) if kind in BY_NAME else _SAMPLES.get(kind, kind)


def _number(dtype: DType) -> object:
    """Return a sample number of a dtype for a format."""
    if dtype.is_bool:
        return True
    if dtype.is_integer:
        return (1 << dtype.bits) - 1 if dtype in UNSIGNED else -1
    return 1j if dtype.is_complex else 0.5


def escape(text: str) -> str:
    """Escape text so that it contains no fields of a format."""
    return text.replace("{", "{{").replace("}", "}}")
