"""`dsl test`: examples in `##` comments, and definitions whose names begin with `test_`.

An example is an expression behind `>>>` and, on the lines below, an expression of what it gives. A `test_` definition
is called with arguments of a few sizes, drawn from a seed: it holds for all of them that its conditions allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import ArgumentError, DslError
from dsl.diagnostics.files import read_source
from dsl.host import tree
from dsl.host.functions.function import Function
from dsl.host.programs.program import doc, functions, load
from dsl.interactive.session import Session
from dsl.tools.named_programs import programs
from dsl.tools.running import wait_for
from dsl.tools.specimens import specimens
from dsl.types.type import KeyType

TESTS = "test_"
DRAWS = 8
"""So many arguments a property is tried with."""
_EXAMPLE = re.compile(r"^>>> (.+)\n((?:(?!>>>|\s*$).+\n?)*)", re.MULTILINE)


class Outcome(Struct, frozen=True):
    """A test by name; what is wrong, if anything is."""

    name: str
    wrong: str = ""


def run_tests(path: Path) -> Iterator[Outcome]:
    """All tests of a file. Raises `DslError` where it has errors."""
    program, session = load(path), Session(path.resolve().parent)
    session.load(read_source(path).text)
    said = [(path.name, doc(program)), *((name, function.doc) for name, function in functions(program).items())]
    for name, text in said:
        for number, (entered, expected) in enumerate(_EXAMPLE.findall(f"{text or ''}\n"), 1):
            yield Outcome(f"{name}, example {number}", _checked_example(session, entered, expected.strip()))
    for name, function in functions(program).items():
        if name.startswith(TESTS):
            yield Outcome(name, _checked_property(function))


def _checked_example(session: Session, entered: str, expected: str) -> str:
    try:
        found, wanted = session.enter(entered), session.enter(expected) if expected else None
    except DslError as error:
        return str(error)
    if found is None or wanted is None or _same(found.value, wanted.value):
        return ""
    return f"{entered} gives {found.value}, not {expected}"


def _same(found: Any, wanted: Any) -> bool:
    """Whether two values have the same arrays, to within the rounding of their dtype."""
    ours, theirs = tree.leaves(found), tree.leaves(wanted)
    return len(ours) == len(theirs) and all(map(_close, ours, theirs))


def _close(found: Any, wanted: Any) -> bool:
    a, b = np.asarray(found), np.asarray(wanted)
    if a.dtype.kind not in "fc":
        return bool(a.shape == b.shape and np.array_equal(a, b))
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)


def _checked_property(function: Function) -> str:
    """What is wrong with the first arguments for which a property does not hold; those it does not allow are passed."""
    tried = 0
    for seed in range(DRAWS):
        given = _drawn(function.signature, seed)
        try:
            wait_for(function(**given, **({"key": seed} if function.draws else {})))
        except ArgumentError:
            continue
        except DslError as error:
            return f"{error}\nwith {_shown(given)}"
        tried += 1
    return "" if tried else "no arguments were found that its conditions allow"


def _drawn(signature: core.Signature, seed: int) -> dict[str, Any]:
    """Arguments of sizes from 1 to 4: small numbers, and no others for a static integer."""
    random = np.random.default_rng(seed)
    sizes = {size.name: str(random.integers(1, 5)) for size in signature.sizes}
    statics = {p.name: int(random.integers(1, 5)) for p in signature.params if p.size is not None and p.default is None}
    traced = specimens(signature, sizes, {name: str(value) for name, value in statics.items()}, np.zeros)
    keys = {p.name: seed for p in signature.params if isinstance(p.type, KeyType)}
    return {
        **statics,
        **keys,
        **{name: tree.map(lambda leaf: _filled(random, leaf), of) for name, of in traced.items()},
    }


def _filled(random: np.random.Generator, leaf: np.ndarray) -> np.ndarray:
    drawn = random.normal(size=leaf.shape) if leaf.dtype.kind in "fc" else random.integers(0, 2, leaf.shape)
    return np.asarray(drawn).astype(leaf.dtype)


def _shown(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {np.asarray(value).tolist()}" for name, value in given.items()) or "no arguments"


def test_files(paths: Sequence[Path]) -> int:
    """Run the tests of programs and say what is wrong; 0 where nothing is. Raises `DslError` at one with errors."""
    outcomes = [outcome for path in programs(paths) for outcome in run_tests(path)]
    wrong = [outcome for outcome in outcomes if outcome.wrong]
    for outcome in wrong:
        print(f"{outcome.name} failed\n{outcome.wrong}\n")
    print(f"{len(outcomes)} tests, {len(wrong)} failed" if wrong else f"{len(outcomes)} tests passed")
    return int(bool(wrong))
