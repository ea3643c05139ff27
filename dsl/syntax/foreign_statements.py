"""Statements, classes and decorators of other languages, where they stop the parser; the words: `foreign_words`."""

from __future__ import annotations

import re

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.syntax import errors, foreign_blocks, foreign_rewrites
from dsl.syntax.foreign_words import ALONE, DECLARED, DECORATORS, NO_DECORATOR, STATEMENTS
from dsl.syntax.parse_failure import LAYOUT, Explanation, Problem

_FIRST_WORD = re.compile(r"[A-Za-z_]\w*")
_DECORATOR = re.compile(r"@(?:[\w.]*\bpartial\()?(?:\w+\.)*(\w+)")
_DECORATED = re.compile(r"(?:@[^\n]*\n)+def (\w+)(?:\[[^\n]*?\])?\(([^\n]*?)\) *->")


def foreign_word(problem: Problem) -> str:
    """The word of a foreign statement at the token, or right before it on its line, or one at the start of the line;
    else nothing."""
    text, found = problem.source.text, problem.found
    match = _FIRST_WORD.match(text, found.start)
    if match and match.group() in STATEMENTS and problem.begins_statement():
        return match.group()
    previous = problem.previous
    if previous.text in STATEMENTS and previous.kind == "NAME" and found.kind not in ("NEWLINE", "$END", "DOT"):
        return previous.text
    first = problem.first_of_line
    begins = first.kind == "NAME" and first.text in ALONE and found.kind not in LAYOUT
    return first.text if begins else ""


def statement(problem: Problem) -> Explanation | None:
    """`return x`, `for …:`, `while …:`, `class …`, `print x`."""
    word = foreign_word(problem)
    if not word or (word == "fn" and problem.expected & {"FN"}):
        return None
    at_token = problem.follows(len(word)) == word
    if at_token and problem.found.kind not in ("NAME", "FOR", "WHILE"):
        return None
    seen = problem.previous if problem.previous.text == word else problem.first_of_line
    span = problem.span if at_token else problem.place(seen.start, seen.end)
    if word == "return":
        return Explanation(errors.python_statement(span, word))
    if word == "print":
        advice = Help("write `print(…)`, with parentheses")
    else:
        advice = foreign_rewrites.loop(problem, span) or Help(STATEMENTS[word])
    return problem.explain("E0114", f"there is no `{word}` statement", advice, at=span)


def declared_at_top(problem: Problem, word: str, start: int) -> Help:
    """Suggest a replacement for a keyword at the start of a line in column 0."""
    if STATEMENTS[word] == DECLARED:
        return errors.replace(problem.place(start, start + len(word)), "def", DECLARED)
    record = foreign_blocks.record_of_class(problem.source.text, start)
    if word != "class" or record is None:
        return Help(STATEMENTS[word])
    return errors.replace(problem.place(record.start, record.end), record.text, f"a record type: `{record.text}`")


def decorator(problem: Problem, start: int) -> Help | None:
    """The line of a decorator left out, and what takes its place where the function below it is used."""
    text = problem.source.text
    found, below = _DECORATOR.match(text, start), _DECORATED.match(text, start)
    if found is None:
        return None
    name, params = ("f", "x") if below is None else below.groups()
    args = ", ".join(re.findall(r"(\w+)(?=:)", re.sub(r"\{[^{}]*\}|\([^()]*\)", "", params)))
    advice = DECORATORS.get(found[1], NO_DECORATOR).format(word=found[1], name=name, args=args)
    end = text.find("\n", start) + 1 or len(text)
    return Help(advice, (Edit(problem.place(start, end), ""),))


def bound_in_brackets(problem: Problem) -> Explanation | None:
    """`(y = 2.0 * x, y + 1.0)`, `[y = f(v); y + 1.0 for v in x]`, of a name that has not occurred before."""
    text, name = problem.source.text, problem.previous
    if name.kind != "NAME" or not problem.bracket or [seen.text for seen in problem.before].count(name.text) > 1:
        return None
    value = text[problem.found.end : foreign_blocks.end_of_value(text, problem.found.end)].partition(";")[0].strip()
    let, code = f"let {name.text} = {value}", "E0117" if problem.found.kind == "EQ" else "E0114"
    advice = f"write `{let}` on a line above this one, and `{name.text}` here"
    if problem.bracket == "[":
        advice = f"write `{let}` on the line after `[`, and the value and `for … in …` on the two lines below"
    return problem.explain(code, "names are bound by `let`, on a line of its own", Help(advice))


def walrus(problem: Problem) -> Explanation | None:
    found = problem.found
    if found.kind not in ("CELL_OP", "ASSIGN_OP"):
        return None
    if "EQ" in problem.expected:
        return problem.replaced("E0117", "names are bound with `=`", "=", "write `=`", instead=("EQ",))
    cell = problem.previous.text
    line = problem.source.text[: found.start].rpartition("\n")[2]
    chosen = re.search(r"\bif (.+) then *\w+ *$", line)
    bound = bound_in_brackets(problem) if found.text == ":=" else None
    if bound is not None:
        return bound
    advice = Help("bind the value with `let` on a line of its own")
    if chosen and found.text == ":=":
        advice = Help(f"assign what is chosen: `{cell} := if {chosen[1]} then … else {cell}`")
    return problem.explain("E0114", f"`{found.text}` is not allowed in an expression", advice)


def size_without_name(problem: Problem) -> Explanation:
    """`x: f32[:, d]`."""
    taken = {seen.text for seen in problem.before}
    name = next((each for each in "nmkdhwpqrst" if each not in taken), "size")
    advice = f"name it, for example `{name}`: a name that is not bound stands for any size"
    return problem.replaced("E0118", "the size of an axis has a name here", name, advice, instead=("NAME",))
