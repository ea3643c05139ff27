"""The pages on Python: every block runs, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dsl
from dsl.diagnostics.explain import blocks

DOCS = Path(__file__).parents[2] / "docs"


def test_every_public_name_is_there() -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`dsl\.(\w+)`", page.partition("\n## Errors\n")[2]))
    assert listed == {name for name in dir(dsl) if not name.startswith("_")}


PAGES = (
    *("python.md", "training.md", "guarantees.md"),
    *("coming-from-jax.md", "coming-from-numpy.md", "coming-from-pytorch.md"),
)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    found = [block for block in blocks((DOCS / page).read_text(encoding="utf-8")) if block.language == "python"]
    assert found
    for block in found:
        exec(compile(block.text, page, "exec"), names)
