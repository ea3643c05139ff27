"""Linearity of the rule of a `custom_jvp` in its last argument, the tangents, by abstract interpretation.

The mark of a value says how it depends on the tangents (`Degree`). A product of two tangents, a tangent in `exp`, in a
comparison or as an integer is found where it stands; a tangent of the result that forgets the tangents, or is a number
beside them on some way, is found at the end. What this cannot see into is left to the transformation itself, which
refuses what it cannot transpose.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from msgspec import Struct

from dsl.core import core
from dsl.core.analysis.abstract_values import Function, Items, Scope, Value, holds_function, map_marks, marks, part
from dsl.core.analysis.cells import STATUS
from dsl.core.analysis.interpret import Interpreter, Static
from dsl.core.analysis.known_sizes import with_sizes
from dsl.core.statics.numbers import STATIC
from dsl.core.transformation import TRANSFORMATIONS, Kind, takes_parts
from dsl.core.walk import children
from dsl.diagnostics.source import Span
from dsl.ir.slopes import SLOPES
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.effect import DEBUG, IO
from dsl.types.type import Type
from dsl.types.walk import any_leaf
from typechecker.analyses.tangent_degrees import DEPENDENT, WRONG, Degree, degree_of_slope, degree_of_sum
from typechecker.declarations.entities import PRELUDE, Attribute
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.types.predicates import present_type

# No signature states it, and no op does it.
_PRODUCTS = frozenset({"einsum"})
_ARRANGED = frozenset({"stack", "slice_axis"})
_ZEROS = frozenset({"zeros", "zeros_like"})
_DISCRETE = frozenset({"==", "!=", "<", "<=", ">", ">=", "//", "%"})

_ARGUMENTS = (Degree.CONSTANT, Degree.LINEAR)


class Nonlinear(Struct, frozen=True):
    """A part of a rule that is not linear; `depends` says whether it depends on tangents, where that is the fault."""

    at: core.Expr
    depends: bool | None = None


class _NotLinear(Exception):
    """Found: the expression that is not linear."""

    def __init__(self, at: core.Expr, depends: bool | None = None) -> None:
        super().__init__()
        self.part = Nonlinear(at, depends)


def nonlinear_part(program: ProgramChecker, rule: Value, at: core.Expr) -> Nonlinear | None:
    """The part of a rule, given by the expression `at`, that is certainly not linear in its last argument, or None: of
    its tangent, or of its value or a failure that comes of the tangents; the rule itself where no part is known."""
    walk = _Walk(program)
    try:
        found = walk.with_cell(STATUS, Degree.CONSTANT, lambda: walk.apply(rule, _ARGUMENTS, at))
    except _NotLinear as wrong:
        return wrong.part
    result = part(found, 0)
    if any(mark in WRONG for mark in marks(part(result, 1))):
        return walk.beside or walk.part_of_pair(1) or Nonlinear(at)
    shown = (part(result, 0), part(found, 1))
    depends = any(mark in DEPENDENT for value in shown for mark in marks(value))
    return (walk.part_of_pair(0) or Nonlinear(at)) if depends else None


class _Walk(Interpreter):
    unknown = Degree.UNKNOWN
    zero = Degree.ZERO
    never = Degree.NEVER

    def __init__(self, program: ProgramChecker) -> None:
        super().__init__()
        self.program = program
        self.differentiating = False
        self.seen: dict[Span, Value] = {}
        self.beside: Nonlinear | None = None
        self.pair: core.Tuple | None = None

    def part_of_pair(self, index: int) -> Nonlinear | None:
        """A part of the last pair that was written, which is what the rule gives, where it is the one that is wrong."""
        if self.pair is None or len(self.pair.items) != 2:
            return None
        at = self.pair.items[index]
        wrong = {mark for mark in marks(self.seen.get(at.span, 0)) if mark in (DEPENDENT, WRONG)[index]}
        depends = True if index == 0 else False if wrong == {Degree.CONSTANT} else None
        return Nonlinear(at, depends) if wrong else None

    def _see(self, node: core.Expr, value: Value) -> None:
        """Note where a value becomes a number beside tangents, or another form of them: that number, or the value."""
        self.seen[node.span] = value
        if isinstance(node, core.Tuple):
            self.pair = node
        inside = children(node) if value in DEPENDENT & WRONG else ()
        parts = [(e, self.seen.get(e.span)) for e in inside if any_leaf(e.type, _is_summable)]
        if parts and not any(part in DEPENDENT & WRONG for _, part in parts):
            numbers = [e for e, part in parts if part == Degree.CONSTANT]
            self.beside = Nonlinear(numbers[-1], depends=False) if numbers else Nonlinear(node)

    def context(self) -> Hashable:
        return self.differentiating

    # ------------------------------------------------------------ marks

    def joined(self, values: Sequence[Value]) -> int:
        return degree_of_sum({Degree(mark) for value in values for mark in marks(value)})

    def limited(self, mark: int, type_: Type, scope: Scope) -> int:
        return mark

    def static(self, node: Static) -> Value:
        return Degree.UNKNOWN if node.type == ty.ERROR else Degree.ZERO if _written(node) == 0 else Degree.CONSTANT

    def tested(self, node: core.Expr, value: Value) -> None:
        if self._depends(value):
            raise _NotLinear(node)

    def printed(self, node: core.Print, values: Sequence[Value]) -> None:
        if any(map(self._depends, values)):
            raise _NotLinear(node)

    def _depends(self, value: Value) -> bool:
        return any(mark in DEPENDENT for mark in marks(value))

    # ------------------------------------------------------------ operators

    def converted(self, node: core.Unary | core.Convert | core.Coerce | core.CheckIndex, value: Value) -> Value:
        discrete = isinstance(node, core.Convert) and isinstance(node.dtype, DType) and not node.dtype.is_inexact
        if discrete and self._depends(value):
            raise _NotLinear(node)
        return value

    def binary(self, node: core.Binary, left: Value, right: Value) -> Value:
        a, b = self._depends(left), self._depends(right)
        if node.op in ("+", "-"):
            if a != b and not self.differentiating and _is_number(node.right if a else node.left):
                raise _NotLinear(node.right if a else node.left, depends=False)
            return self.join([left, right])
        if node.op == "**" and a and not b and _written(node.right) in (1, 2):
            return left if _written(node.right) == 1 else self._product(node, [left, left])
        if ((node.op in _DISCRETE or node.op == "**") and (a or b)) or (node.op == "/" and b):
            raise _NotLinear(node)
        if node.op == "*":
            return self._product(node, [left, right])
        return self._product(node, [left if a else map_marks(left, _not_zero), map_marks(right, _not_zero)])

    def scattered(self, node: core.Scatter, base: Value, value: Value) -> Value:
        if node.op in ("set", "add"):
            return self.join([base, value])
        if self._depends(value) or (self._depends(base) and node.op not in ("mul", "divide")):
            raise _NotLinear(node)
        return Degree.UNKNOWN if isinstance(value, Function) else base

    def _product(self, node: core.Expr, factors: Sequence[Value]) -> Value:
        """A value that is linear in each of several, and of the structure of the one that depends."""
        dependent = [value for value in factors if self._depends(value)]
        if (
            len(dependent) == 2
            and self.differentiating
            and {*marks(dependent[0]), *marks(dependent[1])} == {Degree.LINEAR}
        ):
            return Degree.QUADRATIC
        if len(dependent) > 1:
            raise _NotLinear(node)
        degrees = [Degree(mark) for value in factors if value not in dependent for mark in marks(value)]
        if Degree.NEVER in degrees:
            return Degree.NEVER
        if dependent and (Degree.ZERO in degrees or Degree.UNKNOWN not in degrees):
            return dependent[0]  # beside a zero, too: this is transposed like any product
        return next((mark for mark in (Degree.ZERO, Degree.UNKNOWN) if mark in degrees), Degree.CONSTANT)

    # ------------------------------------------------------------ calls

    def of(self, node: core.Expr, scope: Scope) -> Value:
        """A function of which nothing is known is the expression that gives it."""
        value = super().of(node, scope)
        if not self.differentiating and not node.span.source.in_library:
            self._see(node, value)
        unknown = isinstance(value, int) and isinstance(present_type(node.type), ty.FunctionType)
        return Function(node, scope) if unknown else value

    def apply(self, function: Value, args: Sequence[Value], at: core.Expr, instance: int | None = None) -> Value:
        """A function that may print, or be one of Python, is no linear one."""
        if isinstance(function, Function) and self._dependent(args):
            for each in function.each:
                kind = present_type(each.node.type)
                if isinstance(kind, ty.FunctionType) and not {IO, DEBUG}.isdisjoint(kind.effects.effects):
                    raise _NotLinear(at)
        return super().apply(function, args, at, instance)

    def definition(self, module: str, name: str) -> core.Function | None:
        return self.program.checked(module, name)

    def constant(self, module: str, name: str) -> core.Constant | None:
        return self.program.checked_constant(module, name)

    def called(self, function: Function, node: core.Global, args: Sequence[Value], at: core.Expr) -> Value:
        info = self.program.modules[node.module].definitions.get(node.name)
        if info is not None and node.module == PRELUDE:
            given = at.args if isinstance(at, core.Apply) else ()
            pairs = [(e, a) for e, a in zip(given, args, strict=False) if e is not None]
            found = self._named(info.static_math or info.head.place.text, info.attributes, pairs, at)
            return self._followed(function, node, args, at) if found == Degree.UNKNOWN else found
        return super().called(function, node, args, at)

    def _followed(self, function: Function, node: core.Global, args: Sequence[Value], at: core.Expr) -> Value:
        """A call of the prelude of which no more is said than its body; what is wrong there is the call."""
        try:
            return super().called(function, node, args, at)
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
        slope, args = SLOPES.get(name) or SLOPES.get(f"reduce_{name}"), [value for _, value in given]
        product = Attribute.MULTILINEAR in said or (slope is not None and slope.multilinear)
        if name in _ZEROS:
            return Degree.ZERO
        if name == "where" and args:
            self.tested(at, args[0])
            return self.join(args[1:])
        if name in _PRODUCTS or product:
            return self._product(at, args)
        if Attribute.LINEAR in said or name in _ARRANGED or (slope is not None and slope.linear):
            return self.joined([value for node, value in given if any_leaf(node.type, _is_summable)])
        if self.differentiating and slope is not None and slope.flat:
            return Degree.UNKNOWN
        discrete = isinstance(at, core.Intrinsic) and not any_leaf(at.type, _is_summable)
        steep = (name in STATIC or discrete) and not self.differentiating and Attribute.CONSTANT not in said
        if self._dependent(args) and (steep or (slope is not None and not slope.linear)):
            raise _NotLinear(at)
        found = {mark for value in args for mark in marks(value)}
        if Degree.NEVER in found:
            return Degree.NEVER
        constant = found <= {Degree.CONSTANT} and not any(map(holds_function, args))
        return Degree.CONSTANT if constant else Degree.UNKNOWN

    def _dependent(self, args: Sequence[Value]) -> bool:
        return any(map(self._depends, args))

    # ------------------------------------------------------------ transformations

    def transformed(
        self, function: Function, node: core.Transform, args: Sequence[Value], at: core.Expr, instance: int | None
    ) -> Value:
        inner = self.within(function, node)
        if takes_parts(node.kind) or node.kind in (Kind.JIT, Kind.CHECKPOINT):
            return self.apply(inner, args, at, instance)
        if node.kind in (Kind.CUSTOM_JVP, Kind.CUSTOM_VJP):
            value = self.apply(inner, args, at, instance)  # a rule gives the derivative any form
            return Degree.NONLINEAR if self.differentiating and self._depends(value) else value
        row, place = TRANSFORMATIONS[node.kind], _argument_number(node)
        if row.mode is None or place is None or place >= len(args):
            return Degree.UNKNOWN
        value, slope = self._slope(inner, args, place, at, instance, 2 if node.kind is Kind.HESSIAN else 1)
        return Items((value, slope)) if row.with_value else slope

    def transform_call(self, node: core.TransformCall, scope: Scope) -> Value:
        function = with_sizes(self.of(node.function, scope), node, scope, self.definition)
        args = [self.of(e, scope) for e in node.args]
        if node.kind in (Kind.LINEARIZE, Kind.VJP):
            value, _ = self._slope(function, args, 0, node, node.instance)
            return Items((value, Function(node, scope)))
        count = len(args) // 2
        order = 2 if node.kind is Kind.HVP else 1
        found = [self._slope(function, args[:count], i, node, node.instance, order) for i in range(count)]
        slope = self.join([self._product(node, [s, t]) for (_, s), t in zip(found, args[count:], strict=True)])
        return slope if node.kind is Kind.HVP else Items((found[0][0], slope))

    def linear_map(self, function: Function, node: core.TransformCall, args: Sequence[Value], at: core.Expr) -> Value:
        primals = [self.of(e, function.scope) for e in node.args]
        inner = self.of(node.function, function.scope)
        slopes = [self._slope(inner, primals, i, node, node.instance)[1] for i in range(len(primals))]
        if node.kind is Kind.VJP:
            return Items(tuple([self._product(at, [slope, *args]) for slope in slopes]))
        return self.join([self._product(at, [slope, t]) for slope, t in zip(slopes, args, strict=True)])

    def _slope(
        self, function: Value, args: Sequence[Value], place: int, at: core.Expr, instance: int | None, order: int = 1
    ) -> tuple[Value, Degree]:
        """Return the result of a function and its derivative by one argument, of first or second order."""
        value = self._apply_freely(function, args, at, instance)
        still = [Degree.CONSTANT if i == place else arg for i, arg in enumerate(args)]
        captures = self._depends(self._apply_freely(function, still, at, instance))
        point, slope = Degree(self.joined([args[place]])), Degree(self.joined([value]))
        for _ in range(order):
            slope = degree_of_slope(slope, point, captures)
        return value, slope

    def _apply_freely(self, function: Value, args: Sequence[Value], at: core.Expr, instance: int | None) -> Value:
        """A call of which the derivative is taken: that it is not linear is no mistake by itself."""
        before, self.differentiating = self.differentiating, True
        try:
            return self.apply(function, args, at, instance)
        except _NotLinear:
            return Degree.NONLINEAR
        finally:
            self.differentiating = before


def _argument_number(node: core.Transform) -> int | None:
    """The number of the one argument by which a function is differentiated; None if there are others, or more than the
    value comes out."""
    options = dict(node.options)
    number = _written(options["argnums"]) if "argnums" in options else 0
    return number if isinstance(number, int) and "has_aux" not in options else None


def _is_summable(leaf: Type) -> bool:
    """Return whether a leaf is no integer, bool or static value, which only say where elements go."""
    if isinstance(leaf, ty.ArrayType):
        return not isinstance(leaf.dtype, DType) or leaf.dtype.is_inexact
    return isinstance(leaf, ty.TypeVar) or leaf in (ty.FLOAT, ty.COMPLEX)


def _not_zero(mark: int) -> int:
    """The mark of what a zero does not stay one beside: a divisor, a base or an exponent, one side of a comparison."""
    return Degree.CONSTANT if mark == Degree.ZERO else mark


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
