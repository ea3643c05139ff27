"""Terms: the Core, the type, and the known value of an expression.

Knowledge (`Known`) is what makes sizes flow: a static int is a `Size`, a static bool a `Prop`, a shape a `Shape`;
a traced integer is a `Traced` size over run-time atoms, with the facts about the atoms kept by the context.
Functions are known by what they are, so that each use can be checked at its own types.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.records import OwnEquality
from dsl.syntax import ast
from dsl.types.dtype import DType
from dsl.types.effect import Effect, EffectVar
from dsl.types.facts import Prop
from dsl.types.limits import weight
from dsl.types.shape import Computed, Shape, StaticName
from dsl.types.size import Size
from dsl.types.type import ERROR, DTypeVar, FunctionType, Type
from typechecker.env.reports import Reported

if TYPE_CHECKING:
    from typechecker.env.scope import Scope


class Nothing(Struct, frozen=True):
    """The value `none`."""

    def __repr__(self) -> str:
        return "none"


@dataclass(frozen=True, slots=True)
class VariantValue:
    enum: tuple[str, str]
    name: str
    args: tuple[Known | None, ...]
    weight: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", weight(sum([_weight(arg) for arg in self.args])))


def _weight(known: Known | None) -> int:
    match known:
        case VariantValue():
            return known.weight
        case Parts(items):
            return sum(map(_weight, items))
        case _:
            return 1


class Choice(Struct, frozen=True):
    """One of two enum values, texts or optional values, chosen by a static condition that is not decided yet."""

    condition: Prop
    then: Known
    orelse: Known


class Traced(Struct, frozen=True):
    """A traced integer scalar, as a size over run-time atoms."""

    value: Size


class Elementwise(Struct, frozen=True):
    """A traced integer array: every element lies in `low <= e < high`, as far as given; `reached` if some element is
    `low` and some is `high - 1`, as in a list that is written out. `items` are the elements of a vector that is
    written down with static integers."""

    low: Size | None
    high: Size | None
    reached: bool = False
    items: tuple[Size, ...] | None = None


class Condition(Struct, frozen=True):
    """A traced bool scalar that says something about traced integers."""

    prop: Prop


class Parts(Struct, frozen=True):
    """A tuple, part by part."""

    items: tuple[Known | None, ...]


class Fields(Struct, frozen=True):
    """A record, field by field, sorted by name."""

    items: tuple[tuple[str, Known | None], ...]

    def get(self, name: str) -> Known | None:
        return next((k for n, k in self.items if n == name), None)


# ---------------------------------------------------------------- functions


class Definition(Struct, frozen=True):
    """A `def`, by module and name."""

    module: str
    name: str


class Overloaded(Struct, frozen=True):
    """Several definitions of the library that share a name; a call chooses one."""

    module: str
    name: str


class Closure(Struct, frozen=True, eq=False):
    """A lambda and the scope it was written in; checked anew wherever it is applied. `ended` are the effects whose
    handlers it has left."""

    node: ast.Lambda
    scope: Scope
    core: core.Lambda
    expected: FunctionType | None = None
    ended: frozenset[Effect] = frozenset()


class Monomorphic(OwnEquality, Struct, frozen=True, eq=False):
    """A function known by its type alone: a parameter, or the result of a call. `result` is what is known of its
    result, where that is a function that was seen; `writes` are the state cells that it writes."""

    type: FunctionType
    result: Known | None = None
    writes: frozenset[str] = frozenset()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Monomorphic) and other.type == self.type

    def __hash__(self) -> int:
        return hash((self.type,))


class Special(Struct, frozen=True):
    """A function whose type no signature can say: `grad`, `zip`, `einsum`, `print` …"""

    name: str


class Operation(Struct, frozen=True):
    """An operation of a user's effect."""

    module: str
    name: str


class VariantFunction(Struct, frozen=True):
    """A variant with fields, applied to make an enum value."""

    module: str
    enum: str
    variant: str


class Transformed(Struct, frozen=True, eq=False):
    """`grad(f)`, `vmap(f)` …, not yet applied. `options` are checked terms by name. `lambdas` are what its Core has for
    rules of its own, and for a function that has these and is made anew at each call."""

    kind: Kind
    function: Term
    options: tuple[tuple[str, Term], ...]
    span: Span
    lambdas: tuple[tuple[str, core.Lambda], ...] = ()


class Alternatives(Struct, frozen=True, eq=False):
    """One of two functions, chosen by a static condition that is not decided yet; by which, unless nothing is known of
    it."""

    condition: Prop | None
    then: Term
    orelse: Term


FunctionKnown: TypeAlias = (
    Definition | Overloaded | Closure | Monomorphic | Special | Operation | VariantFunction | Transformed | Alternatives
)

Known: TypeAlias = (
    Size
    | Prop
    | Shape
    | float
    | complex
    | str
    | DType
    | DTypeVar
    | Nothing
    | StaticName
    | Computed
    | VariantValue
    | Choice
    | Traced
    | Elementwise
    | Condition
    | Parts
    | Fields
    | FunctionKnown
    | EffectVar
)


class Term(Struct, frozen=True):
    """A checked expression."""

    core: core.Expr
    type: Type
    known: Known | None = None

    @property
    def span(self) -> Span:
        return self.core.span

    @property
    def is_error(self) -> bool:
        """Return whether it was reported that the expression has no type."""
        return self.type == ERROR


def innermost(function: Term) -> Term:
    """The function that transformations are applied to."""
    while isinstance(function.known, Transformed):
        function = function.known.function
    return function


def made_at_calls(function: Term) -> bool:
    """Return whether each call makes the function that transformations are applied to, so that a name shows nothing of
    it."""
    while isinstance(function.known, Transformed):
        if function.known.lambdas:
            return False
        function = function.known.function
    return isinstance(function.known, Special | Overloaded)


NOTHING = Nothing()


def error_term(span: Span) -> Term:
    """Stands for an expression that was reported."""
    return Term(core.Const(span, ERROR, None), ERROR)


def require_types(*terms: Term) -> None:
    """Leave the expression that is being inferred without a type if one of these has none."""
    for term in terms:
        if term.is_error:
            raise Reported


def static_term(known: Size | Shape | DType | DTypeVar, type_: Type, span: Span) -> Term:
    """A term for what is known of types: a size as an int, a shape, a dtype."""
    match known:
        case Size():
            return Term(core.SizeOf(span, type_, known), type_, known)
        case Shape():
            return Term(core.ShapeOf(span, type_, known), type_, known)
        case _:
            return Term(core.DTypeOf(span, type_, known), type_, known)
