"""Arrays, records and layouts as tables."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.notebook.tables import array_html, layout_html, layout_text, tree_html


def cells(html: str | None) -> list[str]:
    assert html is not None
    return [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td.*?</td>", html)]


def heads(html: str | None) -> list[str]:
    assert html is not None
    return [re.sub("<[^>]*>", "", cell) for cell in re.findall("<th.*?</th>", html)]


def test_a_matrix_is_a_table_of_its_elements() -> None:
    html = array_html(dsl.array([[1.0, 0.25], [-3.0, 1e6]]))
    assert cells(html) == ["1", "0.25", "-3", "1e+06"] and heads(html) == ["", "0", "1", "0", "1"]
    assert html is not None and "f32[2, 2]" in html


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.array([True, False]), ["true", "false"]),
        (np.array([3, -4], np.int32), ["3", "-4"]),
        (np.array([1 + 2j], np.complex64), ["1+2j"]),
        (np.array([np.nan, np.inf], np.float32), ["nan", "inf"]),
        (np.array([], np.float32), []),
    ],
    ids=["bool", "int", "complex", "not finite", "empty"],
)
def test_elements_are_shown_by_dtype(value: Any, shown: list[str]) -> None:
    assert cells(array_html(dsl.array(value))) == shown


def test_long_axes_are_abridged() -> None:
    html = array_html(dsl.array(np.arange(4000, dtype=np.int32).reshape(200, 20)))
    assert heads(html)[:11] == ["", "0", "1", "2", "3", "4", "5", "6", "…", "18", "19"]
    assert len(cells(html)) == 100 and cells(html)[0] == "0" and cells(html)[-1] == "3999"


def test_more_than_two_axes_are_shown_as_matrices() -> None:
    html = array_html(dsl.array(np.arange(40, dtype=np.int32).reshape(5, 2, 4)))
    assert html is not None and html.count("<table>") == 3 and "[0]" in html and "… and 2 more" in html
    assert cells(html) == [str(k) for k in range(24)]


def test_numbers_stay_text() -> None:
    assert array_html(dsl.array(1.0)) is None


def test_records_are_tables_of_their_parts() -> None:
    html = tree_html({"w": dsl.array([1.0, 2.0]), "inner": {"b": dsl.array(0.5), "name": "<tag>"}})
    assert html is not None and html.count("<table>") == 3
    assert [head for head in heads(html) if head.isalpha()] == ["inner", "b", "name", "w"]
    assert "0.5 : f32" in html and "&#x27;&lt;tag&gt;&#x27;" in html


def test_what_holds_no_array_of_the_language_is_left_to_python() -> None:
    cyclic: dict[str, Any] = {"a": 1}
    cyclic["self"] = cyclic
    assert tree_html({"a": np.ones(3)}) is None and tree_html((1, 2)) is None and tree_html(cyclic) is None


def test_a_container_that_holds_itself_is_left_soon() -> None:
    cyclic: list[Any] = [dsl.array(1.0)]
    cyclic.append(cyclic)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        assert tree_html(cyclic) is None
    finally:
        sys.setrecursionlimit(before)


def placed(shape: tuple[int, ...], sharding: dsl.Sharding) -> dsl.Array:
    found: dsl.Array = dsl.device_put(dsl.array(np.zeros(shape, np.float32)), sharding)
    return found


def test_an_array_that_is_cut_along_one_axis_is_a_row_of_blocks() -> None:
    array = placed((8, 3), dsl.Sharding(dsl.devices()[:4], axis=0))
    assert cells(layout_html(array)) == ["[0:2, 0:3]cpu:0", "[2:4, 0:3]cpu:1", "[4:6, 0:3]cpu:2", "[6:8, 0:3]cpu:3"]
    assert layout_html(array).count("<tr>") == 1 and len(set(re.findall(r"hsl\((\d+)", layout_html(array)))) == 4
    assert layout_text(array).splitlines()[1] == "[2:4, 0:3]: cpu:1"
    shown = array_html(array)
    assert shown is not None and layout_html(array) in shown and "over 4 devices" in shown


def test_an_array_that_is_cut_along_two_axes_is_a_grid() -> None:
    array = placed((4, 6), dsl.Sharding(dsl.Mesh(dsl.devices()[:4], rows=2, columns=2), {"rows": 0, "columns": 1}))
    html = layout_html(array)
    assert html.count("<tr>") == 2 and html.count("<table>") == 1
    assert cells(html) == ["[0:2, 0:3]cpu:0", "[0:2, 3:6]cpu:1", "[2:4, 0:3]cpu:2", "[2:4, 3:6]cpu:3"]


def test_a_block_names_all_devices_that_hold_it() -> None:
    both = placed((4,), dsl.Sharding(dsl.Mesh(dsl.devices()[:4], a=2, b=2), {"a": 0}))
    assert cells(layout_html(both)) == ["[0:2]cpu:0, cpu:1", "[2:4]cpu:2, cpu:3"]
    whole = placed((4,), dsl.Sharding(dsl.devices()[:4]))
    assert cells(layout_html(whole)) == ["[0:4]all 4 devices"]


def test_more_axes_that_are_cut_are_several_grids() -> None:
    array = placed((2, 2, 2), dsl.Sharding(dsl.Mesh(dsl.devices()[:8], a=2, b=2, c=2), {"a": 0, "b": 1, "c": 2}))
    html = layout_html(array)
    assert html.count("<table>") == 2 and html.count("<tr>") == 4 and len(cells(html)) == 8
