"""The checker, the formatter, the explanations and the evaluator as answers to the questions of the page.

Nothing here needs jaxlib; NumPy is loaded for the evaluator alone. Read next: `evaluation`, `server`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, assert_never

import msgspec
from markdown_it import MarkdownIt

from dsl.diagnostics.codes import is_code
from dsl.diagnostics.diagnostic import DslError, InternalError
from dsl.diagnostics.explain import headed, page
from dsl.diagnostics.message import Diagnostic, Edit, Help
from dsl.diagnostics.render import clip_span
from dsl.diagnostics.source import Source, Span
from dsl.editors.text_html import code_html, diagnostic_html
from dsl.host.checking.signature_text import show_definition
from dsl.late_names import LateModule
from dsl.playground.questions import About, Answer, Change, Check, Example, Explain, Finding, Fix, Format, Question, Run
from dsl.syntax.format import format_source
from dsl.syntax.words import keywords
from dsl.witnesses import check_source
from typechecker import CheckCache, CheckResult

if TYPE_CHECKING:
    from dsl.playground import evaluation
else:
    evaluation = LateModule("dsl.playground.evaluation")

NAME = "<program>"
_SHOWN = re.compile(r"^##\s*>>>\s*(.+)$", re.MULTILINE)
_TITLE = re.compile(r"^##\s*(.+)$", re.MULTILINE)


class Answers:
    """Answers questions one after another; what was checked is kept for the next."""

    def __init__(self) -> None:
        self._cache = CheckCache()

    def answer(self, question: Question) -> Answer:
        """The answer to a question; a program that is wrong is answered with what is wrong."""
        try:
            return self._answer(question)
        except DslError as error:
            return Answer(findings=_findings(error.diagnostics))

    def answer_json(self, line: bytes) -> bytes:
        """The answer to a question, both as JSON, whatever happens. Raises `msgspec.DecodeError` where it is none."""
        question = msgspec.json.decode(line, type=Question)
        try:
            found = self.answer(question)
        except (InternalError, ImportError, MemoryError, RecursionError) as fault:
            found = Answer(fault=f"{type(fault).__name__}: {fault}")
        return msgspec.json.encode(found)

    def _answer(self, question: Question) -> Answer:
        match question:
            case About():
                return Answer(keywords=tuple(keywords()), examples=examples())
            case Check(text=text):
                return self._checked(text)
            case Format(text=text):
                return Answer(text=format_source(Source(NAME, text)))
            case Explain(code=code):
                return _explained(code)
            case Run(text=text, expression=expression):
                done = evaluation.run(text, expression, self._cache)
                return Answer(result=done.result, printed=done.printed, ir=code_html(done.ir), picture=done.picture)
            case _:
                assert_never(question)

    def _checked(self, text: str) -> Answer:
        found = check_source(Source(NAME, text), cache=self._cache)
        return Answer(findings=_findings([d.placed for d in found.diagnostics]), signatures=_signatures(found))


def _signatures(found: CheckResult) -> str:
    """The heads of the functions that fit, with what was inferred."""
    infos = [] if found.main is None else [*found.main.definitions.values()]
    checked = [info.checked for info in infos if info.checked is not None and not info.faulty]
    return code_html("\n".join([show_definition(each) for each in checked])) if checked else ""


def _findings(diagnostics: Sequence[Diagnostic]) -> tuple[Finding, ...]:
    return tuple(map(_finding, diagnostics))


def _finding(diagnostic: Diagnostic) -> Finding:
    start, end = _characters(clip_span(diagnostic.primary.span))
    fixes = tuple([_fix(help) for help in diagnostic.help if help.edits and all(map(_in_program, help.edits))])
    severity, html = diagnostic.severity.value, diagnostic_html(diagnostic)
    return Finding(severity, diagnostic.code, diagnostic.message, start, end, html, fixes)


def _fix(help: Help) -> Fix:
    return Fix(help.text, tuple([Change(*_characters(edit.span), edit.text) for edit in help.edits]))


def _in_program(edit: Edit) -> bool:
    return edit.span.source.name == NAME


def _characters(span: Span) -> tuple[int, int]:
    """Where a span of the program begins and ends, in units of UTF-16."""
    if span.source.name != NAME:
        return 0, -1
    return _units(span.source.text[: span.start]), _units(span.source.text[: span.end])


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _explained(code: str) -> Answer:
    text = page(code.upper()) if is_code(code.upper()) else None
    if text is None:
        return Answer(fault=f"there is no code {code}")
    renderer = MarkdownIt("commonmark", {"html": False, "highlight": _highlighted}).enable("table")
    return Answer(html=renderer.render(headed(text)))


def _highlighted(text: str, language: str, _: str) -> str:
    """A block in colours, as Markdown asks for it; text of other languages as it is."""
    if language != "dsl":
        return ""
    return code_html(text).strip().removeprefix('<div class="highlight">').removesuffix("</div>")


def examples() -> tuple[Example, ...]:
    """The examples that come with the page, in order. The first `>>>` of a comment is what is run of one."""
    files = resources.files("dsl.playground").joinpath("examples").iterdir()
    texts = [file.read_text(encoding="utf-8") for file in sorted(files, key=lambda file: file.name)]
    return tuple(map(_example, texts))


def _example(text: str) -> Example:
    title, shown = _TITLE.search(text), _SHOWN.search(text)
    return Example(title[1].rstrip(".") if title else "", text, shown[1] if shown else "")
