"""Random programs over arrays of sizes that data decide, right ones and wrong ones.

A right program comes three times: as a function that selects by a mask, as one of arrays that were selected before, and
as expressions of NumPy. At the true size all are the same function: that is what the first one means. A construct is a
line: in the language, and in NumPy where that looks otherwise. `V`, `W` and `U` stand for vectors of the selected size,
`S` and `T` for numbers; small letters before a digit are names of its own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.support.ragged_numpy import NAMES


class Text(NamedTuple):
    """An expression of the language, and of NumPy."""

    dsl: str
    numpy: str


def _forms(text: str) -> list[Text]:
    """The constructs in a table: those that look the same in both alone, the others with `~` between, if need be on a
    line of its own."""
    lines = [line.strip() for line in re.sub(r"\n\s*~", " ~", text).strip().splitlines()]
    pairs = [[part.strip() for part in line.split(" ~ ")] for line in lines]
    return [Text(pair[0], pair[-1]) for pair in pairs]


VECTORS = _forms("""
    sin(V)
    tanh(V)
    exp(-abs(V))
    sqrt(abs(V) + 0.1)
    log(abs(V) + 0.5)
    (-V)
    (V + W)
    (V * W)
    (V - S)
    (S * V)
    where(V > S, W, U)
    V[::-1]
    flip(V)
    minimum(V, S)
    cumsum(V)
    sort(V)
    cumprod(tanh(V))
    cummax(V)
    V[argsort(W)]
    (stack((V, W)).T @ [0.5, -1.0])                                  ~ (0.5 * V - W)
    concatenate((V, W))[:y.shape[0]]
    concatenate((V, W))[y.shape[0]:]
    (concatenate((V, [S, T]))[2:] - V[::-1])
    concatenate((V, x[x > S]))[:y.shape[0]]
    concatenate(([S], V))[:-1]
    reshape(stack((V, W), axis=1), [-1])[::2]                        ~ V
    reshape(stack((V, W), axis=0), [-1])[:y.shape[0]]                ~ V
    transpose(stack((V, W)))[:, 1]                                   ~ W
    repeat(V, 3)[::3]                                                ~ V
    pad(V, 1)[1:-1]                                                  ~ V
    sum(sin(V[:, None] - W[None, :]), axis=0)
    sum(V[:, None] * W[None, :], axis=1)
    ((V[:, None] - W[None, :]) @ U)
    einsum("ij,j->i", V[:, None] * W[None, :], U)
    (outer(V, W)[:, ::-1] @ U)
    (swapaxes(V[:, None] + W[None, :], 0, 1)[::-1] @ U)
    (reshape(reshape(V[:, None] - W[None, :], [-1]), [y.shape[0], y.shape[0]]) @ U)
        ~ ((V[:, None] - W[None, :]) @ U)
    V.at[V > S].set(a)                                               ~ where(V > S, a, V)
    V.at[argsort(W)].set(U)                                          ~ put(V, argsort(W), U)
    V.at[argsort(W)].add(U)                                          ~ put(V, argsort(W), U, np.add)
    V.at[argsort(W)].max(U)                                          ~ put(V, argsort(W), U, np.maximum)
    V.at[::-1].add(W)                                                ~ (V + W[::-1])
    V.at[::2].mul(a)
        ~ put(V, np.arange(len(V))[::2], a, np.multiply)
    roll(V, 2)                                                       ~ np.roll(V, 2)
    grad(fn e1 -> sum(roll(e1, -1) * W))(V)                          ~ (0.0 * V + np.roll(W, 1))
    where(V > S, thinned(V), W)
        ~ (where(V > S, V[::-1] if len(y) > 2 else -V, W))
    [e1 * cos(e1) + S for e1 in V]                                   ~ (V * cos(V) + S)
    [e1 * e2 for (e1, e2) in zip(V, W)]                              ~ (V * W)
    [e2 * f32(e1) for (e1, e2) in enumerate(V)]                      ~ (V * arange(len(V)))
    [(if e1 > S then sin(e1) else e1 * T) for e1 in V]               ~ where(V > S, sin(V), V * T)
    [(fold e2 = e1 for _ in range(3) do 0.5 * e2 + S) for e1 in V]   ~ (0.125 * V + 1.75 * S)
    [(iterate e2 = e1 while e2 < 1.0 limit 4 do e2 + 0.5) for e1 in V] ~ stepped(V)
    [(fold e3 = e1 for e2 in W do 0.5 * e3 + e2 * e1) for e1 in V]   ~ array([decayed(e1, W * e1) for e1 in V])
    [sum(V * e1) for e1 in W]                                        ~ (sum(V) * W)
    [sum(w.at[1].set(e1)) for e1 in V]                               ~ (sum(w) - w[1] + V)
    [V[e1] * S for e1 in range(y.shape[0])]                          ~ (V * S)
    vmap(fn e1 -> sum(V * e1) + S)(W)                                ~ (sum(V) * W + S)
    (scan e2 = S for e1 in V do (0.5 * e2 + e1, e2 * e1)).1          ~ scanned(S, V)
    (fold e1 = V for _ in range(2) do 0.5 * e1 + W)                  ~ (0.25 * V + 1.5 * W)
    (fold e1 = V for e2 in ms do 0.5 * e1 + sum(x[e2]))
        ~ (0.125 * V + decayed(0.0, selected_sums(x, ms)))
    (if S > 0.0 then V else W)                                       ~ (V if S > 0.0 else W)
    (if y.shape[0] > 2 then V - W[0] else V)                         ~ (V - W[0] if len(y) > 2 else V)
    grad(fn e1 -> sum(sin(e1) * W))(V)                               ~ (cos(V) * W)
    grad(fn e1 -> sum(sin(flip(e1)) * W))(V)                         ~ (cos(V) * W[::-1])
    grad(fn e1 -> sum(sin(concatenate((e1, W, e1)))))(V)             ~ (2.0 * cos(V))
    grad(fn e1 -> sum(tanh(e1[e1 > S])))(V)                          ~ where(V > S, 1.0 - tanh(V) ** 2, 0.0)
    grad(fn e1 -> fold e2 = S for e3 in e1 do 0.5 * e2 + sin(e3))(V) ~ (cos(V) * 0.5 ** arange(len(V))[::-1])
    grad(fn e1 -> sum(reshape(e1[:, None] * W[None, :], [-1])))(V)   ~ (0.0 * V + sum(W))
    grad(fn e1 -> sum([(if e2 > S then sin(e2) else e2) for e2 in e1]))(V) ~ where(V > S, cos(V), 1.0)
    jvp(fn e1 -> sin(e1), (V,), (W,)).1                              ~ (cos(V) * W)
    (jacfwd(fn e1 -> sin(e1))(V) @ W)                                ~ (cos(V) * W)
    (jacrev(fn e1 -> e1 * e1)(V) @ W)                                ~ (2.0 * V * W)
    checkpoint(fn e1 -> sin(e1) * S)(V)                              ~ (sin(V) * S)
    grad(fn e1 -> sum(sin(checkpoint(fn e2 -> e2[e2 > S] |> sum)(e1) * e1)))(V) ~ branched_slope(V, S)
