"""The pages as a site: every link leads somewhere, programs have their colours and say whether they are accepted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib
from base64 import urlsafe_b64decode
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BUILD = [sys.executable, "-m", "mkdocs", "build"]
"""Without `--quiet`, which hides broken links from the strict mode."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([*BUILD, "--site-dir", str(folder)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    made = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    assert {page.with_name("index") if page.name == "README" else page for page in pages} <= made


def test_programs_are_coloured_and_say_whether_they_are_accepted(site: Path) -> None:
    page = (site / "errors" / "E0401.html").read_text(encoding="utf-8")
    assert '<span class="k">def</span>' in page
    assert [f'<span class="filename">{title}</span>' in page for title in ("accepted", "refused")] == [True, True]
    assert "```" not in page
    assert 'href="../site.css"' in page and (site / "site.css").is_file()


def test_programs_can_be_tried(site: Path) -> None:
    page = (site / "errors" / "E0401.html").read_text(encoding="utf-8")
    links = re.findall(r'class="try" href="(\.\./playground/index\.html)#([\w-]+)"', page)
    assert len(links) == 2 and (site / "playground" / "index.html").is_file()
    text = zlib.decompress(urlsafe_b64decode(links[0][1] + "=" * (-len(links[0][1]) % 4)), wbits=-15)
    assert json.loads(text)["text"] in (ROOT / "docs" / "errors" / "E0401.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", ["missing.md", "#missing"])
def test_a_link_that_leads_nowhere_stops_the_build(tmp_path: Path, target: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "README.md").write_text(f"[nowhere]({target})\n")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").replace("hooks: [docs/site_hooks.py]\n", "")
    (tmp_path / "mkdocs.yml").write_text(settings)
    done = subprocess.run([*BUILD, "--site-dir", str(tmp_path / "site")], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0 and target in done.stderr
