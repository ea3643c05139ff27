"""The abstract syntax tree: what was written, with spans, without layout and comments.

Every node is frozen and ends with its `span`. The tree knows nothing of names, types or stages. Operators are
already grouped by precedence; `|>`, method calls and comprehensions stand as they were written. `parse` builds
it, `format` prints source from tokens and tree, `typechecker` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from dsl.diagnostics.source import Source, Span


@dataclass(frozen=True, slots=True)
class Ident:
    """A name at the place where it is bound or selected."""

    name: str
    span: Span


# ---------------------------------------------------------------- patterns


@dataclass(frozen=True, slots=True)
class NamePattern:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class WildcardPattern:
    span: Span


@dataclass(frozen=True, slots=True)
class TuplePattern:
    parts: tuple[Pattern, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class VariantPattern:
    """`V`, `V(P, …)`, `m.V(P, …)` in a match arm. `path` is ("m", "V") or ("V",). Bare names stay `NamePattern`."""

    path: tuple[Ident, ...]
    parts: tuple[Pattern, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class LiteralPattern:
    value: int | float | complex | bool | str | None
    span: Span


Pattern: TypeAlias = NamePattern | WildcardPattern | TuplePattern | VariantPattern | LiteralPattern


# ---------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class NamedType:
    """`f32`, `Params`, `attn.Config`: a dotted name."""

    path: tuple[Ident, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class IndexedType:
    """`base[args]`: array axes, alias parameters, or added leading axes; which it is, is decided by the checker."""

    base: TypeExpr
    args: tuple[Expr | Splice, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Splice:
    """`*s` or `*reduced(s, axis)` inside the brackets of a type, a shape list, or a call."""

    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class TupleTypeExpr:
    parts: tuple[TypeExpr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RecordTypeExpr:
    fields: tuple[tuple[Ident, TypeExpr], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class FunctionTypeExpr:
    """`(A, B) -> C ! e`, `A -> B`. `effects` is None when no `!` was written."""

    params: tuple[TypeExpr, ...]
    result: TypeExpr
    effects: Row | None
    span: Span


@dataclass(frozen=True, slots=True)
class OptionalType:
    """`T?`"""

    base: TypeExpr
    span: Span


TypeExpr: TypeAlias = NamedType | IndexedType | TupleTypeExpr | RecordTypeExpr | FunctionTypeExpr | OptionalType


@dataclass(frozen=True, slots=True)
class RowLabel:
    """One effect of a row: `rand`, `e`, `m.sample`, `state(s: T)`, `accum(a: T)`, `axis("i": n)`, `axis("i")`.

    `cell` is the name before the colon (an Ident, or a StringLit for `axis`), `type` what stands after it
    (an Expr for `axis`).
    """

    path: tuple[Ident, ...]
    cell: Ident | StringLit | None
    type: TypeExpr | Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Row:
    """`! rand` or `! {rand, e}`; the span starts after the `!`."""

    labels: tuple[RowLabel, ...]
    span: Span


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class NumberLit:
    """`3`, `0x1f`, `2.5`, `2.0j`: an int, a float or a complex."""

    value: int | float | complex
    span: Span


@dataclass(frozen=True, slots=True)
class BoolLit:
    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class StringLit:
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class NoneLit:
    """`none`, and `None` (`python` is then true; legal inside an index alone)."""

    python: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    base: Expr
    name: Ident
    span: Span


@dataclass(frozen=True, slots=True)
class TupleItem:
    """`t.0`"""

    base: Expr
    index: int
    span: Span


@dataclass(frozen=True, slots=True)
class Argument:
    """`e`, `name=e` or `*e`."""

    name: Ident | None
    value: Expr | Splice
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`f(a, b=c)`; a method call is a Call of a Field."""

    function: Expr
    args: tuple[Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Slice:
    start: Expr | None
    stop: Expr | None
    step: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class EllipsisItem:
    span: Span


IndexItem: TypeAlias = "Expr | Slice | EllipsisItem"


@dataclass(frozen=True, slots=True)
class Index:
    """`base[items]`; a new axis is a NoneLit item."""

    base: Expr
    items: tuple[IndexItem, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    op: Literal["-", "+", "~", "not"]
    operand: Expr
    span: Span


BinaryOp: TypeAlias = Literal["+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "^", "<<", ">>", "and", "or"]


@dataclass(frozen=True, slots=True)
class Binary:
    op: BinaryOp
    left: Expr
    right: Expr
    span: Span


CompareOp: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Compare:
    """`a < b`, `a < b < c`: one operator fewer than operands."""

    operands: tuple[Expr, ...]
    ops: tuple[CompareOp, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Pipe:
    """`value |> function`"""

    value: Expr
    function: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class TupleLit:
    """`()`, `(e,)`, `(a, b)`; items may be splices only where the checker allows them."""

    items: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ListLit:
    items: tuple[Expr | Splice, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RecordLit:
    """`{w = a, b = c}`"""

    fields: tuple[tuple[Ident, Expr], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RecordUpdate:
    """`{p with w = v, layer.b = u}`: each update is a path of field names and a value."""

    base: Expr
    updates: tuple[tuple[tuple[Ident, ...], Expr], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ForClause:
    pattern: Pattern
    iterable: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Comprehension:
    """`[body for P in e, Q in f]`, first clause outermost."""

    body: Expr
    clauses: tuple[ForClause, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class LambdaParam:
    pattern: Pattern
    type: TypeExpr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Lambda:
    params: tuple[LambdaParam, ...]
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    condition: Expr
    then: Expr
    orelse: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Arm:
    pattern: Pattern
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Match:
    subject: Expr
    arms: tuple[Arm, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    """`fold P [: T] = init for Q in e [reverse] [unroll k] do body`, and `scan` likewise."""

    kind: Literal["fold", "scan"]
    carry: Pattern
    carry_type: TypeExpr | None
    init: Expr
    clause: ForClause
    reverse: bool
    unroll: Expr | None
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Iterate:
    carry: Pattern
    carry_type: TypeExpr | None
    init: Expr
    condition: Expr
    limit: Expr | None
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class HandlerClause:
    """`sample(name, d) -> body`; `resume` is called inside the body."""

    path: tuple[Ident, ...]
    params: tuple[Pattern, ...]
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class RngHandler:
    key: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class StateHandler:
    cell: Ident
    type: TypeExpr | None
    init: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class AccumHandler:
    cell: Ident
    type: TypeExpr
    span: Span


@dataclass(frozen=True, slots=True)
class ChecksHandler:
    span: Span


@dataclass(frozen=True, slots=True)
class UserHandler:
    """`with handler c1, c2[, state s = e] do`"""

    clauses: tuple[HandlerClause, ...]
    state: StateHandler | None
    span: Span


Handler: TypeAlias = RngHandler | StateHandler | AccumHandler | ChecksHandler | UserHandler


@dataclass(frozen=True, slots=True)
class With:
    handler: Handler
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
    """Statements, then a value. A body without statements is its expression alone, never a Block."""

    statements: tuple[Statement, ...]
    result: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class ErrorExpr:
    """The place of a syntax error; the checker gives it a type that is compatible with every type."""

    span: Span


Expr: TypeAlias = (
    NumberLit
    | BoolLit
    | StringLit
    | NoneLit
    | Name
    | Field
    | TupleItem
    | Call
    | Index
    | Unary
    | Binary
    | Compare
    | Pipe
    | TupleLit
    | ListLit
    | RecordLit
    | RecordUpdate
    | Comprehension
    | Lambda
    | If
    | Match
    | Loop
    | Iterate
    | With
    | Block
    | ErrorExpr
)


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Let:
    """`let P [: T] = e`, in a block or at top level. `doc` is set at top level alone."""

    pattern: Pattern
    type: TypeExpr | None
    value: Expr
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Assert:
    condition: Expr
    message: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class CellWrite:
    """`s := e`, `a += e` with a bare name on the left."""

    cell: Ident
    op: Literal[":=", "+="]
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Assignment:
    """`x = e`, `x[0] = e`, `p.w += e`, `x -= e` …: never legal; kept so that the checker can spell the rewrite."""

    target: Expr
    op: str
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class ExprStatement:
    value: Expr
    span: Span


Statement: TypeAlias = Let | Assert | CellWrite | Assignment | ExprStatement


# ---------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True)
class Import:
    """`import a.b as c`; `alias` is None without `as`."""

    path: tuple[Ident, ...]
    alias: Ident | None
    span: Span


@dataclass(frozen=True, slots=True)
class FromImport:
    """`from a.b import f, g as h`: pairs of the name there and the name here (or None)."""

    path: tuple[Ident, ...]
    names: tuple[tuple[Ident, Ident | None], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Generic:
    """`n`, `*s`, `a: Float` in the brackets of a def or a type; an effect variable is a plain name."""

    name: Ident
    star: bool
    constraint: Ident | None
    span: Span


@dataclass(frozen=True, slots=True)
class TypeAliasDecl:
    name: Ident
    params: tuple[Generic, ...]
    value: TypeExpr
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Variant:
    name: Ident
    fields: tuple[tuple[Ident, TypeExpr], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class EnumDecl:
    name: Ident
    variants: tuple[Variant, ...]
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a def; `keyword_only` after a lone `*`. A missing type is reported by the checker."""

    name: Ident
    type: TypeExpr | None
    static: bool
    default: Expr | None
    keyword_only: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Requirement:
    """`where n >= 1 else "x must not be empty"`: what callers must ensure, and what a call that does not is told."""

    condition: Expr
    message: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Def:
    name: Ident
    static: bool
    generics: tuple[Generic, ...]
    params: tuple[Param, ...]
    result: TypeExpr | None
    effects: Row | None
    where: tuple[Requirement, ...]
    body: Expr
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class EffectDecl:
    """`effect sample: (static name: str, d: Normal) -> f32`"""

    name: Ident
    params: tuple[Param, ...]
    result: TypeExpr
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Attribute:
    """What a line `@name` or `@name(parameter, parameter)` says of the definition below it."""

    name: str
    parameters: tuple[str, ...]


Declaration: TypeAlias = Import | FromImport | TypeAliasDecl | EnumDecl | Let | Def | EffectDecl


@dataclass(frozen=True, slots=True)
class Module:
    """A whole text. `broken` are the names that declarations with an unreadable head would have declared; `attributes`,
    by the places of definitions' names, stand in the texts of the library alone."""

    source: Source
    declarations: tuple[Declaration, ...]
    doc: str | None
    broken: tuple[str, ...] = ()
    attributes: Mapping[Span, tuple[Attribute, ...]] = field(default_factory=lambda: MappingProxyType({}))
