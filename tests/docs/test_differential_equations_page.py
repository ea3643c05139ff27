"""Programs of `docs/differential-equations.md` are accepted and give what the page says; its mistakes are refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import dsl
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.known_library import known_library

PAGE = (Path(__file__).parents[2] / "docs" / "differential-equations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```dsl\n(.*?)```(?:\s*```python\n(.*?)```)?", PAGE, flags=re.DOTALL)
REFUSED = re.findall(r"```dsl refused=(\w+)\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_of_the_page(number: int) -> None:
    text, uses = BLOCKS[number]
    program = dsl.program(text)
    assert len(dsl.functions(program)) >= 1
    exec(compile(uses, f"block {number}", "exec"), {"m": program, "np": np, "dsl": dsl})


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_a_mistake_of_the_page(number: int) -> None:
    code, text = REFUSED[number]
    found = check_source(Source("<string>", text), cache=known_library()).diagnostics
    assert [d.code for d in found] == [code]
