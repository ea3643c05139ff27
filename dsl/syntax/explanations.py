"""Explanations of syntax errors. The most specific that applies is used.

First come characters and layout, then the habits of other languages (`foreign`), then mistakes of the
language itself, and last what was expected and what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from dsl.diagnostics.diagnostic import Edit, Help, Label
from dsl.syntax import characters, errors, foreign, foreign_rewrites, foreign_statements
from dsl.syntax.foreign_words import ENDS, RESERVED
from dsl.syntax.parse_failure import DECLARES, LAYOUT, OPERAND_ENDS, Explanation, Problem

_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "COMMA": ",",
        "COLON": ":",
        "DOT": ".",
        "EQ": "=",
        "ARROW": "->",
        "LPAR": "(",
        "RPAR": ")",
        "LSQB": "[",
        "RSQB": "]",
        "LBRACE": "{",
        "RBRACE": "}",
        "BAR": "|",
        "STAR": "*",
        "BANG": "!",
        "QUESTION": "?",
        "PIPE": "|>",
        "ELLIPSIS": "...",
    }
)
_PAIRS: Mapping[str, str] = MappingProxyType({"(": ")", "[": "]", "{": "}"})
_CLOSERS = ("RPAR", "RSQB", "RBRACE")
_STARTS_EXPRESSION = OPERAND_ENDS - {"RPAR", "RSQB", "RBRACE", "POSITION"} | {
    *("LPAR", "LSQB", "LBRACE", "PREFIX", "NOT"),
    *("FN", "IF", "MATCH", "FOLD", "SCAN", "ITERATE", "WITH"),
}
_AFTER_OPERAND = frozenset(["OP", "IN", "NOT", "PIPE", "DOT", "LPAR", "LSQB", "QUESTION", "CELL_OP", "ASSIGN_OP"])
_WRITES = frozenset(["EQ", "CELL_OP", "ASSIGN_OP"])
_SELDOM = frozenset(["ERROR", "WHERE", "LIMIT", "REVERSE", "UNROLL", "ELLIPSIS", "STAR", "LET", "ASSERT"])
_KEYWORD = re.compile(
    r"def|static|type|enum|effect|import|from|as|let|fn|if|then|else|match|with|do|fold|scan|iterate|while|for|in"
    r"|assert|and|or|not|true|false|none"
)
_OPENERS: Mapping[str, str] = MappingProxyType({"THEN": "then", "DO": "do", "WITH": "with", "EQ": "="})
_BRACKETS = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"|#[^\n]*|\n(?=\w)|[()\[\]{}]')


def explain(problem: Problem) -> Explanation:
    """The best explanation of why the parser stopped."""
    for rule in (*_FIRST, *foreign.RULES, *_THEN):
        explanation = rule(problem)
        if explanation is not None:
            return explanation
    return _general(problem)


# ---------------------------------------------------------------- layout and brackets


def _top_level(problem: Problem) -> Explanation | None:
    """A line in column 0 that is not a declaration."""
    found = problem.found
    after = found.kind in ("NEWLINE", "BAD_INDENT") and problem.expected == {"$END"}
    if not after and problem.before:
        return None
    text = problem.source.text
    start = found.end if after else found.start
    line_end = text.find("\n", start)
    line = text[start : len(text) if line_end < 0 else line_end]
    span = problem.place(start, start + len(line.rstrip()))
    if found.kind == "BAD_INDENT":
        return None
    word = re.match(r"\w*", line)
    name = word.group() if word else ""
    if line.startswith("@"):
        advice = foreign_statements.decorator(problem, start)
        return problem.explain("E0122", "decorators are not supported", *([advice] if advice else []), at=span)
    if line[:1] in (")", "]", "}"):
        return problem.explain("E0103", f"unmatched `{line[0]}`", at=problem.place(start, start + 1))
    if name not in ("", "fn") and name in RESERVED:
        advice = foreign_statements.declared_at_top(problem, name, start)
        message = f"`{name}` is not allowed at top level"
        code = "E0122" if name in ("if", "with", "print", "assert", "fn") else "E0114"
        return problem.explain(code, message, advice, at=problem.place(start, start + len(name)))
    advice = Help("declarations start with `def let type enum effect import from`")
    if line.strip() == "end":
        advice = errors.replace(span, "", ENDS)
    if re.match(r"\w+[ ]*(:[^=]+)?=(?!=)", line):
        advice = errors.replace(problem.place(start, start), "let ", "a constant is declared with `let`")
    message = "only declarations are allowed at top level"
    if not name and not line[:1].isascii():
        message = "expected a declaration"
    return problem.explain("E0122", message, advice, at=span)


def _dedented(problem: Problem) -> Explanation | None:
    """A line to the left of the block that it belongs to, inside a bracket that is closed further down."""
    if problem.opener is None or not problem.begins_line() or problem.previous.kind not in OPERAND_ENDS:
        return None
    opened = any(seen.kind == "INDENT" and seen.start > problem.opener for seen in problem.before)
    if not opened or problem.found.kind in (*_CLOSERS, "COMMA") or not _is_closed(problem.source.text, problem.opener):
        return None
    advice = Help("the lines of a block inside a bracket start in one column, deeper than the line of the bracket")
    label = problem.opener_label()
    return Explanation(errors.error("E0104", "unexpected indentation", problem.span, secondary=label, help=(advice,)))


def _is_closed(text: str, opener: int) -> bool:
    """Return whether a bracket has its partner before the next declaration."""
    depth = 0
    for match in _BRACKETS.finditer(text, opener):
        if match.group() == "\n":
            return False
        depth += (match.group() in _PAIRS) - (match.group() in _PAIRS.values())
        if depth == 0:
            return True
    return False


def _unclosed(problem: Problem) -> Explanation | None:
    """The end, or what must be the next statement, inside an open bracket."""
    found = problem.found
    if problem.opener is None or found.kind in (*_CLOSERS, ""):
        return None
    starts = found.kind in ("LET", "ASSERT", *DECLARES) and problem.begins_line()
    if found.kind != "$END" and not starts and not _outdented(problem):
        return None
    opener = problem.place(problem.opener, problem.opener + 1)
    label = () if found.kind == "$END" else (Label(problem.span, "this line is inside the bracket"),)
    advice = (Help("compute the value in a `def`, and call it here; only a comprehension begins with `let`"),)
    inside = found.kind == "LET" and not _outdented(problem)
    message = f"`{problem.bracket}` is never closed"
    diagnostic = errors.error("E0102", message, opener, secondary=label, help=advice if inside else ())
    return Explanation(diagnostic)


def _outdented(problem: Problem) -> bool:
    """Return whether the token begins a line that is not deeper than the one of the open bracket."""
    if problem.opener is None or not problem.begins_line() or problem.previous.kind not in OPERAND_ENDS:
        return False
    text = problem.source.text
    here = problem.found.start - (text.rfind("\n", 0, problem.found.start) + 1)
    line = text[text.rfind("\n", 0, problem.opener) + 1 :]
    return here <= len(line) - len(line.lstrip(" "))


def _closer(problem: Problem) -> Explanation | None:
    found = problem.found
    if found.kind not in _CLOSERS:
        return None
    closes = _PAIRS.get(problem.bracket)
    if problem.previous.end == problem.opener or closes == found.text:
        return None
    if problem.opener is None and not _was_closed(problem):
        return problem.replaced(
            "E0103",
            f"unmatched `{found.text}`",
            "",
            "remove it, or open the bracket that it closes",
            instead=() if problem.previous.kind in OPERAND_ENDS else None,
        )
    if problem.opener is None:
        return None
    opener = problem.place(problem.opener, problem.opener + 1)
    message = f"mismatched brackets: `{problem.bracket}` is closed by `{found.text}`"
    advice = errors.replace(problem.span, closes or "", f"write `{closes}`")
    label = Label(opener, "opened here")
    return Explanation(errors.error("E0103", message, problem.span, secondary=(label,), help=(advice,)))


def _was_closed(problem: Problem) -> bool:
    """Return whether the layout took this bracket as the partner of an opener, although the parser cannot."""
    depth = 0
    for seen in problem.before:
        depth += (seen.kind in ("LPAR", "LSQB", "LBRACE")) - (seen.kind in ("RPAR", "RSQB", "RBRACE"))
    return depth > 0


def _body(problem: Problem) -> Explanation | None:
    """A line that ends where a body should begin."""
    if problem.found.kind not in LAYOUT or "INDENT" not in problem.expected:
        return None
    opener = problem.previous.text
    advice = Help(f"indent the lines below `{opener}` deeper than its own line")
    if opener == "with":
        advice = Help("write each `match` arm on a line of its own, indented")
    return problem.explain("E0105", f"missing body after `{opener}`", advice, at=problem.behind)


def _inline_arms(problem: Problem) -> Explanation | None:
    if problem.expected != {"INDENT"}:
        return None
    advice = Help("put each arm on a line of its own, indented")
    return problem.explain("E0105", "`match` arms must begin on a new line", advice)


def _without_else(problem: Problem) -> Explanation | None:
    if "ELSE" not in problem.expected or problem.found.kind not in {*LAYOUT, *_CLOSERS, "COMMA"}:
        return None
    opened = 0
    for seen in reversed(problem.before):
        opened += (seen.kind == "IF") - (seen.kind == "ELSE")
        if opened > 0:
            advice = foreign_rewrites.without_else(problem, seen) or Help(
                "an `if` is a value: write `else` and the value of the other case, or `()` if there is none"
            )
            return problem.explain("E0126", "this `if` has no `else`", advice, at=problem.place(seen.start, seen.end))
    return None


def _without_opener(problem: Problem) -> Explanation | None:
    """A line without the word at its end that opens the block below it."""
    if problem.found.kind != "BAD_INDENT" or problem.previous.kind == "EQ":
        return None
    for kind, text in _OPENERS.items():
        if kind not in problem.expected or (kind == "EQ" and "EQ" in problem.since("LET", *DECLARES)):
            continue
        advice = Help(f"end the line with `{text}`", (Edit(problem.behind, f" {text}"),))
        message = f"expected `{text}`, found the end of the line"
        diagnostic = errors.error("E0101", message, problem.behind, help=(advice,))
        return Explanation(diagnostic, (kind,), problem.previous.end)
    return None


def _indentation(problem: Problem) -> Explanation | None:
    if problem.found.kind != "BAD_INDENT":
        return None
    text, at = problem.source.text, problem.found.end
    span = problem.place(at, at + 1)
    if text[at : at + 1] in ("+", "-", "~"):
        advice = Help("to continue an expression, put it in parentheses")
        message = f"a line that starts with `{text[at]}` does not continue the line above"
        return problem.explain("E0104", message, advice, at=span)
    if problem.previous.kind == "OP":
        return _dangling(problem)
    if problem.previous.kind == "EQ":
        advice = Help("write it on this line, or open a bracket here: lines continue inside brackets")
        return problem.explain("E0101", "missing value after `=`", advice, at=problem.behind)
    advice = Help("all lines of a block start in the same column; lines continue inside brackets")
    return problem.explain("E0104", "unexpected indentation", advice, at=span)


def _dangling(problem: Problem) -> Explanation | None:
    """An operator at the end of a line."""
    if problem.found.kind not in LAYOUT or problem.previous.kind not in ("OP", "IN", "PREFIX", "PIPE", "NOT"):
        return None
    sign = problem.previous
    advice = Help("lines continue inside brackets: put the expression in parentheses")
    if sign.text not in ("+", "-", "~"):
        advice = Help(f"put the expression in parentheses, or start the next line with `{sign.text}`")
    place = problem.place(sign.start, sign.end)
    return problem.explain("E0101", f"missing right operand of `{sign.text}`", advice, at=place)


# ---------------------------------------------------------------- keywords


def _declaration(problem: Problem) -> Explanation | None:
    found = problem.found
    if found.kind not in DECLARES or not problem.begins_statement() or problem.opener is not None:
        return None
    advice = Help("move it to column 0")
    if found.kind in ("DEF", "STATIC"):
        advice = Help("a local function is `let f = fn (x) -> …`; otherwise move it to column 0")
        advice = foreign_rewrites.local_function(problem) or advice
    return problem.explain("E0121", f"`{found.text}` is only allowed at top level", advice)


def _keyword_as_name(problem: Problem) -> Explanation | None:
    found = problem.found
    if "NAME" not in problem.expected or not _KEYWORD.fullmatch(found.text):
        return None
    if "NUMBER" in problem.expected and found.kind not in DECLARES | {"AS"}:
        return None
    advice = Help(f"choose another name, such as `{found.text}_`")
    if problem.previous.kind == "DOT" and found.text in ("scan", "fold", "iterate"):
        loop = Help("a loop is an expression: `scan s = start for x in xs do (s, out)`")
        advice = foreign_rewrites.loop_as_call(problem, found) or loop
    return problem.explain("E0124", f"`{found.text}` is a keyword", advice, instead=("NAME",))


def _comma(problem: Problem) -> Explanation | None:
    """`a, b` where a value ends: Python's tuple without parentheses, or conditions in a list."""
    if problem.found.kind != "COMMA":
        return None
    if problem.before[0].kind in ("DEF", "STATIC") and "WHERE" in problem.expected and "WHERE" in problem.since("EQ"):
        return problem.replaced("E0101", "conditions are joined by `and`", " and", "write `and`", instead=("OP",))
    if not problem.expected <= LAYOUT | _WRITES:
        return None
    if "HANDLER" in problem.since("DO"):
        advice = Help("put the `,` at the start of the next line: at the end of a line it belongs to the clause")
        return problem.explain("E0101", "expected the end of the line, found `,`", advice)
    written = foreign_rewrites.message_of_assert(problem) or foreign_rewrites.line_as_tuple(problem)
    advice = written or Help("tuples need parentheses: `(a, b)`")
    return problem.explain("E0101", "expected the end of the line, found `,`", advice, at=problem.span)


