"""Integer polynomials in several unknowns as plain data: what `size` computes with.

A monomial is a tuple of unknowns with their powers, sorted by `key`; a polynomial is a tuple of monomials
with their coefficients, none 0, sorted so that the leading term is first and the constant last. The unknowns
may be anything that has a `key`; `natural` says that one is never negative.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import reduce
from math import gcd
from typing import Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from dsl.types.limits import DEGREE, PRODUCTS, TERMS, Exceeded, Growth, check_bits
from dsl.types.limits import power as integer_power
from dsl.types.node import Node, once

Key: TypeAlias = tuple[Hashable, ...]


class Unknown(Hashable, Protocol):
    """An unknown of a polynomial. `compound` ones need parentheses inside a product."""

    @property
    def key(self) -> Key: ...
    @property
    def natural(self) -> bool: ...
    @property
    def compound(self) -> bool: ...


U = TypeVar("U", bound=Unknown)
Monomial: TypeAlias = tuple[tuple[U, int], ...]
Terms: TypeAlias = tuple[tuple[Monomial[U], int], ...]
Table: TypeAlias = dict[Monomial[U], int]


# Monomials.


def is_natural(monomial: Monomial[U]) -> bool:
    return all(power % 2 == 0 or unknown.natural for unknown, power in monomial)


def monomial_key(monomial: Monomial[U]) -> Key:
    """Graded lexicographic order, higher degree first: products respect it, so division ends."""
    degree = sum(power for _, power in monomial)
    return (-degree, *((unknown.key, -power) for unknown, power in monomial))


def times(left: Monomial[U], right: Monomial[U]) -> Monomial[U]:
    if not left or not right:
        return left or right
    powers = dict(left)
    for unknown, power in right:
        powers[unknown] = powers.get(unknown, 0) + power
    return tuple(sorted(powers.items(), key=lambda item: item[0].key))


def quotient(left: Monomial[U], right: Monomial[U]) -> Monomial[U] | None:
    """`left / right` if every unknown of `right` is in `left` often enough."""
    powers = dict(left)
    for unknown, power in right:
        rest = powers.get(unknown, 0) - power
        if rest < 0:
            return None
        powers[unknown] = rest
    return tuple((unknown, power) for unknown, power in powers.items() if power)


# Polynomials.


def accumulate(total: Table[U], terms: Terms[U], factor: int) -> None:
    """Add a multiple of a polynomial to a table of coefficients."""
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, 0) + factor * coefficient


def from_table(total: Mapping[Monomial[U], int]) -> Terms[U]:
    """The polynomial with these coefficients."""
    terms = [(monomial, coefficient) for monomial, coefficient in total.items() if coefficient]
    if len(terms) > 1:
        terms.sort(key=lambda term: monomial_key(term[0]))
    return tuple(terms)


def add(left: Terms[U], right: Terms[U], factor: int) -> Terms[U]:
    """`left + factor * right`."""
    total = dict(left)
    accumulate(total, right, factor)
    return from_table(total)


def is_nonnegative(terms: Terms[U]) -> bool:
    """Return whether it is >= 0 by the look of it: no negative coefficient, only natural unknowns."""
    return all(coefficient > 0 and is_natural(monomial) for monomial, coefficient in terms)


def multiply(left: Terms[U], right: Terms[U]) -> Terms[U]:
    """Raises Exceeded where the product is too large to compute with."""
    if len(left) * len(right) > PRODUCTS or _degree(left) + _degree(right) > DEGREE:
        raise Exceeded(Growth.SIZE)
    total: Table[U] = {}
    for a, m in left:
        for b, n in right:
            product = times(a, b)
            total[product] = total.get(product, 0) + check_bits(m * n)
    if len(total) > TERMS:
        raise Exceeded(Growth.SIZE)
    return from_table(total)


def power(terms: Terms[U], exponent: int) -> Terms[U]:
    """`terms ** exponent`, for `exponent >= 0`."""
    if not terms or not terms[0][0]:
        value = integer_power(terms[0][1] if terms else 0, exponent)
        return (((), value),) if value else ()
    if exponent > DEGREE:
        raise Exceeded(Growth.SIZE)
    one: Terms[U] = (((), 1),)
    return reduce(lambda product, _: multiply(product, terms), range(exponent), one)


def _degree(terms: Terms[U]) -> int:
    """The highest degree stands first."""
    return sum([power for _, power in terms[0][0]]) if terms else 0


def divide(numerator: Terms[U], denominator: Terms[U]) -> tuple[Terms[U], Terms[U]]:
    """`(q, r)` with `numerator == q * denominator + r` and no term of `r` reducible by the leading term of
    the denominator: coefficients there are between 0 and the leading one. `r` is unique. A denominator of 0 has no
    leading term, so `q` is 0."""
    if not denominator:
        return (), numerator
    lead, scale = denominator[0]
    whole: Table[U] = {}
    left = dict(numerator)
    done: Table[U] = {}
    while left:
        monomial = min(left, key=monomial_key)
        coefficient = left.pop(monomial)
        factor, rest = quotient(monomial, lead), coefficient
        if factor is not None:
            count, rest = divmod(coefficient, scale)
            whole[factor] = whole.get(factor, 0) + count
            for other, c in denominator[1:]:
                accumulate(left, ((times(other, factor), c),), -count)
        done[monomial] = rest
    return from_table(whole), from_table(done)


def content(terms: Terms[U]) -> int:
    """The greatest common divisor of all coefficients, 0 for zero."""
    return gcd(*(coefficient for _, coefficient in terms))


def scaled_down(terms: Terms[U], divisor: int) -> Terms[U]:
    """Divided by a divisor of the content."""
    return tuple((monomial, coefficient // divisor) for monomial, coefficient in terms)


def common_factor(polynomials: Iterable[Terms[U]]) -> Monomial[U]:
    """The natural unknowns that divide every term of every polynomial."""
    shared: dict[U, int] | None = None
    for monomial, _ in (term for terms in polynomials for term in terms):
        powers = dict(monomial)
        if shared is None:
            shared = {unknown: power for unknown, power in powers.items() if unknown.natural}
        else:
            shared = {u: min(power, powers[u]) for u, power in shared.items() if u in powers}
    return tuple(shared.items()) if shared else ()


def without(terms: Terms[U], factor: Monomial[U]) -> Terms[U]:
    """Divided by a common factor."""
    return from_table({quotient(monomial, factor) or (): coefficient for monomial, coefficient in terms})


def cancel_factor(left: Terms[U], right: Terms[U]) -> tuple[Terms[U], int, Terms[U], Terms[U]]:
    """`(u, o, a, b)` with `left == u * a + o` and `right == u * b`, where `u` is one term and, beside a
    multiple of natural unknowns, `o` is 0, else `0 <= o < u`."""
    body = tuple(term for term in left if term[0])
    offset = left[-1][1] if len(body) < len(left) else 0
    shared = gcd(content(body), content(right))
    high, low = divmod(offset, shared)
    whole = scaled_down(body, shared)
    first: Terms[U] = (*whole, ((), high)) if high else whole
    second = scaled_down(right, shared)
    factor: Monomial[U] = () if low else common_factor([first, second])
    return ((factor, shared),), low, without(first, factor), without(second, factor)


class Polynomial(Node, Struct, Generic[U], frozen=True, cache_hash=True, dict=True):
    """A polynomial as a value: `terms` is canonical, the constant last."""

    terms: Terms[U]

    @once
    def key(self) -> Key:
        """A total order on normal forms, the same in every process."""
        return tuple((monomial_key(monomial), coefficient) for monomial, coefficient in self.terms)

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
        """Return whether it is >= 0 by the look of it."""
        return self._is_nonnegative

    @once
    def _is_nonnegative(self) -> bool:
        return is_nonnegative(self.terms)

    def as_atom(self) -> U | None:
        """The atom (unknown) this is, if it is one with nothing around it."""
        if len(self.terms) != 1:
            return None
        monomial, coefficient = self.terms[0]
        return monomial[0][0] if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 else None

    def content(self) -> int:
        """The greatest common divisor of all coefficients, 0 for zero."""
        return content(self.terms)

    def degree(self) -> int:
        return _degree(self.terms)


# Minimum and maximum.


def extremum(polynomials: list[Terms[U]], *, least: bool) -> tuple[Terms[U], int, list[Terms[U]]]:
    """`(s, f, rest)`: the least (or greatest) is `s + f * extremum(rest)`, of the other kind if `f < 0`, and
    arguments that others bound by the look of it are gone."""
    kept = _undominated(list(dict.fromkeys(polynomials)), 1 if least else -1)
    if len(kept) == 1:
        return (), 1, kept
    shared = _shared_part(kept)
    rest = [add(terms, shared, -1) for terms in kept]
    factor = gcd(*map(content, rest))
    if all(not terms or terms[0][1] < 0 for terms in rest):
        factor = -factor
    return shared, factor, [scaled_down(terms, factor) for terms in rest]


def _undominated(polynomials: list[Terms[U]], sign: int) -> list[Terms[U]]:
    def dominates(chosen: Terms[U], other: Terms[U]) -> bool:
        return is_nonnegative(add(other, chosen, -1) if sign > 0 else add(chosen, other, -1))

    kept: list[Terms[U]] = []
    for terms in polynomials:
        if not any(dominates(other, terms) for other in kept):
            kept = [other for other in kept if not dominates(terms, other)] + [terms]
    return kept


def _shared_part(polynomials: list[Terms[U]]) -> Terms[U]:
    """Return the common part of the arguments: per monomial the coefficient nearest to 0, if all have one sign, and the
    least constant."""
    tables = [dict(terms) for terms in polynomials]
    shared: Table[U] = {(): min(table.get((), 0) for table in tables)}
    for monomial in tables[0]:
        coefficients = [table.get(monomial, 0) for table in tables]
        if monomial and (min(coefficients) > 0 or max(coefficients) < 0):
            shared[monomial] = min(coefficients, key=abs)
    return from_table(shared)


# Text.


def show(terms: Terms[U]) -> str:
    """Source syntax as a person would write it: a positive term first, the constant last."""
    if not terms:
        return "0"
    text = ""
    for monomial, coefficient in _in_writing_order(terms):
        if not text:
            text = _show_term(monomial, coefficient)
        else:
            text += f" {'-' if coefficient < 0 else '+'} {_show_term(monomial, abs(coefficient))}"
    return text


def _in_writing_order(terms: Terms[U]) -> list[tuple[Monomial[U], int]]:
    constant = [term for term in terms if not term[0]]
    positive = [term for term in terms if term[0] and term[1] > 0]
    negative = [term for term in terms if term[0] and term[1] < 0]
    if not positive and constant and constant[0][1] > 0:
        return constant + negative
    return positive + negative + constant


def _show_term(monomial: Monomial[U], coefficient: int) -> str:
    if not monomial:
        return str(coefficient)
    if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
        return str(monomial[0][0])
    factors = [show_factor(unknown) for unknown, power in monomial for _ in range(power)]
    head = [str(abs(coefficient))] if abs(coefficient) != 1 else []
    return ("-" if coefficient < 0 else "") + " * ".join(head + factors)


def show_factor(unknown: Unknown) -> str:
    return f"({unknown})" if unknown.compound else str(unknown)


def show_operand(terms: Terms[U], *, product: bool) -> str:
    """An operand of `//` or `%`; the left one may be a product without parentheses."""
    if len(terms) != 1:
        return f"({show(terms)})" if terms else "0"
    ((monomial, coefficient),) = terms
    if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
        return show_factor(monomial[0][0])
    simple = coefficient > 0 and (product or not monomial)
    return show(terms) if simple else f"({show(terms)})"
