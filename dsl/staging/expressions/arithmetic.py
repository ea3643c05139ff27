"""Operators, casts, and how static numbers become arrays.

Two static operands are computed here, by `dsl.core.statics.numbers`. Otherwise a static number takes the
dtype and the shape of the array it meets, arrays broadcast by NumPy's rule (the checker admits its safe
half only), and trees go leaf by leaf. Read next: `structure`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias
from typing import cast as typed

from dsl.core import core
from dsl.core.statics.lists import pairs_of
from dsl.core.statics.numbers import OPERATORS, UNARY
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Literal, Var
from dsl.ir.op import NONE
from dsl.ops import builders
from dsl.ops.elementwise import ADD, DIV, MUL, SUB, compare, select
from dsl.ops.power import integer_pow, rem
from dsl.ops.ragged import length
from dsl.ops.table import OPS
from dsl.staging.env.environment import Frame
from dsl.staging.env.stager import Stager
from dsl.staging.errors import staging_error
from dsl.staging.expressions import contraction
from dsl.staging.values import (
    ATOMS,
    TREES,
    DoesNotFit,
    RecordValue,
    Slot,
    TupleValue,
    Value,
    as_atom,
    as_ints,
    leaves,
    literal,
    map_leaves,
    zip_leaves,
)
from dsl.types import dtype as dtypes
from dsl.types.dtype import BOOL, DType
from dsl.types.size import Size
from dsl.types.type import (
    ArrayType,
    IndexType,
    OptionalType,
    RecordType,
    StackedType,
    StaticType,
    TupleType,
    Type,
    TypeVar,
)

Pair: TypeAlias = Callable[[Builder, Atom, Atom], Atom]


# ---------------------------------------------------------------- two operands


def binary(s: Stager, node: core.Binary, frame: Frame) -> Value:
    handlers = s.handlers
    left, right = node.left, node.right
    x = handlers[type(left)](s, left, frame)
    y = handlers[type(right)](s, right, frame)
    b = s.b
    b.span = node.span
    if type(x) is Var and type(y) is Var and x.type == y.type:
        op = _SAME.get(node.op)
        if op is not None:
            return op(b, x, y)
    return combine(b, node.op, x, y)


def combine(b: Builder, op: str, x: Value, y: Value) -> Value:
    """`x op y` for values of any kind that the checker lets meet."""
    if isinstance(x, Size) and isinstance(y, ATOMS):
        x = cast(b, x, y.type.dtype)
    elif isinstance(y, Size) and isinstance(x, ATOMS):
        y = cast(b, y, x.type.dtype)
    if isinstance(x, ATOMS) or isinstance(y, ATOMS):
        if isinstance(x, TREES):
            return map_leaves(lambda leaf: combine(b, op, leaf, y), x)
        if isinstance(y, TREES):
            return map_leaves(lambda leaf: combine(b, op, x, leaf), y)
        if op == "**" and isinstance(y, int) and not isinstance(y, bool):
            assert isinstance(x, ATOMS)
            return integer_pow(b, x, y)
        if op == "@":
            return contraction.matmul(b, as_atom(x), as_atom(y))
        x, y = meet(b, x, y)
        return OPERATIONS[op](b, x, y)
    if isinstance(x, TREES) or isinstance(y, TREES):
        return _trees(b, op, x, y)
    if op in COMPARISONS and (isinstance(x, Size) or isinstance(y, Size)):
        return OPERATIONS[op](b, *[length(b, Size.of(typed("Size", v))) for v in (x, y)])
    function = OPERATORS[op]
    return function(x, y)


def _trees(b: Builder, op: str, x: Value, y: Value) -> Value:
    """Two trees, or a tree and a static value."""
    if op in ("==", "!="):
        return OPERATORS[op](x, y)
    if not isinstance(y, TREES):
        return map_leaves(lambda leaf: combine(b, op, leaf, y), x)
    if not isinstance(x, TREES):
        return map_leaves(lambda leaf: combine(b, op, x, leaf), y)
    return zip_leaves(lambda p, q: combine(b, op, p, q), x, y)


def meet(b: Builder, x: Value, y: Value) -> tuple[Atom, Atom]:
    """Both as arrays of one dtype and shape."""
    if not isinstance(x, ATOMS):
        y = as_atom(y)
        return number_like(x, y.type.dtype, y.type.shape), y
    if not isinstance(y, ATOMS):
        return x, number_like(y, x.type.dtype, x.type.shape)
    shape = broadcast_shapes(x.type.shape, y.type.shape)
    return broadcast_atom(b, x, shape), broadcast_atom(b, y, shape)


def number_like(value: Value, dtype: DType, shape: tuple[int, ...] = ()) -> Literal:
    assert isinstance(value, bool | int | float | complex), value
    return literal(value, dtype, shape)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """NumPy's rule."""
    longest = max(shapes, key=len)
    result = list(longest)
    for shape in shapes:
        lead = len(result) - len(shape)
        for axis, extent in enumerate(shape):
            if extent != 1:
                result[lead + axis] = extent
    return tuple(result)


