"""`dsl test`: examples in `##` comments, and definitions whose names begin with `test_`.

An example is an expression behind `>>>` and, on the lines below, an expression of what it gives. A `test_` definition
is called with arguments of a few sizes, drawn from a seed: it holds for all of them that its conditions allow. Those
that it does not hold for are made simpler before they are shown. Read next: `properties`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.diagnostics.diagnostic import ArgumentError, DslError
from dsl.diagnostics.files import read_source
from dsl.host import tree
from dsl.host.functions.function import Function
from dsl.host.programs.program import doc, functions, load
from dsl.interactive.properties import Case, drawn, shrunk
from dsl.interactive.session import Session
from dsl.tools.named_programs import programs
from dsl.tools.running import wait_for

TESTS = "test_"
DRAWS = 8
"""So many arguments a property is tried with."""
_EXAMPLE = re.compile(r"^>>> (.+)\n((?:(?!>>>|\s*$).+\n?)*)", re.MULTILINE)


class Outcome(Struct, frozen=True):
    """A test by name; what is wrong, if anything is."""

    name: str
    wrong: str = ""


def run_tests(path: Path, seed: int = 0) -> Iterator[Outcome]:
    """All tests of a file; the first arguments of a property come from `seed`. Raises `DslError` if it has errors."""
    program, session = load(path), Session(path.resolve().parent)
    session.load(read_source(path).text)
    said = [(path.name, doc(program)), *((name, function.doc) for name, function in functions(program).items())]
    for name, text in said:
        for number, (entered, expected) in enumerate(_EXAMPLE.findall(f"{text or ''}\n"), 1):
            yield Outcome(f"{name}, example {number}", _checked_example(session, entered, expected.strip()))
    for name, function in functions(program).items():
        if name.startswith(TESTS):
            yield Outcome(name, _checked_property(function, path, seed))


def _checked_example(session: Session, entered: str, expected: str) -> str:
    try:
        found, wanted = session.enter(entered), session.enter(expected) if expected else None
    except DslError as error:
        return str(error)
    if found is None or wanted is None or _same(found.value, wanted.value):
        return ""
    return f"{entered} gives {found.value}, not {expected}"


def _same(found: Any, wanted: Any) -> bool:
    """Return whether two values have the same arrays, to within the rounding of their dtype."""
    ours, theirs = tree.leaves(found), tree.leaves(wanted)
    return len(ours) == len(theirs) and all(map(_close, ours, theirs))


def _close(found: Any, wanted: Any) -> bool:
    a, b = np.asarray(found), np.asarray(wanted)
    if a.dtype.kind not in "fc":
        return bool(a.shape == b.shape and np.array_equal(a, b))
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)


def _checked_property(function: Function, path: Path, first: int) -> str:
    """Describe the first arguments for which a property fails, shrunk as far as possible; disallowed arguments are
    skipped."""
    tried = 0
    for seed in range(first, first + DRAWS):
        case = drawn(function.signature, seed)
        try:
            error = _failure(function, case)
        except ArgumentError:
            continue
        if error is not None:
            simple = shrunk(case, partial(_fails_like, error, function))
            again = f"dsl test --seed {seed} {path}"
            return f"{_failure(function, simple) or error}\nwith {_shown(_given(function, simple))}\nfound by `{again}`"
        tried += 1
    return "" if tried else "no arguments were found that its conditions allow"


def _failure(function: Function, case: Case) -> DslError | None:
    """The error of a property with some arguments, if there is one. Raises `ArgumentError` if it allows none such."""
    try:
        wait_for(function(**_given(function, case)))
    except ArgumentError:
        raise
    except DslError as error:
        return error
    return None


def _fails_like(error: DslError, function: Function, case: Case) -> bool:
    """Return whether a case fails with the same code at the same place."""
    try:
        found = _failure(function, case)
    except ArgumentError:
        return False
    return found is not None and _identity(found) == _identity(error)


def _identity(error: DslError) -> tuple[str, int]:
    first = error.diagnostics[0]
    return first.code, first.primary.span.start


def _given(function: Function, case: Case) -> dict[str, Any]:
    return {**case.arguments(), **({"key": case.seed} if function.draws else {})}


def _shown(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_written(value)}" for name, value in given.items()) or "no arguments"


def _written(value: Any) -> str:
    """A value as the language writes it."""
    match value:
        case dict():
            return f"{{{', '.join(f'{name} = {_written(part)}' for name, part in value.items())}}}"
        case tuple():
            return f"({', '.join(map(_written, value))})"
        case _:
            return str(np.asarray(value).tolist())


def test_files(paths: Sequence[Path], seed: int) -> int:
    """Run the tests of programs and say what is wrong; 0 where nothing is. Raises `DslError` at one with errors."""
    outcomes = [outcome for path in programs(paths) for outcome in run_tests(path, seed)]
    wrong = [outcome for outcome in outcomes if outcome.wrong]
    for outcome in wrong:
        print(f"{outcome.name} failed\n{outcome.wrong}\n")
    print(f"{len(outcomes)} tests, {len(wrong)} failed" if wrong else f"{len(outcomes)} tests passed")
    return int(bool(wrong))
