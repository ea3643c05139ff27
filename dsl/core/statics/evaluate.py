"""Static functions, evaluated over their Core for arguments that are known through and through.

A value is itself: a number, a truth, a text, a dtype, none; of a list or a tuple a tuple, of a record that of its
fields in the order of their names, of an enum a `Variant`.
What a body may not do is for the checker to say: where there is no value, or where Core says too little (what was
checked for unknown arguments may hold more than static code), the answer is `NoValue`. Read next: `numbers`,
`lists`, `shapes`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import Any, TypeAlias, assert_never

from msgspec import Struct, field

from dsl.core import core
from dsl.core.statics.dtypes import DTYPES
from dsl.core.statics.lists import LISTS, items_of, pairs_of
from dsl.core.statics.numbers import OPERATORS, STATIC, UNARY
from dsl.core.statics.shapes import SHAPES
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.facts import Known, simplified
from dsl.types.limits import DEPTH, ELEMENTS, STEPS, Exceeded, Growth
from dsl.types.shape import Shape, ShapeVar, StaticArg, StaticName, StaticVariant, Substitution, Written
from dsl.types.size import Size, SizeVar
from dsl.types.type import DTypeVar, Type

Value: TypeAlias = "int | float | complex | bool | str | DType | Variant | tuple[Value, ...] | None"


class Variant(Struct, frozen=True):
    """A value of an enum, which its type tells."""

    name: str
    args: tuple[Value, ...] = ()


class NoValue(Exception):
    """A static function has no value for these arguments, or none that Core alone tells."""


class Replay:
    """Evaluates static calls, lambdas and iterations of unrolled loops while a program is checked.

    All else takes time in proportion to the text. This is counted for each outermost expression of the text, and the
    innermost of that which exceeds the budget is where it is reported: the calls that are being evaluated, how many
    expressions have been evaluated in them, and what is known to exceed its budget in this declaration."""

    __slots__ = ("calls", "limit", "reported", "steps")

    def __init__(self, limit: int = STEPS) -> None:
        self.calls: list[str] = []
        self.steps = 0
        self.limit = limit
        self.reported: set[Growth] = set()

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Inside of a call, or of something else that is evaluated once more."""
        if len(self.calls) >= DEPTH:
            raise Exceeded(Growth.DEPTH, self.calls)
        self.calls.append(name)
        try:
            yield
        except Exceeded as found:
            raise Exceeded(found.growth, found.calls or self.calls) from None
        finally:
            self.calls.pop()
            if not self.calls:
                self.steps = 0

    def step(self, count: int = 1) -> None:
        """One more expression, or as many as were evaluated when the same was evaluated before."""
        self.steps += count
        if self.steps > self.limit:
            raise Exceeded(Growth.STEPS, self.calls)


def _free() -> None:
    """A step that costs nothing."""


class Evaluator(Struct, frozen=True, eq=False):
    """`function` and `constant` find declarations by module and name, None for those that cannot be evaluated. `done`
    holds the results of earlier calls. `within` is entered around each call of a function of this name, and `step` is
    called for each expression: they raise `Exceeded` beyond a budget."""

    function: Callable[[str, str], core.Function | None]
    constant: Callable[[str, str], core.Constant | None]
    done: dict[Hashable, Any]
    within: Callable[[str], AbstractContextManager[None]]
    step: Callable[[], None] = _free

    def call(self, function: core.Function, args: Sequence[Value], sizes: Mapping[SizeVar, int] | None = None) -> Value:
        """Evaluate a static function. Raises `NoValue`."""
        key = function.module, function.name, repr(args), tuple((sizes or {}).items())
        if key not in self.done:
            frame = Frame.of(function.signature, args)
            frame.sizes.update(sizes or {})
            frame.require(function.signature)
            with self.within(function.name):
                self.done[key] = self.eval(function.body, frame)
        value: Value = self.done[key]
        return value

    def eval(self, node: core.Expr, frame: Frame) -> Value:
        """The value of an expression."""
        self.step()
        rule = _RULES.get(type(node))
        if rule is None:
            raise NoValue
        return rule(self, node, frame)