""")
"""Of the size of the selection."""

SCALARS = _forms("""
    sum(V)
    (V @ W)
    dot(V, W)
    inner(V, W)
    einsum("i,i->", V, W)
    prod(0.5 * tanh(V))
    log(1.0 + sum(exp(-abs(V))))
    f32(any(V > S))
    f32(all(V > S))
    f32(count_nonzero(V > S))
    f32(V.shape[0])
    f32(V[V > S].shape[0])
    f32(concatenate((V, W, x)).shape[0])
    (sum(V) / (1.0 + f32(V.shape[0])))
    sum(V[W > S])
    sum(V[::2])
    sum(V[::-2])
    sum(V[flatnonzero(W > S)])
    sum(concatenate((V[V > S], W)))
    turned(concatenate((V, [S], W)))
    turned(reshape(V[:, None] - W[None, :], [-1]))
    turned(reshape(x[:, None] * V[None, :], [-1]))
    turned(concatenate((V[V > S], x[x > T], W)))
    turned(tile(V, 2))                                               ~ turned(concatenate((V, V)))
    turned(repeat(V, 2))
    sum(sort(V) * cumsum(W))
    mean(concatenate((V, [S])))
    sum(zeros([3]).at[i32(abs(V)) % 3].add(W) * [1.0, 2.0, 3.0])     ~ sum(W * (1.0 + i32(abs(V)) % 3))
    sum(zeros([3]).at[i32(abs(V)) % 3].max(W) * [1.0, 2.0, 3.0])     ~ highest(i32(abs(V)) % 3, W)
    sum(x[i32(abs(V)) % 3])
    sum(compress(V, V > S, size=5, fill=0.5))                        ~ filled(V[V > S], 5)
    f32(unique(i32(V * 2.0)).shape[0])
    (fold e2 = S for e1 in V do 0.5 * e2 + sin(e1))                  ~ decayed(S, sin(V))
    (fold e2 = S for e1 in V reverse do 0.5 * e2 + sin(e1))          ~ decayed(S, sin(V)[::-1])
    (fold e1 = S for _ in range(2) do 0.5 * e1 + sum(sin(V * e1)))
        ~ folded(S, range(2), lambda e1, _: 0.5 * e1 + sum(sin(V * e1)))
    (fold e2 = S for e1 in V do (if e1 > 0.5 then e2 * 0.5 + e1 else e2)) ~ decayed(S, V[V > 0.5])
    (if y.shape[0] > 0 then max(V) + min(W) else S)                  ~ (max(V) + min(W) if len(y) else S)
    (if y.shape[0] >= 1 then V[argmax(W)] else S)                    ~ (V[argmax(W)] if len(y) else S)
    (if y.shape[0] >= 1 then V[0] - W[-1] else S)                    ~ (V[0] - W[-1] if len(y) else S)
    (if y.shape[0] >= 2 then sum((V[1:] - W[:-1]) ** 2) else S)
        ~ (sum((V[1:] - W[:-1]) ** 2) if len(y) > 1 else S)
    (if y.shape[0] >= 2 then V[:2] @ W[-2:] else S)                  ~ (V[:2] @ W[-2:] if len(y) > 1 else S)
    (if y.shape[0] == 3 then sum(V) else S)                          ~ (sum(V) if len(y) == 3 else S)
    (if V[V > S].shape[0] < W[W > S].shape[0] then sum(V) else T)
        ~ (sum(V) if len(V[V > S]) < len(W[W > S]) else T)
    (if S > 0.0 then sum(V) else T)                                  ~ (sum(V) if S > 0.0 else T)
    (if S > 0.0 then sum(x[x > T]) else sum(V[V > 0.0]))
        ~ (sum(x[x > T]) if S > 0.0 else sum(V[V > 0.0]))
    (fold e1 = S for e2 in ms do 0.5 * e1 + sum(sin(x[e2] * e1)))
        ~ folded(S, ms, lambda e1, e2: 0.5 * e1 + sum(sin(x[e2] * e1)))
    (fold e1 = S for e2 in ms do 0.5 * e1 + x[e2][::-1] @ x[e2])
        ~ folded(S, ms, lambda e1, e2: 0.5 * e1 + x[e2][::-1] @ x[e2])
    sum([sum(x[e1] * S) * f32(x[e1].shape[0]) for e1 in ms])
        ~ sum(array([sum(x[e1] * S) * sum(e1) for e1 in ms]))
    sum([turned(sort(concatenate((x[e1], V)))) for e1 in ms])
        ~ sum(array([turned(sort(concatenate((x[e1], V)))) for e1 in ms]))
    sum(vmap(fn e1 -> sum(cos(x[e1]) * S))(ms))                      ~ (S * sum(selected_sums(cos(x), ms)))
    sum([(if e1 > S then sum(x[x > e1]) else e1) for e1 in V])
        ~ sum(array([sum(x[x > e1]) if e1 > S else e1 for e1 in V]))
    sum([(fold e2 = e1 for e3 in ms do 0.5 * e2 + sum(x[e3])) for e1 in V])
        ~ sum(0.125 * V + decayed(0.0, selected_sums(x, ms)))
    (iterate (e1, e2) = (0, S) while e1 < 3 limit 5 do (e1 + 1, 0.5 * e2 + sum(x[x > e2]))).1
        ~ folded(S, range(3), lambda e2, _: 0.5 * e2 + sum(x[x > e2]))
    grad(fn e1 -> sum(tanh(V * e1)))(S)                              ~ sum(V * (1.0 - tanh(V * S) ** 2))
    grad(fn e1 -> sum([sum(sin(x[e2] * e1)) for e2 in ms]))(S)       ~ sum(selected_sums(x * cos(x * S), ms))
    grad(fn e1 -> fold e3 = e1 for e2 in ms do 0.5 * e3 + sum(sin(x[e2] * e1)))(S)
        ~ decayed(1.0, selected_sums(x * cos(x * S), ms))
    grad(fn e1 -> fold e3 = e1 for e2 in ms do e3 * cos(sum(x[e2] * V[0:0].shape[0]) * 0.0))(S) ~ 1.0
    grad(fn e1 -> (if S > 0.0 then sum(sin(x[x > 0.0] * e1)) else sum(sin(V * e1))))(T)
        ~ sine_slope(x[x > 0.0] if S > 0.0 else V, T)
    grad(fn e1 -> sum([(if e2 > S then sin(e2 * e1) else e1) for e2 in V]))(T)
        ~ sum(where(V > S, V * cos(V * T), 1.0))
    grad(fn e1 -> (iterate (e2, e3) = (0, e1) while e2 < 3 limit 5 do (e2 + 1, 0.5 * e3 + sum(x[x > 0.0] * e1))).1)(S)
        ~ (0.125 + 1.75 * sum(x[x > 0.0]))
    sum(grad(fn e1 -> sum([sum(sin(e1[e2])) for e2 in ms]))(x))      ~ sum(selected_sums(cos(x), ms))
    sum(grad(fn e1 -> sum(log(e1[e1 > 0.0])))(x))                    ~ sum(1.0 / x[x > 0.0])
    hessian(fn e1 -> sum(sin(V * e1)))(S)                            ~ (-sum(V * V * sin(V * S)))
    grad(grad(fn e1 -> fold e3 = 0.0 for e2 in ms do e3 + sum(sin(x[e2] * e1))))(S)
        ~ (-sum(selected_sums(x * x * sin(x * S), ms)))
    (fn e1 -> sum(e1) * S)(V)                                        ~ (sum(V) * S)
    above(V, S)
    sum(vmap(fn e1 -> above(V, e1))([0.5, -1.0, S]))
        ~ sum(array([above(V, e1) for e1 in (0.5, -1.0, S)]))
