"""Every code is listed, has a page that tells the truth, is raised somewhere, and has its words on record.

The pages are executed: the bad example of each gives exactly its code, and the good one nothing. What the bad
ones print is compared with `tests/golden/errors`; `DSL_UPDATE_GOLDEN=1` writes it anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import dsl
from dsl.__main__ import execute
from dsl.diagnostics.codes import FAMILIES, TITLES, family, is_code
from dsl.diagnostics.diagnostic import Diagnostic, DslError
from dsl.diagnostics.explain import Block, blocks, codes_with_pages, page, title
from dsl.diagnostics.render import render_plain
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.cases import some
from tests.support.known_library import known_library

ROOT = Path(__file__).parents[2]
PACKAGES = ("dsl", "typechecker", "lowering")
GOLDEN = ROOT / "tests" / "golden" / "errors"
LISTS = {"codes.py", "diagnostic.py"}  # these name codes without raising them


def raised_in(root: Path) -> set[str]:
    """Every code that stands as a literal in the packages, outside the list itself."""
    return {
        code
        for package in PACKAGES
        for path in (root / package).rglob("*.py")
        if path.name not in LISTS
        for code in re.findall(r"[\"']((?:E\d{4}|W\d{2,4}))[\"']", path.read_text(encoding="utf-8"))
    }


def marked(text: str, word: str) -> list[Block]:
    return [block for block in blocks(text) if word in block.words]


def outcome(block: Block, code: str) -> tuple[set[str], str]:
    """The codes an example gives, and what it prints. Its files are in the current folder."""
    match block.language:
        case "dsl":
            return told(
                check_source(Source(f"{code}.dsl", block.text), folder=Path(), cache=known_library()).diagnostics
            )
        case "python":
            return from_python(block.text)
        case "console":
            return from_console(block.text)
    raise AssertionError(f"an example in {block.language} cannot be run")


def told(diagnostics: Sequence[Diagnostic]) -> tuple[set[str], str]:
    return {d.code for d in diagnostics}, "\n\n".join(map(render_plain, diagnostics))


def from_python(text: str) -> tuple[set[str], str]:
    try:
        exec(compile(text, "<example>", "exec"), {"dsl": dsl})
    except DslError as error:
        return told(error.diagnostics)
    return set(), ""


def from_console(text: str) -> tuple[set[str], str]:
    output = io.StringIO()
    for line in text.splitlines():
        assert line.startswith("$ "), "a console example is made of command lines"
        command = line.removeprefix("$ ")
        if not command.startswith("dsl "):
            subprocess.run(command, shell=True, check=True, timeout=60)
            continue
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            status = execute(shlex.split(command)[1:])
        assert status in (0, 1), output.getvalue()
    codes = re.findall(r"^(?:error|warning)\[(\w+)\]", output.getvalue(), re.MULTILINE)
    return set(codes), output.getvalue().rstrip()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def prepare(text: str) -> None:
    for block in blocks(text):
        if block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert set(codes_with_pages()) == set(TITLES)


def test_every_code_is_raised_and_every_raised_code_is_listed() -> None:
    raised = raised_in(ROOT)
    assert set(TITLES) - raised == set(), "listed but never raised"
    assert raised - set(TITLES) == set(), "raised but not listed"


def test_every_code_has_its_output_on_record_and_nothing_else_has() -> None:
    if not os.environ.get("DSL_UPDATE_GOLDEN"):
        assert {path.stem for path in GOLDEN.glob("*.txt")} == set(TITLES)


def test_codes_have_the_form_of_codes_and_a_family() -> None:
    assert all(is_code(code) and family(code) for code in TITLES)
    assert list(TITLES) == sorted(TITLES)
    assert family("E0401") == "shapes"
    assert family("W01") == FAMILIES["W"]
    assert not any(map(is_code, ("E0001", "E1101", "E040", "E04011", "e0401", "W1", "")))


@pytest.mark.parametrize("code", TITLES)
def test_a_page_has_the_form_of_a_page(code: str) -> None:
    text = page(code)
    assert text is not None
    assert title(text) == (code, TITLES[code])
    assert marked(text, "bad"), "no bad example"
    assert marked(text, "good"), "no good example"
    assert all(len(line) <= 120 for line in text.splitlines())


@pytest.mark.parametrize("code", TITLES)
def test_the_bad_examples_give_exactly_their_code(code: str, folder: Path) -> None:
    text = page(code) or ""
    prepare(text)
    results = [outcome(block, code) for block in marked(text, "bad")]
    assert [codes for codes, _ in results] == [{code}] * len(results), "\n\n".join(shown for _, shown in results)
    on_record(code, "\n\n".join(shown for _, shown in results) + "\n")


@pytest.mark.parametrize("code", TITLES)
def test_the_good_examples_are_good(code: str, folder: Path) -> None:
    text = page(code) or ""
    prepare(text)
    for block in some(marked(text, "good")):
        codes, shown = outcome(block, code)
        assert codes == set(), shown


def on_record(code: str, shown: str) -> None:
    path = GOLDEN / f"{code}.txt"
    if os.environ.get("DSL_UPDATE_GOLDEN"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")


def test_the_guard_sees_a_code_that_is_raised(tmp_path: Path) -> None:
    (tmp_path / "dsl").mkdir()
    (tmp_path / "dsl" / "a.py").write_text("raise_('E0499')\nwarn(\"W07\")\n# E0498\n")
    (tmp_path / "dsl" / "codes.py").write_text("'E0497'")
    assert raised_in(tmp_path) == {"E0499", "W07"}
