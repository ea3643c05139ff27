"""The README tells the truth: its program checks, its error is what is printed, its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

from dsl.__main__ import cli
from dsl.diagnostics.explain import blocks
from dsl.diagnostics.render import render_plain
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.cases import some

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fenced(language: str) -> list[str]:
    return [block.text for block in blocks(README) if block.language == language]


def test_the_two_commands_are_on_the_first_screen_and_in_the_makefile() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for target in ("demo", "test"):
        assert f"make {target} " in "\n".join(README.splitlines()[:24])
        assert target in targets


def test_the_program_checks() -> None:
    (program,) = fenced("dsl")
    assert check_source(Source("regression.dsl", program)).diagnostics == ()


def test_the_error_is_what_the_checker_prints() -> None:
    (shown,) = fenced("text")
    (line,) = re.findall(r"^ 1 \| (.*)$", shown, re.MULTILINE)
    (diagnostic,) = check_source(Source("regression.dsl", line)).diagnostics
    assert render_plain(diagnostic) == shown.rstrip()


def test_the_commands_exist() -> None:
    commands = re.findall(r"^dsl ([\w-]+)", README, re.MULTILINE)
    assert set(commands) == set(cli.commands)


def test_links_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"):
        page = ROOT / name
        for link in some(re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))):
            assert link.startswith("http") or (page.parent / link).exists(), f"{page.name}: {link}"
