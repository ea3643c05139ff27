"""The page as a site of files: what is in it is what the browser needs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from dsl.playground.site import write_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_site(folder)
    return folder


def test_all_files_that_the_page_names_are_there(site: Path) -> None:
    texts = [file.read_text(encoding="utf-8") for file in site.iterdir() if file.suffix in (".html", ".js")]
    named = {name for text in texts for name in re.findall(r"""["'(](?:\./)?([\w]+\.(?:js|css|json|zip))["')]""", text)}
    assert {"playground.js", "text.js", "engine.js", "worker.js", "puredsl.zip", "config.json"} <= named
    assert named <= {file.name for file in site.iterdir()}
    assert set(json.loads((site / "config.json").read_text())) == {"pyodide", "packages", "run"}


def test_what_travels_with_the_site_answers_without_what_is_installed(site: Path, tmp_path: Path) -> None:
    with ZipFile(site / "puredsl.zip") as archive:
        archive.extractall(tmp_path)
    code = """
import sys
import msgspec, platformdirs, pygments
from pathlib import Path
sys.path = [sys.argv[1], *[path for path in sys.path if "puredsl" not in path]]
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in str(finder)]
from dsl.playground.answers import Answers
import dsl, markdown_it
assert Path(dsl.__file__).is_relative_to(sys.argv[1]) and Path(markdown_it.__file__).is_relative_to(sys.argv[1])
answers = Answers()
assert b'"E0201"' in answers.answer_json(b'{"ask": "check", "text": "def f() = nothing"}')
assert b"<h1>E0201" in answers.answer_json(b'{"ask": "explain", "code": "E0201"}')
assert b"3.0" in answers.answer_json(b'{"ask": "run", "text": "", "expression": "1.0 + 2.0"}')
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, cwd=tmp_path)
