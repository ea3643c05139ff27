"""The grammar for tree-sitter is that of the language. `tree_sitter_grammar.py` compares the parsers, where one can be
generated."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib

import pytest

from dsl.editors.tree_sitter import FOLDER, ZED, files, highlights, texts
from dsl.syntax.operators import BINARY, PREFIXES
from dsl.syntax.tables import tables
from dsl.syntax.words import keywords, words_of
from tests.support.cases import some

TEXT = (FOLDER / "grammar.js").read_text(encoding="utf-8")
DEFINED = re.findall(r"^    (\w+): \$ =>", TEXT, re.MULTILINE)
EVALUATE = """
for (const name of ["seq", "choice", "repeat", "optional", "alias", "prec", "field"])
  globalThis[name] = (...parts) => parts;
prec.left = prec.right = prec;
globalThis.grammar = made => made;
const made = require(process.argv[1]);
const named = new Proxy({}, { get: (_, name) => name });
for (const rule of Object.values(made.rules)) rule(named);
console.log(JSON.stringify(Object.keys(made.rules)));
"""
RULES = dict(re.findall(r"^    (\w+): \$ => (.*),$", TEXT, re.MULTILINE))


def test_files_are_those_of_the_grammar() -> None:
    for path, text in some(files().items()):
        assert path.read_text(encoding="utf-8") == text, f"{path}: run python -m dsl.editors.tree_sitter"


def test_rules_name_only_rules() -> None:
    declared = {*DEFINED, *re.findall(r"\$\.(\w+)", TEXT.partition("externals: ")[2].partition("\n")[0])}
    used = re.findall(r"\$\.(\w+)", re.sub(r", \$\.\w+\)(?=[,)])|, \$\.\w+\)$", ")", TEXT, flags=re.MULTILINE))
    assert len(DEFINED) > 100 and set(some(used)) <= declared


def words_and_signs() -> list[str]:
    """The terminals whose pattern has no choice of letters, and those of words."""
    patterns = {name: text for name, text in tables().terminals.items() if name not in ("OP", "PREFIX")}
    return [name for name, text in patterns.items() if name in words_of() or not re.search(r"\w\*|\[", text)]


@pytest.mark.parametrize("name", words_and_signs())
def test_texts_of_words_and_signs_are_those_of_the_terminal(name: str) -> None:
    pattern = re.compile(tables().terminals[name])
    assert all(pattern.fullmatch(text) for text in some(texts(name)))


def test_every_word_is_in_the_grammar_and_has_a_colour() -> None:
    for word in some(keywords()):
        assert f'"{word}"' in TEXT or f"'{word}'" in TEXT, word
        assert word in ("true", "false", "none") or f'"{word}"' in highlights(), word


def test_operators_have_the_precedence_of_the_language() -> None:
    levels = [int(level) for level in re.findall(r"prec\.(?:left|right)\((\d+)", RULES["binary"])]
    assert levels == sorted(set(BINARY.values()))
    assert {int(level) for level in re.findall(r"prec\((\d+)", RULES["prefixed"])} == set(PREFIXES.values())


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js on this machine")
def test_the_grammar_is_javascript() -> None:
    """With functions that build nothing, every rule can be evaluated."""
    done = subprocess.run(["node", "-e", EVALUATE, str(FOLDER / "grammar.js")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == DEFINED


def test_the_extension_for_zed_has_what_zed_reads() -> None:
    manifest = tomllib.loads((ZED / "extension.toml").read_text(encoding="utf-8"))
    config = tomllib.loads((ZED / "languages" / "puredsl" / "config.toml").read_text(encoding="utf-8"))
    assert config["grammar"] in manifest["grammars"] and config["path_suffixes"] == ["dsl"]
    assert manifest["language_servers"]["dsl"]["languages"] == [config["name"]]
    assert tomllib.loads((ZED / "Cargo.toml").read_text(encoding="utf-8"))["lib"]["crate-type"] == ["cdylib"]
