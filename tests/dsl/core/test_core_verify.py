"""The verifier of Core: what each of its rules refuses. The corpus of the checker and the library are held to it where
they are checked; here programs are broken by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dsl.core import core
from dsl.core.text import show, show_function, show_program
from dsl.core.verify import CoreVerifyError, verify
from dsl.core.walk import map_children, patterns, scopes, subexpressions
from dsl.diagnostics.source import Source
from dsl.records import replace
from dsl.types import type as ty
from tests.support.cases import some
from tests.support.core_nodes import SCALAR, SPAN, every_node
from typechecker import check_source

TEXT = """
def two(x: f32, y: f32 = 1.0) -> f32 = x + y
def main(x: f32[n], p: {a: f32, b: (f32, f32)}) -> (f32, f32) =
    let s = fold a = 0.0 for v in x do a + two(v)
    let f = fn v -> v * p.a
    (f(s), p.b.1)
"""
ONE = core.Const(SPAN, ty.INT, 1)
LAMBDA = core.Lambda(SPAN, ty.FunctionType((), ty.ERROR), [core.LambdaBody((), ONE)])


def program() -> core.Program:
    found = check_source(Source("main.dsl", TEXT)).program
    assert found is not None
    return found


def with_body(found: core.Program, change: Callable[[core.Expr], core.Expr]) -> core.Program:
    """The program with another body of `main`."""
    main = found.modules[found.main]
    function = main.functions["main"]
    changed = replace(function, body=change(function.body))
    module = replace(main, functions={**main.functions, "main": changed})
    return replace(found, modules={**found.modules, found.main: module})


def everywhere(change: Callable[[core.Expr], core.Expr]) -> Callable[[core.Expr], core.Expr]:
    return lambda node: change(map_children(node, everywhere(change)))


BROKEN: dict[str, tuple[Callable[[core.Expr], core.Expr], str]] = {
    "unbound": (
        everywhere(lambda e: replace(e, id=-1) if isinstance(e, core.Local) else e),
        "used where it is not bound",
    ),
    "out_of_scope": (
        everywhere(lambda e: core.Stack(e.span, e.type, (e.body,)) if isinstance(e, core.Loop) else e),
        "used where it is not bound",
    ),
    "reported": (everywhere(lambda e: replace(e, type=ty.ERROR) if isinstance(e, core.Local) else e), "was reported"),
    "undeclared": (
        everywhere(lambda e: replace(e, name="three") if isinstance(e, core.Global) else e),
        "nothing is declared as",
    ),
    "too_many_arguments": (
        everywhere(lambda e: replace(e, args=(*e.args, ONE)) if isinstance(e, core.Apply) else e),
        "3 arguments for the 2 parameters",
    ),
    "no_argument": (
        everywhere(lambda e: replace(e, args=(None, *e.args[1:])) if isinstance(e, core.Apply) else e),
        "nothing is given for x",
    ),
    "no_instance": (lambda e: core.Specialise(SPAN, e.type, LAMBDA, 1), "no instance 1"),
    "typed_lambda": (lambda _: replace(LAMBDA, type=ty.INT), "a lambda of type int"),
    "tuple": (
        everywhere(lambda e: replace(e, items=e.items[:1]) if isinstance(e, core.Tuple) else e),
        "1 parts of type",
    ),
    "record": (lambda e: core.Record(SPAN, ty.UNIT, (("a", ONE),)), "fields a of type"),
    "part": (
        everywhere(lambda e: replace(e, index=2) if isinstance(e, core.Project) else e),
        "has no part 2",
    ),
    "field": (
        everywhere(lambda e: replace(e, field="c") if isinstance(e, core.Select) else e),
        "has no field c",
    ),
    "carries": (
        lambda _: core.Unroll(SPAN, ty.UNIT, "map", (core.Ignore(),), None, core.Unrolled(ONE), ()),
        "1 carries for 0 steps",
    ),
}


def test_a_checked_program_is_well_formed() -> None:
    verify(program())


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_program_is_refused(name: str) -> None:
    change, why = BROKEN[name]
    with pytest.raises(CoreVerifyError, match=why):
        verify(with_body(program(), change))


def test_a_parameter_of_a_reported_type_is_refused() -> None:
    found = program()
    main = found.modules[found.main]
    two = main.functions["two"]
    params = (replace(two.signature.params[0], type=ty.ERROR), *two.signature.params[1:])
    broken = replace(two, signature=replace(two.signature, params=params))
    modules = {**found.modules, found.main: replace(main, functions={**main.functions, "two": broken})}
    with pytest.raises(CoreVerifyError, match="parameter x was reported"):
        verify(replace(found, modules=modules))


@pytest.mark.parametrize("node", [n for n, _ in every_node()], ids=lambda n: type(n).__name__)
def test_scopes_show_every_child_and_every_pattern(node: core.Expr) -> None:
    """A class with patterns that no scope has would leave names unbound."""
    found = list(scopes(node))
    assert {id(child) for _, child in found} == {id(child) for child in list(subexpressions(node))[1:]}
    assert {id(p) for inside, _ in found for p in inside} == {id(p) for p in patterns(node)}


def locals_in(node: core.Expr) -> list[core.Local]:
    return [each for each in subexpressions(node) if isinstance(each, core.Local)]


@pytest.mark.parametrize("node", [n for n, _ in every_node() if locals_in(n)], ids=lambda n: type(n).__name__)
def test_every_class_is_shown_with_what_it_holds(node: core.Expr) -> None:
    text = show(node)
    assert all(f"{each.name}.{each.id % 10_000}" in text for each in some(locals_in(node)))


def test_text_of_a_function() -> None:
    param = core.Parameter("x", 1, SCALAR, SPAN)
    local = core.Local(SPAN, SCALAR, 1, "x")
    signature = core.Signature((), (), (), (), (param,), SCALAR, ty.FunctionType((), SCALAR).effects)
    body = core.Binary(SPAN, SCALAR, "+", local, core.Const(SPAN, ty.INT, 2))
    function = core.Function("m", "f", False, signature, body, SPAN, None, {})
    assert show_function(function) == "def m.f(x.1: f32) -> f32\n  Binary(op='+', left=x.1, right=2): f32"


def test_wide_text_is_broken_into_lines_that_fit() -> None:
    text = show_program(program())
    assert "def main.two(" in text and "def main.main(" in text
    assert len(text.splitlines()) > 20
