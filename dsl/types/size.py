"""The size algebra: integer polynomials over atoms, kept in one normal form.

A `Size` is a sum of integer multiples of monomials; a monomial is a product of atoms: size variables, or the stuck
forms `a // b`, `a % b`, `min`, `max` and calls that could not be computed. Every way to build a size normalises, so
`==` is structural. Sizes are bounded (`limits`): what would be too large to compute with raises `Exceeded`.

A size means something only where it is defined, with denominators of at least 1, which is for its author to show. There
the rules here are identities of integers: `(e + c * s) // s` is `e // s + c`, `(n // a) // b` is `n // (a * b)`. It
knows nothing of facts about the variables (`facts`, `decide`), of shapes (`shape`) or of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from operator import is_
from typing import ClassVar, TypeAlias, assert_never, cast

from msgspec import Struct

from dsl.types import polynomial
from dsl.types.limits import check_bits, nested
from dsl.types.names import SizeVar as SizeVar
from dsl.types.node import Keyed, Node, once
from dsl.types.polynomial import Key, Polynomial
from dsl.types.static_argument import SizeDependent, argument_text, call_text, is_called, mentions_sizes, operand_text


class _Compound(Node):
    """An atom with sizes in it; its weight is bounded."""

    __slots__ = ()
    order: ClassVar[int]

    def __post_init__(self) -> None:
        nested(self.weight - 1)

    @once
    def weight(self) -> int:
        return 1 + sum([part.weight for part in parts(cast("Atom", self))])

    @once
    def key(self) -> Key:
        return (self.order, *[part.key for part in self.parts() if isinstance(part, Size)])


class _Division(_Compound, Struct, frozen=True, cache_hash=True, dict=True):
    numerator: Size
    denominator: Size
    compound: ClassVar[bool] = True

    def parts(self) -> tuple[Size, ...]:
        return (self.numerator, self.denominator)


class FloorDiv(_Division, frozen=True):
    """`numerator // denominator`, rounding down, stuck."""

    order: ClassVar[int] = 1

    @property
    def natural(self) -> bool:
        return self.numerator.is_nonnegative()

    def __str__(self) -> str:
        return _show_division(self, "//")


class Mod(_Division, frozen=True):
    """`numerator % denominator`, in `0 ... denominator - 1`, stuck."""

    natural: ClassVar[bool] = True
    order: ClassVar[int] = 2

    def __str__(self) -> str:
        return _show_division(self, "%")


class _Choice(_Compound, Struct, frozen=True, cache_hash=True, dict=True):
    args: tuple[Size, ...]
    compound: ClassVar[bool] = False

    def parts(self) -> tuple[Size, ...]:
        return self.args


class Min(_Choice, frozen=True):
    """The least of at least two sizes, sorted, of which none is known to be below another."""

    order: ClassVar[int] = 3

    @once
    def natural(self) -> bool:
        return all(arg.is_nonnegative() for arg in self.args)

    def __str__(self) -> str:
        return f"min({', '.join(map(str, self.args))})"


class Max(_Choice, frozen=True):
    """The greatest of at least two sizes, sorted, of which none is known to be below another."""

    order: ClassVar[int] = 4

    @once
    def natural(self) -> bool:
        return any(arg.is_nonnegative() for arg in self.args)

    def __str__(self) -> str:
        return f"max({', '.join(map(str, self.args))})"


class Opaque(Keyed, _Compound, Struct, frozen=True, eq=False, dict=True):
    """A call that is not unfolded, such as one of a recursive function on sizes.

    `evaluate`, where there is one, computes it when the sizes among its arguments are literals: it gets integers for
    sizes and other arguments as they are, gives None where it stays stuck, and may raise `ArithmeticError` where it is
    undefined. Without it only this is known, that equal arguments give equal values. If the call is `open`, it gets any
    sizes, as they are.
    """

    name: str
    args: tuple[Hashable, ...]
    natural: bool = False
    evaluate: Callable[..., int | Size | None] | None = None
    open: bool = False
    compound: ClassVar[bool] = False

    @property
    def identity(self) -> Hashable:
        return self.name, self.args, self.natural

    def parts(self) -> tuple[SizeDependent, ...]:
        return tuple([arg for arg in self.args if mentions_sizes(arg)])

    @once
    def key(self) -> Key:
        args = [repr(arg.key) if isinstance(arg, Size) else repr(arg) for arg in self.args]
        return (5, self.name, *args)

    def with_args(self, args: tuple[Hashable, ...]) -> Size:
        return opaque(self.name, args, self.natural, self.evaluate, self.open)

    def __str__(self) -> str:
        name = self.name.removeprefix("is:")
        if not is_called(name):
            return f"({f' {name} '.join(map(operand_text, self.args))})"
        args = list(map(argument_text, self.args))
        return name if args == [name] else call_text(name, self.args)


Atom: TypeAlias = SizeVar | FloorDiv | Mod | Min | Max | Opaque
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]
Terms: TypeAlias = tuple[tuple[Monomial, int], ...]
SizeLike: TypeAlias = "Size | Atom | int"


class Size(Polynomial[Atom], frozen=True):
    """An integer polynomial over atoms. Build it with `Size.of` and operators."""

    @staticmethod
    def of(value: SizeLike) -> Size:
        """The size that is this integer or this atom (which must be in normal form itself)."""
        match value:
            case Size():
                return value
            case int():
                return Size((((), value),)) if value else _ZERO
            case _:
                return Size(((((value, 1),), 1),))

    @once
    def weight(self) -> int:
        """How many atoms there are, those inside other atoms too."""
        return sum([atom.weight for atom in self.own_atoms()])

    def own_atoms(self) -> list[Atom]:
        """The atoms it is made of, none inside others."""
        return [atom for monomial, _ in self.terms for atom, _ in monomial]

    @once
    def inside(self) -> tuple[Atom, ...]:
        found: dict[Atom, None] = {}
        for atom in self.own_atoms():
            found[atom] = None
            found.update(dict.fromkeys(inside(atom)))
        return tuple(found)

    def map_atoms(self, rename: Callable[[Atom], Size]) -> Size:
        """The polynomial with every top-level atom replaced, normalised again."""
        own = self.own_atoms()
        new = [rename(atom) for atom in own]
        if all(size.as_atom() is atom for size, atom in zip(new, own, strict=True)):
            return self
        total: dict[Monomial, int] = {}
        renamed = iter(new)
        for monomial, coefficient in self.terms:
            product = Size.of(coefficient)
            for _, power in monomial:
                product = product * next(renamed) ** power
            polynomial.accumulate(total, product.terms, 1)
        return _from_table(total)

    def substitute(self, sizes: Mapping[SizeVar, Size]) -> Size:
        """Replace variables, everywhere, at once."""
        if self._variables.isdisjoint(sizes):
            return self

        def rename(atom: Atom) -> Size:
            if isinstance(atom, SizeVar):
                found = sizes.get(atom)
                return Size.of(atom) if found is None else found
            return rebuild(atom, rename)

        return self.map_atoms(rename)

    def evaluate(self, values: Mapping[SizeVar, int]) -> int:
        """The integer this is for these values. Raises ZeroDivisionError where it is undefined, KeyError for
        a variable without a value, LookupError for a call that has no evaluator."""
        total = 0
        for monomial, coefficient in self.terms:
            for atom, power in monomial:
                value = values[atom] if isinstance(atom, SizeVar) else _evaluate_atom(atom, values)
                coefficient *= value if power == 1 else value**power
            total += coefficient
        return total

    def linear_in(self, var: SizeVar) -> tuple[Size, Size] | None:
        """`(a, b)` with `self == a * var + b`, neither mentioning `var`; None if there is no such pair."""
        slope: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for monomial, coefficient in self.terms:
            powers = dict(monomial)
            power = powers.pop(var, 0)
            if power > 1 or any(var in inside(atom) for atom in powers):
                return None
            (slope if power else rest)[tuple(powers.items())] = coefficient
        return _from_table(slope), _from_table(rest)

    def divided_by(self, divisor: Size) -> tuple[Size, Size]:
        """`(q, r)` with `self == q * divisor + r`, as polynomials; see `polynomial.divide`."""
        whole, rest = polynomial.divide(self.terms, divisor.terms)
        return Size(whole), Size(rest)

    def without(self, factor: Monomial) -> Size:
        """Divided by a monomial that divides every term."""
        return Size(polynomial.without(self.terms, factor))

    def __add__(self, other: SizeLike) -> Size:
        other = Size.of(other)
        if not other.terms:
            return self
        return Size(polynomial.add(self.terms, other.terms, 1))

    __radd__ = __add__

    def __sub__(self, other: SizeLike) -> Size:
        return Size(polynomial.add(self.terms, Size.of(other).terms, -1))

    def __neg__(self) -> Size:
        return Size(tuple((monomial, -coefficient) for monomial, coefficient in self.terms))

    def __mul__(self, other: SizeLike) -> Size:
        other = Size.of(other)
        factor = other.constant
        if factor is not None:
            return Size(tuple((m, check_bits(c * factor)) for m, c in self.terms)) if factor else _ZERO
        return Size(polynomial.multiply(self.terms, other.terms))

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Size:
        """A literal power, `exponent >= 0`."""
        return Size(polynomial.power(self.terms, exponent)) if exponent != 1 else self

    def __floordiv__(self, other: SizeLike) -> Size:
        return floor_div(self, Size.of(other))

    def __mod__(self, other: SizeLike) -> Size:
        return mod(self, Size.of(other))

    def __rsub__(self, other: int) -> Size:
        return Size.of(other) - self

    def as_argument(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return polynomial.show(_as_written(self).terms)


_ZERO = Size(())
_ONE = Size((((), 1),))


def _from_table(total: Mapping[Monomial, int]) -> Size:
    return Size(polynomial.from_table(total))


def _as_written(size: Size) -> Size:
    """`(n + 3) // 4 - 1` as `(n - 1) // 4`: terms beside a division taken in where it gets no longer by
    that."""
    for monomial, factor in size.terms:
        atom = monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else None
        if isinstance(atom, FloorDiv) and (divisor := atom.denominator.constant):
            inside = dict(atom.numerator.terms)
            taken: dict[Monomial, int] = {}
            for other, count in size.terms:
                old = inside.get(other, 0)
                new = old + divisor * count // factor
                if count % factor == 0 and abs(new) <= abs(old):
                    inside[other], taken[other] = new, count
            written = FloorDiv(_from_table(inside), atom.denominator)
            return size - _from_table(taken) - Size.of(atom) * factor + Size.of(written) * factor
    return size


def _show_division(atom: FloorDiv | Mod, operator: str) -> str:
    left = polynomial.show_operand(atom.numerator.terms, product=True)
    return f"{left} {operator} {polynomial.show_operand(atom.denominator.terms, product=False)}"


# Atoms.


def parts(atom: Atom) -> tuple[SizeDependent, ...]:
    """Return the parts of an atom that may mention sizes."""
    return () if isinstance(atom, SizeVar) else atom.parts()


def inside(atom: Atom) -> tuple[Atom, ...]:
    """The atoms inside an atom."""
    return () if isinstance(atom, SizeVar) else atom.inside


def rebuild(atom: Atom, rename: Callable[[Atom], Size]) -> Size:
    """The atom with the atoms inside it replaced, normalised again. A variable stays."""
    old = parts(atom)
    new = [part.map_atoms(rename) for part in old]
    if all(map(is_, old, new)):
        return Size.of(atom)
    sizes = cast("list[Size]", new)
    match atom:
        case SizeVar():
            return Size.of(atom)
        case FloorDiv():
            return floor_div(*sizes)
        case Mod():
            return mod(*sizes)
        case Min():
            return min_(*sizes)
        case Max():
            return max_(*sizes)
        case Opaque(args=args):
            mapped = iter(new)
            return atom.with_args(tuple([next(mapped) if mentions_sizes(arg) else arg for arg in args]))
        case _:
            assert_never(atom)


def opaque(
    name: str,
    args: tuple[Hashable, ...],
    natural: bool = False,
    evaluate: Callable[..., int | Size | None] | None = None,
    open: bool = False,
) -> Size:
    """A call, computed if it is open or all its sizes are literals, and `evaluate` gives a value for these."""
    values = args if open else literal_arguments(args)
    if evaluate is not None and values is not None:
        with suppress(ArithmeticError):
            if (value := evaluate(*values)) is not None:
                return Size.of(value)
    return Size.of(Opaque(name, args, natural, evaluate, open))


def literal_arguments(args: tuple[Hashable, ...]) -> list[Hashable] | None:
    """Arguments with literal sizes as integers; None if some size is not a literal."""
    values = [arg.constant if isinstance(arg, Size) else arg for arg in args]
    known = all(v is not None or not isinstance(a, Size) for a, v in zip(args, values, strict=True))
    return values if known else None


def _evaluate_atom(atom: Atom, values: Mapping[SizeVar, int]) -> int:
    match atom:
        case SizeVar():
            return values[atom]
        case FloorDiv(a, b):
            return a.evaluate(values) // b.evaluate(values)
        case Mod(a, b):
            return a.evaluate(values) % b.evaluate(values)
        case Min(args):
            return min(arg.evaluate(values) for arg in args)
        case Max(args):
            return max(arg.evaluate(values) for arg in args)
        case Opaque():
            value = Size.of(atom).substitute({v: Size.of(n) for v, n in values.items()}).constant
            if value is None:
                raise LookupError(f"nothing computes {atom}")
            return value
        case _:
            assert_never(atom)


# Division.


def floor_div(numerator: Size, denominator: Size) -> Size:
    """`numerator // denominator`."""
    divisor = denominator.constant
    if divisor == 0:
        return Size.of(FloorDiv(numerator, denominator))
    if divisor is not None and divisor < 0:
        numerator, denominator, divisor = -numerator, -denominator, -divisor
    whole, rest = numerator.divided_by(denominator)
    if not rest.terms:
        return whole
    unit, _, left, right = polynomial.cancel_factor(rest.terms, denominator.terms)
    if unit != _ONE.terms:
        return whole + floor_div(Size(left), Size(right))
    merged = _merge_nested(rest, denominator)
    if merged is not None:
        return whole + floor_div(*merged)
    atom = rest.as_atom()
    if isinstance(atom, Mod) and atom.denominator == denominator:
        return whole
    return whole + FloorDiv(rest, denominator)


def _merge_nested(numerator: Size, denominator: Size) -> tuple[Size, Size] | None:
    """`(x // a + e) // b` is `(x + a * e) // (a * b)`; with symbolic `a` or `b` only where `e` is 0."""
    lone = (m[0][0] for m, coefficient in numerator.terms if coefficient == 1 and len(m) == 1 and m[0][1] == 1)
    found = [atom for atom in lone if isinstance(atom, FloorDiv)]
    if len(found) != 1:
        return None
    inner = found[0]
    rest = numerator - inner
    literal = denominator.constant is not None and inner.denominator.constant is not None
    if rest.terms and not literal:
        return None
    return inner.numerator + inner.denominator * rest, inner.denominator * denominator


def mod(numerator: Size, denominator: Size) -> Size:
    """`numerator % denominator`."""
    divisor = denominator.constant
    if divisor == 0:
        return Size.of(Mod(numerator, denominator))
    if divisor is not None and divisor < 0:
        return -mod(-numerator, -denominator)
    _, rest = _without_inner_mod(numerator, denominator).divided_by(denominator)
    if not rest.terms:
        return _ZERO
    unit, low, left, right = polynomial.cancel_factor(rest.terms, denominator.terms)
    if unit != _ONE.terms:
        return mod(Size(left), Size(right)) * Size(unit) + low
    return Size.of(Mod(rest, denominator))


def _without_inner_mod(numerator: Size, denominator: Size) -> Size:
    """`(x % (c * k) + e) % k` is `(x + e) % k`."""

    def rename(atom: Atom) -> Size:
        if isinstance(atom, Mod) and not atom.denominator.divided_by(denominator)[1].terms:
            return _without_inner_mod(atom.numerator, denominator)
        return Size.of(atom)

    if not any(isinstance(atom, Mod) for atom in numerator.own_atoms()):
        return numerator
    return numerator.map_atoms(rename)


# Minimum and maximum.


def min_(*sizes: SizeLike) -> Size:
    """The least of one or more sizes."""
    return _extremum([Size.of(size) for size in sizes], Min)


def max_(*sizes: SizeLike) -> Size:
    """The greatest of one or more sizes."""
    return _extremum([Size.of(size) for size in sizes], Max)


def _extremum(sizes: list[Size], kind: type[Min] | type[Max]) -> Size:
    flat: list[polynomial.Terms[Atom]] = []
    for size in sizes:
        atom = size.as_atom()
        flat.extend([arg.terms for arg in atom.args] if isinstance(atom, kind) else [size.terms])
    shared, factor, parts_left = polynomial.extremum(flat, least=kind is Min)
    kept = [Size(terms) for terms in parts_left]
    if len(kept) == 1:
        return Size(shared) + kept[0] * factor
    if factor < 0:
        return Size(shared) + _extremum(kept, Max if kind is Min else Min) * factor
    if any(isinstance(size.as_atom(), kind) for size in kept):
        return Size(shared) + _extremum(kept, kind) * factor
    return Size(shared) + Size.of(kind(tuple(sorted(kept, key=lambda size: size.key)))) * factor
