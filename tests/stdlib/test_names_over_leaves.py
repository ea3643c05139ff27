"""Functions by their names where a tree is gone through: over leaves of two shapes, of a known tree and of any, in
derivatives, scans and maps. Each is refused where it does not fit, or runs; none fails on the way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import dsl
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.known_library import known_library
from tests.support.library import public
from typechecker.builtins.table import table

PLACES = (
    "def known(x: Two) = tree_map(<name>, x)",
    "def pairs(x: Two) = tree_map(<name>, x, x)",
    "def any_tree[P: VSpace[Float]](x: P) -> P = tree_map(<name>, x)",
    "def any_pairs[P: VSpace[Float]](x: P) -> P = tree_map(<name>, x, x)",
    "def scaled[P: VSpace[Float]](x: P) -> P = tree_map(fn v -> v * <name>(v), x)",
    "def flattened[P: VSpace[Float]](x: P) -> P = tree_map(fn v -> v * <name>(ravel(v), ravel(v)), x)",
    "def totals[P: VSpace[Float]](x: P) -> f32 = tree_reduce(fn (t, v) -> t + f32(<name>(ravel(v))), x, f32(0.0))",
    "def folded(x: Two) = tree_reduce(<name>, x)",
    "def of_rows(x: Two) = vmap(fn row -> tree_map(<name>, (row, row)))(x.b)",
    "def gathered(x: Two) = associative_scan(fn (p, q) -> tree_map(<name>, p, q), (x.b, x.b))",
    "def slope(x: Two) = grad(fn p -> tree_reduce(fn (t, v) -> t + sum(v), tree_map(<name>, p), f32(0.0)))(x)",
)
HEAD = "type Two = {a: f32[3], b: f32[2, 2]}\n"
TREE = {"a": np.array([0.5, 0.25, 1.0], np.float32), "b": np.full((2, 2), 0.5, np.float32)}
NAMES = [*public("prelude"), *table()]


def accepted(name: str) -> Iterator[str]:
    """The definitions that the checker accepts, each with the type of the tree."""
    for place in PLACES:
        text = place.replace("<name>", name)
        if check_source(Source("t.dsl", f"{HEAD}{text}\n"), cache=known_library()).ok:
            yield text


def failures(name: str) -> Iterator[str]:
    """The definitions that the checker accepts, and that do not run."""
    texts = list(accepted(name))
    program = dsl.program(HEAD + "\n".join(texts) + "\n")
    for text in texts:
        function = getattr(program, text.removeprefix("def ").partition("(")[0].partition("[")[0])
        try:
            function.interpret(TREE)
        except dsl.DslError as fault:
            yield f"{text}: {fault}"


@pytest.mark.parametrize("part", range(3))
def test_names_over_leaves_are_refused_or_run(part: int) -> None:
    chosen = NAMES[part::24]
    assert len(chosen) > 12
    assert [failure for name in chosen for failure in failures(name)] == []


def test_some_are_accepted() -> None:
    assert len(list(accepted("sin"))) >= 5 and len(list(accepted("dot"))) >= 2
