"""The abstract syntax tree: what was written, with spans, without layout and comments.

Every node is frozen and ends with its `span`. The tree knows nothing of names, types or stages. Operators are
already grouped by precedence; `|>`, method calls and comprehensions stand as they were written. `parse` builds
it, `format` prints source from tokens and tree, `typechecker` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from msgspec import Struct, field

from dsl.diagnostics.source import Source, Span


class Ident(Struct, frozen=True):
    """A name at the place where it is bound or selected."""

    name: str
    span: Span


# ---------------------------------------------------------------- patterns


class NamePattern(Struct, frozen=True):
    name: str
    span: Span


class WildcardPattern(Struct, frozen=True):
    span: Span


class TuplePattern(Struct, frozen=True):
    """`(P, Q)`; in a `let` or a carry also `(P: T, Q)`: then `types` has the type of each part, if one is stated."""

    parts: tuple[Pattern, ...]
    span: Span
    types: tuple[TypeExpr | None, ...] = ()


class VariantPattern(Struct, frozen=True):
    """`V`, `V(P, …)`, `m.V(P, …)` in a match arm. `path` is ("m", "V") or ("V",). Bare names stay `NamePattern`."""

    path: tuple[Ident, ...]
    parts: tuple[Pattern, ...]
    span: Span


class LiteralPattern(Struct, frozen=True):
    value: int | float | complex | bool | str | None
    span: Span


Pattern: TypeAlias = NamePattern | WildcardPattern | TuplePattern | VariantPattern | LiteralPattern


# ---------------------------------------------------------------- types


class NamedType(Struct, frozen=True):
    """`f32`, `Params`, `attn.Config`: a dotted name."""

    path: tuple[Ident, ...]
    span: Span


class IndexedType(Struct, frozen=True):
    """`base[args]`: array axes, alias parameters, or added leading axes; which it is, is decided by the checker."""

    base: TypeExpr
    args: tuple[Expr | Splice, ...]
    span: Span


class ComputedDType(Struct, frozen=True):
    """`complex_of(F)`: a dtype that a static function returns."""

    value: Call
    span: Span


class Splice(Struct, frozen=True):
    """`*s` or `*reduced(s, axis)` inside the brackets of a type, a shape list, or a call."""

    value: Expr
    span: Span


class TupleTypeExpr(Struct, frozen=True):
    parts: tuple[TypeExpr, ...]
    span: Span


class RecordTypeExpr(Struct, frozen=True):
    fields: tuple[tuple[Ident, TypeExpr], ...]
    span: Span


class FunctionTypeExpr(Struct, frozen=True):
    """`(A, B) -> C ! e`, `A -> B`. `effects` is None when no `!` was written."""

    params: tuple[TypeExpr, ...]
    result: TypeExpr
    effects: Row | None
    span: Span


class OptionalType(Struct, frozen=True):
    """`T?`"""

    base: TypeExpr
    span: Span


TypeExpr: TypeAlias = (
    NamedType | IndexedType | ComputedDType | TupleTypeExpr | RecordTypeExpr | FunctionTypeExpr | OptionalType
)


class RowLabel(Struct, frozen=True):
    """One effect of a row: `rand`, `e`, `m.sample`, `state(s: T)`, `accum(a: T)`, `axis("i": n)`, `axis("i")`.

    `cell` is the name before the colon (an Ident, or a StringLit for `axis`), `type` what stands after it
    (an Expr for `axis`), or the record of `param(P)`.
    """

    path: tuple[Ident, ...]
    cell: Ident | StringLit | None
    type: TypeExpr | Expr | None
    span: Span


class Row(Struct, frozen=True):
    """`! rand` or `! {rand, e}`; the span starts after the `!`."""

    labels: tuple[RowLabel, ...]
    span: Span


# ---------------------------------------------------------------- expressions


class NumberLit(Struct, frozen=True):
    """`3`, `0x1f`, `2.5`, `2.0j`: an int, a float or a complex."""

    value: int | float | complex
    span: Span


class BoolLit(Struct, frozen=True):
    value: bool
    span: Span


class StringLit(Struct, frozen=True):
    value: str
    span: Span


class NoneLit(Struct, frozen=True):
    """`none`, and `None` (`python` is then true; legal inside an index alone)."""

    python: bool
    span: Span


class Name(Struct, frozen=True):
    name: str
    span: Span


class Field(Struct, frozen=True):
    base: Expr
    name: Ident
    span: Span


class TupleItem(Struct, frozen=True):
    """`t.0`"""

    base: Expr
    index: int
    span: Span


class Argument(Struct, frozen=True):
    """`e`, `name=e` or `*e`."""

    name: Ident | None
    value: Expr | Splice
    span: Span


class Call(Struct, frozen=True):
    """`f(a, b=c)`; a method call is a Call of a Field."""

    function: Expr
    args: tuple[Argument, ...]
    span: Span


class Slice(Struct, frozen=True):
    start: Expr | None
    stop: Expr | None
    step: Expr | None
    span: Span


class EllipsisItem(Struct, frozen=True):
    span: Span


IndexItem: TypeAlias = "Expr | Slice | EllipsisItem"


class Index(Struct, frozen=True):
    """`base[items]`; a new axis is a NoneLit item."""

    base: Expr
    items: tuple[IndexItem, ...]
    span: Span


class Unary(Struct, frozen=True):
    op: Literal["-", "+", "~", "not"]
    operand: Expr
    span: Span


BinaryOp: TypeAlias = Literal["+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "^", "<<", ">>", "and", "or"]


class Binary(Struct, frozen=True):
    op: BinaryOp
    left: Expr
    right: Expr
    span: Span


CompareOp: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]


class Compare(Struct, frozen=True):
    """`a < b`, `a < b < c`: one operator fewer than operands."""

    operands: tuple[Expr, ...]
    ops: tuple[CompareOp, ...]
    span: Span


class Pipe(Struct, frozen=True):
    """`value |> function`"""

    value: Expr
    function: Expr
    span: Span


class TupleLit(Struct, frozen=True):
    """`()`, `(e,)`, `(a, b)`; items may be splices only where the checker allows them."""

    items: tuple[Expr, ...]
    span: Span


class ListLit(Struct, frozen=True):
    items: tuple[Expr | Splice, ...]
    span: Span


class RecordLit(Struct, frozen=True):
    """`{w = a, b = c}`"""

    fields: tuple[tuple[Ident, Expr], ...]
    span: Span


class RecordUpdate(Struct, frozen=True):
    """`{p with w = v, layer.b = u}`: each update is a path of field names and a value."""

    base: Expr
    updates: tuple[tuple[tuple[Ident, ...], Expr], ...]
    span: Span


class ForClause(Struct, frozen=True):
    pattern: Pattern
    iterable: Expr
    span: Span


class Comprehension(Struct, frozen=True):
    """`[body for P in e, Q in f]`, first clause outermost."""

    body: Expr
    clauses: tuple[ForClause, ...]
    span: Span


class LambdaParam(Struct, frozen=True):
    pattern: Pattern
    type: TypeExpr | None
    span: Span


class Lambda(Struct, frozen=True):
    params: tuple[LambdaParam, ...]
    body: Expr
    span: Span


class If(Struct, frozen=True):
    condition: Expr
    then: Expr
    orelse: Expr
    span: Span


class Arm(Struct, frozen=True):
    pattern: Pattern
    body: Expr
    span: Span


class Match(Struct, frozen=True):
    subject: Expr
    arms: tuple[Arm, ...]
    span: Span


class Loop(Struct, frozen=True):
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


class Iterate(Struct, frozen=True):
    carry: Pattern
    carry_type: TypeExpr | None
    init: Expr
    condition: Expr
    limit: Expr | None
    body: Expr
    span: Span


class HandlerClause(Struct, frozen=True):
    """`sample(name, d) -> body`, `sample(name, d) as v from r -> body`; `resume` is called inside the body."""

    path: tuple[Ident, ...]
    params: tuple[Pattern, ...]
    body: Expr
    span: Span
    source: FieldOf | None = None


class FieldOf(Struct, frozen=True):
    """`as v from r`: the field of a record that has the name of the operation."""

    name: Ident
    record: Expr


class RngHandler(Struct, frozen=True):
    key: Expr
    span: Span


class StateHandler(Struct, frozen=True):
    cell: Ident
    type: TypeExpr | None
    init: Expr
    span: Span


class AccumHandler(Struct, frozen=True):
    cell: Ident
    type: TypeExpr
    span: Span


class ChecksHandler(Struct, frozen=True):
    span: Span


class ScopeHandler(Struct, frozen=True):
    """`with scope("encoder") do`: the names of what is performed stand in a record of this name."""

    name: Expr
    span: Span


class Collected(Struct, frozen=True):
    """`record` behind the clauses of a handler: what the operations give is collected by their names."""

    span: Span


class UserHandler(Struct, frozen=True):
    """`with handler c1, c2[, state s = e] do`, `with handler c, record do`"""

    clauses: tuple[HandlerClause, ...]
    state: StateHandler | None
    span: Span
    record: Collected | None = None


Handler: TypeAlias = RngHandler | StateHandler | AccumHandler | ChecksHandler | ScopeHandler | UserHandler


class With(Struct, frozen=True):
    handler: Handler
    body: Expr
    span: Span


class Block(Struct, frozen=True):
    """Statements, then a value. A body without statements is its expression alone, never a Block."""

    statements: tuple[Statement, ...]
    result: Expr
    span: Span


class ErrorExpr(Struct, frozen=True):
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


class Let(Struct, frozen=True):
    """`let P [: T] = e`, in a block or at top level. `doc` is set at top level alone."""

    pattern: Pattern
    type: TypeExpr | None
    value: Expr
    doc: str | None
    span: Span


class Assert(Struct, frozen=True):
    condition: Expr
    message: Expr | None
    span: Span


class CellWrite(Struct, frozen=True):
    """`s := e`, `a += e` with a bare name on the left."""

    cell: Ident
    op: Literal[":=", "+="]
    value: Expr
    span: Span


class Assignment(Struct, frozen=True):
    """`x = e`, `x[0] = e`, `p.w += e`, `x -= e` …: never legal; kept so that the checker can spell the rewrite."""

    target: Expr
    op: str
    value: Expr
    span: Span


class ExprStatement(Struct, frozen=True):
    value: Expr
    span: Span


Statement: TypeAlias = Let | Assert | CellWrite | Assignment | ExprStatement


# ---------------------------------------------------------------- declarations


class Import(Struct, frozen=True):
    """`import a.b as c`; `alias` is None without `as`."""

    path: tuple[Ident, ...]
    alias: Ident | None
    span: Span


class FromImport(Struct, frozen=True):
    """`from a.b import f, g as h`: pairs of the name there and the name here (or None)."""

    path: tuple[Ident, ...]
    names: tuple[tuple[Ident, Ident | None], ...]
    span: Span


class Generic(Struct, frozen=True):
    """`n`, `*s`, `a: Float`, `P: VSpace[Float]` in the brackets of a def or a type; `over` is the class of
    dtypes of a tree's leaves. An effect variable is a plain name."""

    name: Ident
    star: bool
    constraint: Ident | None
    span: Span
    over: Ident | None = None


