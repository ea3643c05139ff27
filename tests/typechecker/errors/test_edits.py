"""The operators of the catalogue: what they propose is an expression, another one than before, and none twice."""

from __future__ import annotations

import pytest

from dsl.types.shape import Shape
from dsl.types.size import Size
from typechecker.errors.repairs.edits import Goal, einsum_operands, proposals, with_list_of_one, with_other_names
from typechecker.errors.repairs.trees import read, rewritten, whole_of

PROPOSED = [
    ("a @ c", [2], "c @ a"),
    ("a.T", [2, 3], "a"),
    ("a - b", [2, 3], "(a - b).T"),
    ("grad(f, argnums=0)(x)", [2], "grad(f, argnums=1)(x)"),
    ("sum(x, axis=0)", [2], "sum(x, axis=1)"),
    ("sum(x, axis=0)", [], "sum(x)"),
    ("max(x, 0)", [2], "max(x, axis=0)"),
    ("x.max(-1)", [2], "max(x, axis=-1)"),
    ("grad(f)(x)", [2, 2], "hessian(f)(x)"),
    ("x[i][j]", [2], "x[i, j]"),
    ("[0.5] * n", [2], "full([n], 0.5)"),
    ("zeros_like(x)", [2, 3], "zeros([2, 3])"),
    ("max_pool(x, 2)", [2], "max_pool(x, (2, 2))"),
    ('einsum("ij,jk->ik", a, b)', [2, 3], 'einsum("ij,jk->ki", a, b)'),
]


def goal(text: str, sizes: list[int]) -> Goal:
    root = read(text)
    assert root is not None
    return Goal(root, Shape(()), Shape(tuple([Size.of(size) for size in sizes])))


@pytest.mark.parametrize(("text", "sizes", "wanted"), PROPOSED)
def test_proposals_are_expressions(text: str, sizes: list[int], wanted: str) -> None:
    found = [*proposals(goal(text, sizes))]
    assert text not in found
    assert len(set(found)) == len(found)
    assert all(read(other) is not None for other in found)
    assert wanted in found


def test_operands_are_expressions() -> None:
    whole = goal('einsum("ij,jk->ik", a, b)', [])
    texts = [*einsum_operands(whole), *with_list_of_one(goal("concatenate((x, 0.0))", []).root)]
    assert "concatenate((x, [0.0]))" in texts
    assert all(read(text) is not None for text in texts)


def test_other_names_leave_strings_alone() -> None:
    root = goal('f("n", zeros([n, m]))', []).root
    texts = [rewritten(whole_of(root), *edits) for edits in with_other_names(root, ["n", "k"])]
    assert 'f("n", zeros([k, m]))' in texts
    assert all('"n"' in text for text in texts)
