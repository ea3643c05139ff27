"""Cases of library functions: a definition in the language beside what something else gives for the same arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np

import dsl
import stdlib
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.parse import parse

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """`text` without `def NAME`; the arguments; what is expected of them."""

    name: str
    text: str
    args: tuple[Any, ...]
    expected: Callable[..., Any]
    tolerance: float = 3e-5
    evaluated: bool = True
    """Through the reference evaluator, too, which runs the steps of nested loops in Python."""


def written(cases: Sequence[Case]) -> str:
    return "\n".join(f"def case_{c.name}{c.text}" for c in cases)


def leaves(value: Any) -> list[Array]:
    if isinstance(value, dict):
        return [leaf for name in sorted(value) for leaf in leaves(value[name])]
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value)]


def as_one_program(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function of JAX compiled at once, not operation by operation; as it is where JAX cannot follow it."""

    def called(*args: Any) -> Any:
        if not args:
            return f()
        try:
            return jax.jit(lambda *args: f(*args))(*args)
        except (TypeError, jax.errors.JAXIndexError):
            return f(*args)

    return called


def compare(program: dsl.Program, case: Case, *, compiled: bool = True, by_jax: bool = False) -> None:
    """Shape, dtype and value, through the reference evaluator and, unless it need not be `compiled`, through XLA. What
    is expected is computed as one program if it is so `by_jax`."""
    function = getattr(program, f"case_{case.name}")
    wanted = leaves((as_one_program(case.expected) if by_jax else case.expected)(*case.args))
    runs = ((function,) if compiled else ()) + ((function.interpret,) if case.evaluated else ())
    for found in (leaves(run(*case.args)) for run in runs):
        assert len(found) == len(wanted)
        for got, want in zip(found, wanted, strict=True):
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            np.testing.assert_allclose(got, want, rtol=case.tolerance, atol=case.tolerance)


def source(module: str) -> Source:
    return Source(f"<stdlib>/{module}.dsl", Path(stdlib.FOLDER, f"{module}.dsl").read_text(encoding="utf-8"))


@cache
def tree(module: str) -> ast.Module:
    """A module as it is parsed: it has no errors."""
    found, problems = parse(source(module))
    assert not problems
    return found


def public(module: str, *, run: bool = False) -> list[str]:
    """The names of the definitions that a program can use, or of those alone that it can `run`."""
    defs = [d for d in tree(module).declarations if isinstance(d, ast.Def) and not (run and d.static)]
    return list(dict.fromkeys(d.name.name for d in defs if not d.name.name.startswith("_")))


def unmentioned(module: str, text: str) -> list[str]:
    """The definitions of a module that a text does not use."""
    prefix = "" if module == "prelude" else rf"{module}\."
    return [name for name in public(module, run=True) if not re.search(rf"(?<![\w.]){prefix}{name}\(", text)]
