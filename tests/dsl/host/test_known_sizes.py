"""Axes in the words of jaxtyping, and calls whose sizes are known by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsl
from dsl.core.solving import Place
from dsl.host.python_types.axes import Malformed, Names, parse_axes
from dsl.host.python_types.kinds import axes
from dsl.host.python_types.known_sizes import Sizes
from dsl.types.size import Size
from dsl.types.type import ArrayType

EXPRESSIONS = st.recursive(
    st.sampled_from(["n", "d", "h", "1", "2", "7"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
        st.tuples(inner, st.sampled_from(["//", "%"]), st.sampled_from("237")).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]},{t[2]})"),
    ),
    max_leaves=4,
)


@given(EXPRESSIONS, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_a_computed_size_is_what_python_computes(text: str, n: int, d: int, h: int) -> None:
    names = Names()
    (size,) = parse_axes(text, names).dims
    assert isinstance(size, Size)
    values = {"n": n, "d": d, "h": h}
    known = {next(iter(names.size(name).vars())): value for name, value in values.items()}
    assert size.evaluate(known) == eval(text, {**values, "min": min, "max": max})


@pytest.mark.parametrize("text", ["n d", "*b n", "n-1 3", "n", "", "*b", "h*d"])
def test_axes_are_written_as_they_are_read(text: str) -> None:
    names = Names()
    assert parse_axes(axes(parse_axes(text, names)), names) == parse_axes(text, names)


@pytest.mark.parametrize("text", ["n+", "f(n)", "n.m", "1.5", "'a'", "n[0]"])
def test_what_is_no_size_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        parse_axes(text, Names())


M = dsl.program("""
    def f(x: f32[n, d], y: f32[d, k]) -> f32[n, k] = x @ y
    def half(x: f32[2 * n], y: f32[n]) -> f32[n] = x[:n] + y
    def whole(x: f32[*s], y: f32[*s]) -> f32[*s] = x + y
    def some(x: f32[n], y: f32[m]) -> f32 where n >= 1 and m < 5 = sum(x) + sum(y)
""")
CASES = [
    ("f", "n d", "d 3", "n 3", None),
    ("f", "n d", "n d", None, "E0904"),
    ("f", "n 2*d", "d+d k", "n k", None),
    ("f", "n", "n d", None, "E0903"),
    ("f", "... d", "d k", "_ k", None),
    ("f", "_ d", "_ k", "_ k", None),
    ("half", "2*m", "m", "m", None),
    ("half", "m+m+2", "m+1", "m+1", None),
    ("half", "4", "3", None, "E0904"),
    ("half", "5", "_", None, "E0913"),
    ("half", "m", "m", None, "E0904"),
    ("whole", "n d", "n d", "n d", None),
    ("whole", "n d", "n", None, "E0904"),
    ("whole", "*b n", "*b n", "*b n", None),
    ("whole", "*b n", "*c n", "*b n", None),
    ("some", "n", "4", "", None),
    ("some", "n", "7", None, "E0911"),
    ("some", "0", "m", None, "E0911"),
]


@pytest.mark.parametrize(("name", "x", "y", "result", "code"), CASES)
def test_sizes_by_name_are_held_against_the_definition(
    name: str, x: str, y: str, result: str | None, code: str | None
) -> None:
    signature = dsl.functions(M)[name].signature
    names, sizes = Names(), Sizes()
    for parameter, text in zip(signature.params, (x, y), strict=True):
        assert isinstance(parameter.type, ArrayType)
        sizes.match(parameter.type.shape, parse_axes(text, names), Place(parameter.name))
    sizes.finish(signature)
    assert [misfit.code for misfit in sizes.misfits] == ([] if code is None else [code])
    if result is not None:
        resolved = sizes.resolved(signature.result)
        assert isinstance(resolved, ArrayType)
        assert axes(resolved.shape) == result
