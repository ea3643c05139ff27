"""Lowered programs kept on disk: what another process has made of a definition for a kind of arguments is compiled
without staging or lowering it again, and neither is loaded.

What is kept is text and data, found by the checked program, the function and the arguments. Programs that call Python,
that map an axis over devices or are tailored, or that take or give functions are made anew. Read next: `known_checks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.core.core import Expr
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.placement import Where, common
from dsl.host.calls.cached_call import Entry
from dsl.host.checking.checked_program import CheckedProgram
from dsl.host.checking.function_terms import Unnamed, term_of
from dsl.host.results.containers import rebuilding
from dsl.host.results.variants import Variant
from dsl.ir.function import Tensor
from dsl.staging.values import Argument, FunctionValue, Hidden, Site, Value, is_data
from lowering.lowered import CompileHints, Lowered
from lowering.xla.compile import CompilationFailed, compile


class Kept(Struct, frozen=True):
    """The cached part of a program: `output` and `sites` are those of `Entry`, the rest those of `Lowered`."""

    output: Value
    sites: tuple[Site, ...] | None
    name: str
    text: str
    param_types: tuple[Tensor, ...]
    result_types: tuple[Tensor, ...]
    hints: CompileHints
    platform: str

    @property
    def lowered(self) -> Lowered:
        types = self.param_types, self.result_types
        return Lowered(self.name, self.text, *types, hints=self.hints, platform=self.platform)


Question: TypeAlias = tuple[Expr, tuple[Argument, ...], Hidden, str]
"""A function, its arguments, and the platform they are on."""


def recalled(
    program: CheckedProgram, value: FunctionValue, binding: Binding, places: Where, values: Mapping[str, Any]
) -> tuple[Question | None, Entry | None]:
    """The question for a function with a kind of arguments, None where these are not data on one device or nothing is
    kept, and the program that was kept as its answer, None where there is none, or XLA no longer takes it."""
    if program.memory is None:
        return None, None
    question: Question | None = None
    with suppress(Unnamed):
        if all(map(is_data, binding.args)) and all(len(devices) == 1 for devices in places[0]):
            question = term_of(value), binding.args, binding.hidden, next(iter(places[0]))[0].platform
    row = None if question is None else program.memory.recalled(*question)
    if row is None:
        return question, None
    with suppress(TypeError, CompilationFailed):
        kept = Kept(*row)
        rebuild = rebuilding(kept.output, binding.containers, Variant)
        executable = compile(kept.lowered, devices=common(places, values))
        return question, Entry(binding, kept.output, kept.sites, executable, rebuild, binding.plain, None)
    return question, None


def keep(program: CheckedProgram, question: Question | None, entry: Entry) -> None:
    """Keeps a program for other processes, if what is kept of it is all there is."""
    lowered = entry.executable.lowered
    if question is None or program.memory is None or entry.chosen is not None:
        return
    if is_data(entry.output):
        sites = None if entry.sites is None else tuple(entry.sites)
        types = lowered.param_types, lowered.result_types
        row = (entry.output, sites, lowered.name, lowered.text, *types, lowered.hints, lowered.platform)
        if Kept(*row).lowered == lowered:
            program.memory.keep(row, *question)
