"""The words of errors that were read by people who knew neither the documentation nor the source.

Each program is one of `cases/reject/read_without_docs.dsl`, where its code and its line are; `test_corpus` sees that
what is offered removes the error.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.cases import some
from tests.support.corpus import read_programs

PROGRAMS = {
    program.name: program
    for program in read_programs(Path(__file__).parent / "cases" / "reject" / "read_without_docs.dsl")
}

SAID = {
    "element_of_a_slice_that_is_used_up": "`ks[2]` is free",
    "product_in_a_recursion_that_lacks_a_case": "end the recursion before this case, `if n == 1 then …`",
    "parts_in_order_that_need_a_case": "end the recursion before this case, `if n == 2 then …`",
    "recursions_that_lack_a_condition_each": "state it: `where n >= 1`",
    "recursion_of_two": "state it: `where n >= 1`",
    "axes_behind_the_first": "name the axes that are read beside the others, as in `x: f32[n, *s]`",
    "list_of_all_axes": "compute it in a static function",
    "last_of_each_part": "here m = 3, q = 2, n = 5, so m * q - 1 = 5",
    "numbers_of_keys_with_gaps": "make it of each counter by itself: `fold_in(fold_in(k, i), j)`",
    "numbers_of_keys_that_wrap": "make it of each counter by itself: `fold_in(k, i)`",
    "index_of_a_child": "`2 * at + 2` may exceed its dtype and wrap around",
    "element_of_a_made_function": "index 5 is out of bounds for an axis of size 3",
    "loss_that_counts": "`f32(…)` of it has the derivative 0 everywhere",
    "bins_by_a_search": "it is below n + 1, and the axis has n - 1 elements",
    "bin_by_a_search": '`h.at[b - 1].get(mode="clip")`',
    "keys_with_a_stride_that_is_too_short": "is the same for (i, j) = (0, m) and (1, 0)",
    "key_of_one_loop_of_two": "`fold_in(fold_in(k, i), j)`",
    "numbers_of_keys_that_meet": "`i * m + j`",
    "element_of_a_leaf_that_is_not_known": "where the type of the tree is stated",
    "number_of_sizes_beyond_a_dtype": "`g` needs 4096 * n * m < 2147483648",
    "index_that_needs_an_element": "state it: `where n >= 1`",
    "update_of_a_slice_of_a_length_of_the_run": "mask with `where(arange(n) < k, x, 0)`",
    "halves_in_a_recursion_that_may_be_empty": "state it: `where n >= 1`",
    "key_of_a_function_that_is_called_twice": "a function value uses up the key `k`",
    "key_of_a_function_that_is_given_back": "a function value uses up the key `k`",
    "key_of_a_function_in_a_record": "`fresh_key()`",
    "condition_that_the_result_contradicts": "contradicts the condition `b < a`",
    "conditions_of_a_size_that_contradict": "no call can meet the conditions",
    "assertion_that_a_condition_contradicts": "contradicts n >= 3, which holds here",
    "half_of_a_number_of_any_kind": "`D` includes integers",
    "half_of_an_array_of_any_kind": "state a narrower class: `[D: Float]`",
    "cell_that_is_not_opened": "undefined cell `s`",
    "sum_that_is_not_opened": "undefined cell `s`",
    "result_of_a_map_without_its_axis": "a part that differs needs an axis in `out_axes`",
    "halves_of_one_length": "`where n % 2 == 0`",
    "halves_that_make_a_whole": "`where n % 2 == 0`",
    "every_other_element": "they are equal only where nothing is left over",
    "results_of_a_map_without_their_axes": "a part that differs needs an axis in `out_axes`",
    "activation_of_jax": "write `relu`, with `from nn import relu` at the top",
    "type_of_jaxtyping": "did you mean `f32`?",
    "reduce_of_functools": "`tree_reduce`",
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(name: str) -> None:
    for error in some(PROGRAMS[name].errors()):
        said = [error.message, error.primary.text, *error.notes, *(advice.text for advice in error.help)]
        assert any(SAID[name] in text for text in said), said


RECURSIVE = ["product_in_a_recursion_that_lacks_a_case", "halves_in_a_recursion_that_may_be_empty", "recursion_of_two"]


@pytest.mark.parametrize("name", RECURSIVE)
def test_what_is_offered_does_not_depend_on_other_definitions(name: str) -> None:
    """Neither on one that is checked before nor on one that is still to be checked."""
    program = PROGRAMS[name]
    other = "def other(x: f32[n]) -> f32 = if n == 7 then x[0] else other(x[1:])\n"
    text = program.texts[""]
    for beside in (other + text, text + other):
        errors = replace(program, texts={"": beside}).errors()
        found = [each.help for each in errors if "other" not in each.message]
        assert [[h.text for h in each] for each in found] == [[h.text for h in e.help] for e in program.errors()]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("index_after_a_let", "b"),
        ("index_carried_by_a_block", "b"),
        ("index_bound_by_a_block", "d"),
        ("endless_loop_of_several_lines", "iterate s = y while s > 0.0"),
        ("call_of_several_lines", "g"),
    ],
)
def test_an_effect_is_shown_where_it_is_performed(name: str, place: str) -> None:
    (error,) = PROGRAMS[name].errors()
    assert error.primary.span.text == place


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("condition_through_two_callers", "windows(x, w)"),
        ("condition_through_two_callers", "max(x[i : i + w])"),
        ("recursion_without_an_end_for_none", "log2i"),
        ("element_of_a_made_function", "mk(5)(x)"),
        ("derivative_in_what_is_called", "jvp(g, (x,), (x,))"),
        ("rule_with_a_number_in_where", "tangents.0 + primals.0"),
        ("rule_with_a_value_added", "2.0 * primals.0 * tangents.0 + f(primals.0)"),
        ("last_of_each_part", "i * q + q - 1"),
    ],
)
def test_the_place_that_an_error_comes_from_is_shown(name: str, place: str) -> None:
    (error,) = PROGRAMS[name].errors()
    assert place in [label.span.text for label in error.secondary]


@pytest.mark.parametrize("name", ["bins_by_a_search", "bin_by_a_search"])
def test_no_other_element_is_offered_than_the_one_between_the_edges(name: str) -> None:
    (error,) = PROGRAMS[name].errors()
    (between,) = [advice.text for advice in error.help if "clip" in advice.text]
    assert " - 1]" in between


def test_no_iteration_is_spoken_of_where_nothing_iterates() -> None:
    names = [name for name in PROGRAMS if name.startswith(("key_of_a_function", "slices_from_the_end"))]
    texts = [each.message for name in names for each in PROGRAMS[name].errors()]
    assert texts and not any("many times" in text or "iteration" in text for text in texts), texts
