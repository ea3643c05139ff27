"""Keys are moved at most once on any path: what is accepted, and what is refused where and in which words.

In a refused program the marks `#! CODE` say which errors its lines must have; no others may be reported.
"""

from __future__ import annotations

import re
import textwrap

import pytest

from dsl.diagnostics.source import Span
from tests.support.keys import diagnostics

MARK = re.compile(r"#! ((?:E\d+ ?)+)$")


def found(text: str) -> list[tuple[int, str]]:
    return sorted((line_of(d.primary.span), d.code) for d in diagnostics(text))


def line_of(span: Span) -> int:
    return span.source.position(span.start)[0] - 1


def expected(text: str) -> list[tuple[int, str]]:
    lines = textwrap.dedent(text).strip("\n").splitlines()
    marks = ((row, MARK.search(line)) for row, line in enumerate(lines, start=1))
    return sorted((row, code) for row, mark in marks if mark for code in mark[1].split())


def program(name: str, text: str) -> object:
    return pytest.param(text, id=name)


ACCEPTED = [
    program(
        "element by the index of a loop",
        """
        def f(ks: key[n]) -> f32[n] = [normal(ks[i]) for i in range(n)]
        """,
    ),
    program(
        "branches that each move",
        """
        def f(k: key, c: bool, d: bool) -> f32 =
            if c then normal(k) else (if d then normal(k) else 1.0)
        """,
    ),
    program(
        "lets in the branch of an if",
        """
        def f(k: key, c: bool) -> f32 =
            let x = if c then
                let (a, b) = split(k)
                normal(a) + normal(b)
            else
                normal(k)
            x + 1.0
        """,
    ),
    program(
        "elements by literal",
        """
        def f(k: key) -> f32 =
            let ks = split(k, 4)
            normal(ks[3]) + normal(ks[0]) + normal(ks[2]) + normal(ks[1])
        """,
    ),
    program(
        "elements from the end of a literal size",
        """
        def f(k: key) -> f32 =
            let ks = split(k, 3)
            normal(ks[0]) + normal(ks[-1]) + normal(ks[-2])
        """,
    ),
    program(
        "elements by symbolic index",
        """
        def f(ks: key[n + 2]) -> f32 = normal(ks[n]) + normal(ks[n + 1])
        """,
    ),
    program(
        "elements by static let",
        """
        def f(k: key) -> f32 =
            let ks = split(k, 3)
            let i = 1
            normal(ks[i]) + normal(ks[i + 1]) + normal(ks[0])
        """,
    ),
    program(
        "elements by a static parameter",
        """
        def f(ks: key[n], static i: size) -> f32 where i + 1 < n = normal(ks[i]) + normal(ks[i + 1])
        """,
    ),
    program(
        "elements of two axes",
        """
        def f(ks: key[2, 3]) -> f32 = normal(ks[0, 1]) + normal(ks[0, 2]) + normal(ks[1][1])
        """,
    ),
    program(
        "fields of a stack of records",
        """
        type S = {k: key, j: key}
        def f(s: S[3]) -> f32 = normal(s[0].k) + normal(s.k[1]) + normal(s.j[0]) + normal(s[1].j)
        """,
    ),
    program(
        "data beside a key that is gone",
        """
        type S = {k: key, x: f32}
        def g(s: S) -> f32 = normal(s.k)
        def f(s: S) -> f32 = s.x + g(s) + s.x * s.x
        """,
    ),
    program(
        "record update that replaces the key",
        """
        type S = {k: key, x: f32}
        def f(s: S) -> S =
            let (next, now) = split(s.k)
            {s with k = next, x = s.x + normal(now)}
        """,
    ),
    program(
        "nested record update",
        """
        type S = {layer: {k: key, j: key}, x: f32}
        def f(s: S) -> S =
            let (next, now) = split(s.layer.k)
            {s with layer.k = next, x = normal(now)}
        """,
    ),
    program(
        "keys of two clauses",
        """
        def f(k: key) -> f32[3, 4] = [normal(fold_in(fold_in(k, i), j)) for i in range(3), j in range(4)]
        """,
    ),
    program(
        "nested comprehensions with a key between",
        """
        def f(k: key) -> f32[3, 4] =
            [[normal(fold_in(q, j)) for j in range(4)] for q in split(k, 3)]
        """,
    ),
    program(
        "index of a later clause",
        """
        def f(ks: key[n]) -> f32[n, 4] = [normal(fold_in(k, j)) for k in ks, j in range(4)]
        """,
    ),
    program(
        "fold_in over enumerate and zip",
        """
        def f(k: key, x: f32[n]) -> f32[n] = [v + normal(fold_in(k, i)) for i, v in enumerate(x)]
        def g(k: key, x: f32[n]) -> f32[n] = [v + normal(fold_in(k, i)) for i, v in zip(range(n), x)]
        """,
    ),
    program(
        "fold_in on both branches",
        """
        def f(k: key) -> f32[9] =
            [if i < 3 then normal(fold_in(k, i)) else -normal(fold_in(k, i)) for i in range(9)]
        """,
    ),
    program(
        "fold_in of a field and of an element",
        """
        def f(s: {k: key, x: f32}, ks: key[2]) -> f32[9] =
            [s.x + normal(fold_in(s.k, i)) * normal(fold_in(ks[1], i)) for i in range(9)]
        """,
    ),
    program(
        "keys bound in the body",
        """
        def f(k: key, x: f32) -> f32 =
            fold x = x for i in range(10) do
                let q = fold_in(k, i)
                let (a, b) = split(q)
                x + normal(a) * normal(b)
        """,
    ),
    program(
        "a carry of keys through scan",
        """
        def f(k: key) -> (key, f32[10]) =
            scan k = k for _ in range(10) do
                let (k, now) = split(k)
                (k, normal(now))
        """,
    ),
    program(
        "a loop over a tuple of keys",
        """
        def f(a: key, b: key) -> f32 = fold x = 0.0 for k in (a, b) do x + normal(k)
        """,
    ),
    program(
        "elements in the steps of a tuple",
        """
        def f(ks: key[3], w: (f32, f32[2])) -> f32 =
            let a = fold x = 0.0 for i in (0, 2) do x + normal(ks[i])
            a + normal(ks[1])
        def g(ks: key[2], w: (f32, f32[2])) -> f32 =
            fold x = 0.0 for i, v in enumerate(w) do x + normal(ks[i]) * sum(v)
        """,
    ),
    program(
        "named function passed on",
        """
        def draw(k: key) -> f32 = normal(k)
        def twice(g: (key) -> f32, a: key, b: key) -> f32 = g(a) + g(b)
        def f(k: key) -> f32 =
            let (a, b) = split(k)
            twice(draw, a, b)
        """,
    ),
    program(
        "function value computed with a key",
        """
        def drawn(k: key) -> (f32) -> f32 =
            let b = normal(k)
            fn x -> x + b
        def apply(g: (f32) -> f32, x: f32) -> f32 = g(g(x))
        def f(k: key, x: f32) -> f32 = apply(drawn(k), x)
        def g(k: key, x: f32) -> f32 =
            let (y, pull) = vjp(drawn(k), x)
            pull(y).0
        """,
    ),
    program(
        "lambda that is called once",
        """
        def f(k: key, x: f32) -> f32 =
            let noisy = fn v -> v + normal(k)
            noisy(x)
        """,
    ),
    program(
        "lambda that is called on either branch",
        """
        def f(k: key, x: f32, c: bool) -> f32 =
            let noisy = fn v -> v + normal(k)
            if c then noisy(x) else noisy(-x)
        """,
    ),
    program(
        "lambda under another name and type",
        """
        def f(k: key, x: f32) -> f32 =
            let noisy: (f32) -> f32 = fn v -> v + normal(k)
            let other = noisy
            other(x)
        """,
    ),
    program(
        "lambda of the body called there",
        """
        def f(k: key) -> f32[10] =
            [(let_there(fold_in(k, i))) for i in range(10)]
        def let_there(k: key) -> f32 =
            let draw = fn () -> normal(k)
            draw()
        """,
    ),
    program(
        "lambda over the key of a turn",
        """
        def f(ks: key[n]) -> f32[n] =
            [k |> fn q -> normal(q) for k in ks]
        """,
    ),
    program(
        "lambda over fold_in in its own loop",
        """
        def f(k: key, x: f32) -> f32 =
            fold x = x for i in range(10) do
                let draw = fn v -> v + normal(fold_in(k, i))
                draw(x)
        """,
    ),
    program(
        "lambda with keys of its own, used often",
        """
        def f(k: key) -> f32 =
            let draw = fn (q: key) -> normal(q)
            let (a, b) = split(k)
            draw(a) + draw(b)
        """,
    ),
    program(
        "transformed functions take keys",
        """
        def loss(w: f32, k: key) -> f32 = w * normal(k)
        def f(w: f32, k: key) -> f32 =
            let (a, b) = split(k)
            grad(loss)(w, a) + grad(fn (v, q) -> loss(v, q))(w, b)
        """,
    ),
    program(
        "lambda that is differentiated",
        """
        def f(k: key, x: f32) -> f32 = grad(fn v -> v * normal(k))(x)
        def g(k: key, x: f32) -> f32 = jvp(jit(fn v -> v * normal(k)), (x,), (x,)).1
        """,
    ),
    program(
        "rng takes the key",
        """
        def noisy(x: f32) -> f32 ! rand = x + normal(fresh_key())
        def f(k: key, x: f32) -> f32 = with rng(k) do noisy(x) + noisy(x)
        """,
    ),
    program(
        "handler clause moves what it is given",
        """
        effect draw: (k: key) -> f32
        def model(k: key) -> f32 ! draw = draw(k)
        def f(k: key) -> f32 = with handler draw(q) -> resume(normal(q)) do model(k)
        """,
    ),
    program(
        "match on a static value",
        """
        enum Mode = Plain | Noisy(scale: float)
        def f(k: key, static m: Mode) -> f32 =
            match m with
                Plain -> normal(k)
                Noisy(s) -> s * normal(k)
        """,
    ),
    program(
        "shapes of keys that are gone",
        """
        def f(ks: key[n]) -> f32 =
            let total = sum([normal(k) for k in ks])
            total / f32(ks.shape[0] + ks.ndim + ks.size)
        """,
    ),
    program(
        "Move generics pass through",
        """
        def pair[A: Move, B: Move](a: A, b: B) -> (B, A) = (b, a)
        def first[A: Move](p: (A, A)) -> A = p.0
        """,
    ),
]