def broadcast_atom(b: Builder, x: Atom, shape: tuple[int, ...]) -> Atom:
    return x if x.type.shape == shape else builders.broadcast_to(b, x, shape)


def meet_all(b: Builder, values: tuple[Value, ...], dtype: DType | None = None) -> list[Atom]:
    """All as arrays of one shape, static numbers in the dtype of the first array (or `dtype`)."""
    values = tuple([length(b, v) if isinstance(v, Size) else v for v in values])
    arrays = [v for v in values if isinstance(v, ATOMS)]
    dtype = dtype or (arrays[0].type.dtype if arrays else as_atom(values[0]).type.dtype)
    shape = broadcast_shapes(*[a.type.shape for a in arrays]) if arrays else ()
    return [broadcast_atom(b, v, shape) if isinstance(v, ATOMS) else number_like(v, dtype, shape) for v in values]


# ---------------------------------------------------------------- operators on arrays


def _compare(direction: str) -> Pair:
    return lambda b, x, y: compare(b, direction, x, y)


def both(b: Builder, x: Atom, y: Atom) -> Atom:
    """x and y, bools of one shape."""
    return select(b, x, y, literal(False, BOOL, x.type.shape))


def either(b: Builder, x: Atom, y: Atom) -> Atom:
    """x or y, bools of one shape."""
    return select(b, x, literal(True, BOOL, x.type.shape), y)


def floor_divide(b: Builder, x: Atom, y: Atom) -> Atom:
    """Rounds down: the truncated quotient, one less where a remainder has the other sign. x // 0 is -1."""
    dtype, shape = x.type.dtype, x.type.shape
    if dtype.is_float:
        return _float_floor_divide(b, x, y)
    if (bits := _bits_of(y)) is not None:
        return _shift_right(b, x, literal(bits, dtype, shape))
    quotient = builders.div(b, x, y)
    if dtype in dtypes.UNSIGNED:
        return quotient
    zero, one = literal(0, dtype, shape), literal(1, dtype, shape)
    rest = rem(b, x, y)
    if isinstance(y, Literal) and y.value != 0:
        wrong = compare(b, "lt" if y.value.real > 0 else "gt", rest, zero)
    else:
        wrong = both(b, _other_sign(b, rest, y, zero), compare(b, "ne", y, zero))
    return select(b, wrong, builders.sub(b, quotient, one), quotient)


def _bits_of(y: Atom) -> int | None:
    """The k of an integer 2^k: a division by it that rounds down is a shift, and its remainder the lowest k bits."""
    value = y.value if isinstance(y, Literal) and y.type.dtype.is_integer else None
    return value.bit_length() - 1 if isinstance(value, int) and value > 0 and value & (value - 1) == 0 else None


def _other_sign(b: Builder, rest: Atom, y: Atom, zero: Atom) -> Atom:
    """Return true where `rest` is nonzero and its sign differs from that of y."""
    differ = compare(b, "ne", compare(b, "lt", rest, zero), compare(b, "lt", y, zero))
    return both(b, compare(b, "ne", rest, zero), differ)


def _float_floor_divide(b: Builder, x: Atom, y: Atom) -> Atom:
    """(x - rem(x, y)) / y is a whole number but for rounding; one less where the remainder has the other sign."""
    zero, one = (literal(n, y.type.dtype, y.type.shape) for n in (0, 1))
    rest = rem(b, x, y)
    quotient = builders.div(b, builders.sub(b, x, rest), y)
    nearest = b.emit(OPS["round_nearest_even"], NONE, (quotient,))[0]
    down = select(b, _other_sign(b, rest, y, zero), builders.sub(b, nearest, one), nearest)
    return select(b, compare(b, "eq", y, zero), builders.div(b, x, y), down)


