"""Whether the rule of a `custom_jvp` is linear in its last argument, the tangents: an abstract interpretation.

The mark of a value says how it depends on the tangents (`Degree`). A product of two tangents, a tangent in `exp`, in a
comparison or as an integer is found where it stands; a tangent of the result that forgets the tangents, or is a number
beside them on some way, is found at the end. What this cannot see into is left to the transformation itself, which
refuses what it cannot transpose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

from dsl.core import core
from dsl.core.abstract_values import Function, Items, Scope, Value, map_marks, marks, part
from dsl.core.interpret import Interpreter, Static
from dsl.core.static_math import STATIC
from dsl.core.transformation import Kind, is_map
from dsl.ir.op import NotLinear, Op
from dsl.ops.table import OPS
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.type import Type
from dsl.types.walk import any_leaf
from typechecker.declarations.attributes import Attribute
from typechecker.declarations.program_checker import PRELUDE, ProgramChecker


class Degree(IntEnum):
    """How a leaf depends on the tangents."""

    CONSTANT = 0
    ZERO = 1
    LINEAR = 2
    AFFINE = 3
    """Linear on some way and a number on another, or a sum of both."""
    UNKNOWN = 4
    NONLINEAR = 5
    """Not linear, which matters only where it is used."""


_DEPENDENT = (Degree.LINEAR, Degree.AFFINE, Degree.NONLINEAR)
_WRONG = (Degree.CONSTANT, Degree.AFFINE, Degree.NONLINEAR)
_SUMS = frozenset({frozenset({Degree.ZERO, Degree.LINEAR}), frozenset({Degree.ZERO, Degree.CONSTANT})})

# No signature states it, and no op does it.
_PRODUCTS = frozenset({"einsum"})
_ZEROS = frozenset({"zeros", "zeros_like"})
_DISCRETE = frozenset({"==", "!=", "<", "<=", ">", ">=", "//", "%"})


class _NotLinear(Exception):
    """Found: the expression that is not linear."""

    def __init__(self, at: core.Expr) -> None:
        super().__init__()
        self.at = at


def nonlinear_part(program: ProgramChecker, rule: Value, at: core.Expr) -> core.Expr | None:
    """The part of a rule, given by the expression `at`, that is certainly not linear in its last argument, or None."""
    walk = _Walk(program)
    try:
        result = walk.apply(rule, (Degree.CONSTANT, Degree.LINEAR), at)
    except _NotLinear as found:
        return found.at
    wrong = any(mark in _WRONG for mark in marks(part(result, 1)))
    return at if wrong else None


class _Walk(Interpreter):
    unknown = Degree.UNKNOWN
    zero = Degree.ZERO

    def __init__(self, program: ProgramChecker) -> None:
        super().__init__()
        self.program = program

    # ------------------------------------------------------------ marks

    def joined(self, values: Sequence[Value]) -> int:
        found = frozenset(Degree(mark) for value in values for mark in marks(value))
        if Degree.UNKNOWN in found or not found:
            return Degree.UNKNOWN
        if len(found) == 1 or found in _SUMS:
            return max(found - {Degree.ZERO}, default=Degree.ZERO)
        return Degree.NONLINEAR if Degree.NONLINEAR in found else Degree.AFFINE

    def limited(self, mark: int, type_: Type, scope: Scope) -> int:
        return mark

    def static(self, node: Static) -> Value:
        return Degree.UNKNOWN if node.type == ty.ERROR else Degree.ZERO if _written(node) == 0 else Degree.CONSTANT

    def tested(self, node: core.Expr, value: Value) -> None:
        if self._depends(value):
            raise _NotLinear(node)

    def _depends(self, value: Value) -> bool:
        return any(mark in _DEPENDENT for mark in marks(value))

    # ------------------------------------------------------------ operators

    def converted(self, node: core.Unary | core.Convert | core.Coerce | core.CheckIndex, value: Value) -> Value:
        discrete = isinstance(node, core.Convert) and isinstance(node.dtype, DType) and not node.dtype.is_inexact
        if discrete and self._depends(value):
            raise _NotLinear(node)
        return value

    def binary(self, node: core.Binary, left: Value, right: Value) -> Value:
        a, b = self._depends(left), self._depends(right)
        if node.op in ("+", "-"):
            if a != b and _is_number(node.right if a else node.left):
                raise _NotLinear(node)
            return self.join([left, right])
        if node.op == "**" and a and not b and _written(node.right) == 1:
            return left
        if ((node.op in _DISCRETE or node.op == "**") and (a or b)) or (node.op == "/" and b):
            raise _NotLinear(node)
        return self._product(node, [left, right])

    def scattered(self, node: core.Scatter, base: Value, value: Value) -> Value:
        if node.op in ("set", "add"):
            return self.join([base, value])
        if self._depends(value) or (self._depends(base) and node.op not in ("mul", "divide")):
            raise _NotLinear(node)
        return Degree.UNKNOWN if isinstance(value, Function) else base

    def _product(self, node: core.Expr, factors: Sequence[Value]) -> Value:
        """A value that is linear in each of several, and of the structure of the one that depends."""
        dependent = [value for value in factors if self._depends(value)]
        if len(dependent) > 1:
            raise _NotLinear(node)
        degrees = [Degree(mark) for value in factors if value not in dependent for mark in marks(value)]
        if Degree.ZERO in degrees or Degree.UNKNOWN in degrees:
            return Degree.ZERO if Degree.ZERO in degrees else Degree.UNKNOWN
        return map_marks(dependent[0], lambda mark: mark) if dependent else Degree.CONSTANT

    # ------------------------------------------------------------ calls

    def definition(self, module: str, name: str) -> core.Function | None:
        return self.program.checked(module, name)

    def constant(self, module: str, name: str) -> core.Constant | None:
        return self.program.checked_constant(module, name)

    def called(self, function: Function, node: core.Global, args: Sequence[Value], at: core.Expr) -> Value:
        if node.module == PRELUDE:
            given = at.args if isinstance(at, core.Apply) else ()
            pairs = [(e, a) for e, a in zip(given, args, strict=False) if e is not None]
            info = self.program.modules[PRELUDE].definitions[node.name]
            found = self._named(info.static_math or info.node.name.name, info.attributes, pairs, at)
            return self._followed(function, node, args, at) if found == Degree.UNKNOWN else found
        return super().called(function, node, args, at)

    def _followed(self, function: Function, node: core.Global, args: Sequence[Value], at: core.Expr) -> Value:
        """A call of the prelude of which no more is said than its body; what is wrong there is the call."""
        try:
            return super().called(function, node, args, at) if self._dependent(args) else Degree.UNKNOWN
        except _NotLinear:
            raise _NotLinear(at) from None

    def intrinsic(self, node: core.Intrinsic, args: Sequence[Value]) -> Value:
        said = self.program.attributes(node.name)
        return self._named(node.name, said, list(zip(node.args, args, strict=True)), node)

    def _named(
        self,
        name: str,
        said: Mapping[Attribute, tuple[str, ...]],
        given: Sequence[tuple[core.Expr, Value]],
        at: core.Expr,
    ) -> Value:
        """A call of an op, or of a library function of its name."""
        op, args = OPS.get(name), [value for _, value in given]
        product = Attribute.MULTILINEAR in said or (isinstance(op, Op) and op.traits.multilinear)
        if name in _ZEROS:
            return Degree.ZERO
        if name == "where" and args:
            self.tested(at, args[0])
            return self.join(args[1:])
        if name in _PRODUCTS or product:
            return self._product(at, args)
        if Attribute.LINEAR in said or (isinstance(op, Op) and not isinstance(op.transpose, NotLinear)):
            return self.joined([value for node, value in given if any_leaf(node.type, _is_summable)])
        if self._dependent(args) and (name in STATIC or (isinstance(op, Op) and isinstance(op.transpose, NotLinear))):
            raise _NotLinear(at)
        known = not self._dependent(args) and all(mark == Degree.CONSTANT for a in args for mark in marks(a))
        return Degree.CONSTANT if known else Degree.UNKNOWN

    def _dependent(self, args: Sequence[Value]) -> bool:
        return any(map(self._depends, args))

    # ------------------------------------------------------------ transformations

    def transformed(self, function: Function, node: core.Transform, args: Sequence[Value], at: core.Expr) -> Value:
        if is_map(node.kind) or node.kind in (Kind.JIT, Kind.CHECKPOINT, Kind.SHARD):
            return self.apply(self.of(node.function, function.scope), args, at)
        return Degree.UNKNOWN

    def transform_call(self, node: core.TransformCall, scope: Scope) -> Value:
        function, args = self.of(node.function, scope), [self.of(e, scope) for e in node.args]
        if node.kind is not Kind.JVP:
            return Degree.UNKNOWN
        primals, tangents = args[: len(args) // 2], args[len(args) // 2 :]
        try:
            value = self.apply(function, primals, node, node.instance)
        except _NotLinear:
            value = Degree.NONLINEAR
        return Items((value, self._derivative(value, self._dependent(primals), tangents)))

    def _derivative(self, value: Value, moves: bool, tangents: Sequence[Value]) -> Value:
        """What a directional derivative is, of a function with this value, where the point depends on tangents or
        does not: linear in the direction, at a point that does not, and for a function that is linear itself."""
        if any(mark not in (Degree.LINEAR, Degree.ZERO) for t in tangents for mark in marks(t)):
            return Degree.UNKNOWN
        captures = self._depends(value) and not moves
        if captures or not self._dependent(tangents):
            return Degree.UNKNOWN
        keeps = Degree.NONLINEAR if Degree.NONLINEAR in marks(value) else Degree.LINEAR
        return map_marks(value, lambda _: keeps)


def _is_summable(leaf: Type) -> bool:
    """Whether a leaf is no integer, bool or static value, which only say where elements go."""
    if isinstance(leaf, ty.ArrayType):
        return not isinstance(leaf.dtype, DType) or leaf.dtype.is_inexact
    return isinstance(leaf, ty.TypeVar) or leaf in (ty.FLOAT, ty.COMPLEX)


def _is_number(node: core.Expr) -> bool:
    """A number written down that is not 0."""
    return _written(node) not in (None, 0)


def _written(node: core.Expr) -> int | float | complex | None:
    """The number that is written down."""
    match node:
        case core.Coerce(value=value) | core.Convert(value=value):
            return _written(value)
        case core.Const(value=int() | float() | complex() as number):
            return number
        case core.SizeOf(size=size):
            return size.constant
        case _:
            return None
