"""Questions about sizes under facts, and their answers: proved, refuted by an example, or neither.

Nothing is proved that is false for some sizes, and every example given is one. Work is bounded, so a
question may stay open. As everywhere in the size algebra, denominators are taken to be at least 1, in facts
and in questions.

`decide` tries its tactics in order; the first one that finds an answer ends it:

| tactic | settles |
|---|---|
| `_by_normal_form` | equal normal forms; signs that show; what is a fact; each truth of up to 3 conditions in a size |
| `_by_very_small_sizes` | what fails for some of the first sizes from 0 on |
| `_by_contradiction` | linear order, `//`, `%`, `min`, `max`, products: the opposite contradicts the facts (`system`) |
| `_by_any_sizes` | what fails for sizes up to 8, or at literals and bounds beyond, with equations solved (`search`) |
| `_by_few_axes` | what fails for shapes of up to 3 axes, where the rank is open |

An answer is kept with the facts it was found under, and `Facts.assume` gives the same facts for the same propositions.
What is asked, and what an open question leads to, is up to the checker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import TypeAlias

from msgspec import Struct, field

from dsl.records import OwnEquality, replace
from dsl.types import linear
from dsl.types.conditional import is_truth
from dsl.types.counterexample import Examples
from dsl.types.facts import EQUALS, Eq, Facts, Known, Le, Prop, atoms_of, calls_of, map_prop, negation, simplified
from dsl.types.node import once
from dsl.types.open_shapes import measured, with_ranks
from dsl.types.propositional_split import choices
from dsl.types.relevant_facts import relevant
from dsl.types.search import Assignment, definedness, split_connected, variables
from dsl.types.shape import StaticArg, StaticName
from dsl.types.size import Atom, FloorDiv, Max, Min, Mod, Opaque, Size, SizeVar, max_, min_, rebuild
from dsl.types.static_conditions import is_free_number
from dsl.types.static_examples import Statics, with_statics
from dsl.types.system import System


class Proved(Struct, frozen=True):
    """True for all sizes that satisfy the facts."""


class Refuted(OwnEquality, Struct, frozen=True, eq=False):
    """False for these sizes, which satisfy the facts: the smallest ones, in order of first appearance; and for these
    static floats and axes, where it depends on some."""

    smallest: dict[SizeVar, int]
    examples: Examples | None = None
    statics: Mapping[StaticName, StaticArg] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Refuted) and other.smallest == self.smallest

    @property
    def counterexample(self) -> dict[SizeVar, int]:
        """The sizes to show: of 2 and more if such refute it as well."""
        return (None if self.examples is None else self.examples.plural()) or self.smallest


class Unknown(Struct, frozen=True):
    """Neither was found."""


Decision: TypeAlias = Proved | Refuted | Unknown
Judge: TypeAlias = Callable[[Facts, Prop], Decision]

_PROVED = Proved()
_UNKNOWN = Unknown()
_MOST_CONDITIONS = 3
"""Of so many conditions that choose sizes all truths are tried."""


def decide(facts: Facts, prop: Prop) -> Decision:
    """Decide if a proposition follows from the facts."""
    found = facts.memo.get(prop)
    if isinstance(found, Proved | Refuted | Unknown):
        return found
    decision = _decide(facts, prop)
    facts.memo[prop] = decision
    return decision


def at_sight(facts: Facts, prop: Prop) -> Decision:
    """Decide by normal forms alone; otherwise unknown."""
    return _PROVED if _plainly(facts, simplified(prop)) else _UNKNOWN


def entails(facts: Facts, prop: Prop) -> bool:
    """Return whether a proof was found; no example is looked for."""
    found = facts.memo.get(("entails", prop))
    if found is None:
        found = facts.memo["entails", prop] = _directly(facts, prop) or _refutes(facts, negation(prop))
    return found is True


def excludes(facts: Facts, prop: Prop) -> bool:
    """Return whether a proposition is shown to be false for *all* sizes that satisfy the facts."""
    return entails(facts, negation(prop))


def consistent(facts: Facts) -> bool | None:
    """Return whether some sizes satisfy the facts; None if neither an example nor a contradiction was found."""
    if witness(facts) is not None:
        return True
    return False if _contradictory(facts) else None


def witness(facts: Facts) -> dict[SizeVar, int] | None:
    """The smallest sizes found that satisfy the facts."""
    searches = [_witnesses(props) for props, _ in choices(facts.props, Known(True))]
    found = [examples.very_small() for examples in searches]
    found += [examples.any() for examples in searches if all(each is None for each in found)]
    return next((each for each in found if each is not None), None)


def _witnesses(props: tuple[Prop, ...]) -> Examples:
    return Examples(variables(props), (*props, *definedness(props)))


class _Question:
    """A proposition to decide from facts, with data that several tactics share."""

    def __init__(self, facts: Facts, prop: Prop) -> None:
        self.facts = facts
        self.prop = prop

    @once
    def searches(self) -> list[tuple[Examples, tuple[Prop, ...]]]:
        return [_counterexamples(*choice) for choice in choices(self.facts.props, self.prop)]


def _by_normal_form(asked: _Question) -> Decision | None:
    return _PROVED if _directly(asked.facts, asked.prop) else None


def _by_very_small_sizes(asked: _Question) -> Decision | None:
    found = (_supported(far, examples, examples.very_small()) for examples, far in asked.searches)
    return next((each for each in found if each is not None), None)


def _by_contradiction(asked: _Question) -> Decision | None:
    return _PROVED if _refutes(asked.facts, negation(asked.prop)) else None


def _by_any_sizes(asked: _Question) -> Decision | None:
    found = (_supported(far, examples, examples.any()) for examples, far in asked.searches)
    return next((each for each in found if each is not None), None)


def _by_few_axes(asked: _Question) -> Decision | None:
    return _refuted_by_ranks(asked.facts, asked.prop)


_TACTICS = (_by_normal_form, _by_very_small_sizes, _by_contradiction, _by_any_sizes, _by_few_axes)


def _decide(facts: Facts, prop: Prop) -> Decision:
    asked = _Question(facts, prop)
    found = (tactic(asked) for tactic in _TACTICS)
    return next((each for each in found if each is not None), _UNKNOWN)


def _directly(facts: Facts, prop: Prop) -> bool:
    found = facts.memo.get(("directly", prop))
    if found is None:
        found = _plainly(facts, simplified(prop)) or _holds_in_each_case(facts, prop)
        facts.memo["directly", prop] = found
    return found is True


def _holds_in_each_case(facts: Facts, prop: Prop) -> bool:
    """Return whether a proposition about sizes that conditions choose is proved for each truth of these."""
    conditions = [atom for atom in dict.fromkeys(atoms_of(prop)) if is_truth(atom)]
    if not 1 <= len(conditions) <= _MOST_CONDITIONS:
        return False
    cases = (dict(zip(conditions, case, strict=True)) for case in product((0, 1), repeat=len(conditions)))
    return all(_holds_in_case(facts, prop, truths) for truths in cases)


def _holds_in_case(facts: Facts, prop: Prop, truths: Mapping[Atom, int]) -> bool:
    def put(atom: Atom) -> Size:
        return Size.of(truths[atom]) if atom in truths else rebuild(atom, put)

    return entails(facts, map_prop(prop, lambda size: size.map_atoms(put)))


def _refuted_by_ranks(facts: Facts, prop: Prop) -> Decision | None:
    """A counter-example among shapes of few axes to an equation that mentions shapes of any rank."""
    for props, asked in with_ranks(facts.props, prop):
        for choice in choices(props, asked):
            examples, far = _counterexamples(*choice)
            if (found := _supported(far, examples, examples.very_small())) is not None:
                return found
    return None


def refuted_by_statics(statics: Statics, facts: Facts, prop: Prop) -> Refuted | None:
    """A counter-example among a few values of static floats and axes, shapes of few axes and very small sizes."""
    for given, props, asked in with_statics(statics, facts.props, prop):
        examples, far = _counterexamples(props, asked)
        found = _supported(far, examples, examples.very_small()) or _refuted_by_ranks(Facts(props), asked)
        if isinstance(found, Refuted):
            return replace(found, statics=given)
    return None


def _counterexamples(facts: tuple[Prop, ...], prop: Prop) -> tuple[Examples, tuple[Prop, ...]]:
    """A search for sizes that satisfy the facts and not a proposition, and the facts that it leaves out."""
    *facts_, prop = _with_free_numbers((*facts, prop))
    facts = tuple(facts_)
    near, far = split_connected((prop,), facts)
    wanted = (*measured((prop, *near)), *definedness((prop,)), *near, *definedness(near), negation(prop))
    return Examples(variables((prop, *near)), wanted), far


def _with_free_numbers(props: tuple[Prop, ...]) -> tuple[Prop, ...]:
    """The propositions with a variable for each number inside of a static value that no other condition speaks of."""
    calls = (call for prop in props for call in calls_of(prop) if call.name != EQUALS)
    bound = {arg for call in calls for arg in call.args}
    found = dict.fromkeys(atom for prop in props for atom in atoms_of(prop) if isinstance(atom, Opaque))
    free = [atom for atom in found if is_free_number(atom) and bound.isdisjoint(atom.args)]
    stand_ins: dict[Atom, Size] = {
        atom: Size.of(SizeVar(-2 - i, str(atom), atom.natural)) for i, atom in enumerate(free)
    }

    def put(atom: Atom) -> Size:
        return stand_ins.get(atom) or rebuild(atom, put)

    return tuple([map_prop(prop, lambda size: size.map_atoms(put)) for prop in props]) if free else props


def _plainly(facts: Facts, prop: Prop) -> bool:
    """Return whether normal forms alone show it."""
    if isinstance(prop, Known):
        return prop.value
    if not facts.props and isinstance(prop, Eq) and not any(isinstance(a, Mod) for a in prop.left.atoms()):
        return prop.left == prop.right
    return prop in facts.props or map_prop(prop, _system(facts).reduce) == Known(True)


def _refutes(facts: Facts, prop: Prop) -> bool:
    """Return whether a proposition contradicts the facts that have to do with it, or these each other."""
    asked = (prop, *definedness((prop,)))
    near = relevant(facts, asked)
    found = near.memo.get(("refutes", prop))
    if found is None:
        system = _system(near).copy()
        system.assume(asked)
        found = near.memo["refutes", prop] = system.contradictory()
    return found is True or (near is not facts and _contradictory(facts))


def _contradictory(facts: Facts) -> bool:
    """Return whether the facts contradict each other; what is new among them, if those before do not."""
    found = facts.memo.get("contradictory")
    if found is None:
        before, near = facts.memo.get("before"), facts
        if isinstance(before, Facts) and before.memo.get("contradictory") is False:
            near = relevant(facts, facts.props[len(before.props) :])
        found = facts.memo["contradictory"] = _system(near).copy().contradictory()
    return found is True


def _system(facts: Facts) -> System:
    """The facts as a system, built on that of the nearest facts before them that has one."""
    chain = [facts]
    while "system" not in chain[-1].memo and isinstance(before := chain[-1].memo.get("before"), Facts):
        chain.append(before)
    found = chain[-1].memo.get("system")
    system = found if isinstance(found, System) else None
    count = 0 if system is None else len(chain[-1].props)
    if system is None or count < len(facts.props):
        new = facts.props[count:]
        system = System() if system is None else system.copy()
        system.assume(map(simplified, (*new, *definedness(new))))
        facts.memo["system"] = system
    return system


def _supported(facts: tuple[Prop, ...], examples: Examples, found: Assignment | None) -> Decision | None:
    """A refutation, if the facts about other variables can hold beside it."""
    if found is None or (facts and witness(Facts(facts)) is None):
        return None
    return Refuted(found, examples)


# Normal forms under facts.


def normalise(size: Size, facts: Facts) -> Size:
    """The size in the user's names, simplified by what the facts say: `h * (d // h)` is `d` where `d % h ==
    0`."""
    if not facts.props or size.constant is not None:
        return size
    found = facts.memo.get(("normalise", size))
    if isinstance(found, Size):
        return found
    result = _normalise(size, facts)
    facts.memo["normalise", size] = result
    return result


def _normalise(size: Size, facts: Facts) -> Size:
    def rename(atom: Atom) -> Size:
        new = rebuild(atom, rename)
        single = new.as_atom()
        return new if single is None else _simplest(single, facts)

    size = size.map_atoms(rename)
    for atom in [a for a in size.atoms() if isinstance(a, FloorDiv)]:
        if atom.denominator.terms and entails(facts, Eq(atom.numerator % atom.denominator, Size.of(0))):
            size = _multiplied_out(size, atom)
    return size


def _simplest(atom: Atom, facts: Facts) -> Size:
    match atom:
        case SizeVar():
            value = _system(facts).solved.get(atom)
            named = value is not None and all(var.id >= 0 for var in value.vars())
            return value if value is not None and named else Size.of(atom)
        case FloorDiv(a, b) if b.terms and _within(facts, a, b):
            return Size.of(0)
        case Mod(a, b):
            if entails(facts, Eq(Size.of(atom), Size.of(0))):
                return Size.of(0)
            return a if _within(facts, a, b) else Size.of(atom)
        case Min(args) | Max(args):
            combine = min_ if isinstance(atom, Min) else max_
            return combine(*_undominated(atom, args, facts))
        case _:
            return Size.of(atom)


def _within(facts: Facts, size: Size, limit: Size) -> bool:
    """Return whether 0 <= size < limit follows. Where it does not, very small sizes show this soonest."""
    below = Le(size + 1, limit)
    return (
        entails(facts, Le(Size.of(0), size))
        and _by_very_small_sizes(_Question(facts, below)) is None
        and entails(facts, below)
    )


def _undominated(atom: Min | Max, args: tuple[Size, ...], facts: Facts) -> tuple[Size, ...]:
    kept = list(args)
    for arg in args:
        rest = [other for other in kept if other != arg]
        below = (Le(other, arg) if isinstance(atom, Min) else Le(arg, other) for other in rest)
        if arg in kept and any(entails(facts, prop) for prop in below):
            kept = rest
    return tuple(kept)


def _multiplied_out(size: Size, atom: FloorDiv) -> Size:
    """`k * (e // k)` replaced by `e`, where `k` divides `e`."""
    from_quotient = atom.denominator * Size.of(atom)
    lead = from_quotient.terms[0][0]
    if not any(set(lead) <= set(monomial) for monomial, _ in size.terms):
        return size
    stand_in = SizeVar(-1, "_", True)
    hidden = size.map_atoms(lambda a: Size.of(stand_in if a == atom else a))
    product = atom.denominator * Size.of(stand_in)
    whole, rest = hidden.divided_by(product)
    back = {stand_in: Size.of(atom)}
    return whole.substitute(back) * atom.numerator + rest.substitute(back)


def bounds(facts: Facts, size: Size) -> tuple[int | None, int | None]:
    """Constant bounds of a size where they follow from the facts; `(0, -1)` if no sizes satisfy the facts."""
    value = size.constant
    if value is not None:
        return value, value
    system = _system(facts).copy()
    system.assume(definedness((Eq(size, size),)))
    if system.impossible:
        return 0, -1
    try:
        return system.bounds(size)
    except linear.Infeasible:
        return 0, -1


# Solving.


class Solved(Struct, frozen=True):
    """The unknown is `value`, provided the conditions hold (those that the facts imply are left out)."""

    value: Size
    conditions: tuple[Prop, ...] = ()


class NoSolution(Struct, frozen=True):
    """No value of the unknown fits, for any sizes that satisfy the facts. `violated` is what cannot hold."""

    violated: Prop


class NotDetermined(Struct, frozen=True):
    """The pattern does not determine the unknown."""


Solution: TypeAlias = Solved | NoSolution | NotDetermined


def solve(pattern: Size, target: Size, unknown: SizeVar, facts: Facts) -> Solution:
    """Solve `pattern == target` for a variable that occurs in the pattern as `a * unknown + b`."""
    split = pattern.linear_in(unknown)
    if split is None or not split[0].terms:
        return NotDetermined()
    slope, rest = split
    gap = target - rest
    if (c := slope.constant) is not None and c < 0:
        slope, gap = -slope, -gap
    value = gap // slope
    needed: list[Prop] = [] if slope.constant else [Le(Size.of(1), slope)]
    needed.append(Eq(gap % slope, Size.of(0)))
    if unknown.natural:
        needed.append(Le(Size.of(0), value))
    open_conditions = [prop for prop in needed if not entails(facts, prop)]
    for prop in open_conditions:
        if excludes(facts, prop):
            return NoSolution(prop)
    return Solved(normalise(value, facts), tuple(open_conditions))
