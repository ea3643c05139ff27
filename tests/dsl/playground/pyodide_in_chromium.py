"""The page as a site of files, with Pyodide in a real browser. `make pyodide` installs both and runs this."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from dsl.playground.site import write_site

PYODIDE = Path(__file__).parents[3] / "out" / "pyodide"
LOADING = 120_000


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that says nothing of requests."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site whose Pyodide and wheels are files of this machine."""
    folder = tmp_path_factory.mktemp("site")
    write_site(folder)
    shutil.copytree(PYODIDE, folder / "pyodide")
    wheels = [f"pyodide/wheels/{wheel.name}" for wheel in sorted((PYODIDE / "wheels").glob("*.whl"))]
    config = {"pyodide": "pyodide/node_modules/pyodide/", "packages": wheels, "run": []}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        found = browser.new_page()
        found.on("console", lambda message: print(message.text))
        found.goto(address)
        expect(found.locator("#status")).to_have_text("no errors", timeout=LOADING)
        yield found
        browser.close()


def test_the_checker_runs_in_the_browser(page: Page) -> None:
    expect(page.locator("#signatures")).to_contain_text("def fit(x: f32[n, d], y: f32[n], static steps: int)")
    page.fill("#text", "def f(x: f32[n]) = summ(x)")
    expect(page.locator("#colours mark")).to_have_text("summ", timeout=30_000)
    page.get_by_role("button", name="did you mean `sum`?").click()
    expect(page.locator("#status")).to_have_text("no errors")


def test_the_formatter_and_the_explanations_do_too(page: Page) -> None:
    page.fill("#text", "def  f(x:f32[n],y:f32[k])=x+y")
    page.get_by_role("button", name="Format").click()
    expect(page.locator("#text")).to_have_value("def f(x: f32[n], y: f32[k]) = x + y\n")
    page.get_by_role("button", name="Explain E0401").click()
    expect(page.locator("article h1")).to_contain_text("shapes do not match")


def test_a_run_without_numpy_says_so(page: Page) -> None:
    page.fill("#text", "")
    page.fill("#expression", "1.0 + 1.0")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#status")).to_contain_text("numpy", timeout=30_000)
