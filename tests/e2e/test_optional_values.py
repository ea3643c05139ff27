"""Optional values that conditions tell to be there: checked, then run, for `none` and for values from Python."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

PROGRAM = dsl.program("""
type C = {k: int?, w: float?, b: bool?}
enum A = P(k: int?, t: (int?, str?), f: float?) | Q | R
def by_parts(x: f32[n], static s: int?, static t: (int?, str?)) -> f32 =
    if s != none and t.0 != none and t.1 != none then x[s] * t.0 * (if t.1 == "a" then 2.0 else 3.0) else 0.0
def by_fields(x: f32[n], static c: C) -> f32 =
    if c.k == none or not (c.w != none) or c.b == none then 0.0 else x[c.k] * c.w * (if c.b then 2.0 else 3.0)
def by_variant(x: f32[n], static a: A) -> f32 = match a with
    P(k, (i, t), f) -> (
        if k == none or i == none or t == none or f == none then 0.0
        else x[k] * i * f * (if t == "a" then 2.0 else 3.0)
    )
    _ -> 9.0
def left_over(x: f32, static a: A?) -> f32 = if a == none or a == R then x else (match a with
    P(k, _, _) -> if k != none then x * k else 5.0
    Q -> 7.0)
def over(x: f32[n, m], static axis: axes? = none) -> f32 =
    if axis == none then sum(x) else sum(2.0 * sum(x, axis=axis))
def stated(x: f32[n], static s: int?) -> f32 where s != none where 0 <= s and s < n = x[s]
def matched(x: f32, static s: int? = none, static t: int? = none) -> f32 = match (s, t) with
    (none, _) -> x
    (k, none) -> x * k
    (k, j) -> x * k * j
def held(x: f32) -> f32 =
    let s: int? = 3
    (match s with
        none -> x
        k -> x * k) + x * s
""")
X = np.arange(4, dtype="f4")


def variant(k: int | None = 3, i: int | None = 2, t: str | None = "a", f: float | None = 4.0) -> object:
    return PROGRAM.P(k, (i, t), f)


def test_each_value_where_it_is_there_and_where_not() -> None:
    given = [(3, (2, "a")), (3, (2, "b")), (None, (2, "a")), (3, (None, "a")), (3, (2, None)), (9, (2, None))]
    assert [float(PROGRAM.by_parts(X, s=s, t=t)) for s, t in given] == [12, 18, 0, 0, 0, 0]
    fields = [(3, 2.0, True), (3, 2.0, False), (None, 2.0, True), (3, None, True), (3, 2.0, None)]
    assert [float(PROGRAM.by_fields(X, c={"k": k, "w": w, "b": b})) for k, w, b in fields] == [12, 18, 0, 0, 0]
    variants = [variant(), variant(k=None), variant(i=None), variant(t=None), variant(f=None), PROGRAM.Q]
    assert [float(PROGRAM.by_variant(X, a=a)) for a in variants] == [48, 0, 0, 0, 0, 9]


def test_variants_that_are_left_over() -> None:
    given = [None, PROGRAM.R, PROGRAM.Q, variant(), variant(k=None)]
    assert [float(PROGRAM.left_over(2.0, a=a)) for a in given] == [2, 2, 7, 6, 5]


def test_axes_matches_and_values_that_are_known() -> None:
    x = np.ones((2, 3), "f4")
    assert [float(PROGRAM.over(x, axis=axis)) for axis in (None, 1, (0, 1))] == [6, 12, 12]
    assert [float(PROGRAM.matched(2.0, s=s, t=t)) for s, t in ((None, 4), (3, None), (3, 4))] == [2, 6, 24]
    assert float(PROGRAM.held(2.0)) == 12


@pytest.mark.parametrize(
    "call",
    [
        lambda: PROGRAM.by_parts(X, s=9, t=(2, "a")),
        lambda: PROGRAM.by_fields(X, c={"k": 4, "w": 1.0, "b": True}),
        lambda: PROGRAM.by_variant(X, a=variant(k=4)),
        lambda: PROGRAM.over(np.ones((2, 3), "f4"), axis=2),
        lambda: PROGRAM.stated(X, s=None),
        lambda: PROGRAM.stated(X, s=4),
    ],
)
def test_places_that_are_not_there_are_told_before_anything_runs(call: object) -> None:
    assert callable(call)
    with pytest.raises(dsl.DslError, match="E0911"):
        call()
