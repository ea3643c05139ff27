"""`dsl.load_artifact`: functions that `dsl build` has compiled, called as those of a program.

What is loaded here knows neither parser, checker nor staging: the signature is in the file, and so is a program for
each choice of sizes, dtypes and static values that was asked for. Read next: `container`, `dsl.host.calls.dispatch`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from msgspec import Struct

from dsl.core import core
from dsl.core.codec.decode import decode
from dsl.diagnostics.settings import path_of
from dsl.diagnostics.source import Source
from dsl.host.argument_errors import Problem
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.placement import Where, common
from dsl.host.artifacts.container import Contents, malformed, unpacked
from dsl.host.calls.cached_call import Entry
from dsl.host.calls.call_binder import CallBinder, Callee, ReadCall
from dsl.host.calls.dispatch import Dispatcher
from dsl.host.results.containers import rebuilding
from dsl.host.results.shape_dtype_struct import format_types
from dsl.host.results.variants import Variant, variants_of
from dsl.ir.function import Tensor
from dsl.staging.env.environment import Variables
from dsl.staging.values import Argument, FunctionValue, Hidden, Missing, Site, Value, exact
from lowering.lowered import CompileHints, Lowered, calls_library
from lowering.xla.execute import Executable
from lowering.xla.places import Device
from lowering.xla.shipping import Code
from lowering.xla.shipping import loaded as loaded_program

_MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ImportError, RecursionError, AssertionError)
"""What reading a table that `dsl.core.codec.encode` has not written may raise."""


class Specialised(Struct, frozen=True):
    """A program for one choice of sizes, dtypes and static values: `args` and `hidden` as `Binding` has them, its
    `output` and `sites` as `Entry` has them. Its row in the file has these fields in order."""

    args: tuple[Argument, ...]
    hidden: Hidden
    output: Value
    sites: tuple[Site, ...] | None
    name: str
    param_types: tuple[Tensor, ...]
    result_types: tuple[Tensor, ...]
    hints: CompileHints
    platform: str

    def agrees(self, params: Sequence[core.Parameter], given: Mapping[int, Value]) -> bool:
        """Return whether it is for these values of some of the parameters."""
        pairs = zip(params, self.args, strict=True)
        return all(p.id not in given or exact(given[p.id]) == _exact(arg) for p, arg in pairs)


class Builds:
    """The programs of an artifact, and how calls of it are bound: static arguments that all of them have in common may
    be left out."""

    def __init__(
        self, contents: Contents, value: FunctionValue, programs: Sequence[Specialised], enums: Sequence[core.Enum]
    ) -> None:
        declared = {enum.type: enum for enum in enums}
        self.binder = CallBinder(Callee.of(value), lambda type: variants_of(declared[type]), self._default)
        self._contents = contents
        self._programs = programs

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of each."""
        return tuple([program.arguments for program in self._contents.manifest.programs])

    def entry(self, call: ReadCall, places: Where) -> Entry:
        """The program for calls like one with arrays at these places. Raises `Problem` E0918 where there is none."""
        binding = self.binder.bind(call.values, call.sizes)
        binding.inputs(call.leaves)
        found = next((k for k, each in enumerate(self._programs) if _is_for(each, binding)), None)
        if found is None:
            raise self._not_built(f"({described(self.binder.callee.definition, binding.args, binding.hidden)})")
        program = self._programs[found]
        rebuild = rebuilding(program.output, binding.containers, Variant)
        executable = self.executable(found, common(places, call.values))
        return Entry(binding, program.output, program.sites, executable, rebuild, binding.plain, None)

    def executable(self, number: int, devices: Sequence[Device]) -> Executable:
        """Return one of the programs, loaded for devices."""
        program, listed = self._programs[number], self._contents.manifest.programs[number]
        members = self._contents.members
        stablehlo, platform = members[listed.stablehlo], devices[0].platform
        if platform != program.platform and calls_library(stablehlo, program.platform):
            raise self._not_built(f"the platform `{platform}`")
        types = program.param_types, program.result_types
        lowered = Lowered(program.name, "", *types, hints=program.hints, platform=platform)
        codes = [Code(each.device, each.machine, members[each.member]) for each in listed.code]
        return loaded_program(lowered, stablehlo, codes, devices)

    def _default(self, parameter: core.Parameter, variables: Variables, given: Mapping[int, Value]) -> Value:
        """Return the default on which all programs that match so far agree; if none match, the default of all
        programs."""
        params = self.binder.callee.signature.params
        fitting = [program for program in self._programs if program.agrees(params, given)] or self._programs
        values = {_exact(arg): arg for arg in [program.args[params.index(parameter)] for program in fitting]}
        (value, *others) = values.values()
        if others or isinstance(value, Missing):
            known = " and ".join([_shown(each) for each in values.values()])
            raise Problem("E0905", f"`{parameter.name}` is missing", f"there are programs for {known}", parameter.span)
        return value

    def _not_built(self, what: str) -> Problem:
        message = f"this artifact of `{self.binder.callee.name}` has no program for {what}"
        return Problem("E0918", message, f"it has one for {', for '.join(self.arguments)}; `dsl build` makes others")


class Artifact(Dispatcher):
    """A function as it was built. It is called as the function of the program was, with arguments that it was built
    for; static arguments that all its programs have in common may be left out."""

    __module__ = "dsl"

    def __init__(self, builds: Builds) -> None:
        super().__init__(builds.binder, builds.entry)
        self.builds = builds

    @property
    def programs(self) -> tuple[str, ...]:
        """The arguments it was built for."""
        return self.builds.arguments

    def __repr__(self) -> str:
        return f"<artifact {self.type}, for {' or '.join(self.programs)}>"


def load_artifact(path: str | PathLike[str]) -> Artifact:
    """The function that `dsl build` or `dsl.save_artifact` has written. Raises `InputError`: E0960 where the file
    cannot be read, E0968 where it is damaged or no artifact, E0969 where another version has written it.

    An artifact holds machine code: load only those that you would install."""
    contents = unpacked(path_of("path", path))
    try:
        table = contents.members[contents.manifest.signature].decode()
        value, rows, enums = decode(table, _texts(contents).__getitem__)
        programs = [Specialised(*row) for row in rows]
        if len(programs) != len(contents.manifest.programs):
            raise ValueError("it has other programs than its manifest names")
        return Artifact(Builds(contents, value, programs, enums))
    except _MALFORMED as fault:
        raise malformed(path, f"its signature: {fault}") from None


def described(definition: core.Function, args: Sequence[Argument], hidden: Hidden) -> str:
    """The arguments of a program, or of a call, in words."""
    pairs = zip(definition.signature.params, args, strict=True)
    given = [f"{p.name}{': ' if p.counts else '='}{_shown(arg)}" for p, arg in pairs]
    return ", ".join([*given, *[f"{variable.name}={value}" for variable, value in hidden]])


def _is_for(program: Specialised, binding: Binding) -> bool:
    pairs = zip(program.args, binding.args, strict=True)
    return program.hidden == binding.hidden and all(_exact(built) == _exact(given) for built, given in pairs)


def _exact(arg: Argument) -> object:
    return arg if isinstance(arg, Missing) else exact(arg)


def _shown(arg: Argument) -> str:
    return "the default" if isinstance(arg, Missing) else format_types(arg)


def _texts(contents: Contents) -> dict[str, Source]:
    return {
        str(k): Source(text.name, contents.members[text.member].decode(), text.line_offset, text.column_offset)
        for k, text in enumerate(contents.manifest.texts)
    }
