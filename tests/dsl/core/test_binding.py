"""Arguments bound to parameters: Python's own rule, and the mistakes by name."""

from __future__ import annotations

import inspect

from hypothesis import given
from hypothesis import strategies as st

from dsl.core.binding import ByPosition, Missing, Slot, TooMany, Twice, Unknown, bind

NAMES = ("a", "b", "c", "d")
SLOTS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=4).map(
    lambda flags: [
        Slot(name, keyword, required) for name, (keyword, required) in zip(NAMES, sorted(flags), strict=False)
    ]
)
CALLS = st.tuples(st.integers(0, 5), st.lists(st.sampled_from((*NAMES, "e")), max_size=4, unique=True))


def in_python(slots: list[Slot], positional: int, named: list[str]) -> dict[str, int] | None:
    """What Python binds to a function of these parameters; None where it refuses."""
    kinds = {False: inspect.Parameter.POSITIONAL_OR_KEYWORD, True: inspect.Parameter.KEYWORD_ONLY}
    required = [s for s in slots if s.required and not s.keyword_only]
    rest = [s for s in slots if s not in required]
    params = [
        inspect.Parameter(s.name, kinds[s.keyword_only], default=inspect.Parameter.empty if s.required else None)
        for s in (*required, *rest)
    ]
    values = {name: positional + i for i, name in enumerate(named)}
    try:
        return dict(inspect.Signature(params).bind(*range(positional), **values).arguments)
    except TypeError:
        return None


@given(SLOTS, CALLS)
def test_a_call_is_bound_as_python_binds_it(slots: list[Slot], call: tuple[int, list[str]]) -> None:
    positional, named = call
    slots = sorted(slots, key=lambda s: (s.keyword_only, not s.required))
    bound = bind(slots, [*[None] * positional, *named])
    expected = in_python(slots, positional, named)
    assert (dict(bound.places) if not bound.mistakes else None) == expected


@given(SLOTS, CALLS)
def test_each_argument_is_bound_or_a_mistake_names_it(slots: list[Slot], call: tuple[int, list[str]]) -> None:
    positional, named = call
    bound = bind(slots, [*[None] * positional, *named])
    told = {m.place for m in bound.mistakes if not isinstance(m, Missing)}
    surplus = {m.place for m in bound.mistakes if isinstance(m, TooMany | ByPosition)}
    behind = {place for place in range(positional) if surplus and place >= min(surplus)}
    assert set(bound.places.values()) | told | behind == set(range(positional + len(named)))
    assert not set(bound.places.values()) & told


def test_the_mistakes() -> None:
    x, y, axis = Slot("x"), Slot("y", required=False), Slot("axis", keyword_only=True, required=False)
    assert bind([x, y], [None, None, None]).mistakes == (TooMany(2, 3, 2),)
    assert bind([x, axis], [None, None]).mistakes == (ByPosition("axis", 1),)
    assert bind([x, y], [None, "z"]).mistakes == (Unknown("z", 1),)
    assert bind([x, y], [None, "x"]).mistakes == (Twice("x", 1, 0),)
    assert bind([x, y], ["y"]).mistakes == (Missing(("x",)),)
    assert bind([x, y], ["z"]).mistakes == (Unknown("z", 0),)
