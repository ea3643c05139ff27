"""Helps that write what the parser stopped at anew, as it is written here. The texts are made by `foreign_blocks`."""

from __future__ import annotations

import re

from dsl.diagnostics.diagnostic import Help
from dsl.diagnostics.source import Span
from dsl.syntax import errors, foreign_blocks
from dsl.syntax.parse_failure import Problem, Seen

_VALUE_BEGINS = frozenset(["EQ", "ARROW", "THEN", "ELSE", "DO", "INDENT", "NEWLINE", "COMMA"])


def conditional(problem: Problem) -> Help | None:
    """A conditional with its condition in front."""
    start = _value_start(problem)
    end = foreign_blocks.end_of_value(problem.source.text, start)
    written = foreign_blocks.conditional(problem.source.text[start:end])
    place = problem.place(start, end)
    return None if written is None else errors.replace(place, written, f"the condition comes first: `{written}`")


def question(problem: Problem) -> Help | None:
    """`c ? a : b`."""
    start = _value_start(problem)
    end = foreign_blocks.end_of_value(problem.source.text, start)
    condition, _, values = problem.source.text[start:end].partition("?")
    chosen, colon, other = values.partition(":")
    written = f"if {condition.strip()} then {chosen.strip()} else {other.strip()}"
    return errors.replace(problem.place(start, end), written, f"write `{written}`") if colon and other.strip() else None


def _value_start(problem: Problem) -> int:
    """Where the value before the token begins."""
    depth, start = 0, problem.found.start
    for seen in reversed(problem.before):
        depth += (seen.kind in ("RPAR", "RSQB", "RBRACE")) - (seen.kind in ("LPAR", "LSQB", "LBRACE"))
        if depth < 0 or (depth == 0 and seen.kind in _VALUE_BEGINS):
            break
        start = seen.start
    return start


def comprehension(problem: Problem) -> Help | None:
    """A comprehension that gives what its filter leaves out a value of zero."""
    text, found = problem.source.text, problem.found
    if problem.opener is None:
        return None
    item, *source = foreign_blocks.split_outside(text[problem.opener + 1 : found.start], "for")
    condition = text[found.end : foreign_blocks.end_of_value(text, found.end)].strip()
    if text[: problem.opener].endswith("len("):
        counted = f"sum([{condition} for {' for '.join(source)}])"
        return Help(f"the number of elements would depend on the data: count those that fit, `{counted}`")
    written = f"[if {condition} then {item} else 0.0 for {' for '.join(source)}]"
    return Help(f"the number of elements would depend on the data: give each a value, as in `{written}`, or `compress`")


def generator(problem: Problem) -> Help | None:
    """A comprehension in the parentheses of a call."""
    text, opener = problem.source.text, problem.opener
    if opener is None:
        return None
    end, depth = opener + 1, 1
    while end < len(text) and depth and text[end] != "\n":
        depth += (text[end] in "([{") - (text[end] in ")]}")
        end += 1
    item, *loops = foreign_blocks.split_outside(text[opener + 1 : end - 1], "for")
    written = f"[{item} for {', '.join(loops)}]"
    return None if depth else errors.replace(problem.place(opener + 1, end - 1), written, f"write `{written}`")


def line_as_tuple(problem: Problem) -> Help | None:
    """The values of a line, separated by commas, as one tuple."""
    text, start = problem.source.text, _value_start(problem)
    line = text[start:].partition("\n")[0].partition("#")[0].rstrip()
    if line.endswith(",") or len(line) > 80:
        return None
    place = problem.place(start, start + len(line))
    return errors.replace(place, f"({line})", f"tuples need parentheses: `({line})`")


def loop(problem: Problem, span: Span) -> Help | None:
    """A loop of statements as an expression that carries what its body assigns."""
    found = foreign_blocks.loop(problem.source.text, span.start)
    if found is None:
        return None
    more = f"write{found.shown}" if "\n" in found.shown else f"write `{found.shown}`"
    return errors.replace(problem.place(found.start, found.end), found.text, more)


def choice(problem: Problem) -> Help | None:
    """An `if` at the start of a line, whose branches assign to one name."""
    word = problem.first_of_line
    found = foreign_blocks.assigned_if(problem.source.text, word.start) if word.kind == "IF" else None
    if found is None:
        return None
    place = problem.place(found.start, found.end)
    return errors.replace(place, found.text, f"a name is bound to what is chosen: `{found.shown}`")


