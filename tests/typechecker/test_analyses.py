"""Analyses of Core: each takes every class of nodes, and none leaves out a part in which something may be found."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import pytest

from dsl.core import core
from dsl.core.analysis.abstract_values import Function, Scope, Value, marks
from dsl.core.analysis.interpret import Interpreter
from dsl.core.walk import bound_names, children, patterns
from dsl.diagnostics.source import Source
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.parse import parse
from dsl.types import type as ty
from dsl.types.effect import PURE
from dsl.types.shape import Shape
from dsl.witnesses import check_source
from tests.support.core_nodes import SPAN, Nodes, every_node
from typechecker.analyses.affine_keys import check_keys
from typechecker.declarations.program_checker import ProgramChecker

NODES = [node for node, _ in every_node()]
CALLED = (core.Lambda, core.Transform, core.TransformCall)
"""Their functions are followed where they are called, as an analysis says."""


class Recorder(Interpreter):
    """An analysis that notes what it sees, and gives all names the mark 1."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[core.Expr] = []

    def of(self, node: core.Expr, scope: Scope) -> Value:
        self.seen.append(node)
        return super().of(node, scope)

    def joined(self, values: Sequence[Value]) -> int:
        return max((mark for value in values for mark in marks(value)), default=0)

    def definition(self, module: str, name: str) -> core.Function | None:
        return None

    def binary(self, node: core.Binary, left: Value, right: Value) -> Value:
        return self.joined([left, right])

    def intrinsic(self, node: core.Intrinsic, args: Sequence[Value]) -> Value:
        return self.joined(args)

    def transformed(
        self, function: Function, node: core.Transform, args: Sequence[Value], at: core.Expr, instance: int | None
    ) -> Value:
        return self.joined(args)

    def transform_call(self, node: core.TransformCall, scope: Scope) -> Value:
        return 0


@pytest.mark.parametrize("node", NODES, ids=lambda node: type(node).__name__)
def test_the_interpreter_sees_every_part_of_every_class(node: core.Expr) -> None:
    recorder = Recorder()
    recorder.of(node, Scope({}, {}))
    unseen = [child for child in children(node) if not any(child is each for each in recorder.seen)]
    assert unseen == [] or isinstance(node, CALLED)


@pytest.mark.parametrize("node", [n for n in NODES if patterns(n)], ids=lambda node: type(node).__name__)
def test_names_are_bound_before_the_bodies_that_use_them(node: core.Expr) -> None:
    class Names(Recorder):
        bound: frozenset[int] = frozenset()

        def of(self, node: core.Expr, scope: Scope) -> Value:
            self.bound |= scope.names.keys()
            return super().of(node, scope)

    names = Names()
    made = names.of(node, Scope({}, {}))
    for body in node.instances if isinstance(node, core.Lambda) else ():
        assert isinstance(made, Function)
        names.in_lambda(made, body, [1] * len(body.params))
    assert {bind.id for pattern in patterns(node) for bind in bound_names(pattern)} <= names.bound


KEY = ty.KeyType(Shape(()))
NOWHERE = SimpleNamespace(task=SimpleNamespace(origins={}))
"""A checker that does not know where names were bound."""

WRITTEN = cast(ast.Def, parse(Source("written.dsl", "def f(x: f32) -> f32 = x\n"))[0].declarations[0])


@pytest.mark.parametrize(("node", "nodes"), every_node(KEY), ids=lambda each: type(each).__name__)
def test_the_key_analysis_sees_every_part_of_every_class(node: core.Expr, nodes: Nodes) -> None:
    """Every key in a node is moved there: one more mention of each of them is one too many."""
    keys = [leaf for leaf in nodes.leaves if isinstance(leaf, core.Local)]
    again = core.Tuple(SPAN, ty.UNIT, tuple(replace(key) for key in keys))
    body = core.Tuple(SPAN, ty.UNIT, (node, again))
    params = tuple(core.Parameter(key.name, key.id, KEY, SPAN) for key in keys)
    signature = core.Signature((), (), (), (), params, ty.UNIT, PURE)
    function = core.Function("m", "f", False, signature, body, SPAN, None, {})
    found = " ".join(
        str(diagnostic.message) for diagnostic in check_keys(cast(ProgramChecker, NOWHERE), function, WRITTEN)
    )
    assert [param.name for param in params if f"`{param.name}" not in found] == []


HOLES = {
    "state": "with state s = {} do s",
    "handler": "(with handler tick(u) -> resume({}) do tick(x))",
    "tree": "tree_map(fn v -> v + {}, (x, x)).0",
    "clip": "[x, x].at[0].set({})[0]",
    "limit": "fold a = {} for _ in range(2) do a",
    "comprehension": "sum([{} + v for v in [x, x]])",
    "if": "if x > 0.0 then {} else x",
    "record": "({{a = {}, b = x}}).a",
    "lambda": "(fn v -> v + {})(x)",
}
WRONG = {"E0803": "grad(fn (w: f32) -> nextafter(w, 2.0))(x)", "E0610": "(normal(k, []) + normal(k, []))"}


@pytest.mark.parametrize("code", WRONG)
@pytest.mark.parametrize("place", HOLES)
def test_analyses_find_a_mistake_wherever_it_stands(place: str, code: str) -> None:
    text = f"from random import normal\neffect tick: (x: f32) -> f32\ndef f(x: f32, k: key) = {HOLES[place]}\n"
    fine = check_source(Source("main.dsl", text.format("x")))
    wrong = check_source(Source("main.dsl", text.format(WRONG[code])))
    assert [d.code for d in fine.diagnostics if d.code != "W"] == []
    assert code in [d.code for d in wrong.diagnostics] or "E0611" in [d.code for d in wrong.diagnostics]
