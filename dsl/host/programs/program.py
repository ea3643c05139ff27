"""`dsl.program` and `dsl.load`: text to a checked program, whose public functions, constants, types, enums and variants
are attributes. Nothing runs.

A program has no other attributes, so that each of its names can be reached: what else there is to know of one is asked
with functions (`dsl.functions`, `dsl.doc`, …). Read next: `function`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import typechecker
from dsl.core import core
from dsl.core.held_types import may_hold_function
from dsl.diagnostics.diagnostic import error_for
from dsl.diagnostics.files import read_source
from dsl.diagnostics.message import Diagnostic, Severity
from dsl.diagnostics.settings import instance_of, path_of, setting_error, value_in_words
from dsl.diagnostics.source import Source
from dsl.host.argument_errors import suggestion
from dsl.host.checking.checked_program import CheckedProgram
from dsl.host.checking.known_checks import Check
from dsl.host.checking.python_sources import source_in_call
from dsl.host.functions.function import Function
from dsl.host.programs.overloads import OverloadedFunction
from dsl.host.results.variants import Variant, Variants
from dsl.records import replace
from dsl.staging.values import DefValue
from dsl.syntax.sources import embedded_source
from dsl.types.type import Type

if TYPE_CHECKING:
    from typechecker import CheckCache


Modules: TypeAlias = tuple[tuple[str, Source], ...]
"""Texts that imports find by name."""

NO_MODULES: Mapping[str, str | Source] = MappingProxyType({})


class Program:
    """A checked module with all it imports. `program.f` is the function `f`, `program.width` the value of a constant,
    `program.Params` a type, `program.Act` an enum and `program.Relu` a variant."""

    __module__ = "dsl"

    def __init__(self, checked: CheckedProgram) -> None:
        self._checked = checked

    @cached_property
    def _functions(self) -> Mapping[str, Function]:
        named: dict[str, list[Function]] = {}
        for name, definition in self._checked.module.functions.items():
            if definition.public:
                named.setdefault(core.written_name(name), []).append(Function(self._checked, DefValue(definition)))
        return MappingProxyType({n: fs[0] if len(fs) == 1 else OverloadedFunction(fs) for n, fs in named.items()})

    @cached_property
    def _variants(self) -> Mapping[str, Variant]:
        enums = self._checked.module.enums.values()
        return MappingProxyType({v.name: Variant.of(enum, v) for enum in enums for v in enum.variants})

    @cached_property
    def _enums(self) -> Mapping[str, Variants]:
        enums = self._checked.module.enums.items()
        made = {n: {v.name: self._variants[v.name] for v in enum.variants} for n, enum in enums}
        return MappingProxyType({n: Variants(n, inner) for n, inner in made.items()})

    @cached_property
    def _types(self) -> Mapping[str, Type]:
        return MappingProxyType({n: t for n, t in self._checked.module.aliases.items() if not n.startswith("_")})

    @cached_property
    def _constants(self) -> Mapping[str, core.Constant]:
        """The constants that Python can take: those without functions in them."""
        modules = self._checked.core.modules
        found = {n: c for n, c in self._checked.module.constants.items() if not n.startswith("_")}
        hidden = {n for n, c in found.items() if may_hold_function(c.type, lambda m, name: modules[m].enums[name])}
        return MappingProxyType({n: c for n, c in found.items() if n not in hidden})

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            for found in (self._functions, self._variants, self._enums):
                if name in found:
                    return self.__dict__.setdefault(name, found[name])
            if name in self._constants:
                return self.__dict__.setdefault(name, self._constant(name))
            if name in self._types:
                return self.__dict__.setdefault(name, self._annotation(name))
        near = suggestion(name, dir(self))
        error = AttributeError(f"the program has no public `{name}`{near}", name=name)
        if not near:
            error.obj = self  # Python adds a suggestion of its own to an error that knows the object
        raise error

    def _constant(self, name: str) -> Any:
        """Its value. What computes that takes long to import, and few programs are asked."""
        return import_module("dsl.host.programs.constants").constant_value(self._checked, self._constants[name])

    def _annotation(self, name: str) -> Any:
        """A type for annotations of Python. What makes that of jaxtyping takes long to import, too."""
        return import_module("dsl.host.python_types.runtime").named_annotation(name, self._types[name])

    def __dir__(self) -> list[str]:
        return [*self._functions, *self._variants, *self._enums, *self._constants, *self._types]

    def __reduce__(self) -> tuple[Any, ...]:
        return Program, (self._checked,)

    def __deepcopy__(self, memo: Any) -> Program:
        return self

    def __repr__(self) -> str:
        return f"<program {self._checked.module.source.name}: {', '.join(self._functions) or 'no public function'}>"


def functions(program: Program) -> Mapping[str, Function]:
    """The public `def`s of a program by name."""
    return _given(program)._functions


def variants(program: Program) -> Mapping[str, Variant]:
    """The variants of all enums of a program by name."""
    return _given(program)._variants


def constants(program: Program) -> Mapping[str, Any]:
    """The public top-level `let`s of a program by name: numbers, texts, shapes, arrays and containers of these."""
    return MappingProxyType({name: getattr(program, name) for name in _given(program)._constants})


def doc(program: Program) -> str | None:
    """Return the `##` comment at the head of a program."""
    return _given(program)._checked.module.doc


def warnings(program: Program) -> tuple[Diagnostic, ...]:
    """Return the checker's warnings."""
    return tuple([d.placed for d in _given(program)._checked.warnings])


