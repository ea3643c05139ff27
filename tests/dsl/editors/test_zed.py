"""The extension for Zed as it is installed: its manifest names a repository and a revision that exist."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from dsl.editors import zed

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="Git makes the repository of the grammar")
DATE = "2026-01-02T03:04:05+00:00"


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    made = tmp_path / "grammar"
    (made / "src").mkdir(parents=True)
    (made / "src" / "parser.c").write_text("int parser;\n", encoding="utf-8")
    (made / "puredsl.so").write_bytes(b"\0")
    return made


def manifest(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "extension.toml").read_text(encoding="utf-8"))


def test_the_manifest_names_the_grammar(grammar: Path, tmp_path: Path) -> None:
    zed.write({"version": "1.2.3"}, grammar, DATE, tmp_path / "zed")
    found, head = manifest(tmp_path / "zed"), zed.git(grammar, "rev-parse", "HEAD")
    assert found["version"] == "1.2.3" and found["grammars"] == {
        "puredsl": {"repository": grammar.as_uri(), "rev": head}
    }
    assert tomllib.loads((tmp_path / "zed" / "Cargo.toml").read_text(encoding="utf-8"))["package"]["version"] == "1.2.3"
    zed.git(tmp_path, "clone", "--quiet", grammar.as_uri(), "copy")
    zed.git(tmp_path / "copy", "checkout", "--quiet", head)
    assert sorted(p.name for p in (tmp_path / "copy").iterdir()) == [".git", ".gitignore", "src"]
    assert (tmp_path / "zed" / "languages" / "puredsl" / "highlights.scm").is_file()


def test_a_release_names_the_public_address_and_the_same_revision(grammar: Path, tmp_path: Path) -> None:
    first = zed.revision(grammar, DATE)
    zed.write({"version": "1", "urls": {"Grammar": "https://example.org/g"}}, grammar, DATE, tmp_path / "zed")
    assert manifest(tmp_path / "zed")["grammars"] == {"puredsl": {"repository": "https://example.org/g", "rev": first}}
    (grammar / "src" / "parser.c").write_text("int other;\n", encoding="utf-8")
    assert zed.revision(grammar, DATE) != first


def test_a_grammar_without_a_parser_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="`make tree-sitter` generates it"):
        zed.write({"version": "1"}, tmp_path, DATE, tmp_path / "zed")
    with pytest.raises(ValueError, match="`rev` occurs 0 times"):
        zed.filled('version = "1"\n', {"version": "2", "rev": "x"})


def test_the_source_has_the_places_to_fill() -> None:
    text = (zed.SOURCE / "extension.toml").read_text(encoding="utf-8")
    assert text.count('"REPOSITORY"') == text.count('"REVISION"') == 1
