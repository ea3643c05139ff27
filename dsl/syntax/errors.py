"""The words of syntax errors: one function per mistake that the tree shows.

Mistakes at which the parser itself stops are explained in `explanations`, by example. Nothing here decides
whether something is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast

PYTHON_CONSTANTS = ("True", "False", "None")
_NO_STATEMENT = ("return", "pass", "break", "continue", "yield", "del", "raise", "global", "nonlocal")


def error(
    code: str,
    message: str,
    span: Span,
    label: str = "",
    *,
    secondary: Sequence[Label] = (),
    notes: Sequence[str] = (),
    help: Sequence[Help] = (),
) -> Diagnostic:
    """A diagnostic with one primary place."""
    return Diagnostic(code, message, Label(span, label), tuple(secondary), tuple(notes), tuple(help))


def replace(span: Span, text: str, advice: str) -> Help:
    """Advice that one replacement carries out."""
    return Help(advice, (Edit(span, text),))


# ---------------------------------------------------------------- literals


def number_too_large(span: Span, why: str) -> Diagnostic:
    return error("E0111", "this number is too large to be read", span, why)


def unknown_escape(span: Span, escape: str) -> Diagnostic:
    return error(
        "E0109",
        f"`\\{escape}` is no escape",
        span,
        notes=("the escapes are \\n \\t \\r \\0 \\\\ \\\" \\' \\xHH \\uHHHH",),
        help=(replace(span, "\\\\" + escape, "write the backslash itself as `\\\\`"),),
    )


def surrogate_in_text(span: Span) -> Diagnostic:
    return error("E0109", "this text is not valid Unicode", span, "it holds half of a surrogate pair")


def python_word(span: Span, word: str, ours: str) -> Diagnostic:
    return error("E0116", f"`{word}` is written `{ours}`", span, help=(replace(span, ours, f"write `{ours}`"),))


def none_outside_index(span: Span) -> Diagnostic:
    return error(
        "E0116",
        "`None` stands for a new axis and only inside an index",
        span,
        help=(replace(span, "none", "the constant is written `none`"),),
    )


# ---------------------------------------------------------------- operators


def mixed_chain(span: Span, signs: Sequence[str]) -> Diagnostic:
    return error(
        "E0112",
        f"the comparisons {' '.join(f'`{sign}`' for sign in signs)} do not go in one direction",
        span,
        "this one turns round",
        notes=("`a < b <= c` and `a > b >= c` are chains; `==` may stand in either; `!=` in none",),
        help=(Help("join two comparisons with `and` (arrays: with `&`, each in parentheses)"),),
    )


def not_as_operand(span: Span, sign: str) -> Diagnostic:
    return error(
        "E0127",
        f"`not` binds less tightly than `{sign}`",
        span,
        help=(Help(f"put what stands right of `{sign}` in parentheses: `{sign} (not …)`"),),
    )


# ---------------------------------------------------------------- blocks and statements


def python_statement_word(value: ast.Expr) -> str | None:
    """The word of a Python statement that was read as a name or as a call: `pass`, `return (x)`."""
    name = value.function if isinstance(value, ast.Call) else value
    if isinstance(name, ast.Name) and name.name in _NO_STATEMENT:
        return name.name
    return None


def python_statement(span: Span, word: str) -> Diagnostic:
    word_span = Span(span.source, span.start, span.start + len(word))
    advice = {
        "return": "the value of a block is its last line: leave `return` out",
        "pass": "a body that does nothing is `()`",
        "break": "a loop that stops early is `iterate x = … while condition limit k do …`",
        "continue": "choose the next value of the carry with `if … then … else …`",
        "del": "values are never deleted; shadow the name with another `let` if you like",
        "raise": 'a run-time check is `assert condition, "message"`',
    }.get(word, "a block is `let`s and a final expression")
    edits: tuple[Edit, ...] = ()
    if word == "return":
        edits = (Edit(Span(span.source, span.start, _after_blank(word_span)), ""),)
    return error("E0114", f"there is no `{word}`", word_span, help=(Help(advice, edits),))


def _after_blank(span: Span) -> int:
    text, end = span.source.text, span.end
    while end < len(text) and text[end] == " ":
        end += 1
    return end


def dropped_value(value: ast.Expr) -> Diagnostic:
    return error(
        "E0110",
        "this value is computed and dropped",
        value.span,
        "a statement is a `let`, an `assert`, a cell write, or a call that performs an effect",
        help=(
            Help("name it with `let` to use it below"),
            Help("if it belongs to the line above, wrap the whole in parentheses"),
        ),
    )


def block_without_value(last: ast.Statement) -> Diagnostic:
    place = Span(last.span.source, last.span.start, last.span.end)
    kind = {ast.Let: "`let`", ast.Assert: "`assert`", ast.CellWrite: "a cell write"}.get(type(last), "this")
    help = [Help("the last line of a block is an expression, its value")]
    if isinstance(last, ast.Let) and isinstance(last.pattern, ast.NamePattern):
        help.append(Help(f"add a line `{last.pattern.name}` if that is the value"))
    elif not isinstance(last, ast.Let):
        help.append(Help("add a line `()` if there is nothing to return"))
    return error("E0106", f"this block ends with {kind} and has no value", place, help=help)


# ---------------------------------------------------------------- declarations and patterns


def second_star(span: Span, first: Span) -> Diagnostic:
    return error(
        "E0113",
        "only one lone `*` may stand among the parameters",
        span,
        secondary=(Label(first, "keyword-only parameters begin here already"),),
        help=(Help("leave this one out"),),
    )


def star_at_end(span: Span) -> Diagnostic:
    return error(
        "E0113",
        "no parameter follows this `*`",
        span,
        "the parameters after it are keyword-only",
        help=(Help("leave it out, or put it before the parameters that are given by keyword"),),
    )


def positional_behind_named(span: Span, named: Span) -> Diagnostic:
    return error(
        "E0130",
        "an argument without a name stands behind a named one",
        span,
        secondary=(Label(named, "named arguments begin here"),),
        help=(Help("put it before the named ones, or name it too"),),
    )


def default_before(span: Span, earlier: Span) -> Diagnostic:
    return error(
        "E0130",
        "a parameter without a default stands behind one with a default",
        span,
        secondary=(Label(earlier, "this one may be left out"),),
        help=(Help("put it before those with defaults, or behind a lone `*` to make it keyword-only"),),
    )


def handler_state_last(span: Span) -> Diagnostic:
    return error("E0128", "the state of a handler is written once, behind its clauses", span)


def pattern_of_one(span: Span, inner: Span) -> Diagnostic:
    return error(
        "E0128",
        "a pattern stands in parentheses only as a tuple",
        span,
        help=(
            replace(span, inner.text, f"to bind the value itself, write `{inner.text}`"),
            replace(span, f"({inner.text},)", f"to take a 1-tuple apart, write `({inner.text},)`"),
        ),
    )


def sign_in_pattern(span: Span) -> Diagnostic:
    return error("E0128", "a number in a pattern may have the sign `-` or `+` alone", span)


# ---------------------------------------------------------------- whole texts


def nested_too_deeply(span: Span, limit: int, what: str) -> Diagnostic:
    return error(
        "E0119",
        f"this is nested too deeply: more than {limit} {what}",
        span,
        help=(Help("name parts of it with `let`"),),
    )


def indented_declaration(span: Span) -> Diagnostic:
    return error("E0104", "declarations begin in column 0", span, "this line is indented")


def line_too_long(span: Span, limit: int) -> Diagnostic:
    return error("E0119", f"this line has more than {limit} characters", span)


def tabs(spans: Sequence[Span]) -> Diagnostic:
    more = f" (and {len(spans) - 1} more)" if len(spans) > 1 else ""
    edits = tuple(Edit(span, " " * 4) for span in spans[:1000])
    return error(
        "E0107",
        f"a tab{more}; layout is by spaces alone",
        spans[0],
        help=(Help("write spaces instead, four for each level", edits),),
    )
