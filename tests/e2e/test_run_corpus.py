"""Every accepted program of the checker's corpus and of the pages of the language runs: what checks never fails later.

For each public function sizes, static values and arguments are made up from the signature (`instances`).
The function is staged, its IR is verified, and the reference evaluator and XLA must give the same values, of
exactly the declared types and shapes, print the same and fail the same check. As a script
(`python -m tests.e2e.test_run_corpus [filter]`) this prints what fails.
"""

from __future__ import annotations

import io
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.diagnostics.message import Severity
from dsl.host.checking.checked_program import CheckedProgram
from dsl.ir.verify import verify
from dsl.transforms.pipeline import LOWERING, TIDY, run
from dsl.types.type import StaticType
from tests.support.instances import Instance, Leaf, NoInstance, callable_from_python, instances, is_any
from tests.typechecker.test_corpus import CORPUS, Case
from tests.typechecker.test_language_pages import BLOCKS

TOLERANCE = {"bf16": 3e-2, "f16": 4e-3, "f32": 2e-4, "c64": 2e-4, "f64": 1e-8, "c128": 1e-8}
# Iterates beyond convergence, where 0 / 0 depends on rounding; steps of Adam, which divide by gradients near zero.
UNSTABLE = frozenset({"solve_dense", "by_density"})


class NotAccepted(Exception):
    """The checker refuses a program that it is to accept."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave: a value or a failed check, and what it printed."""

    value: Any
    failed: str | None
    printed: str


def load(case: Case) -> dsl.Program:
    result = case.check()
    errors = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    if errors or result.program is None:
        raise NotAccepted(f"the checker refuses {case.name}: {errors}")
    return dsl.Program(CheckedProgram(result.program))


def runnable(program: dsl.Program) -> list[dsl.Function]:
    """The public functions that are run, and that Python can call."""
    found = dsl.functions(program).values()
    return [f for f in found if not f.definition.static and callable_from_python(f.definition)]


def calls(program: dsl.Program, seed: int) -> Iterator[tuple[dsl.Function, Instance, bool]]:
    """The calls to make; whether XLA is to make them too."""
    for function in runnable(program):
        for number, instance in enumerate(instances(function, seed + zlib.crc32(function.__name__.encode()))):
            yield function, instance, number == 0


def check_call(function: dsl.Function, instance: Instance, compiled: bool) -> None:
    try:
        staged, _, _ = function.staged((), instance.kwargs)
    except (dsl.ShapeError, dsl.TransformError) as error:
        # A rank and an axis may meet first where the function is specialised, and so may a policy that is a parameter.
        assert error.code in ("E0403", "E0812") and any(p.static for p in function.signature.params)
        return
    for passes in ((), TIDY, LOWERING):
        verify(run(staged.function, passes))
    reference = outcome(function.interpret, instance)
    if reference.failed is None:
        conforms(reference.value, instance.expected, "result")
    if compiled:
        result = outcome(function, instance)
        assert (result.failed, result.printed) == (reference.failed, reference.printed)
        if function.__name__ not in UNSTABLE:
            agree(result.value, reference.value, "result")


def outcome(function: Any, instance: Instance) -> Outcome:
    printed = io.StringIO()
    with redirect_stdout(printed):
        try:
            value, failed = _read(function(**instance.kwargs)), None
        except dsl.CheckError as error:
            value, failed = None, str(error)
    return Outcome(value, failed, printed.getvalue())


def _read(value: Any) -> Any:
    """Waits for every array, so that failed checks are raised and everything is printed."""
    if isinstance(value, tuple):
        return tuple([_read(part) for part in value])
    if isinstance(value, Mapping):
        return {name: _read(part) for name, part in value.items()}
    return np.asarray(value) if isinstance(value, dsl.Array | np.ndarray | np.generic) else value


