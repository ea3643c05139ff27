"""The table of `docs/effects.md`: every cell, an effect under a transformation or in a form of control flow, is run.

Each effect is a function `f` that performs it once; each column is an expression that uses `f`; each cell says what
comes out, or with which code it is refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl

PAGE = Path(__file__).parents[2] / "docs" / "effects.md"

COLUMNS = {
    "jit": "jit(f)(x)",
    "jvp": "jvp(f, (x,), (1.0,))",
    "grad": "grad(f)(x)",
    "vmap": "vmap(f)(xs)",
    "pmap": "pmap(f)(xs)",
    "shard": "shard(fn p -> [f(p[0])], mesh(k=2), {k = 0}, {k = 0})(xs)",
    "if": "if c then f(x) else x",
    "fold": "fold total = 0.0 for v in xs do total + f(v)",
    "scan": "scan total = 0.0 for v in xs do step(total, f(v))",
    "iterate": "iterate (k, total) = (0, 0.0) while k < 3 limit 5 do (k + 1, total + f(x))",
    "checkpoint": "grad(fn v -> checkpoint(f)(v))(x)",
    "custom_jvp": "jvp(custom_jvp(f, fn (p, t) -> (f(p.0), 7.0 * p.0 * t.0)), (x,), (1.0,))",
    "custom_vjp": "grad(custom_vjp(f, fn v -> (f(v), v), fn (v, ct) -> (7.0 * v * ct,)))(x)",
}
"""`xs` is f32[2], and `x` its sum."""

STEP = "def step(a: f32, y: f32) -> (f32, f32) = (a + y, y)\n"
PARAMETERS = "xs: f32[2], x: f32, c: bool"

Cell = tuple[str, str]
ROWS = {
    "rand": (
        "from random import key, uniform\ndef f(x: f32) -> f32 ! rand = x + uniform(fresh_key(), [])\n",
        "with rng(key(7)) do {}",
    ),
    "state": (
        "def f(x: f32) -> f32 ! state(s: f32) =\n    s := s + x\n    s * x\n",
        "with state s = 1.0 do {}",
    ),
    "accum": ("def f(x: f32) -> f32 ! accum(a: f32) =\n    a += x\n    x * x\n", "with accum a: f32 do {}"),
    "check": ("def f(x: f32) -> f32 ! check =\n    assert x > 0.0\n    x * x\n", "with checks do {}"),
    "io": ('def f(x: f32) -> f32 ! io =\n    print("x = {}", x)\n    x * x\n', "{}"),
    "debug": (
        'def f(x: f32) -> f32 ! debug =\n    print("x = {}", x, ordered=false)\n    x * x\n',
        "{}",
    ),
    "div": ("def f(x: f32) -> f32 ! div = iterate r = x while r > 1.0 do r * 0.5\n", "{}"),
    "axis": (
        'def f(x: f32) -> f32 ! axis("i") = x * psum(x, "i")\n',
        'vmap(fn (xs, x) -> {}, axis_name="i")(stacked(xs), xs)',
    ),
}
NAMED = """effect {} part: (static name: str, start: () -> f32) -> f32
def f(x: f32) -> f32 ! part = x * part("k", fn () -> 3.0)
"""
COLLECTED = "with handler part(name, start) -> resume(start()), record do {}"
ROWS |= {form: (NAMED.format(form), COLLECTED) for form in ("named", "shared")}
STACKED = "def stacked(xs: f32[2]) -> f32[2, 2] = stack((xs, xs))\n"
EFFECTS = {"io": " ! io", "debug": " ! debug", "div": " ! div"}


def source(effect: str, column: str) -> str:
    definition, handler = ROWS[effect]
    body = handler.format(f"({COLUMNS[column]})")
    return f"{definition}{STEP}{STACKED}def main({PARAMETERS}){EFFECTS.get(effect, '')} = {body}\n"


def run(effect: str, column: str, xs: tuple[float, float] = (1.0, 2.0), c: bool = True) -> Any:
    program = dsl.program(source(effect, column))
    values = np.array(xs, np.float32)
    return plain(program.main(values, values.sum(), np.bool_(c)))


def plain(value: Any) -> Any:
    match value:
        case tuple():
            return tuple(plain(part) for part in value)
        case dict():
            return {name: plain(part) for name, part in value.items()}
        case _:
            return np.asarray(value).tolist()


UNRULED = ("rand", "state", "accum", "named", "shared")
REFUSED: dict[Cell, str] = {
    ("state", "vmap"): "E0720",
    ("state", "pmap"): "E0720",
    ("state", "shard"): "E0720",
    ("io", "vmap"): "E0721",
    ("io", "pmap"): "E0721",
    ("io", "shard"): "E0721",
    ("div", "grad"): "E0805",
    ("div", "checkpoint"): "E0805",
    ("div", "custom_vjp"): "E0805",
    **{("named", column): "E0723" for column in COLUMNS if column != "jit" and "custom" not in column},
    **{(effect, rule): "E0702" for effect in UNRULED for rule in ("custom_jvp", "custom_vjp")},
}
EXACT: dict[Cell, Any] = {
    ("state", "jit"): (12, 4),
    ("state", "jvp"): ((12, 7), 4),
    ("state", "grad"): (7, 4),
    ("state", "if"): (12, 4),
    ("state", "fold"): (10, 4),
    ("state", "scan"): ((10, [2, 8]), 4),
    ("state", "iterate"): ((3, 63), 10),
    ("state", "checkpoint"): (7, 4),
    ("accum", "jit"): (9, 3),
    ("accum", "jvp"): ((9, 6), 3),
    ("accum", "grad"): (6, 3),
    ("accum", "vmap"): ([1, 4], 3),
    ("accum", "pmap"): ([1, 4], 3),
    ("accum", "shard"): ([1, 4], 3),
    ("accum", "if"): (9, 3),
    ("accum", "fold"): (5, 3),
    ("accum", "scan"): ((5, [1, 4]), 3),
    ("accum", "iterate"): ((3, 27), 9),
    ("accum", "checkpoint"): (6, 3),
    ("named", "jit"): (9, {"k": 3}),
    ("shared", "jit"): (9, {"k": 3}),
    ("shared", "jvp"): ((9, 3), {"k": 3}),
    ("shared", "grad"): (3, {"k": 3}),
    ("shared", "vmap"): ([3, 6], {"k": 3}),
    ("shared", "pmap"): ([3, 6], {"k": 3}),
    ("shared", "shard"): ([3, 6], {"k": 3}),
    ("shared", "if"): (9, {"k": 3}),
    ("shared", "fold"): (9, {"k": 3}),
    ("shared", "scan"): ((9, [3, 6]), {"k": 3}),
    ("shared", "iterate"): ((3, 27), {"k": 3}),
    ("shared", "checkpoint"): (3, {"k": 3}),
    ("div", "jit"): 0.75,
    ("div", "jvp"): (0.75, 0.25),
    ("div", "vmap"): [1, 1],
    ("div", "pmap"): [1, 1],
    ("div", "shard"): [1, 1],
    ("div", "if"): 0.75,
    ("div", "fold"): 2,
    ("div", "scan"): (2, [1, 1]),
    ("div", "iterate"): (3, 2.25),
    ("axis", "jit"): [3, 6],
    ("axis", "jvp"): ([3, 6], [5, 7]),
    ("axis", "grad"): [6, 6],
    ("axis", "vmap"): [[2, 8], [2, 8]],
    ("axis", "pmap"): [[2, 8], [2, 8]],
    ("axis", "shard"): [[2, 8], [2, 8]],
    ("axis", "if"): [3, 6],
    ("axis", "fold"): [10, 10],
    ("axis", "scan"): ([10, 10], [[2, 8], [2, 8]]),
    ("axis", "iterate"): ([3, 3], [9, 18]),
    ("axis", "checkpoint"): [6, 6],
    ("axis", "custom_jvp"): ([3, 6], [7, 14]),
    ("axis", "custom_vjp"): [7, 14],
    ("div", "custom_jvp"): (0.75, 21),
}
PRINTED: dict[str, tuple[Any, list[float]]] = {
    "jit": (9, [3]),
    "jvp": ((9, 6), [3]),
    "grad": (6, [3]),
    "if": (9, [3]),
    "fold": (5, [1, 2]),
    "scan": ((5, [1, 4]), [1, 2]),
    "iterate": ((3, 27), [3, 3, 3]),
    "checkpoint": (6, [3]),
    "custom_jvp": ((9, 21), [3]),
    "custom_vjp": (21, [3]),
}
CHECKED: dict[str, Any] = {
    "jit": 9,
    "jvp": (9, 6),
    "grad": 6,
    "vmap": [1, 4],
    "pmap": [1, 4],
    "shard": [1, 4],
    "if": 9,
    "fold": 5,
    "scan": (5, [1, 4]),
    "iterate": (3, 27),
    "checkpoint": 6,
    "custom_jvp": (9, 21),
    "custom_vjp": 21,
}


@pytest.mark.parametrize("cell", REFUSED, ids="-".join)
def test_refused(cell: Cell) -> None:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(source(*cell))
    assert {d.code for d in caught.value.diagnostics} == {REFUSED[cell]}


@pytest.mark.parametrize("cell", EXACT, ids="-".join)
def test_exact(cell: Cell) -> None:
    assert run(*cell) == EXACT[cell]


@pytest.mark.parametrize("column", PRINTED)
def test_printed_once(column: str, capfd: pytest.CaptureFixture[str]) -> None:
    value, lines = PRINTED[column]
    assert run("io", column) == value
    assert [float(line.removeprefix("x = ")) for line in capfd.readouterr().out.splitlines()] == lines


UNORDERED = {**PRINTED, "vmap": ([1, 4], [1, 2]), "pmap": ([1, 4], [1, 2]), "shard": ([1, 4], [1, 2])}


@pytest.mark.parametrize("column", UNORDERED)
def test_printed_once_without_an_order(column: str, capfd: pytest.CaptureFixture[str]) -> None:
    value, lines = UNORDERED[column]
    assert run("debug", column) == value
    assert sorted(float(line.removeprefix("x = ")) for line in capfd.readouterr().out.splitlines()) == lines


@pytest.mark.parametrize("column", CHECKED)
def test_checked(column: str) -> None:
    value, status = run("check", column)
    assert value == CHECKED[column]
    assert status == {"failed": False, "code": 0}
    _, status = run("check", column, xs=(-5.0, 2.0))
    assert status["failed"]


@pytest.mark.parametrize("effect", ["state", "accum", "check", "io", "debug"])
def test_a_branch_that_is_not_taken_performs_nothing(effect: str, capfd: pytest.CaptureFixture[str]) -> None:
    found = run(effect, "if", xs=(-5.0, 2.0), c=False)
    quiet = {"state": (-3, 1), "accum": (-3, 0), "check": (-3, {"failed": False, "code": 0}), "io": -3, "debug": -3}
    assert found == quiet[effect]
    assert not capfd.readouterr().out


@pytest.mark.parametrize("effect", ["accum", "check"])
def test_neither_does_one_under_vmap(effect: str) -> None:
    definition, handler = ROWS[effect]
    body = handler.format("[if v > 0.0 then f(v) else v for v in xs]")
    m = dsl.program(f"{definition}def main(xs: f32[2]) = {body}\n")
    value, rest = plain(m.main(np.array([-5, 2], np.float32)))
    assert value == [-5, 4]
    assert rest == {"accum": 2, "check": {"failed": False, "code": 0}}[effect]


def drawn(column: str) -> Any:
    """What was added to the argument by each draw."""
    match column, run("rand", column):
        case (("jit" | "if"), value):
            return [value - 3]
        case "jvp", (value, tangent):
            assert tangent == 1
            return [value - 3]
        case (("grad" | "checkpoint"), value):
            assert value == 1
            return []
        case (("vmap" | "pmap" | "shard"), values):
            return [values[0] - 1, values[1] - 2]
        case "scan", (_, values):
            return [values[0] - 1, values[1] - 2]
        case "fold", total:
            return [(total - 3) / 2]
        case _, (_, total):
            return [(total - 9) / 3]


@pytest.mark.parametrize("column", [column for column in COLUMNS if ("rand", column) not in REFUSED])
def test_draws(column: str) -> None:
    found = drawn(column)
    assert all(-1e-5 <= u < 1 for u in found)
    assert len(set(found)) == len(found), "a key for each element and each step"
    assert drawn(column) == found, "the same keys in every run"


def test_the_page_has_every_cell() -> None:
    lines = [line for line in PAGE.read_text("utf8").splitlines() if line.startswith("|")]
    head = [cell.strip(" `") for cell in lines[0].strip("|").split("|")]
    assert head == ["effect", *COLUMNS]
    rows = {cells[0].strip(" `"): cells[1:] for cells in (line.strip("|").split("|") for line in lines[2:])}
    assert list(rows) == list(ROWS)
    for effect, cells in rows.items():
        for column, cell in zip(COLUMNS, cells, strict=True):
            code = re.search(r"E\d{4}", cell)
            assert (code[0] if code else None) == REFUSED.get((effect, column)), (effect, column)


def test_every_cell_is_run() -> None:
    cells = {*REFUSED, *EXACT, *(("io", c) for c in PRINTED), *(("check", c) for c in CHECKED)}
    cells |= {(effect, column) for effect in ("rand", "debug") for column in COLUMNS}
    assert cells == {(effect, column) for effect in ROWS for column in COLUMNS}
