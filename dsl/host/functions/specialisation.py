"""Compile definitions to programs: staging, passes, lowering; and the reference evaluator.

It takes long to load: a compiler does so when a program of its own is to be made. Read next: `function`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.host.argument_errors import unhandled_effect
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.placement import Devices, Where
from dsl.host.calls.cached_call import Entry
from dsl.host.calls.call_binder import Callee
from dsl.host.compiling.compile_errors import Progress, compiling
from dsl.host.compiling.compile_log import log_compilation
from dsl.host.results.containers import Rebuild, rebuilding
from dsl.host.results.failures import raise_failure
from dsl.host.results.variants import Variant
from dsl.interp import evaluate
from dsl.ir import drawing, text
from dsl.ir import function as ir
from dsl.staging.env.environment import Frame, Variables
from dsl.staging.env.stager import Session, Stager
from dsl.staging.stage import Staged, stage
from dsl.staging.values import FunctionValue, Value, definition_of, functions_of, slot_names
from dsl.transforms.pipeline import ABSORB, EXPAND, TIDY, run
from dsl.types.effect import RAND, Axis, Effect, EffectVar, kind_of
from lowering.lowered import Lowered
from lowering.xla.compile import compile

if TYPE_CHECKING:
    from dsl.host.functions.compiler import Compiler


def staged(compiler: Compiler, value: FunctionValue, binding: Binding, marked: bool = False) -> Staged:
    """The IR of a function, or of a transformation of it, for a kind of arguments; `marked` for a debugger."""
    callee = compiler.callee
    _require_handled(callee, binding)
    session = compiler.program.marked_session if marked else compiler.program.session
    with compiling(callee.name, Progress()):
        return stage(
            session, value, binding.args, callee.definition.span, callee.draws, binding.hidden, binding.applied
        )


class Marked(Struct, frozen=True):
    """A call of a function whose IR has marks of the text; `value_of` makes of its results what Python sees, and raises
    the check that failed."""

    function: ir.Function
    arrays: Sequence[np.ndarray[Any, Any]]
    value_of: Callable[[Sequence[np.ndarray[Any, Any]]], Any]


def marked(compiler: Compiler, binding: Binding, leaves: Sequence[Any]) -> Marked:
    """A call, ready to be evaluated line by line."""
    made = staged(compiler, compiler.callee.value, binding, marked=True)
    rebuild = rebuilding(made.output, binding.containers, Variant)

    def value_of(results: Sequence[np.ndarray[Any, Any]]) -> Any:
        if made.checks:
            raise_failure(int(results[-1]), made.sites)
        return rebuild(results[: len(results) - made.checks])

    return Marked(run(made.function, (EXPAND, ABSORB)), [np.asarray(x) for x in binding.inputs(leaves)], value_of)


def _require_handled(callee: Callee, binding: Binding) -> None:
    """Require that every effect of the function and of the functions passed to it is handled by it or by Python."""
    applied = binding.applied
    performed = callee.signature.effects if applied is None else applied.effects
    unhandled = [effect for effect in performed.effects if not _is_handled(effect, callee)]
    if unhandled:
        effect = min(unhandled, key=str)
        raise unhandled_effect(_performing(effect, callee, binding), effect)


def _performing(effect: Effect, callee: Callee, binding: Binding) -> core.Function:
    """The definition that performs an effect: that of the call, or one that is given to it."""
    given = [definition_of(each) for argument in binding.args for each in functions_of(argument)]
    candidates = [callee.definition, *[each.definition for each in given if each is not None]]
    found = [each for each in candidates if effect in each.signature.effects.effects]
    return found[0] if found else callee.definition


def _is_handled(effect: Effect, callee: Callee) -> bool:
    """Return whether a call from Python may perform it. What a variable stands for is known where a function is
    given."""
    match effect:
        case EffectVar():
            return True
        case Axis(name):
            return any(name in each.names for each in callee.maps)
        case _:
            return _handled_by_python(effect) and (callee.draws or effect != RAND)


def _handled_by_python(effect: Effect) -> bool:
    kind = kind_of(effect)
    return kind is not None and kind.in_python


def compiled(compiler: Compiler, made: Staged, binding: Binding, places: Where, values: Mapping[str, Any]) -> Entry:
    """The program of a function that is staged."""
    way, name, progress = compiler.way, compiler.callee.name, Progress()
    devices = way.devices(made, binding, places, values)
    rebuild = rebuilding(made.output, binding.containers, Variant)
    with compiling(name, progress), log_compilation(name):
        lowered = way.lowered(made, binding, progress, devices)
        executable = compile(lowered, devices=devices, effort=way.effort)
    chosen = places[1] if way.is_placed(made) else None
    sites = made.sites if made.checks else None
    return Entry(binding, made.output, sites, executable, rebuild, binding.plain, chosen)


def lowered_for(compiler: Compiler, made: Staged, binding: Binding, places: Where) -> tuple[Lowered, Devices]:
    """The StableHLO of a staged function, and the devices it is for."""
    progress = Progress()
    devices = compiler.way.devices(made, binding, places, {})
    with compiling(compiler.callee.name, progress):
        return compiler.way.lowered(made, binding, progress, devices), devices


def write_ir(compiler: Compiler, made: Staged, binding: Binding, form: Literal["text", "svg"]) -> str:
    """The IR of a staged function, tidied, as text or as a picture whose inputs have the names of the parameters."""
    with compiling(compiler.callee.name, Progress()):
        tidied = run(made.function, TIDY)
    return text.show(tidied) if form == "text" else drawing.draw(tidied, _names_of_inputs(compiler.callee, binding))


def _names_of_inputs(callee: Callee, binding: Binding) -> list[str]:
    pairs = zip(callee.signature.params, binding.args, strict=True)
    named = [name for parameter, argument in pairs for name in slot_names(parameter.name, argument)]
    return [*named, "key"] if callee.draws else named


def interpreted(made: Staged, arrays: Sequence[np.ndarray[Any, Any]], rebuild: Rebuild) -> Any:
    """The result of a staged function by the reference evaluator."""
    results = list(evaluate(run(made.function, (*TIDY, EXPAND, ABSORB)), arrays))
    if made.checks:
        raise_failure(int(results.pop()), made.sites)
    return rebuild(results)


def default(session: Session, node: core.Expr, variables: Variables, given: Mapping[int, Value]) -> Value:
    """Return the default of a static parameter that the call omits, given the values of the others."""
    return Stager(session).eval(node, Frame(variables, dict(given)))
