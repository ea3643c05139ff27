"""Programs of one function `f` with what they mean: numbers, indexing, loops and effects, beside NumPy's word."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import ml_dtypes
import numpy as np

BF16 = np.dtype(ml_dtypes.bfloat16)


class Case(NamedTuple):
    text: str
    args: tuple[Any, ...]
    expected: Any


def f32(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, np.float32)


def i32(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int32)


LINE = np.arange(6, dtype=np.float32)
GRID = np.arange(12, dtype=np.float32).reshape(3, 4)
A, B = i32(7, -7, 7, -7, 6), i32(2, 2, -2, -2, 3)
X, Y = f32(7.5, -7.5, 7.5, -7.5), f32(2, 2, -2, -2)

NUMBERS = {
    "floor_division_of_ints": Case("def f(x: i32[n], y: i32[n]) -> i32[n] = x // y", (A, B), A // B),
    "modulo_of_ints": Case("def f(x: i32[n], y: i32[n]) -> i32[n] = x % y", (A, B), A % B),
    "floor_division_of_floats": Case("def f(x: f32[n], y: f32[n]) -> f32[n] = x // y", (X, Y), X // Y),
    "modulo_of_floats": Case("def f(x: f32[n], y: f32[n]) -> f32[n] = x % y", (X, Y), X % Y),
    "static_division": Case(
        "def f() -> i32[4] = [-7 // 2, -7 % 2, 7 // -2, 7 % -2]", (), i32(-7 // 2, -7 % 2, 7 // -2, 7 % -2)
    ),
    "wrap_u8": Case("def f(x: u8[n]) -> u8[n] = x + 250", (np.array([3, 10], "u1"),), np.array([253, 4], "u1")),
    "wrap_i8": Case("def f(x: i8[n]) -> i8[n] = x * 2", (np.array([100], "i1"),), np.array([-56], "i1")),
    "casts_wrap": Case("def f(x: i32[n]) -> i8[n] = i8(x)", (i32(300, -129),), np.array([44, 127], "i1")),
    "float_to_int_truncates": Case("def f(x: f32[n]) -> i32[n] = i32(x)", (f32(2.9, -2.9),), i32(2, -2)),
    "negation_of_unsigned": Case("def f(x: u8[n]) -> u8[n] = -x", (np.array([1, 0], "u1"),), np.array([255, 0], "u1")),
    "shift_signed": Case("def f(x: i32[n]) -> i32[n] = x >> 1", (i32(-8, 7),), i32(-4, 3)),
    "shift_unsigned": Case(
        "def f(x: u32[n]) -> u32[n] = x >> 1", (np.array([2**32 - 8], "u4"),), np.array([2**31 - 4], "u4")
    ),
    "shift_left": Case("def f(x: i32[n]) -> i32[n] = x << 3", (i32(1, -1),), i32(8, -8)),
    "round_half_even": Case(
        "def f(x: f32[n]) -> f32[n] = round(x)", (f32(0.5, 1.5, 2.5, -0.5, -1.5),), f32(0, 2, 2, -0.0, -2)
    ),
    "power_of_ints": Case("def f(x: i32[n]) -> i32[n] = x ** 3", (i32(-2, 5),), i32(-8, 125)),
    "power_by_ints": Case(
        "def f(x: i32[n], y: i32[n]) -> i32[n] = x ** y", (i32(2, 0, -1), i32(10, 64, 99)), i32(1024, 0, -1)
    ),
    "power_binds_tighter_than_minus": Case("def f(x: f32) -> f32 = -x ** 2", (3.0,), np.float32(-9)),
    "power_is_right_associative": Case("def f(x: f32) -> f32 = x ** 2 ** 3", (2.0,), np.float32(256)),
    "comparison_chain": Case("def f(x: f32[n]) -> bool[n] = 1.0 < x <= 3.0", (LINE,), (LINE > 1) & (LINE <= 3)),
    "bool_sum": Case("def f(x: f32[n]) -> i32 = sum(x > 2.0)", (LINE,), np.int32(3)),
    "bool_mean": Case("def f(x: f32[n]) -> f32 = mean(x > 2.0)", (LINE,), np.float32(0.5)),
    "argmax_tie": Case("def f(x: f32[n]) -> idx[n] = argmax(x)", (f32(1, 3, 3, 2),), np.int32(1)),
    "argmin_tie": Case("def f(x: f32[n]) -> idx[n] = argmin(x)", (f32(1, 0, 0, 2),), np.int32(1)),
    "argmax_of_nan": Case("def f(x: f32[n]) -> idx[n] = argmax(x)", (f32(1, np.nan, 3),), np.int32(1)),
    "max_of_nan": Case("def f(x: f32[n]) -> f32 = max(x)", (f32(1, np.nan, 3),), np.float32(np.nan)),
    "complex_abs": Case("def f(x: c64[n]) -> f32[n] = abs(x)", (np.array([3 + 4j], "c8"),), f32(5)),
    "complex_product": Case(
        "def f(x: c64) -> c64 = x * 2.0j + conj(x)", (np.complex64(1 + 2j),), np.complex64(-4 + 2j + 1 - 2j)
    ),
    "bf16": Case("def f(x: bf16[n]) -> bf16[n] = x + 1.0", (np.array([256, 1], BF16),), np.array([256, 2], BF16)),
    "f16_overflow": Case("def f(x: f16[n]) -> f16[n] = x * x", (np.array([300], "f2"),), np.array([np.inf], "f2")),
    "f64": Case("def f(x: f64) -> f64 = x + 1e-12", (np.float64(1),), np.float64(1 + 1e-12)),
    "static_numbers_are_doubles": Case(
        "def f(x: f64) -> f64 =\n    let c = 1.0 / 3.0\n    x + c", (np.float64(0),), np.float64(1 / 3)
    ),
    "big_static_ints": Case("def f(x: i32) -> i32 = x + 2 ** 40 // 2 ** 38", (np.int32(1),), np.int32(5)),
    "integer_division_by_zero": Case("def f(x: i32[n]) -> i32[n] = x // 0", (i32(7, -7),), i32(-1, -1)),
    "sort_and_argsort": Case(
        "def f(x: f32[n]) -> (f32[n], idx[n][n]) = (sort(x), argsort(x))",
        (f32(3, 1, 2, 1),),
        (f32(1, 1, 2, 3), i32(1, 3, 2, 0)),
    ),
    "where_of_scalars": Case(
        "def f(x: f32[n]) -> f32[n] = where(x > 2.0, x, 0.0)", (LINE,), np.where(LINE > 2, LINE, 0)
    ),
    "clip": Case("def f(x: f32[n]) -> f32[n] = clip(x, 1.0, 3.0)", (LINE,), np.clip(LINE, 1, 3)),
    "softmax": Case(
        "def f(x: f32[n, m]) -> f32[n, m] =\n"
        "    let e = exp(x - max(x, axis=1, keepdims=true))\n"
        "    e / sum(e, axis=1, keepdims=true)",
        (GRID,),
        np.asarray(jax.nn.softmax(GRID, axis=1)),
    ),
}

INDEXING = {
    "negative_bound_zero": Case("def f(x: f32[n], static k: int) -> f32[k] = x[-k:]", (LINE, 0), LINE[6:]),
    "negative_bound": Case("def f(x: f32[n], static k: int) -> f32[k] = x[-k:]", (LINE, 2), LINE[-2:]),
    "negative_step": Case("def f(x: f32[n]) -> f32[n] = x[::-1]", (LINE,), LINE[::-1]),
    "negative_step_with_bounds": Case("def f(x: f32[6]) -> f32[2] = x[1:5][::-1][::2]", (LINE,), LINE[4:0:-2]),
    "step": Case("def f(x: f32[n]) -> f32[(n + 1) // 2] = x[::2]", (LINE[:5],), LINE[:5:2]),
    "step_of_nothing": Case("def f(x: f32[n]) -> f32[(n + 1) // 2] = x[::2]", (LINE[:0],), LINE[:0]),
    "several_arrays": Case(
        "def f(x: f32[n, m], i: idx[n][k], j: idx[m][k]) -> f32[k] = x[i, j]",
        (GRID, i32(0, 2), i32(3, 1)),
        GRID[[0, 2], [3, 1]],
    ),
    "arrays_apart": Case(
        "def f(x: f32[a, b, c], i: idx[a][k], j: idx[c][k]) -> f32[k, b] = x[i, :, j]",
        (np.arange(24, dtype="f4").reshape(2, 3, 4), i32(0, 1), i32(3, 2)),
        np.arange(24, dtype="f4").reshape(2, 3, 4)[[0, 1], :, [3, 2]],
    ),
    "arrays_together_after_slice": Case(
        "def f(x: f32[a, b, c], i: idx[b][k], j: idx[c][k]) -> f32[a, k] = x[:, i, j]",
        (np.arange(24, dtype="f4").reshape(2, 3, 4), i32(0, 2), i32(3, 2)),
        np.arange(24, dtype="f4").reshape(2, 3, 4)[:, [0, 2], [3, 2]],
    ),
    "outer_index": Case(
        "def f(x: f32[n, m], i: idx[n][k], j: idx[m][l]) -> f32[k, l] = x[i[:, None], j[None, :]]",
        (GRID, i32(0, 2), i32(3, 1, 0)),
        GRID[np.ix_([0, 2], [3, 1, 0])],
    ),
    "new_axes": Case("def f(x: f32[n]) -> f32[1, n, 1] = x[None, :, None]", (LINE,), LINE[None, :, None]),
    "ellipsis": Case("def f(x: f32[n, m]) -> f32[n] = x[..., 1]", (GRID,), GRID[..., 1]),
    "add_duplicates": Case(
        "def f(x: f32[n], i: idx[n][k]) -> f32[n] = x.at[i].add(1.0)",
        (LINE, i32(1, 1, 3)),
        LINE + f32(0, 2, 0, 1, 0, 0),
    ),
    "mul_duplicates": Case(
        "def f(x: f32[n], i: idx[n][k]) -> f32[n] = x.at[i].mul(2.0)",
        (LINE, i32(1, 1, 3)),
        LINE * f32(1, 4, 1, 2, 1, 1),
    ),
    "max_duplicates": Case(
        "def f(x: f32[n], i: idx[n][k], v: f32[k]) -> f32[n] = x.at[i].max(v)",
        (LINE, i32(1, 1, 3), f32(5, 7, 0)),
        f32(0, 7, 2, 3, 4, 5),
    ),
    "set_slice": Case("def f(x: f32[n]) -> f32[n] where n >= 4 = x.at[1:4].set(9.0)", (LINE,), f32(0, 9, 9, 9, 4, 5)),
    "set_strided": Case("def f(x: f32[n]) -> f32[n] = x.at[::2].set(0.0)", (LINE,), f32(0, 1, 0, 3, 0, 5)),
    "set_reversed": Case("def f(x: f32[n]) -> f32[n] = x.at[::-1].set(x)", (LINE,), LINE[::-1]),
    "set_mask": Case("def f(x: f32[n]) -> f32[n] = x.at[x > 3.0].set(-1.0)", (LINE,), np.where(LINE > 3, -1, LINE)),
    "drop": Case(
        'def f(x: f32[n], i: i32[k]) -> f32[n] = x.at[i].add(1.0, mode="drop")',
        (LINE, i32(0, 6, -1, 100)),
        LINE + f32(1, 0, 0, 0, 0, 0),
    ),
    "clip_policy": Case(
        'def f(x: f32[n], i: i32[k]) -> f32[k] where n >= 1 = x.at[i].get(mode="clip")',
        (LINE, i32(-3, 8, 2)),
        f32(0, 5, 2),
    ),
    "wrap_policy": Case(
        'def f(x: f32[n], i: i32[k]) -> f32[k] where n >= 1 = x.at[i].get(mode="wrap")',
        (LINE, i32(-1, 8, 2)),
        f32(5, 2, 2),
    ),
    "fill_policy": Case(
        'def f(x: f32[n], i: i32[k]) -> f32[k] = x.at[i].get(mode="fill", fill=-9.0)',
        (LINE, i32(-1, 8, 2)),
        f32(-9, -9, 2),
    ),
    "window": Case(
        "def f(x: f32[n], static k: int) -> f32[n - k + 1] where 1 <= k and k <= n =\n"
        "    [sum(x[i : i + k]) for i in range(n - k + 1)]",
        (LINE, 3),
        f32(3, 6, 9, 12),
    ),
    "strided_window": Case(
        "def f(x: f32[2 * n + 1]) -> f32[n] = [x[2 * i] - x[2 * i + 2] for i in range(n)]", (LINE[:5],), f32(-2, -2)
    ),
    "leading_index_of_records": Case(
        "def f(p: {a: f32[d], b: f32}[n]) -> f32[n] = [sum(q.a) + q.b for q in p]",
        ({"a": GRID, "b": f32(1, 2, 3)},),
        GRID.sum(1) + f32(1, 2, 3),
    ),
}

LOOPS = {
    "tuples_beside_other_clauses": Case(
        "def f(x: f32[n]) -> f32[n, 2, 3] = [y * s + f32(i) for y in x, s in (0.5, 2.0), i in range(3)]",
        (LINE,),
        LINE[:, None, None] * f32(0.5, 2)[:, None] + f32(0, 1, 2),
    ),
    "default_function": Case(
        "def g(x: f32, k: f32, h: (f32) -> f32 = fn v -> v * k) -> f32 = h(x)\n"
        "def f(x: f32[n]) -> f32[n] = [g(v, 3.0) + g(v, 3.0, fn w -> w) for v in x]",
        (LINE,),
        4 * LINE,
    ),
    "scan_forward": Case(
        "def f(x: f32[n]) -> (f32, f32[n]) = scan s = 0.0 for v in x do (s + v, s)",
        (LINE,),
        (np.float32(15), np.cumsum(LINE) - LINE),
    ),
    "scan_reverse_keeps_positions": Case(
        "def f(x: f32[n]) -> (f32, f32[n]) = scan s = 0.0 for v in x reverse do (s + v, s + v)",
        (LINE,),
        (np.float32(15), np.cumsum(LINE[::-1])[::-1]),
    ),
    "fold_reverse": Case(
        "def f(x: f32[n]) -> f32 = fold s = 0.0 for v in x reverse do 2.0 * s + v",
        (LINE,),
        np.float32(sum(v * 2.0**k for k, v in enumerate(LINE))),
    ),
    "fold_over_a_tuple": Case(
        "def f(x: f32[n], y: f32, z: f32[m, m]) -> f32 = fold s = 0.0 for v in (x, y, z) do s * 2.0 + sum(v)",
        (LINE, 3.0, np.eye(2, dtype="f4")),
        np.float32((15 * 2 + 3) * 2 + 2),
    ),
    "fibonacci": Case(
        "def f() -> (i32, i32) = fold (a, b) = (0, 1) for _ in range(10) do (b, a + b)",
        (),
        (np.int32(55), np.int32(89)),
    ),
    "fold_of_nothing": Case("def f(x: f32[n]) -> f32 = fold s = 7.0 for v in x do s + v", (LINE[:0],), np.float32(7)),
    "scan_of_nothing": Case(
        "def f(x: f32[n]) -> (f32, f32[n]) = scan s = 7.0 for v in x do (s + v, s)",
        (LINE[:0],),
        (np.float32(7), LINE[:0]),
    ),
    "unrolled": Case(
        "def f(x: f32[n]) -> f32 = fold s = 0.0 for v in x unroll 4 do 2.0 * s + v", (LINE,), np.float32(57)
    ),
    "enumerate_and_zip": Case(
        "def f(x: f32[n], y: f32[n]) -> f32 = fold s = 0.0 for i, (a, b) in enumerate(zip(x, y)) do s + f32(i) * a * b",
        (LINE, LINE),
        np.float32(sum(k**3 for k in range(6))),
    ),
    "nested_comprehension": Case(
        "def f(x: f32[n], y: f32[m]) -> f32[n, m] = [a * 10.0 + b for a in x, b in y]",
        (LINE[:2], LINE[:3]),
        LINE[:2, None] * 10 + LINE[None, :3],
    ),
    "comprehension_in_comprehension": Case(
        "def f(x: f32[n], y: f32[m]) -> f32[m, n] = [[a * 10.0 + b for a in x] for b in y]",
        (LINE[:2], LINE[:3]),
        (LINE[:2, None] * 10 + LINE[None, :3]).T,
    ),
    "comprehension_of_loops": Case(
        "def f(x: f32[n, m]) -> f32[n] = [fold s = 1.0 for v in row do s * 2.0 + v for row in x]",
        (GRID,),
        np.array([16 + 8 * r[0] + 4 * r[1] + 2 * r[2] + r[3] for r in GRID], "f4"),
    ),
    "comprehension_with_while": Case(
        "def f(x: f32[n]) -> f32[n] ! div = [iterate v = y while v > 1.0 do v / 2.0 for y in x]",
        (f32(1, 3, 8, 0.5),),
        f32(1, 0.75, 1, 0.5),
    ),
    "iterate_limit": Case(
        "def f(x: f32) -> f32 = iterate v = x while v > 1.0 limit 2 do v / 2.0", (100.0,), np.float32(25)
    ),
    "comprehension_of_nothing": Case("def f(x: f32[n]) -> f32[n] = [exp(v) for v in x]", (LINE[:0],), LINE[:0]),
    "range_with_start": Case(
        "def f(x: f32[n]) -> f32 where n >= 2 = fold s = 0.0 for i in range(1, n) do s + x[i] * x[i - 1]",
        (LINE,),
        np.float32((LINE[1:] * LINE[:-1]).sum()),
    ),
    "lazy_or": Case(
        "def f(x: f32[n], i: i32) -> bool ! check = i >= 6 or x[i] > 2.0", (LINE, np.int32(9)), np.bool_(True)
    ),
    "empty_sum": Case("def f(x: f32[n, m]) -> f32[m] = sum(x, axis=0)", (GRID[:0],), np.zeros(4, "f4")),
    "empty_product_of_matrices": Case(
        "def f(x: f32[n, k], y: f32[k, m]) -> f32[n, m] = x @ y", (GRID[:, :0], GRID[:0]), np.zeros((3, 4), "f4")
    ),
}

EFFECTS = {
    "indices_in_tuples_are_checked": Case(
        "def pick(x: f32[n], t: (f32, idx[n])) -> f32 = x[t.1] * t.0\n"
        "def g(x: f32[n], t: (f32, i32)) -> f32 ! check = pick(x, t)\n"
        "def h(x: f32[n], p: (f32) -> (f32, idx[n]) ! check) -> f32 ! check = pick(x, p(2.0))\n"
        "def f(x: f32[n], i: i32) -> (bool[3], f32) =\n"
        "    let (_, a) = with checks do pick(x, (2.0, i + 9))\n"
        "    let (_, b) = with checks do g(x, (2.0, i - 9))\n"
        "    let (_, c) = with checks do h(x, fn v -> (v, i + 9))\n"
        "    let (value, d) = with checks do pick(x, (2.0, i)) + g(x, (2.0, i)) + h(x, fn v -> (v, i))\n"
        "    ([a.failed, b.failed, c.failed], if d.failed then 0.0 else value)",
        (LINE, np.int32(1)),
        (np.array([True, True, True]), 6 * LINE[1]),
    ),
    "state_through_calls": Case(
        "def next() -> i32 ! state(c: i32) =\n    c := c + 1\n    c\n"
        "def f() -> (i32[3], i32) = with state c = 10 do [next(), next(), next()]",
        (),
        (i32(11, 12, 13), np.int32(13)),
    ),
    "accum_in_a_comprehension": Case(
        "def g(x: f32) -> f32 ! accum(t: f32) =\n    t += x\n    2.0 * x\n"
        "def f(x: f32[n]) -> (f32[n], f32) = with accum t: f32 do [g(v) for v in x]",
        (LINE,),
        (2 * LINE, np.float32(15)),
    ),
    "accum_under_an_untaken_branch": Case(
        "def g(x: f32) -> f32 ! accum(t: f32) =\n"
        "    if x > 2.0 then\n"
        "        t += x\n"
        "        x\n"
        "    else 0.0\n"
        "def f(x: f32[n]) -> (f32[n], f32) = with accum t: f32 do [g(v) for v in x]",
        (LINE,),
        (np.where(LINE > 2, LINE, 0), np.float32(12)),
    ),
    "inner_state_shadows": Case(
        "def f(x: f32) -> (((f32, f32), f32), f32) =\n"
        "    with state s = x do\n"
        "        let inner = with state s = 5.0 do\n"
        "            s := s + 1.0\n            s\n        s := s * 2.0\n        (inner, s)",
        (3.0,),
        (((np.float32(6), np.float32(6)), np.float32(6)), np.float32(6)),
    ),
    "checks_inside_state": Case(
        "def f(x: f32) -> ((f32, {code: i32, failed: bool}), f32) =\n"
        "    with state s = 1.0 do\n"
        "        with checks do\n"
        '            s := s + x\n            assert x > 0.0, "positive"\n            s',
        (2.0,),
        ((np.float32(3), {"code": np.int32(0), "failed": np.bool_(False)}), np.float32(3)),
    ),
    "check_in_an_untaken_branch": Case(
        "def g(x: f32) -> f32 ! check =\n"
        "    if x > 2.0 then\n"
        "        assert x > 0.0\n"
        "        log(x)\n"
        "    else 0.0\n"
        "def f(x: f32[n]) -> f32[n] ! check = [g(v - 1.0) for v in x]",
        (LINE,),
        np.where(LINE > 3, np.log(np.maximum(LINE - 1, 1e-3)), 0).astype("f4"),
    ),
    "handler_with_state": Case(
        "effect tick: (v: f32) -> f32\ndef model(x: f32) -> f32 ! tick = tick(x) * 10.0 + tick(2.0 * x)\n"
        "def f(x: f32) -> (f32, f32) =\n"
        "    (with handler tick(v) ->\n"
        "        n := n + v\n"
        "        resume(n), state n = 100.0 do model(x))",
        (1.0,),
        (np.float32(101 * 10 + 103), np.float32(103)),
    ),
    "nested_handlers": Case(
        "effect ask: () -> f32\ndef g() -> f32 ! ask = ask() + 1.0\n"
        "def f(x: f32) -> f32 = with handler ask() -> resume(x) do\n"
        "    g() + (with handler ask() -> resume(ask() * 10.0) do g())",
        (2.0,),
        np.float32(3 + 21),
    ),
    "handler_in_a_loop": Case(
        "effect ask: () -> f32\n"
        "def f(x: f32[n]) -> f32 =\n"
        "    fold s = 0.0 for v in x do\n"
        "        with handler ask() -> resume(v) do s + ask() * ask()",
        (LINE,),
        np.float32((LINE**2).sum()),
    ),
}
