"""Habits of other languages, each recognised where it stops the parser: what to write here instead.

Each function looks at a `Problem` and explains it or passes. They are tried in the order of `RULES`.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Mapping
from types import MappingProxyType

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.syntax import errors, foreign_loops, foreign_rewrites
from dsl.syntax.foreign_statements import (
    bound_in_brackets,
    foreign_word,
    size_without_name,
    statement,
    walrus,
)
from dsl.syntax.foreign_words import RESERVED
from dsl.syntax.parse_failure import OPERAND_ENDS, Explanation, Problem

_BEFORE_COLON: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "EQ": ("=", "the body of a definition follows `=`"),
        "THEN": ("then", "the branch of an `if` follows `then`"),
        "DO": ("do", "the body follows `do`"),
        "WITH": ("with", "the arms of a `match` follow `with`"),
        "ARROW": ("->", "the body follows `->`"),
    }
)
_GUARD = re.compile(r"\|[^\n]*[^=<>!]=[^=]")
_SPACED = re.compile(r"(?:\\|fn\b) *(\w+(?: +\w+)*) *->")
_COPIED = re.compile(r"\{ *(?:(?:\*\*|\.\.\.) *(\w+) *,|(\w+) *\|(?=[^|={}]*=))")
_RESULT_TYPE = re.compile(r":[^\n:=]*\S *=(?!=)")
_CASE = re.compile(r"case +(\S[^\n]*?) +of\b")


def lambda_word(problem: Problem) -> Explanation | None:
    if problem.previous.text != "lambda" or problem.found.kind not in ("NAME", "COLON", "STAR", "OP"):
        return None
    span = problem.place(problem.previous.start, problem.previous.end)
    advice = errors.replace(span, "fn", "write `fn x -> …`, or `fn (x, y) -> …` for several parameters")
    head = re.compile(r"lambda +(\w+(?: *, *\w+)*) *:").match(problem.source.text, problem.previous.start)
    if head is not None:
        written = f"fn ({head[1]}) ->" if "," in head[1] else f"fn {head[1]} ->"
        advice = errors.replace(problem.place(*head.span()), written, f"write `{written} …`")
    return problem.explain("E0129", "lambdas use `fn`", advice, at=span)


def elif_word(problem: Problem) -> Explanation | None:
    if problem.found.text != "elif" or "ELSE" not in problem.expected:
        return None
    return problem.replaced("E0120", "`elif` is not a keyword", "else if", "write `else if`", instead=("ELSE", "IF"))


def conditional(problem: Problem) -> Explanation | None:
    """`x if c else y`, `[x for x in xs if c]`, `c ? a : b`."""
    found = problem.found
    if found.kind == "QUESTION" and problem.previous.kind in OPERAND_ENDS:
        advice = foreign_rewrites.question(problem) or Help("write `if c then a else b`")
        return problem.explain("E0120", "there is no `?` operator", advice)
    if found.kind != "IF" or problem.previous.kind not in OPERAND_ENDS or problem.begins_line():
        return None
    if problem.bracket == "[" and "IN" in [seen.kind for seen in problem.before]:
        advice = foreign_rewrites.comprehension(problem) or Help(_NO_FILTER)
        return problem.explain("E0120", "a comprehension cannot have an `if`", advice)
    advice = foreign_rewrites.conditional(problem) or Help("the condition comes first: `if c then x else y`")
    return problem.explain("E0120", "`if` follows its value", advice)


_NO_FILTER = "the number of elements would depend on the data: use `where(mask, x, fill)` or `compress`"


def field_by_name(problem: Problem) -> Explanation | None:
    """`{a, b}` for a record of the fields a and b."""
    name = problem.previous
    before = [seen.kind for seen in problem.before[-2:]]
    inside = problem.found.kind == "RBRACE" or (problem.found.kind == "COMMA" and problem.bracket == "{")
    if not inside or "EQ" not in problem.expected or before not in (["LBRACE", "NAME"], ["COMMA", "NAME"]):
        return None
    written = f"{name.text} = {name.text}"
    place = problem.place(name.start, name.end)
    return problem.explain(
        "E0101", "a field has a value", errors.replace(place, written, f"write `{written}`"), at=place
    )


def colon(problem: Problem) -> Explanation | None:
    """`def f(x):`, `if c:`, `else:`, `fn x:`, `{a: 1}`."""
    if problem.found.kind != "COLON" or foreign_word(problem):
        return None
    if problem.previous.kind == "ELSE":
        return problem.replaced("E0118", "no colon follows `else`", "", "remove the colon", instead=())
    if problem.bracket == "{" and problem.previous.kind in ("NAME", "STRING"):
        name = problem.previous.text.strip('"')
        advice = Help(f"write `{{{name} = …}}`")
        if name.isidentifier():
            place = problem.place(problem.previous.start, problem.found.end)
            advice = errors.replace(place, f"{name} =", f"write `{{{name} = …}}`")
        message = "record fields are set with `=`; the colon is for record types"
        go_on = ("EQ",) if problem.previous.kind == "NAME" else None
        return problem.explain("E0118", message, advice, instead=go_on)
    if [seen.kind for seen in problem.before[-2:]] == ["FN", "NAME"] and "->" in problem.follows(80).partition("\n")[0]:
        advice = Help(f"write `fn ({problem.previous.text}: …) -> …`")
        message = "a parameter with a type needs parentheses"
        return problem.explain("E0125", message, advice)
    if {"EQ", "ARROW"} <= problem.expected and _RESULT_TYPE.match(problem.source.text, problem.found.start):
        return problem.replaced("E0118", "the type of a result follows `->`", " ->", "write `->`", instead=("ARROW",))
    if problem.bracket == "[" and problem.previous.kind in ("LSQB", "COMMA") and not problem.in_body():
        return size_without_name(problem)
    for kind, (text, message) in _BEFORE_COLON.items():
        choice = foreign_rewrites.choice(problem) if kind == "THEN" else None
        if choice is not None and kind in problem.expected:
            return problem.explain("E0118", message, choice, instead=(kind,))
        if kind in problem.expected:
            blank = "" if problem.source.text[problem.found.start - 1 : problem.found.start] == " " else " "
            return problem.replaced(
                "E0118", message, blank + text, f"write `{text}` instead of the colon", instead=(kind,)
            )
    return None


def equals(problem: Problem) -> Explanation | None:
    """`if x = 3 then`, `let x == 3`, `fn x => e`."""
    found = problem.found
    if found.text == "==" and "EQ" in problem.expected:
        return problem.replaced("E0117", "names are bound with `=`, not `==`", "=", "write `=`", instead=("EQ",))
    if found.kind == "EQ" and problem.follows(2) == "=>" and "ARROW" in problem.expected:
        both = problem.place(found.start, found.start + 2)
        advice = errors.replace(both, "->", "write `->`")
        return problem.explain("E0115", "the arrow is `->`", advice, at=both, instead=("ARROW",), end=both.end)
    if found.text == ">" and problem.touches("="):
        both = problem.place(found.start - 1, found.end)
        return problem.explain("E0115", "there is no `=>`", Help("write `->` or `>=`"), at=both)
    if found.kind == "EQ" and problem.previous.kind == "RSQB" and "at" in [seen.text for seen in problem.before[-6:]]:
        advice = Help("write `.set(value)`: `x.at[i].set(v)` is a new array")
        return problem.explain("E0117", "`.at[…]` is not assigned to", advice)
    carried = foreign_loops.carried(problem)
    if carried is not None:
        return carried
    bound = bound_in_brackets(problem) if found.kind == "EQ" and problem.in_body() else None
    if bound is not None:
        return bound
    if found.kind == "EQ" and problem.previous.kind in OPERAND_ENDS and problem.in_body():
        return problem.replaced("E0117", "values are compared with `==`, not `=`", "==", "write `==`")
    return None


def doubled_sign(problem: Problem) -> Explanation | None:
    """`a && b`, `a || b`, `a <> b`, `x++`, `!x`."""
    found = problem.found
    for sign, word in (("&", "and"), ("|", "or")):
        if found.text == sign and problem.touches(sign):
            both = problem.place(found.start - 1, found.end)
            advice = errors.replace(both, word, f"scalars: `{word}`; arrays, elementwise: `{sign}`")
            return problem.explain("E0115", f"there is no `{sign * 2}`", advice, at=both, instead=())
    if found.text == ">" and problem.touches("<"):
        both = problem.place(found.start - 1, found.end)
        return problem.explain(
            "E0115", "there is no `<>`", errors.replace(both, "!=", "write `!=`"), at=both, instead=()
        )
    if found.kind == "BANG" and "NOT" in problem.expected:
        return problem.replaced("E0115", "there is no `!x`", "not ", "write `not x`", instead=("NOT",))
    before = problem.before
    if len(before) > 1 and before[-1].text == before[-2].text and before[-1].text in ("+", "-"):
        sign = before[-1].text
        both = problem.place(before[-2].start, before[-1].end)
        if before[-2].end == before[-1].start and problem.found.kind not in OPERAND_ENDS:
            advice = Help(f"bind a new value: `let next = x {sign} 1`")
            return problem.explain("E0115", f"there is no `{sign * 2}`", advice, at=both)
    return None


def dotted(problem: Problem) -> Explanation | None:
    """`x .* y`, `exp.(x)`."""
    found, dot = problem.found, problem.previous
    if dot.kind != "DOT" or dot.end != found.start or found.kind not in ("OP", "PREFIX", "STAR", "LPAR"):
        return None
    both = problem.place(dot.start, found.end)
    ours = "**" if found.text == "^" else found.text
    called = f"{problem.before[-2].text}(…)" if ours == "(" else ours
    advice = errors.replace(both, ours, f"operators and functions work on each element: write `{called}`")
    return problem.explain("E0115", f"there is no `{both.text}`", advice, at=both)


def slashes(problem: Problem) -> Explanation | None:
    """`// a comment`."""
    if problem.found.text != "//" or not problem.begins_line():
        return None
    return problem.replaced("E0101", "a comment begins with `#`", "#", "write `#`")


def spread_record(problem: Problem) -> Explanation | None:
    """`{**p, x = v}`, `{...p, x = v}`, `{p | x = v}`."""
    found = _COPIED.match(problem.source.text, problem.opener or 0)
    if problem.found.text not in ("**", "...", "=") or problem.bracket != "{" or found is None:
        return None
    written = f"{{{found[1] or found[2]} with"
    advice = errors.replace(problem.place(*found.span()), written, f"write `{written} …}}`")
    return problem.explain("E0101", "a changed record is written with `with`", advice)


def arrow_function(problem: Problem) -> Explanation | None:
    """`x -> a`."""
    found, previous = problem.found, problem.previous
    if found.kind != "ARROW" or [seen.kind for seen in problem.before[-2:]] != ["EQ", "NAME"]:
        return None
    advice = errors.replace(problem.place(previous.start, previous.start), "fn ", f"write `fn {previous.text} -> …`")
    return problem.explain("E0129", "lambdas use `fn`", advice)


def where_behind(problem: Problem) -> Explanation | None:
    """`def f(x: f32[n]) -> f32 = x[1] where n >= 2`."""
    if problem.found.text != "where" or problem.previous.kind not in OPERAND_ENDS or not problem.in_body():
        return None
    bound = re.compile(r"where\s+(\w+)\s*=(?!=)").match(problem.source.text, problem.found.start)
    advice = Help("put it in the head: `def f(…) -> … where n >= 2 = …`")
    if bound is not None:
        advice = Help(f"a name is bound above the expression that uses it: `let {bound[1]} = …`")
        return problem.explain("E0101", "`where` states conditions and binds no names", advice)
    return problem.explain("E0101", "`where` comes before the `=` of a definition", advice)


def open_tuple(problem: Problem) -> Explanation | None:
    """`let a, b = p`, `let [a, b] = p`, `fn a, b -> a`."""
    if problem.found.kind == "LSQB" and problem.previous.kind == "LET":
        advice = Help("a pattern of several names is written in parentheses: `let (a, b) = …`")
        return problem.explain("E0101", "a tuple pattern needs parentheses", advice)
    word = problem.before[-2:][0].kind if problem.before else ""
    if (
        problem.found.kind != "COMMA"
        or problem.previous.kind != "NAME"
        or word not in ("LET", "FN", *foreign_loops.LOOPS)
    ):
        return None
    if word in foreign_loops.LOOPS:
        message = "several names that a loop carries need parentheses"
        return problem.explain("E0101", message, *foreign_rewrites.carries(problem))
    start = problem.previous.start
    match = re.compile(r"\w+(?:[ ]*,[ ]*\w+)*").match(problem.source.text, start)
    text = match.group() if match else ""
    message, written = "a tuple pattern needs parentheses", f"let ({text}) = …"
    if word == "FN":
        message, written = "expected `->`, found `,`", f"fn ({text}) -> …"
    advice = errors.replace(problem.place(start, start + len(text)), f"({text})", f"write `{written}`")
    return problem.explain("E0101", message, advice, at=problem.span)


def word_operator(problem: Problem) -> Explanation | None:
    """`x is y`, `f"…"`."""
    found, previous = problem.found, problem.previous
    if previous.kind not in OPERAND_ENDS or problem.begins_line():
        return None
    if found.text == "is":
        word = re.compile(r"is(?: +(not)\b)?").match(problem.source.text, found.start)
        sign = "!=" if word is not None and word[1] else "=="
        span = problem.span if word is None else problem.place(*word.span())
        advice = errors.replace(span, sign, f"write `{sign}`")
        if re.compile(r" +(?:\w+\.)?nan\b").match(problem.source.text, span.end):
            advice = Help(f"write `{'not ' if sign == '!=' else ''}isnan(…)`")
        return problem.explain("E0115", "there is no `is`", advice, at=span)
    if found.kind == "STRING" and previous.kind == "NAME" and previous.end == found.start:
        advice = Help('there are no string prefixes; `print("loss {}", x)` formats values')
        advice = foreign_rewrites.format_string(problem) or advice
        return problem.explain("E0109", f"unknown string prefix `{previous.text}`", advice)
    return None


def starred_pattern(problem: Problem) -> Explanation | None:
    """`let (first, *rest) = xs`."""
    text, line = problem.source.text, problem.source.text.rfind("\n", 0, problem.found.start) + 1
    found = re.compile(r" *let \((\w+(?:, *\w+)*), *\*(\w+)\) *= *(\w[\w.]*)(?= *(?:#.*)?$)", re.MULTILINE).match(
        text, line
    )
    if problem.found.text != "*" or found is None:
        return None
    names, value = [name.strip() for name in found[1].split(",")], found[3]
    parts = [*[f"{value}[{k}]" for k, _ in enumerate(names)], f"{value}[{len(names)}:]"]
    written = f"let ({', '.join([*names, found[2]])}) = ({', '.join(parts)})"
    advice = errors.replace(
        problem.place(found.start() + found[0].index("let"), found.end()), written, f"write `{written}`"
    )
    return problem.explain("E0101", f"a pattern has no `*{found[2]}`", advice)


def parameters(problem: Problem) -> Explanation | None:
    """`*args`, `**kwargs`, a lone `/`."""
    found = problem.found
    if not problem.in_head():
        return None
    if found.text in ("**", "/") or (problem.previous.kind == "STAR" and found.kind == "NAME"):
        start = problem.previous.start if problem.previous.kind == "STAR" else found.start
        advice = Help("every parameter has a name and a type; those after a `*` are keyword-only")
        span = problem.place(start, found.end)
        message = "variadic parameters are not supported"
        if found.text == "/":
            message = "positional-only parameters are not supported"
        return problem.explain("E0125", message, advice, at=span)
    return None


def braces(problem: Problem) -> Explanation | None:
    """`def f(x: f32) -> f32 {`, `if c {`."""
    if problem.found.kind != "LBRACE" or problem.expected >= {"NAME", "NUMBER"} or foreign_word(problem):
        return None
    advice = Help("a body follows `=`, `then`, `else`, `do` or `->`, and is indented")
    return problem.explain("E0101", "a body is not enclosed in braces", advice)


def whole_module(problem: Problem) -> Explanation | None:
    """`from m import *`."""
    if problem.found.text != "*" or [seen.kind for seen in problem.before[:1]] != ["FROM"]:
        return None
    module = problem.source.text[problem.before[1].start : problem.previous.start].strip()
    advice = Help(f"name what is used, or write `import {module}` and `{module}.…`")
    return problem.explain("E0101", "names are imported one by one", advice)


def list_type(problem: Problem) -> Explanation | None:
    """`static sizes: [int]`."""
    found = re.compile(r"\[\w+\]").match(problem.source.text, problem.found.start)
    if found is None or problem.previous.kind not in ("COLON", "ARROW") or "NUMBER" in problem.expected:
        return None
    advice = "a static list of integers is a `shape`; an array has a dtype and its sizes, as in `f32[n]`"
    at = problem.place(*found.span())
    if found[0] != "[int]":
        return problem.explain("E0101", "a type begins with its name", Help(advice), at=at)
    return problem.explain("E0101", "a type begins with its name", errors.replace(at, "shape", advice), at=at)


def qualified_pattern(problem: Problem) -> Explanation | None:
    """`let m.X(k) = a`."""
    if problem.found.kind != "DOT" or [seen.kind for seen in problem.before[-2:]] != ["LET", "NAME"]:
        return None
    path = re.compile(r"\w+(?:\.\w+)+").match(problem.source.text, problem.previous.start)
    place = problem.span if path is None else problem.place(*path.span())
    return Explanation(errors.variant_in_pattern(place, place.text.rpartition(".")[2], function=False))


def case_of(problem: Problem) -> Explanation | None:
    """`case x of`."""
    previous = problem.previous
    chosen = _CASE.match(problem.source.text, previous.start) if previous.text == "case" else None
    if chosen is None:
        return None
    span, ours = problem.place(*chosen.span()), f"match {chosen[1]} with"
    advice = errors.replace(span, ours, f"write `{ours}`")
    return problem.explain("E0114", "there is no `case`", advice, at=span)


_ARM = re.compile(r"(?:case +|\| *)([^:\n]+?) *(?::|->|=>) *(?=([^\n]*))")


def foreign_arm(problem: Problem) -> Explanation | None:
    """`case P: a`, `case P -> a`, `| P -> a`: all such arms of a `match` at once."""
    word = problem.previous if problem.previous.text == "case" else problem.found
    arm = _ARM.match(problem.source.text, word.start)
    if arm is None or not problem.begins_line(word):
        return None
    advice = f"an arm is written `{f'{arm[1]} -> {arm[2]}'.strip()}`"
    edits = [Edit(problem.place(*each.span()), f"{each[1]} -> ") for each in _arms_beside(problem.source.text, arm)]
    code, message = ("E0114", "there is no `case`") if word.text == "case" else ("E0101", "an arm has no `|`")
    return problem.explain(code, message, Help(advice, tuple(edits)), at=problem.place(word.start, word.end))


def _arms_beside(text: str, arm: re.Match[str]) -> list[re.Match[str]]:
    """The arms of a block, all of which are indented alike."""
    indentation = arm.start() - text.rfind("\n", 0, arm.start()) - 1
    arms = [each for each in _ARM.finditer(text) if text[: each.start()].endswith("\n" + " " * indentation)]
    outside = [each.start() for each in re.finditer(rf"^ {{0,{indentation - 1}}}\S", text, re.M)]
    return [each for each in arms if bisect(outside, each.start()) == bisect(outside, arm.start())]


def several_results(problem: Problem) -> Explanation | None:
    """`-> f32, f32 =`."""
    arrows = [seen for seen in problem.before if seen.kind == "ARROW"]
    kinds = problem.since("ARROW")
    if problem.found.kind != "COMMA" or "EQ" not in problem.expected or not arrows or {"EQ", "WHERE"} & {*kinds}:
        return None
    results = re.compile(r" *([^=\n]*?) *(?==|$|\bwhere\b)").match(problem.source.text, arrows[-1].end)
    if results is None:
        return None
    advice = errors.replace(problem.place(*results.span(1)), f"({results[1]})", f"write `-> ({results[1]})`")
    return problem.explain("E0101", "several results are one tuple", advice)


def operator_value(problem: Problem) -> Explanation | None:
    """`(+)`."""
    found, previous, text = problem.found, problem.previous, problem.source.text
    if found.kind != "RPAR" or previous.kind != "PREFIX" or text[previous.start - 1] != "(":
        return None
    advice = Help(f"an operator is a function as `fn (a, b) -> a {previous.text} b`")
    return problem.explain("E0101", "an operator is not a value", advice)


def let_inside(problem: Problem) -> Explanation | None:
    """`let x = a in b` in an expression."""
    if problem.found.kind != "LET" or "NUMBER" not in problem.expected or problem.begins_line():
        return None
    advice = Help("a `let` stands on a line of its own, above the expression that uses it; there is no `in`")
    if problem.previous.kind == "LSQB":
        advice = foreign_loops.BLOCK_IN_BRACKETS
    return problem.explain("E0101", "`let` is a statement, not an expression", advice)


def guard(problem: Problem) -> Explanation | None:
    """`| x > 0 = a`."""
    found = problem.found
    is_bar = found.kind in ("BAR", "OP") and found.text == "|" and problem.begins_line()
    if not is_bar or not _GUARD.match(problem.source.text, found.start):
        return None
    advice = Help("write `if c then a else b`, or `else if` for several conditions")
    return problem.explain("E0101", "there are no guards", advice)


def applied(problem: Problem) -> Explanation | None:
    """`f x`."""
    found, previous = problem.found, problem.previous
    if previous.kind != "NAME" or found.kind not in ("NAME", "NUMBER") or previous.text in RESERVED:
        return None
    inside = problem.opener is not None or not problem.in_body() or problem.expected & {"DO", "THEN", "WITH"}
    if inside or problem.begins_line():
        return None
    advice = Help(f"a function is applied with parentheses: `{previous.text}({found.text})`")
    message = f"expected an operator or the end of the line, found `{found.text}`"
    return problem.explain("E0101", message, advice)


def record_update(problem: Problem) -> Explanation | None:
    """`s with m = v`."""
    found, previous = problem.found, problem.previous
    if found.kind != "WITH" or previous.kind not in OPERAND_ENDS or not problem.in_body() or problem.opener is not None:
        return None
    advice = Help(f"a record with other fields is written `{{{previous.text} with x = …}}`")
    return problem.explain("E0101", "a changed record stands in braces", advice)


def spaced_parameters(problem: Problem) -> Explanation | None:
    """`\\x y -> a`, `fn x y -> a`."""
    spaced = [seen.kind for seen in (*problem.before[-2:], problem.found)] == ["FN", "NAME", "NAME"]
    start = problem.before[-2].start if spaced else problem.found.start
    head = _SPACED.match(problem.source.text, start) if spaced or problem.found.text == "\\" else None
    if head is None:
        return None
    names = head[1].split()
    written = f"fn {names[0]} ->" if len(names) == 1 else f"fn ({', '.join(names)}) ->"
    advice = errors.replace(problem.place(*head.span()), written, f"write `{written} …`")
    code, message = "E0129", "lambdas use `fn`"
    if spaced:
        code, message = "E0101", "several parameters stand in parentheses"
    return problem.explain(code, message, advice, at=problem.place(*head.span()))


RULES: tuple[Callable[[Problem], Explanation | None], ...] = (
    elif_word,
    lambda_word,
    starred_pattern,
    parameters,
    foreign_loops.generator,
    braces,
    field_by_name,
    colon,
    spread_record,
    equals,
    doubled_sign,
    dotted,
    slashes,
    foreign_loops.loop_without_for,
    foreign_loops.block_without_for,
    foreign_loops.let_clause,
    foreign_loops.several_iterables,
    foreign_loops.several_loops,
    foreign_loops.loops_of_one_carry,
    foreign_loops.while_loop,
    foreign_loops.carry_in_parentheses,
    arrow_function,
    where_behind,
    open_tuple,
    several_results,
    word_operator,
    conditional,
    foreign_loops.called_loop,
    foreign_loops.carry_without_value,
    record_update,
    walrus,
    statement,
    whole_module,
    list_type,
    qualified_pattern,
    case_of,
    foreign_arm,
    operator_value,
    let_inside,
    guard,
    spaced_parameters,
    applied,
)