class Frame(Struct, eq=False):
    """Local names by id, and what the variables of the definition stand for."""

    locals: dict[int, Value] = field(default_factory=dict)
    sizes: dict[SizeVar, int] = field(default_factory=dict)
    shapes: dict[ShapeVar, Shape] = field(default_factory=dict)
    dtypes: dict[DTypeVar, DType] = field(default_factory=dict)
    statics: dict[StaticName, StaticArg] = field(default_factory=dict)

    @staticmethod
    def of(signature: core.Signature, args: Sequence[Value]) -> Frame:
        """Return the frame of a call, or of a default after as many arguments."""
        frame = Frame()
        for parameter, arg in zip(signature.params, args, strict=False):
            frame.locals[parameter.id] = arg
            frame.bind(parameter, arg)
        return frame

    def bind(self, parameter: core.Parameter, value: Value) -> None:
        """Bind a parameter for use in types. Raises `NoValue` for a negative size."""
        _require_natural(value, parameter.type)
        if parameter.size is not None and isinstance(value, int):
            self.sizes[parameter.size] = value
        if parameter.shape is not None:
            self.shapes[parameter.shape] = Shape.of(*_integers(value))
        if parameter.dtype is not None and isinstance(value, DType):
            self.dtypes[parameter.dtype] = value
        self.statics[StaticName(parameter.id, parameter.name)] = static_argument(value)
        if isinstance(value, tuple):
            for part, inner in zip(parameter.parts, value, strict=False):
                self.bind(part, inner)

    def substitution(self) -> Substitution:
        return Substitution({var: Size.of(value) for var, value in self.sizes.items()}, self.shapes, self.statics)

    def size(self, size: Size) -> int:
        """An integer. Raises `NoValue` if it is not determined."""
        known = size.constant
        if known is None:
            known = self.substitution().size(size).constant
        if known is None:
            raise NoValue
        return known

    def shape(self, shape: Shape) -> tuple[int, ...]:
        """The sizes. Raises `NoValue` if they are not determined."""
        known = shape.literal
        if known is None:
            known = self.substitution().shape(shape).literal
        if known is None:
            raise NoValue
        return known

    def require(self, signature: core.Signature) -> None:
        """Require the conditions of a function. Raises `NoValue` if one does not hold."""
        if signature.where:
            substitution = self.substitution()
            if any(simplified(substitution.prop(prop)) != Known(True) for prop in signature.where):
                raise NoValue

    def inner(self) -> Frame:
        return Frame(dict(self.locals), self.sizes, self.shapes, self.dtypes, self.statics)


def static_argument(value: Value) -> StaticArg:
    """A value as shapes and conditions speak of it."""
    match value:
        case float() | complex() | DType():
            return Written(str(value))
        case tuple():
            return tuple([static_argument(part) for part in value])
        case Variant(name, args):
            return StaticVariant(name, tuple([static_argument(arg) for arg in args]))
        case _:
            return value


def _integers(value: Value) -> tuple[int, ...]:
    return tuple([item for item in _listed(value) if isinstance(item, int)])


def _listed(value: Value) -> Sequence[Value]:
    """The items of a list. Raises `NoValue` for `none`: the axes that it stands for are those of an unknown array."""
    if value is None:
        raise NoValue
    return items_of(value)


def _require_natural(value: Value, type_: Type) -> None:
    if type_ in (ty.SIZE, ty.SHAPE) and any(size < 0 for size in _integers(value)):
        raise NoValue


# ---------------------------------------------------------------- leaves


def _const(e: Evaluator, node: core.Const, frame: Frame) -> Value:
    if isinstance(node.type, ty.ErrorType):
        raise NoValue
    return node.value


def _local(e: Evaluator, node: core.Local, frame: Frame) -> Value:
    if node.id not in frame.locals:
        raise NoValue
    return frame.locals[node.id]


def _global(e: Evaluator, node: core.Global, frame: Frame) -> Value:
    found = e.constant(node.module, node.name)
    if found is None or not isinstance(found.type, ty.StaticType | ty.EnumType | ty.TupleType):
        raise NoValue
    return _as_type(e.eval(found.value, Frame()), found.type)


def _size_of(e: Evaluator, node: core.SizeOf, frame: Frame) -> Value:
    return frame.size(node.size)


def _shape_of(e: Evaluator, node: core.ShapeOf, frame: Frame) -> Value:
    return frame.shape(node.shape)


