"""Ten wrong variants of the first program a reader meets: each is refused before anything runs, at the right line,
with words that say what is wrong and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from dsl.diagnostics.render import render_plain
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.known_library import known_library

PROGRAM = (Path(__file__).parents[2] / "examples" / "regression.dsl").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Variant:
    """One mistake: what is replaced by what, the code that must come, and words that must stand in the message."""

    name: str
    old: str
    new: str
    code: str
    words: tuple[str, ...]


VARIANTS = (
    Variant("transposed", "x @ p.w + p.b", "p.w @ x + p.b", "E0401", ("f32[d]", "f32[n, d]", "must be equal")),
    Variant(
        "wrong axis",
        "mean((predict(p, x) - y) ** 2)",
        "mean((predict(p, x) - y) ** 2, axis=1)",
        "E0403",
        ("axis 1 is out of range",),
    ),
    Variant(
        "positional axis", "mean((predict(p, x) - y) ** 2)", "mean((predict(p, x) - y) ** 2, 0)", "E0306", ("axis=0",)
    ),
    Variant(
        "wrong dtype",
        "def loss(p: Params[d], x: f32[n, d], y: f32[n])",
        "def loss(p: Params[d], x: f32[n, d], y: i32[n])",
        "E0301",
        ("f32", "i32", "f32(y)"),
    ),
    Variant("swapped arguments", "mean((predict(p, x)", "mean((predict(x, p)", "E0303", ("argument `p`", "Params")),
    Variant(
        "mutation",
        "    (p - lr * g, value)",
        "    p.w = p.w - lr * g.w\n    (p, value)",
        "E0603",
        ("records are immutable", "{p with w ="),
    ),
    Variant("traced shape", "static steps: int\n", "steps: i32\n", "E0405", ("static steps: size",)),
    Variant(
        "undeclared effect",
        "    (p - lr * g, value)",
        '    print("loss {}", value)\n    (p - lr * g, value)',
        "E0701",
        ("`io`", "! io"),
    ),
    Variant(
        "loss is no scalar",
        "mean((predict(p, x) - y) ** 2)",
        "(predict(p, x) - y) ** 2",
        "E0402",
        ("shape `[n]`", "`[]`"),
    ),
    Variant("misspelled name", "predict(p, x) - y", "predcit(p, x) - y", "E0201", ("did you mean `predict`?",)),
    Variant("missing field", "p.w + p.b", "p.weight + p.b", "E0309", ("no field `weight`",)),
    Variant("result count", "    (p - lr * g, value)", "    p - lr * g", "E0303", ("result of `step`",)),
)


def test_the_program_itself_is_right() -> None:
    assert check_source(Source("regression.dsl", PROGRAM), cache=known_library()).diagnostics == ()


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_variant_is_refused_where_it_is_wrong(variant: Variant) -> None:
    assert PROGRAM.count(variant.old) >= 1
    text = PROGRAM.replace(variant.old, variant.new, 1)
    changed = PROGRAM[: PROGRAM.index(variant.old)].count("\n") + 1
    found = check_source(Source("regression.dsl", text), cache=known_library())
    assert found.program is None
    first = found.diagnostics[0]
    line, _ = first.primary.span.source.position(first.primary.span.start)
    last = changed + max(variant.new.count("\n"), variant.old.count("\n"))
    assert first.code == variant.code
    assert changed <= line <= last + 2
    printed = render_plain(first)
    for word in variant.words:
        assert word in printed
