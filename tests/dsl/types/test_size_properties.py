"""The size algebra against brute force: random expressions and facts, every assignment of small sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from dsl.types.decide import Proved, Refuted, Unknown, bounds, consistent, decide, entails, normalise
from dsl.types.facts import And, Eq, Facts, Le, Lt, Ne, Not, OpaqueProp, Or, Prop, atoms_of
from dsl.types.limits import Exceeded
from dsl.types.search import GREATEST, holds, search
from dsl.types.size import Size, SizeVar, max_, min_
from tests.support.cases import some, some_of_example
from tests.support.examples import examples

VARS = (SizeVar(0, "n"), SizeVar(1, "m"), SizeVar(2, "i", natural=False))
VALUES = (range(7), range(7), range(-3, 5))


class Undefined(Exception):
    """A denominator below 1."""


@dataclass(frozen=True)
class Node:
    """An expression as written, before any normal form."""

    op: str
    args: tuple[Node, ...] = ()
    value: int = 0


Env: TypeAlias = dict[SizeVar, int]


def build(node: Node) -> Size:
    args = [build(arg) for arg in node.args]
    match node.op:
        case "var":
            return Size.of(VARS[node.value])
        case "int":
            return Size.of(node.value)
        case "+":
            return args[0] + args[1]
        case "-":
            return args[0] - args[1]
        case "*":
            return args[0] * args[1]
        case "//":
            return args[0] // args[1]
        case "%":
            return args[0] % args[1]
        case "min":
            return min_(*args)
        case _:
            return max_(*args)


def run(node: Node, env: Env) -> int:
    """The meaning of an expression, computed as written."""
    if node.op == "var":
        return env[VARS[node.value]]
    if node.op == "int":
        return node.value
    a, b = (run(arg, env) for arg in node.args)
    match node.op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//" | "%":
            if b < 1:
                raise Undefined
            return a // b if node.op == "//" else a % b
        case "min":
            return min(a, b)
        case _:
            return max(a, b)


def nodes(depth: int = 3) -> st.SearchStrategy[Node]:
    leaf = st.one_of(
        st.builds(lambda i: Node("var", value=i), st.integers(0, len(VARS) - 1)),
        st.builds(lambda i: Node("int", value=i), st.integers(-2, 6)),
    )
    ops = st.sampled_from(["+", "-", "*", "//", "%", "min", "max", "+", "-"])
    return st.recursive(
        leaf,
        lambda inner: st.builds(lambda op, a, b: Node(op, (a, b)), ops, inner, inner),
        max_leaves=2**depth,
    )


def assignments() -> Iterator[Env]:
    for values in product(*VALUES):
        yield dict(zip(VARS, values, strict=True))


@dataclass(frozen=True)
class Statement:
    """A comparison as written."""

    op: str
    left: Node
    right: Node

    def prop(self) -> Prop:
        a, b = build(self.left), build(self.right)
        relations: dict[str, type[Eq | Ne | Le | Lt]] = {"==": Eq, "!=": Ne, "<=": Le, "<": Lt}
        return relations[self.op](a, b)

    def true(self, env: Env) -> bool:
        a, b = run(self.left, env), run(self.right, env)
        return {"==": a == b, "!=": a != b, "<=": a <= b, "<": a < b}[self.op]


def statements(depth: int = 2) -> st.SearchStrategy[Statement]:
    return st.builds(Statement, st.sampled_from(["==", "<=", "<", "!=", "=="]), nodes(depth), nodes(depth))


@examples(400)
@given(nodes(4))
def test_a_normal_form_has_the_value_of_what_was_written(node: Node) -> None:
    size = build(node)
    for env in some(assignments()):
        try:
            expected = run(node, env)
        except Undefined:
            continue
        assert size.evaluate(env) == expected, (str(size), env)


@examples(300)
@given(nodes(3), nodes(2), st.integers(0, len(VARS) - 1))
def test_substitution_commutes_with_evaluation(node: Node, other: Node, index: int) -> None:
    var, size = VARS[index], build(other)
    replaced = build(node).substitute({var: size})
    for env in some(assignments()):
        try:
            value = run(other, env)
            expected = run(node, {**env, var: value})
        except Undefined:
            continue
        assert replaced.evaluate(env) == expected or (value < 0 and var.natural), (
            str(build(node)),
            str(size),
            env,
        )


@examples(200)
@given(nodes(3), nodes(3))
def test_every_size_is_divided_with_a_rest_by_every_other(node: Node, other: Node) -> None:
    size, divisor = build(node), build(other)
    for by in (divisor, Size.of(0), divisor - divisor):
        whole, rest = size.divided_by(by)
        assert whole * by + rest == size
    assert size.divided_by(Size.of(0)) == (Size.of(0), size)


@examples(300)
@given(nodes(3))
def test_what_is_built_again_from_its_parts_is_the_same(node: Node) -> None:
    size = build(node)
    assert size.substitute({var: Size.of(var) for var in VARS}) == size
    assert hash(size.substitute({VARS[0]: Size.of(VARS[0])})) == hash(size)


@examples(300)
@given(nodes(3))
def test_text_means_the_size(node: Node) -> None:
    size = build(node)
    text = str(size)
    names = {"min": min, "max": max}
    for env in some(assignments()):
        values = {var.name: value for var, value in env.items()}
        try:
            expected = size.evaluate(env)
        except ZeroDivisionError:
            continue
        assert eval(text, {}, {**names, **values}) == expected, text


def as_prop(kind: str, parts: list[Statement]) -> Prop:
    props = tuple(part.prop() for part in parts)
    match kind:
        case "and":
            return And(props)
        case "or":
            return Or(props)
        case _:
            return Not(And(props))


def truth(kind: str, parts: list[Statement], env: Env) -> bool:
    values = [part.true(env) for part in parts]
    match kind:
        case "and":
            return all(values)
        case "or":
            return any(values)
        case _:
            return not all(values)


FactsOf: TypeAlias = list[tuple[str, list[Statement]]]


def facts_strategy(depth: int) -> st.SearchStrategy[FactsOf]:
    group = st.tuples(st.sampled_from(["and", "and", "or", "not"]), st.lists(statements(depth), min_size=1, max_size=2))
    return st.lists(group, max_size=2)


def models(facts: FactsOf, goal: Statement) -> Iterator[tuple[Env, bool]]:
    """Assignments at which everything is defined and the facts hold, and what the goal is there."""
    for env in assignments():
        try:
            held = [truth(kind, parts, env) for kind, parts in facts]
            if all(held):
                yield env, goal.true(env)
        except Undefined:
            continue


def check_decision(facts: FactsOf, goal: Statement) -> str:
    known = Facts.empty().assume(*(as_prop(kind, parts) for kind, parts in facts))
    match decide(known, goal.prop()):
        case Proved():
            for env, value in models(facts, goal):
                assert value, (str(known), str(goal.prop()), {v.name: x for v, x in env.items()})
            return "proved"
        case Refuted(example):
            assert all(holds(prop, example) for prop in known.props if set(_vars(prop)) <= set(example))
            assert holds(goal.prop(), example) is False
            return "refuted"
        case Unknown():
            return "unknown"


ELSEWHERE = [(Size.of(SizeVar(10 + k, f"x{k}")), Size.of(SizeVar(20 + k, f"y{k}"))) for k in range(5)]


@examples(100)
@given(facts_strategy(2), statements(2))
def test_facts_of_other_sizes_change_no_proof_unless_they_are_contradictory(facts: FactsOf, goal: Statement) -> None:
    known = Facts.empty().assume(*(as_prop(kind, parts) for kind, parts in facts))
    more = known.assume(*(Le(x, y * y) for x, y in ELSEWHERE))
    assert entails(more, goal.prop()) == entails(known, goal.prop())
    x, y = ELSEWHERE[0]
    assert entails(more.assume(Eq(y, Size.of(1)), Lt(Size.of(2), x)), goal.prop())


def _vars(prop: Prop) -> Iterator[SizeVar]:
    return (atom for atom in atoms_of(prop) if isinstance(atom, SizeVar))


@examples(500)
@given(facts_strategy(2), statements(2))
def test_nothing_proved_is_false_and_every_example_is_one(facts: FactsOf, goal: Statement) -> None:
    check_decision(facts, goal)


@examples(200)
@given(facts_strategy(2), nodes(3))
def test_normal_forms_under_facts_are_equal_where_the_facts_hold(facts: FactsOf, node: Node) -> None:
    known = Facts.empty().assume(*(as_prop(kind, parts) for kind, parts in facts))
    try:
        result = normalise(build(node), known)
        low, high = bounds(known, build(node))
    except Exceeded:
        reject()
    for env, _ in some_of_example(models(facts, Statement("==", node, node))):
        value = run(node, env)
        assert result.evaluate(env) == value, (str(known), str(build(node)), str(result), env)
        assert (low is None or low <= value) and (high is None or value <= high), (str(known), env, low, high)


@examples(200)
@given(facts_strategy(2))
def test_consistency_agrees_with_brute_force(facts: FactsOf) -> None:
    known = Facts.empty().assume(*(as_prop(kind, parts) for kind, parts in facts))
    trivial = Statement("==", Node("int"), Node("int"))
    if consistent(known) is False:
        assert not list(models(facts, trivial)), str(known)


# The rate of questions that stay open.


def linear_node(random: Random) -> Node:
    node = Node("int", value=random.randint(0, 4))
    for index in range(len(VARS)):
        factor = random.choice([0, 0, 1, 1, 2, -1])
        if factor:
            term = Node("*", (Node("int", value=factor), Node("var", value=index)))
            node = Node("+", (node, term))
    return node


def linear_statement(random: Random) -> Statement:
    return Statement(random.choice(["==", "<=", "<", "<="]), linear_node(random), linear_node(random))


def test_few_linear_questions_stay_open(capsys: pytest.CaptureFixture[str]) -> None:
    random = Random(2)
    counts = {"proved": 0, "refuted": 0, "unknown": 0}
    for _ in range(600):
        facts: FactsOf = [("and", [linear_statement(random)]) for _ in range(random.randint(0, 3))]
        counts[check_decision(facts, linear_statement(random))] += 1
    with capsys.disabled():
        print(f"\nlinear questions about sizes: {counts}")
    assert counts["unknown"] <= 1
    assert counts["proved"] > 60


def mixed_node(random: Random, depth: int) -> Node:
    """With divisions by literals mostly, as programs have them."""
    if depth == 0 or random.random() < 0.25:
        if random.random() < 0.65:
            return Node("var", value=random.randint(0, 1))
        return Node("int", value=random.randint(0, 5))
    op = random.choice(["+", "-", "*", "//", "%", "min", "max", "+"])
    literal = op in ("//", "%") and random.random() < 0.7
    right = Node("int", value=random.randint(1, 4)) if literal else mixed_node(random, depth - 1)
    return Node(op, (mixed_node(random, depth - 1), right))


def mixed_statement(random: Random, depth: int) -> Statement:
    op = random.choice(["==", "<=", "<"])
    return Statement(op, mixed_node(random, depth), mixed_node(random, depth))


def test_few_other_questions_stay_open(capsys: pytest.CaptureFixture[str]) -> None:
    random = Random(11)
    counts = {"proved": 0, "refuted": 0, "unknown": 0}
    for _ in range(400):
        facts: FactsOf = [("and", [mixed_statement(random, 1)]) for _ in range(random.randint(0, 2))]
        counts[check_decision(facts, mixed_statement(random, 2))] += 1
    with capsys.disabled():
        print(f"\nquestions with products, divisions, min and max: {counts}")
    assert counts["unknown"] <= 8


@given(st.lists(st.sets(st.integers(GREATEST + 1, 10**12), max_size=3), min_size=2, max_size=2))
@examples(20)
def test_a_search_finds_every_assignment_by_its_sum(more: list[set[int]]) -> None:
    order = VARS[:2]
    found = [tuple(each.values()) for each in search(order, (), dict(zip(order, more, strict=True))) if each]
    assert list(map(sum, found)) == sorted(map(sum, found))
    domains = [set(range(GREATEST + 1)) | values for values in more]
    assert len(found) == len(set(found)) and set(found) == set(product(*domains))


@pytest.mark.parametrize("told", [False, True])
def test_what_no_assignment_decides_is_not_asked_of_all(told: bool) -> None:
    """A call that computes nothing from sizes; it costs as much each time."""
    asked = []

    def evaluate(*sizes: int) -> bool | None:
        asked.append(sizes)
        return False if told and len(asked) == 40 else None

    n, m = VARS[:2]
    prop = OpaqueProp("called", (Size.of(n), Size.of(m)), evaluate)
    assert not any(search((n, m), (prop,), {}))
    assert len(asked) == ((GREATEST + 1) ** 2 if told else 50)