def core_of(program: Program) -> core.Program:
    """The program and all it imports as typed terms (`dsl.core`)."""
    return _given(program)._checked.core


def _given(program: object) -> Program:
    help = 'make one: `dsl.program("def f(x: f32) -> f32 = …")`, or `dsl.load("model.dsl")`'
    return instance_of("program", program, Program, help)


def program(text: str, modules: Mapping[str, str | Source] = NO_MODULES) -> Program:
    """Checks program text (dedented first). What it imports is looked for among `modules`, which are texts too, or what
    `dsl.interop.jax.from_jax` gives. Raises `DslError` with all that is wrong; runs nothing."""
    instance_of("text", text, str)
    return check_program(source_in_call(text, sys._getframe(1)), None, _named(modules))


def load(path: str | PathLike[str], modules: Mapping[str, str | Source] = NO_MODULES) -> Program:
    """Reads and checks a file; what it imports is looked for among `modules` first, then beside it. Raises `DslError`
    with all that is wrong; runs nothing."""
    file = path_of("path", path)
    return check_program(read_source(file), file.resolve().parent, _named(modules))


def _named(modules: Mapping[str, str | Source]) -> Modules:
    help = 'write `{"layers": "def f(x: f32) -> f32 = x"}`'
    if not isinstance(modules, Mapping) or not all(isinstance(name, str) for name in modules):
        raise setting_error(f"`modules` are texts by name, not {value_in_words(modules)}", help)
    return tuple([(name, _source(name, text)) for name, text in sorted(modules.items())])


def _source(name: str, text: str | Source) -> Source:
    if isinstance(text, Source):
        return text
    return embedded_source(f"<{name}>", instance_of(f"modules[{name!r}]", text, str))


def begin_check(source: Source, directory: Path | None, modules: Modules = ()) -> Check:
    """Return the check of a text, which is done as far as it is asked."""
    return Check(source, directory, _checks, dict(modules))


def check_program(source: Source, directory: Path | None, modules: Modules = ()) -> Program:
    """Return the program of a text. Raises `DslError` with all that is wrong."""
    return checked_program(begin_check(source, directory, modules), source, directory, modules)


def checked_program(check: Check, source: Source, directory: Path | None, modules: Modules = ()) -> Program:
    """Return the program of a text from its check. Raises `DslError` with all that is wrong."""
    errors = [d for d in check.diagnostics if d.severity is Severity.ERROR]
    if errors or check.program is None:
        raise error_for(check.diagnostics)
    again = (_restored, (source, directory, modules, digest(check.program)))
    return Program(CheckedProgram(check.program, check.diagnostics, check.application, again, check))


def extended(program: CheckedProgram, text: str) -> Program:
    """Return the program with more definitions at the end of its text. Raises `DslError` with all that is wrong."""
    return rewritten(program, f"{text_of(program)}\n\n{text}\n")


def text_of(program: CheckedProgram) -> str:
    """Return the text that a program was checked from."""
    source: Source = program.again[1][0]
    return source.text


def rewritten(program: CheckedProgram, text: str) -> Program:
    """Return the program of another text in its place. Raises `DslError` with all that is wrong."""
    source, directory, modules, _ = program.again[1]
    return check_program(replace(source, text=text), directory, modules)


def digest(program: core.Program) -> str:
    """Return the digest of the sources of a program and of its imports, without the library."""
    sources = sorted([m.source.text for m in program.modules.values() if not m.source.in_library])
    return sha256("\0".join(sources).encode("utf-8")).hexdigest()


@lru_cache(maxsize=64)
def _restored(source: Source, directory: Path | None, modules: Modules, known: str) -> CheckedProgram:
    """A program that was pickled: checked again, from the same texts. Raises ValueError where a module that it
    imports is another one by now."""
    found = check_program(source, directory, modules)._checked
    if digest(found.core) != known:
        raise ValueError(f"a module that {source.name} imports has changed since it was pickled")
    return found


@cache
def _checks() -> CheckCache:
    """The modules that programs of this process were made of: those that stay the same are not checked again."""
    return typechecker.CheckCache()
