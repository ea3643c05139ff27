"""No text makes the checker raise, hang, or point outside of the text; more of them by `make fuzz`."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.cases import some
from tests.typechecker.fuzz import KINDS, failures, survive

COUNT = 600
DEEP = 10_000

NESTED = {
    "parentheses": ("(", ")"),
    "lists": ("[", "]"),
    "records": ("{a = ", "}"),
    "lambdas": ("fn x -> ", ""),
    "branches": ("if true then ", " else 0.0"),
    "signs": ("-", ""),
    "calls": ("f(", ")"),
    "indices": ("x[", "]"),
    "chained indices": ("", "[0]"),
    "chained fields": ("", ".T"),
    "sums": ("", " + x"),
    "pipes": ("", " |> sin"),
}
LONG = {
    "a name": "let x = " + "a" * 10_000_000,
    "a number": "let x = " + "9" * 10_000_000,
    "a text": 'let x = "' + "é" * 10_000_000,
    "a comment": "#" + "x" * 10_000_000,
    "a sum": "let x = " + "1 + " * 50_000 + "1\n",
    "open brackets": "(" * 3_000_000,
    "binary garbage": Random(0).randbytes(1_000_000).decode("utf-8", errors="replace"),
    "bytes as letters": Random(1).randbytes(1_000_000).decode("latin1"),
}
HUGE = {
    "powers": "let x = 10 ** 10 ** 10\nlet y = 2 ** 2 ** 2 ** 2 ** 2 ** 2\nlet z = 10.0 ** 10.0 ** 10.0\n",
    "shifts": "let x = 1 << 1000000000000\n",
    "poles": "let a = 1 // 0\nlet b = 1 % 0\nlet c = 0 ** -1\nlet d = 0.0 ** -1.0\nlet e = sqrt(-1.0) + log(0.0)\n",
    "a size": "def f(x: f32[n ** 1000000]) -> f32[n] = x\ndef g() -> f32[3] = zeros([10 ** 30])\n",
    "a power of a sum": "def f(x: f32[(n + m) ** 300]) -> f32[n] = x\n",
    "a range": "def f() -> i32[1000000000] = [i for i in range(1000000000)]\n",
    "a rank": "def f(x: f32[" + "n," * 5000 + "]) -> f32[n] = x\n",
    "a format": 'def f(x: f32) -> () ! io = print("{:>99999999999}{0.a[b]}{!r}{", x)\n',
    "endless recursion": "static def g(n: int) -> int = 1 + g(n - 1)\nlet y = g(3)\n",
    "deep recursion": "static def g(n: int) -> int = if n == 0 then 0 else 1 + g(n - 1)\nlet y = g(1000000)\n",
    "a chain of calls": "def f0(x: f32) = x\n" + "".join(f"def f{i}(x: f32) = f{i - 1}(x)\n" for i in range(1, 1000)),
    "the same backwards": "".join(f"def f{i}(x: f32) = f{i + 1}(x)\n" for i in range(1000)) + "def f1000(x: f32) = x\n",
    "a chain of constants": "".join(f"let a{i} = a{i + 1}\n" for i in range(2000)) + "let a2000 = 1\n",
    "a type that is itself": "type f32 = f32\ntype P = f32\ndef f(x: P) -> f32 = x\n",
}


@pytest.mark.parametrize("first", range(0, COUNT, 200))
def test_texts_of_all_kinds(first: int) -> None:
    assert [f"text {f.number}: {f.how}" for f in failures(first, 200)] == []


@pytest.mark.parametrize("name", NESTED)
def test_deep_nesting(name: str) -> None:
    opening, closing = NESTED[name]
    assert survive(f"def f(x: f32[n]) -> f32 = {opening * DEEP}x{closing * DEEP}\n", 60.0) is None


@pytest.mark.parametrize("name", LONG)
def test_long_lines(name: str) -> None:
    assert survive(LONG[name], 60.0) is None


@pytest.mark.parametrize("name", HUGE)
def test_huge_values(name: str) -> None:
    assert survive(HUGE[name], 60.0) is None


def test_the_same_number_gives_the_same_text() -> None:
    for make in some(KINDS):
        assert make(Random(3)) == make(Random(3))


def test_a_checker_that_hangs_or_raises_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(source: object, cache: object) -> None:
        while True:
            pass

    def fail(source: object, cache: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr("tests.typechecker.fuzz.check_source", hang)
    assert survive("let x = 1\n", 0.05) == "took longer than 0.05 s"
    monkeypatch.setattr("tests.typechecker.fuzz.check_source", fail)
    assert "KeyError" in str(survive("let x = 1\n"))
