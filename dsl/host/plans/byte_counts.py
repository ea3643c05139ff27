"""Numbers of bytes as users write them: `"16GiB"`, `"512 MB"`, `4096`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from dsl.diagnostics.settings import setting_error

_UNITS: Mapping[str, int] = MappingProxyType(
    {
        **{prefix: 1000**k for k, prefix in enumerate(("", "k", "m", "g", "t"))},
        **{f"{prefix}i": 1024**k for k, prefix in enumerate(("k", "m", "g", "t"), 1)},
    }
)
_COUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?", re.IGNORECASE)


def byte_count(given: object, name: str) -> int:
    """Return a number of bytes. Raises `SettingError` E0919 for what is none, or not above zero."""
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return given
    found = _COUNT.fullmatch(given.strip()) if isinstance(given, str) else None
    count = round(float(found[1]) * _UNITS[(found[2] or "").lower()]) if found else 0
    if count < 1:
        example = 'write a number and a unit, as in "16GiB" or "512MB"'
        raise setting_error(f"`{name}` is a number of bytes above zero, not {given!r}", example)
    return count
