"""Chains of transformations around a random program, written in the language one after the other, each with the type
that it has to have and the numbers that it has to give, which are found without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

import numpy as np

from tests.support.random_text import random_text

Tree: TypeAlias = "tuple[str, ...] | list[Tree] | dict[str, Tree]"
"""The shape of a leaf, a tuple as a list, or a record."""

Axes: TypeAlias = "int | list[Axes] | dict[str, Axes] | None"
Numbers: TypeAlias = Any
Run: TypeAlias = Callable[..., Numbers]

SIZE = "2"
"""How many elements are mapped over."""

STEP = 1e-6


@dataclass(frozen=True)
class Typed:
    """A function of the program: the types of its parameters and of its result."""

    name: str
    params: tuple[Tree, ...]
    result: Tree


@dataclass(frozen=True)
class Step:
    """One transformation: the text that defines `made`, and what its numbers are, given how to run functions."""

    kind: str
    made: Typed
    text: str
    expected: Callable[[Callable[[str], Run], Sequence[Numbers]], Expected]
    options: Mapping[str, Any] | None
    """How Python asks for the same of the function before; None where it cannot."""
    before: str


@dataclass(frozen=True)
class Expected:
    """What is compared: something of the numbers found, with what it has to be."""

    of: Callable[[Numbers], Numbers]
    numbers: Numbers
    tolerance: float


# ---------------------------------------------------------------- trees


def shown(tree: Tree) -> str:
    match tree:
        case tuple():
            return f"f64[{', '.join(tree)}]" if tree else "f64"
        case list():
            return f"({', '.join(map(shown, tree))},)"
        case _:
            return "{" + ", ".join(f"{name}: {shown(part)}" for name, part in tree.items()) + "}"


def paths(tree: Tree, path: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where the leaves are, and their shapes."""
    match tree:
        case tuple():
            yield path, tree
        case list():
            for place, part in enumerate(tree):
                yield from paths(part, f"{path}.{place}")
        case _:
            for name, part in tree.items():
                yield from paths(part, f"{path}.{name}")


def written(axes: Axes) -> str:
    match axes:
        case None:
            return "none"
        case int():
            return str(axes)
        case list():
            return f"({', '.join(map(written, axes))},)"
        case _:
            return "{" + ", ".join(f"{name} = {written(part)}" for name, part in axes.items()) + "}"


def for_python(axes: Axes) -> Any:
    return tuple(map(for_python, axes)) if isinstance(axes, list) else axes


def leaves(numbers: Numbers) -> list[np.ndarray[Any, Any]]:
    if isinstance(numbers, dict):
        return [leaf for name in sorted(numbers) for leaf in leaves(numbers[name])]
    if isinstance(numbers, tuple | list):
        return [leaf for part in numbers for leaf in leaves(part)]
    return [np.asarray(numbers)]


def mapped(f: Callable[..., Any], first: Numbers, *rest: Numbers) -> Numbers:
    """`f` at the leaves of trees of one structure."""
    if isinstance(first, dict):
        return {name: mapped(f, part, *[other[name] for other in rest]) for name, part in first.items()}
    if isinstance(first, tuple | list):
        return tuple([mapped(f, *parts) for parts in zip(first, *rest, strict=True)])
    return f(first, *rest)


def random_numbers(rng: np.random.Generator, tree: Tree) -> Numbers:
    match tree:
        case tuple():
            shape = [{"n": 3, "k": 2}.get(size) or int(size) for size in tree]
            return np.asarray(rng.uniform(-1, 1, shape))
        case list():
            return tuple([random_numbers(rng, part) for part in tree])
        case _:
            return {name: random_numbers(rng, part) for name, part in tree.items()}


def dot(left: Numbers, right: Numbers) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(leaves(left), leaves(right), strict=True)))


def slope(run: Run, args: Sequence[Numbers], directions: Sequence[Numbers]) -> Numbers:
    ahead, behind = (
        run(*[mapped(lambda x, d, s=side: x + s * STEP * d, x, d) for x, d in zip(args, directions, strict=True)])
        for side in (1, -1)
    )
    return mapped(lambda p, q: (np.asarray(p) - np.asarray(q)) / (2 * STEP), ahead, behind)


