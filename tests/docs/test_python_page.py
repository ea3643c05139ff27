"""The page on Python: every block runs, one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.diagnostics.explain import blocks

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_every_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    found = [block for block in blocks(PAGE.read_text(encoding="utf-8")) if block.language == "python"]
    assert found
    for block in found:
        exec(compile(block.text, "python.md", "exec"), names)
