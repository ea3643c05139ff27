"""Characters, numbers and quotes that begin no token: what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import errors, foreign
from dsl.syntax.parse_failure import OPERAND_ENDS, Explanation, Problem

_NUMBER_LIKE = re.compile(r"[0-9][\w.]*|\.[0-9][\w.]*")
_QUOTED = re.compile(r"'([^'\n]*)'")
_STRANGE = re.compile(r"[^\w\s!-~]+")
_LOOKALIKES: Mapping[str, str] = MappingProxyType(
    {
        "−": "-",
        "–": "-",
        "×": "*",
        "·": "*",
        "÷": "/",
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
        "→": "->",
        "“": '"',
        "”": '"',
        "‘": '"',
        "’": '"',
        "…": "...",
    }
)


def _number(problem: Problem) -> Explanation | None:
    found = problem.found
    match = _NUMBER_LIKE.match(problem.source.text, found.start)
    if match is None or found.kind not in ("", "DOT", "POSITION") or (found.kind == "DOT" and problem.touches(".")):
        return None
    if found.kind == "DOT" and problem.previous.kind in OPERAND_ENDS:
        return None
    span = problem.place(*match.span())
    text = match.group()
    if text.startswith("."):
        advice = errors.replace(span, "0" + text, f"write `0{text}`")
    elif re.fullmatch(r"[0-9_]+\.", text):
        advice = errors.replace(span, text + "0", f"write `{text}0`")
    elif re.match(r"[0-9.]+[A-Za-z]", text):
        advice = Help(
            f"numbers have no suffix; a product is `{re.sub(r'(?<=[0-9.])(?=[A-Za-z_])', ' * ', text, count=1)}`"
        )
    else:
        advice = Help("numbers look like `3`, `0x1f`, `1_000`, `2.5`, `1e-3`, `2.0j`")
    diagnostic = errors.error("E0111", f"`{text[:40]}` is not a number", span, help=(advice,))
    return Explanation(diagnostic, ("NUMBER",), span.end)


def _trailing_point(problem: Problem) -> Explanation | None:
    """`1.` without digits behind the point."""
    if problem.previous.kind != "DOT" or len(problem.before) < 2 or problem.before[-2].kind != "NUMBER":
        return None
    number = problem.before[-2]
    span = problem.place(number.start, problem.previous.end)
    advice = errors.replace(span, number.text + ".0", f"write `{number.text}.0`")
    message = "a number needs digits on both sides of its decimal point"
    return problem.explain("E0111", message, advice, at=span)


def _quotes(problem: Problem) -> Explanation | None:
    found, text = problem.found, problem.source.text
    if found.kind == "STRING" and problem.touches('""'):
        return Explanation(_triple(problem, problem.place(problem.previous.start, found.end)))
    if found.kind != "" or found.text not in "'\"":
        return None
    match = _QUOTED.match(text, found.start)
    if match:
        span = problem.place(*match.span())
        quoted = '"' + match.group(1).replace('"', '\\"') + '"'
        advice = errors.replace(span, quoted, f"use double quotes: `{quoted}`")
        diagnostic = errors.error("E0109", "string literals use double quotes", span, help=(advice,))
        return Explanation(diagnostic, ("STRING",), span.end)
    line_end = text.find("\n", found.start)
    span = problem.place(found.start, len(text) if line_end < 0 else line_end)
    if problem.touches('""'):
        return Explanation(_triple(problem, span), (), span.end)
    diagnostic = errors.error("E0109", "unterminated string literal", span, "starts here")
    return Explanation(diagnostic, ("STRING",), span.end)


def _begins_line(problem: Problem, at: int) -> bool:
    text = problem.source.text
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _triple(problem: Problem, span: Span) -> Diagnostic:
    advice = Help("string literals cannot span lines; use `\\n`")
    quoted = re.compile(r'"""(.*?)"""').match(problem.source.text, span.start)
    if quoted is not None and _begins_line(problem, span.start):
        comment = f"# {quoted[1].strip()}"
        advice = errors.replace(
            span, comment, f"a description is a comment: `{comment}`, or `#{comment}` above the `def`"
        )
    return errors.error("E0109", "triple quotes are not supported", span, help=(advice,))


def _character(problem: Problem) -> Explanation | None:
    found = problem.found
    if found.kind != "":
        return None
    if found.text == ";" and problem.bracket in ("{", "[", "("):
        return problem.replaced(
            "E0108", "`;` is not used in this language", ",", "parts are separated by commas", ("COMMA",)
        )
    if found.text == ";":
        diagnostic = errors.error(
            "E0108", "`;` is not used in this language", problem.span, help=(_line_break(problem),)
        )
        return Explanation(diagnostic, () if _ends_line(problem, found.end) else None)
    if found.text == "$":
        advice = Help("a function is applied with parentheses: `f(g(x))`, or `x |> g |> f`")
        return problem.explain("E0108", "unexpected character `$`", advice)
    if found.text in _LOOKALIKES:
        ours = _LOOKALIKES[found.text]
        return problem.replaced("E0108", f"unexpected character `{found.text}`", ours, f"write `{ours}`")
    if found.text == ".":
        return problem.explain("E0108", "unexpected `..`", Help("write `range(a, b)`"))
    if found.text == "\\":
        if (written := foreign.spaced_parameters(problem)) is not None:
            return written
        if not _ends_line(problem, found.end):
            advice = Help("`linalg.solve(a, b)` solves `a @ x == b`; division is `/`, the quotient of integers `//`")
            return problem.explain("E0108", "unexpected character `\\`", advice)
        advice = Help("lines continue automatically inside brackets")
        return problem.explain("E0108", "line continuation with `\\` is not supported", advice)
    match = _STRANGE.match(problem.source.text, found.start)
    end = match.end() if match else found.end
    shown = found.text if found.text.isprintable() else f"U+{ord(found.text):04X}"
    span = problem.place(found.start, end)
    diagnostic = errors.error("E0108", f"unexpected character `{shown}`", span)
    skip = not found.text.isprintable() or _ends_line(problem, end)
    return Explanation(diagnostic, () if skip else None, end)


def _line_break(problem: Problem) -> Help:
    """Puts what follows a semicolon on a line of its own, below the statement in front of it."""
    source, start, end = problem.span
    if _ends_line(problem, end):
        return errors.replace(problem.span, "", "a line break ends a statement: remove the `;`")
    line = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    blank = len(source.text[end:]) - len(source.text[end:].lstrip(" "))
    indent = line[: len(line) - len(line.lstrip(" "))]
    return Help("a line break ends a statement", (Edit(Span(source, start, end + blank), "\n" + indent),))


def _ends_line(problem: Problem, at: int) -> bool:
    """Return whether nothing but a comment follows on the line."""
    end = problem.source.text.find("\n", at)
    rest = problem.source.text[at : end if end >= 0 else None].strip()
    return not rest or rest.startswith("#")


RULES: tuple[Callable[[Problem], Explanation | None], ...] = (_number, _trailing_point, _quotes, _character)
