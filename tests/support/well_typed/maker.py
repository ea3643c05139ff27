"""Makes random expressions of a type by the grammar of `rules`: what is well typed by construction must check."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import assert_never

from tests.support.well_typed.holes import Entry, Hole, holes
from tests.support.well_typed.patterns import (
    COMPLEX,
    FLOATS,
    GENERIC,
    Array,
    Arrow,
    Bindings,
    Bound,
    Pattern,
    Type,
    class_of,
    filled,
    match,
    pattern,
    variables,
)
from tests.support.well_typed.rules import Rule, grammar
from tests.support.well_typed.trees import Node, Value

_FRESH = re.compile(r"\$([A-Za-z]+)")
_DTYPE = re.compile(rf"{GENERIC}_\d+")
_LIST = re.compile(r"\[([^\[\]]*)\]")
_SIZE = re.compile(r"\b[a-z]\w*")

TRIES = 5
"""How many rules are tried for an expression."""

_LITERALS = ("0.5", "-1.25", "2.0", "0.75")


@dataclass(slots=True)
class Maker:
    random: Random
    names: int = 0

    def expression(self, type_: Type, scope: tuple[Value, ...], depth: int) -> Node:
        """An expression of the type, in which these values may stand."""
        if depth <= 0 or self.random.random() < 0.1:
            return self.leaf(type_, scope)
        families = [found for family in grammar() if (found := list(_fitting(family, type_)))]
        for _ in range(TRIES if families else 0):
            rule, known = self.random.choice(self.random.choice(families))
            made = self._by(rule, known, type_, scope, depth - 1)
            if made is not None:
                return made
        return self.leaf(type_, scope)

    def leaf(self, type_: Type, scope: tuple[Value, ...], *, given: bool = False) -> Node:
        """A value of the scope, most likely a recent one, or a literal."""
        found = [value for value in scope if value.type == type_ and (value.given or not given)]
        if found and self.random.random() < 0.95:
            text = found[-1 - min(int(self.random.expovariate(0.4)), len(found) - 1)].text
        else:
            text = self._literal(type_)
        return Node(type_, "", text, "", {}, scope)

    def _literal(self, type_: Type) -> str:
        match type_:
            case Arrow(param, result):
                self.names += 1
                return f"(fn (u_{self.names}: {param}) -> {self._literal(result)})"
            case Array("idx", shape, bound):
                return f"argmax(zeros([{', '.join((*shape, bound))}]), axis=-1)"
            case Array("key"):
                return f"random.key({self.random.randrange(9)})"
            case Array(dtype, shape):
                number = self._number(dtype)
                return f"full([{', '.join(shape)}], {number})" if shape else number
            case _:
                assert_never(type_)

    def _number(self, dtype: str) -> str:
        inexact = dtype in FLOATS + COMPLEX or dtype.startswith(GENERIC)
        return f"cast({self.random.choice(_LITERALS) if inexact else self.random.randrange(9)}, {dtype})"

    # ------------------------------------------------------------ by a rule

    def _by(self, rule: Rule, known: Bindings, type_: Type, scope: tuple[Value, ...], depth: int) -> Node | None:
        """None where a definition would speak of what its parameters do not tell."""
        template, definition, own = self._with_names(rule)
        bound = {**known, **own}
        made: dict[str, Node] = {}
        for hole in holes(definition):
            if hole.mark == ":":
                made[hole.text] = self._hole(hole, bound, made, (), scope, depth)
        if not all(map(_is_closed, _shown(definition, made).splitlines())):
            return None
        for text, around in ((definition, ()), (template, scope)):
            for hole in holes(text):
                if hole.text not in made:
                    made[hole.text] = self._hole(hole, bound, made, around, scope, depth)
        return Node(type_, rule.family, template, definition, made, scope)

    def _with_names(self, rule: Rule) -> tuple[str, str, dict[str, Bound]]:
        """The texts of a rule with names of their own, which are sizes or shapes where they stand in types."""
        own: dict[str, Bound] = {}
        names: dict[str, str] = {}

        def fresh(found: re.Match[str]) -> str:
            if found[1] not in names:
                self.names += 1
                names[found[1]] = f"{found[1]}_{self.names}"
            return names[found[1]]

        template, definition = _FRESH.sub(fresh, rule.template), _FRESH.sub(fresh, rule.definition)
        for name in names.values():
            own |= {name: name, f"*{name}": (f"*{name}",)}
        return template, definition, own

    def _hole(
        self,
        hole: Hole,
        bound: dict[str, Bound],
        made: dict[str, Node],
        around: tuple[Value, ...],
        outside: tuple[Value, ...],
        depth: int,
    ) -> Node:
        if hole.mark == ":":
            return Node(Array("", ()), "", self._written(hole.wanted, bound, outside), "", {}, ())
        inside = _at_once(around) if hole.mark == "~" else around
        more = [self._value(entry, bound, made, outside) for entry in hole.entries]
        scope = (*inside, *more)
        wanted = self._type(pattern(hole.wanted), bound, scope)
        return self.leaf(wanted, scope, given=True) if hole.mark == "=" else self.expression(wanted, scope, depth)

    def _value(self, entry: Entry, bound: dict[str, Bound], made: dict[str, Node], scope: tuple[Value, ...]) -> Value:
        text = entry.text
        for hole in holes(text):
            if hole.text not in made:
                made[hole.text] = self._hole(hole, bound, made, _at_once(scope), scope, 0)
            text = text.replace(hole.text, made[hole.text].expression())
        return Value(text, self._type(pattern(entry.type), bound, scope), entry.ordered)

    # ------------------------------------------------------------ types

    def type(self, wanted: str, scope: tuple[Value, ...]) -> Type:
        """A random type of the pattern."""
        return self._type(pattern(wanted), {}, scope)

    def _type(self, wanted: Pattern, bound: dict[str, Bound], scope: tuple[Value, ...]) -> Type:
        for name in variables(wanted):
            if name not in bound:
                bound[name] = self._choice(name, scope)
        return filled(wanted, bound)

    def _choice(self, name: str, scope: tuple[Value, ...]) -> Bound:
        """What a variable that no type decides stands for."""
        if members := class_of(name):
            common = [value.type.dtype for value in scope if isinstance(value.type, Array)]
            return self.random.choice([d for d in common if d in members] or members)
        sizes = _sizes(scope)
        if name.startswith("*"):
            return tuple(self.random.choices(sizes, k=self.random.choice((0, 0, 0, 1, 1, 2))))
        if name[0].islower():
            return self.random.choice(sizes)
        return Array(
            str(self._choice("any", scope)), tuple(self.random.choices(sizes, k=self.random.choice((0, 0, 1))))
        )

    def _written(self, wanted: str, bound: dict[str, Bound], scope: tuple[Value, ...]) -> str:
        if wanted.startswith("*") or (
            wanted[0].islower() and not class_of(wanted.partition("[")[0]) and len(wanted) == 1
        ):
            found = bound.setdefault(wanted, self._choice(wanted, scope))
            return ", ".join(found) if isinstance(found, tuple) else str(found)
        return str(self._type(pattern(wanted), bound, scope))


def _fitting(family: Sequence[Rule], type_: Type) -> Iterator[tuple[Rule, Bindings]]:
    for rule in family:
        found = match(rule.result, type_, {})
        if found is not None:
            yield rule, found


def _shown(definition: str, made: Mapping[str, Node]) -> str:
    for hole, node in made.items():
        definition = definition.replace(hole, node.template)
    return definition


def _is_closed(line: str) -> bool:
    """Whether the sizes in the result of a definition stand in its parameters, and whether it is itself generic in its
    dtypes; other declarations are not generic."""
    if not set(_DTYPE.findall(line)) <= {dtype for dtype in _DTYPE.findall(line) if f"{dtype}: Float" in line}:
        return False
    head, _, result = line.partition(") -> ")
    match line.split(" ")[0]:
        case "def":
            return _sizes_in(result.partition(" =")[0]) <= _sizes_in(head)
        case "effect":
            return not _sizes_in(line)
        case "type":
            return _sizes_in(line.partition("=")[2]) <= _sizes_in(line.partition("=")[0])
        case _:
            return True


def _sizes_in(text: str) -> set[str]:
    return {size for items in _LIST.findall(text) for size in _SIZE.findall(items)}


def _at_once(scope: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple([value for value in scope if not value.ordered])


def _sizes(scope: tuple[Value, ...]) -> list[str]:
    """The sizes that are known where these values are: a function knows those of its parameters alone."""
    named = [size for v in scope if isinstance(v.type, Array) for size in (*v.type.shape, v.type.bound)]
    return ["2", "3", *sorted({size for size in named if size and size[0] != "*" and not size.isdigit()})]
