"""Where fresh keys come from: the key of the handler, folded with the place of the draw.

Inside a loop or a comprehension the index of the step is folded in first, so every step draws its own. The place of a
draw is the path of calls from the handler to it. A site on that path is named by its definition, by what is called
there, transformed or not, and by its ordinal among the calls of that in the definition; so layout, comments, and other
calls and definitions change no numbers, and a function that handles its own draws makes the same ones for every caller.
What stands between the handler of an operation by name and the operation is not on the path, but its name is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias
from zlib import crc32

from dsl.core import core
from dsl.core.walk import subexpressions
from dsl.diagnostics.source import Source, Span
from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ops.random import fold_in
from dsl.staging.values import literal
from dsl.types.dtype import U32


@dataclass(slots=True)
class KeySource:
    """A source of keys: `key`, then the indices to fold into it. `depth` is the number of calls around its handler;
    `drawn` counts draws by their place."""

    key: Atom
    depth: int
    indices: tuple[Atom, ...] = ()
    drawn: dict[int, int] = field(default_factory=dict)


Keys: TypeAlias = tuple[KeySource, ...]
"""The sources of all handlers around a place, from the outermost."""


def inside(keys: Keys, index: Atom) -> Keys:
    """The sources in a body that runs once for every `index`."""
    return tuple([KeySource(source.key, source.depth, (*source.indices, index)) for source in keys])


def draw(b: Builder, source: KeySource, place: int) -> Atom:
    """A key of its own for every draw: draws at the same place are told apart by their order."""
    count = source.drawn[place] = source.drawn.get(place, -1) + 1
    key = source.key
    for index in source.indices:
        key = fold_in(b, key, index)
    key = fold_in(b, key, literal(place, U32))
    return fold_in(b, key, literal(count, U32)) if count else key


@dataclass(slots=True)
class Places:
    """Numbers for the places of a program; the sites of a module are named when a draw first leads through it."""

    program: core.Program
    names: dict[Source, dict[tuple[int, int], str]] = field(default_factory=dict)

    def number(self, path: Sequence[Span | str]) -> int:
        """A number for a draw: the last site of `path`, which the others lead to; names stand for themselves."""
        return crc32("/".join([part if isinstance(part, str) else self._name(part) for part in path]).encode())

    def _name(self, span: Span) -> str:
        names = self.names.get(span.source)
        if names is None:
            modules = self.program.modules.values()
            names = self.names[span.source] = {
                site: name for module in modules if module.source is span.source for site, name in _sites(module)
            }
        return names[span.start, span.end]


def _sites(module: core.Module) -> Iterator[tuple[tuple[int, int], str]]:
    """The site of every expression in a module, as offsets, with its name."""
    for definition, roots in _definitions(module):
        alike: dict[str, set[tuple[int, int]]] = {}
        for node in chain.from_iterable(map(subexpressions, roots)):
            alike.setdefault(_what(node), set()).add((node.span.start, node.span.end))
        for what, sites in alike.items():
            yield from ((site, f"{definition} {what} {ordinal}") for ordinal, site in enumerate(sorted(sites)))


def _definitions(module: core.Module) -> Iterator[tuple[str, list[core.Expr]]]:
    """The name and the expressions of each definition: its body, and the defaults of its parameters."""
    for name, function in module.functions.items():
        yield name, [function.body, *(p.default for p in function.signature.params if p.default is not None)]
    for name, constant in module.constants.items():
        yield name, [constant.value]


def _what(node: core.Expr) -> str:
    called = node.function if isinstance(node, core.Apply) else None
    while isinstance(called, core.Transform):
        called = called.function
    return called.name if isinstance(called, core.Global) else type(node).__name__
