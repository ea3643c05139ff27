"""Random well-typed programs, each beside the same computation in NumPy.

Every expression is made twice, in the language and in Python; conditions look at inputs alone, so that rounding never
decides. As a script (`python -m tests.e2e.random_programs 2000`) this checks many, runs them by XLA and by the
evaluator, and prints those that are refused, that break, or whose results differ.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

import numpy as np

import dsl

Both: TypeAlias = tuple[str, str]
"""An expression of the language and of Python."""

Scope: TypeAlias = Mapping[str, tuple[str, ...]]
"""The names of each type: S f32, V f32[n], W f32[3], M f32[n, 3], I idx[n], B bool."""

HEAD = "let k = [0.5, -1.0, 2.0]\nlet r = {a = 0.25, b = [1.0, -0.5, 0.75]}\nlet q = ([1.5, 0.5, -0.5], 3)\n"
INPUTS: Scope = {"S": ("c",), "V": ("x", "y"), "W": ("w", "k", "r.b", "q.0"), "M": ("m",), "I": ("i",), "B": ("t",)}
SIGNATURE = "(x: f32[n], y: f32[n], w: f32[3], m: f32[n, 3], c: f32, i: idx[n], t: bool)"
RESULTS = {"S": "f32", "V": "f32[n]", "W": "f32[3]", "M": "f32[n, 3]"}


@dataclass(slots=True)
class Maker:
    random: Random
    names: int = 0
    made: dict[str, list[Callable[[Scope, int], Both]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.made = {type_: [self._from(text) for text in texts] for type_, texts in TEMPLATES.items()}

    def expression(self, type_: str, scope: Scope, depth: int) -> Both:
        if depth > 0 and (type_ in self.made) and self.random.random() < 0.9:
            return self.random.choice(self.made[type_])(scope, depth - 1)
        if type_ == "S" and self.random.random() < 0.3:
            return (literal := str(self.random.choice((0.5, -1.25, 2.0, 3.0))), literal)
        name = self.random.choice(scope[type_])
        return name, name.replace("r.b", "r_b").replace("q.0", "q_0")

    def _from(self, template: str) -> Callable[[Scope, int], Both]:
        language, _, python = template.partition(" || ")
        return lambda scope, depth: self._fill(language, python or language, scope, depth)

    def _fill(self, language: str, python: str, scope: Scope, depth: int) -> Both:
        """Fills holes `<V>`, and `<S:u=S,v=S>`, where a fresh name of a type is in scope; `$u` is the name."""
        names: dict[str, str] = {}
        filled: dict[str, Both] = {}
        for hole in _holes(language):
            type_, _, bound = re.sub(r"#\d", "", hole).partition(":")
            inner = dict(scope)
            for item in bound.split(",") if bound else ():
                name, _, of = item.partition("=")
                if name not in names:
                    self.names += 1
                    names[name] = f"{name}{self.names}"
                inner[of] = (*inner.get(of, ()), names[name], names[name])
            filled[hole] = self.expression(type_, inner, depth)
        done = []
        for text, place in ((language, 0), (python, 1)):
            for hole, made in filled.items():
                text = text.replace(f"<{hole}>", f"({made[place]})")
            for name, fresh in names.items():
                text = text.replace(f"${name}", fresh)
            done.append(text)
        return done[0], done[1]


def _holes(text: str) -> list[str]:
    return list(dict.fromkeys(part.partition(">")[0] for part in text.split("<")[1:] if part[0] in "SVWMIB"))


TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "S": (
        "<S> + <S#2>",
        "<S> * <S#2>",
        "tanh(<S>)",
        "sum(tanh(<V>))",
        "mean(<V>)",
        "sum(<W> * k)",
        "<V>[<I>]",
        "sum(<M>[<I>])",
        "(if <B> then <S> else <S#2>) || (<S> if <B> else <S#2>)",
        "(fn $u -> <S:u=S>)(<S#2>) || (lambda $u: <S:u=S>)(<S#2>)",
        "(fold $s = <S> for $v in <V> do tanh(<S:s=S,v=S>)) || fold(<S>, <V>, lambda $s, $v: tanh(<S:s=S,v=S>))",
        "(fold $s = <S> for $j in range(n) do tanh(<S:s=S,j=I>)) || "
        "fold(<S>, range(n), lambda $s, $j: tanh(<S:s=S,j=I>))",
        "{a = <S>, b = <V>}.a || <S>",
        "(<V>, <S>).1 || <S>",
        "[<S>, <S#2>][1] || <S#2>",
    ),
    "V": (
        "<V> + <V#2>",
        "<V> * <S>",
        "sin(<V>)",
        "where(x > 0.3, <V>, <V#2>)",
        "[<S:v=S> for $v in <V>] || array([<S:v=S> for $v in <V>])",
        "[<S:j=I> for $j in range(n)] || array([<S:j=I> for $j in range(n)])",
        "vmap(fn $v -> <S:v=S>)(<V>) || array([<S:v=S> for $v in <V>])",
        "flip(<V>, axis=0)",
        "<V>.at[<I>].set(<S>) || put(<V>, <I>, <S>)",
        "<V>.at[<I>].add(<S>) || put(<V>, <I>, <V>[<I>] + <S>)",
        "sum(<M>, axis=1)",
        "<M> @ <W>",
        "<M>[:, 1]",
        "stack((<V>, <V#2>))[1]",
        "concatenate((<V>, <V#2>))[n:]",
        "(if <B> then <V> else <V#2>) || (<V> if <B> else <V#2>)",
        "{a = <S>, b = <V>}.b || <V>",
        "(scan $s = <S> for $v in <V> do (tanh(<S#2:s=S,v=S>), <S#3:s=S,v=S>)).1 || "
        "scan(<S>, <V>, lambda $s, $v: (tanh(<S#2:s=S,v=S>), <S#3:s=S,v=S>))",
    ),
    "W": (
        "<W> - <W#2>",
        "<W> * <S>",
        "sum(<M>, axis=0)",
        "<M>[<I>]",
        "[<S:v=S> for $v in <W>] || array([<S:v=S> for $v in <W>])",
        "<W>.at[1].set(<S>) || put(<W>, 1, <S>)",
        "vmap(fn $v -> <S:v=S>)(k) || array([<S:v=S> for $v in k])",
        "(if <B> then <W> else k) || (<W> if <B> else k)",
        "(fold $a = <W> for $v in <V> do tanh(<W#2:a=W,v=S>)) || fold(<W>, <V>, lambda $a, $v: tanh(<W#2:a=W,v=S>))",
    ),
    "M": (
        "<M> + <M#2>",
        "<M> * <W>",
        "<V>[:, None] * <W>[None, :]",
        "[<W:v=S> for $v in <V>] || array([<W:v=S> for $v in <V>])",
        "vmap(fn $a -> <W:a=W>)(<M>) || array([<W:a=W> for $a in <M>])",
        "<M>.at[<I>].set(<W>) || put(<M>, <I>, <W>)",
        "transpose(transpose(<M>))",
        "[<S:v=S,u=S> for $v in <V>, $u in <W>] || array([[<S:v=S,u=S> for $u in <W>] for $v in <V>])",
        "(if <B> then <M> else <M#2>) || (<M> if <B> else <M#2>)",
    ),
    "I": ("(<I> + 1) % n", "n - 1 - <I>"),
    "B": ("x[<I>] > 0.3", "not <B>", "t and <B>"),
}


def fold(start: Any, items: Any, step: Callable[[Any, Any], Any]) -> Any:
    for item in items:
        start = step(start, item)
    return start


def scan(start: Any, items: Any, step: Callable[[Any, Any], Any]) -> Any:
    outputs = []
    for item in items:
        start, output = step(start, item)
        outputs.append(output)
    return np.array(outputs)


def put(array: Any, place: Any, value: Any) -> Any:
    done = np.array(array)
    done[place] = value
    return done


KNOWN: Mapping[str, Any] = {
    **{name: getattr(np, name) for name in ("sum", "mean", "tanh", "sin", "where", "flip", "stack", "concatenate")},
    **{name: getattr(np, name) for name in ("transpose", "array")},
    "fold": fold,
    "scan": scan,
    "put": put,
}


@dataclass(frozen=True, slots=True)
class Program:
    text: str
    python: str

    def problem(self, seed: int) -> str | None:
        """How the results differ, or what went wrong; None if nothing did."""
        random = np.random.default_rng(seed)
        n = 4
        values: dict[str, Any] = {
            "x": random.normal(size=n),
            "y": random.normal(size=n),
            "w": random.normal(size=3),
            "m": random.normal(size=(n, 3)),
            "c": random.normal(),
        }
        values = {name: np.asarray(value, np.float32) for name, value in values.items()}
        values |= {"i": np.int32(random.integers(n)), "t": bool(random.integers(2))}
        try:
            function = dsl.program(self.text).f
            found = [np.asarray(function(**values)), np.asarray(function.interpret(**values))]
        except Exception:
            return traceback.format_exc(limit=-4)
        constants = {"k": np.array([0.5, -1, 2]), "r_b": np.array([1, -0.5, 0.75]), "q_0": np.array([1.5, 0.5, -0.5])}
        doubles = {
            name: v.astype(np.float64) if v.dtype == np.float32 else v for name, v in values.items() if name != "t"
        }
        expected = eval(self.python, {**KNOWN, **constants, **doubles, "t": values["t"], "n": n})
        for result in found:
            if not np.allclose(result, expected, rtol=1e-3, atol=1e-3 * max(1.0, float(np.abs(expected).max()))):
                return f"{result} is not {expected}"
        return None


def random_program(seed: int) -> Program:
    maker = Maker(Random(seed))
    type_ = maker.random.choice(tuple(RESULTS))
    language, python = maker.expression(type_, INPUTS, depth=4)
    where = "where n >= 1 "
    return Program(f"{HEAD}def f{SIGNATURE} -> {RESULTS[type_]} {where}= {language}\n", python)


def main(count: int) -> int:
    wrong = 0
    for seed in range(count):
        program = random_program(seed)
        problem = program.problem(seed)
        if problem is not None:
            wrong += 1
            print(f"{seed}: {program.text}{problem}\n", flush=True)
    print(f"{count} random programs, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(min(1, main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)))
