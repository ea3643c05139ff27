"""The names of the language server are those of the checker: on every accepted program at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dsl.core import core
from dsl.diagnostics.source import Source, Span
from dsl.lsp.complete import LOCAL
from dsl.lsp.index import Index
from dsl.lsp.names import Kind
from dsl.syntax import ast
from dsl.types.type import Type
from dsl.witnesses import check_file, check_source
from tests.support.cases import some
from tests.typechecker.compare_verdicts import collect_programs
from typechecker import CheckCache, CheckResult
from typechecker.env.context import Context
from typechecker.env.scope import Binding, CellBinding

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


SIZES = """\
let d = 3

def n(x: f32[n]) -> f32[2 * n] = concatenate((x, x))
def half(static m: int) -> int = m // 2
def m(x: f32[n], y: f32[half(m)] = zeros([half(4)])) -> f32[d] where m >= n = zeros([d]) * f32(half(m) + n)
def e(x: f32[e]) -> f32 = sum(x) * f32(e)
def both(x: f32[y], y: f32[x]) -> f32 = sum(x) + sum(y)
def mapped(x: f32[k]) -> f32[k] = (fn (v: f32[n]) -> v + f32(n))(x)
"""


def test_sizes_may_have_the_names_of_definitions(cache: CheckCache) -> None:
    """A signature makes its own sizes, whatever a module or the library defines but constants of the module."""
    with lookups() as seen:
        index = index_of(check_source(Source("t.dsl", SIZES), cache=cache))
    assert_like(seen, index)
    symbols = [m.symbol for m in index.names.mentions]
    assert {s.name for s in symbols if s.kind is Kind.SIZE} == {"n", "m", "e", "k", "x", "y"}
    assert [s.kind for s in symbols if s.name == "d"] == [Kind.CONSTANT] * 3
    assert len([s for s in symbols if s.name == "half"]) == 4


def test_names_are_those_of_the_checker_in_all_corpora(cache: CheckCache) -> None:
    """Each name that the checker looks up, also in programs that are refused, is bound where the checker binds it."""
    programs = [*collect_programs(ROOT).values()][::64]
    checked = 0
    for texts in some(programs):
        sources = {module: Source(f"{module or 'main'}.dsl", text) for module, text in texts.items()}
        with lookups() as seen:
            result = check_source(sources.pop(""), sources, cache=cache)
        checked += assert_like(seen, index_of(result))
    assert checked > 300


@contextmanager
def lookups() -> Iterator[dict[Span, tuple[Binding | None, CellBinding | None]]]:
    """The names of values that the checker looks up meanwhile, and what it finds."""
    seen: dict[Span, tuple[Binding | None, CellBinding | None]] = {}
    infer = Context.infer

    def noted(ctx: Context, node: ast.Expr, expected: Type | None = None) -> Any:
        if isinstance(node, ast.Name) and node.span.text == node.name:
            seen.setdefault(node.span.placed, (ctx.scope.lookup(node.name), ctx.scope.cell(node.name)))
        found = infer(ctx, node, expected)
        if isinstance(node, ast.Name) and node.span.placed in seen and ctx.scope.makes_sizes:
            seen[node.span.placed] = ctx.scope.lookup(node.name), ctx.scope.cell(node.name)
        return found

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Context, "infer", noted)
        yield seen


def assert_like(seen: Mapping[Span, tuple[Binding | None, CellBinding | None]], index: Index) -> int:
    """What the checker has found, the index has, too; return for how many names. Parameters of aliases are bound by
    their uses, and cells of a function's type in the function."""
    found = {mention.span: mention.symbol for mention in index.names.mentions}
    checked = 0
    for span, (binding, cell) in seen.items():
        symbol, place = found.get(span), None if binding is None else binding.span
        if span.source is not index.module.source.placed or (cell is not None and cell.span is None):
            continue
        if cell is not None and cell.span is not None and not cell.span.text.startswith("fn "):
            assert symbol is not None and symbol.kind is Kind.CELL, f"{span!r} {span.text}"
        elif binding is not None and place is not None and binding.kind not in ("effect", "alias"):
            if symbol is None:
                assert binding.term.is_error, f"{span!r} {span.text}"
                continue
            assert symbol.name == span.text, f"{span!r} {span.text}"
            assert place.placed.covers(symbol.span) or symbol.kind is Kind.SIZE, f"{span!r} {span.text}"
        elif binding is None and cell is None and symbol is not None:
            assert symbol.kind not in LOCAL or symbol.span == span, f"{span!r} {span.text}"
        checked += 1
    return checked


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
