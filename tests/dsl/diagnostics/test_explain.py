"""Finding and reading the pages of codes, and files a user names."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.diagnostics.codes import TITLES
from dsl.diagnostics.diagnostic import InputError
from dsl.diagnostics.explain import blocks, codes_with_pages, page, title
from dsl.diagnostics.files import read_source

PAGE = """# E0401: shapes do not match

Prose with ``` in a line.

```dsl file=a.dsl
let a = 1
```

```dsl bad
# a comment
x @ w
```

```console good
```
"""


def test_blocks_know_their_words_text_and_place() -> None:
    found = blocks(PAGE)
    assert [(b.language, b.words, b.file, b.line) for b in found] == [
        ("dsl", ("file=a.dsl",), "a.dsl", 5),
        ("dsl", ("bad",), None, 9),
        ("console", ("good",), None, 14),
    ]
    assert [b.text for b in found] == ["let a = 1\n", "# a comment\nx @ w\n", ""]


def test_the_title_is_in_the_first_line() -> None:
    assert title(PAGE) == ("E0401", "shapes do not match")
    assert title("## E0401: no\n") == ("", "")
    assert title("") == ("", "")


def test_pages_are_found_where_the_package_is() -> None:
    assert page("E0960") == (Path(__file__).parents[3] / "docs" / "errors" / "E0960.md").read_text()
    assert page("E0000") is None
    assert page("../errors/E0960") is None or title(page("../errors/E0960") or "")[0] == "E0960"
    assert set(codes_with_pages()) >= {"E0960"}
    assert "README" not in codes_with_pages()
    assert list(TITLES) == sorted(TITLES)


def test_a_source_has_the_name_it_was_asked_for_by(tmp_path: Path) -> None:
    path = tmp_path / "f.dsl"
    path.write_bytes("\ufeff# é\n".encode())
    source = read_source(path)
    assert source.name == str(path)
    assert source.text == "# é\n"


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("nix.dsl", "E0960", "no such file or directory"),
        ("folder", "E0960", "is a directory"),
        ("latin.dsl", "E0961", "byte 0xE9 on line 2 belongs to no character"),
        ("a\0b", "E0960", "null"),
        ("x" * 300, "E0960", "too long"),
    ],
)
def test_what_cannot_be_read_is_one_diagnostic(tmp_path: Path, name: str, code: str, words: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.dsl").write_bytes(b"# caf\n# \xe9\n")
    with pytest.raises(InputError) as caught:
        read_source(f"{tmp_path}/{name}")
    assert caught.value.code == code
    assert words in str(caught.value)