""")
ENDS = {"V": _forms("y\n v"), "S": _forms("a\n 0.5\n f32(y.shape[0])\n tanh(sum(y))")}
HELPERS = """
def turned(u: f32[n]) -> f32 = sum(u * cos(cumsum(u)))
def thinned(u: f32[n]) -> f32[n] = if n > 2 and not (n == 1) then u[::-1] else -u
def over(u: f32[n], t: f32) -> f32[?k] where ?k <= n = u[u > t]
def above(u: f32[n], t: f32) -> f32 = sum(over(u, t)) - f32(over(u, t).shape[0])
"""
_LETTERS = {"V": "V", "W": "V", "U": "V", "S": "S", "T": "S"}
_PART = re.compile(r"(?<!\.)\b[VWUST]\b")
_OWN = re.compile(r"\be([123])\b")


class Writer:
    """Writes expressions of the selected size, `V`, and numbers, `S`, to a depth."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0

    def write(self, kind: str, depth: int, form: Text | None = None) -> Text:
        """An expression of this kind; of this form, if it is given."""
        if depth <= 0 and form is None:
            return self.random.choice(ENDS[kind])
        form = form or self.random.choice(VECTORS if kind == "V" else SCALARS)
        self.names += 1
        prefix = f"e{self.names}_"
        parts = {letter: self._part(of, depth) for letter, of in _LETTERS.items()}
        dsl, numpy = (_OWN.sub(rf"{prefix}\1", text) for text in form)
        return Text(
            _PART.sub(lambda found: parts[found[0]].dsl, dsl), _PART.sub(lambda found: parts[found[0]].numpy, numpy)
        )

    def _part(self, kind: str, depth: int) -> Text:
        return self.write(kind, self.random.choice((depth - 1, depth - 2, 0)))


