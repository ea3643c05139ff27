"""What the check of a program costs, counted in steps: it grows with the text and no faster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from dsl.core import core
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.types import counterexample, linear
from typechecker import check_source
from typechecker.calls import closures
from typechecker.env.context import Context
from typechecker.env.scope import BindingKind
from typechecker.env.values import Term
from typechecker.expressions.patterns import bind_pattern


def lambdas(count: int) -> str:
    """Lambdas, each of which calls the one before twice."""
    made = [f"    let g{i + 1} = fn v -> g{i}(g{i}(v))\n" for i in range(count)]
    return "def f(x: f32[n]) -> f32[n] =\n    let g0 = fn v -> v + 1.0\n" + "".join(made) + f"    g{count}(x)\n"


def arms(count: int) -> str:
    """A choice among as many values of a static integer."""
    made = [f"    {'else ' if i else ''}if k == {i} then x + {i}.0\n" for i in range(count)]
    return "def f(static k: int, x: f32[n]) -> f32[n] =\n" + "".join(made) + "    else x\n"


def checked(text: str) -> None:
    assert not check_source(Source("text.dsl", text)).diagnostics


def test_a_lambda_is_checked_once_for_arguments_of_the_same_types(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def counted(ctx: Context, pattern: ast.Pattern, term: Term, kind: BindingKind) -> core.Pattern:
        calls[-1] += 1
        return bind_pattern(ctx, pattern, term, kind)

    monkeypatch.setattr(closures, "bind_pattern", counted)
    for count in (4, 8, 12):
        calls.append(0)
        checked(lambdas(count))
    assert calls[2] - calls[1] == calls[1] - calls[0]


def test_what_is_staged_again_counts_again() -> None:
    """A body that is checked once and called a million times would be staged a million times."""
    assert [d.code for d in check_source(Source("text.dsl", lambdas(20))).diagnostics] == ["E0503"]


def test_arms_of_a_static_choice_are_told_apart_by_the_first_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def later(*_: object) -> Iterator[None]:
        raise AssertionError("the second search")

    monkeypatch.setattr(counterexample, "_solved_first", later)
    checked(arms(30))


def test_an_arm_asks_as_much_as_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    infeasible = linear.infeasible

    def counted(nonnegative: Iterable[linear.Row], zero: Iterable[linear.Row]) -> bool:
        asked[-1] += 1
        return infeasible(nonnegative, zero)

    monkeypatch.setattr(linear, "infeasible", counted)
    for count in (20, 30, 40):
        asked.append(0)
        checked(arms(count))
    assert asked[2] - asked[1] == asked[1] - asked[0]
