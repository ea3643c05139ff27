"""The library as text: every module checks, every public definition says what it is, wrong uses are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stdlib
from dsl.core.verify import verify
from dsl.diagnostics.source import Source
from tests.support.known_library import known_library
from tests.support.library import source
from typechecker import check_source

MODULES = sorted(p.stem for p in Path(stdlib.FOLDER).glob("*.dsl"))


@pytest.mark.parametrize("name", MODULES)
def test_every_definition_checks(name: str) -> None:
    result = check_source(source(name))
    assert [str(d.message) for d in result.diagnostics] == []
    assert result.program is not None
    verify(result.program)


def test_a_library_module_with_an_error_is_reported() -> None:
    text = source("special").text + "\ndef wrong(x: f32[n]) -> f32[n + 1] = x\n"
    assert [d.code for d in check_source(Source("<stdlib>/special.dsl", text)).diagnostics] == ["E0402"]


WRONG = {
    "positional_axis_sum": ("(x: f32[n, m]) -> f32[m] = sum(x, 0)", "E0306"),
    "positional_axis_sort": ("(x: f32[n, m]) -> f32[n, m] = sort(x, 0)", "E0306"),
    "positional_axis_cumsum": ("(x: f32[n, m]) -> f32[n, m] = cumsum(x, 1)", "E0306"),
    "positional_axis_flip": ("(x: f32[n, m]) -> f32[n, m] = flip(x, 0)", "E0306"),
    "positional_axis_take": ("(x: f32[n, m], i: idx[m]) -> f32[n] = take(x, i, 1)", "E0306"),
    "positional_axis_softmax": ("(x: f32[n, m]) -> f32[n, m] = nn.softmax(x, 1)", "E0306"),
    "positional_axis_roll": ("(x: f32[n, m]) -> f32[n, m] = roll(x, 1, 0)", "E0306"),
    "sqrt_of_ints": ("(x: i32[n]) -> i32[n] = sqrt(x)", "E03"),
    "dtypes_differ": ("(x: f32[n], y: f64[n]) -> f32[n] = maximum(x, y)", "E03"),
    "gelu_of_ints": ("(x: i32[n]) -> i32[n] = nn.gelu(x)", "E03"),
    "normal_of_ints": ("(k: key) -> i32[3] = random.normal(k, [3], i32)", "E03"),
    "uniform_of_bools": ("(k: key) -> bool[3] = random.uniform(k, [3], bool)", "E03"),
    "bits_of_floats": ("(k: key) -> f32[3] = random.bits(k, [3], f32)", "E03"),
    "rfft_of_complex": ("(x: c64[n]) -> c64[n // 2 + 1] where n >= 1 = fft.rfft(x)", "E03"),
    "any_of_floats": ("(x: f32[n]) -> bool = any(x)", "E03"),
    "argsort_is_not_float": ("(x: f32[n]) -> f32[n] = argsort(x)", "E03"),
    "meshgrid_of_a_word": ('(x: f32[n], y: f32[m]) -> f32[n, m] = meshgrid(x, y, indexing="yx").0', "E04"),
    "meshgrid_the_other_way": ("(x: f32[n], y: f32[m]) -> f32[n, m] = meshgrid(x, y).0", "E04"),
    "rot90_of_a_vector": ("(x: f32[n]) -> f32[n] = rot90(x)", "E04"),
    "shapes_do_not_meet": ("(x: f32[n], y: f32[m]) -> f32[n] = maximum(x, y)", "E04"),
    "tensordot_sizes": ("(x: f32[n, m], y: f32[k, n]) -> f32[n, n] = tensordot(x, y, axes=1)", "E04"),
    "split_sizes": ("(x: f32[5]) -> (f32[2], f32[2]) = split_at(x, 2)", "E04"),
    "pad_result": ("(x: f32[n]) -> f32[n + 1] = pad(x, 1)", "E04"),
    "pad_negative": ("(x: f32[n]) -> f32[n - 2] where n >= 2 = pad(x, -1)", "E04"),
    "pad_mode": ('(x: f32[n]) -> f32[n + 2] = pad(x, 1, mode="sideways")', "E04"),
    "pad_too_far": ('(x: f32[3]) = pad(x, 4, mode="symmetric")', "E04"),
    "convolve_mode": ('(x: f32[n], y: f32[n]) where n >= 1 = convolve(x, y, mode="middle")', "E04"),
    "convolve_result": ("(x: f32[n], y: f32[3]) -> f32[n] where n >= 3 = convolve(x, y)", "E04"),
    "conv_channels": ("(x: f32[b, 2, h, w], k: f32[o, 3, 3, 3]) -> f32[b, o, h, w] = conv(x, k)", "E04"),
    "moveaxis_range": ("(x: f32[n, m]) -> f32[m, n] = moveaxis(x, 2, 0)", "E04"),
    "diag_rank": ("(x: f32[a, b, c]) -> f32[a] = diag(x)", "E04"),
    "repeat_result": ("(x: f32[n, m]) -> f32[2 * n, m] = repeat(x, 2, axis=1)", "E04"),
    "vstack_of_widths": ("(x: f32[n], y: f32[m]) = vstack((x, y))", "E04"),
    "hstack_of_heights": ("(x: f32[n, 2], y: f32[m, 2]) = hstack((x, y))", "E04"),
    "split_in_unlike_pieces": ("(x: f32[5]) = split(x, 3)", "E04"),
    "gradient_of_one": ("(x: f32[1]) -> f32[1] = gradient(x)", "E04"),
    "dynamic_slice_beyond": ("(x: f32[3, 4]) = dynamic_slice(x, [0, 0], [4, 4])", "E04"),
    "triu_indices_are_indices": ("(x: f32[3]) -> f32[10] = x[triu_indices(4).0]", "E07"),
    "several_quantiles": ("(x: f32[n]) -> f32 where n >= 1 = quantile(x, [0.1, 0.9])", "E04"),
    "diff_too_often": ("(x: f32[2]) = diff(x, 3)", "E04"),
    "gcd_of_floats": ("(x: f32[n]) -> f32[n] = gcd(x, x)", "E03"),
    "switch_of_unlike_results": ("(i: i32, x: f32) -> f32 = switch(i, (sin, fn v -> v > 0.0), x)", "E03"),
    "glu_odd": ("(x: f32[n, 3]) -> f32[n, 1] = nn.glu(x)", "E04"),
    "solve_not_square": ("(a: f32[n, n + 1], b: f32[n]) -> f32[n] = linalg.solve(a, b)", "E04"),
    "max_of_nothing": ("(x: f32[n, 0]) -> f32[n] = max(x, axis=1)", "E04"),
    "top_k_too_many": ("(x: f32[3]) -> f32[4] = top_k(x, 4).0", "E04"),
    "axis_out_of_range": ("(x: f32[n, m]) -> f32[n, m] = cumsum(x, axis=2)", "E04"),
    "no_such_function": ("(x: f32[n]) -> f32[n] = nn.reluu(x)", "E02"),
    "take_keyword": ("(x: f32[n], i: idx[n]) -> f32 = take(x, i, axes=0)", "E03"),
    "key_twice": ("(k: key) -> f32[3] = random.normal(k, [3]) + random.normal(k, [3])", "E0610"),
    "optim_other_tree": ("(p: {w: f32[n]}, g: {v: f32[n]}) -> {w: f32[n]} = optim.apply_updates(p, g)", "E03"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_refused(name: str) -> None:
    text, code = WRONG[name]
    modules = "".join(f"import {m}\n" for m in MODULES if m != "prelude")
    wrong = Source("<string>", f"{modules}def f{text}\n")
    found = [d.code for d in check_source(wrong, cache=known_library()).diagnostics]
    assert len(found) == 1
    assert found[0].startswith(code)


def test_documentation_comments() -> None:
    bare = []
    for name in MODULES:
        lines = source(name).text.splitlines()
        for i, line in enumerate(lines):
            found = re.match(r"def ([a-z]\w*)", line)
            above = next((line for line in reversed(lines[:i]) if not line.startswith("@")), "")
            if found and not above.startswith("## "):
                bare.append(f"{name}.{found.group(1)}")
    assert bare == []
