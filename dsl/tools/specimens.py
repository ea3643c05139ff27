"""Arguments made up from sizes as the command line names them, where only types matter. Read next: `arguments`."""

from __future__ import annotations

from collections.abc import Mapping

import click

from dsl.core.core import Signature
from dsl.host.arguments.specimens import Make
from dsl.host.arguments.specimens import specimens as made_of
from dsl.tools.numbers import Unfit
from dsl.tools.words import literal
from dsl.types.size import SizeVar


def specimens(
    signature: Signature, sizes: Mapping[str, str], statics: Mapping[str, str], make: Make
) -> dict[str, object]:
    """A value for every traced parameter whose sizes are all given, by name or by a static argument."""
    return made_of(signature, _sizes(signature, sizes, statics), make)


def _sizes(signature: Signature, sizes: Mapping[str, str], statics: Mapping[str, str]) -> dict[SizeVar, int]:
    by_static = {p.size: statics[p.name] for p in signature.params if p.size is not None and p.name in statics}
    by_name = {size: sizes[size.name] for size in signature.sizes if size.name in sizes}
    unknown = set(sizes) - {size.name for size in (*signature.sizes, *signature.extra_sizes)}
    if unknown:
        raise click.UsageError(f"--size names {sorted(unknown)[0]!r}, which is not a size of this function")
    return {size: size_of(size.name, text) for size, text in (by_static | by_name).items()}


def size_of(name: str, text: str) -> int:
    """A size as a number. Raises click.UsageError."""
    try:
        value = literal(text, name)
    except Unfit:
        value = None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise click.UsageError(f"--size {name} takes an integer of at least 0, not {text!r}")
    return value