_ARGUMENTS = "x: f32[n], w: f32[n], ms: bool[r, n], a: f32"
SELECTING = f"({_ARGUMENTS}, m: bool[n])"
SELECTED = f"({_ARGUMENTS}, y: f32[k], v: f32[k])"
WHERE = " where n >= 4"


class Right(NamedTuple):
    """A program with `selecting` and `selected`, and what each of their results is in NumPy."""

    text: str
    results: tuple[str, ...]

    def numpy(self, **values: Any) -> list[Any]:
        """The results, of arrays that were selected before."""
        return [eval(text, {**NAMES, **values}) for text in self.results]


def right_program(seed: int, results: int, depth: int = 3) -> Right:
    """A program of as many results. Those of a seed begin with a construct each, so that all come in their turn."""
    writer = Writer(seed)
    written: list[Text] = []
    for place in range(results):
        turn = seed * results + place
        kind, forms = ("V", VECTORS) if turn % 2 else ("S", SCALARS)
        written.append(writer.write(kind, writer.random.randrange(1, depth + 1), forms[turn // 2 % len(forms)]))
    body = f"({', '.join(each.dsl for each in written)},)"
    selecting = f"def selecting{SELECTING}{WHERE} =\n    let (y, v) = (x[m], w[m])\n    {body}\n"
    return Right(f"{HELPERS}{selecting}def selected{SELECTED}{WHERE} = {body}\n", tuple(t.numpy for t in written))


WRONG: dict[str, tuple[str, ...]] = {
    "E0425": (
        "trace(outer(V, W))",
        "searchsorted(sort(V), S)",
        "random.normal(random.key(0), [V.shape[0]])",
        "linalg.cholesky(outer(V, W))",
        "(if y.shape[0] > 0 then real(fft.fft(cast(V, c64))) else V)",
        "longer(V)",
        "[longer(V * e1) for e1 in w]",
        "zeros([2 ** V.shape[0]])",
        "V[::y.shape[0] + 1]",
        "shown(V)",
    ),
    "E0426": (
        "[x[e1] for e1 in ms]",
        "[x[e1] * S for e1 in ms]",
        "vmap(fn e1 -> x[e1])(ms)",
        "(fn e1 -> x[e1])(m)",
        "(fold e1 = x for e2 in ms do e1)[0:0] |> fn e3 -> (fn e1 -> w[e1])(w > S)",
    ),
    "E0407": ("max(V)", "min(V * S)", "V[argmax(W)]", "median(V)", "(if y.shape[0] > 0 then max(x[x > S]) else S)"),
    "E042": (
        "V[0]",
        "V[-1]",
        "V[1:]",
        "V[:2]",
        "(if y.shape[0] > 1 then V[2] else S)",
        "pmap(fn e1 -> sum(x[e1] * S))(ms)",
    ),
    "E04": (
        "(V + x[x > S])",
        "(V * w)",
        "(V @ w)",
        "where(V > S, w, 0.0)",
        "(V - x[~m])",
        "(V[V > S] + W)",
        "(concatenate((V, W)) - U)",
        "(concatenate((V, [S])) @ V)",
        "(outer(V, w) @ U)",
        "(fold e1 = V for e2 in ms do e1[e1 > 0.0])",
        "(if sum(V) > S then V else V[V > 0.0])",
        "(scan e1 = x for e2 in ms do (e1, x[e2])).1",
        "stack((V, x[x > S]))",
        "(over(V, S) - over(V, S))",
        "reshape(V, [2, 2])",
    ),
}
"""What is refused, by the beginning of the code: what needs a number of elements, what leaves its place, what asks for
elements that may not be there, and sizes that are not one."""

STATED = (
    ("E0402", "def f(x: f32[n]) -> f32[n] = x[x > 0.0]"),
    ("E0427", "def f(x: f32[n]) -> f32[?k] = x[x > 0.0]"),
    ("E0427", "def f(x: f32[n]) -> f32[?k] where ?k <= 3 = x[x > 0.0]"),
    ("E0427", "def f(x: f32[n]) -> f32[?k] where ?k < n = x[x > 0.0]"),
    ("E0427", "def f(x: f32[n]) -> f32[?k] where ?k <= n = concatenate((x[x > 0.0], x[x < 0.0]))"),
    ("E0427", "def f(x: f32[?k]) -> f32[?k] where ?k <= 9 = x * 2.0"),
    ("E0427", "def g(x: f32[?k]) -> f32 = sum(x)\ndef f(x: f32[n]) -> f32 = g(x) + g(x[x > 0.0])"),
    ("E0427", "def f(g: (f32[n]) -> f32[?k], x: f32[n]) -> f32 = sum(g(x))"),
    ("E04", "def f(x: f32[n]) -> (f32[?k], f32[?k]) where ?k <= n = (x[x > 0.0], x[x < 0.0])"),
    ("E0402", "def f(x: f32[n], m: bool[n], j: f32[k]) -> f32[k] = x[m] + 0.0 * sum(j)"),
    ("E0426", "def f(x: f32[n], m: bool[n]) = vjp(fn x -> sum(x[m]), x)"),
    ("E0426", "let c = [1.0, 2.0]\nlet d = c[c > 1.5]"),
)
HEAD = """import random
import linalg
import fft
static def longest(n: size) -> size = if n > 3 then n else 3
def longer(u: f32[n]) -> f32 = sum(zeros([longest(n)]))
def shown(u: f32[n]) -> f32 ! io =
    print("{}", u)
    sum(u)
"""
_WHOLE = ("({},)", "({}, a)", "({}, sum(y), v)")


def wrong_program(seed: int) -> tuple[str, str]:
    """A program that is refused, and the beginning of the code of its error."""
    writer = Writer(seed)
    if writer.random.random() < 0.05:
        code, text = writer.random.choice(STATED)
        return text, code
    code = writer.random.choice([*WRONG])
    form = writer.random.choice(WRONG[code])
    wrong = writer.write("V", writer.random.randrange(1, 3), Text(form, ""))
    body = writer.random.choice(_WHOLE).format(wrong.dsl)
    return f"{HEAD}{HELPERS}def f{SELECTING}{WHERE} =\n    let (y, v) = (x[m], w[m])\n    {body}\n", code


def masks(count: int, chosen: Callable[[], float]) -> Iterator[list[bool]]:
    """None, all, and some."""
    yield [False] * count
    yield [True] * count
    yield [chosen() < 0.5 for _ in range(count)]
