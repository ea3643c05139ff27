"""The declarations of variables in a file: annotations as written, and values.

mypy drops what jaxtyping says of axes when it reads annotations, so the trees of the file are asked. Read next:
`hooks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct
from mypy.nodes import (
    AssignmentStmt,
    Block,
    ClassDef,
    Decorator,
    Expression,
    ForStmt,
    FuncDef,
    IfStmt,
    MatchStmt,
    MypyFile,
    NameExpr,
    Node,
    OverloadedFuncDef,
    StrExpr,
    TryStmt,
    WhileStmt,
    WithStmt,
)
from mypy.types import CallableType, RawExpressionType, Type, UnboundType

from dsl.host.python_types.kinds import DTYPES, ArrayKind


class Declarations(Struct, frozen=True):
    """By variable, what it is annotated with and what it is set to."""

    annotations: Mapping[Node, Type]
    values: Mapping[Node, Expression]


@lru_cache(maxsize=1)
def declarations(tree: MypyFile) -> Declarations:
    """Return the declarations of a whole file."""
    annotations: dict[Node, Type] = {}
    values: dict[Node, Expression] = {}
    for statement in statements(tree.defs):
        if isinstance(statement, FuncDef) and isinstance(statement.unanalyzed_type, CallableType):
            types = statement.unanalyzed_type.arg_types
            annotations |= {a.variable: t for a, t in zip(statement.arguments, types, strict=True)}
        if isinstance(statement, AssignmentStmt):
            nodes = [t.node for t in statement.lvalues if isinstance(t, NameExpr) and t.node is not None]
            values |= dict.fromkeys(nodes, statement.rvalue)
            if statement.unanalyzed_type is not None:
                annotations |= dict.fromkeys(nodes, statement.unanalyzed_type)
    return Declarations(annotations, values)


def statements(nodes: Iterable[Node]) -> Iterator[Node]:
    """All statements, those within others too."""
    for statement in nodes:
        yield statement
        yield from statements(_inside(statement))


def _inside(statement: Node) -> list[Node]:
    """The statements within one, whatever block they stand in."""
    match statement:
        case Block():
            return list(statement.body)
        case FuncDef():
            return [statement.body]
        case Decorator():
            return [statement.func]
        case OverloadedFuncDef():
            return list(statement.items)
        case ClassDef():
            return [statement.defs]
        case IfStmt():
            return [*statement.body, *_known(statement.else_body)]
        case WhileStmt() | ForStmt():
            return [statement.body, *_known(statement.else_body)]
        case WithStmt():
            return [statement.body]
        case TryStmt():
            others = (statement.else_body, statement.finally_body)
            return [statement.body, *statement.handlers, *_known(*others)]
        case MatchStmt():
            return list(statement.bodies)
        case _:
            return []


def _known(*blocks: Block | None) -> list[Node]:
    return [block for block in blocks if block is not None]


def annotated(expression: Expression, tree: MypyFile) -> ArrayKind | None:
    """Return the array type that a jaxtyping annotation states for a variable."""
    if not isinstance(expression, NameExpr) or expression.node is None:
        return None
    return array_kind(declarations(tree).annotations.get(expression.node))


def array_kind(type_: Type | None) -> ArrayKind | None:
    """`Float32[np.ndarray, "n d"]` as it was written."""
    if not isinstance(type_, UnboundType) or len(type_.args) != 2:
        return None
    name, axes = type_.name.rpartition(".")[2], literal_text(type_.args[1])
    return ArrayKind(name, axes) if name in DTYPES and axes is not None else None


def literal_text(type_: Type) -> str | None:
    """The string that stands in an annotation."""
    if isinstance(type_, RawExpressionType) and isinstance(type_.literal_value, str):
        return type_.literal_value
    return type_.original_str_expr if isinstance(type_, UnboundType) else None


def string_value(expression: Expression, tree: MypyFile) -> StrExpr | None:
    """The string that an expression is, or that the variable it names is set to."""
    if isinstance(expression, NameExpr) and expression.node is not None:
        value = declarations(tree).values.get(expression.node)
        return value if isinstance(value, StrExpr) else None
    return expression if isinstance(expression, StrExpr) else None
