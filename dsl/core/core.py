"""Core: the checked program. Names are resolved, every expression has a type, sugar is gone; sizes, shapes,
dtypes and trees are still variables, and functions are still values.

The checker builds it once per definition, `dsl.staging` evaluates it for given sizes and static values. Every
expression begins with `span` and `type`. Local variables have an `id` unique within their definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from dsl.core.transformation import Kind
from dsl.diagnostics.source import Source, Span
from dsl.types.dtype import DType
from dsl.types.effect import Row
from dsl.types.facts import Prop
from dsl.types.shape import Shape, ShapeVar
from dsl.types.size import Size, SizeVar
from dsl.types.type import DTypeVar, Element, EnumType, FunctionType, Type, TypeVar

# ---------------------------------------------------------------- names and patterns


@dataclass(frozen=True, slots=True)
class Bind:
    """A local name that a pattern binds."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Ignore:
    pass


@dataclass(frozen=True, slots=True)
class Split:
    """Parts of a tuple, or of the leading axis of an array (or `T[k]`) when `axis` is true."""

    parts: tuple[Pattern, ...]
    axis: bool


@dataclass(frozen=True, slots=True)
class IsVariant:
    """Matches an enum value; `parts` match its fields in order."""

    enum: EnumType
    variant: str
    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class IsLiteral:
    value: int | float | complex | bool | str | None


Pattern: TypeAlias = Bind | Ignore | Split | IsVariant | IsLiteral


# ---------------------------------------------------------------- static leaves


@dataclass(frozen=True, slots=True)
class Const:
    """A static value: number, bool, string, none or dtype."""

    span: Span
    type: Type
    value: int | float | complex | bool | str | DType | None


@dataclass(frozen=True, slots=True)
class Local:
    span: Span
    type: Type
    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Global:
    """A `def` (a function value) or a top-level constant of a module."""

    span: Span
    type: Type
    module: str
    name: str


@dataclass(frozen=True, slots=True)
class SizeOf:
    """A size used as a static int; evaluated from the size variables of the definition."""

    span: Span
    type: Type
    size: Size


@dataclass(frozen=True, slots=True)
class ShapeOf:
    """A shape known from types (`x.shape`); a static shape."""

    span: Span
    type: Type
    shape: Shape


@dataclass(frozen=True, slots=True)
class DTypeOf:
    """A dtype known from types (`x.dtype`, a dtype generic used as a value)."""

    span: Span
    type: Type
    dtype: Element


