"""Vim colours words, numbers, texts and names as the parser reads them; the tests in Vim itself need one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsl.diagnostics.source import Source
from dsl.editors.vim import GROUPS, PLUGIN, pattern_of, syntax
from dsl.syntax.highlighting import Piece
from dsl.syntax.parse import parse_with_tokens
from dsl.syntax.parse_failure import Seen
from dsl.syntax.words import words_of

ROOT = Path(__file__).parents[3]
TEXTS = [ROOT / "examples" / "rats.dsl", ROOT / "examples" / "cnn.dsl", ROOT / "stdlib" / "image.dsl"]
NAMES = {"dslName", "dslCall", "dslFunction", "dslType", "dslDtype"}
VIM = shutil.which("vim")
SCRIPT = """
let found = []
for [row, column] in json_decode(readfile("places.json")[0])
  call add(found, synIDattr(synID(row, column, 0), "name"))
endfor
call writefile([json_encode([&filetype, &commentstring, found])], "found.json")
qall!
"""

needs_vim = pytest.mark.skipif(VIM is None, reason="no Vim on this machine")


def coloured(folder: Path, text: str, places: list[tuple[int, int]]) -> list[str]:
    """The group of Vim at each row and column of a program."""
    (folder / "model.dsl").write_text(text, encoding="utf-8")
    (folder / "places.json").write_text(json.dumps(places))
    (folder / "script.vim").write_text(SCRIPT)
    start = f"set runtimepath^={PLUGIN} | filetype plugin on | syntax on"
    command = [str(VIM), "-N", "-u", "NONE", "-i", "NONE", "-es", "--cmd", "set encoding=utf-8 synmaxcol=0"]
    done = [*command, "-c", start, "-c", "edit model.dsl", "-S", "script.vim"]
    subprocess.run(done, cwd=folder, timeout=120, capture_output=True)
    filetype, comments, found = json.loads((folder / "found.json").read_text())
    assert (filetype, comments) == ("puredsl", "# %s")
    return list(found)


def tokens_of(path: Path, text: str) -> Iterator[tuple[Seen, set[str]]]:
    """The tokens of a program with the groups that each may have."""
    for _, tokens in parse_with_tokens(Source(str(path), text)).tokens:
        for token in tokens:
            if token.text in words_of().get(token.kind, ()):
                yield token, {"dslKeyword", "dslConstant"}
            elif token.kind in ("NUMBER", "STRING"):
                yield token, {f"dsl{token.kind.title()}"}
            elif token.kind == "NAME":
                yield token, NAMES


@needs_vim
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_vim_sees_what_the_parser_sees(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    source = Source(str(path), text)
    wanted = list(tokens_of(path, text))
    assert len(wanted) > 100
    places = [at_byte(source, token.start) for token, _ in wanted]
    for (token, groups), found in zip(wanted, coloured(tmp_path, text, places), strict=True):
        assert found in groups, token


def at_byte(source: Source, offset: int) -> tuple[int, int]:
    """Row and column as Vim counts them, from one and in bytes."""
    row = source.row(offset)
    before = source.text[source.line_starts[row] : offset]
    return row + 1, len(before.encode()) + 1


@needs_vim
def test_definitions_comments_and_types_have_groups_of_their_own(tmp_path: Path) -> None:
    text = '## Doc.\n# note\n@check\ndef f(x: Params[d]) -> f32 where d >= 1 = g("a").limit + true\n'
    signs = ("## D", "# note", "@check", "f(", "Params", "where", "limit", "g(", '"a"', "true", "f32", ">=")
    found = coloured(tmp_path, text, [at_byte(Source("t.dsl", text), text.index(sign)) for sign in signs])
    kinds = (
        "Doc",
        "Comment",
        "Attribute",
        "Function",
        "Type",
        "Keyword",
        "Name",
        "Call",
        "String",
        "Constant",
        "Dtype",
    )
    assert found == [*[f"dsl{kind}" for kind in kinds], "dslSign"]


def test_the_plugin_has_the_syntax_that_is_made_now() -> None:
    assert (PLUGIN / "syntax" / "puredsl.vim").read_text(encoding="utf-8") == syntax(), "python -m dsl.editors.vim"
    assert set(GROUPS) == set(Piece)
    links = re.findall(r"highlight default link (\w+) \w+", syntax())
    assert set(re.findall(r"syntax match (\w+)", syntax())) == set(links)


@pytest.mark.parametrize(
    ("regex", "pattern"),
    [
        (r"a(?:b|c)+d?", r"a%(b|c)+d?"),
        (r"(?<!x)y(?!\w)", r"%(x)@<!y%(\w)@!"),
        (r"(?<=\bdef )[^\W0-9]\w*(?=\()", r"%(%(<|>)def )@<=\h\w*%(\()@="),
        (r'"(?:[^"\\\n]|\\[^\n])*"', r'\"%([^"\\]|\\.)*\"'),
        (r"\*\*(?!=)|->", r"\*\*%(\=)@!|\-\>"),
        (r"[\w(?]", r"[0-9A-Za-z_(?]"),
    ],
)
def test_regular_expressions_are_those_of_vim(regex: str, pattern: str) -> None:
    assert pattern_of(regex) == pattern