def without_else(problem: Problem, word: Seen) -> Help | None:
    """An `if` without `else`: what is below it as its other branch, or what it assigns as a choice."""
    text = problem.source.text
    for find, more in (
        (foreign_blocks.early_return, "what is below is the other branch:{}"),
        (foreign_blocks.performed_if, "there is an `else` to each `if`: `{}`"),
        (foreign_blocks.assigned_if, "a name is bound to what is chosen: `{}`"),
    ):
        found = find(text, word.start)
        if found is not None:
            return errors.replace(problem.place(found.start, found.end), found.text, more.format(found.shown))
    return None


def loop_as_call(problem: Problem, word: Seen) -> Help | None:
    """`scan(f, start, xs)`, and behind the name of a package, as an expression."""
    text = problem.source.text
    if text[word.end : word.end + 1] != "(":
        return None
    arguments, end = foreign_blocks.call_arguments(text, word.end)
    written = foreign_blocks.loop_call(word.text, arguments)
    package = re.search(r"(?:\w+\.)*\Z", text[: word.start])
    start = word.start if package is None else package.start()
    return None if written is None else errors.replace(problem.place(start, end + 1), written, f"write `{written}`")


def carry(problem: Problem) -> Help:
    """Rewrite a loop carry in parentheses as a pattern and its values."""
    opener = problem.before[-2].start
    parts, end = foreign_blocks.call_arguments(problem.source.text, opener)
    pairs = [part.partition("=") for part in parts]
    names, values = [name.strip() for name, _, _ in pairs], [value.strip() for _, _, value in pairs]
    written = f"{names[0]} = {values[0]}" if len(names) == 1 else f"({', '.join(names)}) = ({', '.join(values)})"
    advice = f"write `{problem.before[-3].text} {written} for …`"
    return errors.replace(problem.place(opener, end + 1), written, advice)


def carries(problem: Problem) -> tuple[Help, ...]:
    """Several names that a loop carries, and their values, as tuples."""
    text, start = problem.source.text, problem.previous.start
    found = re.compile(r"(\w+(?: *, *\w+)+) *= *([^\n]+?)(?= +(?:for|while) )").match(text, start)
    if found is None:
        return ()
    values = found[2] if found[2].startswith("(") else f"({found[2]})"
    written = f"({found[1]}) = {values}"
    return (errors.replace(problem.place(*found.span()), written, f"write `{problem.before[-2].text} {written} …`"),)


def format_string(problem: Problem) -> Help | None:
    """An f-string as a format and its values."""
    before = [seen.text for seen in problem.before[-3:-1]]
    if problem.previous.text == "f" and "ASSERT" in problem.since("NEWLINE", "INDENT") and "{" in problem.found.text:
        return _message(problem, problem.found, problem.previous.start, problem.found.end)
    if problem.previous.text != "f" or before != ["print", "("]:
        return None
    written = foreign_blocks.format_string(problem.found.text[1:-1])
    place = problem.place(problem.previous.start, problem.found.end)
    return errors.replace(place, written, f"values follow the format: `print({written})`")


def message_of_assert(problem: Problem) -> Help | None:
    """The message of an `assert` without the values behind it."""
    if problem.previous.kind != "STRING" or "ASSERT" not in problem.since("NEWLINE", "INDENT"):
        return None
    end = problem.source.text.find("\n", problem.found.end)
    return _message(problem, problem.previous, problem.previous.start, end)


def _message(problem: Problem, message: Seen, start: int, end: int) -> Help:
    plain = re.sub(r"[ :=]*[{][^{}]*[}] *", " ", message.text).replace(' "', '"')
    return errors.replace(problem.place(start, end), plain, f"the message of an `assert` has no values: `{plain}`")


def local_function(problem: Problem) -> Help | None:
    """A `def` in a block, as a lambda with a name."""
    found = foreign_blocks.local_function(problem.source.text, problem.found.start)
    if found is None:
        return None
    place = problem.place(found.start, found.end)
    return errors.replace(place, found.text, f"a local function is a value: `{found.shown} …`")
