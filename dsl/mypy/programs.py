"""Programs that mypy comes upon: checked once, and said again by the types of Python variables.

A type of mypy carries the program it belongs to as the text of a literal, since that is kept in mypy's cache. Knows
nothing of expressions. Read next: `hooks`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from mypy.plugin import CheckerPluginInterface
from mypy.types import ExtraAttrs, Instance, LiteralType, get_proper_type

from dsl.core import core
from dsl.diagnostics.files import read_source
from dsl.syntax.sources import embedded_source, library
from dsl.witnesses import check_source
from typechecker import CheckCache, CheckResult

ORIGIN, NAME, ARRAY = "__dsl_origin__", "__dsl_name__", "__dsl_array__"
FILE, LIBRARY = "file:", "library:"


@cache
def _checks() -> CheckCache:
    return CheckCache()


@lru_cache(maxsize=256)
def check_text(text: str) -> CheckResult:
    """Check a string that is passed to `dsl.program`."""
    return check_source(embedded_source("<string>", text), cache=_checks())


def check_file(path: Path) -> CheckResult:
    """Check a file."""
    return check_source(read_source(path), folder=path.resolve().parent, cache=_checks())


@lru_cache(maxsize=64)
def _check_library(name: str) -> CheckResult:
    source = library(name)
    assert source is not None
    return check_source(source, cache=_checks())


def module_at(origin: str) -> core.Module | None:
    """The program that an origin names, if it has no errors."""
    if origin.startswith(LIBRARY):
        program = _check_library(origin.removeprefix(LIBRARY)).program
    elif origin.startswith(FILE):
        path = Path(origin.removeprefix(FILE))
        program = check_file(path).program if path.is_file() else None
    else:
        program = check_text(origin).program
    return None if program is None else program.modules[program.main]


def mark_instance(instance: Instance, api: CheckerPluginInterface, **marks: str) -> Instance:
    """An instance that carries texts."""
    text = api.named_generic_type("builtins.str", [])
    attrs = {name: LiteralType(value, text) for name, value in marks.items()}
    made = instance.copy_modified()
    made.extra_attrs = ExtraAttrs(dict(attrs), set(), None)
    return made


def mark(of: object, name: str) -> str | None:
    """A text that an instance carries."""
    if not isinstance(of, Instance) or of.extra_attrs is None or name not in of.extra_attrs.attrs:
        return None
    found = get_proper_type(of.extra_attrs.attrs[name])
    return str(found.value) if isinstance(found, LiteralType) else None
