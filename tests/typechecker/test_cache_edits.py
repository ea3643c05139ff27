"""Any edits of a project, and programs in any order: with a warm cache the result is that of a check without one."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.cases import some
from tests.support.checked import differences
from tests.support.projects import check, checked_after
from tests.typechecker.test_corpus import CORPUS
from typechecker import CheckCache

CHOICES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "leaf": (
        ("type Pair[n] = (f32[n], f32[n])", "type Pair[n] = (f32[n], f32[n + 1])", "type Pair[a: Float] = a"),
        ("enum Mode = Soft | Hard(slope: float)", "enum Mode = Soft | Hard(slope: int) | Odd", ""),
        ("let scale = 3", "let scale = 4", "let scale = 2.5", "let scale = cycle\nlet cycle = scale", "let scale = ="),
        ("static def halves(n: int) -> int = n // 2", "static def halves(n: int) -> int = n // 3"),
        (
            "static def power(n: int) -> int = if n <= 1 then 1 else 2 * power(n - 1)",
            "static def power(n: int) -> int = if n <= 1 then 1 else _base() * power(n - 1)\n"
            "static def _base() -> int = 3",
        ),
        (
            "def double(x: f32[n]) -> f32[n] = x * 2.0",
            "def double(x: f32[n]) -> f32[n] = x + x",
            "def double(x: f32[n]) -> f32[n] = [x]",
            "def double(y: f32[n, m]) -> f32[n, m] = y",
            "",
        ),
        ("def loud(x: f32) = x", 'def loud(x: f32) =\n    print("{}", x)\n    x', "def loud(x: f32) = fresh_key()"),
        ("def head(x: f32[n], static k: int) -> f32 = x[k]", "def head(x: f32[n], static k: int) -> f32 = x[k + 2]"),
        ("def act(x: f32) -> f32 = x", "def act(x: f32) -> f32 = x * x", "let act = fn x -> x", "let act = grad(sin)"),
        ("def rule(t: f32) -> f32 = 2.0 * t", "def rule(t: f32) -> f32 = t + t", "def rule(t: f32) -> f32 = t * t"),
        ("effect ask: (a: f32) -> f32", "effect ask: (a: i32) -> f32", "effect tell: (a: f32) -> f32"),
        ("", "import middle", "import missing", "from nn import gelu"),
        ("", "# a comment\n\n", "let _private = 1"),
    ),
    "middle": (
        ("import leaf", "import leaf as leaf", "from leaf import halves\nimport leaf"),
        ("from leaf import scale", "let scale = 2", "from leaf import scale, Soft"),
        ("type Both[n] = {pair: leaf.Pair[n], extra: f32}", "type Both[n] = {pair: (f32[n], f32[n]), extra: f32}"),
        (
            "def left(p: Both[n]) -> f32[n] = leaf.double(p.pair.0) * scale",
            "def left(p: Both[n]) = leaf.double(p.pair.0)",
            "def left(p: Both[n], k: f32 = 1.0) -> f32[n] = p.pair.0 * k",
        ),
        ("def half(x: f32[n]) -> f32[leaf.halves(n)] = x[: n // 2]", "def half(x: f32[n]) -> f32[n] = x"),
        (
            "def tower(x: f32[leaf.power(n)], y: f32[n]) -> f32 = sum(x) + sum(y)",
            "def tower(x: f32[n], y: f32[n]) -> f32 = sum(x * y)",
        ),
        ("def heard(x: f32) = leaf.loud(x)", "def heard(x: f32) -> f32 = leaf.loud(leaf.act(x))"),
        ("def first(x: f32[n], static k: int) -> f32 = leaf.head(x, k)", "def first(x: f32[n], static k: int) = x[0]"),
    ),
    "side": (
        ("import leaf", "from leaf import *", "import leaf\nimport middle"),
        (
            "def chosen(static m: leaf.Mode) -> int = match m with\n    leaf.Soft -> 1\n    leaf.Hard(_) -> 2",
            "def chosen(static m: leaf.Mode) -> int = match m with\n    leaf.Soft -> 1\n    leaf.Odd -> 2",
        ),
        ("def asked(x: f32) -> f32 ! leaf.ask = leaf.ask(x)", "def asked(x: f32) = leaf.ask(x)"),
        (
            "def curved(x: f32) -> f32 ="
            " custom_jvp(fn v -> 2.0 * v, rule = fn (p, t) -> (2.0 * p.0, leaf.rule(t.0)))(x)",
            "def curved(x: f32) -> f32 = leaf.rule(x)",
        ),
        ("def lengths(x: f32[n]) -> f32[leaf.halves(n)] = zeros([leaf.halves(n)])", "let lengths = leaf.halves(9)"),
    ),
    "main": (
        ("import middle\nimport leaf\nimport side", "import side\nimport leaf\nimport middle", "import side"),
        (
            "def answered(x: f32) -> f32 = with handler leaf.ask(a) -> resume(a) do side.asked(x)",
            "let n = side.chosen(leaf.Soft)",
        ),
        ("def both(x: f32[n]) -> f32[n] = middle.left({pair = (x, x), extra = 1.0})", "def both(x: f32) -> f32 = x"),
        ("def tall(x: f32[8], y: f32[4]) -> f32 = middle.tower(x, y)", ""),
        ("def quiet(x: f32) -> f32 = middle.heard(x)", "def quiet(x: f32) -> f32 = side.curved(x)"),
        (
            "def one(x: f32[n]) -> f32 where n >= 3 = middle.first(x, 1)",
            "def one(x: f32[2]) -> f32 = middle.first(x, 0)",
        ),
        ("def slope(x: f32) -> f32 = grad(leaf.act)(x)", "def slope(x: f32) -> f32 = leaf.act(leaf.act(x))", ""),
        ("def some(x: f32[6]) -> f32[3] = side.lengths(x)", "def some(x: f32[side.lengths]) -> f32[4] = x"),
    ),
}

PLACES = [(module, place) for module, places in CHOICES.items() for place in range(len(places))]
Edit = tuple[tuple[str, int], int]


def edits() -> st.SearchStrategy[list[Edit]]:
    """Places in the project, each with which of its texts stands there from then on."""
    return st.lists(st.tuples(st.sampled_from(PLACES), st.integers(0, 4)), min_size=1, max_size=8)


@settings(max_examples=12, deadline=None)
@given(edits())
def test_after_any_edits_the_result_is_that_of_a_check_without_a_cache(made: list[Edit]) -> None:
    cache = CheckCache()
    chosen = dict.fromkeys(PLACES, 0)
    for place, text in [(PLACES[0], 0), *made]:
        chosen[place] = text
        texts = {
            module: "\n".join(places[k][chosen[module, k] % len(places[k])] for k in range(len(places))) + "\n"
            for module, places in CHOICES.items()
        }
        checked_after(cache, texts)


def test_programs_that_share_a_cache_are_judged_as_if_alone() -> None:
    """What programs before wanted of the library, and how their checks ended, leaves no trace."""
    cache = CheckCache()
    for case in some(Random(0).sample(CORPUS, 100)):
        texts = {name or "main": text for name, text in case.texts.items()}
        found = check(texts, cache)
        assert differences(found, check(texts)) == [], case.name
