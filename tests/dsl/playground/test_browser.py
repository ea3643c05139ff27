"""The page in a real browser, where this machine has one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from dsl.playground.links import fragment
from dsl.playground.server import Server

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium on this machine")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with Server(0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.address
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def opened(browser: Any, address: str) -> Iterator[Page]:
    """The page, for all tests; nothing may be complained of in its console."""
    found = browser.new_page()
    said: list[str] = []
    found.on("console", lambda message: said.append(message.text))
    found.on("pageerror", lambda error: said.append(str(error)))
    found.goto(address)
    expect(found.locator("#status")).to_have_text("no errors", timeout=20_000)
    yield found
    found.close()
    assert said == []


@pytest.fixture
def page(opened: Page) -> Page:
    """The page with its first example checked."""
    opened.get_by_label("Examples").select_option("A size that data decide")
    expect(opened.locator("#signatures")).not_to_contain_text("def fit", timeout=20_000)
    opened.get_by_label("Examples").select_option("Gradient descent")
    expect(opened.locator("#signatures")).to_contain_text("def fit", timeout=20_000)
    return opened


def test_errors_as_one_types(page: Page) -> None:
    page.fill("#text", "# 😀\ndef f(x: f32[n]) = ")
    page.locator("#text").press_sequentially("summ(x)")
    finding = page.locator(".finding")
    expect(finding).to_contain_text("undefined name `summ`")
    expect(page.locator("#colours mark")).to_have_text("summ")
    expect(page.locator("#status")).to_have_text("1 error")
    page.get_by_role("button", name="did you mean `sum`?").click()
    expect(page.locator("#text")).to_have_value("# 😀\ndef f(x: f32[n]) = sum(x)")
    expect(page.locator("#status")).to_have_text("no errors")
    expect(page.locator("#signatures")).to_contain_text("def f(x: f32[n]) -> f32")


def test_the_colours_are_those_of_the_text(page: Page) -> None:
    text = 'def f(x: f32[n]) = sum(x) # "a" <b>\nlet a = 1.5'
    page.fill("#text", text)
    assert page.locator("#colours").text_content() == text + "\n"
    kinds = page.locator("#colours span").evaluate_all("found => found.map(x => [x.className, x.textContent])")
    assert ["comment", '# "a" <b>'] in kinds and ["number", "1.5"] in kinds and ["type", "f32"] in kinds


def test_examples_run_and_their_ir_is_a_picture(page: Page) -> None:
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#value")).to_contain_text("result : f32[2] = [", timeout=20_000)
    page.get_by_text("IR as a picture").click()
    expect(page.locator("#picture svg")).to_be_visible()
    page.get_by_label("Examples").select_option("A shape that does not fit")
    expect(page.locator(".finding")).to_contain_text("E0401")
    expect(page.locator("#result")).to_be_hidden()
    page.get_by_role("button", name="Explain E0401").click()
    expect(page.locator("article h1")).to_contain_text("shapes do not match")


def test_the_formatter_writes_the_program_again(page: Page) -> None:
    page.fill("#text", "def  f(x:f32)=x")
    page.get_by_role("button", name="Format").click()
    expect(page.locator("#text")).to_have_value("def f(x: f32) = x\n")


def test_a_link_carries_the_program(page: Page, browser: Any) -> None:
    text = "## Größe 😀\ndef double(x: f32) = 2.0 * x\n"
    page.fill("#text", text)
    page.fill("#expression", "double(4.0)")
    page.get_by_role("button", name="Copy link").click()
    expect(page).to_have_url(re.compile("#[A-Za-z0-9_-]+$"))
    other = browser.new_page()
    other.goto(page.url)
    expect(other.locator("#text")).to_have_value(text, timeout=20_000)
    other.get_by_role("button", name="Run").click()
    expect(other.locator("#value")).to_have_text("result : f32 = 8.0")
    expect(other.locator("#status")).to_have_text("no errors")
    other.goto(page.url.partition("#")[0] + "#" + fragment("let größe = 1\n", "größe"))
    expect(other.locator("#text")).to_have_value("let größe = 1\n")
    expect(other.locator("#expression")).to_have_value("größe")
    other.goto(page.url.partition("#")[0] + "#nonsense")
    other.reload()
    expect(other.locator("#status")).to_have_text("no errors", timeout=20_000)
    other.close()
