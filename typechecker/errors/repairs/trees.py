"""Trees of expressions that helps change: the tree of a place, new nodes, how trees are written, what a text imports.

Comments and strings mention nothing here.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, count
from typing import TypeVar

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast
from dsl.syntax.parse import parse_expression
from dsl.syntax.versions import module_of
from dsl.syntax.walk import Spanned, around, nodes

N = TypeVar("N", bound=Spanned)


OFFERED = "<help>"
"""The name of a source that a help would make."""


def tree_of(place: Span) -> ast.Expr | None:
    """Return the tree of the text of a place, read by itself; None where that is not an expression."""
    return None if "\n" in place.text else read(place.text)


@lru_cache(maxsize=256)
def read(text: str) -> ast.Expr | None:
    """Return the tree of an expression; None for a text that is not one."""
    node, problems = parse_expression(Source(OFFERED, text)) if text else (None, ())
    return None if problems else node


def operand(text: str) -> str:
    """Return an expression as it may stand before `[`, `.` or `**`: in parentheses, unless it holds together."""
    return text if isinstance(read(text), _TOGETHER) or bare(text) != text else f"({text})"


_TOGETHER = (
    ast.Name | ast.StringLit | ast.Field | ast.TupleItem | ast.Call | ast.Index | ast.ListLit | ast.Comprehension
)


def bare(text: str) -> str:
    """Return an expression without the parentheses around the whole of it."""
    inner = text[1:-1]
    return inner if text == f"({inner})" and read(inner) and not isinstance(read(text), ast.TupleLit) else text


@lru_cache(maxsize=4)
def declarations(source: Source) -> tuple[ast.Declaration, ...]:
    """Return the declarations of a program's text; none of a text that a help would make, or of the library."""
    made = source.name == OFFERED or source.name.startswith("<stdlib>")
    return () if made else module_of(source).declarations


def declared_at(place: Span) -> list[ast.Declaration]:
    """Return the declarations of its text that a place lies in: one, or none."""
    return [each for each in declarations(place.source) if each.span.covers(place)]


def enclosing(place: Span, kind: type[N]) -> list[N]:
    """Return the nodes of a class around a place in its text, the innermost first."""
    return around(declared_at(place), kind, place)


def loops_around(node: ast.Def, place: Span) -> list[ast.Comprehension | ast.Loop]:
    """Return the loops and comprehensions in a definition that a place lies in, the innermost first."""
    loops: list[ast.Comprehension | ast.Loop] = [
        *around(node, ast.Comprehension, place),
        *around(node, ast.Loop, place),
    ]
    return sorted(loops, key=lambda each: each.span.end - each.span.start)


def clauses_of(loop: Spanned) -> tuple[ast.ForClause, ...]:
    """Return the clauses of a loop or a comprehension, the outermost first."""
    if isinstance(loop, ast.Comprehension):
        return loop.clauses
    return (loop.clause,) if isinstance(loop, ast.Loop) else ()


def exactly(place: Span, kind: type[N]) -> N | None:
    """Return the node of a class that has exactly this place in its text."""
    return next((each for each in enclosing(place, kind) if each.span == place), None)


def call_of(argument: Span) -> tuple[ast.Call, int] | None:
    """Return the call that has an argument at a place, and which of its arguments that is."""
    for each in enclosing(argument, ast.Call):
        for k, given in enumerate(each.args):
            if argument in (given.span, given.value.span):
                return each, k
    return None


def expressions(node: object) -> list[ast.Expr]:
    """Return the expressions in a tree in the order of their text, the outer ones first."""
    found = [each for each in nodes(node) if isinstance(each, ast.Expr)]
    return sorted(found, key=lambda each: (each.span.start, -each.span.end))


def whole_of(node: ast.Expr) -> Span:
    """Return the place of the whole text that a tree was read from, with the parentheses around it."""
    return Span(node.span.source, 0, len(node.span.source.text))


def mentions(node: object, name: str) -> list[Span]:
    """Return the places in a tree where a name stands for a value or a size."""
    found = [each.span for each in nodes(node) if isinstance(each, ast.Name) and each.name == name]
    return sorted(found, key=lambda span: span.start)


def bound_names(node: object) -> set[str]:
    """Return the names that a tree binds or mentions."""
    return {each.name for each in nodes(node) if isinstance(each, ast.Name | ast.NamePattern | ast.Ident)}


def fresh_name(name: str, node: object) -> str:
    """Return a name like this one that a tree neither binds nor mentions."""
    taken = bound_names(node)
    return next(each for each in chain([name], (f"{name}{k}" for k in count(2))) if each not in taken)


def is_mentioned(node: ast.Def) -> bool:
    """Return whether the text of a definition mentions its name, as calls do."""
    return bool(mentions(declarations(node.span.source), node.name.name))


def bindings(node: ast.Def) -> list[str]:
    """Return the names of the parameters and of the patterns of a definition, each as often as it is bound."""
    bound = [each.name for each in nodes(node) if isinstance(each, ast.NamePattern)]
    return [*(param.name.name for param in node.params), *bound]


def unused(node: ast.Def) -> list[str]:
    """Return the names that are bound in a definition and occur nowhere else."""
    mentioned = {each.name for each in nodes(node) if isinstance(each, ast.Name)}
    return [name for name in bindings(node) if name not in mentioned]


def lets_of(node: object, name: str) -> list[ast.Let]:
    """Return the statements in a tree that bind a name alone."""
    return [each for each in nodes(node) if isinstance(each, ast.Let) and each.pattern.span.text == name]


