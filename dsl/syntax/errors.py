"""The words of syntax errors: one function per mistake that the tree shows.

Mistakes at which the parser itself stops are explained in `explanations`, by example. Nothing here decides
whether something is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.foreign_words import ALONE, ENDS, STATEMENTS

PYTHON_CONSTANTS = ("True", "False", "None")


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
    return error("E0111", "number literal is too large", span, why)


def unknown_escape(span: Span, escape: str) -> Diagnostic:
    return error(
        "E0109",
        f"unknown escape sequence `\\{escape}`",
        span,
        notes=("escape sequences are \\n \\t \\r \\0 \\\\ \\\" \\' \\xHH \\uHHHH",),
        help=(replace(span, "\\\\" + escape, "write a literal backslash as `\\\\`"),),
    )


def python_word(span: Span, word: str, ours: str) -> Diagnostic:
    return error("E0116", f"`{word}` is written `{ours}`", span, help=(replace(span, ours, f"write `{ours}`"),))


def none_outside_index(span: Span) -> Diagnostic:
    return error(
        "E0116",
        "`None` is only allowed in an index, for a new axis",
        span,
        help=(replace(span, "none", "the constant is written `none`"),),
    )


# ---------------------------------------------------------------- operators


def mixed_chain(span: Span, signs: Sequence[str]) -> Diagnostic:
    alone = next((sign for sign in signs if sign in ("!=", "in", "not in")), None)
    return error(
        "E0112",
        f"`{alone}` cannot be chained"
        if alone
        else f"comparisons {' '.join(f'`{sign}`' for sign in signs)} change direction",
        span,
        "" if alone else "opposite direction",
        notes=("`a < b <= c` and `a > b >= c` are chains; `==` is allowed in both, `!=` and `in` in neither",),
        help=(Help("join two comparisons with `and` (arrays: with `&`, each in parentheses)"),),
    )


def not_as_operand(span: Span, sign: str) -> Diagnostic:
    return error(
        "E0127",
        f"`not` binds less tightly than `{sign}`",
        span,
        help=(Help(f"put the right operand of `{sign}` in parentheses: `{sign} (not …)`"),),
    )


# ---------------------------------------------------------------- blocks and statements


def python_statement_word(value: ast.Expr) -> str | None:
    """The word of a Python statement that was read as a name: `pass`, `return (x)`, `return -x`."""
    match value:
        case ast.Name(name):
            return name if name in ALONE else None
        case ast.Call(inner) | ast.Index(inner) | ast.Field(inner) | ast.Binary(left=inner) | ast.Pipe(inner):
            return python_statement_word(inner)
        case ast.Compare(operands):
            return python_statement_word(operands[0])
        case _:
            return None


def python_statement(span: Span, word: str) -> Diagnostic:
    word_span = Span(span.source, span.start, span.start + len(word))
    edits: tuple[Edit, ...] = ()
    if word == "return":
        edits = (Edit(Span(span.source, span.start, _after_blank(word_span)), ""),)
    return error("E0114", f"there is no `{word}` statement", word_span, help=(Help(STATEMENTS[word], edits),))


def _after_blank(span: Span) -> int:
    text, end = span.source.text, span.end
    while end < len(text) and text[end] == " ":
        end += 1
    return end


def dropped_value(value: ast.Expr, below: Sequence[ast.Statement]) -> Diagnostic:
    """`below` are the other statements of the block; if these are values too, one tuple of all may be meant."""
    if isinstance(value, ast.Name) and value.name == "end":
        end = _after_blank(value.span)
        edits = (Edit(Span(value.span.source, value.span.start, end), ""),)
        return error("E0110", "a block has no `end`", value.span, help=(Help(ENDS, edits),))
    texts = [value.span.text, *(each.value.span.text for each in below if isinstance(each, ast.ExprStatement))]
    several = f"({', '.join(texts)})" if len(texts) == 1 + len(below) else ""
    shown = 0 < len(several) <= 80 and "\n" not in several
    return error(
        "E0110",
        "this value is not used",
        value.span,
        "a statement is a `let`, an `assert`, a cell write, or a call that performs an effect",
        help=(
            *([Help(f"several values are one tuple: `{several}`")] if shown else []),
            Help("bind it with `let` to use it below"),
            Help("if it continues the line above, put the whole expression in parentheses"),
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
        "duplicate `*` in parameter list",
        span,
        secondary=(Label(first, "keyword-only parameters already begin here"),),
        help=(Help("remove it"),),
    )


def star_at_end(span: Span) -> Diagnostic:
    return error(
        "E0113",
        "no parameter follows this `*`",
        span,
        "parameters after it are keyword-only",
        help=(Help("remove it, or put it before the keyword-only parameters"),),
    )


def positional_behind_named(span: Span, named: Span, first: bool) -> Diagnostic:
    """`first`: it is the first of those behind."""
    cut = Span(span.source, span.start - len(_comma_before(span)), span.end)
    edits = (Edit(Span(named.source, named.start, named.start), f"{span.text}, "), Edit(cut, "")) if first else ()
    return error(
        "E0130",
        "positional argument follows keyword argument",
        span,
        secondary=(Label(named, "keyword arguments begin here"),),
        help=(Help(f"put it before the keyword arguments, `{span.text}, {named.text}`, or name it too", edits),),
    )


def _comma_before(span: Span) -> str:
    text = span.source.text[: span.start]
    return text[text.rindex(",") :]


def default_before(span: Span, earlier: Span) -> Diagnostic:
    return error(
        "E0130",
        "parameter without a default follows parameter with a default",
        span,
        secondary=(Label(earlier, "has a default"),),
        help=(Help("put it before the parameters with defaults, or after a `*` to make it keyword-only"),),
    )


def handler_state_last(span: Span) -> Diagnostic:
    return error("E0128", "handler state or `record` must be declared once, after the clauses", span)


def effect_form(span: Span) -> Diagnostic:
    return error("E0128", f"`{span.text}` is not a form of effects", span, "it should be `named` or `shared`")


def pattern_of_one(span: Span, inner: Span) -> Diagnostic:
    return error(
        "E0128",
        "parentheses in a pattern are only allowed for tuples",
        span,
        help=(
            replace(span, inner.text, f"to bind the value itself, write `{inner.text}`"),
            replace(span, f"({inner.text},)", f"to take a 1-tuple apart, write `({inner.text},)`"),
        ),
    )


_ARMS = Help("take the value apart in the arms of a `match`: `match … with`")


def variant_in_pattern(span: Span, name: str, function: bool) -> Diagnostic:
    """`X(k)` outside of a `match`; behind a `let` it may have been meant as a function."""
    value = (Help(f"a function is a value too: `let {name} = fn … -> …`"),) if function else ()
    advice = (*value, _ARMS) if name[:1].islower() else (_ARMS, *value)
    return error("E0128", "variants are patterns only in the arms of a `match`", span, help=advice)


def literal_in_pattern(span: Span) -> Diagnostic:
    return error("E0128", "literals are patterns only in the arms of a `match`", span, help=(_ARMS,))


def sign_in_pattern(span: Span) -> Diagnostic:
    return error("E0128", "only `-` or `+` may precede a number in a pattern", span)


# ---------------------------------------------------------------- whole texts


def nested_too_deeply(span: Span, limit: int, what: str) -> Diagnostic:
    return error(
        "E0119",
        f"nested too deeply: more than {limit} {what}",
        span,
        help=(Help("bind parts of it with `let`"),),
    )


def indented_declaration(span: Span) -> Diagnostic:
    return error("E0104", "declarations must start in column 0", span, "indented")


def text_too_long(span: Span, limit: int) -> Diagnostic:
    advice = Help("compute what is repeated in a function, or part the text into modules")
    return error("E0119", f"this text has more than {limit} characters", span, help=(advice,))


def line_too_long(span: Span, limit: int) -> Diagnostic:
    return error("E0119", f"this line has more than {limit} characters", span)


def tabs(spans: Sequence[Span]) -> Diagnostic:
    more = f" (and {len(spans) - 1} more)" if len(spans) > 1 else ""
    edits = tuple(Edit(span, " " * 4) for span in spans[:1000])
    return error(
        "E0107",
        f"tab{more} in the source; indentation uses spaces only",
        spans[0],
        help=(Help("replace it by spaces, four per level", edits),),
    )


def reordering(spans: Sequence[Span]) -> Diagnostic:
    """Controls of text direction: an editor does not show them, and shows the text around them in another order."""
    more = f" (and {len(spans) - 1} more)" if len(spans) > 1 else ""
    advice = Help("remove it; in a string, write it as an escape sequence", tuple(Edit(s, "") for s in spans[:1000]))
    message = f"the control character U+{ord(spans[0].text):04X}{more} reorders the displayed text"
    return error("E0108", message, spans[0], help=(advice,))
