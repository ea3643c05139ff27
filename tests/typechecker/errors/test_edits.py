"""The operators of the catalogue: what they propose is an expression, another one than before, and none twice."""

from __future__ import annotations

import pytest

from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.parse import parse
from dsl.types import dtype as dt
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import INT, SHAPE, ArrayType, TupleType, Type
from typechecker.errors.repairs.edits import Goal, Side, einsum_operands, other_names, proposals
from typechecker.errors.repairs.other_libraries import parameter_meant
from typechecker.errors.repairs.trees import read, rewritten, whole_of

PROPOSED = [
    ("a @ c", [2], "c @ a"),
    ("a.T", [2, 3], "a"),
    ("a - b", [2, 3], "(a - b).T"),
    ("grad(f, argnums=0)(x)", [2], "grad(f, argnums=1)(x)"),
    ("sum(x, axis=0)", [2], "sum(x, axis=1)"),
    ("sum(x, axis=0)", [], "sum(x)"),
    ("grad(f)(x, y)", [2], "grad(f, argnums=1)(x, y)"),
    ("x[i][j]", [2], "x[i, j]"),
    ("[0.5] * n", [2], "full([n], 0.5)"),
    ("zeros_like(x)", [2, 3], "zeros([2, 3])"),
    ("max_pool(x, 2)", [2], "max_pool(x, (2, 2))"),
    ("concatenate((x, y))", [2, 3], "stack((x, y))"),
    ("concatenate((x, y))", [2], "concatenate((x, y[:-1]))"),
    ("logits[:, y]", [2], "logits[arange(logits.shape[0]), y]"),
    ("reshape(x, [7])", [7, 1], "reshape(reshape(x, [7]), [7, 1])"),
    ("ones([n])", [], "1.0"),
    ('einsum("ij,jk->ik", a, b)', [2, 3], 'einsum("ij,jk->ki", a, b)'),
]


OF_TYPES = [
    ("k", INT, SHAPE, "[k]"),
    ("x.shape[0]", INT, SHAPE, "x.shape"),
    ("scan_of(x)", TupleType((INT, SHAPE)), SHAPE, "scan_of(x).1"),
    ("zeros([n])", ArrayType(dt.F32, Shape(())), ArrayType(dt.F64, Shape(())), "zeros([n], dtype=f64)"),
    ("x + y", ArrayType(dt.I32, Shape(())), ArrayType(dt.F32, Shape(())), "f32(x + y)"),
    ("z", ArrayType(dt.C64, Shape(())), ArrayType(dt.F32, Shape(())), "real(z)"),
]


def array(sizes: list[int]) -> Type:
    return ArrayType(dt.F32, Shape(tuple([Size.of(size) for size in sizes])))


def goal(text: str, sizes: list[int]) -> Goal:
    root = read(text)
    assert root is not None
    return Goal(root, array([7]), array(sizes))


@pytest.mark.parametrize(("text", "sizes", "wanted"), PROPOSED)
def test_proposals_are_expressions(text: str, sizes: list[int], wanted: str) -> None:
    found = [*proposals(goal(text, sizes))]
    assert text not in found
    assert len(set(found)) == len(found)
    assert all(read(other) is not None for other in found)
    assert wanted in found


@pytest.mark.parametrize(("text", "actual", "kind", "wanted"), OF_TYPES)
def test_proposals_for_types(text: str, actual: Type, kind: Type, wanted: str) -> None:
    assert wanted in [*proposals(Goal(goal(text, []).root, actual, kind))]


def test_operands_are_expressions() -> None:
    texts = [*einsum_operands(goal('einsum("ij,jk->ik", a, b)', []).root)]
    assert texts
    assert all(read(text) is not None for text in texts)


def test_other_names_leave_strings_alone() -> None:
    root, definition = goal('f("n", zeros([n, m]))', []).root, parse(Source("d", "def g(x: f32) -> f32 = x\n"))[0]
    node = definition.declarations[0]
    assert isinstance(node, ast.Def)
    edits = [*other_names(node, Side(whole_of(root), root, array([])), ["n", "k"])]
    texts = [rewritten(whole_of(root), *each) for each in edits]
    assert 'f("n", zeros([k, m]))' in texts
    assert all('"n"' in text for text in texts)


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("xtol", ["f", "tolerance", "limit"], "tolerance"),
        ("maxiter", ["f", "tolerance", "limit"], "limit"),
        ("a_min", ["x", "min", "max"], "min"),
        ("dim", ["x", "axis"], "axis"),
        ("tolerance", ["x", "rtol"], "rtol"),
        ("colour", ["x", "axis"], None),
        ("seed", ["x", "axis"], None),
    ],
)
def test_parameters_are_known_by_their_meaning(name: str, known: list[str], meant: str | None) -> None:
    assert parameter_meant(name, known) == meant
