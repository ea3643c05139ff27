"""Every place where staging reports an error: the rule of the checker that keeps programs from it, or why none can.

A rule is shown by a program that would lead to the place, were it not refused with the code that stands beside it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import dsl.staging
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source

FOLDER = Path(dsl.staging.__file__).parent
INSIDE = {"NoValue", "DoesNotFit", "AssertionError", "TypeError", "ValueError"}
"""What is raised for callers within staging, or is a bug."""

REFUSED = {
    "env.stager._exceeded": (
        "E0503",
        "def g(static k: int, x: f32) -> f32 = if k == 0 then x else g(k - 2, x)\ndef f(x: f32) -> f32 = g(3, x)\n",
    ),
    "expressions.arithmetic.coerce": (
        "E0407",
        "def g(x: i8[n], static k: int) -> i8[n] = x + k\ndef f(x: i8[n]) -> i8[n] = g(x, 300)\n",
    ),
    "intrinsics.axes.axis_of": (
        "E0403",
        "def g(x: f32[*s], static a: axes) -> f32 = sum(sum(x, axis=a))\ndef f(x: f32[3]) -> f32 = g(x, 4)\n",
    ),
    "intrinsics.axes.axes_in_order": (
        "E0403",
        "def g(x: f32[*s], static a: axes) -> f32 = sum(sum(x, axis=a))\ndef f(x: f32[3]) -> f32 = g(x, (0, 0))\n",
    ),
    "intrinsics.shapes.transpose": (
        "E0403",
        "def g(x: f32[*s], static a: axes) -> f32 = sum(transpose(x, a))\ndef f(x: f32[3]) -> f32 = g(x, (0, 1))\n",
    ),
    "transforms.apply._policy": (
        "E0407",
        'def g(x: f32, static p: str) -> f32 = checkpoint(sin, policy=p)(x)\ndef f(x: f32) -> f32 = g(x, "no")\n',
    ),
    "transforms.apply._require_scalar": ("E0801", "def f(x: f32[n]) -> f32[n] = grad(fn v -> 2.0 * v)(x)\n"),
    "transforms.differentiate.require_floats": ("E0802", "def f(x: i32) -> i32 = jacfwd(fn v -> v + 1)(x)\n"),
    "transforms.refusals.reporting": ("E0803", "def f(x: f32) -> f32 = grad(fn v -> nextafter(v, 2.0))(x)\n"),
}

LEFT = {
    "transforms.refusals.reporting_at": "derivatives that only Python asks for",
    "transforms.jacobian._require_real": "functions of Python: the checker knows only that an argument may be complex",
    "effects.perform._evaluated_outside": "a function that a definition is given may depend on a loop around its call",
    "effects.named._filled": "a function that a definition is given may be called for some sizes only",
    "effects.perform.print_": "a static parameter may be the format: only its value tells what it shows",
    "stage._evaluated": "budgets of numbers and of the process: sizes and static arguments from Python lead there",
}


def raised_in(path: Path) -> Iterator[str]:
    """The functions of a module that raise what is for users, by name."""
    module = ".".join(path.relative_to(FOLDER).with_suffix("").parts)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        raised = [node.exc for node in ast.walk(function) if isinstance(node, ast.Raise) and node.exc is not None]
        names = [ast.unparse(each.func if isinstance(each, ast.Call) else each) for each in raised]
        if any(name not in INSIDE for name in names):
            yield f"{module}.{function.name}"


def test_every_place_has_a_rule_or_a_reason() -> None:
    found = {name for path in FOLDER.rglob("*.py") for name in raised_in(path)}
    assert found == REFUSED.keys() | LEFT.keys()


@pytest.mark.parametrize("place", REFUSED)
def test_the_checker_refuses_what_leads_there(place: str) -> None:
    code, text = REFUSED[place]
    assert [found.code for found in check_source(Source("main.dsl", text)).diagnostics] == [code]
