"""The size algebra: integer polynomials over atoms, kept in one normal form.

A `Size` is a sum of integer multiples of monomials; a monomial is a product of atoms: size variables, or the stuck
forms `a // b`, `a % b`, `min`, `max` and calls that could not be computed. Every way to build a size normalises, so
`==` is structural and `hash` is cheap.

A size means something only where it is defined: each denominator is taken to be at least 1 (`divisors` lists them;
showing that they are is the task of whoever writes the size down). Under that reading the rules here are identities
of integers: `(e + c * s) // s` is `e // s + c`, `(n // a) // b` is `n // (a * b)`, `min(n, n + 1)` is `n`.

It knows nothing of facts about the variables (`facts`, `decide`), of shapes (`shape`) or of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import gcd
from typing import Protocol, TypeAlias, runtime_checkable

Key: TypeAlias = tuple[Hashable, ...]


@runtime_checkable
class SizeDependent(Protocol):
    """An argument of a stuck call that mentions sizes: a `Size`, or a shape."""

    def map_atoms(self, rename: Callable[[Atom], Size]) -> Hashable: ...
    def atoms(self) -> Iterator[Atom]: ...
    def vars(self) -> frozenset[SizeVar]: ...


@dataclass(frozen=True, slots=True)
class SizeVar:
    """A size variable (`natural`, so >= 0) or an integer variable of any sign. Its identity is `id` alone."""

    id: int
    name: str = field(compare=False)
    natural: bool = field(default=True, compare=False)

    @property
    def key(self) -> Key:
        return (0, self.id)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class FloorDiv:
    """`numerator // denominator`, rounding down, stuck."""

    numerator: Size
    denominator: Size

    @property
    def key(self) -> Key:
        return (1, self.numerator.key, self.denominator.key)

    @property
    def natural(self) -> bool:
        return self.numerator.is_nonnegative()

    def __str__(self) -> str:
        return f"{_operand(self.numerator, product=True)} // {_operand(self.denominator, product=False)}"


@dataclass(frozen=True, slots=True)
class Mod:
    """`numerator % denominator`, in `0 ... denominator - 1`, stuck."""

    numerator: Size
    denominator: Size

    @property
    def key(self) -> Key:
        return (2, self.numerator.key, self.denominator.key)

    @property
    def natural(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{_operand(self.numerator, product=True)} % {_operand(self.denominator, product=False)}"


@dataclass(frozen=True, slots=True)
class Min:
    """The least of at least two sizes, sorted, of which none is known to be below another."""

    args: tuple[Size, ...]

    @property
    def key(self) -> Key:
        return (3, *(arg.key for arg in self.args))

    @property
    def natural(self) -> bool:
        return all(arg.is_nonnegative() for arg in self.args)

    def __str__(self) -> str:
        return f"min({', '.join(map(str, self.args))})"


@dataclass(frozen=True, slots=True)
class Max:
    """The greatest of at least two sizes, sorted, of which none is known to be below another."""

    args: tuple[Size, ...]

    @property
    def key(self) -> Key:
        return (4, *(arg.key for arg in self.args))

    @property
    def natural(self) -> bool:
        return any(arg.is_nonnegative() for arg in self.args)

    def __str__(self) -> str:
        return f"max({', '.join(map(str, self.args))})"


@dataclass(frozen=True, slots=True)
class Opaque:
    """A call that is not unfolded, such as one of a recursive function on sizes.

    `evaluate`, where there is one, computes it when the sizes among its arguments are literals: it gets integers
    for sizes and other arguments as they are, gives None where it stays stuck, and may raise `ArithmeticError`
    where it is undefined. Without it only this is known, that equal arguments give equal values.
    """

    name: str
    args: tuple[Hashable, ...]
    natural: bool = False
    evaluate: Callable[..., int | Size | None] | None = field(default=None, compare=False)

    @property
    def key(self) -> Key:
        return (5, self.name, *(repr(arg.key) if isinstance(arg, Size) else repr(arg) for arg in self.args))

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


Atom: TypeAlias = SizeVar | FloorDiv | Mod | Min | Max | Opaque
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]
Terms: TypeAlias = tuple[tuple[Monomial, int], ...]
SizeLike: TypeAlias = "Size | Atom | int"


@dataclass(frozen=True, slots=True)
class Size:
    """An integer polynomial. Build it with `Size.of` and operators; `terms` is canonical, the constant last."""

    terms: Terms
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.terms))

    def __hash__(self) -> int:
        return self._hash

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

    @property
    def key(self) -> Key:
        """A total order on normal forms, the same in every process."""
        return tuple((_monomial_key(monomial), coefficient) for monomial, coefficient in self.terms)

    @property
    def constant(self) -> int | None:
        """The integer this is, if it depends on nothing."""
        if not self.terms:
            return 0
        monomial, coefficient = self.terms[0]
        return coefficient if not monomial else None

    @property
    def offset(self) -> int:
        """The constant term."""
        return self.terms[-1][1] if self.terms and not self.terms[-1][0] else 0

    def is_literal(self, value: int) -> bool:
        return self.constant == value

    def is_nonnegative(self) -> bool:
        """Whether it is >= 0 by the look of it: no negative coefficient, only natural atoms."""
        return all(coefficient > 0 and _is_natural(monomial) for monomial, coefficient in self.terms)

    def as_atom(self) -> Atom | None:
        """The atom this is, if it is one with nothing around it."""
        if len(self.terms) != 1:
            return None
        monomial, coefficient = self.terms[0]
        return monomial[0][0] if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 else None

    def atoms(self) -> Iterator[Atom]:
        """All atoms, those inside other atoms too, in order, repeated as they occur."""
        for monomial, _ in self.terms:
            for atom, _ in monomial:
                yield atom
                for inner in parts(atom):
                    yield from inner.atoms()

    def vars(self) -> frozenset[SizeVar]:
        """All variables, those inside other atoms too."""
        return frozenset(atom for atom in self.atoms() if isinstance(atom, SizeVar))

    def divisors(self) -> tuple[Size, ...]:
        """The denominators that must be at least 1 for this size to be defined, outermost first."""
        found = (a.denominator for a in self.atoms() if isinstance(a, FloorDiv | Mod))
        return tuple(dict.fromkeys(d for d in found if (c := d.constant) is None or c < 1))

    def map_atoms(self, rename: Callable[[Atom], Size]) -> Size:
        """The polynomial with every top-level atom replaced, normalised again."""
        total: dict[Monomial, int] = {}
        for monomial, coefficient in self.terms:
            product = Size.of(coefficient)
            for atom, power in monomial:
                product = product * rename(atom) ** power
            _accumulate(total, product.terms, 1)
        return _from_dict(total)

    def substitute(self, sizes: Mapping[SizeVar, Size]) -> Size:
        """Replace variables, everywhere, at once."""
        if not sizes:
            return self

        def rename(atom: Atom) -> Size:
            if isinstance(atom, SizeVar):
                found = sizes.get(atom)
                return Size.of(atom) if found is None else found
            return rebuild(atom, rename)

        return self.map_atoms(rename)

    def evaluate(self, values: Mapping[SizeVar, int]) -> int:
        """The integer this is for these values. Raises ZeroDivisionError where it is undefined, KeyError for a
        variable without a value, LookupError for a call that has no evaluator."""
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
            if power > 1 or any(var in inner.vars() for atom in powers for inner in parts(atom)):
                return None
            (slope if power else rest)[tuple(powers.items())] = coefficient
        return _from_dict(slope), _from_dict(rest)

    def divided_by(self, divisor: Size) -> tuple[Size, Size]:
        """`(q, r)` with `self == q * divisor + r`, as polynomials; see `_divide`."""
        return _divide(self, divisor)

    def content(self) -> int:
        """The greatest common divisor of all coefficients, 0 for zero."""
        return gcd(*(coefficient for _, coefficient in self.terms))

    def degree(self) -> int:
        return max((sum(power for _, power in monomial) for monomial, _ in self.terms), default=0)

    def __add__(self, other: SizeLike) -> Size:
        other = Size.of(other)
        if not other.terms:
            return self
        total = dict(self.terms)
        _accumulate(total, other.terms, 1)
        return _from_dict(total)

    def __sub__(self, other: SizeLike) -> Size:
        total = dict(self.terms)
        _accumulate(total, Size.of(other).terms, -1)
        return _from_dict(total)

    def __neg__(self) -> Size:
        return Size(tuple((monomial, -coefficient) for monomial, coefficient in self.terms))

    def __mul__(self, other: SizeLike) -> Size:
        other = Size.of(other)
        factor = other.constant
        if factor is not None:
            return Size(tuple((m, c * factor) for m, c in self.terms)) if factor else _ZERO
        total: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in other.terms:
                _accumulate(total, ((_times(left, right), b),), a)
        return _from_dict(total)

    def __pow__(self, exponent: int) -> Size:
        """A literal power, `exponent >= 0`."""
        return reduce(lambda product, _: product * self, range(exponent), _ONE) if exponent != 1 else self

    def __floordiv__(self, other: SizeLike) -> Size:
        return floor_div(self, Size.of(other))

    def __mod__(self, other: SizeLike) -> Size:
        return mod(self, Size.of(other))

    def __radd__(self, other: int) -> Size:
        return self + other

    def __rsub__(self, other: int) -> Size:
        return Size.of(other) - self

    def __rmul__(self, other: int) -> Size:
        return self * other

    def __rfloordiv__(self, other: int) -> Size:
        return Size.of(other) // self

    def __rmod__(self, other: int) -> Size:
        return Size.of(other) % self

    def __str__(self) -> str:
        return _show(self)


_ZERO = Size(())
_ONE = Size((((), 1),))


# Monomials.


def _is_natural(monomial: Monomial) -> bool:
    return all(power % 2 == 0 or atom.natural for atom, power in monomial)


def _monomial_key(monomial: Monomial) -> Key:
    """Graded lexicographic order, higher degree first: it is compatible with multiplication, so division ends."""
    degree = sum(power for _, power in monomial)
    return (-degree, *((atom.key, -power) for atom, power in monomial))


def _times(left: Monomial, right: Monomial) -> Monomial:
    if not left or not right:
        return left or right
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=lambda item: item[0].key))


def _quotient(left: Monomial, right: Monomial) -> Monomial | None:
    """`left / right` if every atom of `right` is in `left` often enough."""
    powers = dict(left)
    for atom, power in right:
        rest = powers.get(atom, 0) - power
        if rest < 0:
            return None
        powers[atom] = rest
    return tuple((atom, power) for atom, power in powers.items() if power)


def _accumulate(total: dict[Monomial, int], terms: Terms, factor: int) -> None:
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, 0) + factor * coefficient


def _from_dict(total: Mapping[Monomial, int]) -> Size:
    terms = [(monomial, coefficient) for monomial, coefficient in total.items() if coefficient]
    if len(terms) > 1:
        terms.sort(key=lambda term: _monomial_key(term[0]))
    return Size(tuple(terms))


# Atoms.


def parts(atom: Atom) -> tuple[SizeDependent, ...]:
    """What an atom is made of, as far as it mentions sizes."""
    match atom:
        case SizeVar():
            return ()
        case FloorDiv(a, b) | Mod(a, b):
            return (a, b)
        case Min(args) | Max(args):
            return args
        case Opaque(args=opaque_args):
            return tuple(arg for arg in opaque_args if isinstance(arg, SizeDependent))


def rebuild(atom: Atom, rename: Callable[[Atom], Size]) -> Size:
    """The atom with the atoms inside it replaced, normalised again. A variable stays."""
    match atom:
        case SizeVar():
            return Size.of(atom)
        case FloorDiv(a, b):
            return floor_div(a.map_atoms(rename), b.map_atoms(rename))
        case Mod(a, b):
            return mod(a.map_atoms(rename), b.map_atoms(rename))
        case Min(args):
            return min_(*(arg.map_atoms(rename) for arg in args))
        case Max(args):
            return max_(*(arg.map_atoms(rename) for arg in args))
        case Opaque(name, args, natural, evaluate):
            new = (arg.map_atoms(rename) if isinstance(arg, SizeDependent) else arg for arg in args)
            return opaque(name, tuple(new), natural, evaluate)


def opaque(
    name: str,
    args: tuple[Hashable, ...],
    natural: bool = False,
    evaluate: Callable[..., int | Size | None] | None = None,
) -> Size:
    """A call, computed if all its sizes are literals and `evaluate` gives a value for these arguments."""
    values = [arg.constant if isinstance(arg, Size) else arg for arg in args]
    literal = all(v is not None or not isinstance(a, Size) for a, v in zip(args, values, strict=True))
    if evaluate is not None and literal:
        try:
            value = evaluate(*values)
        except ArithmeticError:
            value = None
        if value is not None:
            return Size.of(value)
    return Size.of(Opaque(name, args, natural, evaluate))


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


# Division.


def _divide(numerator: Size, denominator: Size) -> tuple[Size, Size]:
    """`(q, r)` with `numerator == q * denominator + r`, as polynomials, no term of `r` reducible by the leading term
    of the denominator: its coefficients there are between 0 and the leading one."""
    lead, scale = denominator.terms[0]
    quotient: dict[Monomial, int] = {}
    left = dict(numerator.terms)
    done: dict[Monomial, int] = {}
    while left:
        monomial = min(left, key=_monomial_key)
        coefficient = left.pop(monomial)
        factor, rest = _quotient(monomial, lead), coefficient
        if factor is not None:
            times, rest = divmod(coefficient, scale)
            quotient[factor] = quotient.get(factor, 0) + times
            for other, c in denominator.terms[1:]:
                _accumulate(left, ((_times(other, factor), c),), -times)
        done[monomial] = rest
    return _from_dict(quotient), _from_dict(done)


def _common_factor(sizes: Iterable[Size]) -> Monomial:
    """The natural atoms that divide every term of every size."""
    shared: dict[Atom, int] | None = None
    for monomial, _ in (term for size in sizes for term in size.terms):
        powers = dict(monomial)
        if shared is None:
            shared = {atom: power for atom, power in powers.items() if atom.natural}
        else:
            shared = {a: min(p, powers[a]) for a, p in shared.items() if a in powers}
    return tuple(shared.items()) if shared else ()


def _without(size: Size, factor: Monomial) -> Size:
    return _from_dict({_quotient(m, factor) or (): c for m, c in size.terms})


def _scaled_down(size: Size, divisor: int) -> Size:
    return Size(tuple((m, c // divisor) for m, c in size.terms))


def _reduce_content(remainder: Size, denominator: Size) -> tuple[int, int, Size, Size]:
    """`(g, o, a, b)` with `remainder == g * a + o`, `denominator == g * b` and `0 <= o < g`."""
    body = remainder - remainder.offset
    shared = gcd(body.content(), denominator.content())
    high, low = divmod(remainder.offset, shared)
    return shared, low, _scaled_down(body, shared) + high, _scaled_down(denominator, shared)


def floor_div(numerator: Size, denominator: Size) -> Size:
    """`numerator // denominator`."""
    divisor = denominator.constant
    if divisor == 0:
        return Size.of(FloorDiv(numerator, denominator))
    if divisor is not None and divisor < 0:
        numerator, denominator, divisor = -numerator, -denominator, -divisor
    whole, rest = _divide(numerator, denominator)
    if not rest.terms:
        return whole
    _, _, rest, denominator = _reduce_content(rest, denominator)
    factor = _common_factor((rest, denominator))
    if factor:
        rest, denominator = _without(rest, factor), _without(denominator, factor)
    if rest.constant is not None and denominator.constant is not None:
        return whole + rest.constant // denominator.constant
    merged = _merge_nested(rest, denominator)
    if merged is not None:
        return whole + floor_div(*merged)
    atom = rest.as_atom()
    if isinstance(atom, Mod) and atom.denominator == denominator:
        return whole
    return whole + _stuck_division(rest, denominator)


def _stuck_division(rest: Size, denominator: Size) -> Size:
    """The reductions may have made the denominator 1, or again divide a part of the numerator."""
    whole, left = _divide(rest, denominator)
    if whole.terms:
        return whole + floor_div(left, denominator)
    return Size.of(FloorDiv(rest, denominator)) if rest.terms else _ZERO


def _merge_nested(numerator: Size, denominator: Size) -> tuple[Size, Size] | None:
    """`(x // a + e) // b` is `(x + a * e) // (a * b)`; with symbolic `a` or `b` only where `e` is 0."""
    found = [
        (monomial, monomial[0][0])
        for monomial, coefficient in numerator.terms
        if coefficient == 1
        and len(monomial) == 1
        and monomial[0][1] == 1
        and isinstance(monomial[0][0], FloorDiv)
    ]
    if len(found) != 1:
        return None
    monomial, inner = found[0]
    assert isinstance(inner, FloorDiv)
    rest = numerator - Size(((monomial, 1),))
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
    _, rest = _divide(_without_inner_mod(numerator, denominator), denominator)
    if not rest.terms:
        return _ZERO
    scale, low, rest, denominator = _reduce_content(rest, denominator)
    factor = _common_factor((rest, denominator)) if not low else ()
    if factor:
        rest, denominator = _without(rest, factor), _without(denominator, factor)
    if rest.constant is not None and denominator.constant is not None:
        inner = Size.of(rest.constant % denominator.constant)
    elif scale > 1 or factor:
        inner = mod(rest, denominator)
    else:
        inner = Size.of(Mod(rest, denominator))
    return inner * Size(((factor, scale),)) + low


def _without_inner_mod(numerator: Size, denominator: Size) -> Size:
    """`(x % (c * k) + e) % k` is `(x + e) % k`."""

    def rename(atom: Atom) -> Size:
        if isinstance(atom, Mod) and not _divide(atom.denominator, denominator)[1].terms:
            return _without_inner_mod(atom.numerator, denominator)
        return Size.of(atom)

    if not any(isinstance(atom, Mod) for monomial, _ in numerator.terms for atom, _ in monomial):
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
    flat: list[Size] = []
    for size in sizes:
        atom = size.as_atom()
        flat.extend(atom.args if isinstance(atom, kind) else (size,))
    kept = _without_dominated(list(dict.fromkeys(flat)), kind)
    if len(kept) == 1:
        return kept[0]
    shared = _shared_part(kept)
    kept = [size - shared for size in kept]
    scale = gcd(*(size.content() for size in kept))
    kept = [_scaled_down(size, scale) for size in kept]
    if all(not size.terms or size.terms[0][1] < 0 for size in kept):
        opposite = Max if kind is Min else Min
        return shared - _extremum([-size for size in kept], opposite) * scale
    if any(isinstance(size.as_atom(), kind) for size in kept):
        return shared + _extremum(kept, kind) * scale
    return shared + Size.of(kind(tuple(sorted(kept, key=lambda size: size.key)))) * scale


def _without_dominated(sizes: list[Size], kind: type[Min] | type[Max]) -> list[Size]:
    """Drop what another argument bounds by the look of their difference."""
    kept: list[Size] = []
    for size in sizes:
        if any(_dominates(other, size, kind) for other in kept):
            continue
        kept = [other for other in kept if not _dominates(size, other, kind)]
        kept.append(size)
    return kept


def _dominates(chosen: Size, other: Size, kind: type[Min] | type[Max]) -> bool:
    return (other - chosen if kind is Min else chosen - other).is_nonnegative()


def _shared_part(sizes: list[Size]) -> Size:
    """What can be taken out of every argument: per monomial the coefficient nearest to 0, if all have one sign, and
    the least constant."""
    tables = [dict(size.terms) for size in sizes]
    shared: dict[Monomial, int] = {(): min(size.offset for size in sizes)}
    for monomial in tables[0]:
        coefficients = [table.get(monomial, 0) for table in tables]
        if monomial and (min(coefficients) > 0 or max(coefficients) < 0):
            shared[monomial] = min(coefficients, key=abs)
    return _from_dict(shared)


# Text.


def _show(size: Size) -> str:
    """Source syntax as a person would write it: a positive term first, the constant last."""
    if not size.terms:
        return "0"
    body = [term for term in size.terms if term[0]]
    constant = [term for term in size.terms if not term[0]]
    positive = [term for term in body if term[1] > 0]
    negative = [term for term in body if term[1] < 0]
    ordered = positive + negative + constant if positive else constant + negative
    if not positive and constant and constant[0][1] < 0:
        ordered = negative + constant
    text = _show_term(*ordered[0])
    for monomial, coefficient in ordered[1:]:
        text += f" {'-' if coefficient < 0 else '+'} {_show_term(monomial, abs(coefficient))}"
    return text


def _show_term(monomial: Monomial, coefficient: int) -> str:
    factors = [_show_factor(atom) for atom, power in monomial for _ in range(power)]
    if not factors:
        return str(coefficient)
    if abs(coefficient) == 1 and len(factors) == 1 and coefficient == 1:
        return str(monomial[0][0])
    sign = "-" if coefficient < 0 else ""
    head = [str(abs(coefficient))] if abs(coefficient) != 1 else []
    return sign + " * ".join(head + factors)


def _show_factor(atom: Atom) -> str:
    return f"({atom})" if isinstance(atom, FloorDiv | Mod) else str(atom)


def _operand(size: Size, *, product: bool) -> str:
    """An operand of `//` or `%`; the left one may be a product without parentheses."""
    atom = size.as_atom()
    if atom is not None:
        return _show_factor(atom)
    value = size.constant
    simple = (value is not None and value >= 0) or (product and len(size.terms) == 1 and size.terms[0][1] > 0)
    return str(size) if simple else f"({size})"
