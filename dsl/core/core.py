"""Core: the checked program. Names are resolved, every expression has a type, sugar is gone; sizes, shapes,
dtypes and trees are still variables, and functions are still values.

The checker builds it once per definition, `dsl.staging` evaluates it for given sizes and static values. Every
expression begins with `span` and `type`. Local variables have an `id` unique within their definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, assert_never

from msgspec import Struct, field

from dsl.core.transformation import Kind
from dsl.diagnostics.source import Source, Span
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.effect import Row
from dsl.types.facts import Prop
from dsl.types.shape import Shape, ShapeVar
from dsl.types.size import Size, SizeVar
from dsl.types.type import DTypeVar, Element, EnumType, FunctionType, Type, TypeVar

Literal: TypeAlias = int | float | complex | bool | str | None

Variable: TypeAlias = SizeVar | ShapeVar | DTypeVar | TypeVar
"""A variable of a signature."""

Meaning: TypeAlias = Size | Shape | Element | Type
"""What a variable stands for in a call."""

Hidden: TypeAlias = tuple[tuple[Variable, Meaning], ...]
"""What the hidden variables of a callee stand for."""

# ---------------------------------------------------------------- names and patterns

OVERLOAD = "#"
"""Parts the name of a definition that shares it with an earlier one from its number, as in `max#2`."""


def written_name(name: str) -> str:
    """The name of a definition as it stands in the text."""
    return name.partition(OVERLOAD)[0]


class Bind(Struct, frozen=True):
    """A local name that a pattern binds."""

    id: int
    name: str


class Ignore(Struct, frozen=True):
    pass


class Split(Struct, frozen=True):
    """Parts of a tuple, or of the leading axis of an array (or `T[k]`) when `axis` is true."""

    parts: tuple[Pattern, ...]
    axis: bool


class IsVariant(Struct, frozen=True):
    """Matches an enum value; `parts` match its fields in order."""

    enum: EnumType
    variant: str
    parts: tuple[Pattern, ...]


class IsLiteral(Struct, frozen=True):
    value: Literal


Pattern: TypeAlias = Bind | Ignore | Split | IsVariant | IsLiteral


# ---------------------------------------------------------------- static leaves


class Const(Struct, frozen=True):
    """A static value: number, bool, string, none or dtype."""

    span: Span
    type: Type
    value: Literal | DType


def constant(value: Literal, span: Span) -> Const:
    """A value of Python as what its literal means."""
    match value:
        case None:
            return Const(span, ty.NONE, value)
        case bool():
            return Const(span, ty.BOOLEAN, value)
        case int():
            return Const(span, ty.INT, value)
        case float():
            return Const(span, ty.FLOAT, value)
        case complex():
            return Const(span, ty.COMPLEX, value)
        case str():
            return Const(span, ty.STRING, value)
        case _:
            assert_never(value)


class Local(Struct, frozen=True):
    span: Span
    type: Type
    id: int
    name: str


class Global(Struct, frozen=True):
    """A `def` (a function value) or a top-level constant of a module."""

    span: Span
    type: Type
    module: str
    name: str


class SizeOf(Struct, frozen=True):
    """A size used as a static int; evaluated from the size variables of the definition."""

    span: Span
    type: Type
    size: Size


class ShapeOf(Struct, frozen=True):
    """A shape known from types (`x.shape`); a static shape."""

    span: Span
    type: Type
    shape: Shape


class DTypeOf(Struct, frozen=True):
    """A dtype known from types (`x.dtype`, a dtype generic used as a value)."""

    span: Span
    type: Type
    dtype: Element


class ShapeList(Struct, frozen=True):
    """A list of static ints used as a shape; a `Spread` item splices another shape in."""

    span: Span
    type: Type
    items: tuple[Expr | Spread, ...]


class Spread(Struct, frozen=True):
    span: Span
    type: Type
    value: Expr


class EnumValue(Struct, frozen=True):
    span: Span
    type: Type
    enum: EnumType
    variant: str
    args: tuple[Expr, ...]


# ---------------------------------------------------------------- operators


class Binary(Struct, frozen=True):
    """`+ - * / // % ** @ & | ^ << >> == != < <= > >=`.

    Both operands static: static arithmetic. Otherwise a static number takes the dtype of the other operand,
    shapes broadcast by the safe rules (scalar; trailing axes; literal 1 at equal rank), and trees (`VSpace`)
    work leaf by leaf, a scalar having the dtype of each.
    """

    span: Span
    type: Type
    op: str
    left: Expr
    right: Expr


class Unary(Struct, frozen=True):
    """`-`, `+`, `~`, `not`; leaf by leaf on trees."""

    span: Span
    type: Type
    op: str
    operand: Expr


class Logical(Struct, frozen=True):
    """Scalar `and`, `or`; the right side is evaluated only if needed."""

    span: Span
    type: Type
    op: str
    left: Expr
    right: Expr


class Convert(Struct, frozen=True):
    """An explicit cast of a static number or an array to a dtype, written by the user."""

    span: Span
    type: Type
    value: Expr
    dtype: Element


class Coerce(Struct, frozen=True):
    """Gives `value` exactly `type`, leaf by leaf: static numbers become arrays, a list of static ints a shape,
    an `idx` an `i32`. Shapes are never changed, but a static number spreads nowhere either: it is rank 0."""

    span: Span
    type: Type
    value: Expr


class Opened(Struct, frozen=True):
    """`value`, whose type mentions `sizes` that only a run knows: from here on they are those of this value."""

    span: Span
    type: Type
    value: Expr
    sizes: tuple[SizeVar, ...]


class CheckIndex(Struct, frozen=True):
    """`value` as `idx[bound]`, checked at run time (performs `check`)."""

    span: Span
    type: Type
    value: Expr
    bound: Size


# ---------------------------------------------------------------- functions


class Intrinsic(Struct, frozen=True):
    """A primitive of the compiler, called by the standard library: `name` is a key of `dsl.staging.intrinsics`.

    `args` are positional, `statics` by name. When all args are static numbers and the primitive is a standard
    elementwise function, the result is static.
    """

    span: Span
    type: Type
    name: str
    args: tuple[Expr, ...]
    statics: tuple[tuple[str, Expr], ...] = ()


class Apply(Struct, frozen=True):
    """A call. `args` are in the order of the callee's parameters, static and keyword-only ones included, with
    defaults filled in (None: take the callee's own default). `instance` selects the body of a lambda that was
    checked at several types; `hidden` says what the `hidden` variables of the callee stand for. Both pass
    through transformations and partial values to the lambda or definition inside."""

    span: Span
    type: Type
    function: Expr
    args: tuple[Expr | None, ...]
    instance: int | None = None
    hidden: Hidden = ()


class LambdaBody(Struct, frozen=True):
    """One elaboration of a lambda, for one choice of parameter types."""

    params: tuple[Pattern, ...]
    body: Expr


class Lambda(Struct, frozen=True):
    """A function value. The checker adds one body per use at other types, and none after it is done."""

    span: Span
    type: Type
    instances: list[LambdaBody] = field(default_factory=list)


class Specialise(Struct, frozen=True):
    """A function value fixed to one instance, where it is passed as a monomorphic parameter."""

    span: Span
    type: Type
    function: Expr
    instance: int


class Transform(Struct, frozen=True):
    """A transformed function value; `options` are static, by name."""

    span: Span
    type: Type
    kind: Kind
    function: Expr
    options: tuple[tuple[str, Expr], ...] = ()


class TransformCall(Struct, frozen=True):
    """`jvp(f, primals, tangents)`, `vjp(f, *args)`, `linearize(f, *args)`, `hvp(f, x, v)`:
    transformations that take the arguments at once. The linear functions they return are function values."""

    span: Span
    type: Type
    kind: Kind
    function: Expr
    args: tuple[Expr, ...]
    options: tuple[tuple[str, Expr], ...] = ()
    instance: int | None = None


class MapLeaves(Struct, frozen=True):
    """`tree_map` over trees that are not known yet (type variables): `function`, a lambda checked once for a leaf of
    any dtype and shape, is applied leaf by leaf with `dtype` and `shape` standing for the leaf's own."""

    span: Span
    type: Type
    function: Expr
    trees: tuple[Expr, ...]
    dtype: DTypeVar
    shape: ShapeVar


class FoldLeaves(Struct, frozen=True):
    """`tree_reduce` over a tree that is not known yet: `function(total, leaf)` leaf after leaf, from `init` on, checked
    once as that of `MapLeaves` is."""

    span: Span
    type: Type
    function: Expr
    init: Expr
    tree: Expr
    dtype: DTypeVar
    shape: ShapeVar


# ---------------------------------------------------------------- structure


class Sequence(Struct, frozen=True):
    """Statements in order, then a value: the flat form of a block (no nesting per statement)."""

    span: Span
    type: Type
    statements: tuple[Statement, ...]
    result: Expr


class Bound(Struct, frozen=True):
    """`let pattern = value` inside a `Sequence`."""

    pattern: Pattern
    value: Expr


class Perform(Struct, frozen=True):
    """An expression evaluated for its effects alone."""

    value: Expr


Statement: TypeAlias = Bound | Perform


class If(Struct, frozen=True):
    """Static condition: selects while staging. Traced: a run-time conditional, both branches of `type`."""

    span: Span
    type: Type
    condition: Expr
    then: Expr
    orelse: Expr


class Match(Struct, frozen=True):
    """On a static subject; the first matching arm is selected while staging."""

    span: Span
    type: Type
    subject: Expr
    arms: tuple[tuple[Pattern, Expr], ...]


class Tuple(Struct, frozen=True):
    span: Span
    type: Type
    items: tuple[Expr, ...]


class Project(Struct, frozen=True):
    """`t.0`"""

    span: Span
    type: Type
    base: Expr
    index: int


class Record(Struct, frozen=True):
    span: Span
    type: Type
    fields: tuple[tuple[str, Expr], ...]


class Select(Struct, frozen=True):
    """`p.w`; on a stacked record too."""

    span: Span
    type: Type
    base: Expr
    field: str


class Update(Struct, frozen=True):
    """`{p with w = v, layer.b = u}`"""

    span: Span
    type: Type
    base: Expr
    updates: tuple[tuple[tuple[str, ...], Expr], ...]


class Stack(Struct, frozen=True):
    """`[a, b]`: items of one type stacked along a new leading axis (leaf by leaf for trees)."""

    span: Span
    type: Type
    items: tuple[Expr, ...]


# ---------------------------------------------------------------- indexing


class At(Struct, frozen=True):
    """One index. `guard`: "proved" (in bounds for sure), "check" (performs `check`), or a policy "clip", "wrap",
    "fill", "drop". `from_end`: written with a leading minus; `value` is then what is subtracted from the size.
    A static value selects; an integer array gathers (several arrays follow NumPy's rules)."""

    value: Expr
    guard: str
    from_end: bool = False


class Range(Struct, frozen=True):
    """`start:stop:step` with static bounds; None where not written. A bound may count from the end."""

    start: Expr | None
    stop: Expr | None
    step: Expr | None
    start_from_end: bool = False
    stop_from_end: bool = False


class Window(Struct, frozen=True):
    """A slice that reaches over `length` elements from a start of the run on: `x[i : i + k]`. `from_end`: as of an
    index. By a policy it is an index of each of its places, and its start may be static."""

    start: Expr
    length: Size
    step: Expr | None
    guard: str
    from_end: bool = False


class NewAxis(Struct, frozen=True):
    pass


class Rest(Struct, frozen=True):
    """`...`"""


Item: TypeAlias = At | Range | Window | NewAxis | Rest


class Index(Struct, frozen=True):
    """`base[items]`; on a tree every leaf is indexed. `fill` is the value of the policy "fill"."""

    span: Span
    type: Type
    base: Expr
    items: tuple[Item, ...]
    fill: Expr | None = None


class Scatter(Struct, frozen=True):
    """`base.at[items].op(value)`, op of `set add mul min max divide power apply`; `mask` instead of items for a
    boolean mask. For `apply` the value is a function."""

    span: Span
    type: Type
    base: Expr
    items: tuple[Item, ...]
    op: str
    value: Expr
    mask: Expr | None = None
    instance: int | None = None


# ---------------------------------------------------------------- iteration


class Counting(Struct, frozen=True):
    """`range(start, stop)`"""

    start: Expr
    stop: Expr


class Elements(Struct, frozen=True):
    """The leading axis of every leaf of `value`."""

    value: Expr


class Zipped(Struct, frozen=True):
    parts: tuple[Iterable, ...]


class Enumerated(Struct, frozen=True):
    of: Iterable


class Unrolled(Struct, frozen=True):
    """The parts of a tuple, one by one, at staging."""

    value: Expr


Iterable: TypeAlias = Counting | Elements | Zipped | Enumerated | Unrolled


class Clause(Struct, frozen=True):
    pattern: Pattern
    source: Iterable


class Comprehension(Struct, frozen=True):
    """A parallel map; one new leading axis per clause, first clause outermost."""

    span: Span
    type: Type
    clauses: tuple[Clause, ...]
    body: Expr


class Unroll(Struct, frozen=True):
    """A fold, scan or comprehension over a tuple: one elaboration of the body per step, each with its patterns.

    `kind` is "fold" (the carry after the last step), "scan" (`(carry, outputs)`) or "map" (a stack)."""

    span: Span
    type: Type
    kind: str
    carry: tuple[Pattern, ...]
    init: Expr | None
    source: Iterable
    steps: tuple[tuple[Pattern, Expr], ...]
    reverse: bool = False


class Loop(Struct, frozen=True):
    """`fold` (value: the final carry) or `scan` (value: the final carry and the stacked outputs).
    `carry_type` is the exact type of the carry; `init` and the body's carry are coerced to it."""

    span: Span
    type: Type
    kind: str
    carry: Pattern
    carry_type: Type
    init: Expr
    clause: Clause
    reverse: bool
    unroll: Expr | None
    body: Expr


class Iterate(Struct, frozen=True):
    span: Span
    type: Type
    carry: Pattern
    carry_type: Type
    init: Expr
    condition: Expr
    limit: Expr | None
    body: Expr


# ---------------------------------------------------------------- effects


class Assert(Struct, frozen=True):
    """Value (). `message` is a static string."""

    span: Span
    type: Type
    condition: Expr
    message: Expr | None


class Checked(Struct, frozen=True):
    """`checked(x)`: x, after a check that no inexact leaf holds NaN or infinity."""

    span: Span
    type: Type
    value: Expr


class Print(Struct, frozen=True):
    """`print("loss {}", x)`; `tag` instead of a format for `emit("loss", x)`. One that is `ordered` has its turn among
    all that happens outside."""

    span: Span
    type: Type
    template: Expr
    args: tuple[Expr, ...]
    emit: bool = False
    ordered: bool = True


class FreshKey(Struct, frozen=True):
    span: Span
    type: Type


class ReadCell(Struct, frozen=True):
    """The value of a cell, which is named by its effect, as in `state(s)`."""

    span: Span
    type: Type
    cell: str


class WriteCell(Struct, frozen=True):
    """`s := e` (op ":=") or `a += e` (op "+="); value ()."""

    span: Span
    type: Type
    cell: str
    op: str
    value: Expr


class HandleRng(Struct, frozen=True):
    span: Span
    type: Type
    key: Expr
    body: Expr


class HandleCell(Struct, frozen=True):
    """`with state s = init do` or `with accum a: T do` (init None: zeros of `cell_type`); value `(value, final)`."""

    span: Span
    type: Type
    kind: str
    cell: str
    cell_type: Type
    init: Expr | None
    body: Expr


class HandleChecks(Struct, frozen=True):
    """Value `(value, {code, failed})`."""

    span: Span
    type: Type
    body: Expr


class Operation(Struct, frozen=True):
    """A user's effect performed: `sample("x", d)`. `hidden` is what the `hidden` variables of its
    signature stand for, in order."""

    span: Span
    type: Type
    module: str
    name: str
    args: tuple[Expr, ...]
    hidden: tuple[Meaning, ...] = ()


class HandlerClause(Struct, frozen=True):
    """The implementation of an operation by a handler. `signature` is that of the operation, in variables of this
    clause. If there is a `source`, the last pattern is bound to the field of this record that has the operation's name.
    `form` is the word that marks an operation known by name: a shared one is evaluated once, at the handler."""

    module: str
    name: str
    signature: Signature
    params: tuple[Pattern, ...]
    source: Expr | None
    body: Expr
    form: str | None = None


class Resume(Struct, frozen=True):
    span: Span
    type: Type
    value: Expr


class HandleUser(Struct, frozen=True):
    """The body with what its clauses do. With a `cell` the value is a pair of the body's and the cell's last one, with
    a `record` one of the body's and the record of all that the operation gave."""

    span: Span
    type: Type
    clauses: tuple[HandlerClause, ...]
    cell: str | None
    cell_type: Type | None
    init: Expr | None
    body: Expr
    record: Type | None = None


class HandleScope(Struct, frozen=True):
    """`with scope("encoder") do`: what is performed by name in the body has the name in front."""

    span: Span
    type: Type
    name: Expr
    body: Expr


Expr: TypeAlias = (
    Const
    | Local
    | Global
    | SizeOf
    | ShapeOf
    | DTypeOf
    | ShapeList
    | EnumValue
    | Binary
    | Unary
    | Logical
    | Convert
    | Coerce
    | Opened
    | CheckIndex
    | Intrinsic
    | Apply
    | Lambda
    | Specialise
    | Transform
    | TransformCall
    | MapLeaves
    | FoldLeaves
    | Sequence
    | If
    | Match
    | Tuple
    | Project
    | Record
    | Select
    | Update
    | Stack
    | Index
    | Scatter
    | Comprehension
    | Unroll
    | Loop
    | Iterate
    | Assert
    | Checked
    | Print
    | FreshKey
    | ReadCell
    | WriteCell
    | HandleRng
    | HandleCell
    | HandleChecks
    | Operation
    | Resume
    | HandleUser
    | HandleScope
)


# ---------------------------------------------------------------- definitions


class Parameter(Struct, frozen=True):
    """A parameter. A static one that types may mention also binds a variable: `size` for int and size
    parameters, `shape` for shapes, `dtype` for dtypes; a static tuple or record has `parts`, which bind theirs.
    `id` is its local variable in the body."""

    name: str
    id: int
    type: Type
    span: Span
    static: bool = False
    keyword_only: bool = False
    default: Expr | None = None
    size: SizeVar | None = None
    shape: ShapeVar | None = None
    dtype: DTypeVar | None = None
    parts: tuple[Parameter, ...] = ()

    def binders(self) -> Iterator[Parameter]:
        """Itself and the parts of a static tuple or record, to any depth."""
        yield self
        for part in self.parts:
            yield from part.binders()

    @property
    def counts(self) -> bool:
        """Return whether `argnums` and `in_axes` count it: not a static parameter, nor a function, which is always
        static."""
        return not self.static and not isinstance(self.type, FunctionType)


class Signature(Struct, frozen=True):
    """A definition's type: generic in the variables listed, under the constraints `where` (stated ones and the
    range conditions inferred from the body). `hidden` variables cannot be read off the data among the arguments: calls
    say what they stand for. Of these, `extra_sizes` are told by no function either: Python gives them by name.
    `messages` are those that the definition gives with its conditions. The sizes that the result `opens` are decided by
    the data of each call; `promises` are the conditions that they meet."""

    sizes: tuple[SizeVar, ...]
    shapes: tuple[ShapeVar, ...]
    dtypes: tuple[DTypeVar, ...]
    types: tuple[TypeVar, ...]
    params: tuple[Parameter, ...]
    result: Type
    effects: Row
    where: tuple[Prop, ...] = ()
    hidden: tuple[Variable, ...] = ()
    extra_sizes: tuple[SizeVar, ...] = ()
    messages: tuple[tuple[Prop, str], ...] = ()
    opens: tuple[SizeVar, ...] = ()
    promises: tuple[Prop, ...] = ()

    def message(self, prop: Prop) -> str | None:
        """Return the definition's own message for a condition that does not hold."""
        return next((text for stated, text in self.messages if stated == prop), None)


class Function(Struct, frozen=True):
    """A checked `def`. `solution` maps the variables that inference introduced to what they turned out to be."""

    module: str
    name: str
    static: bool
    signature: Signature
    body: Expr
    span: Span
    doc: str | None
    solution: Mapping[DTypeVar, Element]

    @property
    def public(self) -> bool:
        return not self.name.startswith("_")

    @property
    def written_name(self) -> str:
        return written_name(self.name)


class Constant(Struct, frozen=True):
    """A top-level `let`: a static value."""

    module: str
    name: str
    type: Type
    value: Expr
    solution: Mapping[DTypeVar, Element]


class Variant(Struct, frozen=True):
    name: str
    fields: tuple[tuple[str, Type], ...]


class Enum(Struct, frozen=True):
    type: EnumType
    variants: tuple[Variant, ...]


class Module(Struct, frozen=True):
    name: str
    source: Source
    functions: Mapping[str, Function]
    constants: Mapping[str, Constant]
    enums: Mapping[str, Enum]
    aliases: Mapping[str, Type]
    doc: str | None = None


class Program(Struct, frozen=True):
    """A module and all it imports, the prelude included, by module name."""

    main: str
    modules: Mapping[str, Module]
