"""Trees of expressions that helps change: the tree of a place, new nodes, and how trees are written.

A node that a help makes has the span `MADE`, and is written by its parts; one that was read is written as it stands in
its text. Comments and strings mention nothing here.
"""

from __future__ import annotations

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast
from dsl.syntax.parse import parse_expression
from dsl.syntax.walk import nodes
from typechecker.errors.words import bare, operand

MADE = Span(Source("<made>", ""), 0, 0)
"""The span of a node that is not in any text."""


def tree_of(place: Span) -> ast.Expr | None:
    """Return the tree of the text of a place, read by itself; None where that is not an expression."""
    if "\n" in place.text:
        return None
    node, problems = parse_expression(Source(place.source.name, place.text))
    return None if problems else node


def expressions(node: object) -> list[ast.Expr]:
    """Return the expressions in a tree in the order of their text, the outer ones first."""
    found = [each for each in nodes(node) if isinstance(each, ast.Expr)]
    return sorted(found, key=lambda each: (each.span.start, -each.span.end))


def expression_at(node: object, place: Span) -> ast.Expr | None:
    """Return the expression in a tree that has exactly this place."""
    return next((each for each in expressions(node) if each.span == place), None)


def mentions(node: object, name: str) -> list[Span]:
    """Return the places in a tree where a name stands for a value or a size."""
    found = [each.span for each in nodes(node) if isinstance(each, ast.Name) and each.name == name]
    return sorted(found, key=lambda span: span.start)


def bound_names(node: object) -> set[str]:
    """Return the names that a tree binds or mentions."""
    return {each.name for each in nodes(node) if isinstance(each, ast.Name | ast.NamePattern | ast.Ident)}


def variables(node: object) -> list[str]:
    """Return the names in a tree that are not called, in their order."""
    called = {each.function.span for each in nodes(node) if isinstance(each, ast.Call)}
    names = [each for each in expressions(node) if isinstance(each, ast.Name) and each.span not in called]
    return [*dict.fromkeys(each.name for each in names)]


# ---------------------------------------------------------------- new nodes


def name(text: str) -> ast.Name:
    return ast.Name(text, MADE)


def number(value: int) -> ast.Expr:
    return ast.Unary("-", ast.NumberLit(-value, MADE), MADE) if value < 0 else ast.NumberLit(value, MADE)


def call(function: str | ast.Expr, *args: ast.Expr | ast.Argument) -> ast.Call:
    given = tuple([arg if isinstance(arg, ast.Argument) else ast.Argument(None, arg, MADE) for arg in args])
    return ast.Call(name(function) if isinstance(function, str) else function, given, MADE)


def option(text: str, value: ast.Expr) -> ast.Argument:
    return ast.Argument(ast.Ident(text, MADE), value, MADE)


def with_args(node: ast.Call, args: tuple[ast.Argument, ...]) -> ast.Call:
    """Return a call with other arguments."""
    return ast.Call(node.function, args, MADE)


def field(base: ast.Expr, text: str) -> ast.Field:
    return ast.Field(base, ast.Ident(text, MADE), MADE)


def index(base: ast.Expr, *items: ast.IndexItem) -> ast.Index:
    return ast.Index(base, items, MADE)


ALL = ast.Slice(None, None, None, MADE)
NEW = ast.NoneLit(True, MADE)
REST = ast.EllipsisItem(MADE)


# ---------------------------------------------------------------- how trees are written


def write(node: ast.Expr | ast.Argument | ast.IndexItem | ast.Splice) -> str:
    """Return the text of a tree."""
    if node.span is not MADE:
        return node.span.text
    match node:
        case ast.Name(text):
            return text
        case ast.NumberLit(value):
            return str(value)
        case ast.StringLit(text):
            return f'"{text}"'
        case ast.BoolLit(truth):
            return "true" if truth else "false"
        case ast.NoneLit(python):
            return "None" if python else "none"
        case ast.EllipsisItem():
            return "..."
        case ast.Slice(start, stop, None):
            return f"{'' if start is None else write(start)}:{'' if stop is None else write(stop)}"
        case ast.Field(base, selected):
            return f"{operand(write(base))}.{selected.name}"
        case ast.Index(base, items):
            return f"{operand(write(base))}[{', '.join(map(write, items))}]"
        case ast.Argument(label, value):
            return f"{'' if label is None else f'{label.name}='}{write(value)}"
        case ast.Call(function, args):
            inside = bare(write(args[0])) if len(args) == 1 else ", ".join(map(write, args))
            return f"{operand(write(function))}({inside})"
        case ast.ListLit(items):
            return f"[{', '.join(map(write, items))}]"
        case ast.TupleLit(items):
            return f"({', '.join(map(write, items))}{',' if len(items) == 1 else ''})"
        case ast.Unary("-", value):
            return f"-{operand(write(value))}"
        case ast.Binary(op, left, right):
            return f"{operand(write(left))} {op} {operand(write(right))}"
        case _:
            raise TypeError(f"a help makes no {type(node).__name__}")


def change(old: ast.Expr | ast.Argument, new: ast.Expr | ast.Argument) -> Edit:
    """Return the edit that puts one node in the place of another."""
    return Edit(old.span, write(new))


def rewritten(whole: Span, *changes: Edit) -> str:
    """Return the text of a place after changes of nodes inside it."""
    text = whole.text
    for edit in sorted(changes, key=lambda each: each.span.start, reverse=True):
        text = text[: edit.span.start - whole.start] + edit.text + text[edit.span.end - whole.start :]
    return text
