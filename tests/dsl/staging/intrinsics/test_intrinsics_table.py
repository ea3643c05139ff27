"""The table of intrinsics, its documentation and the library agree."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import stdlib
import typechecker
from dsl.core.statics.numbers import STATIC
from dsl.core.statics.shapes import SHAPE_FUNCTIONS
from dsl.diagnostics.source import Source, Span
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.records import fields, is_record
from dsl.staging import intrinsics
from dsl.staging.intrinsics.elementwise import ELEMENTWISE
from dsl.staging.intrinsics.linear import einsum
from dsl.staging.intrinsics.lists import LISTS
from dsl.staging.intrinsics.table import PURE
from dsl.staging.stage import INTRINSICS
from dsl.staging.values import as_atom
from dsl.syntax import ast as syntax
from dsl.syntax.parse import parse
from dsl.types.dtype import F64
from tests.support.cases import some
from tests.support.library import tree
from typechecker.declarations.dependencies import intrinsic_call

LIBRARY = Path(stdlib.__file__).parent
CHECKER = Path(typechecker.__file__).parent
TABLE = frozenset(INTRINSICS) - {"stablehlo"}
"""Those of the library."""
MOST = 108
"""Intrinsics of arrays; whoever needs one more looks first for one that is a composition of others."""
WITH_PURE = re.compile(rf"\bintrinsic\.(?:{'|'.join(sorted(PURE))})\(")
ONE = (
    *("exp", "log1p", "sqrt", "cbrt", "sin", "tanh", "sigmoid", "erf", "erf_inv", "lgamma", "digamma"),
    *("floor", "round", "sign", "abs"),
)


def test_every_intrinsic_is_documented() -> None:
    documented = set(re.findall(r"[a-z_][a-z_0-9]*", intrinsics.__doc__ or ""))
    assert sorted(TABLE - set(ELEMENTWISE) - documented) == []


def used_by_the_library() -> set[str]:
    texts = [path.read_text(encoding="utf-8") for path in LIBRARY.rglob("*.dsl")]
    return {name for text in texts for name in re.findall(r"\bintrinsic\.([a-z_0-9]+)\(", text)}


def named_by_the_checker() -> set[str]:
    """String literals of the checker: among them the intrinsics that its rules for functions and collectives emit."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in CHECKER.rglob("*.py")]
    strings = [n.value for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Constant)]
    return {text for text in strings if isinstance(text, str)}


def test_the_table_holds_what_is_used_and_nothing_else() -> None:
    used = used_by_the_library()
    assert sorted(used - TABLE - set(SHAPE_FUNCTIONS)) == []
    assert sorted(TABLE - set(LISTS) - used - named_by_the_checker()) == []


def test_what_the_language_can_say_is_no_intrinsic() -> None:
    assert len(TABLE - set(LISTS)) <= MOST


def calls_in(node: object) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """The calls of intrinsics in a syntax tree: the name, the number of arrays, the names of statics."""
    if isinstance(node, Span):
        return
    if isinstance(node, tuple):
        for part in node:
            yield from calls_in(part)
    elif is_record(node):
        if isinstance(node, syntax.Call) and intrinsic_call(node):
            assert isinstance(node.function, syntax.Field)
            named = tuple(arg.name.name for arg in node.args if arg.name is not None)
            yield node.function.name.name, len(node.args) - len(named), named
        for field in fields(node):
            yield from calls_in(getattr(node, field.name))


@pytest.mark.parametrize(
    "module", sorted(path.stem for path in LIBRARY.glob("*.dsl") if WITH_PURE.search(path.read_text(encoding="utf-8")))
)
def test_calls_in_the_library_fit_the_intrinsics(module: str) -> None:
    for name, arrays, statics in some(call for call in calls_in(tree(module).declarations) if call[0] in PURE):
        inspect.signature(PURE[name]).bind(None, *range(arrays), **dict.fromkeys(statics))


def test_a_call_that_does_not_fit_is_found() -> None:
    wrong, _ = parse(Source("wrong.dsl", "def f(x: f32) -> f32 = intrinsic.flip(x, axes=0)\n"))
    ((name, arrays, statics),) = calls_in(wrong.declarations)
    with pytest.raises(TypeError):
        inspect.signature(PURE[name]).bind(None, *range(arrays), **dict.fromkeys(statics))


@pytest.mark.parametrize("name", ONE)
def test_static_numbers_and_arrays_agree(name: str) -> None:
    for value in (-0.75, 0.25, 0.5):
        b = Builder()
        x = b.param(Tensor(F64))
        function = b.finish(name, [as_atom(ELEMENTWISE[name](b, x))])
        (found,) = evaluate(function, [np.asarray(value)])
        np.testing.assert_allclose(found, float(STATIC[name](value).real), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "spec",
    ["ij,jk->ik", "ij,jk", "ij->ji", "ij->", "ii->i", "ii", "bij,bjk->bik", "...ij,...jk->...ik", "i,j->ij"],
)
def test_einsum(spec: str) -> None:
    sizes = {"i": 3, "j": 3, "k": 4, "b": 2}
    terms = spec.partition("->")[0].replace("...", "b").split(",")
    random = np.random.default_rng(0)
    arrays = [random.normal(size=[sizes[c] for c in term]) for term in terms]
    b = Builder()
    params = [b.param(Tensor(F64, x.shape)) for x in arrays]
    function = b.finish("einsum", [as_atom(einsum(b, *params, spec=spec))])
    (found,) = evaluate(function, arrays)
    np.testing.assert_allclose(found, np.einsum(spec, *arrays), rtol=1e-12)
