"""A program as a stub of Python (`.pyi`), for type checkers and editors that see `import model`. Read next: `kinds`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import count
from textwrap import indent
from typing import assert_never

from dsl.core import core
from dsl.host.python_types.kinds import (
    ArrayKind,
    Kind,
    NamedKind,
    ParameterKind,
    RecordKind,
    TupleKind,
    UnionKind,
    aliases_of,
    kind_of,
    parameters_of,
    parts_of,
    without_axes,
)

HEAD = """from collections.abc import Callable
from typing import Any, TypedDict, overload

from jaxtyping import {classes}

from dsl import Array, ArrayLike, Function, RecordLike, Variant, Variants
"""


def stub_of(module: core.Module) -> str:
    """The stub of a checked module: its public functions, constants, types, enums and variants."""
    functions = [f for f in module.functions.values() if f.public]
    constants = {name: kind_of(c.type) for name, c in module.constants.items() if not name.startswith("_")}
    aliases = aliases_of(module)
    writer = Writer([*(k for f in functions for k in kinds_of(f)), *constants.values(), *aliases.values()])
    parts = [writer.head(module.doc)]
    parts += [writer.record(kind, name) for kind, name in writer.records.items()]
    parts += [f"{n} = {writer.result(kind)}\n" for n, kind in aliases.items() if not isinstance(kind, RecordKind)]
    parts += [f"{name}: {writer.result(kind)}\n" for name, kind in constants.items()]
    for name, enum in module.enums.items():
        parts.append("".join([f"{name}: Variants\n", *(f"{v.name}: Variant\n" for v in enum.variants)]))
    parts += [writer.function(f) for f in functions]
    return "\n".join(parts)


def kinds_of(function: core.Function) -> list[Kind]:
    return [*(p.kind for p in parameters_of(function)), kind_of(function.signature.result)]


class Writer:
    """Writes annotations with a name for each kind of records."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        parts = [part for kind in kinds for part in parts_of(kind)]
        self.classes = sorted({part.dtype for part in parts if isinstance(part, ArrayKind)})
        self.records = _named([part for part in parts if isinstance(part, RecordKind)])

    def head(self, doc: str | None) -> str:
        quoted = "" if doc is None else f"{_quoted(doc)}\n\n"
        return quoted + HEAD.format(classes=", ".join(self.classes or ["Shaped"]))

    def record(self, kind: RecordKind, name: str) -> str:
        fields = [f'"{field}": {self.result(of)}' for field, of in kind.fields]
        return f'{name} = TypedDict("{name}", {{{", ".join(fields)}}})\n'

    def function(self, function: core.Function) -> str:
        """A class of its own, since a `Function` is more than what can be called."""
        name, kinds = function.name, kinds_of(function)
        doc = "" if function.doc is None else f"{indent(_quoted(function.doc), '    ')}\n\n"
        given = {part for kind in kinds[:-1] for part in _records_in(kind)}
        returned = given & set(_records_in(kinds[-1]))
        calls = [self.call(function, returned, ())] if returned else []
        calls.append(self.call(function, (), given))
        overloaded = "    @overload\n" if returned else ""
        return f"class _{name}(Function):\n{doc}{''.join([overloaded + call for call in calls])}\n{name}: _{name}\n"

    def call(self, function: core.Function, exact: Collection[Kind], given: Collection[Kind]) -> str:
        """The signature of a call in which the records that are `exact` are those of the stub, and of those that are
        `given` nothing is known."""
        params = ", ".join(["self", *self.parameters(parameters_of(function), exact)])
        return f"    def __call__({params}) -> {self.result(kind_of(function.signature.result), given)}: ...\n"

    def parameters(self, params: Iterable[ParameterKind], exact: Collection[Kind]) -> Iterator[str]:
        starred = False
        for p in params:
            if p.keyword_only and not starred:
                starred = True
                yield "*"
            yield f"{p.name}: {self.argument(p.kind, exact)}{' = ...' if p.optional else ''}"

    def argument(self, kind: Kind, exact: Collection[Kind]) -> str:
        """Return the accepted type of an argument: arrays and records in any form, except records that contain an
        `exact` one."""
        match kind:
            case ArrayKind(dtype, axes):
                return f'{dtype}[ArrayLike, "{axes}"]'
            case RecordKind():
                known = not set(_records_in(kind)).isdisjoint(exact)
                return self._name(kind) if known else f"{self._name(kind)} | RecordLike"
            case _:
                return self._show(kind, lambda part: self.argument(part, exact))

    def result(self, kind: Kind, given: Collection[Kind] = ()) -> str:
        """Return the type of a result. A record that was an argument comes back in a container of the same class."""
        match kind:
            case ArrayKind(dtype, axes):
                return f'{dtype}[Array, "{axes}"]'
            case RecordKind():
                return "Any" if without_axes(kind) in given else self._name(kind)
            case _:
                return self._show(kind, lambda part: self.result(part, given))

    def _name(self, kind: RecordKind) -> str:
        return next(name for known, name in self.records.items() if without_axes(known) == without_axes(kind))

    def _show(self, kind: TupleKind | UnionKind | NamedKind, show: Callable[[Kind], str]) -> str:
        match kind:
            case TupleKind(parts, every):
                return f"tuple[{', '.join([*map(show, parts), *(['...'] if every else [])]) or '()'}]"
            case UnionKind(options):
                return " | ".join(map(show, options))
            case NamedKind("Callable"):
                return "Callable[..., Any]"
            case NamedKind(name):
                return name
            case _:
                assert_never(kind)


def _records_in(kind: Kind) -> Iterator[Kind]:
    """The kinds of records inside of a kind, whatever their sizes."""
    return (without_axes(part) for part in parts_of(kind) if isinstance(part, RecordKind))


def _quoted(doc: str) -> str:
    escaped = doc.replace("\\", r"\\").replace('"', r"\"")
    return f'"""{escaped}"""'


def _named(records: Iterable[RecordKind]) -> Mapping[RecordKind, str]:
    """One name for each kind of records, with a number where its alias is taken."""
    named: dict[Kind, tuple[RecordKind, str]] = {}
    taken: set[str] = set()
    for record in records:
        if without_axes(record) not in named:
            free = (f"{record.name}{k}" if k > 1 else record.name for k in count(1))
            name = next(name for name in free if name not in taken)
            taken.add(name)
            named[without_axes(record)] = record, name
    return dict(named.values())
