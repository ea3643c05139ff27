"""Where a program could compute something again in a backward pass: calls under a derivative, with `checkpoint` around
the function that is called. An edit of the text, which is checked like any other. Read next: `plan`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import Kind, Mode, mode_of
from dsl.core.walk import subexpressions
from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.source import Span
from dsl.host.functions.function import Function
from dsl.host.programs.program import functions, rewritten, text_of

MOST = 6
"""So many places are tried one at a time, those of the outermost calls first."""


class Place(Struct, frozen=True):
    """The name of a function that is called, or differentiated, in the text of the program."""

    span: Span

    @property
    def name(self) -> str:
        """Return the name that stands there."""
        return self.span.source.text[self.span.start : self.span.end]

    def __str__(self) -> str:
        return f"line {self.span.source.position(self.span.start)[0]}: {self.name} -> checkpoint({self.name})"


def variants(f: Function) -> Iterator[tuple[tuple[Place, ...], Function]]:
    """Yield the function with a checkpoint at one of the places, then at all of them, as far as that checks."""
    places = list(dict.fromkeys(_places(f)))[:MOST]
    for chosen in (*[(place,) for place in places], *([tuple(places)] if len(places) > 1 else [])):
        made = _edited(f, chosen)
        if made is not None:
            yield chosen, made


def _edited(f: Function, places: Sequence[Place]) -> Function | None:
    text = text_of(f.program)
    for place in sorted(places, key=lambda each: -each.span.start):
        text = f"{text[: place.span.start]}checkpoint({place.name}){text[place.span.end :]}"
    try:
        return functions(rewritten(f.program, text)).get(f.__name__)
    except DslError:
        return None


def _places(f: Function) -> Iterator[Place]:
    """Yield the places in what `f` differentiates in reverse, also in the functions that it calls, in turn."""
    known, todo = set[str](), [f.definition.name]
    inside: list[str] = []
    while todo:
        name = todo.pop(0)
        for node in _expressions(f, name):
            if isinstance(node, core.Transform | core.TransformCall) and mode_of(node.kind) is Mode.REVERSE:
                yield from _place(f, node.function)
                inside += _named(f, node.function)
        todo += [each for each in _called(f, name) if each not in known]
        known |= {name, *todo}
    seen = set[str]()
    while inside:
        name = inside.pop(0)
        if name not in seen:
            seen.add(name)
            for node in _expressions(f, name):
                if isinstance(node, core.Apply):
                    yield from _place(f, node.function)
            inside += _called(f, name)


def _expressions(f: Function, name: str) -> Iterator[core.Expr]:
    """The expressions of a definition in the text of the program."""
    definition = f.program.module.functions.get(name)
    body = None if definition is None else definition.body
    return iter(()) if body is None else subexpressions(body)


def _called(f: Function, name: str) -> list[str]:
    return [each for node in _expressions(f, name) for each in _named(f, node)]


def _named(f: Function, node: core.Expr) -> list[str]:
    """Return the definition of the program that an expression names."""
    here = f.program.module.name
    return [node.name] if isinstance(node, core.Global) and node.module == here else []


def _place(f: Function, node: core.Expr) -> Iterator[Place]:
    while isinstance(node, core.Specialise):
        node = node.function
    if isinstance(node, core.Transform) and node.kind is Kind.CHECKPOINT:
        return
    for name in _named(f, node):
        place = Place(node.span)
        if place.name == name and node.span.source.text == text_of(f.program):
            yield place