def conforms(value: Any, expected: Any, path: str) -> None:
    """The value has exactly the declared structure, dtypes and shapes."""
    match expected:
        case Leaf(dtype, shape, bound):
            sizes = [n if is_any(n) else m for m, n in zip(np.shape(value), shape, strict=False)]
            actual = (np.asarray(value).dtype, (*sizes, *np.shape(value)[len(sizes) :]))
            assert actual == (dtype.numpy, shape), f"{path} is {actual}, declared {dtype}{list(shape)}"
            if bound is not None and not is_any(bound) and np.size(value):
                assert np.min(value) >= 0 and np.max(value) < bound, f"{path} is no index below {bound}"
        case tuple():
            assert isinstance(value, tuple) and len(value) == len(expected), f"{path} is {value!r}"
            for k, (part, wanted) in enumerate(zip(value, expected, strict=True)):
                conforms(part, wanted, f"{path}.{k}")
        case dict():
            assert value.keys() == expected.keys(), f"{path} has the fields {sorted(value)}"
            for name, wanted in expected.items():
                conforms(value[name], wanted, f"{path}.{name}")
        case StaticType("int" | "size"):
            assert isinstance(value, int), f"{path} is {value!r}"
        case _:
            assert not isinstance(value, np.ndarray), f"{path} is {value!r}, declared {expected}"


def agree(value: Any, reference: Any, path: str) -> None:
    if isinstance(reference, tuple):
        for k, (part, other) in enumerate(zip(value, reference, strict=True)):
            agree(part, other, f"{path}.{k}")
    elif isinstance(reference, dict):
        for name, other in reference.items():
            agree(value[name], other, f"{path}.{name}")
    elif isinstance(reference, np.ndarray):
        assert (value.dtype, value.shape) == (reference.dtype, reference.shape), path
        _close(value, reference, path)


def _close(value: np.ndarray[Any, Any], reference: np.ndarray[Any, Any], path: str) -> None:
    name = "bf16" if value.dtype.name == "bfloat16" else {"float16": "f16"}.get(value.dtype.name, "")
    name = name or value.dtype.kind + str(value.dtype.itemsize * 8)
    tolerance = TOLERANCE.get(name, 0.0)
    if name in ("bf16", "f16"):
        value, reference = value.astype(np.float32), reference.astype(np.float32)
    np.testing.assert_allclose(value, reference, tolerance, tolerance / 10, err_msg=path)


PAGES = tuple(
    Case(f"docs/{block.name}", Path(block.name), 0, {"": block.text}, ())
    for block in BLOCKS
    if not block.refused and not block.later
)
CASES = (*(case for case in CORPUS if case.file.parent.name == "accept"), *PAGES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_program_runs(case: Case) -> None:
    program = load(case)
    made = list(calls(program, zlib.crc32(case.name.encode())))
    assert {function.__name__ for function, _, _ in made} == {function.__name__ for function in runnable(program)}
    for function, instance, compiled in made:
        check_call(function, instance, compiled)


def _report(pattern: str) -> int:
    began, counts, failures = time.perf_counter(), Counter[str](), 0
    for case in CASES:
        if pattern not in case.name:
            continue
        try:
            for function, instance, compiled in calls(load(case), zlib.crc32(case.name.encode())):
                counts["calls"] += 1
                counts["compiled"] += compiled
                try:
                    check_call(function, instance, compiled)
                except Exception as error:
                    failures += 1
                    words = str(error).strip().splitlines() or [""]
                    print(
                        f"{case.name}  {function.__name__}({instance})\n    {_where(error)}",
                        *words[:6],
                        sep="\n    ",
                    )
        except NoInstance as error:
            counts["no instance"] += 1
            print(f"{case.name}: no instance: {error}")
        except Exception as error:
            failures += 1
            print(f"{case.name}: {type(error).__name__} {error}")
    print(dict(counts), f"{failures} failures, {time.perf_counter() - began:.1f} s")
    return failures


def _where(error: BaseException) -> str:
    """The kind of a failure and its last places."""
    trace, places = error.__traceback__, []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return f"{type(error).__name__} at {' < '.join(reversed(places[-3:]))}"


if __name__ == "__main__":
    sys.exit(min(1, _report(sys.argv[1] if len(sys.argv) > 1 else "")))