def _dtype_of(e: Evaluator, node: core.DTypeOf, frame: Frame) -> Value:
    found = node.dtype if isinstance(node.dtype, DType) else frame.dtypes.get(node.dtype)
    if found is None:
        raise NoValue
    return found


def _shape_list(e: Evaluator, node: core.ShapeList, frame: Frame) -> Value:
    out: list[Value] = []
    for item in node.items:
        found = e.eval(item.value if isinstance(item, core.Spread) else item, frame)
        out.extend(_listed(found))
    return tuple(out)


def _enum_value(e: Evaluator, node: core.EnumValue, frame: Frame) -> Value:
    return Variant(node.variant, tuple([e.eval(arg, frame) for arg in node.args]))


# ---------------------------------------------------------------- operations


def _binary(e: Evaluator, node: core.Binary, frame: Frame) -> Value:
    left: Any = e.eval(node.left, frame)
    right: Any = e.eval(node.right, frame)
    if (node.op in ("//", "%") and right <= 0) or (node.op in ("**", "<<", ">>") and node.type == ty.INT and right < 0):
        raise NoValue
    return OPERATORS[node.op](left, right)


def _unary(e: Evaluator, node: core.Unary, frame: Frame) -> Value:
    operand: Any = e.eval(node.operand, frame)
    return UNARY[node.op](operand)


def _logical(e: Evaluator, node: core.Logical, frame: Frame) -> Value:
    left = e.eval(node.left, frame)
    return e.eval(node.right, frame) if bool(left) == (node.op == "and") else left


def _coerce(e: Evaluator, node: core.Coerce, frame: Frame) -> Value:
    return _as_type(e.eval(node.value, frame), node.type)


def _as_type(value: Value, type_: Type) -> Value:
    """A value as its type has it: an integer as a float, one alone as a list of one."""
    match type_:
        case ty.OptionalType(base):
            return None if value is None else _as_type(value, base)
        case ty.StaticType("float" | "complex") if isinstance(value, int | float):
            return float(value) if type_ == ty.FLOAT else complex(value)
        case ty.StaticType("shape" | "ints") if not isinstance(value, tuple):
            return (value,)
        case ty.StaticType("pairs"):
            return tuple(pairs_of(value))
        case ty.TupleType(parts) if isinstance(value, tuple):
            return tuple([_as_type(part, kind) for part, kind in zip(value, parts, strict=True)])
        case ty.RecordType(fields) if isinstance(value, tuple):
            return tuple([_as_type(part, kind) for part, (_, kind) in zip(value, fields, strict=True)])
        case _:
            _require_natural(value, type_)
            return value


def _intrinsic(e: Evaluator, node: core.Intrinsic, frame: Frame) -> Value:
    function = STATIC.get(node.name) or LISTS.get(node.name) or SHAPES.get(node.name) or DTYPES.get(node.name)
    if function is None:
        raise NoValue
    args = [e.eval(arg, frame) for arg in node.args]
    statics = {name: e.eval(value, frame) for name, value in node.statics}
    try:
        value: Value = function(*args, **statics)
    except (IndexError, ValueError):
        raise NoValue from None
    return value


def _apply(e: Evaluator, node: core.Apply, frame: Frame) -> Value:
    callee = node.function
    function = e.function(callee.module, callee.name) if isinstance(callee, core.Global) else None
    if function is None or not function.static:
        raise NoValue
    args: list[Value] = []
    for parameter, arg in zip(function.signature.params, node.args, strict=True):
        value = arg if arg is not None else parameter.default
        if value is None:
            raise NoValue
        args.append(e.eval(value, frame if arg is not None else Frame.of(function.signature, args)))
    sizes = {var: frame.size(size) for var, size in node.hidden if isinstance(var, SizeVar) and isinstance(size, Size)}
    return e.call(function, args, sizes)


# ---------------------------------------------------------------- structure


def _sequence(e: Evaluator, node: core.Sequence, frame: Frame) -> Value:
    inner = frame.inner()
    for statement in node.statements:
        if not isinstance(statement, core.Bound):
            raise NoValue
        _bind(statement.pattern, e.eval(statement.value, inner), inner)
    return e.eval(node.result, inner)


def _if(e: Evaluator, node: core.If, frame: Frame) -> Value:
    return e.eval(node.then if e.eval(node.condition, frame) else node.orelse, frame)


