"""One entry per kind of effect, and the pages say what stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dsl.types.effect import BUILTINS, KINDS, EffectKind, Parallel

DOCS = Path(__file__).parents[3] / "docs"
VMAP_REFUSED = {Parallel.ANY_ORDER: None, Parallel.READS: "E0720", Parallel.NOTHING: "E0721"}


def cells(page: str, kind: EffectKind) -> list[list[str]]:
    """The rows of the tables of a page that begin with the effect."""
    rows = [line.split(" | ") for line in (DOCS / page).read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    return [row for row in rows if re.match(rf"\| `{kind.name}\b", row[0])]


def test_effects_without_a_parameter_have_a_kind() -> None:
    assert set(BUILTINS) <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_language_page_says_who_performs_and_who_handles(kind: EffectKind) -> None:
    ((_, performed, handled),) = cells("language/effects.md", kind)
    assert (performed, handled.removesuffix(" |")) == (kind.performed_by, kind.handled_by)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_page_of_transformations_agrees(kind: EffectKind) -> None:
    """Its cells are run by `tests/e2e/test_effect_table.py`."""
    ((_, _, _, grad, vmap, *_),) = cells("effects.md", kind)
    assert ("E0805" in grad) is not kind.in_reverse
    code = VMAP_REFUSED[kind.parallel]
    assert ("rejected" in vmap) is (code is not None) and (code or "") in vmap


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_python_handles_is_said(kind: EffectKind) -> None:
    assert ("Python" in kind.handled_by) is kind.in_python
    assert (kind.handled_by != "Python") is kind.in_program
