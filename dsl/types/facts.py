"""Propositions about sizes, and the facts a place in a program may rely on.

A proposition is built from comparisons of sizes with `And`, `Or` and `Not`. A call of a boolean function
that is not unfolded is an `OpaqueProp`, of which only that it equals itself is known, unless it can be
evaluated. `weight` counts the comparisons and calls in a proposition; it is bounded.

Nothing is decided here: see `decide` for proofs and counter-examples.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from math import gcd
from operator import is_
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from msgspec import Struct

from dsl.records import OwnEquality, replace
from dsl.types.limits import compound
from dsl.types.node import Keyed, Node, once
from dsl.types.size import Atom, Size, SizeLike, SizeVar, literal_arguments
from dsl.types.static_argument import SizeDependent, argument_text, call_text, mentions_sizes


class _Comparison(Node, Struct, frozen=True, cache_hash=True, dict=True):
    """Two sizes beside each other."""

    left: Size
    right: Size
    weight: ClassVar[int] = 1

    def parts(self) -> tuple[Size, ...]:
        return (self.left, self.right)

    calls: ClassVar[tuple[OpaqueProp, ...]] = ()

    @once
    def truth(self) -> bool | None:
        """Return the truth value, if it is evident."""
        assert isinstance(self, Eq | Ne | Le | Lt)
        return _plain(self)


class Eq(_Comparison, frozen=True):
    def __str__(self) -> str:
        return f"{self.left} == {self.right}"


class Ne(_Comparison, frozen=True):
    def __str__(self) -> str:
        return f"{self.left} != {self.right}"


class Le(_Comparison, frozen=True):
    def __str__(self) -> str:
        return _show_comparison(self, ">=")


class Lt(_Comparison, frozen=True):
    def __str__(self) -> str:
        return _show_comparison(self, ">")


class Known(Node, Struct, frozen=True, dict=True):
    value: bool
    weight: ClassVar[int] = 1
    calls: ClassVar[tuple[OpaqueProp, ...]] = ()

    def parts(self) -> tuple[()]:
        return ()

    def __str__(self) -> str:
        return "true" if self.value else "false"


class OpaqueProp(Keyed, Struct, frozen=True, eq=False, dict=True):
    """A call of a boolean function that stays a call. `evaluate`, if given, computes it for literal sizes, which
    come to it as integers, and other arguments: a truth or another proposition, where it can; of all sizes, as they
    are, if it is `symbolic`. `meaning`, if given, is what the call says of sizes, for proofs. The name of one that no
    program can write says what is needed, with a place for each argument: `{} to have a value`."""

    name: str
    args: tuple[Hashable, ...] = ()
    evaluate: Callable[..., bool | Prop | None] | None = None
    meaning: Callable[..., Prop | None] | None = None
    symbolic: bool = False
    weight: ClassVar[int] = 1

    @property
    def identity(self) -> Hashable:
        return self.name, self.args

    @property
    def calls(self) -> tuple[OpaqueProp, ...]:
        return (self,)

    def parts(self) -> tuple[SizeDependent, ...]:
        return tuple([arg for arg in self.args if mentions_sizes(arg)])

    def __str__(self) -> str:
        args = list(map(argument_text, self.args))
        if self.name in COMPARISONS:
            return f" {self.name} ".join(args)
        if args == [self.name]:
            return self.name
        return self.name.format(*args) if "{}" in self.name else call_text(self.name, self.args)


class _Several(Node, Struct, frozen=True, cache_hash=True, dict=True):
    """Several propositions together; how many comparisons that makes is bounded."""

    props: tuple[Prop, ...]

    def __post_init__(self) -> None:
        compound(self.weight)

    @once
    def weight(self) -> int:
        return sum([prop.weight for prop in self.props])

    @once
    def calls(self) -> tuple[OpaqueProp, ...]:
        return tuple([call for prop in self.props for call in prop.calls])

    def parts(self) -> tuple[Prop, ...]:
        return self.props


class And(_Several, frozen=True):
    def __str__(self) -> str:
        return show_all(self.props)


class Or(_Several, frozen=True):
    def __str__(self) -> str:
        return " or ".join(map(str, self.props))


class Not(Node, Struct, frozen=True, cache_hash=True, dict=True):
    prop: Prop

    @property
    def weight(self) -> int:
        return self.prop.weight

    @property
    def calls(self) -> tuple[OpaqueProp, ...]:
        return self.prop.calls

    def parts(self) -> tuple[Prop]:
        return (self.prop,)

    def __str__(self) -> str:
        if isinstance(self.prop, OpaqueProp) and self.prop.name == EQUALS:
            return " != ".join(map(argument_text, self.prop.args))
        return f"not ({self.prop})" if isinstance(self.prop, And | Or) else f"not {self.prop}"


Relation: TypeAlias = Eq | Ne | Le | Lt
Prop: TypeAlias = Relation | Known | OpaqueProp | And | Or | Not
EQUALS = "=="
"""The name of the call that compares two static values that are not sizes."""
COMPARISONS = (EQUALS, "<", "<=", ">", ">=")
"""The names of all calls that compare such values."""


_OPERATORS: Mapping[type[Le | Lt], str] = MappingProxyType({Le: "<=", Lt: "<"})


def _show_comparison(prop: Le | Lt, turned: str) -> str:
    """A comparison with its number on the right: `n >= 5` for `5 <= n` and `0 <= n - 5`, `n < 5` for `n - 1 < 4`."""
    left, right = prop.left.constant, prop.right.constant
    if left is not None and right is None:
        return f"{prop.right - prop.right.offset} {turned} {left - prop.right.offset}"
    moved = 0 if right is None else prop.left.offset
    return f"{prop.left - moved} {_OPERATORS[type(prop)]} {prop.right - moved}"


def show_all(props: Iterable[Prop]) -> str:
    """All of these as one condition; `0 <= i` and `i < n` as `0 <= i < n`."""
    shown: list[str] = []
    before: Prop | None = None
    for prop in props:
        if isinstance(prop, Le | Lt) and isinstance(before, Le | Lt) and before.right == prop.left:
            shown[-1] = f"{before.left} {_OPERATORS[type(before)]} {prop.left} {_OPERATORS[type(prop)]} {prop.right}"
            before = None
        else:
            shown.append(f"({prop})" if isinstance(prop, Or) else str(prop))
            before = prop
    return " and ".join(shown)


def eq(left: SizeLike, right: SizeLike) -> Eq:
    return Eq(Size.of(left), Size.of(right))


def ne(left: SizeLike, right: SizeLike) -> Ne:
    return Ne(Size.of(left), Size.of(right))


def le(left: SizeLike, right: SizeLike) -> Le:
    return Le(Size.of(left), Size.of(right))


def lt(left: SizeLike, right: SizeLike) -> Lt:
    return Lt(Size.of(left), Size.of(right))


def ge(left: SizeLike, right: SizeLike) -> Le:
    return Le(Size.of(right), Size.of(left))


def gt(left: SizeLike, right: SizeLike) -> Lt:
    return Lt(Size.of(right), Size.of(left))


def negation(prop: Prop) -> Prop:
    """The opposite, with `Not` pushed down to opaque propositions."""
    match prop:
        case Eq(a, b):
            return Ne(a, b)
        case Ne(a, b):
            return Eq(a, b)
        case Le(a, b):
            return Lt(b, a)
        case Lt(a, b):
            return Le(b, a)
        case Known(value):
            return Known(not value)
        case OpaqueProp():
            return Not(prop)
        case And(props):
            return disjunction(map(negation, props))
        case Or(props):
            return conjunction(map(negation, props))
        case Not(inner):
            return simplified(inner)


def simplified(prop: Prop) -> Prop:
    """Return the proposition with `Not` pushed down, `And` and `Or` flattened, and evident parts decided."""
    match prop:
        case Eq() | Ne() | Le() | Lt():
            value = prop.truth
            return _divided(prop) if value is None else Known(value)
        case And(props):
            return conjunction(map(simplified, props))
        case Or(props):
            return disjunction(map(simplified, props))
        case Not(OpaqueProp()) | Known() | OpaqueProp():
            return prop
        case Not(inner):
            return simplified(negation(inner))


def _divided(relation: Relation) -> Relation:
    """A comparison with 0 without the number that divides all of the other side: `4 * (n % 2) == 0` is `n % 2 == 0`."""
    left, right = relation.left, relation.right
    content = gcd(*[count for side in (left, right) for _, count in side.terms])
    if content <= 1 or (left.terms and right.terms):
        return relation
    sides = [Size(tuple([(monomial, count // content) for monomial, count in side.terms])) for side in (left, right)]
    return type(relation)(*sides)


def conjunction(props: Iterable[Prop]) -> Prop:
    flat: list[Prop] = []
    for prop in props:
        if prop == Known(False):
            return prop
        flat.extend(prop.props if isinstance(prop, And) else (prop,))
    kept = [prop for prop in dict.fromkeys(flat) if prop != Known(True)]
    return kept[0] if len(kept) == 1 else And(tuple(kept)) if kept else Known(True)


def disjunction(props: Iterable[Prop]) -> Prop:
    flat: list[Prop] = []
    for prop in props:
        if prop == Known(True):
            return prop
        flat.extend(prop.props if isinstance(prop, Or) else (prop,))
    kept = [prop for prop in dict.fromkeys(flat) if prop != Known(False)]
    return kept[0] if len(kept) == 1 else Or(tuple(kept)) if kept else Known(False)


def weakest(alternatives: Iterable[Prop]) -> list[Prop]:
    """Return a disjunction without alternatives that imply another one: of `k == 0 or k == 1 or k != 2` the last. Each
    arm of a chain of conditionals carries the negations of the earlier ones, which its own condition mostly implies."""
    ranges = {prop: _range(prop) for prop in alternatives}
    widest: dict[tuple[Size, bool], _Range] = {}
    unlike: dict[Size, int] = {}
    for prop, at in ranges.items():
        if isinstance(prop, Ne) and at is not None and at.low is not None:
            unlike[at.size] = at.low
        elif at is not None and None in (at.low, at.high):
            before = widest.get((at.size, at.low is None), at)
            widest[at.size, at.low is None] = at if before.within(at) else before

    def is_implied(prop: Prop, at: _Range | None) -> bool:
        if at is None or isinstance(prop, Ne):
            return False
        if at.size in unlike:
            return not at.holds(unlike[at.size])
        rays = [widest.get((at.size, below), at) for below in (False, True)]
        return any(at != ray and at.within(ray) for ray in rays)

    return [prop for prop, at in ranges.items() if not is_implied(prop, at)]


class _Range(Struct, frozen=True):
    """The numbers of which a comparison of one size says something, with both ends: of `size != 3`, 3."""

    size: Size
    low: int | None
    high: int | None

    def holds(self, number: int) -> bool:
        return (self.low is None or self.low <= number) and (self.high is None or number <= self.high)

    def within(self, other: _Range) -> bool:
        above = other.low is None or (self.low is not None and self.low >= other.low)
        return above and (other.high is None or (self.high is not None and self.high <= other.high))


def _range(prop: Prop) -> _Range | None:
    """Return the bounds that a comparison states of a size whose first term is positive and that has no constant."""
    if not isinstance(prop, Eq | Ne | Le | Lt):
        return None
    gap = prop.right - prop.left
    size, least = gap - gap.offset, int(isinstance(prop, Lt)) - gap.offset
    falls = bool(size.terms) and size.terms[0][1] < 0
    size = -size if falls else size
    if isinstance(prop, Eq | Ne):
        point = gap.offset if falls else -gap.offset
        return _Range(size, point, point)
    return _Range(size, None, -least) if falls else _Range(size, least, None)


def _plain(relation: Relation) -> bool | None:
    """Decide a comparison from the form of its difference."""
    if isinstance(relation, Eq | Ne) and relation.left == relation.right:
        return isinstance(relation, Eq)
    gap = relation.right - relation.left
    value = gap.constant
    if value is not None:
        match relation:
            case Eq():
                return value == 0
            case Ne():
                return value != 0
            case Le():
                return value >= 0
            case Lt():
                return value > 0
    below, above = gap.is_nonnegative(), (-gap).is_nonnegative()
    match relation:
        case Eq() | Ne():
            apart = (below and gap.offset > 0) or (above and gap.offset < 0)
            return isinstance(relation, Ne) if apart else None
        case Le():
            return True if below else False if above and gap.offset < 0 else None
        case Lt():
            return True if below and gap.offset > 0 else False if above else None


def map_prop(
    prop: Prop, change: Callable[[Size], Size], argument: Callable[[Hashable], Hashable] | None = None
) -> Prop:
    """The proposition with its sizes replaced, simplified. `argument` replaces the arguments of calls, if that is
    more than to replace the sizes in them."""
    match prop:
        case Eq(a, b) | Ne(a, b) | Le(a, b) | Lt(a, b):
            left, right = change(a), change(b)
            return simplified(prop if left is a and right is b else type(prop)(left, right))
        case Known():
            return prop
        case OpaqueProp(args=args):
            new = tuple([_map_argument(arg, change) if argument is None else argument(arg) for arg in args])
            return _evaluated(prop if all(map(is_, args, new)) else replace(prop, args=new))
        case And(props):
            return conjunction([map_prop(p, change, argument) for p in props])
        case Or(props):
            return disjunction([map_prop(p, change, argument) for p in props])
        case Not(inner):
            return negation(map_prop(inner, change, argument))


def _map_argument(arg: Hashable, change: Callable[[Size], Size]) -> Hashable:
    if isinstance(arg, Size):
        return change(arg)
    if mentions_sizes(arg) and arg.atoms():
        return arg.map_atoms(lambda atom: change(Size.of(atom)))
    return arg


def _evaluated(prop: OpaqueProp) -> Prop:
    values = list(prop.args) if prop.symbolic else literal_arguments(prop.args)
    if prop.evaluate is None or values is None:
        return prop
    try:
        found = prop.evaluate(*values)
    except ArithmeticError:
        return prop
    return prop if found is None else Known(found) if isinstance(found, bool) else found


def sizes_of(prop: Prop) -> Iterator[SizeDependent]:
    """Every size (or shape) that a proposition mentions, from left to right."""
    match prop:
        case Eq(a, b) | Ne(a, b) | Le(a, b) | Lt(a, b):
            yield a
            yield b
        case Known():
            return
        case OpaqueProp(args=args):
            yield from (arg for arg in args if mentions_sizes(arg))
        case And(props) | Or(props):
            for inner in props:
                yield from sizes_of(inner)
        case Not(inner):
            yield from sizes_of(inner)


def atoms_of(prop: Prop) -> tuple[Atom, ...]:
    """Every atom in a proposition, each once, from left to right."""
    return prop.inside


def calls_of(prop: Prop) -> tuple[OpaqueProp, ...]:
    """The calls in a proposition, from left to right."""
    return prop.calls


class Facts(OwnEquality, Struct, frozen=True, eq=False):
    """A conjunction of propositions that hold here, in the order in which they became known.

    `memo` keeps what was worked out from them, and the facts that were known before (it belongs to `decide` and
    `shapefn`, and takes no part in equality).
    """

    props: tuple[Prop, ...] = ()
    memo: dict[Hashable, object] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Facts) and other.props == self.props

    def __hash__(self) -> int:
        return hash((self.props,))

    def __repr__(self) -> str:
        return f"Facts(props={self.props!r})"

    @staticmethod
    def empty() -> Facts:
        return Facts()

    def assume(self, *props: Prop) -> Facts:
        """These facts and more. Returns itself if nothing is new."""
        new = conjunction(map(simplified, props))
        added = new.props if isinstance(new, And) else (new,)
        known = self.memo.get("known")
        if not isinstance(known, frozenset):
            known = self.memo["known"] = frozenset(self.props)
        fresh = tuple(prop for prop in added if prop not in known and prop != Known(True))
        if not fresh:
            return self
        more = self.memo.get(("more", fresh))
        if not isinstance(more, Facts):
            more = self.memo["more", fresh] = Facts(self.props + fresh)
            parts = self.memo.setdefault("parts", {})
            more.memo.update(before=self, known=known.union(fresh), parts=parts)
        return more

    def pinned(self, size: Size) -> Size:
        """The size with the numbers put in that facts of the form `k == 3` tell of its variables."""
        if not self.props or size.constant is not None:
            return size
        told = {var: value for prop in self.props for var, value in _told(prop)}
        return size.substitute(told) if told else size

    def __str__(self) -> str:
        return str(And(self.props)) if self.props else "true"


def _told(prop: Prop) -> Iterator[tuple[SizeVar, Size]]:
    """The variable that an equation says to be a number, and that number."""
    gap = prop.left - prop.right if isinstance(prop, Eq) else Size.of(0)
    for var in gap.vars() if len(gap.vars()) == 1 else ():
        slope, rest = (part.constant for part in gap.linear_in(var) or (Size.of(0), gap))
        if slope in (1, -1) and rest is not None:
            yield var, Size.of(-rest * slope)