# ---------------------------------------------------------------- in general


def _general(problem: Problem) -> Explanation:
    found = problem.found
    wanted = _wanted(problem)
    what = f"expected {wanted}, found {_found(problem)}" if wanted else f"unexpected {_found(problem)}"
    span = problem.behind if found.kind in LAYOUT else problem.span
    return Explanation(errors.error("E0101", what, span, secondary=problem.opener_label()))


def _found(problem: Problem) -> str:
    found = problem.found
    if found.kind == "$END":
        return "the end of the file"
    if found.kind in LAYOUT:
        return "the end of the line"
    if _KEYWORD.fullmatch(found.text):
        return f"the keyword `{found.text}`"
    return f"`{found.text[:40]}`"


def _wanted(problem: Problem) -> str:
    expected = problem.expected - {"ERROR"}
    words: list[str] = []
    if expected >= {"NAME", "NUMBER", "LPAR"}:
        words.append("an expression")
        expected -= _STARTS_EXPRESSION | _SELDOM | {"QUESTION"} | ({"INDENT"} if "RSQB" in expected else set())
    elif expected >= {"OP", "DOT"}:
        expected -= _AFTER_OPERAND
        if not expected - _SELDOM - LAYOUT:
            words.append("an operator")
        expected -= _SELDOM
    if expected & LAYOUT:
        expected -= _WRITES
        words.append("an indented block" if "INDENT" in expected else "the end of the line")
    words.extend(_spelled(kind) for kind in sorted(expected - LAYOUT))
    if len(words) > 6:
        return ""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1] if words else ""


