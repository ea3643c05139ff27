"""Help says what to write, in the names of the program: the text of the help for mistakes that are often made.

Each program is one of `cases/reject/first_attempts.dsl`, where its code and its line are; here is what it is told.
That edits remove their error is seen by `test_corpus`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import dsl
from tests.support.corpus import read_programs

FILE = Path(__file__).parent / "cases" / "reject" / "first_attempts.dsl"

ADVICE = {
    "variant_behind_a_let": "take the value apart in the arms of a `match`",
    "variant_in_a_tuple": "take the value apart in the arms of a `match`",
    "variant_in_a_comprehension": "take the value apart in the arms of a `match`",
    "variant_as_a_parameter": "take the value apart in the arms of a `match`",
    "literal_in_a_comprehension": "take the value apart in the arms of a `match`",
    "negative_literal_behind_a_let": "take the value apart in the arms of a `match`",
    "function_behind_a_let": "`let double = fn … -> …`",
    "mask_of_rows": "did you mean `where(m[:, None], 0.0, x)`?",
    "column_times_vector": "did you mean `x[:, None] * y[None, :]`?",
    "column_less_a_vector": "did you mean `(x @ w - y[:, None])`?",
    "while_in_a_let": "`iterate x = start while condition limit n do …`",
    "axis_by_a_loop": "`for i in (0, 1, 2)`",
    "key_of_a_handler": "gives the value alone",
    "pair_differentiated": "`grad(loss, has_aux=true)(w).0`",
    "step_of_a_record_with_a_count": "leave out `.n`, which is i32",
    "cell_assigned_in_a_branch": "`c := if x > 0.0 then … else c`",
    "size_computed_from_an_array": "`static m: size`",
    "complex_constant_times_a_real_array": "`c64(x)`",
    "module_of_numpy": "`sum` is in scope without a module",
    "module_of_jax_numpy": "`where` is in scope without a module",
    "scan_of_a_module": "`scan s = start for x in xs do (s, out)`",
    "lambda_of_python": "write `fn v -> …`",
    "zeros_of_the_usual_dtype": "`zeros([n], dtype=f64)`",
    "seed_for_a_key": "`k: key`",
    "transposed_vector": "a vector has no transpose: write `x`",
    "match_without_with": "end the line with `with`",
    "fold_without_do": "end the line with `do`",
    "if_without_then": "end the line with `then`",
    "def_without_equals": "end the line with `=`",
    "conditions_in_a_list": "write `and`",
    "clause_with_a_comma_behind_its_block": "put the `,` at the start of the next line",
    "fold_without_for": "name the element: `for x in xs`",
    "tuple_pattern_without_parentheses": "write `let (a, b) = …`",
    "transposed_once_too_often": "did you mean `x @ w`?",
    "reduced_inside_a_function": "did you mean `x - log(sum(exp(x), axis=1, keepdims=true))`?",
    "maximum_meant_along_an_axis": "did you mean `x.max(axis=0)`?",
    "the_other_axis": "did you mean `sum(x, axis=1)`?",
    "newaxis": "a new axis is written `None`",
    "power_by_a_hat": "a power is `x ** 2`",
    "size_of_a_shape": "it is a field of the array: `x.ndim`",
    "cell_misspelled": "did you mean `counter`?",
    "keys_by_a_remainder_in_a_comprehension": "`for k in ks`",
    "size_computed_from_a_parameter": "`m` is computed from `k`: make that a parameter `static k: size`",
    "list_of_arrays_in_stack": "write `stack((a, b))`",
    "name_in_a_type_without_parameters": "make it a parameter: `type Net[h] = {w: f32[784, h]}`, used as `Net[h]`",
    "field_that_is_a_function": "it is a function, which is called: `x.mean()`",
    "math_module": "in scope without a module",
    "for_in_a_call": "a loop is `fold",
    "arrays_one_by_one": "takes its arrays as one tuple",
    "maximum_of_three": "compares two arrays",
    "arguments_of_vmap": "did you mean `vmap(fn v -> v * 2.0)(x)`?",
    "several_arrays_after_in": "`zip(x, y)`",
    "variant_as_a_text": "`a == Relu`",
    "bound_of_a_slice": "`where(arange(x.shape[0]) < m, x, 0)`",
    "assignment_to_at": "`.set(value)`",
    "float_as_a_parameter": "`x: f32`",
    "pattern_in_brackets": "`let (a, b) = …`",
    "complex_to_real": "`real(x * 2.0)`",
    "comparison_of_arrays": "`all(x == y)` asks it of every element, `any(x == y)` of one at least",
    "one_behind_the_last": "the last index is 2",
    "astype": "`f64(x)`",
    "where_behind_the_body": "put it in the head",
    "gradient": "`grad(f)`",
    "hessian_of_a_vector": "`jacrev(f)(x)`",
    "multiple_of_three": "`where m % 3 == 0`",
    "traced_seed_for_a_key": "`random.key(seed)`",
    "axis_behind_a_let": "`argmin(far, axis=1)`",
    "column_for_a_vector": "`tanh(x @ w)[..., 0]`",
    "record_by_position": "`p.x`",
    "record_by_its_type": "`{x = 1.0, y = 2.0}`",
    "jacobian": "write `jacrev(fn v -> v * v)`",
    "pair_for_its_first": ".0`?",
    "variant_of_its_enum": "did you mean `Relu`?",
    "arguments_of_a_gradient": "did you mean `grad(loss)(w, x)`?",
    "arguments_of_a_map": "did you mean `vmap(sin)(x)`?",
    "arrays_beside_one_another": "`concatenate((x, y))`",
    "power_of_an_integer": "`f32(t)`",
    "assignment_of_a_name": "bind a new value: `let e = exp(x - max(x))`",
    "rows_for_a_vector": "did you mean `vmap(clamp)(x)`?",
    "cast_to_a_wider_dtype": "`f64(x)`",
    "result_that_is_shorter": "`-> f32[n - 1]`",
    "fold_of_a_function": "write `fold a = 0.0 for b in x do a + b`",
    "place_without_an_update": "`x.at[i].add(v)`",
    "sizes_of_a_type": "`type Net[d, h] = {w: f32[d, h], b: f32[h]}`, used as `Net[d, h]`",
    "let_in": "above the expression that uses it",
    "guards": "write `if c then a else b`",
    "lambda_of_haskell": "write `fn v -> …`",
    "axis_of_torch": "`x[:, None]`",
    "dim_of_torch": "did you mean `axis`?",
    "operator_as_a_function": "`fn (a, b) -> a + b`",
    "case_of": "write `match k with`",
    "where_that_binds": "`let y = …`",
    "dollar": "`f(g(x))`",
    "carry_without_a_value": "`s = s`",
    "scan_without_an_output": "what is carried is the output, too: `(s + v, s + v)`",
    "parameters_without_parentheses": "write `fn (v, i) -> …`",
    "gradient_of_a_record_with_a_count": "give `.n` as an argument of its own",
    "product_of_matrices": "did you mean `a @ b`?",
    "record_changed_without_braces": "`{s with x = …}`",
    "field_by_a_string": "`p.w`",
    "draw_without_a_key": "`random.normal(k, [n])`",
    "leaves_of_a_generic_tree": "state a narrower class: `[S: VSpace[Float]]`",
    "steps_that_are_computed": "`iterate … while i < steps limit n do …`",
}

UNCHECKED = {
    "label_of_a_row": "the parameter `y: idx[k][n]`",
    "unchecked_argument": "a value of type `idx[v]`",
    "unchecked_field": "a value of type `idx[n]`",
    "index_of_a_record": "of type `idx[n]`",
    "unchecked_update": '.at[bin].add(1, mode="clip")`',
}


PROGRAMS = {program.name: program for program in read_programs(FILE)}


@pytest.mark.parametrize("name", ADVICE)
def test_first_help(name: str) -> None:
    help = [advice.text for error in PROGRAMS[name].errors() for advice in error.help]
    assert ADVICE[name] in help[0], help


@pytest.mark.parametrize("name", UNCHECKED)
def test_what_spares_a_check(name: str) -> None:
    errors = PROGRAMS[name].errors()
    said = [text for error in errors for text in (*error.notes, *(advice.text for advice in error.help))]
    assert any(UNCHECKED[name] in text for text in said), said


SECOND = {program.name: program for program in read_programs(FILE.parent / "second_effects.dsl")}
NAMED = {
    "sizes_of_one_name_in_a_clause": "no operator joins them",
    "dtype_of_no_argument": "`static a: dtype`",
    "field_of_a_variant_that_is_an_array": "beside the enum",
    "leaves_of_two_lengths_in_a_loop": "by `zip`",
    "match_of_pairs_without_one": "add an arm for each of these",
}


@pytest.mark.parametrize("name", NAMED)
def test_help_names_what_is_there(name: str) -> None:
    (error,) = SECOND[name].errors()
    assert NAMED[name] in error.help[0].text
    assert "…" not in error.message + error.help[0].text


def test_the_case_that_a_match_of_pairs_lacks_is_named() -> None:
    (error,) = SECOND["match_of_pairs_without_one"].errors()
    assert "missing `(Explicit, Open)`" in error.message


NO_REPAIR = (
    "def f(x: f32[n]) -> f32[n // 2] = x[::2] + x[1::2]",
    "def f(x: f32[n], y: f32[n + 1]) -> f32[n] = x * y",
    "def f(x: f32[*s], static a: int) -> f32 = sum(ravel(repeat(x, 2, axis=a)) + ravel(x))",
    "def f(layers: (f32[a, b], f32[b, c], f32[b, c]), x: f32[n, a]) -> f32[n, c] = fold h = x for w in layers do h @ w",
    "def mul(w: f32[n, m]) = fn v -> w @ v\ndef f(w: f32[n, m], x: f32[m], y: f32[n]) = (mul(w)(x), mul(w)(y))",
)


@pytest.mark.parametrize("text", NO_REPAIR)
def test_no_change_of_an_operand_is_offered_that_mends_one_case_alone(text: str) -> None:
    with pytest.raises(dsl.DslError) as raised:
        dsl.program(text)
    (error,) = raised.value.diagnostics
    assert error.code == "E0401"
    assert not any("did you mean" in help.text for help in error.help), error.help
