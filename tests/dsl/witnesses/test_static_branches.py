"""Static branches around an operation without a derivative: a program is refused if and only if some call of it is."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

import typechecker
from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.source import Source
from dsl.ir.function import Tensor
from dsl.staging.stage import session, stage
from dsl.staging.values import DefValue, Slot, Value
from dsl.types.dtype import F32
from dsl.types.search import holds
from dsl.witnesses import check_source
from tests.support.known_library import known_library

CONDITIONS = (
    "{n} == {c}",
    "{n} != {c}",
    "{n} > {c}",
    "{n} <= {c}",
    "{n} % {k} == {r}",
    "{n} // {k} == {c}",
    "2 * {n} == {c}",
    "not {n} < {c}",
)
BOUNDS = ("n >= 1", "n > {c}", "n <= {c}", "n != {c}", "n % {k} == {r}", "n >= 2 and n < {c} + 4")
CALLED = ("f(v)", "f(v[1:])", "f(concatenate((v, v)))", "f(v, k + 1)", "f(v, 2)", "f(concatenate((v, ones([3]))), k)")
SIZES, NUMBERS = range(1, 40), range(-1, 8)
COUNT = 12


def _condition(random: Random, names: str, depth: int) -> str:
    if depth > 0:
        joined = random.choice(("and", "or"))
        return f"({_condition(random, names, depth - 1)}) {joined} ({_condition(random, names, depth - 1)})"
    k = random.randrange(2, 6)
    values = {"c": random.randrange(1, 13), "k": k, "r": random.randrange(k)}
    return random.choice(CONDITIONS).format(n=random.choice(names), **values)


def _program(number: int) -> tuple[str, bool]:
    """A program, and whether calls of it have a static argument."""
    random = Random(number)
    with_static = random.random() < 0.4
    names = "nk" if with_static else "n"
    ways = [
        "sum(nextafter(x, 1.0))",
        "sum(x)",
        "sum(x * x)",
        f"(if {_condition(random, names, 0)} then {{}} else {{}})",
    ]
    first = random.choice(ways[:1] + ways[3:]).format(*random.sample(ways[:3], 2))
    called = random.choice(CALLED if with_static else CALLED[:3])
    k = random.randrange(2, 6)
    bound = random.choice(BOUNDS).format(c=random.randrange(2, 12), k=k, r=random.randrange(1, k))
    text = f"""
def f(x: f32[n]{", static k: int = 3" if with_static else ""}) -> f32 =
    let half = {"k" if with_static else "n"} // 2
    if {_condition(random, names, random.randrange(2))} then {first}
    else if half == {random.randrange(4)} then {random.choice(ways[:3])}
    else {random.choice(ways[1:3])}
def g(x: f32[n]{", static k: int" if with_static else ""}) -> f32[n] where n >= 1 and {bound} =
    grad(fn v -> {called})(x)
"""
    return text, with_static


def _fails(text: str, with_static: bool) -> bool:
    """Return whether the derivative of some call is refused, among many."""
    program = typechecker.check_source(Source("unjudged.dsl", text), cache=known_library()).program
    assert program is not None, text
    function = program.modules[program.main].functions["g"]
    shared = session(program)
    for size, number in product(SIZES, NUMBERS if with_static else (0,)):
        values = dict.fromkeys(function.signature.sizes, size)
        values |= {p.size: number for p in function.signature.params if p.size is not None}
        if all(holds(fact, values) for fact in function.signature.where):
            args: list[Value] = [Slot(Tensor(F32, (size,)))]
            try:
                stage(shared, DefValue(function), [*args, number] if with_static else args, function.span)
            except DslError as refused:
                assert refused.code == "E0803"
                return True
    return False


@pytest.mark.parametrize("group", range(6))
def test_a_program_is_refused_if_and_only_if_a_call_of_it_is(group: int) -> None:
    odd = []
    for number in range(group, COUNT, 6):
        text, with_static = _program(number)
        found = check_source(Source("main.dsl", text), cache=known_library()).diagnostics
        errors = {d.code for d in found if d.severity.name == "ERROR"}
        assert errors <= {"E0803"}, text
        if bool(errors) != _fails(text, with_static):
            odd.append((text, errors))
    assert odd == []