def _spelled(kind: str) -> str:
    if kind in _SIGNS:
        return f"`{_SIGNS[kind]}`"
    return {"NAME": "a name", "NUMBER": "a number", "STRING": "a string", "POSITION": "a position"}.get(
        kind, f"`{kind.lower()}`"
    )


_BINDS = ("LET", "FOR", "FN", "FOLD", "SCAN", "ITERATE")
_IN_PATTERNS = frozenset(["NAME", "COMMA", "LPAR", "RPAR"])


def _refutable(problem: Problem) -> Explanation | None:
    """A variant or a literal in a pattern that has to match."""
    found, previous, inside = problem.found, problem.previous, problem.since(*_BINDS)
    if not _IN_PATTERNS.issuperset(inside) or len(inside) == len(problem.before):
        return None
    if found.kind == "LPAR" and previous.kind == "NAME":
        function = len(inside) == 1 and problem.before[-2].kind == "LET"
        return Explanation(errors.variant_in_pattern(problem.place(previous.start, found.end), previous.text, function))
    begins = found.kind in ("NUMBER", "STRING", "PREFIX") or found.text in ("-", "+")
    literal = begins and previous.kind in (*_BINDS, "LPAR", "COMMA")
    return Explanation(errors.literal_in_pattern(problem.span)) if literal else None


_FIRST: tuple[Callable[[Problem], Explanation | None], ...] = (
    *characters.RULES,
    _top_level,
    _dedented,
    _unclosed,
    _declaration,
)
_THEN: tuple[Callable[[Problem], Explanation | None], ...] = (
    _refutable,
    _body,
    _closer,
    _inline_arms,
    _without_opener,
    _indentation,
    _without_else,
    _dangling,
    _comma,
    _keyword_as_name,
)
