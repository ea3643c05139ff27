"""What becomes of a mutant: refused, or accepted and then run beside the original.

A mutant that is accepted must be a right program: staged, verified, and evaluated on made-up arguments it gives
exactly the types and shapes it declares. Where it also gives the original's values on the original's arguments, it
is the same program as far as was seen.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

import dsl
from dsl.diagnostics.message import Severity
from dsl.diagnostics.source import Source
from dsl.host.checking.checked_program import CheckedProgram
from dsl.ir.verify import verify
from dsl.transforms.pipeline import LOWERING, run
from dsl.witnesses import check_source
from tests.e2e.test_run_corpus import Outcome, conforms, outcome
from tests.mutation.mutants import Mutant
from tests.support.instances import Instance, NoInstance, callable_from_python, instances
from tests.support.known_library import known_library
from tests.typechecker.fuzz import TooLong, limited

PATIENCE = 5.0  # seconds for all calls of a mutant; a loop may well have become endless


class Verdict(Enum):
    """`LATER`: refused when it is called, before anything runs (a condition on sizes, ranks or dtypes that only the
    call decides). `BROKEN` is the one that must not occur."""

    REFUSED = "refused"
    SAME = "same values"
    OTHER = "other values"
    LATER = "at the call"
    NOT_RUN = "not run"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Judged:
    mutant: Mutant
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True)
class Original:
    """A right program."""

    name: str
    text: str
    program: dsl.Program

    @cached_property
    def calls(self) -> tuple[tuple[str, Instance, Outcome], ...]:
        """Its functions with calls and what these give."""
        return tuple(_calls(self.program))


def original(name: str, text: str) -> Original:
    program, _ = checked(text)
    assert program is not None, f"{name} is not accepted"
    return Original(name, text, program)


def checked(text: str) -> tuple[dsl.Program | None, str]:
    """The program, or the codes for which it is refused."""
    result = check_source(Source("main.dsl", text), cache=known_library())
    codes = [d.code for d in result.diagnostics if d.severity is Severity.ERROR]
    return (None if codes or result.program is None else dsl.Program(CheckedProgram(result.program))), " ".join(codes)


def _calls(program: dsl.Program) -> Iterator[tuple[str, Instance, Outcome]]:
    for name, function in dsl.functions(program).items():
        if function.definition.static or not callable_from_python(function.definition):
            continue
        for instance in _instances(function, zlib.crc32(name.encode())):
            yield name, instance, outcome(function.interpret, instance)


def _instances(function: dsl.Function, seed: int) -> list[Instance]:
    try:
        return list(instances(function, seed))
    except NoInstance:
        return []


def judge(before: Original, mutant: Mutant) -> Judged:
    try:
        program, codes = checked(mutant.text)
    except Exception as error:
        return Judged(mutant, Verdict.BROKEN, f"the checker raised {type(error).__name__}: {error}")
    if program is None:
        return Judged(mutant, Verdict.REFUSED, codes)
    calls = before.calls
    try:
        with limited(PATIENCE):
            ran = sum(_runs(function) for function in _functions(program))
            same = ran > 0 and _same(calls, program)
    except TooLong:
        return Judged(mutant, Verdict.NOT_RUN, f"runs longer than {PATIENCE} s")
    except dsl.DslError as error:
        return Judged(mutant, Verdict.LATER, str(error).partition("\n")[0])
    except Exception as error:
        return Judged(mutant, Verdict.BROKEN, f"{type(error).__name__}: {error}")
    if ran == 0:
        return Judged(mutant, Verdict.NOT_RUN)
    return Judged(mutant, Verdict.SAME if same else Verdict.OTHER)


def _functions(program: dsl.Program) -> Iterator[dsl.Function]:
    for function in dsl.functions(program).values():
        if not function.definition.static and callable_from_python(function.definition):
            yield function


def _runs(function: dsl.Function) -> int:
    """Runs a function on arguments made up for it; how often. Raises where it is not what its type says."""
    found = _instances(function, 1)
    for instance in found:
        staged, _, _ = function.staged((), instance.kwargs)
        verify(run(staged.function, LOWERING))
        result = outcome(function.interpret, instance)
        if result.failed is None:
            conforms(result.value, instance.expected, "result")
    return len(found)


def _same(calls: tuple[tuple[str, Instance, Outcome], ...], program: dsl.Program) -> bool:
    """Whether it gives the original's values for the original's arguments."""
    try:
        return all(
            _equal(outcome(dsl.functions(program)[name].interpret, instance), expected)
            for name, instance, expected in calls
        )
    except (dsl.DslError, KeyError):
        return False


def _equal(a: Outcome, b: Outcome) -> bool:
    return (a.failed is None, a.printed) == (b.failed is None, b.printed) and _alike(a.value, b.value)


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_alike(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    return type(a) is type(b) and bool(a == b)