def variables(node: object) -> list[str]:
    """Return the names in a tree that are not called, in their order."""
    called = {each.function.span for each in nodes(node) if isinstance(each, ast.Call)}
    names = [each for each in expressions(node) if isinstance(each, ast.Name) and each.span not in called]
    return [*dict.fromkeys(each.name for each in names)]


def sizes_in(node: ast.Def | None) -> list[str]:
    """Return the names of sizes in the signature of a definition, and of its static parameters."""
    if node is None:
        return []
    types = [each for param in node.params for each in nodes(param.type) if isinstance(each, ast.IndexedType)]
    found = [arg.name for kind in types for arg in kind.args if isinstance(arg, ast.Name)]
    return [*dict.fromkeys([*(param.name.name for param in node.params if param.static), *found])]


def name_of(node: ast.Call) -> str:
    """Return the last name of the function that is called."""
    match node.function:
        case ast.Name(text) | ast.Field(_, ast.Ident(text)):
            return text
        case _:
            return ""


def argument(node: ast.Call, name: str) -> ast.Argument | None:
    """Return the argument of a call that is given by this name."""
    return next((arg for arg in node.args if arg.name is not None and arg.name.name == name), None)


def integer(node: object) -> int | None:
    """Return the integer that is written at a node."""
    match node:
        case ast.NumberLit(int() as value):
            return value
        case ast.Unary("-", ast.NumberLit(int() as value)):
            return -value
        case _:
            return None


# ---------------------------------------------------------------- how texts are changed


def changed(root: ast.Expr, *changes: Edit) -> str:
    """Return the text that a tree was read from after changes of nodes in it."""
    return rewritten(whole_of(root), *changes)


def behind(place: Span, text: str) -> Edit:
    """Return the edit that puts a text behind a place."""
    return Edit(Span(place.source, place.end, place.end), text)


def in_front(place: Span, text: str) -> Edit:
    """Return the edit that puts a text in front of a place."""
    return Edit(Span(place.source, place.start, place.start), text)


def at_top(source: Source, line: str) -> Edit:
    """Return the edit that puts a line above a text."""
    return Edit(Span(source, 0, 0), f"{line}\n")


def line_above(node: ast.Def, place: Span, line: str) -> Edit:
    """Return the edit that puts a line above the statement of a definition's body in which a place lies."""
    body = next(iter(around(node, ast.Block, place)), node.body)
    if isinstance(body, ast.Block):
        spans = [each.span for each in (*body.statements, body.result)]
        at = next((span for span in spans if span.covers(place)), spans[0])
        return in_front(at, f"{line}\n{before(at)}")
    if not before(body.span).strip():
        return in_front(body.span, f"{line}\n{before(body.span)}")
    blanks = len(before(body.span)) - len(before(body.span).rstrip())
    return Edit(Span(body.span.source, body.span.start - blanks, body.span.start), f"\n    {line}\n    ")


def before(place: Span) -> str:
    """Return the text in front of a place on its line, which is its indentation where nothing else stands there."""
    text = place.source.text
    return text[text.rfind("\n", 0, place.start) + 1 : place.start]


def value_of(body: ast.Expr) -> ast.Expr:
    """Return the expression that gives a body its value."""
    return body.result if isinstance(body, ast.Block) else body


def bounded(loop: ast.Iterate) -> tuple[str, Edit]:
    """The head of a loop that is left after some turns, and where its limit is written."""
    text, behind = loop.span.source.text, loop.condition.span.end
    end = behind + len(text[behind : text.index("do", behind)].rstrip())
    edit = Edit(Span(loop.span.source, end, end), " limit 100")
    head = " ".join(loop.span.source.text[loop.span.start : end].split())
    return f"{head}{edit.text} do", edit


def rewritten(whole: Span, *changes: Edit) -> str:
    """Return the text of a place after changes inside it."""
    text = whole.text
    for edit in sorted(changes, key=lambda each: each.span.start, reverse=True):
        text = text[: edit.span.start - whole.start] + edit.text + text[edit.span.end - whole.start :]
    return text


def ends_of(text: str) -> str:
    """Return a text of several lines as its first and last."""
    first, *more = text.splitlines()
    return f"{first} … {more[-1].strip()}" if more else first


def imports(source: Source) -> list[ast.Import | ast.FromImport]:
    """Return the imports of a text."""
    return [each for each in declarations(source) if isinstance(each, ast.Import | ast.FromImport)]


class Imported(Struct, frozen=True):
    """How a name of a module of the library is written in a text, what imports it there, and that in words."""

    name: str
    edits: tuple[Edit, ...] = ()
    said: str = ""

    @property
    def lacking(self) -> str:
        """Return the error of the name in a text that does not import it yet."""
        return f"E0201 undefined name `{self.name}`" if self.edits else ""


def imported(source: Source, module: str, name: str) -> Imported:
    """A name of a module of the library, as a text imports it or may import it."""
    whole = False
    for node in imports(source):
        path = ".".join([part.name for part in node.path])
        match node:
            case ast.FromImport(_, names) if path == module:
                if any(there.name == name and here is None for there, here in names):
                    return Imported(name)
                text, end = node.span.text, Span(source, node.span.end, node.span.end)
                return Imported(name, (Edit(end, f", {name}"),), f", with `{text}, {name}` at the top")
            case ast.Import(_, None) if path == module:
                whole = True
            case _:
                pass
    if whole:
        return Imported(f"{module}.{name}")
    line = f"from {module} import {name}"
    return Imported(name, (at_top(source, line),), f", with `{line}` at the top")
