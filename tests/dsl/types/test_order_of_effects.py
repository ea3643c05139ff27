"""The effects of a row come in one order, whatever the order of a set is in a run."""

from __future__ import annotations

from itertools import permutations

from dsl.types.effect import CHECK, DIV, IO, RAND, Effect, UserEffect, row


def test_effects_come_in_the_order_of_their_names() -> None:
    effects: tuple[Effect, ...] = (CHECK, DIV, IO, RAND, UserEffect("m", "ask"))
    orders = {tuple(row(*each)) for each in permutations(effects)}
    assert len(orders) == 1
    assert [str(each) for each in row(*effects)] == sorted(map(str, effects))
