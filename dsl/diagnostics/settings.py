"""Arguments of functions of Python that call no program: sizes, names of choices, objects. Each of these checks returns
the value it is given, or raises `SettingError` E0919."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any, SupportsFloat, SupportsIndex, TypeVar

from dsl.diagnostics.diagnostic import ArgumentError, Diagnostic, Help, Label
from dsl.diagnostics.source import Source, Span

T = TypeVar("T")


class SettingError(ArgumentError, ValueError):
    """E0919: an argument of a function of Python is not one of those that it takes."""


class MissingName(SettingError, KeyError):
    """E0919: a name that nothing has."""


def setting_error(message: str, *help: str, error: type[SettingError] = SettingError) -> SettingError:
    """Return the error with a message."""
    place = Label(Span(Source("<python>", ""), 0, 0))
    return error([Diagnostic("E0919", message, place, help=tuple([Help(each) for each in help]))])


def integer(name: str, value: object, least: int) -> int:
    """Return an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise setting_error(f"`{name}` is an integer, not {value!r}")
    try:
        found = value.__index__()
    except (TypeError, ValueError):
        raise setting_error(f"`{name}` is an integer, not {value!r}") from None
    if found < least:
        raise setting_error(f"`{name}` is at least {least}, not {found}")
    return found


def above_zero(name: str, value: object) -> float:
    """Return a number above zero."""
    if isinstance(value, SupportsFloat) and not isinstance(value, bool):
        with suppress(TypeError, ValueError, OverflowError):
            if float(value) > 0:
                return float(value)
    raise setting_error(f"`{name}` is a number above zero, not {value_in_words(value)}")


def choice_of(name: str, value: T, choices: Collection[str]) -> T:
    """Return one of some words."""
    if not isinstance(value, str) or value not in choices:
        *some, last = [f'"{choice}"' for choice in choices]
        raise setting_error(f"`{name}` is {', '.join(some)} or {last}, not {value!r}")
    return value


def instance_of(name: str, value: Any, type_: type[T], *help: str) -> T:
    """Return an object of a class."""
    if not isinstance(value, type_):
        raise setting_error(f"`{name}` is a `{type_.__name__}`, not {value_in_words(value)}", *help)
    return value


def function_of(name: str, value: Any) -> Callable[..., Any]:
    """Return something that can be called."""
    if not callable(value):
        raise setting_error(f"`{name}` is a function, not {value_in_words(value)}")
    found: Callable[..., Any] = value
    return found


def names_of(name: str, value: object) -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple) else (value,)
    for each in names:
        if not isinstance(each, str):
            raise setting_error(f"`{name}` is a name or a list of names, not {value_in_words(each)}")
    return names


def path_of(name: str, value: object) -> Path:
    """Return the path of a file or folder."""
    if isinstance(value, str | PathLike):
        way = value if isinstance(value, str) else value.__fspath__()
        if isinstance(way, str):
            return Path(way)
    raise setting_error(f"`{name}` is a path, not {value_in_words(value)}")


def known_name(what: str, name: object, names: Collection[str]) -> str:
    """Return a name that there is."""
    if not isinstance(name, str) or name not in names:
        near = get_close_matches(str(name), names, 1)
        help = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(names)}" if names else "there are none"
        raise setting_error(f"there is no {what} `{name}`", help, error=MissingName)
    return name


def value_in_words(value: object) -> str:
    """Return a value or its class in words."""
    if isinstance(value, int) and value.bit_length() > 64:
        return f"an integer of {value.bit_length()} bits"
    return f"{value!r}" if isinstance(value, int | float | str | None) else f"a `{type(value).__name__}`"