def remainder(b: Builder, x: Atom, y: Atom) -> Atom:
    """The remainder with the sign of y; integer x % 0 is x."""
    dtype, shape = x.type.dtype, x.type.shape
    if (bits := _bits_of(y)) is not None:
        return _bits("and")(b, x, literal((1 << bits) - 1, dtype, shape))
    rest = rem(b, x, y)
    if dtype in dtypes.UNSIGNED:
        return rest
    zero = literal(0, dtype, shape)
    if isinstance(y, Literal) and y.value != 0:
        wrong = compare(b, "lt" if y.value.real > 0 else "gt", rest, zero)
    else:
        wrong = _other_sign(b, rest, y, zero)
    return select(b, wrong, builders.add(b, rest, y), rest)


def _shift_right(b: Builder, x: Atom, y: Atom) -> Atom:
    name = "shift_right_logical" if x.type.dtype in dtypes.UNSIGNED else "shift_right_arithmetic"
    return b.emit(OPS[name], NONE, (x, y))[0]


def _bits(name: str) -> Pair:
    return lambda b, x, y: b.emit(OPS[name], NONE, (x, y))[0]


def power(b: Builder, x: Atom, y: Atom) -> Atom:
    """Of integers it wraps, to negative powers it truncates. XLA reads six bits of an integer exponent, so the
    exponent is taken as digits of six bits, the lowest first: x ** (64 * q + r) = (x ** 64) ** q * x ** r.
    x ** 1.0 is x, and x ** 2.0 is x * x: linear and quadratic, as they are for the checker."""
    if x.type.dtype.is_inexact:
        whole = next((k for k in (1, 2) if isinstance(y, Literal) and y.value == k), None)
        return _pow(b, x, y) if whole is None else integer_pow(b, x, whole)
    signed = y.type.dtype not in dtypes.UNSIGNED
    result, base, rest = _pow(b, x, _low_digit(b, y)), x, y
    for _ in range(6, y.type.dtype.bits, 6):
        base = integer_pow(b, base, 64)
        rest = _shift_right(b, rest, literal(6, y.type.dtype, y.type.shape))
        result = builders.mul(b, result, _pow(b, base, _low_digit(b, rest)))
    if not signed:
        return result
    negative = compare(b, "lt", y, literal(0, y.type.dtype, y.type.shape))
    return select(b, negative, _pow(b, x, y), result)


def _low_digit(b: Builder, y: Atom) -> Atom:
    """The lowest six bits. XLA reads the highest bit of an exponent as a sign, of an unsigned one too."""
    return _bits("and")(b, y, literal(63, y.type.dtype, y.type.shape))


_pow = _bits("pow")

OPERATIONS: Mapping[str, Pair] = MappingProxyType(
    {
        "+": builders.add,
        "-": builders.sub,
        "*": builders.mul,
        "/": builders.div,
        "//": floor_divide,
        "%": remainder,
        "**": power,
        "&": _bits("and"),
        "|": _bits("or"),
        "^": _bits("xor"),
        "<<": _bits("shift_left"),
        ">>": _shift_right,
        "==": _compare("eq"),
        "!=": _compare("ne"),
        "<": _compare("lt"),
        "<=": _compare("le"),
        ">": _compare("gt"),
        ">=": _compare("ge"),
    }
)
"""Operators on two arrays of one dtype and shape."""

COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">="])

_SAME: Mapping[str, Pair] = MappingProxyType(
    {
        "+": lambda b, x, y: b.emit(ADD, NONE, (x, y))[0],
        "-": lambda b, x, y: b.emit(SUB, NONE, (x, y))[0],
        "*": lambda b, x, y: b.emit(MUL, NONE, (x, y))[0],
        "/": lambda b, x, y: b.emit(DIV, NONE, (x, y))[0],
    }
)
"""The operators that most equations come from, without a detour."""


# ---------------------------------------------------------------- one operand


def unary(s: Stager, node: core.Unary, frame: Frame) -> Value:
    value = s.eval(node.operand, frame)
    s.b.span = node.span
    return map_leaves(lambda leaf: apply_unary(s.b, node.op, leaf), value)


def apply_unary(b: Builder, op: str, x: Value) -> Value:
    """`op x` of a leaf."""
    if not isinstance(x, ATOMS):
        assert isinstance(x, bool | int | float | complex)
        return UNARY[op](x)
    if op == "-":
        return builders.neg(b, x)
    if op == "+":
        return x
    if x.type.dtype is BOOL:
        return compare(b, "eq", x, literal(False, BOOL, x.type.shape))
    return b.emit(OPS["not"], NONE, (x,))[0]


