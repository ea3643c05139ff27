"""A number that depends on sizes, as a polynomial in them: found from its values at points, exactly, or not at all.

Read next: `costs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import TypeAlias

from msgspec import Struct

DEGREE = 4

Index: TypeAlias = tuple[int, ...]
Measure: TypeAlias = "Callable[[Mapping[str, int]], Mapping[str, int]]"
"""measure(sizes by name) -> quantities by name."""

Terms: TypeAlias = dict[Index, Fraction]


class Polynomial(Struct, frozen=True):
    """`terms`: coefficients by the exponents of the `names`."""

    names: tuple[str, ...]
    terms: tuple[tuple[Index, Fraction], ...]

    def __call__(self, **sizes: int) -> Fraction:
        values = [sizes[name] for name in self.names]
        powers = [c * prod(map(pow, values, exponents)) for exponents, c in self.terms]
        return sum(powers, Fraction(0))

    def __str__(self) -> str:
        return " + ".join(map(self._term, self.terms)).replace("+ -", "- ") or "0"

    def _term(self, term: tuple[Index, Fraction]) -> str:
        exponents, coefficient = term
        pairs = [(name, k) for name, k in zip(self.names, exponents, strict=True) if k]
        factors = [name if k == 1 else f"{name}^{k}" for name, k in pairs]
        return "*".join(factors if coefficient == 1 and factors else [str(coefficient), *factors])


def lattice(count: int) -> Iterator[Index]:
    """The points that decide a polynomial in so many variables, whose exponents add up to no more than the degree."""
    return (index for index in product(range(DEGREE + 1), repeat=count) if sum(index) <= DEGREE)


def fit(names: Sequence[str], units: Sequence[int], values: Mapping[Index, int]) -> Polynomial:
    """The polynomial that has these values on the `lattice`, where the index k of a name stands for (k + 1) units."""
    differences = _differences({index: Fraction(value) for index, value in values.items()})
    found: Terms = {}
    for index, difference in differences.items():
        bases = [_binomial(k, unit) for k, unit in zip(index, units, strict=True)]
        for exponents in product(*map(range, [k + 1 for k in index])):
            coefficient = difference * prod([base[e] for base, e in zip(bases, exponents, strict=True)])
            found[exponents] = found.get(exponents, Fraction(0)) + coefficient
    order = sorted(found, key=lambda exponents: (-sum(exponents), [-k for k in exponents]))
    return Polynomial(tuple(names), tuple([(k, found[k]) for k in order if found[k]]))


def _differences(values: Terms) -> Terms:
    """Forward differences along every axis: coefficients of products of binomials, by Newton."""
    for axis in range(len(next(iter(values)))):
        for order in range(1, DEGREE + 1):
            for index in sorted(values, key=lambda each: -each[axis]):
                if index[axis] >= order:
                    before = (*index[:axis], index[axis] - 1, *index[axis + 1 :])
                    values[index] -= values[before]
    return values


def _binomial(k: int, unit: int) -> list[Fraction]:
    """The coefficients of `x / unit - 1` over k, by powers of x."""
    found = [Fraction(1)]
    for i in range(k):
        found = _times(found, Fraction(-1 - i, i + 1), Fraction(1, unit * (i + 1)))
    return found


def _times(polynomial: Sequence[Fraction], constant: Fraction, slope: Fraction) -> list[Fraction]:
    pairs = zip([*polynomial, Fraction(0)], [Fraction(0), *polynomial], strict=True)
    return [constant * here + slope * below for here, below in pairs]


def polynomials(units: Mapping[str, int], measure: Measure) -> dict[str, Polynomial]:
    """Return the values of `measure` as polynomials in the sizes, interpolated at multiples of `units`, if they also
    agree at other points."""
    names, steps = tuple(units), tuple(units.values())
    if not names or min(steps) < 1:
        return {}

    def at(index: Index) -> dict[str, int]:
        return {name: unit * (k + 1) for name, unit, k in zip(names, steps, index, strict=True)}

    found = {index: measure(at(index)) for index in lattice(len(names))}
    quantities = next(iter(found.values()))
    fits = {q: fit(names, steps, {index: each.get(q, 0) for index, each in found.items()}) for q in quantities}
    apart = {index: measure(at(index)) for index in _apart(len(names))}
    holds = {q: all(each(**at(k)) == wanted.get(q, 0) for k, wanted in apart.items()) for q, each in fits.items()}
    return {q: each for q, each in fits.items() if holds[q]}


def _apart(count: int) -> Iterator[Index]:
    """Points that the `lattice` has not: where all sizes are large, or one of them is."""
    yield (DEGREE + 1,) * count
    for axis in range(count):
        yield tuple([DEGREE + 1 if k == axis else 0 for k in range(count)])
