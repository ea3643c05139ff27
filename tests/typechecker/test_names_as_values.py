"""Every built-in function where a value is expected: told, and never a crash of what follows a program."""

from __future__ import annotations

import pytest

from tests.typechecker.fuzz import survive
from typechecker.builtins.table import table

PLACES = (
    "grad(fn v -> sum(v * <name>))(x)",
    "jvp(fn v -> <name> + v, (x,), (x,)).1",
    "custom_jvp(fn v -> 2.0 * v, fn (p, t) -> (2.0 * p.0, <name>))(x)",
    "custom_vjp(fn v -> 2.0 * v, fn v -> (2.0 * v, <name>), fn (r, ct) -> (2.0 * ct,))(x)",
    "vmap(fn v -> <name>(v))(x)",
    "(vmap(<name>)(x) + grad(<name>)(x))",
    "shard(fn v -> <name>, mesh(a=2), none, none)(x)",
    "(fold u = <name> for v in x do u + v)",
    "(with rng(<name>) do shard(fn v -> normal(fresh_key(), [8]), mesh(a=2), none, none)(x))",
    "(with state s = <name> do (s := x; <name>))",
    "f(<name>, k)",
    "apply(<name>, x)",
    "f(x, split(<name>, 2)[0])",
    "{a = <name>, b = x}.b[<name>]",
)
"""Expressions that one analysis or another follows, in a recursive function of an array and a key."""
PROGRAM = """\
from random import normal

def apply(g: (f32[8]) -> f32[8], x: f32[8]) -> f32[8] = g(x)

def f(x: f32[8], k: key) -> f32[8] =
    let y = <place>
    f(y, k)

def g(x: f32[8], k: key) -> f32[8] = <place>
"""


@pytest.mark.parametrize("place", PLACES)
def test_built_in_functions_where_a_value_is_expected(place: str) -> None:
    names = [name for name in table() if "." not in name]
    texts = [PROGRAM.replace("<place>", place.replace("<name>", name)) for name in names]
    assert len(names) > 20
    assert [(text, how) for text in texts if (how := survive(text)) is not None] == []