REFUSED = [
    program(
        "a function that is passed on twice in a tuple",
        """
        def app(fs: (f32 -> f32, f32 -> f32), x: f32) -> f32 = fs.0(fs.1(x))
        def f(k: key, x: f32) -> f32 =
            let g = fn v -> v + normal(k)
            app((g, g), x)    #! E0611
        """,
    ),
    program(
        "two functions that draw by one",
        """
        def f(k: key, x: f32) -> (f32, f32) =
            let g = fn v -> v + normal(k)
            let fs = (g, fn v -> g(v))    #! E0611
            (fs.0(x), fs.1(x))
        """,
    ),
    program(
        "two functions in a tuple that draw each by itself",
        """
        def app(fs: (f32 -> f32, f32 -> f32), x: f32) -> f32 = fs.0(fs.1(x))
        def f(j: key, k: key, x: f32) -> f32 =
            let (g, h) = (fn v -> v + normal(j), fn v -> v + normal(k))    #! E0611 E0611
            app((g, h), x)
        """,
    ),
    program(
        "three uses",
        """
        def f(k: key) -> f32 =
            let a = normal(k)
            let b = normal(k)    #! E0610
            a + b + normal(k)    #! E0610
        """,
    ),
    program(
        "keyword arguments in another order",
        """
        def g(a: f32, b: f32) -> f32 = a - b
        def f(k: key) -> f32 =
            g(b = normal(k),
              a = normal(k))     #! E0610
        """,
    ),
    program(
        "nested calls",
        """
        def g(k: key, x: f32) -> f32 = x + normal(k)
        def f(k: key) -> f32 =
            g(k, 1.0 +
              normal(k))         #! E0610
        """,
    ),
    program(
        "each of two definitions",
        """
        def f(k: key) -> f32 = normal(k) + normal(k)    #! E0610
        def g(k: key) -> f32 = f(k) + f(k)              #! E0610
        """,
    ),
    program(
        "branch and after",
        """
        def f(k: key, c: bool) -> f32 =
            let x = if c then 0.0 else normal(k)
            x + normal(k)        #! E0610
        """,
    ),
    program(
        "right side of or",
        """
        def f(k: key, c: bool) -> bool =
            let d = c or normal(k) > 0.0
            d and normal(k) > 1.0        #! E0610
        """,
    ),
    program(
        "arm and after",
        """
        enum Mode = Plain | Noisy
        def f(k: key, static m: Mode) -> f32 =
            let x = match m with
                Plain -> 0.0
                Noisy -> normal(k)
            x + normal(k)        #! E0610
        """,
    ),
    program(
        "elements that may be equal",
        """
        def f(ks: key[n], static i: size) -> f32 where i < n and n >= 2 =
            normal(ks[0]) * (
                normal(ks[i]))   #! E0610
        """,
    ),
    program(
        "last element of an unknown size",
        """
        def f(ks: key[n]) -> f32 where n >= 1 =
            normal(ks[0]) * (
                normal(ks[-1]))  #! E0610
        """,
    ),
    program(
        "element and slice",
        """
        def f(k: key) -> f32[2] =
            let ks = split(k, 3)
            let x = normal(ks[0])
            [x + normal(q) for q in ks[:2]]    #! E0610
        """,
    ),
    program(
        "element of a stack both ways",
        """
        type S = {k: key, j: key}
        def f(s: S[3]) -> f32 =
            normal(s[0].k) * (
                normal(s.k[0]))  #! E0610
        """,
    ),
    program(
        "element of a stack and the whole of it",
        """
        type S = {k: key, j: key}
        def f(s: S[3]) -> (S, f32[3]) =
            (s[0], [normal(q) for q in s.j])    #! E0610
        """,
    ),
    program(
        "traced index and a field beside",
        """
        type S = {k: key, j: key}
        def f(s: S[3], i: idx[3]) -> f32 =
            normal(s[i].k) + normal(s[0].j) * (
                normal(s.k[0]))  #! E0610
        """,
    ),
    program(
        "destructuring takes all",
        """
        def f(p: (key, key)) -> f32 =
            let (a, _) = p
            normal(a) + normal(p.1)    #! E0610
        """,
    ),
    program(
        "update that keeps a key that is gone",
        """
        type S = {k: key, j: key, x: f32}
        def f(s: S) -> S =
            let x = normal(s.k) + normal(s.j)
            {s with k = fold_in(s.j, 1), x = x}    #! E0610 E0610
        """,
    ),
    program(
        "outside key in a scan",
        """
        def f(k: key) -> (f32, f32[9]) =
            scan x = 0.0 for _ in range(9) do
                (x, normal(k))   #! E0611
        """,
    ),
    program(
        "told once in a loop",
        """
        def f(k: key) -> f32 =
            fold x = 0.0 for i in range(9) do
                let x = x + normal(k)    #! E0611
                x + normal(fold_in(k, i))
        """,
    ),
    program(
        "outside key of an inner loop",
        """
        def f(k: key) -> f32 =
            fold x = 0.0 for i in range(9) do
                let q = fold_in(k, i)
                fold x = x for _ in range(9) do
                    x + normal(q)    #! E0611
        """,
    ),
    program(
        "key of the first clause in the second",
        """
        def f(ks: key[n]) -> f32[n, 4] = [normal(k) for k in ks, j in range(4)]    #! E0611
        """,
    ),
    program(
        "keys iterated once for every element",
        """
        def f(ks: key[n]) -> f32[4, n] = [normal(k) for j in range(4), k in ks]    #! E0611
        """,
    ),
    program(
        "index of one clause alone",
        """
        def f(k: key) -> f32[3, 4] = [normal(fold_in(k, i)) for i in range(3), j in range(4)]    #! E0611
        """,
    ),
    program(
        "fold_in over what a zip carries",
        """
        def f(k: key, ids: i32[n]) -> f32[n] =
            [normal(fold_in(k, d)) for i, d in zip(range(n), ids)]    #! E0611
        """,
    ),
    program(
        "fold_in of another loop's index",
        """
        def f(k: key) -> f32 =
            fold x = 0.0 for i in range(9) do
                x + sum([normal(fold_in(k, i)) for j in range(4)])    #! E0611
        """,
    ),
    program(
        "fold_in twice in one body",
        """
        def f(k: key) -> f32 =
            fold x = 0.0 for i in range(9) do
                let a = normal(fold_in(k, i))
                x + a + normal(fold_in(k, i))    #! E0610
        """,
    ),
    program(
        "fold_in in a loop, then in another",
        """
        def f(k: key) -> f32 =
            let a = sum([normal(fold_in(k, i)) for i in range(9)])
            a + sum([normal(fold_in(k, i)) for i in range(9)])    #! E0610
        """,
    ),
    program(
        "carried key used twice",
        """
        def f(k: key) -> (key, f32[10]) =
            scan k = k for _ in range(10) do
                let (next, now) = split(k)
                (k, normal(now))         #! E0610
        """,
    ),
    program(
        "carried key in the condition and in the body",
        """
        def f(k: key) -> (key, f32) =
            iterate (k, x) = (k, 0.0) while normal(k) < 1.0 limit 9 do
                let (k, now) = split(k)    #! E0610
                (k, x + normal(now))
        """,
    ),
    program(
        "carried key in the condition alone",
        """
        def f(k: key, j: key) -> (key, f32) =
            iterate (k, i) = (k, 0.0) while normal(k) < 1.0 limit 9 do    #! E0611
                (random_key(), i + 1.0)
        import random
        def random_key() -> key = random.key(0)
        """,
    ),
    program(
        "outside key in a loop over a tuple",
        """
        def f(k: key, w: (f32, f32[2])) -> f32 =
            fold x = 0.0 for v in w do
                x + sum(v) * normal(k)    #! E0611
        """,
    ),
    program(
        "lambda that is called twice",
        """
        def f(k: key, x: f32) -> f32 =
            let noisy = fn v -> v + normal(k)
            let y = noisy(x)
            noisy(y)             #! E0610
        """,
    ),
    program(
        "lambda and what it moves",
        """
        def f(k: key, x: f32) -> f32 =
            let noisy = fn v -> v + normal(k)
            let y = normal(k)
            noisy(y)             #! E0610
        """,
    ),
    program(
        "lambda called in a loop",
        """
        def f(k: key, x: f32) -> f32 =
            let noisy = fn v -> v + normal(k)
            fold x = x for _ in range(9) do
                noisy(x)         #! E0611
        """,
    ),
    program(
        "lambda called in a lambda that is passed",
        """
        def apply(g: (f32) -> f32, x: f32) -> f32 = g(g(x))
        def f(k: key, x: f32) -> f32 =
            let noisy = fn v -> v + normal(k)
            apply(fn v -> noisy(v), x)    #! E0611
        """,
    ),
    program(
        "named lambda that is passed",
        """
        def apply(g: (f32) -> f32, x: f32) -> f32 = g(g(x))
        def f(k: key, x: f32) -> f32 =
            let noisy = fn v -> v + normal(k)
            apply(noisy, x)      #! E0611
        """,
    ),
    program(
        "named lambda that is mapped",
        """
        def f(k: key, x: f32[n]) -> f32[n] =
            let noisy = fn v -> v + normal(k)
            vmap(noisy)(x)       #! E0611
        """,
    ),
    program(
        "lambda that is stored",
        """
        def f(k: key, x: f32) -> f32 =
            let fs = (fn v -> v + normal(k), 1)    #! E0611
            fs.0(x)
        """,
    ),
    program(
        "lambda that is returned",
        """
        def f(k: key) -> (f32) -> f32 =
            fn v -> v + normal(k)    #! E0611
        """,
    ),
    program(
        "lambda that is differentiated, called twice",
        """
        def f(k: key, x: f32) -> f32 =
            let slope = grad(fn v -> v * normal(k))
            slope(x) + slope(x)    #! E0610
        """,
    ),
    program(
        "lambda over leaves of one type",
        """
        def f(k: key, t: {a: f32, b: f32}) -> {a: f32, b: f32} =
            tree_map(fn v -> v + normal(k), t)    #! E0611
        """,
    ),
    program(
        "twice inside a lambda",
        """
        def f(k: key) -> f32 =
            let draw = fn (q: key) -> normal(q) + normal(q)    #! E0610
            draw(k)
        """,
    ),
    program(
        "twice outside, inside a lambda",
        """
        def f(k: key) -> f32 =
            (fn (x: f32) -> x + normal(k) + normal(k))(1.0)    #! E0610
        """,
    ),
    program(
        "rng and after",
        """
        def f(k: key) -> f32 =
            let x = with rng(k) do normal(fresh_key())
            x + normal(k)        #! E0610
        """,
    ),
    program(
        "generic value twice",
        """
        def f[A: Move](a: A) -> (A, A) = (a, a)    #! E0610
        """,
    ),
    program(
        "default that makes a key",
        """
        import random
        def f(x: f32 = normal(random.key(0))) -> f32 = x    #! E0613
        """,
    ),
    program(
        "default that uses a key",
        """
        def f(k: key, x: f32 = normal(k)) -> f32 = x + normal(k)    #! E0613
        """,
    ),
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    assert [d.message for d in diagnostics(text)] == []


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    assert expected(text)
    assert found(text) == expected(text)
