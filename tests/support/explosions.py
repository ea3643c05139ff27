"""Short texts that mean something huge: what a checker without budgets would hang on, or fill the memory with.

A function `main` of one `f32`, where there is one, is to be specialised as well: a text that checks quickly may still
explode when it is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


def lines(count: int, line: Callable[[int], str]) -> str:
    return "".join(line(i) + "\n" for i in range(1, count + 1))


def block(body: str, result: str, head: str = "def main(x: f32) =") -> str:
    """A definition whose body is these lines and this value."""
    return head + "\n" + "".join(f"    {line}\n" for line in body.splitlines()) + f"    {result}\n"


def nested(text: str, inner: str, depth: int) -> str:
    for _ in range(depth):
        inner = text.replace("@", inner)
    return inner


SQUARES = lines(60, lambda i: f"let n{i} = n{i - 1} * n{i - 1}")
PAIRS = lines(40, lambda i: f"let t{i} = (t{i - 1}, t{i - 1})")
RECORDS = lines(40, lambda i: f"let t{i} = {{a = t{i - 1}, b = t{i - 1}}}")

NUMBERS: Mapping[str, str] = {
    "repeated squares": block("let n0 = 10\n" + SQUARES, "x + n60 % 2"),
    "repeated squares at the top": "let n0 = 10\n" + SQUARES,
    "repeated squares of sizes": "def main(x: f32[n]) =\n    let n0 = n\n"
    + "".join(f"    {line}\n" for line in SQUARES.splitlines())
    + "    n60\n",
    "repeated squares of a sum": "def main(x: f32[n, m, k]) =\n    let n0 = n + m + k + 1\n"
    + "".join(f"    {line}\n" for line in SQUARES.splitlines())
    + "    n60\n",
    "repeated squares of a parameter": block(
        "let n0 = k + 10\n" + SQUARES, "x + (n60 % 2)", "def f(x: f32, static k: int) ="
    )
    + "def main(x: f32) = f(x, k=1)\n",
    "a tower of powers": "let a = 2 ** 10 ** 9\nlet b = 1 << 10 ** 9\nlet c = 3 ** 3 ** 3 ** 3\n",
    "a tower of powers, used": "def main(x: f32) = x + (2 ** 10 ** 9) % 7 + ((1 << 10 ** 9) % 7)\n",
    "a shift of a parameter": "def f(x: f32, static k: int) = x + ((1 << k) % 7)\n"
    "def main(x: f32) = f(x, k=10 ** 12)\n",
    "a power of a parameter": "def f(x: f32, static k: int) = x + ((3 ** k) % 7)\n"
    "def main(x: f32) = f(x, k=10 ** 12)\n",
    "a large power of a parameter": "def f(x: f32, static k: int) = x + ((3 ** k) % 7)\n"
    "def main(x: f32) = f(x, k=50_000_000)\n",
    "powers by a function": "let a = power(10, 1000000000)\nlet b = power(power(10, 10), 100000000)\n",
    "squares by a function": "let n0 = 10\n" + lines(60, lambda i: f"let n{i} = square(n{i - 1})"),
    "sums by recursion": "static def f(n: int) -> int = if n <= 1 then n else f(n - 1) * f(n - 1) + 7\nlet k = f(60)\n",
    "a power of a sum": "def f(x: f32[((a + b + c) ** 40), a, b, c]) -> f32[a, b, c] = x[0]\n",
    "a power of a long sum": "def f(x: f32[a, b, c, d, e, g], y: f32[(a + b + c + d + e + g) ** 12]) = y\n",
    "a product of sums": "def f(x: f32["
    + ", ".join(f"n{i}" for i in range(24))
    + "]) =\n    "
    + " * ".join(f"(n{i} + {i + 1})" for i in range(24))
    + "\n",
    "a product of sums of sizes": "def f(x: f32["
    + ", ".join(f"n{i}, m{i}" for i in range(20))
    + "]) =\n    zeros(["
    + " * ".join(f"(n{i} + m{i})" for i in range(20))
    + "])\n",
    "a product by lets": block(
        "let p0 = 1\n" + lines(24, lambda i: f"let p{i} = p{i - 1} * (n{i - 1} + {i})"),
        "p24",
        "def f(x: f32[" + ", ".join(f"n{i}" for i in range(24)) + "]) =",
    ),
    "a power of a sum by lets": block(
        "let p0 = 1\n" + lines(60, lambda i: f"let p{i} = p{i - 1} * (n + m + k + j + 1)"),
        "p60",
        "def f(x: f32[n, m, k, j]) =",
    ),
    "a wide reshape": "def f(x: f32[" + ", ".join(f"n{i} + 1" for i in range(24)) + "]) =\n"
    "    reshape(x, [" + " * ".join(f"(n{i} + 1)" for i in range(24)) + "])\n",
    "sums of squares": "def f(x: f32[n, m]) =\n    let s0 = n + m\n"
    + lines(30, lambda i: f"    let s{i} = s{i - 1} * s{i - 1} + s{i - 1} + n")
    + "    s30\n",
    "nested divisions": "def f(x: f32[n, m]) =\n    let s0 = n\n"
    + lines(40, lambda i: f"    let s{i} = (s{i - 1} + m) // (s{i - 1} + {i})")
    + "    s40\n",
    "nested remainders": "def f(x: f32[n, m]) =\n    let s0 = n\n"
    + lines(40, lambda i: f"    let s{i} = (s{i - 1} + m) % (s{i - 1} + {i})")
    + "    s40\n",
    "nested minima": "def f(x: f32[n, m]) =\n    let s0 = n\n"
    + lines(40, lambda i: f"    let s{i} = min(s{i - 1} * 2 + m, s{i - 1} * m + {i})")
    + "    s40\n",
    "minima and maxima by turns": "def f(x: f32[n, m]) =\n    let s0 = n\n"
    + lines(40, lambda i: f"    let s{i} = {'min' if i % 2 else 'max'}(s{i - 1} + m, m * s{i - 1})")
    + "    s40\n",
    "a minimum of many": "def f(x: f32[n, m, k]) =\n    let s0 = n\n"
    + lines(400, lambda i: f"    let s{i} = min(s{i - 1}, m * {i} + n * {401 - i})")
    + "    s400\n",
    "minima in a type": "static def g(a: int, b: int) -> int = min(max(a + b, a * b), max(a, b + 1))\n"
    "static def h(a: int, b: int) -> int = g(g(a, b), g(b, a))\n"
    "static def k(a: int, b: int) -> int = h(h(a, b), h(b, a))\n"
    "def f(x: f32[n], y: f32[m]) -> f32[k(k(n, m), k(m, n))] = zeros([k(k(n, m), k(m, n))])\n",
    "huge coefficients": "def f(x: f32[n]) =\n    let s0 = n + 1\n"
    + lines(60, lambda i: f"    let s{i} = s{i - 1} * 1000000007 + s{i - 1}")
    + "    s60\n",
    "a division of huge numbers": "let a = (10 ** 9000) // 7\n"
    "let b = a * a\nlet c = b * b\nlet d = c * c * c * c * c\n",
    "fibonacci": "static def fib(n: int) -> int = if n < 2 then n else fib(n - 1) + fib(n - 2)\nlet k = fib(40)\n",
    "fibonacci in a type": "static def fib(n: int) -> int = if n < 2 then n else fib(n - 1) + fib(n - 2)\n"
    "def f(x: f32[fib(35)]) -> f32 = x[0]\n",
    "fibonacci of a size": "static def fib(n: int) -> int = if n < 2 then n else fib(n - 1) + fib(n - 2)\n"
    "def f(x: f32[n], y: f32[fib(n + 30)]) -> f32[fib(30 + n)] = y\n"
    "def main(x: f32) = f(ones([5]), zeros([9_227_465]))\n",
    "ackermann": "static def a(m: int, n: int) -> int =\n"
    "    if m == 0 then n + 1 else if n == 0 then a(m - 1, 1) else a(m - 1, a(m, n - 1))\nlet k = a(4, 2)\n",
    "collatz without an end": "static def f(n: int) -> int =\n"
    "    if n == 1 then 0 else f(if n % 2 == 0 then n else 3 * n + 1)\n"
    "let k = f(27)\n",
    "mutual recursion that doubles": "static def f(n: int) -> int = if n < 1 then 1 else g(n - 1) + g(n - 1)\n"
    "static def g(n: int) -> int = if n < 1 then 1 else f(n - 1) + f(n - 1)\nlet k = f(60)\n",
    "definitions that double": "static def f0(n: int) -> int = n + 1\n"
    + lines(40, lambda i: f"static def f{i}(n: int) -> int = f{i - 1}(n) + f{i - 1}(n + 1)")
    + "let k = f40(1)\n",
    "definitions that double a size": "static def f0(n: int) -> int = n + 1\n"
    + lines(40, lambda i: f"static def f{i}(n: int) -> int = f{i - 1}(f{i - 1}(n))")
    + "def f(x: f32[n], y: f32[f40(n)]) -> f32[f40(n)] = y\n",
    "definitions of minima that double": "static def f0(n: int, m: int) -> int = min(n, m)\n"
    + lines(40, lambda i: f"static def f{i}(n: int, m: int) -> int = min(f{i - 1}(n, m + {i}), f{i - 1}(m, n + {i}))")
    + "def f(x: f32[n, m], y: f32[f40(n, m)]) -> f32[f40(n, m)] = y\n",
    "definitions that triple floats": "static def f0(a: float) -> float = a * 0.5\n"
    + lines(30, lambda i: f"static def f{i}(a: float) -> float = f{i - 1}(a) + f{i - 1}(a * 2.0) + f{i - 1}(a + 1.0)")
    + "let k = f30(1.0)\n",
    "a chain of static definitions": "static def f0(n: int) -> int = n + 1\n"
    + lines(3000, lambda i: f"static def f{i}(n: int) -> int = f{i - 1}(n) + 1"),
    "a chain of static definitions, used": "static def f0(n: int) -> int = n + 1\n"
    + lines(3000, lambda i: f"static def f{i}(n: int) -> int = f{i - 1}(n) + 1")
    + "let k = f3000(1)\n",
    "a chain of static definitions backwards": lines(
        3000, lambda i: f"static def f{i}(n: int) -> int = f{i + 1}(n) + 1"
    )
    + "static def f3001(n: int) -> int = n\n",
    "a chain of inferred definitions": "static def f0(n: int) = n + 1\n"
    + lines(600, lambda i: f"static def f{i}(n: int) = f{i - 1}(n) + 1"),
    "a deep recursion": "static def g(n: int) -> int = if n == 0 then 0 else 1 + g(n - 1)\nlet y = g(1000000)\n",
    "a recursion at many places": "static def g(n: int) -> int = if n == 0 then 0 else 1 + g(n - 1)\n"
    + lines(300, lambda i: f"let y{i} = g(150)"),
}

TYPES: Mapping[str, str] = {
    "aliases that double": "type A0 = (f32, f32)\n" + lines(40, lambda i: f"type A{i} = (A{i - 1}, A{i - 1})"),
    "aliases that double, used": "type A0 = (f32, f32)\n"
    + lines(40, lambda i: f"type A{i} = (A{i - 1}, A{i - 1})")
    + "def f(a: A40) -> A40 = a\ndef g(a: A40) -> A40 = f(a)\n",
    "records that double": "type A0 = {a: f32, b: f32}\n"
    + lines(40, lambda i: f"type A{i} = {{a: A{i - 1}, b: A{i - 1}}}")
    + "def f(a: A40, b: A40) -> A40 = a + b\n",
    "aliases of sizes that double": "type A0[n] = f32[n]\n"
    + lines(40, lambda i: f"type A{i}[n] = (A{i - 1}[n], A{i - 1}[n + 1])")
    + "def f(a: A40[n]) -> A40[n] = a\n",
    "aliases whose sizes double": "type A0[n] = f32[n]\n"
    + lines(60, lambda i: f"type A{i}[n] = A{i - 1}[n * n]")
    + "def f(x: f32[n], a: A60[n]) -> A60[n] = a\n",
    "aliases whose axes double": "type A0[*s] = f32[*s]\n"
    + lines(40, lambda i: f"type A{i}[*s] = A{i - 1}[*s, *s]")
    + "def f(x: f32[n], a: A40[n]) -> A40[n] = a\n",
    "functions that double": "type A0 = (f32) -> f32\n"
    + lines(40, lambda i: f"type A{i} = (A{i - 1}) -> A{i - 1}")
    + "def f(a: A40, x: f32) = x\n",
    "axes in front of axes": "def f(x: f32" + "[n]" * 2000 + ") = x\n",
    "axes in front of pairs": "def f(x: (f32, f32)" + "[n]" * 2000 + ", y: f32[n]) = x\n",
    "tuples that double": block("let t0 = (x, x)\n" + PAIRS, "t40" + ".0" * 40 + ".1"),
    "tuples that double, returned": block("let t0 = (x, x)\n" + PAIRS, "t40"),
    "tuples that double, annotated": block("let t0: (f32, f32) = (x, x)\n" + PAIRS, "let t: f32 = t40\n    t"),
    "static tuples that double": block("let t0 = (1, 2)\n" + PAIRS, "x + t40" + ".0" * 40 + ".1"),
    "static tuples at the top": "let t0 = (1, 2)\n" + PAIRS + "def main(x: f32) = x + t40" + ".0" * 40 + ".1\n",
    "records that double by lets": block("let t0 = {a = x, b = x}\n" + RECORDS, "t40" + ".a" * 40 + ".b"),
    "sums of pairs that double": block("let t0 = (x, x)\n" + PAIRS, "(t40 + t40)" + ".0" * 40 + ".1"),
    "mapped pairs that double": block("let t0 = (x, x)\n" + PAIRS, "tree_map(fn v -> v * 2.0, t40)" + ".0" * 40 + ".1"),
    "pairs of functions that double": block(
        "let t0 = (fn a -> a * 2.0, fn a -> a + x)\n" + PAIRS, "(t40" + ".0" * 40 + ".1)(x)"
    ),
    "pairs compared": block(
        "let t0 = (x, x)\nlet u0 = (x, x)\n" + PAIRS + lines(40, lambda i: f"let u{i} = (u{i - 1}, u{i - 1})"),
        "(if x > 0.0 then t40 else u40)" + ".0" * 40 + ".1",
    ),
    "pairs through a function": "def pair(a: T, b: T) = (a, b)\n".replace("a: T, b: T", "a: f32, b: f32")
    + "def two[T: Tree](a: T) -> (T, T) = (a, a)\n"
    + block("let t0 = x\n" + lines(40, lambda i: f"let t{i} = two(t{i - 1})"), "t40" + ".0" * 40),
    "pairs through functions": "def f0(x: f32) = (x, x)\n"
    + lines(40, lambda i: f"def f{i}(x: f32) = (f{i - 1}(x), f{i - 1}(x))")
    + "def main(x: f32) = f40(x)"
    + ".0" * 41
    + "\n",
    "pairs in a carry": block("let t0 = (x, x)\n" + PAIRS, "fold c = t40 for i in range(3) do c"),
    "pairs that grow in a loop": "def main(x: f32) =\n"
    "    let t = fold c = x for i in (" + "1, " * 40 + ") do (c, c)\n    t" + ".0" * 40 + "\n",
    "comprehensions that nest": block(
        "let t0 = [x]\n" + lines(40, lambda i: f"let t{i} = [t{i - 1}, t{i - 1}]"), "t40"
    ),
    "lists that double": block(
        "let t0 = [x, x]\n" + lines(40, lambda i: f"let t{i} = concatenate((t{i - 1}, t{i - 1}))"), "t20[0]"
    ),
    "a rank that doubles": block(
        "let t0 = x\n"
        + lines(12, lambda i: f"let t{i} = zeros(t{i - 1}.shape) * 2.0")
        + "let u0 = zeros([1, 1])\n"
        + lines(40, lambda i: f"let u{i} = tensordot(u{i - 1}, u{i - 1}, axes=0)"),
        "sum(u40)",
    ),
    "a comprehension of pairs": block("let t0 = (x, x)\n" + PAIRS, "[t40 for i in range(3)]" + ".0" * 40 + ".1"),
    "optional layers": "def f(static a: int" + "?" * 400 + ") = a\n",
    "pairs in a match": "enum E = A | B\ndef f(x: f32, static e: E) =\n    let t0 = (x, x)\n"
    + lines(40, lambda i: f"    let t{i} = (t{i - 1}, t{i - 1})")
    + "    match e with\n        A -> t40\n        B -> t40\n",
    "enums that double": "enum E0 = A0 | B0(a: int)\n"
    + lines(40, lambda i: f"enum E{i} = A{i} | B{i}(a: E{i - 1}, b: E{i - 1})")
    + "let v0 = B0(1)\n"
    + lines(40, lambda i: f"let v{i} = B{i}(v{i - 1}, v{i - 1})")
    + "let w0 = B0(1)\n"
    + lines(40, lambda i: f"let w{i} = B{i}(w{i - 1}, w{i - 1})")
    + "def f(static e: E40) = e\nlet z = f(v40)\nlet b = v40 == w40\n",
    "gradients of gradients": "def f(x: f32) = x ** 5\ndef main(x: f32) = " + "grad(" * 9 + "f" + ")" * 9 + "(x)\n",
    "many gradients": "def f(x: f32) = sin(x) * x\ndef main(x: f32) = " + "grad(" * 30 + "f" + ")" * 30 + "(x)\n",
    "many maps": "def f(x: f32) = x\ndef main(x: f32) = sum("
    + "vmap(" * 30
    + "f"
    + ")" * 30
    + "(zeros(["
    + "1, " * 29
    + "1])))\n",
    "many jvps": block(
        "let f0 = fn a -> a * a\n" + lines(30, lambda i: f"let f{i} = fn a -> jvp(f{i - 1}, (a,), (a,)).1"), "f30(x)"
    ),
}

CALLS: Mapping[str, str] = {
    "lambdas that double": block(
        "let f0 = fn a -> a * 2.0\n" + lines(40, lambda i: f"let f{i} = fn a -> f{i - 1}(f{i - 1}(a))"), "f40(x)"
    ),
    "lambdas of pairs that double": block(
        "let f0 = fn a -> a\n" + lines(30, lambda i: f"let f{i} = fn a -> (f{i - 1}(a), f{i - 1}(a))"),
        "f30(x)" + ".0" * 30,
    ),
    "nested lambda applications": "def main(x: f32) = " + nested("(fn a -> (fn b -> b + a)(@))(x)", "x", 40) + "\n",
    "an argument used twice": "def main(x: f32) = " + nested("(fn a -> a + a)(@)", "x", 40) + "\n",
    "a lambda applied in a lambda": "def main(x: f32) = " + nested("(fn a -> @)(x)", "a", 40) + "\n",
    "compositions that double": "def twice(f: (f32) -> f32, x: f32) -> f32 = f(f(x))\n"
    + block("let f0 = fn a -> a * 2.0\n" + lines(30, lambda i: f"let f{i} = fn a -> twice(f{i - 1}, a)"), "f30(x)"),
    "definitions of lambdas that double": "def twice(f: (f32) -> f32) -> (f32) -> f32 = fn x -> f(f(x))\n"
    + "def main(x: f32) = "
    + nested("twice(@)", "fn a -> a + 1.0", 40)
    + "(x)\n",
    "self-application": "def main(x: f32) = (fn f -> f(f))(fn f -> f(f))\n",
    "self-application by lets": "def main(x: f32) =\n    let w = fn f -> f(f)\n    w(w)\n",
    "growing self-application": "def main(x: f32) = (fn f -> (f(f), f(f)))(fn f -> (f(f), f(f)))\n",
    "church numerals": "def main(x: f32) =\n    let two = fn f -> fn a -> f(f(a))\n"
    "    two(two)(two)(two)(two)(fn a -> a + 1.0)(x)\n",
    "recursion through pairs": "def f(x: f32, static n: int) -> f32 =\n"
    "    if n <= 0 then x else f(x, n=n - 1) + f(x * 2.0, n=n - 1)\ndef main(x: f32) = f(x, n=40)\n",
    "definitions that call twice": "def f0(x: f32) -> f32 = x * 2.0\n"
    + lines(40, lambda i: f"def f{i}(x: f32) -> f32 = f{i - 1}(x) + f{i - 1}(x + 1.0)")
    + "def main(x: f32) = f40(x)\n",
    "large definitions that call twice": "def f0(x: f32) -> f32 = x * 2.0\n"
    + lines(40, lambda i: f"def f{i}(x: f32) -> f32 = f{i - 1}(x) + f{i - 1}(x + 1.0)" + " * 2.0 + x" * 20)
    + "def main(x: f32) = f40(x)\n",
    "large functions of statics": "def f(x: f32, static n: int) -> f32 =\n    if n <= 0 then x else f(x, n=n - 1)"
    + " * 2.0 + x" * 20
    + " + f(x + 1.0, n=n - 1)\ndef main(x: f32) = f(x, n=100)\n",
    "fibonacci at run time": "static def fib(n: int) -> int = if n < 2 then n else fib(n - 1) + fib(n - 2)\n"
    "def f(x: f32, static n: int) = x + (fib(n) % 1000)\ndef main(x: f32) = f(x, n=80)\n",
    "a huge size": "def main(x: f32) = x + zeros([10 ** 30])[0]\n",
    "definitions that call twice, inferred": "def f0(x: f32) = x * 2.0\n"
    + lines(40, lambda i: f"def f{i}(x: f32) = f{i - 1}(x) + f{i - 1}(x + 1.0)")
    + "def main(x: f32) = f40(x)\n",
    "definitions with functions": "def f0(g: (f32) -> f32, x: f32) -> f32 = g(x)\n"
    + lines(40, lambda i: f"def f{i}(g: (f32) -> f32, x: f32) -> f32 = f{i - 1}(fn a -> g(g(a)), x)")
    + "def main(x: f32) = f40(fn a -> a * 2.0, x)\n",
    "definitions with a draw": "import random\n"
    "from random import uniform\ndef f0(x: f32) -> f32 ! rand = x * uniform(fresh_key(), [])\n"
    + lines(30, lambda i: f"def f{i}(x: f32) -> f32 ! rand = f{i - 1}(x) + f{i - 1}(x + 1.0)")
    + "def main(x: f32) = with rng(random.key(0)) do f30(x)\n",
    "static branches in static branches": "def f(x: f32, static k: int) =\n    "
    + nested("if k > 3 then @ else x", "x", 60)
    + "\n",
    "many static branches": "def f(x: f32, "
    + ", ".join(f"static k{i}: int" for i in range(60))
    + ") =\n    "
    + "".join(f"if k{i} > {i} then x + {i}.0 else " for i in range(60))
    + "x\n",
    "a sum of static branches": "def f(x: f32, static k: int) =\n"
    + lines(60, lambda i: f"    let x{i} = if k > {i} then x{i - 1 or ''} + 1.0 else x{i - 1 or ''}")
    + "    x60\n",
    "static numbers by branches": "def f(x: f32, static k: int) =\n    let n0 = k\n"
    + lines(60, lambda i: f"    let n{i} = if k > {i} then n{i - 1} + 1 else n{i - 1} * 2")
    + "    n60\n",
    "sizes by branches": "def f(x: f32[n], static k: int) =\n    let n0 = n\n"
    + lines(30, lambda i: f"    let n{i} = if n > {i} then n{i - 1} + 1 else n{i - 1} + 2")
    + "    zeros([n30])\n",
    "asserted sizes": "def f(x: f32[n], y: f32[m]) where "
    + " and ".join(f"(n % {i} == 0 or m > n + {i})" for i in range(2, 40))
    + " = x\n",
    "many alternatives": "def f(x: f32[n, m, k, j]) where "
    + " and ".join(f"({a} > {i} or {b} > {i})" for i in range(10) for a, b in (("n", "m"), ("k", "j"), ("n", "k")))
    + " = x[n - 1]\n",
    "alternatives of alternatives": "static def p0(n: int) -> bool = n > 1\n"
    + lines(30, lambda i: f"static def p{i}(n: int) -> bool = p{i - 1}(n) or p{i - 1}(n + 1) and p{i - 1}(n + 2)")
    + "def f(x: f32[n]) where p30(n) = x\n",
    "negated alternatives": "static def p0(n: int, m: int) -> bool = n % 3 == m % 5\n"
    + lines(
        12,
        lambda i: (
            f"static def p{i}(n: int, m: int) -> bool = p{i - 1}(n, m) and not p{i - 1}(m + {i}, n) or p{i - 1}(n, n)"
        ),
    )
    + "def f(x: f32[n, m]) where p12(n, m) = x\n",
    "a chain of conditions": "def f0(x: f32[n]) -> f32 = x[n // 2]\n"
    + lines(94, lambda i: f"def f{i}(x: f32[n]) -> f32 = f{i - 1}(x) + x[n // {i + 1}]"),
    "a chain of divisibilities": "def f1(x: f32[n]) -> f32 = sum(x)\n"
    + lines(94, lambda i: f"def f{i + 1}(x: f32[n]) -> f32 = f{i}(x) + sum(reshape(x, [-1, {i + 1}]))"),
    "a match of many arms": "enum E = " + " | ".join(f"V{i}" for i in range(2000)) + "\ndef f(x: f32, static e: E) =\n"
    "    match e with\n" + lines(2000, lambda i: f"        V{i - 1} -> x + {i}.0"),
    "a match of many numbers": "def f(x: f32, static k: int) =\n    match k with\n"
    + lines(2000, lambda i: f"        {i} -> x + {i}.0")
    + "        _ -> x\n",
    "a match of tuples": "enum E = A | B | C\ndef f(x: f32, "
    + ", ".join(f"static e{i}: E" for i in range(12))
    + ") =\n    match ("
    + ", ".join(f"e{i}" for i in range(12))
    + ") with\n"
    + "".join(f"        ({', '.join('A' if j == i else '_' for j in range(12))}) -> x + {i}.0\n" for i in range(12))
    + "        ("
    + ", ".join("B" for _ in range(12))
    + ") -> x\n        _ -> x\n",
    "a match of strings": "def f(x: f32, static s: str) =\n    match s with\n"
    + lines(2000, lambda i: f'        "s{i}" -> x + {i}.0')
    + "        _ -> x\n",
    "an unrolled loop": "def main(x: f32) =\n    fold c = x for i in (" + "1, " * 300 + ") do c + i\n",
    "unrolled loops in loops": "def main(x: f32) =\n    let t = (" + "1, " * 300 + ")\n"
    "    fold c = x for i in t do fold d = c for j in t do fold e = d for k in t do e + 1.0\n",
    "unrolled loops with statics": "def main(x: f32) =\n    let t = (" + "1, " * 30 + ")\n"
    "    let n = fold c = 1 for i in t do fold d = c for j in t do d * 2 + i\n    x + n % 7\n",
    "an unrolled loop that doubles": "def main(x: f32) =\n    let f = fold g = fn a -> a + 1.0 for i in ("
    + "1, " * 40
    + ") do fn a -> g(g(a))\n    f(x)\n",
    "a huge range": "def main(x: f32) = sum([x + f32(i) for i in range(2 * 10 ** 9)])\n",
    "a huge tuple of zeros": "def main(x: f32) = x + zeros([10 ** 6, 10 ** 6, 10 ** 6])[0, 0, 0]\n",
    "a shape of a million": "def main(x: f32) = zeros([" + "1, " * 100_000 + "1])\n",
    "a long tuple": "def main(x: f32) = (" + "x, " * 100_000 + ").0\n",
    "a long list": "def main(x: f32) = [" + "x, " * 30_000 + "x]\n",
    "a long einsum": 'def f(x: f32[n]) = einsum("'
    + ",".join("a" * 1 for _ in range(400))
    + '->a", '
    + ", ".join("x" for _ in range(400))
    + ")\n",
    "a rank of thousands": "def f(x: f32[" + "n, " * 3000 + "]) = sum(x * x + 1.0)\n",
    "a broadcast of thousands": "def f(x: f32[" + ", ".join(f"n{i}" for i in range(1000)) + "]) = x * x + x\n",
    "a function of many sizes": "def f("
    + ", ".join(f"a{i}: f32[n{i}]" for i in range(1000))
    + ") = a0\n"
    + "def g("
    + ", ".join(f"a{i}: f32[n{i}]" for i in range(1000))
    + ") = f("
    + ", ".join(f"a{i}" for i in range(1000))
    + ")\n",
    "many calls of a condition": "def f(x: f32[n]) where n % 7 == 3 = x\ndef g(x: f32[n]) =\n"
    + lines(300, lambda i: f"    let x{i} = f(x)")
    + "    x300\n",
    "a chain of slices": block(lines(300, lambda i: f"let x{i} = x{i - 1 or ''}[1:]"), "x300", "def f(x: f32[n]) ="),
    "a chain of concatenations": block(
        "let y0 = x\n" + lines(300, lambda i: f"let y{i} = concatenate((y{i - 1}, x[:{i}]))"),
        "y300",
        "def f(x: f32[n]) =",
    ),
    "a chain of windows": block(
        "let y0 = x\n" + lines(40, lambda i: f"let y{i} = y{i - 1}[::2]"), "y40", "def f(x: f32[n]) ="
    ),
    "a chain of strides": block(
        "let y0 = x\n" + lines(40, lambda i: f"let y{i} = y{i - 1}[1::{i + 1}]"), "y40", "def f(x: f32[n]) ="
    ),
    "handlers in handlers": "def main(x: f32) =\n    "
    + "".join(f"with state s{i} = {i}.0 do " for i in range(60))
    + "x\n",
    "operations that double": "effect e: (a: f32) -> f32\ndef f0(x: f32) -> f32 ! e = e(x)\n"
    + lines(24, lambda i: f"def f{i}(x: f32) -> f32 ! e = f{i - 1}(x) + f{i - 1}(x)")
    + "def main(x: f32) = with handler e(a) -> resume(a * 2.0) do f24(x)\n",
    "imports of branches": "def f(x: f32) =\n    " + nested("if x > 1.0 then @ else x", "x", 200) + "\n",
    "traced branches that double": "def f(x: f32, c: bool) =\n    let t0 = x\n"
    + lines(60, lambda i: f"    let t{i} = if c then t{i - 1} else t{i - 1} * 2.0")
    + "    t60\n",
    "indices by branches": "def f(x: f32[n], c: bool) =\n    let t0 = 0\n"
    + lines(30, lambda i: f"    let t{i} = if c then t{i - 1} + 1 else t{i - 1} * 2")
    + "    x[t30]\n",
    "indices of indices": "def f(x: f32[n]) = [x["
    + " + ".join(f"i{i}" for i in range(6))
    + "] for "
    + ", ".join(f"i{i} in range(2)" for i in range(6))
    + "]\n",
}

PROGRAMS: Mapping[str, str] = {**NUMBERS, **TYPES, **CALLS}
