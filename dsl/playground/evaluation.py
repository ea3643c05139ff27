"""The value of an expression in a program, by the reference evaluator: IR over NumPy, without jaxlib.

The expression is the body of a function of the program. Read next: `answers`, `dsl.interp`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import error_for
from dsl.diagnostics.message import Severity
from dsl.diagnostics.source import Piece, Source
from dsl.host.argument_errors import unhandled_effect
from dsl.host.results.failures import raise_failure
from dsl.interp import evaluate
from dsl.ir import drawing, text
from dsl.ir.function import Function
from dsl.staging.stage import Staged, session, stage
from dsl.staging.values import DefValue, RecordValue, Slot, TupleValue, Value, VariantValue
from dsl.tools.results import show
from dsl.transforms.pipeline import ABSORB, EXPAND, TIDY
from dsl.transforms.pipeline import run as transform
from dsl.types.effect import RAND, kind_of
from dsl.witnesses import check_source
from typechecker import CheckCache

CALLED = "_entered"
"""The name of the function that an expression is the body of."""
_STEP = "    "


class Done(Struct, frozen=True):
    """The result of a run as text, what the program printed, and its IR as text and as a picture."""

    result: str
    printed: str
    ir: str
    picture: str


def run(program: str, expression: str, cache: CheckCache) -> Done:
    """Evaluate an expression in a program. Raises `DslError` with what is wrong in either, or in the run."""
    definition, checked = _checked(_joined(program, expression), cache)
    draws = RAND in definition.signature.effects.effects
    staged = stage(session(checked), DefValue(definition), (), definition.span, draws)
    tidied = transform(staged.function, TIDY)
    printed = StringIO()
    with redirect_stdout(printed), np.errstate(all="ignore"):
        results = evaluate(transform(staged.function, (*TIDY, EXPAND, ABSORB)), _inputs(tidied))
    if staged.checks:
        raise_failure(int(results[-1]), staged.sites)
    return Done(_shown(staged, results), printed.getvalue(), text.show(tidied), drawing.draw(tidied, ["key"] * draws))


def _joined(program: str, expression: str) -> Source:
    """The program and the function of the expression, whose places are those of what was entered."""
    own, entered = Source("<program>", program), Source("<expression>", expression)
    whole, pieces = f"{program}\n\n", [Piece(0, own, 0)]
    pieces.append(Piece(len(whole), entered, 0))
    whole += f"def {CALLED}() =\n"
    for row, start in enumerate(entered.line_starts):
        pieces.append(Piece(len(whole) + len(_STEP), entered, start))
        whole += f"{_STEP}{entered.line(row)}\n"
    return Source("<entered>", whole, pieces=tuple(pieces))


def _checked(source: Source, cache: CheckCache) -> tuple[core.Function, core.Program]:
    found = check_source(source, cache=cache)
    errors = [d for d in found.diagnostics if d.severity is Severity.ERROR]
    if errors or found.program is None:
        raise error_for(errors or found.diagnostics)
    definition = found.program.modules[found.program.main].functions[CALLED]
    for effect in sorted(definition.signature.effects.effects, key=str):
        kind = kind_of(effect)
        if kind is None or not kind.in_python:
            raise unhandled_effect(definition, effect)
    return definition, found.program


def _inputs(function: Function) -> list[np.ndarray[Any, Any]]:
    """The key of an expression that draws: the same in each run."""
    return [np.zeros(param.type.shape, param.type.dtype.numpy) for param in function.params]


def _shown(staged: Staged, results: Sequence[np.ndarray[Any, Any]]) -> str:
    """The result, a paragraph for each part: arrays with their types, static values as they are."""
    arrays = iter(results)
    return "\n".join([_part(name, leaf, arrays) for name, leaf in _leaves("", staged.output)])


def _part(name: str, leaf: Value, arrays: Iterator[np.ndarray[Any, Any]]) -> str:
    match leaf:
        case Slot():
            return show({name: next(arrays)} if name else next(arrays))
        case VariantValue(variant=shown) | shown:
            return f"{name} = {shown}" if name else str(shown)


def _leaves(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """The parts of a result by dotted name."""
    match value:
        case TupleValue(parts):
            fields = [(str(number), part) for number, part in enumerate(parts)]
        case RecordValue(named):
            fields = [*named]
        case _:
            yield name, value
            return
    for own, part in fields:
        yield from _leaves(f"{name}.{own}" if name else own, part)