# ---------------------------------------------------------------- the transformations


def _heads(params: Sequence[Tree], stem: str = "x") -> tuple[str, str]:
    names = [f"{stem}{i}" for i in range(len(params))]
    return ", ".join(f"{x}: {shown(t)}" for x, t in zip(names, params, strict=True)), ", ".join(names)


def _same(f: Typed, name: str, call: str, kind: str, options: Mapping[str, Any]) -> Step:
    head, names = _heads(f.params)
    text = f"def {name}({head}) -> {shown(f.result)} = {call}({names})"

    def expected(run: Callable[[str], Run], args: Sequence[Numbers]) -> Expected:
        return Expected(lambda found: found, run(f.name)(*args), 1e-9)

    return Step(kind, Typed(name, f.params, f.result), text, expected, options, f.name)


def jit(random: Random, f: Typed, name: str) -> Step:
    return _same(f, name, f"jit({f.name})", "jit", {})


def checkpoint(random: Random, f: Typed, name: str) -> Step:
    policy = random.choice(["nothing", "dots", "everything", "budget:100B"])
    return _same(f, name, f'checkpoint({f.name}, policy="{policy}")', "checkpoint", {"policy": policy})


def grad(random: Random, f: Typed, name: str) -> Step:
    """By some of the arguments, of a number made of all results."""
    head, names = _heads(f.params)
    parts = [f"sum(sin(r{path}) * r{path})" if shape else f"r{path} * r{path}" for path, shape in paths(f.result)]
    energy = f"def {name}_of({head}) -> f64 =\n    let r = {f.name}({names})\n    {' + '.join(parts)}\n"
    chosen = random.sample(range(len(f.params)), random.randint(1, len(f.params)))
    one = len(chosen) == 1 and random.random() < 0.5
    result: Tree = f.params[chosen[0]] if one else [f.params[i] for i in chosen]
    argnums = chosen[0] if one else tuple(chosen)
    listed = str(argnums)
    text = f"{energy}def {name}({head}) -> {shown(result)} = grad({name}_of, argnums={listed})({names})"

    def expected(run: Callable[[str], Run], args: Sequence[Numbers]) -> Expected:
        rng = np.random.default_rng(len(args))
        directions = [mapped(lambda x: rng.uniform(-1, 1, np.shape(x)), x) for x in args]
        directions = [d if i in chosen else mapped(np.zeros_like, d) for i, d in enumerate(directions)]
        along = directions[chosen[0]] if one else tuple([directions[i] for i in chosen])
        return Expected(lambda found: dot(found, along), slope(run(f"{name}_of"), args, directions), 1e-4)

    return Step("grad", Typed(name, f.params, result), text, expected, {"argnums": argnums}, f"{name}_of")


def jvp(random: Random, f: Typed, name: str) -> Step:
    head, names = _heads(f.params)
    more, tangents = _heads(f.params, "d")
    result: Tree = [f.result, f.result]
    text = f"def {name}({head}, {more}) -> {shown(result)} = jvp({f.name}, ({names},), ({tangents},))"

    def expected(run: Callable[[str], Run], args: Sequence[Numbers]) -> Expected:
        count = len(f.params)
        out, along = run(f.name)(*args[:count]), slope(run(f.name), args[:count], args[count:])
        return Expected(lambda found: found, (out, along), 1e-4)

    return Step("jvp", Typed(name, (*f.params, *f.params), result), text, expected, None, f.name)


def _axes(random: Random, tree: Tree, new: bool, leafwise: float) -> Axes:
    """An axis for a tree, or one for each leaf; `new` if there is to be one."""
    if isinstance(tree, tuple) or random.random() > leafwise:
        least = min(len(shape) for _, shape in paths(tree))
        axis = random.randint(-least - 1, least)
        return axis if new or random.random() < 0.8 else None
    if isinstance(tree, list):
        return [_axes(random, part, new, leafwise) for part in tree]
    return {key: _axes(random, part, new, leafwise) for key, part in tree.items()}


