"""Loops and comprehensions as other languages write them, where they stop the parser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from dsl.diagnostics.diagnostic import Help
from dsl.syntax import errors, foreign_rewrites
from dsl.syntax.parse_failure import OPERAND_ENDS, Explanation, Problem

LOOPS: Mapping[str, str] = MappingProxyType(
    {
        "FOLD": "fold total = 0.0 for x in xs do total + x",
        "SCAN": "scan s = start for x in xs do (s, out)",
        "ITERATE": "iterate x = start while condition limit n do …",
    }
)
"""The loops that carry something, each with an example."""
_ANNOTATED = re.compile(r"\b(fold|scan|iterate) \((\w+: [^()]*)\)$")

BLOCK_IN_BRACKETS = Help(
    "in a comprehension, `let` begins the line after `[`; the value and `for` are on the lines after it"
)


def carried(problem: Problem) -> Explanation | None:
    """`scan (s = 0.0) for …`, `fold (s = 0.0, t = 1.0) for …`."""
    kinds = [seen.kind for seen in problem.before[-3:]]
    if problem.found.kind != "EQ" or len(kinds) < 3 or kinds[0] not in LOOPS or kinds[1:] != ["LPAR", "NAME"]:
        return None
    advice = foreign_rewrites.carry(problem)
    return problem.explain("E0101", "what a loop carries is not in parentheses with its value", advice)


def carry_in_parentheses(problem: Problem) -> Explanation | None:
    """`scan (s: f32) = 0.0 for …`."""
    line = problem.source.text.rfind("\n", 0, problem.found.start) + 1
    found = _ANNOTATED.search(problem.source.text, line, problem.found.end)
    if problem.found.kind != "RPAR" or found is None:
        return None
    written = f"{found[1]} {found[2]}"
    advice = errors.replace(problem.place(*found.span()), written, f"write `{written} = …`")
    return problem.explain("E0101", "one name that a loop carries stands without parentheses", advice)


def while_loop(problem: Problem) -> Explanation | None:
    """`let x = while x > tol do …`."""
    if problem.found.kind != "WHILE" or "NUMBER" not in problem.expected or problem.begins_line():
        return None
    return problem.explain("E0101", "a loop names what it carries", Help(f"write `{LOOPS['ITERATE']}`"))


def loop_without_for(problem: Problem) -> Explanation | None:
    """`fold acc = start in xs do …`."""
    if "FOR" not in problem.expected or not {"FOLD", "SCAN"} & {seen.kind for seen in problem.before}:
        return None
    after = problem.since("FOLD", "SCAN")
    if "IN" not in after or "FOR" in after or "DO" in after:
        return None
    word = next(seen for seen in reversed(problem.before) if seen.kind == "IN")
    advice = Help("name the element: `for x in xs`")
    message = "expected `for`, found the keyword `in`"
    return problem.explain("E0101", message, advice, at=problem.place(word.start, word.end))


def block_without_for(problem: Problem) -> Explanation | None:
    """`[let y = g(x)`, a value on the next line, and no `for`."""
    if problem.expected != {"FOR"} or problem.found.kind not in ("RSQB", "COMMA"):
        return None
    advice = Help("a block in brackets is the body of a comprehension: `for x in xs` follows its value")
    message = f"expected `for`, found `{problem.found.text}`"
    return problem.explain("E0101", message, advice)


def let_clause(problem: Problem) -> Explanation | None:
    """`[y for i in range(n), let y = x[i]]`."""
    if problem.found.kind != "LET" or problem.previous.kind != "COMMA" or "FOR" not in problem.since("LSQB"):
        return None
    return problem.explain("E0101", "`let` is not a clause of a comprehension", BLOCK_IN_BRACKETS)


def several_iterables(problem: Problem) -> Explanation | None:
    """`[… for a, b in x, y]`."""
    if problem.found.kind != "RSQB" or problem.expected != {"IN"} or "IN" not in problem.since("FOR"):
        return None
    advice = Help("several arrays are iterated by `zip(x, y)`")
    return problem.explain("E0101", "expected `in`, found `]`", advice)


def several_loops(problem: Problem) -> Explanation | None:
    """`[… for a in x for b in y]`."""
    if problem.found.kind != "FOR" or problem.bracket != "[" or "IN" not in problem.since("FOR"):
        return None
    place = problem.place(problem.previous.end, problem.found.end)
    advice = errors.replace(place, ",", "several loops are one `for`: `for a in x, b in y`")
    return problem.explain("E0101", "expected `,` or `]`, found the keyword `for`", advice)


def loops_of_one_carry(problem: Problem) -> Explanation | None:
    """`fold m = 0.0 for a in x, b in y do …`."""
    after = problem.since("FOLD", "SCAN")
    if problem.found.kind != "COMMA" or "DO" not in problem.expected or "FOR" not in after:
        return None
    word, name = [seen.text for seen in problem.before[-len(after) - 1 :][:2]]
    advice = Help("nest the loops: the inner one starts with what the outer one carries")
    if word == "fold" and after[:2] == ("NAME", "EQ"):
        written = f" do fold {name} = {name} for"
        advice = errors.replace(problem.span, written, f"nest the loops: `… do fold {name} = {name} for … do …`")
    return problem.explain("E0101", f"a `{word}` has one `for`", advice)


def generator(problem: Problem) -> Explanation | None:
    if problem.found.kind != "FOR" or problem.bracket != "(":
        return None
    if problem.previous.kind == "LPAR":
        advice = Help("a loop is `fold acc = start for x in xs do …`, a list `[… for x in xs]`")
        return problem.explain("E0101", "expected an expression, found the keyword `for`", advice)
    if problem.previous.kind not in OPERAND_ENDS:
        return None
    advice = foreign_rewrites.generator(problem) or Help("use square brackets: `[… for x in xs]`")
    return problem.explain("E0101", "comprehensions use square brackets", advice)


def called_loop(problem: Problem) -> Explanation | None:
    """`fold(fn (a, b) -> …, 0.0, xs)`."""
    before = [seen for seen in problem.before if problem.opener is not None and seen.start < problem.opener]
    if not before or before[-1].kind not in LOOPS:
        return None
    word = before[-1]
    span = problem.place(word.start, word.end)
    advice = foreign_rewrites.loop_as_call(problem, word) or Help(
        f"a loop is an expression that names what it carries: `{LOOPS[word.kind]}`"
    )
    return problem.explain("E0101", f"`{word.text}` is not a function", advice, at=span)


def carry_without_value(problem: Problem) -> Explanation | None:
    """`fold s for v in x do`."""
    found, previous = problem.found, problem.previous
    word = problem.before[-2].kind if len(problem.before) > 1 else ""
    if found.kind not in ("FOR", "WHILE") or previous.kind != "NAME" or word not in LOOPS:
        return None
    advice = Help(f"a carry begins with a value: `{previous.text} = {previous.text}`, or another one")
    message = f"expected `:` or `=`, found the keyword `{found.text}`"
    return problem.explain("E0101", message, advice)
