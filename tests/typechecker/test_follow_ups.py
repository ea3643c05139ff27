"""One mistake is one error: what depends on it is silent.

In right programs a name is replaced by one that does not exist, or a closing bracket is taken away. Every other error
is a follow-up. `python -m tests.typechecker.test_follow_ups COUNT` tries more of both.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from dsl.diagnostics.diagnostic import Severity
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.parse import parse
from dsl.syntax.walk import nodes
from typechecker import CheckCache, check_source

EXAMPLES = Path(__file__).parents[2] / "examples"
MISSING = "missing_"
SAMPLE = 40


def errors(text: str, file: Path | None = None) -> list[tuple[int, str]]:
    """Return the line and the code of each error of a text, in the place of a file."""
    source = Source("main.dsl" if file is None else str(file), text)
    found = check_source(source, None, None if file is None else file.parent, _known(file)).diagnostics
    places = [(source.position(d.primary.span.start)[0], d.code) for d in found if d.severity is Severity.ERROR]
    return sorted(places)


@cache
def _known(file: Path | None) -> CheckCache:
    return CheckCache()


def changed() -> Iterator[tuple[Path, str, str]]:
    """Yield each example with one of its names, or the bracket of one of its calls, changed, and what codes of errors
    begin with."""
    for file in sorted(EXAMPLES.glob("*.dsl")):
        text = file.read_text(encoding="utf-8")
        module, _ = parse(Source(str(file), text))
        for body in [each.body for each in nodes(module) if isinstance(each, ast.Def)]:
            for node in nodes(body):
                if isinstance(node, ast.Name) and _is_a_value(node, body):
                    yield file, text[: node.span.start] + MISSING + text[node.span.end :], "E0201"
                elif isinstance(node, ast.Call):
                    yield file, text[: node.span.end - 1] + text[node.span.end :], "E01"


def _is_a_value(name: ast.Name, body: ast.Expr) -> bool:
    """Return whether a name is none of a type: there, a name that is not known is a size of its own."""
    stated = [p.type for n in nodes(body) if isinstance(n, ast.Lambda) for p in n.params if p.type is not None]
    return not any(name is part for part in nodes(stated))


def follow_ups(count: int, seed: int) -> Iterator[str]:
    """Yield the errors behind the only mistake of programs, for so many mistakes."""
    for file, text, own in Random(seed).sample([*changed()], count):
        for line, code in errors(text, file):
            if not code.startswith(own):
                yield f"{file.name}:{line}: {code}, in\n{text}"


def test_what_depends_on_a_mistake_is_silent() -> None:
    assert [*follow_ups(SAMPLE, seed=1)] == []


NET = """
import nn
def net(x: f32[n, 4], static h: size) -> f32[n, 2] ! nn.param =
    let y = nn.relu(nn.linear(x, "first", h))
    nn.linear(y, "second", 2)
def both(x: f32[n, 4], static h: size) -> f32[n, 2] ! nn.param =
    let y = with scope("inner") do net(x, h)
    nn.linear(y, "third", 2) + net(x, h)
type Model[h] = net.param
type Big[h] = both.param
def start(static h: size, k: key) -> Model[h] = nn.init(k, fn () -> net(zeros([1, 4]), h))
def loss(p: Model[h], x: f32[n, 4]) -> f32 where n >= 1 = mean(nn.apply(p, fn () -> net(x, h))) + sum(p.first.w)
def large(p: Big[h], x: f32[n, 4]) -> f32 where n >= 1 = mean(nn.apply(p, fn () -> both(x, h))) + sum(p.third.w)
def step(p: Model[h], x: f32[n, 4]) -> Model[h] where n >= 1 = p - 0.1 * grad(loss)(p, x)
"""


@pytest.mark.parametrize(
    ("right", "wrong", "line", "code"),
    [
        ("linear(x,", f"linear({MISSING},", 4, "E0201"),
        ('"first", h))', '"first", h)', 4, "E0102"),
        ('(y, "second"', f'({MISSING}, "second"', 5, "E0201"),
        ('"first", h', "1.0, h", 4, "E0303"),
        (' + net(x, h)\n', f" + {MISSING}\n", 8, "E0201"),
    ],
)  # fmt: skip
def test_the_record_of_a_wrong_body_is_not_known(right: str, wrong: str, line: int, code: str) -> None:
    assert errors(NET) == []
    assert errors(NET.replace(right, wrong, 1)) == [(line, code)]


@pytest.mark.parametrize(
    "body",
    [
        "associative_scan(fn ((p, q), (r, s)) -> (p * r, q * r + s), (MISSING, x)).1",
        "vmap(fn ((p, q)) -> q)((MISSING, x))",
        "with_sharding((x, MISSING), mesh(data=2), {data = 0}).0",
        "zeros([MISSING + n]).at[n:].set(x)",
        "sum([row for row in reshape(x, [MISSING // 2, 2])], axis=0)",
        "matvec(reshape(x, [MISSING, n]))",
        "missing_(x, fn y -> twice(fn z -> y + z))",
    ],
)
def test_what_lacks_a_part_is_not_complained_of(body: str) -> None:
    head = "def matvec(a: f32[m, k]) -> f32[m] = sum(a, axis=1)\ndef twice(f: (f32) -> f32) -> f32 = f(f(1.0))\n"
    text = head + f"def f(x: f32[n]) -> f32[n] = {body.replace('MISSING', MISSING)}\n"
    assert [code for _, code in errors(text)] == ["E0201"]


UNUSED = ["fn y -> sum(y.foo) + y[0]", "fn y -> y + 1.0", f"fn y -> {MISSING}"]


@pytest.mark.parametrize("function", UNUSED)
def test_a_function_that_is_applied_nowhere_hides_no_record(function: str) -> None:
    """Its body is checked for arguments of which nothing is known: nothing is performed there."""
    wrong = f"""
import nn
def net(x: f32[n, 4]) -> f32[n, 2] ! nn.param =
    let unused = {function}
    nn.linear(x, "first", 2)
type Model = net.param
def loss(p: Model) -> f32 = sum(p.second)
"""
    assert errors(wrong)[-1] == (7, "E0309")
    assert len(errors(wrong.replace("p.second", "p.first.w"))) == (MISSING in function)


GIVEN = "def given(f: (f32) -> f32, x: f32) -> f32 = f(x)\n"
PAIRS = "associative_scan(fn ((p, q), (r, s)) -> (p * r, q * other_ + s), (missing_, x)).1"


@pytest.mark.parametrize(
    "text",
    [
        f"type Data = {MISSING}\ndef f(d: Data, x: f32[n]) -> f32[n] = d.first + other_\n",
        f"def f(d: {MISSING}, g: (f32) -> f32) -> f32 = g(d) + given(fn y -> y + other_, 1.0)\n",
        f"def f(x: f32) -> f32 = given(fn y -> y + other_, {MISSING})\n",
        f"def f(x: f32[n]) -> f32[n] where n >= 1 = {PAIRS}\n",
        NET.replace("linear(x,", f"linear({MISSING},", 1).replace("sum(p.first.w)", "sum(p.first.w) + other_"),
    ],
)
def test_an_independent_mistake_is_another_error(text: str) -> None:
    """In the body of what is given values of a wrong type, and in a function beside a wrong argument."""
    assert sorted([code for _, code in errors(GIVEN + text)]) in (["E0201", "E0201"], ["E0201", "E0202"])


def main() -> int:
    found = [*follow_ups(int(sys.argv[1]), seed=int(sys.argv[1]))]
    print("\n\n".join(found), f"{len(found)} follow-ups", sep="\n")
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
