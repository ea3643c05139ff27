"""Marks change nothing: a program that is debugged gives, prints and refuses what it does otherwise."""

from __future__ import annotations

import zlib

import pytest

import dsl
from dsl.interactive.debugger import view
from dsl.interactive.debugger.frames import Happening, Owners
from dsl.interactive.debugger.recording import Recording
from tests.e2e.random_programs import random_program
from tests.e2e.test_run_corpus import CASES, Outcome, agree, calls, load, outcome
from tests.support.instances import Instance
from tests.typechecker.test_corpus import Case

EVERY = 29
"""One of so many programs of the corpus is debugged."""


def debugged(function: dsl.Function, instance: Instance) -> Outcome:
    """The outcome of a call that is gone through line by line; what can be shown is drawn."""
    call = function.marked(**instance.kwargs)
    run = Recording(call.function, call.arrays, Owners(function.program.core), function.definition.span)
    printed, number = "", 0
    while (stop := run.stop(number)) is not None:
        assert view.place(stop) and view.code(stop)
        assert len(view.names(stop.frame.names).splitlines()) == sum(map(len, stop.frame.names.values()))
        assert len(list(view.calls(stop.frame))) == stop.frame.depth
        printed += "".join(f"{event.text}\n" for event in stop.events if event.what is Happening.PRINTED)
        number += 1
    assert run.results is not None and number > 0
    try:
        return Outcome(call.value_of(run.results), None, printed)
    except dsl.CheckError as error:
        return Outcome(None, str(error), printed)


def compare(program: dsl.Program, seed: int) -> None:
    for function, instance, _ in calls(program, seed):
        try:
            reference = outcome(function.interpret, instance)
        except (dsl.ShapeError, dsl.TransformError):  # an axis that the arguments do not have
            continue
        found = debugged(function, instance)
        assert (found.failed, found.printed) == (reference.failed, reference.printed)
        if reference.failed is None:
            agree(found.value, reference.value, "result")


@pytest.mark.parametrize("case", CASES[::EVERY], ids=lambda case: case.name)
def test_programs_of_the_corpus(case: Case) -> None:
    compare(load(case), zlib.crc32(case.name.encode()))


@pytest.mark.parametrize("seed", range(4))
def test_random_programs(seed: int) -> None:
    compare(dsl.program(random_program(seed).text), seed)
