"""A program as a stub of Python (`.pyi`), for type checkers and editors that see `import model`. Read next: `kinds`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from textwrap import indent
from typing import TypeAlias, assert_never

from dsl.core import core
from dsl.host.python_types.kinds import (
    DTYPES,
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

Fields: TypeAlias = tuple[str, ...]
"""The names of the fields of a record, by which a result takes the container of an argument."""

IMPORTS = (
    ("collections.abc", ("Callable",)),
    ("typing", ("Any", "TypedDict", "TypeVar", "overload")),
    ("jaxtyping", tuple(sorted(DTYPES))),
    ("typing_extensions", ("ReadOnly",)),
    ("dsl", ("Array", "ArrayLike", "Function", "RecordLike", "RecordObject", "Variant", "Variants")),
)


def stub_of(module: core.Module) -> str:
    """The stub of a checked module: its public functions, constants, types, enums and variants."""
    functions = [f for f in module.functions.values() if f.public]
    constants = {name: kind_of(c.type) for name, c in module.constants.items() if not name.startswith("_")}
    aliases = aliases_of(module)
    writer = Writer([*(k for f in functions for k in kinds_of(f)), *constants.values(), *aliases.values()])
    parts = [f"{n} = {writer.result(kind)}\n" for n, kind in aliases.items() if not isinstance(kind, RecordKind)]
    parts += [f"{name}: {writer.result(kind)}\n" for name, kind in constants.items()]
    for name, enum in module.enums.items():
        parts.append("".join([f"{name}: Variants\n", *(f"{v.name}: Variant\n" for v in enum.variants)]))
    parts += [writer.function(f) for f in functions]
    for kind in reversed(list(writer.records)):
        parts.insert(0, writer.record(kind, "".join(parts)))
    doc = "" if module.doc is None else f"{_quoted(module.doc)}\n\n"
    return "\n".join([doc + _imports(parts), *parts])


def _imports(parts: Sequence[str]) -> str:
    """The imports of the names that occur."""
    words = set(re.findall(r"\w+", "".join(parts)))
    used = [(home, [name for name in names if name in words]) for home, names in IMPORTS]
    return "".join([f"from {home} import {', '.join(names)}\n" for home, names in used if names])


def kinds_of(function: core.Function) -> list[Kind]:
    return [*(p.kind for p in parameters_of(function)), kind_of(function.signature.result)]


class Writer:
    """Writes annotations with a name for each kind of records."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        parts = [part for kind in kinds for part in parts_of(kind)]
        self.records = _named([part for part in parts if isinstance(part, RecordKind)])

    def record(self, kind: RecordKind, uses: str) -> str:
        """The class of a record in results, and what `uses` name beside it: that of dicts that are arguments, and the
        variable for objects."""
        name = self.name(kind)
        fields = [f'"{field}": {self.result(of)}' for field, of in kind.fields]
        given = [f'"{field}": ReadOnly[{self.argument(of, self.dict_given)}]' for field, of in kind.fields]
        lines = {
            name: f'{name} = TypedDict("{name}", {{{", ".join(fields)}}})\n',
            f"_{name}Given": f'_{name}Given = TypedDict("_{name}Given", {{{", ".join(given)}}})\n',
            f"_{name}Object": f'_{name}Object = TypeVar("_{name}Object", bound=RecordObject)\n',
        }
        return "".join([line for used, line in lines.items() if used == name or re.search(rf"\b{used}\b", uses)])

    def function(self, function: core.Function) -> str:
        """A class of its own, since a `Function` is more than what can be called."""
        name, calls = function.name, list(self.calls(function))
        doc = "" if function.doc is None else f"{indent(_quoted(function.doc), '    ')}\n\n"
        overloaded = "    @overload\n" if len(calls) > 1 else ""
        return f"class _{name}(Function):\n{doc}{''.join([overloaded + call for call in calls])}\n{name}: _{name}\n"

    def calls(self, function: core.Function) -> Iterator[str]:
        """The signatures of a call. A record in the result comes in the container of the first argument that has such
        fields: a dict, an object of the same class, or, where the type of the argument does not tell, anything."""
        params, result = list(parameters_of(function)), kind_of(function.signature.result)
        givers = _givers(params)
        returned = givers.keys() & {_fields_of(part) for part in _records_in(result)}
        if returned:
            deciding = {p.name for fields in returned for p in givers[fields]}
            dicts = self.dict_of(returned)
            yield self.call(
                params,
                lambda p: self.argument(p.kind, dicts if p.name in deciding else self.any_form),
                self.result(result),
            )
        direct = _direct(givers, returned)
        given = {name: f"_{self.name(kind)}Object" for name, kind in direct.items()}
        made = {_fields_of(kind): given[name] for name, kind in direct.items()}
        back = self.result(result, lambda kind: made.get(_fields_of(kind)) or self.unless(kind, returned))
        if all(variable in back for variable in given.values()) and given:
            yield self.call(params, lambda p: given.get(p.name) or self.anything(p), back)
        yield self.call(params, self.anything, self.result(result, lambda kind: self.unless(kind, returned)))

    def call(self, params: Iterable[ParameterKind], argument: Callable[[ParameterKind], str], result: str) -> str:
        written = ", ".join(["self", *self.parameters(params, argument)])
        return f"    def __call__({written}) -> {result}: ...\n"

    def parameters(self, params: Iterable[ParameterKind], argument: Callable[[ParameterKind], str]) -> Iterator[str]:
        starred = False
        for p in params:
            if p.keyword_only and not starred:
                starred = True
                yield "*"
            yield f"{p.name}: {argument(p)}{' = ...' if p.optional else ''}"

    def argument(self, kind: Kind, record: Callable[[RecordKind], str]) -> str:
        """Return the accepted type of an argument: arrays in any form, records in the one that `record` says."""
        match kind:
            case ArrayKind(dtype, axes):
                return f'{dtype}[ArrayLike, "{axes}"]'
            case RecordKind():
                return record(kind)
            case _:
                return self._show(kind, lambda part: self.argument(part, record))

    def result(self, kind: Kind, record: Callable[[RecordKind], str] | None = None) -> str:
        """Return the type of a result, whose records are those of the stub if `record` does not say otherwise."""
        match kind:
            case ArrayKind(dtype, axes):
                return f'{dtype}[Array, "{axes}"]'
            case RecordKind():
                return self.name(kind) if record is None else record(kind)
            case _:
                return self._show(kind, lambda part: self.result(part, record))

    # ------------------------------------------------------------ forms of records

    def dict_given(self, kind: RecordKind) -> str:
        """Return the type of a dict with these fields."""
        return f"_{self.name(kind)}Given"

    def any_form(self, kind: RecordKind) -> str:
        return f"{self.name(kind)} | RecordLike"

    def dict_of(self, returned: Collection[Fields]) -> Callable[[RecordKind], str]:
        """Return the types of dicts for records that the result has, and of all forms for others. A dict whose fields
        the type does not tell may have any records inside, so it stands only for a record without those."""

        def argument(kind: RecordKind) -> str:
            found = [_fields_of(part) for part in _records_in(kind) if _fields_of(part) in returned]
            if not found:
                return self.any_form(kind)
            plain = found == [_fields_of(kind)]
            return self.dict_given(kind) + (" | dict[str, Any]" if plain else "")

        return argument

    def anything(self, parameter: ParameterKind) -> str:
        return self.argument(parameter.kind, self.any_form)

    def unless(self, kind: RecordKind, returned: Collection[Fields]) -> str:
        """Return the class of the stub, or `Any` for a record if an argument decides its container, or one inside."""
        decided = any(_fields_of(part) in returned for part in _records_in(kind))
        return "Any" if decided else self.name(kind)

    def name(self, kind: RecordKind) -> str:
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


def _givers(params: Iterable[ParameterKind]) -> Mapping[Fields, list[ParameterKind]]:
    """The parameters that may decide the containers of records with these fields: the first that has them, and more
    where that may be left out."""
    found: dict[Fields, list[ParameterKind]] = {}
    for p in params:
        for fields in {_fields_of(part) for part in _records_in(p.kind)}:
            known = found.setdefault(fields, [])
            if all(other.optional for other in known):
                known.append(p)
    return found


def _direct(givers: Mapping[Fields, Sequence[ParameterKind]], returned: Collection[Fields]) -> Mapping[str, RecordKind]:
    """The returned records that are themselves an argument, which is never left out, by the name of its parameter."""
    firsts = [(fields, givers[fields][0]) for fields in returned]
    return {
        p.name: p.kind
        for fields, p in firsts
        if isinstance(p.kind, RecordKind) and _fields_of(p.kind) == fields and not p.optional
    }


def _records_in(kind: Kind) -> Iterator[RecordKind]:
    """The kinds of records inside of a kind."""
    return (part for part in parts_of(kind) if isinstance(part, RecordKind))


def _fields_of(kind: RecordKind) -> Fields:
    return tuple(sorted([field for field, _ in kind.fields]))


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
