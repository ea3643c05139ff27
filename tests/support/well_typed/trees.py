"""Random expressions as trees, so that one that fails can be made smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dsl.records import replace
from tests.support.well_typed.patterns import Type


@dataclass(frozen=True, slots=True)
class Value:
    """A text that may stand for a value. What is `ordered` has an effect whose order counts; what is `given` was not
    computed."""

    text: str
    type: Type
    ordered: bool = False
    given: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """An expression: a template, its definitions, and what stands in the holes of both, by their texts. A value that is
    there already is of no family."""

    type: Type
    family: str
    template: str
    definition: str
    holes: Mapping[str, Node]
    scope: tuple[Value, ...]

    def __iter__(self) -> Iterator[Node]:
        """The node and all in it."""
        yield self
        for inner in self.holes.values():
            yield from inner

    def expression(self) -> str:
        return f"({self._filled(self.template)})" if self.family else self.template

    def definitions(self) -> Iterator[str]:
        """Those of the node and of all in it."""
        for inner in self.holes.values():
            yield from inner.definitions()
        if self.definition:
            yield self._filled(self.definition)

    def _filled(self, text: str) -> str:
        for hole, inner in sorted(self.holes.items(), key=lambda item: -len(item[0])):
            text = text.replace(hole, inner.expression())
        return text


def smaller(node: Node, leaf: Callable[[Node], Node]) -> Iterator[Node]:
    """Trees like this one with one part replaced by a simpler one, from the outside in."""
    if node.holes:
        yield leaf(node)
    names = {value.text for value in node.scope}
    for inner in node:
        if inner is not node and inner.type == node.type and {value.text for value in inner.scope} <= names:
            yield inner
    for hole, inner in node.holes.items():
        for less in smaller(inner, leaf):
            yield replace(node, holes={**node.holes, hole: less})
