"""The names of the language server are those of the checker: on every accepted program at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.core import core
from dsl.diagnostics.source import Source
from dsl.lsp.index import Index
from dsl.lsp.names import Kind
from dsl.witnesses import check_file, check_source
from typechecker import CheckCache, CheckResult

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted((ROOT / "examples").rglob("*.dsl"))
HANDLERS = """\
effect sample: (d: f32) -> f32

enum Act = Relu | Leaky(slope: float)

let width = 3

def act(static a: Act, x: f32) -> f32 =
    match a with
        Relu -> x
        Leaky(slope) -> slope * x

def model(x: f32) -> f32 ! sample = sample(x) + x

def run(x: f32[n], z: f32) -> (f32, f32) =
    with state s = z do
        s := s + z
        let x = [v * z for v in x]
        fold t = s for v in x do t + v * s

def handled(x: f32) -> f32 =
    with handler sample(d) -> resume(d * x) do model(x)

def passed(x: f32[m, n], *, static times: int = 2) -> f32[m, n] = vmap(fn row -> row * width * times)(x)

def named(x: f32[m, n]) -> f32[m, n] = passed(x, times=width)
"""


@pytest.fixture(scope="module")
def cache() -> CheckCache:
    return CheckCache()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_locals_and_functions_are_bound_where_the_checker_binds_them(path: Path, cache: CheckCache) -> None:
    assert_agree(index_of(check_file(path, cache)))


def test_handlers_enums_and_static_names(cache: CheckCache) -> None:
    result = check_source(Source("t.dsl", HANDLERS), cache=cache)
    assert not result.diagnostics, result.diagnostics[0].message
    index = index_of(result)
    assert_agree(index)
    named = {(m.span.text, m.symbol.kind, m.symbol.span.text) for m in index.names.mentions}
    assert {("s", Kind.CELL, "s"), ("Leaky", Kind.VARIANT, "Leaky"), ("sample", Kind.EFFECT, "sample")} <= named
    assert {("times", Kind.PARAMETER, "times"), ("width", Kind.CONSTANT, "width"), ("m", Kind.SIZE, "m")} <= named
    times = [m for m in index.names.mentions if m.span.text == "times"]
    assert len(times) == 3 and len({m.symbol for m in times}) == 1


def index_of(result: CheckResult) -> Index:
    assert result.main is not None
    return Index(result.main, result.modules)


def assert_agree(index: Index) -> None:
    """Where Core names a local or a function by its own name, the index has the same binding."""
    found = {mention.span: mention.symbol for mention in index.names.mentions}
    checked = 0
    for info, node in index.expressions:
        if isinstance(node, core.Local) and node.span.text == node.name and node.id in info.task.origins:
            bound, _ = info.task.origins[node.id]
            assert bound == node.span or found[node.span].span == bound, f"{node.span!r} {node.name}"
            checked += 1
        if isinstance(node, core.Global) and node.span.text == node.name:
            assert found[node.span].module == node.module
            checked += 1
    assert checked > 5
