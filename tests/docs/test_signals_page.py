"""The programs of `docs/signals.md` are accepted or refused as it says, and its Python runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dsl.diagnostics.explain import Block, blocks
from dsl.diagnostics.source import Source
from tests.support.known_library import known_library
from tests.support.library import public
from typechecker import check_source

PAGE = (Path(__file__).parents[2] / "docs" / "signals.md").read_text(encoding="utf-8")
PROGRAMS = [block for block in blocks(PAGE) if block.language == "dsl"]


def refused(block: Block) -> str | None:
    codes = [word.removeprefix("refused=") for word in block.words if word.startswith("refused=")]
    return codes[0] if codes else None


@pytest.mark.parametrize("block", PROGRAMS, ids=lambda block: str(block.line))
def test_programs_are_what_the_page_says(block: Block) -> None:
    found = [d.code for d in check_source(Source("page.dsl", block.text), cache=known_library()).diagnostics]
    code = refused(block)
    assert found == ([] if code is None else [code])


def test_the_python_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(PAGE):
        if block.language == "python":
            exec(compile(block.text, "page", "exec"), names)
    assert "found" in names


def test_functions_that_the_page_names_exist() -> None:
    for module in ("interpolate", "signal", "differences"):
        named = set(re.findall(rf"(?<!scipy\.)\b{module}\.([a-z]\w*)\b", PAGE))
        assert len(named) > 4
        assert named <= set(public(module)), named - set(public(module))
