"""What questions about sizes cost, in calls of Python functions: those of texts whose shapes need many of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.diagnostics.source import Source
from dsl.types.decide import Proved, decide, entails
from dsl.types.facts import Eq, Facts, Le, Prop
from dsl.types.size import Size, SizeVar, max_, min_
from tests.support.python_calls import python_calls
from typechecker import CheckCache, check_source

SHAPES = Path(__file__).parents[2] / "examples" / "shapes.dsl"
RESHAPES = "\n".join(
    f"def f{i}(x: f32[n, m, k], y: f32[k, p]) where n >= {i} ="
    f" concatenate((reshape(x, [n * m, k]) @ y, zeros([{i} * n, p])), axis=0)"
    for i in range(1, 21)
)
CONVOLUTION = "def f(x: f32[8, 3, 32, 32], w: f32[16, 3, 3, 3]) = conv(x, w)\n"
N, M, K = (Size.of(SizeVar(i, name)) for i, name in enumerate("nmk"))


def checked(text: str, cache: CheckCache) -> None:
    result = check_source(Source("main.dsl", text), cache=cache)
    assert result.ok
    assert result.program is not None


@pytest.mark.parametrize(
    ("text", "most"), [(SHAPES.read_text(), 750_000), (RESHAPES, 130_000)], ids=["shapes", "reshapes"]
)
def test_a_text_that_is_edited_is_checked_with_few_calls(text: str, most: int) -> None:
    """The library is known already: nearly all of these are questions about the sizes of the text."""
    cache = CheckCache()
    checked(text, cache)
    assert python_calls(lambda: checked(f"{text}\n# edited\n", cache)) < most


def test_the_first_convolution_of_a_process_is_checked_with_few_calls() -> None:
    """The library's own conditions are many questions under nearly the same facts."""
    cache = CheckCache()
    checked("def g(x: f32[n]) = x + x\n", cache)
    assert python_calls(lambda: checked(CONVOLUTION, cache)) < 2_300_000


LOOKED_FOR = """
static def moved(rank: int, source: int, target: int) -> ints =
    let rest = [if i < source then i else i + 1 for i in range(rank - 1)]
    [*rest[:target], source, *rest[target:]]
def moveaxis(x: f32[*s], static source: int, static target: int) -> f32[*permuted(s, moved(len(s), source, target))]
    where 0 <= source and source < len(s) and 0 <= target and target < len(s) =
    transpose(x, moved(len(s), source, target))
def first(x: f32[n]) -> f32 = x[0]
def third(x: f32[n]) -> f32 where n >= 3 = x[2]
"""


def test_no_example_is_looked_for_where_a_condition_is_only_demanded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not proved of a range becomes a condition of the definition, whatever sizes it fails for."""
    monkeypatch.setattr("typechecker.env.context.decide", None)
    assert check_source(Source("main.dsl", LOOKED_FOR)).ok


QUESTIONS: list[tuple[tuple[Prop, ...], Prop]] = [
    ((Le(N, M), Le(M, K)), Le(N * 2, M + K)),
    ((Eq(N % 4, Size.of(0)), Le(Size.of(1), N)), Le(Size.of(4), N)),
    ((Le(N, M),), Eq(min_(N, M) + max_(N, M), N + M)),
    ((Le(Size.of(1), K), Eq(N, M * K)), Le(M, N)),
]


@pytest.mark.parametrize(("known", "prop"), QUESTIONS, ids=[str(prop) for _, prop in QUESTIONS])
def test_a_question_under_facts_assumed_again_is_not_worked_out_again(known: tuple[Prop, ...], prop: Prop) -> None:
    root = Facts()
    first = python_calls(lambda: decide(root.assume(*known), prop))
    again = python_calls(lambda: decide(root.assume(*known), prop))
    assert isinstance(decide(root.assume(*known), prop), Proved)
    assert entails(root.assume(*known), prop)
    assert again * 10 < first


def test_the_atoms_of_a_node_are_worked_out_once() -> None:
    size = (N * M + 3) // K + max_(N, M * K) % (K + 1)
    assert python_calls(lambda: (size.inside, size.variables, size.weight, hash(size))) > 20
    assert python_calls(lambda: (size.inside, size.variables, size.weight, hash(size))) == 1
