"""`dsl.save_artifact`: a function with compiled programs for some arguments, as a file. Read next: `container`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from typing import Any

from dsl.core import core
from dsl.core.codec.encode import Unwritable, encode
from dsl.diagnostics.atomic import write_atomically
from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.settings import path_of
from dsl.diagnostics.source import Source
from dsl.host.argument_errors import misused, no_function
from dsl.host.artifacts.artifact import Specialised, described
from dsl.host.artifacts.container import FORMAT, Compiled, Contents, Manifest, Program, Text, packed
from dsl.host.calls.faults import explained_faults
from dsl.host.compiling.compile_errors import Progress, compiling, lower_program
from dsl.host.functions.function import Function
from dsl.host.results.shape_dtype_struct import stand_in
from dsl.host.results.variants import enum_of
from dsl.records import replace
from dsl.staging.values import DefValue, FunctionValue, Transformed, is_data
from dsl.types.type import EnumType
from dsl.types.walk import subtypes
from dsl.version import VERSION
from lowering.lowered import Lowered
from lowering.xla import adapter
from lowering.xla.backends import choice, device_of
from lowering.xla.places import Device
from lowering.xla.shipping import Code, code_for

SIGNATURE = "signature"


def save_artifact(
    path: str | PathLike[str],
    function: Function,
    *calls: Mapping[str, Any],
    devices: Sequence[Device | str] | None = None,
) -> None:
    """Writes a function with a program for each of the calls, given as arguments by name: arrays, or
    `dsl.ShapeDtypeStruct`s. They are compiled for these devices of one platform, such as `["cpu:0"]`, or for the one
    that is chosen; for none in the list, each is compiled where it is loaded. Raises what compiling raises, and
    `InputError`: E0966 where the file cannot be written, E0970 for what an artifact cannot hold."""
    target = path_of("path", path)
    if not isinstance(function, Function):
        raise no_function("save_artifact", function)
    chosen = choice().devices[:1] if devices is None else [device_of(device) for device in devices]
    builder = _Builder(function, chosen)
    for call in calls:
        builder.add(call)
    write_atomically(target, packed(builder.contents()))


class _Builder:
    """An artifact as it grows: rows of its signature, and members of its file."""

    def __init__(self, function: Function, devices: Sequence[Device]) -> None:
        self._function = function
        self._devices = devices
        self._rows: list[Specialised] = []
        self._lowered: list[tuple[Lowered, str]] = []
        self._members: dict[str, bytes] = {}

    def add(self, call: Mapping[str, Any]) -> None:
        """A program for arguments like these."""
        function = self._function
        seed = {"key": 0} if function.draws else {}
        given = seed | {name: stand_in(value) for name, value in call.items()}
        staged, binding, leaves = function.staged((), given)
        with explained_faults(function.definition):
            binding.inputs(leaves)
        if not all(map(is_data, (*binding.args, staged.output))):
            raise self._unfit("takes or gives functions")
        with compiling(function.__name__, Progress()):
            made = lower_program(staged.function, Progress(), self._devices[:1])
        if made.callbacks:
            raise self._unfit("prints, or calls Python")
        types = made.param_types, made.result_types
        sites = tuple(staged.sites) if staged.checks else None
        called = binding.args, binding.hidden, staged.output, sites, made.name
        row = Specialised(*called, *types, made.hints, made.platform)
        self._rows.append(row)
        self._lowered.append((made, described(function.definition, row.args, row.hidden)))

    def _programs(self) -> Iterator[Program]:
        """Compile all programs for all devices, at the same time: XLA holds no lock of Python meanwhile."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            codes = [[pool.submit(code_for, made, device) for device in self._devices] for made, _ in self._lowered]
        for k, ((made, arguments), pending) in enumerate(zip(self._lowered, codes, strict=True)):
            name = f"programs.{k}"
            code = tuple([self._compiled(name, each.result()) for each in pending])
            stablehlo = self._member(f"{name}.stablehlo", adapter.portable(made.text))
            yield Program(f"({arguments})", stablehlo, code)

    def _compiled(self, name: str, code: Code) -> Compiled:
        return Compiled(code.device, code.machine, self._member(f"{name}.{code.device}", code.data))

    def _member(self, name: str, data: bytes) -> str:
        self._members[name] = data
        return name

    def contents(self) -> Contents:
        """The whole, once all programs have been added."""
        sources: list[Source] = []
        try:
            contents = _bare(self._function.value), tuple(map(_row, self._rows)), _enums_of(self._function)
            table = encode(contents, lambda s: _number(s, sources))
        except Unwritable as fault:
            raise self._unfit(f"takes or gives {fault}") from None
        signature = self._member(SIGNATURE, table.encode())
        texts = [self._text(f"texts.{k}", source) for k, source in enumerate(sources)]
        function = self._function
        return Contents(
            Manifest(
                FORMAT, VERSION, function.type, function.doc, signature, tuple(texts), tuple(self._programs()), {}
            ),
            self._members,
        )

    def _text(self, name: str, source: Source) -> Text:
        member = self._member(name, source.text.encode())
        placed = source.placed
        return Text(placed.name, placed.line_offset, placed.column_offset, member)

    def _unfit(self, what: str) -> DslError:
        name = self._function.__name__
        return misused("E0970", f"`{name}` {what}, which an artifact cannot hold", self._function.definition)


def _row(row: Specialised) -> tuple[Any, ...]:
    return tuple([getattr(row, name) for name in Specialised.__struct_fields__])


def _number(source: Source, sources: list[Source]) -> str:
    if source not in sources:
        sources.append(source)
    return str(sources.index(source))


def _enums_of(function: Function) -> tuple[core.Enum, ...]:
    """Return the enums of static parameters, whose variants may be given by name."""
    types = dict.fromkeys(type for p in function.signature.params for type in subtypes(p.type))
    return tuple([enum_of(function.program.core, type) for type in types if isinstance(type, EnumType)])


def _bare(value: FunctionValue) -> FunctionValue:
    """A function value without bodies: what calls of it have to know."""
    if isinstance(value, Transformed):
        options = [(name, option) for name, option in value.options if is_data(option)]
        return replace(value, function=_bare(value.function), options=tuple(options))
    assert isinstance(value, DefValue)
    nothing = core.constant(None, value.definition.span)
    signature = value.definition.signature
    params = [replace(p, default=nothing if p.static or p.default is not None else None) for p in signature.params]
    signature = replace(signature, params=tuple(params))
    return DefValue(replace(value.definition, signature=signature, body=nothing), value.hidden)