# ---------------------------------------------------------------- casts and coercions


def convert(s: Stager, node: core.Convert, frame: Frame) -> Value:
    value = s.eval(node.value, frame)
    s.b.span = node.span
    dtype = frame.variables.dtype(node.dtype)
    assert dtype is not None, "a cast to a dtype that nothing determines"
    assert dtype.is_complex or dtype.is_bool or not any(map(_is_complex, leaves(value))), "a cast that drops a part"
    return map_leaves(lambda leaf: cast(s.b, leaf, dtype), value)


def _is_complex(leaf: Value) -> bool:
    return leaf.type.dtype.is_complex if isinstance(leaf, ATOMS) else isinstance(leaf, complex)


def cast(b: Builder, x: Value, dtype: DType) -> Atom:
    """Cast as users write it: floats truncate to integers, integers wrap."""
    if isinstance(x, Size):
        x = length(b, x)
    if isinstance(x, ATOMS):
        if isinstance(x, Literal) and x.type.dtype == dtype:
            return x
        return builders.convert(b, x, dtype)
    assert isinstance(x, bool | int | float | complex), x
    return literal(wrap_number(x, dtype), dtype)


def wrap_number(x: bool | int | float | complex, dtype: DType) -> bool | int | float | complex:
    """A static number as an integer dtype holds it; other dtypes take it as it is."""
    if not dtype.is_integer:
        return x != 0 if dtype.is_bool else x
    low, high = dtypes.integer_range(dtype)
    if isinstance(x, float | complex):
        real = x.real
        whole = 0 if real != real else int(max(min(real, float(high)), float(low)))
        return max(min(whole, high), low)
    return (x - low) % (high - low + 1) + low


def coerce(s: Stager, node: core.Coerce, frame: Frame) -> Value:
    value = s.eval(node.value, frame)
    if isinstance(value, Size) and isinstance(node.type, ArrayType):
        return cast(s.b, value, frame.variables.dtype(node.type.dtype) or dtypes.I32)
    try:
        return coerce_numbers(value, node.type, frame)
    except DoesNotFit as problem:
        raise staging_error("E0304", str(problem), node.span) from None


def coerce_numbers(value: Value, type: Type, frame: Frame) -> Value:
    """Static numbers in `value` become what `type` has in their place."""
    if isinstance(value, Var):
        return value
    match type:
        case ArrayType(dtype, _):
            return _number_as(value, frame.variables.dtype(dtype))
        case IndexType():
            return _number_as(value, dtypes.I32)
        case TupleType(parts) if isinstance(value, TupleValue):
            return TupleValue(tuple([coerce_numbers(v, t, frame) for v, t in zip(value.parts, parts, strict=True)]))
        case RecordType(fields) if isinstance(value, RecordValue):
            pairs = zip(value.fields, fields, strict=True)
            return RecordValue(tuple([(name, coerce_numbers(v, t, frame)) for (name, v), (_, t) in pairs]))
        case StackedType(element, _):
            return coerce_numbers(value, element, frame)
        case StaticType(kind):
            return _static_as(value, kind)
        case OptionalType(base):
            return value if value is None else coerce_numbers(value, base, frame)
        case TypeVar():
            return _like_structure(value, frame.variables.solved().types.get(type))
        case _:
            return value


def _number_as(value: Value, dtype: DType | None) -> Value:
    if isinstance(value, ATOMS) or not isinstance(value, bool | int | float | complex):
        return value
    return as_atom(value) if dtype is None else literal(value, dtype)


def _static_as(value: Value, kind: str) -> Value:
    if kind == "float" and isinstance(value, int):
        return float(value)
    if kind == "complex" and isinstance(value, int | float):
        return complex(value)
    if kind == "pairs":
        pairs = pairs_of(value.parts if isinstance(value, TupleValue) else value)
        return TupleValue(tuple([pair if isinstance(pair, TupleValue) else TupleValue(pair) for pair in pairs]))
    if kind in ("shape", "ints") or (kind == "axes" and isinstance(value, TupleValue)):
        return as_ints(value)
    return value


def _like_structure(value: Value, structure: Value) -> Value:
    if structure is None:
        return map_leaves(lambda leaf: _number_as(leaf, None), value)
    return zip_leaves(
        lambda leaf, like: _number_as(leaf, like.type.dtype) if isinstance(like, Slot) else leaf,
        value,
        structure,
    )