class TypeAliasDecl(Struct, frozen=True):
    name: Ident
    params: tuple[Generic, ...]
    value: TypeExpr
    doc: str | None
    span: Span


class Variant(Struct, frozen=True):
    name: Ident
    fields: tuple[tuple[Ident, TypeExpr], ...]
    span: Span


class EnumDecl(Struct, frozen=True):
    name: Ident
    variants: tuple[Variant, ...]
    doc: str | None
    span: Span


class Param(Struct, frozen=True):
    """A parameter of a def; `keyword_only` after a lone `*`. A missing type is reported by the checker."""

    name: Ident
    type: TypeExpr | None
    static: bool
    default: Expr | None
    keyword_only: bool
    span: Span


class Requirement(Struct, frozen=True):
    """`where n >= 1 else "x must not be empty"`: what callers must ensure, and what a call that does not is told."""

    condition: Expr
    message: str | None
    span: Span


class Def(Struct, frozen=True):
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


class EffectDecl(Struct, frozen=True):
    """`effect sample: (static name: str, d: Normal) -> f32`, `effect draw[a: Float]: (x: a[n]) -> a where n >= 1`;
    `form` is the word of `effect named sample: …`, `effect shared param: …`."""

    name: Ident
    generics: tuple[Generic, ...]
    params: tuple[Param, ...]
    result: TypeExpr
    where: tuple[Requirement, ...]
    doc: str | None
    span: Span
    form: Ident | None = None


class Attribute(Struct, frozen=True):
    """An attribute of the definition below it, written `@name` or `@name(parameter, parameter)`."""

    name: str
    parameters: tuple[str, ...]


Declaration: TypeAlias = Import | FromImport | TypeAliasDecl | EnumDecl | Let | Def | EffectDecl


class Module(Struct, frozen=True):
    """A whole text. `broken` are the names that declarations with an unreadable head would have declared; `attributes`,
    by the places of definitions' names, stand in the texts of the library alone."""

    source: Source
    declarations: tuple[Declaration, ...]
    doc: str | None
    broken: tuple[str, ...] = ()
    attributes: Mapping[Span, tuple[Attribute, ...]] = field(default_factory=lambda: MappingProxyType({}))
