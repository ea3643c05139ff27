"""The pages of `docs/transformations`, that of devices, and the tutorials: programs check, and the IR that stands there
is what is made.

A block `dsl` is a program (`dsl refused=CODE` one that is refused); a block `ir F(TYPES)` behind it holds the IR of a
function of that program, `F` written as Python writes it; a block `python` runs, with the program as `m`.
`DSL_UPDATE_GOLDEN=1` writes the IR anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.cases import some

DOCS = Path(__file__).parents[2] / "docs"
TRANSFORMATIONS = tuple(sorted((DOCS / "transformations").glob("*.md")))
OTHERS = ("thinking-in-transformations.md", "devices.md", "from-one-device-to-many.md")
PAGES = (*TRANSFORMATIONS, *[DOCS / name for name in OTHERS])
BLOCK = re.compile(r"^```(?P<kind>dsl|ir|python)(?P<rest>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TYPE = re.compile(r"(f32|f64|i32|bool)(?:\[([\d, ]*)\])?")
PUBLIC = ("grad", "value_and_grad", "vmap", "jit", "jacfwd", "jacrev", "hessian", "checkpoint")


def blocks(page: Path) -> Iterator[re.Match[str]]:
    yield from BLOCK.finditer(page.read_text("utf8"))


def argument(dtype: str, sizes: str) -> Any:
    shape = tuple(int(n) for n in sizes.split(",")) if sizes else ()
    return np.zeros(shape, {"f32": "f4", "f64": "f8", "i32": "i4", "bool": "?"}[dtype])


def ir(program: dsl.Program, wanted: str) -> str:
    """`grad(loss) f32[3], f32`"""
    expression, _, types = wanted.strip().partition(" ")
    names = {name: getattr(dsl, name) for name in PUBLIC}
    f = eval(expression, {**names, **dsl.functions(program)})
    return str(f.ir(*[argument(*found) for found in TYPE.findall(types)]))


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page))], ids=lambda page: page.name)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program: dsl.Program | None = None
    text = page.read_text("utf8")
    for block in some(blocks(page)):
        body, rest = block["text"], block["rest"].strip()
        if block["kind"] == "dsl" and rest.startswith("refused="):
            with pytest.raises(dsl.DslError) as caught:
                dsl.program(body)
            assert {d.code for d in caught.value.diagnostics} == {rest.removeprefix("refused=")}
        elif block["kind"] == "dsl":
            program = dsl.program(body)
        elif rest.startswith("file="):
            continue  # for several processes: `tests/e2e/test_process_groups.py` runs it
        elif block["kind"] == "python":
            exec(compile(body, page.name, "exec"), {"dsl": dsl, "np": np, "m": program})
        else:
            assert program is not None
            made = ir(program, rest).rstrip() + "\n"
            if os.environ.get("DSL_UPDATE_GOLDEN"):
                text = text.replace(block[0], f"```ir {rest}\n{made}```")
            else:
                assert body == made, f"the IR of {rest} is\n{made}"
    if os.environ.get("DSL_UPDATE_GOLDEN"):
        page.write_text(text, "utf8")


def test_every_transformation_has_a_page() -> None:
    index = (DOCS / "transformations" / "README.md").read_text("utf8")
    for page in some(TRANSFORMATIONS):
        assert page.name == "README.md" or f"({page.name})" in index