def _with_axes(tree: Tree, axes: Axes) -> Tree:
    match tree:
        case tuple():
            if not isinstance(axes, int):
                return tree
            place = axes % (len(tree) + 1)
            return (*tree[:place], SIZE, *tree[place:])
        case list():
            inner = axes if isinstance(axes, list) else [axes] * len(tree)
            return [_with_axes(part, a) for part, a in zip(tree, inner, strict=True)]
        case _:
            named = axes if isinstance(axes, dict) else dict.fromkeys(tree, axes)
            return {key: _with_axes(part, named[key]) for key, part in tree.items()}


def _take(numbers: Numbers, axes: Axes, i: int) -> Numbers:
    if isinstance(numbers, dict):
        return {k: _take(v, axes[k] if isinstance(axes, dict) else axes, i) for k, v in numbers.items()}
    if isinstance(numbers, tuple | list):
        inner = axes if isinstance(axes, list) else [axes] * len(numbers)
        return tuple([_take(part, a, i) for part, a in zip(numbers, inner, strict=True)])
    return np.take(numbers, i, axes) if isinstance(axes, int) else numbers


def _stack(each: Sequence[Numbers], axes: Axes) -> Numbers:
    if isinstance(each[0], dict):
        return {k: _stack([e[k] for e in each], axes[k] if isinstance(axes, dict) else axes) for k in each[0]}
    if isinstance(each[0], tuple | list):
        inner = axes if isinstance(axes, list) else [axes] * len(each[0])
        return tuple([_stack([e[j] for e in each], a) for j, a in enumerate(inner)])
    assert isinstance(axes, int)
    return np.stack([np.asarray(e) for e in each], axes)


def vmap(random: Random, f: Typed, name: str) -> Step:
    into: list[Axes] = [_axes(random, tree, False, 0.4) for tree in f.params]
    if not any("2" in shape for i, t in enumerate(f.params) for _, shape in paths(_with_axes(t, into[i]))):
        into[0] = 0
    into[0] = 0 if _unmapped(into[0]) else into[0]
    out = _axes(random, f.result, True, 0.5)
    params = tuple([_with_axes(tree, axes) for tree, axes in zip(f.params, into, strict=True)])
    result = _with_axes(f.result, out)
    head, names = _heads(params)
    call = f"vmap({f.name}, in_axes={written(into)}, out_axes={written(out)})"
    text = f"def {name}({head}) -> {shown(result)} = {call}({names})"

    def expected(run: Callable[[str], Run], args: Sequence[Numbers]) -> Expected:
        each = [run(f.name)(*[_take(x, axes, i) for x, axes in zip(args, into, strict=True)]) for i in range(int(SIZE))]
        return Expected(lambda found: found, _stack(each, out), 1e-9)

    options = {"in_axes": for_python(into), "out_axes": for_python(out)}
    return Step("vmap", Typed(name, params, result), text, expected, options, f.name)


def _unmapped(axes: Axes) -> bool:
    match axes:
        case None:
            return True
        case list():
            return all(map(_unmapped, axes))
        case dict():
            return all(map(_unmapped, axes.values()))
        case _:
            return False


KINDS = (jit, jvp, grad, vmap, checkpoint)


@dataclass(frozen=True)
class Chain:
    """A program and the transformations of its `main`, each the next function in it."""

    text: str
    steps: tuple[Step, ...]


def chain(seed: int) -> Chain:
    """A random program and one to three random transformations of it."""
    random = Random(seed)
    text = random_text(seed, helpers=random.randint(0, 4), steps=random.randint(1, 3))
    n, k = ("n", "k") if "x: f64[n], s" in text else ("3", "2")
    record: Tree = {"a": (), "b": (n,), "c": (k, n)}
    found = Typed("main", (record, (n,), ()), {"u": (), "w": (n,)})
    steps: list[Step] = []
    for number, make in enumerate(random.choices(KINDS, k=random.randint(1, 3))):
        steps.append(make(random, found, f"step{number}"))
        found = steps[-1].made
    return Chain("\n\n".join([text, *[step.text for step in steps]]) + "\n", tuple(steps))
