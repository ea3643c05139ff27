"""`docs/api.md` lists the public names of Python and the command line, with their signatures. As a script this writes
the page anew: `python -m tests.docs.test_api_page`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import click
import pytest

import dsl
import stdlib
import typechecker
from dsl.__main__ import cli
from dsl.records import Field, fields, is_record

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
HEAD = """# The public interface

Names that stand here keep their meaning as [the page on stability](stability.md) promises; all others may change at any
time. `python -m tests.docs.test_api_page` writes this page from the code, and a test compares them. The functions of
the library are on [their own page](stdlib.md), codes of errors on [theirs](errors/README.md).
"""
MODULES = (
    *("dsl", "dsl.tree", "dsl.data", "dsl.training", "dsl.checkpoints", "dsl.distributed"),
    *("dsl.interop.jax", "dsl.interop.scipy", "dsl.interop.torch", "dsl.witnesses", "typechecker"),
)
OWN = ("dsl", "lowering", "typechecker")
INSIDE: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "DslError": frozenset({"short_traceback"}),
        "Array": frozenset({"as_keys", "give_up", "guarded"}),
        "Artifact": frozenset({"entry", "enum_variants", "programs"}),
        "Function": frozenset({"check_inside", "each", "entry", "enum_variants", "paired", "staged", "transformed"}),
        "Mesh": frozenset({"tiling"}),
        "Sharding": frozenset({"cuts", "fits", "is_mixed", "number", "parts", "slices", "tiling"}),
        "Variant": frozenset({"declared", "filled", "functions", "of", "variant"}),
        "CheckResult": frozenset({"applicable", "assemble", "imported", "main", "modules"}),
        "CheckCache": frozenset({"get", "put"}),
    }
)
"""Names without an underscore that are for other modules of the project alone, by the class that declares them."""


class Plain:
    """An annotation that is shown as it is written."""

    def __init__(self, annotation: Any) -> None:
        self.annotation = annotation

    def __repr__(self) -> str:
        return self.annotation if isinstance(self.annotation, str) else inspect.formatannotation(self.annotation)


def module_of(name: str) -> ModuleType:
    """A module by its public name, which may be one of the names of `dsl`."""
    short = name.removeprefix("dsl.")
    found: ModuleType = getattr(dsl, short) if short in dsl.__all__ else import_module(name)
    return found


def names_of(module: str) -> list[str]:
    """The public names of a module, without those of the library."""
    return sorted({name for name in module_of(module).__all__ if not name.startswith("_")} - set(stdlib.module_names()))


def entries(module: str) -> Iterator[str]:
    for name in names_of(module):
        value = getattr(module_of(module), name)
        if inspect.isclass(value):
            yield entry(f"{module}.{name}", "", value)
            yield from members(value)
        elif inspect.isroutine(value):
            yield entry(f"{module}.{name}", signature(value), value)
        else:
            yield f"- `{module}.{name}`"


def members(owner: type) -> Iterator[str]:
    """Methods and attributes of a class that are public and its own, or of a base in this project."""
    bases = [base for base in owner.__mro__ if base.__module__.partition(".")[0] in OWN]
    found = {name for base in bases for name in vars(base)} | {field.name for field in record_fields(owner)}
    hidden = {name for base in bases for name in INSIDE.get(base.__name__, ())}
    for name in sorted(name for name in found - hidden if not name.startswith("_")):
        value = inspect.getattr_static(owner, name, None)
        kind = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        written = signature(kind) if inspect.isfunction(kind) else ""
        yield f"    - `{owner.__name__}.{name}{written}`"


def record_fields(owner: type) -> tuple[Field, ...]:
    return fields(owner) if is_record(owner) else ()


def entry(name: str, written: str, value: Any) -> str:
    first = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return f"- `{name}{written}`  \n  {' '.join(first.split())}"


def signature(function: Any) -> str:
    """The parameters and the result, with annotations as they are written in the code."""
    found = inspect.signature(function)
    params = [
        p if p.annotation is p.empty else p.replace(annotation=Plain(p.annotation)) for p in found.parameters.values()
    ]
    result = found.return_annotation
    return str(
        found.replace(parameters=params, return_annotation=found.empty if result is found.empty else Plain(result))
    )


def commands(group: click.Group = cli, path: str = "dsl") -> Iterator[str]:
    """Every command with its arguments and options."""
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            options = [f"`{'`, `'.join(p.opts)}`" for p in command.params if isinstance(p, click.Option)]
            arguments = [
                str(p.make_metavar(click.Context(command))) for p in command.params if p.param_type_name == "argument"
            ]
            yield f"- `{' '.join([path, name, *arguments])}`{': ' if options else ''}{', '.join(options)}"


def page() -> str:
    parts = [HEAD]
    for module in MODULES:
        parts.append(f"\n## {module}\n\n" + "\n".join(entries(module)) + "\n")
    return "".join([*parts, "\n## The command line\n\n", "\n".join(commands()), "\n"])


def test_the_page_lists_the_public_interface() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.docs.test_api_page"


@pytest.mark.parametrize("name", INSIDE)
def test_names_that_are_left_out_are_there(name: str) -> None:
    assert INSIDE[name] <= {*dir(getattr(dsl, name, None) or getattr(typechecker, name))}


def test_every_public_function_says_what_it_does() -> None:
    silent = [line for module in MODULES for line in entries(module) if line.endswith("  \n  ")]
    assert silent == []


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit()