@dataclass(frozen=True, slots=True)
class ShapeList:
    """A list of static ints used as a shape; a `Spread` item splices another shape in."""

    span: Span
    type: Type
    items: tuple[Expr | Spread, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    span: Span
    type: Type
    value: Expr


@dataclass(frozen=True, slots=True)
class EnumValue:
    span: Span
    type: Type
    enum: EnumType
    variant: str
    args: tuple[Expr, ...]


# ---------------------------------------------------------------- operators


@dataclass(frozen=True, slots=True)
class Binary:
    """`+ - * / // % ** @ & | ^ << >> == != < <= > >=`.

    Both operands static: static arithmetic. Otherwise a static number takes the dtype of the other operand,
    shapes broadcast by the safe rules (scalar; trailing axes; literal 1 at equal rank), and trees (`VSpace`)
    work leaf by leaf, a scalar being converted to each leaf's dtype.
    """

    span: Span
    type: Type
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Unary:
    """`-`, `+`, `~`, `not`; leaf by leaf on trees."""

    span: Span
    type: Type
    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Logical:
    """Scalar `and`, `or`; the right side is evaluated only if needed."""

    span: Span
    type: Type
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Convert:
    """An explicit cast of a static number or an array to a dtype, written by the user."""

    span: Span
    type: Type
    value: Expr
    dtype: Element


@dataclass(frozen=True, slots=True)
class Coerce:
    """Gives `value` exactly `type`, leaf by leaf: static numbers become arrays, a list of static ints a shape,
    an `idx` an `i32`. Shapes are never changed, but a static number spreads nowhere either: it is rank 0."""

    span: Span
    type: Type
    value: Expr


@dataclass(frozen=True, slots=True)
class CheckIndex:
    """`value` as `idx[bound]`, checked at run time (performs `check`)."""

    span: Span
    type: Type
    value: Expr
    bound: Size


# ---------------------------------------------------------------- functions


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A primitive of the compiler, called by the standard library: `name` is a key of `dsl.staging.intrinsics`.

    `args` are positional, `statics` by name. When all args are static numbers and the primitive is a standard
    elementwise function, the result is static.
    """

    span: Span
    type: Type
    name: str
    args: tuple[Expr, ...]
    statics: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Apply:
    """A call. `args` are in the order of the callee's parameters, static and keyword-only ones included, with
    defaults filled in (None: take the callee's own default). `instance` selects the body of a lambda that was
    checked at several types; `sizes` are the callee's `extra_sizes`, which its arguments do not tell. Both pass
    through transformations and partial values to the lambda or definition inside."""

    span: Span
    type: Type
    function: Expr
    args: tuple[Expr | None, ...]
    instance: int | None = None
    sizes: tuple[tuple[SizeVar, Size], ...] = ()


@dataclass(frozen=True, slots=True)
class LambdaBody:
    """One elaboration of a lambda, for one choice of parameter types."""

    params: tuple[Pattern, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Lambda:
    """A function value. The checker adds one body per use at other types, and none after it is done."""

    span: Span
    type: Type
    instances: list[LambdaBody] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Specialise:
    """A function value fixed to one instance, where it is passed as a monomorphic parameter."""

    span: Span
    type: Type
    function: Expr
    instance: int


@dataclass(frozen=True, slots=True)
class Transform:
    """A transformed function value; `options` are static, by name."""

    span: Span
    type: Type
    kind: Kind
    function: Expr
    options: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class TransformCall:
    """`jvp(f, primals, tangents)`, `vjp(f, *args)`, `linearize(f, *args)`, `hvp(f, x, v)`:
    transformations that take the arguments at once. The linear functions they return are function values."""

    span: Span
    type: Type
    kind: Kind
    function: Expr
    args: tuple[Expr, ...]
    options: tuple[tuple[str, Expr], ...] = ()
    instance: int | None = None


@dataclass(frozen=True, slots=True)
class MapLeaves:
    """`tree_map` over trees that are not known yet (type variables): `function`, a lambda checked once for a leaf of
    any dtype and shape, is applied leaf by leaf with `dtype` and `shape` standing for the leaf's own."""

    span: Span
    type: Type
    function: Expr
    trees: tuple[Expr, ...]
    dtype: DTypeVar
    shape: ShapeVar


# ---------------------------------------------------------------- structure


@dataclass(frozen=True, slots=True)
class Let:
    span: Span
    type: Type
    pattern: Pattern
    value: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Sequence:
    """Statements in order, then a value: the flat form of a block (no nesting per statement)."""

    span: Span
    type: Type
    statements: tuple[Statement, ...]
    result: Expr


@dataclass(frozen=True, slots=True)
class Bound:
    """`let pattern = value` inside a `Sequence`."""

    pattern: Pattern
    value: Expr


@dataclass(frozen=True, slots=True)
class Perform:
    """An expression evaluated for its effects alone."""

    value: Expr


Statement: TypeAlias = Bound | Perform


@dataclass(frozen=True, slots=True)
class If:
    """Static condition: selects while staging. Traced: a run-time conditional, both branches of `type`."""

    span: Span
    type: Type
    condition: Expr
    then: Expr
    orelse: Expr


@dataclass(frozen=True, slots=True)
class Match:
    """On a static subject; the first matching arm is selected while staging."""

    span: Span
    type: Type
    subject: Expr
    arms: tuple[tuple[Pattern, Expr], ...]


@dataclass(frozen=True, slots=True)
class Tuple:
    span: Span
    type: Type
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """`t.0`"""

    span: Span
    type: Type
    base: Expr
    index: int


@dataclass(frozen=True, slots=True)
class Record:
    span: Span
    type: Type
    fields: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True, slots=True)
class Select:
    """`p.w`; on a stacked record too."""

    span: Span
    type: Type
    base: Expr
    field: str


@dataclass(frozen=True, slots=True)
class Update:
    """`{p with w = v, layer.b = u}`"""

    span: Span
    type: Type
    base: Expr
    updates: tuple[tuple[tuple[str, ...], Expr], ...]


@dataclass(frozen=True, slots=True)
class Stack:
    """`[a, b]`: items of one type stacked along a new leading axis (leaf by leaf for trees)."""

    span: Span
    type: Type
    items: tuple[Expr, ...]


# ---------------------------------------------------------------- indexing


@dataclass(frozen=True, slots=True)
class At:
    """One index. `guard`: "proved" (in bounds for sure), "check" (performs `check`), or a policy "clip", "wrap",
    "fill", "drop". `from_end`: written with a leading minus; `value` is then what is subtracted from the size.
    A static value selects; an integer array gathers (several arrays follow NumPy's rules)."""

    value: Expr
    guard: str
    from_end: bool = False


@dataclass(frozen=True, slots=True)
class Range:
    """`start:stop:step` with static bounds; None where not written. A bound may count from the end."""

    start: Expr | None
    stop: Expr | None
    step: Expr | None
    start_from_end: bool = False
    stop_from_end: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """A slice with run-time start and static length: `x[i : i + k]`."""

    start: Expr
    length: Size
    step: Expr | None
    guard: str


@dataclass(frozen=True, slots=True)
class NewAxis:
    pass


@dataclass(frozen=True, slots=True)
class Rest:
    """`...`"""


Item: TypeAlias = At | Range | Window | NewAxis | Rest


@dataclass(frozen=True, slots=True)
class Index:
    """`base[items]`; on a tree every leaf is indexed. `fill` is the value of the policy "fill"."""

    span: Span
    type: Type
    base: Expr
    items: tuple[Item, ...]
    fill: Expr | None = None


@dataclass(frozen=True, slots=True)
class Scatter:
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


@dataclass(frozen=True, slots=True)
class Counting:
    """`range(start, stop)`"""

    start: Expr
    stop: Expr


@dataclass(frozen=True, slots=True)
class Elements:
    """The leading axis of every leaf of `value`."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Zipped:
    parts: tuple[Iterable, ...]


@dataclass(frozen=True, slots=True)
class Enumerated:
    of: Iterable


@dataclass(frozen=True, slots=True)
class Unrolled:
    """The parts of a tuple, one by one, at staging."""

    value: Expr


Iterable: TypeAlias = Counting | Elements | Zipped | Enumerated | Unrolled


@dataclass(frozen=True, slots=True)
class Clause:
    pattern: Pattern
    source: Iterable


@dataclass(frozen=True, slots=True)
class Comprehension:
    """A parallel map; one new leading axis per clause, first clause outermost."""

    span: Span
    type: Type
    clauses: tuple[Clause, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Unroll:
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


@dataclass(frozen=True, slots=True)
class Loop:
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


@dataclass(frozen=True, slots=True)
class Iterate:
    span: Span
    type: Type
    carry: Pattern
    carry_type: Type
    init: Expr
    condition: Expr
    limit: Expr | None
    body: Expr


# ---------------------------------------------------------------- effects


@dataclass(frozen=True, slots=True)
class Assert:
    """Value (). `message` is a static string."""

    span: Span
    type: Type
    condition: Expr
    message: Expr | None


@dataclass(frozen=True, slots=True)
class Checked:
    """`checked(x)`: x, after a check that no inexact leaf holds NaN or infinity."""

    span: Span
    type: Type
    value: Expr


@dataclass(frozen=True, slots=True)
class Print:
    """`print("loss {}", x)`; `tag` instead of a format for `emit("loss", x)`."""

    span: Span
    type: Type
    template: Expr
    args: tuple[Expr, ...]
    emit: bool = False


@dataclass(frozen=True, slots=True)
class FreshKey:
    span: Span
    type: Type


@dataclass(frozen=True, slots=True)
class ReadCell:
    span: Span
    type: Type
    cell: str


@dataclass(frozen=True, slots=True)
class WriteCell:
    """`s := e` (op ":=") or `a += e` (op "+="); value ()."""

    span: Span
    type: Type
    cell: str
    op: str
    value: Expr


@dataclass(frozen=True, slots=True)
class HandleRng:
    span: Span
    type: Type
    key: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class HandleCell:
    """`with state s = init do` or `with accum a: T do` (init None: zeros of `cell_type`); value `(value, final)`."""

    span: Span
    type: Type
    kind: str
    cell: str
    cell_type: Type
    init: Expr | None
    body: Expr


@dataclass(frozen=True, slots=True)
class HandleChecks:
    """Value `(value, {code, failed})`."""

    span: Span
    type: Type
    body: Expr


@dataclass(frozen=True, slots=True)
class Operation:
    """A user's effect performed: `sample("x", d)`."""

    span: Span
    type: Type
    module: str
    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class HandlerClause:
    module: str
    name: str
    params: tuple[Pattern, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Resume:
    span: Span
    type: Type
    value: Expr


@dataclass(frozen=True, slots=True)
class HandleUser:
    span: Span
    type: Type
    clauses: tuple[HandlerClause, ...]
    cell: str | None
    cell_type: Type | None
    init: Expr | None
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
    | CheckIndex
    | Intrinsic
    | Apply
    | Lambda
    | Specialise
    | Transform
    | TransformCall
    | MapLeaves
    | Let
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
)


# ---------------------------------------------------------------- definitions


@dataclass(frozen=True, slots=True)
class Parameter:
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
        """Whether `argnums` and `in_axes` count it: not a static parameter, nor a function, which is always static."""
        return not self.static and not isinstance(self.type, FunctionType)


@dataclass(frozen=True, slots=True)
class Signature:
    """A definition's type: generic in the variables listed, under the constraints `where` (stated ones and the
    range conditions inferred from the body). `extra_sizes` cannot be found from arguments: given by name. `messages`
    are those that the definition gives with its conditions."""

    sizes: tuple[SizeVar, ...]
    shapes: tuple[ShapeVar, ...]
    dtypes: tuple[DTypeVar, ...]
    types: tuple[TypeVar, ...]
    params: tuple[Parameter, ...]
    result: Type
    effects: Row
    where: tuple[Prop, ...] = ()
    extra_sizes: tuple[SizeVar, ...] = ()
    messages: tuple[tuple[Prop, str], ...] = ()

    def message(self, prop: Prop) -> str | None:
        """What the definition says of a condition that does not hold."""
        return next((text for stated, text in self.messages if stated == prop), None)


@dataclass(frozen=True, slots=True)
class Function:
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


@dataclass(frozen=True, slots=True)
class Constant:
    """A top-level `let`: a static value."""

    module: str
    name: str
    type: Type
    value: Expr
    solution: Mapping[DTypeVar, Element]


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class Enum:
    type: EnumType
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    source: Source
    functions: Mapping[str, Function]
    constants: Mapping[str, Constant]
    enums: Mapping[str, Enum]
    doc: str | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A module and all it imports, the prelude included, by module name."""

    main: str
    modules: Mapping[str, Module]
