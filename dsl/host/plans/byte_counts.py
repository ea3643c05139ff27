"""Numbers of bytes as users write them: `"16GiB"`, `"512 MB"`, `4096`."""

from __future__ import annotations

from dsl.core.policies import bytes_of
from dsl.diagnostics.settings import setting_error


def byte_count(given: object, name: str) -> int:
    """Return a number of bytes. Raises `SettingError` E0919 for what is none, or not above zero."""
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return given
    count = bytes_of(given) if isinstance(given, str) else None
    if count is None:
        example = 'write a number and a unit, as in "16GiB" or "512MB"'
        raise setting_error(f"`{name}` is a number of bytes above zero, not {given!r}", example)
    return count
