"""Rewrites: a rule matches what it says and nothing else, and its text holds together wherever it is put."""

from __future__ import annotations

import pytest

from dsl.syntax import ast
from typechecker.errors.repairs.rewrites import rewrites
from typechecker.errors.repairs.trees import expressions, read, rewritten, whole_of

RULES = [
    ("A @ B => B @ A", "a @ b + c", ["b @ a + c"]),
    ("A * B => B @ A", "(a + b) * 2", ["2 @ (a + b)"]),
    ("F(R, axis=K) => F(R, axis=N)", "sum(x, axis=3)", [f"sum(x, axis={k})" for k in range(4)]),
    ("F(R, axis=K) => F(R)", "x.sum(axis=0)", ["x.sum()"]),
    ("F(R, axis=K) => F(R)", "sum(x, axis=0, keepdims=true)", ["sum(x, keepdims=true)"]),
    ("F(R, axis=K) => F(R)", "sum(x, axis=k)", []),
    ("X[R][S] => X[R, S]", "x[i][j, k]", ["x[i, j, k]"]),
    ("max(A, A) => A", "max(a, a) + max(a, b)", ["a + max(a, b)"]),
    ("f(X, D) => D(X)", 'f((a + b), "float32")', ["f32(a + b)"]),
    ("f(X, D) => D(X)", "f(a, b)", []),
    ("f(R) => g([R])", "f((a, b))", ["g([(a, b)])"]),
    ("X.T => X", "(a.T) + b", ["a + b"]),
    ("fold C = A for P in X do E => [E for P in X]", "fold (a, b) = s for v in xs do v + 1", ["[v + 1 for v in xs]"]),
    ("f(R) => {R}", "f(a = 1, b = 2)", ["{a = 1, b = 2}"]),
    (
        "fold (C, A) = (B, Z) for P in X do (E, append(A, F)) => scan C = B for P in X do (E, F)",
        "fold (s, o) = (0.0, z) for v in xs do\n    let s = s + v\n    (s, append(o, s))",
        ["scan s = 0.0 for v in xs do\n    let s = s + v\n    (s, s)"],
    ),
]


@pytest.mark.parametrize(("rule", "text", "wanted"), RULES)
def test_rules(rule: str, text: str, wanted: list[str]) -> None:
    root = read(text)
    assert root is not None
    found = [rewritten(whole_of(root), edit) for edit in rewrites(expressions(root), [rule])]
    assert found == wanted


def test_a_rule_of_clauses_changes_one_of_them() -> None:
    root = read("[a + b for a in range(n), b in zip(x, y)]")
    assert isinstance(root, ast.Comprehension)
    rules = ["for P in range(X) => for (P, Z) in enumerate(Y(Z, X))", "for P in zip(R) => for P in zip(R, Z)"]
    found = [rewritten(whole_of(root), edit) for edit in rewrites(root.clauses, rules, {"Y": ["split"], "Z": ["k"]})]
    assert found == [
        "[a + b for (a, k) in enumerate(split(k, n)), b in zip(x, y)]",
        "[a + b for a in range(n), b in zip(x, y, k)]",
    ]


def test_a_letter_alone_stands_for_the_first_site() -> None:
    root = read("a + b")
    assert [edit.text for edit in rewrites(expressions(root), ["X => f(X, Z)"], {"Z": ["1", "2"]})] == [
        "f(a + b, 1)",
        "f(a + b, 2)",
    ]


def test_what_is_not_a_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="not a rule"):
        list(rewrites([], ["f( => g"]))