def _match(e: Evaluator, node: core.Match, frame: Frame) -> Value:
    subject = e.eval(node.subject, frame)
    for pattern, body in node.arms:
        inner = frame.inner()
        if matches(pattern, subject, inner):
            return e.eval(body, inner)
    raise NoValue


def _bind(pattern: core.Pattern, value: Value, frame: Frame) -> None:
    if not matches(pattern, value, frame):
        raise NoValue


def matches(pattern: core.Pattern, value: Value, frame: Frame) -> bool:
    """Return whether a pattern matches; binds its names in the frame."""
    match pattern:
        case core.Bind(id, _):
            frame.locals[id] = value
            return True
        case core.Ignore():
            return True
        case core.IsLiteral(literal):
            return bool(value == literal)
        case core.IsVariant(_, variant, parts):
            return isinstance(value, Variant) and value.name == variant and _all_match(parts, value.args, frame)
        case core.Split(parts):
            return isinstance(value, tuple) and len(value) == len(parts) and _all_match(parts, value, frame)
        case _:
            assert_never(pattern)


def _all_match(parts: Sequence[core.Pattern], values: Sequence[Any], frame: Frame) -> bool:
    return all(matches(part, value, frame) for part, value in zip(parts, values, strict=True))


def _tuple(e: Evaluator, node: core.Tuple, frame: Frame) -> Value:
    return tuple([e.eval(item, frame) for item in node.items])


def _project(e: Evaluator, node: core.Project, frame: Frame) -> Value:
    base = e.eval(node.base, frame)
    if not isinstance(base, tuple) or node.index >= len(base):
        raise NoValue
    return base[node.index]


def _record(e: Evaluator, node: core.Record, frame: Frame) -> Value:
    values = {name: e.eval(value, frame) for name, value in node.fields}
    return tuple([values[name] for name in sorted(values)])


def _select(e: Evaluator, node: core.Select, frame: Frame) -> Value:
    base = e.eval(node.base, frame)
    if not isinstance(base, tuple) or not isinstance(node.base.type, ty.RecordType):
        raise NoValue
    return base[[name for name, _ in node.base.type.fields].index(node.field)]


def _comprehension(e: Evaluator, node: core.Comprehension, frame: Frame) -> Value:
    if node.type not in ty.LISTS or len(node.clauses) != 1:
        raise NoValue
    (clause,) = node.clauses
    out: list[Value] = []
    for item in _elements(e, clause.source, frame):
        inner = frame.inner()
        _bind(clause.pattern, item, inner)
        out.append(e.eval(node.body, inner))
    return tuple(out)


def _elements(e: Evaluator, source: core.Iterable, frame: Frame) -> Sequence[Value]:
    match source:
        case core.Counting(start, stop):
            return _counted(e.eval(start, frame), e.eval(stop, frame))
        case core.Elements(value) | core.Unrolled(value):
            return _listed(e.eval(value, frame))
        case core.Zipped(parts):
            columns = [_elements(e, part, frame) for part in parts]
            if len({len(column) for column in columns}) > 1:
                raise NoValue
            return list(zip(*columns, strict=True))
        case core.Enumerated(of):
            return list(enumerate(_elements(e, of, frame)))
        case _:
            assert_never(source)


def _counted(start: Value, stop: Value) -> Sequence[Value]:
    if not isinstance(start, int) or not isinstance(stop, int) or start > stop:
        raise NoValue
    if stop - start > ELEMENTS:
        raise Exceeded(Growth.ELEMENTS)
    return range(start, stop)


_RULES: Mapping[type, Callable[..., Value]] = MappingProxyType(
    {
        core.Const: _const,
        core.Local: _local,
        core.Global: _global,
        core.SizeOf: _size_of,
        core.ShapeOf: _shape_of,
        core.DTypeOf: _dtype_of,
        core.ShapeList: _shape_list,
        core.EnumValue: _enum_value,
        core.Binary: _binary,
        core.Unary: _unary,
        core.Logical: _logical,
        core.Coerce: _coerce,
        core.Intrinsic: _intrinsic,
        core.Apply: _apply,
        core.Sequence: _sequence,
        core.If: _if,
        core.Match: _match,
        core.Tuple: _tuple,
        core.Project: _project,
        core.Record: _record,
        core.Select: _select,
        core.Comprehension: _comprehension,
    }
)
