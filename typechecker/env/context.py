"""The context of a location while it is checked: scope, facts, effects, and the sink of reports.

A `Context` is cheap to derive: entering a scope, a branch or a loop body makes a new one that shares the `Body` of
its definition. It knows how to ask (`decide`) and to remember (`require`), not what to ask: that is for the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types.decide import Proved, Refuted, Unknown, decide, entails, refuted_by_statics
from dsl.types.dtype import DType
from dsl.types.effect import CHECK, Cell, Effect, EffectVar, Row, Site
from dsl.types.every import Everywhere, Range, everywhere
from dsl.types.facts import (
    EQUALS,
    And,
    Facts,
    Prop,
    atoms_of,
    calls_of,
    conjunction,
    disjunction,
    le,
    lt,
    negation,
    simplified,
    sizes_of,
    weakest,
)
from dsl.types.facts import Known as Truth
from dsl.types.limits import AXIS
from dsl.types.shape import StaticName, Substitution, Written
from dsl.types.sites import overlap, sites_of
from dsl.types.size import Atom, Opaque, Size, SizeVar
from dsl.types.static_conditions import compare
from dsl.types.static_parts import Gap, has_gap, static_names
from dsl.types.type import DTypeVar, Element, KeyType, Type
from dsl.types.walk import subtypes
from typechecker import errors
from typechecker.env.body import Body, Checked, Home, Mode
from typechecker.env.generic_dtypes import (
    choices_of,
    dtype_argument,
    dtype_name,
    dtypes_where,
    for_each_dtype,
    of_each_dtype,
    possible_dtypes,
)
from typechecker.env.reports import Attempt, Reported
from typechecker.env.scope import Scope
from typechecker.env.values import Term

if TYPE_CHECKING:
    from typechecker.declarations.program_checker import ProgramChecker


class Context(Struct, frozen=True, eq=False):
    program: ProgramChecker
    body: Body
    scope: Scope
    facts: Facts
    branch: tuple[Prop, ...] = ()
    observed: tuple[Prop, ...] = ()
    depth: int = 0
    in_library: bool = False
    parallel: bool = False
    written: list[Prop] | None = None
    resume: Type | None = None
    chosen: bool = False
    home: Home = Home()

    # ---------------------------------------------------------------- deriving

    def inner(self) -> Context:
        return replace(self, scope=self.scope.child())

    def within(self, scope: Scope) -> Context:
        return replace(self, scope=scope)

    def assuming(self, *props: Prop) -> Context:
        """In a branch chosen at compile time: the conditions are facts, and what is required there is required under
        them."""
        return replace(self, facts=self.facts.assume(*props), branch=(*self.branch, *props), chosen=True)

    def observing(self, *props: Prop) -> Context:
        """Where a condition has come true in a run: it says where run-time integers lie, and nothing of sizes: what
        stands here is compiled for sizes, too, of which it never comes true."""
        return replace(self, observed=(*self.observed, *props))

    def repeated(self) -> Context:
        return replace(self, depth=self.depth + 1, scope=self.scope.child())

    def once(self) -> Context:
        """The body of a function or of a handler: what is performed here happens once with each call of it."""
        return replace(self, home=Home(self.depth, self.branch))

    def sometimes(self) -> Context:
        """Where a run comes at most, or what is transformed before it runs."""
        return replace(self, home=Home(-1, self.branch))

    # ---------------------------------------------------------------- asking rules

    def infer(self, node: ast.Expr | core.Expr | Term, expected: Type | None = None) -> Term:
        """Check an expression; an already checked term passes through."""
        return node if isinstance(node, Term) else self.program.rules.infer(self, node, expected)

    def typed(self, node: ast.Expr | core.Expr | Term, expected: Type | None = None) -> Term:
        """Infer an expression without which the enclosing one has no type either."""
        term = self.infer(node, expected)
        if term.is_error:
            raise Reported
        return term

    def resolve(self, kind: Type) -> Type:
        return self.body.solver.resolve(kind)

    # ---------------------------------------------------------------- reporting

    def report(self, diagnostic: Diagnostic) -> None:
        self.program.reports.add(diagnostic)

    def refuse(self, diagnostic: Diagnostic) -> NoReturn:
        """Report, and leave the expression that is being inferred without a type."""
        self.program.reports.add(diagnostic)
        raise Reported

    def traces(self) -> tuple[int, ...]:
        """How many of what a rule leaves behind there are: as many as before if it left nothing."""
        body = self.body
        left = len(body.constraints), len(body.numbers), len(body.book.deferred), body.opened
        return (body.book.performed, len(self.program.reports), *left)

    def attempt(self) -> Attempt:
        """Tells whether what is checked inside is reported."""
        return Attempt(self.program.reports)

    def perform(self, effect: Effect, span: Span) -> None:
        """Perform an effect, which is known by the place where it happens first."""
        if isinstance(effect, Site):
            self._name(effect, span)
        self.body.book.add(effect, span)

    def require_once(self, effects: Iterable[Effect], span: Span) -> None:
        """Demand of what is known by name that it is performed once wherever this place is reached; of what stands for
        others, remember whether it is."""
        if Home(self.depth, self.branch) != self.home:
            self.body.book.again.update([effect for effect in effects if isinstance(effect, EffectVar)])
        for site in [effect for effect in effects if isinstance(effect, Site)]:
            if self.branch != self.home.branch or not (site.shared or self.depth == self.home.depth):
                self.report(errors.effects.not_once(span, site=site, chosen=self.branch != self.home.branch))
            if site.shared and any(isinstance(part, KeyType) for part in subtypes(self.resolve(site.type))):
                self.report(errors.effects.shared_key(span, name=site.name))

    def _name(self, site: Site, span: Span) -> None:
        """Demand that nothing else has the name."""
        for other in sites_of(self.body.book.effects, site.operation):
            if overlap(site, other) and self.body.book.effects[other] != span:
                self.report(
                    errors.effects.name_taken(span, other=self.body.book.effects[other], site=site, taken=other)
                )

    def perform_check(self, what: str, bound: Size, span: Span, type_: Type | None = None) -> None:
        """Record a check of a location at run time: see `Checked`."""
        if not any(var.poison for var in bound.vars()):
            self.body.guards.setdefault(span, Checked(what, bound, type_))
        self.perform(CHECK, span)

    def perform_all(self, effects: Mapping[Effect, Span]) -> None:
        for effect, span in effects.items():
            self.perform(effect, span)

    def perform_write(self, effect: Effect, span: Span) -> None:
        self.body.book.writes.add(span)
        self.perform(effect, span)

    def perform_row(self, row: Row, span: Span, writes: Set[str] | None = None) -> None:
        """The effects of a call; `writes` are the cells that the callee is known to write (None: any)."""
        if row:
            self.require_once(row, span)
        for effect in row:
            written = isinstance(effect, Cell) and effect.kind == "state" and (writes is None or effect.name in writes)
            (self.perform_write if written else self.perform)(effect, span)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Check without effects here and without demands on callers. An expression without a type is no reason to
        forget what is performed here."""
        before = self.body.partial
        try:
            with self.collecting_constraints(), self.body.book.inner():
                yield
        finally:
            self.body.partial = before

    @contextmanager
    def collecting_constraints(self) -> Iterator[list[tuple[Prop, Span]]]:
        """Collect the demands made inside separately, instead of passing them to callers."""
        before = self.body.constraints
        self.body.constraints = []
        try:
            yield self.body.constraints
        finally:
            self.body.constraints = before

    @contextmanager
    def mapping(self, axes: Mapping[str, Size | None]) -> Iterator[None]:
        """Inside of a map over axes of these names, and of these sizes where they are known."""
        before = self.body.axes
        self.body.axes = {name: size for name, size in {**before, **axes}.items() if size is not None}
        try:
            yield
        finally:
            self.body.axes = before

    # ---------------------------------------------------------------- sizes, and other static values

    def dtypes(self, element: Element) -> tuple[DType, ...]:
        """The dtypes that an element may have here."""
        element = self.body.solver.element(element)
        if isinstance(element, DType):
            return (element,)
        choices = None if element.of is None else self._choices(element)
        return possible_dtypes(self.facts, element) if choices is None else tuple(dict.fromkeys(c for (c,) in choices))

    def _choices(self, *elements: Element) -> list[tuple[DType, ...]] | None:
        """The dtypes that elements may have together here; None if what they are computed from has no name here."""
        args = tuple([dtype_argument(one) if isinstance(one, DTypeVar) else Written(str(one)) for one in elements])
        own = {dtype_name(each): possible_dtypes(self.facts, each) for each in self._generics(static_names(args))}
        choices = [*choices_of(own)]
        found = [tuple([each for arg in args if (each := dtypes_where(arg, choice))]) for choice in choices]
        return found if found and all(len(each) == len(args) for each in found) else None

    def unify(self, left: Element, right: Element) -> bool:
        """Make two dtypes one, if they can be, or are by the facts here."""
        if self.body.solver.unify(left, right):
            return True
        one, other = (self.body.solver.element(element) for element in (left, right))
        alone = self.dtypes(one), self.dtypes(other)
        if len(alone[0]) == 1 and alone[0] == alone[1]:
            return True
        computed = any(isinstance(each, DTypeVar) and each.of is not None for each in (one, other))
        choices = self._choices(one, other) if computed else None
        return all(a == b for a, b in choices) if choices else self._said_to_be_one(one, other)

    def _said_to_be_one(self, one: Element, other: Element) -> bool:
        """Return whether a fact says that two generic dtypes are one."""
        if not isinstance(one, DTypeVar) or not isinstance(other, DTypeVar):
            return False
        names = dtype_argument(one), dtype_argument(other)
        return self.holds(compare(EQUALS, *names)) or self.holds(compare(EQUALS, *reversed(names)))

    def decide(self, prop: Prop) -> Proved | Refuted | Unknown:
        """Decide a condition from the facts here and the ranges of its run-time integers; reported conditions count as
        true."""
        return Proved() if has_gap(prop, Gap.REPORTED) else decide(self._facts_about(prop), prop)

    def holds_when_run(self, prop: Prop) -> bool:
        """Return whether a condition follows wherever a run gets here: enough for what is known of run-time
        integers."""
        return entails(self.facts.assume(*self.observed), prop)

    def _facts_about(self, prop: Prop) -> Facts:
        facts, ranges = self.facts.assume(*_of_large_numbers(prop)), self.body.ranges
        todo = [v for a in atoms_of(prop) for v in Size.of(a).vars() if v in ranges]
        if not todo:
            return facts
        facts = facts.assume(*self.observed)
        seen: set[SizeVar] = set()
        while todo:
            var = todo.pop()
            if var in seen:
                continue
            seen.add(var)
            low, high = ranges[var]
            bounds: list[Prop] = [] if low is None else [le(low, Size.of(var))]
            bounds += [] if high is None else [lt(Size.of(var), high)]
            bounds += [self.body.meanings[var]] if var in self.body.meanings else []
            facts = facts.assume(*bounds) if bounds else facts
            todo += [a for b in bounds for a in atoms_of(b) if isinstance(a, SizeVar) and a in ranges]
        return facts

    def holds(self, prop: Prop) -> bool:
        return entails(self._facts_about(prop), prop)

    def fresh_id(self) -> int:
        return self.program.fresh_id()

    def traced_atom(self, name: str, low: Size | None, high: Size | None) -> Size:
        """A run-time integer in `low <= i < high`, as an atom."""
        var = SizeVar(self.fresh_id(), name, natural=low is not None and low.is_nonnegative())
        self.body.ranges[var] = (low, high)
        return Size.of(var)

    def range_atom(self, name: str, low: Size | None, high: Size | None, of: Set[SizeVar] = frozenset()) -> Size:
        """The variable of a `range`, or what is computed `of` such variables."""
        atom = self.traced_atom(name, low, high)
        of = {var for var in of if var in self.body.range_atoms}
        sources = frozenset(of).union(*(self.body.range_atoms[var] for var in of))
        self.body.range_atoms |= dict.fromkeys(atom.vars(), sources)
        return atom

    def is_traced(self, size: Size) -> bool:
        return any(var in self.body.ranges for var in size.vars())

    def require_equation(self, prop: Prop, span: Span) -> Refuted | None:
        """Demand an equation: one counter-example refutes it; with neither proof nor example it is a constraint."""
        if Mode.RANGING in self.body.mode:
            return self.require(prop, span)
        verdict = self.decide(prop)
        if isinstance(verdict, Unknown):
            return refuted_by_statics(self.body.statics, self.facts, prop) or self.constrain(prop, span)
        return verdict if isinstance(verdict, Refuted) else None

    def require(self, prop: Prop, span: Span) -> Refuted | None:
        """Demand a range condition: refuted if it never holds in a run that gets here, or for every element of a range
        only where axes have at most one element; what is not proved becomes a constraint of the definition, under the
        conditions of the branches that enclose it. No example is looked for where none is shown."""
        if has_gap(prop, Gap.REPORTED) or self.holds(prop):
            return None
        found, nonempty = self._without_ranges(prop)
        facts = self._facts_about(found.prop).assume(*nonempty)
        fails = found.exact and entails(facts, negation(found.prop))
        if not fails and entails(facts, found.prop):
            return None
        fails = fails or (found.exact and bool(nonempty) and self._needs_single_elements(found.prop, facts))
        if fails or not found.exact:
            verdict = self.decide(prop)
            return verdict if isinstance(verdict, Refuted) else Refuted({})
        return self.constrain(disjunction((*map(negation, nonempty), found.prop)), span)

    def _needs_single_elements(self, prop: Prop, facts: Facts) -> bool:
        """Return whether a condition on the ends of ranges holds for no axes of two or more elements, though facts
        allow these."""
        variables = (var for atom in atoms_of(prop) for var in Size.of(atom).vars())
        axes = [var for var in dict.fromkeys(variables) if var.natural and var not in self.body.ranges]
        plural = facts.assume(*[le(2, Size.of(var)) for var in axes])
        return bool(axes) and entails(plural, negation(prop)) and not entails(plural, Truth(False))

    def constrain(self, prop: Prop, span: Span) -> Refuted | None:
        """A condition that nothing here decides becomes one of the definition."""
        demand = self.under_branches(prop)
        if has_gap(prop, Gap.UNNAMED):
            return Refuted({})
        if any(isinstance(a, SizeVar) and a in self.body.ranges for a in atoms_of(demand)):
            return Refuted({})
        if self._holds_for_each_dtype(demand):
            return None
        if not self.in_library and self._leaves_no_dtype(demand):
            return Refuted({})
        self.body.constraints.append((demand, span))
        return None

    def require_of_all(
        self,
        demanded: Iterable[tuple[Prop, Span]],
        own: Sequence[DTypeVar],
        others: Substitution,
        problem: Callable[[Prop, Span], Diagnostic],
    ) -> None:
        """Hand on what was demanded in variables that callers do not choose: for each of the `own` dtypes. What speaks
        of the other variables, for which `others` puts something else, is a problem."""
        for prop, span in demanded:
            needed = for_each_dtype(prop, own)
            if Truth(False) in needed or any(others.prop(each) != each for each in needed):
                self.report(problem(prop, span))
            else:
                self.body.constraints += [(each, span) for each in needed if each != Truth(True)]

    def _holds_for_each_dtype(self, prop: Prop) -> bool:
        """Return whether a condition on one generic dtype holds for each that it may stand for here."""
        found = {*self._generics_in(prop)}
        return len(found) == 1 and all(
            each == Truth(True) for of in found for each in of_each_dtype(self.facts, of, prop)
        )

    def _leaves_no_dtype(self, prop: Prop) -> bool:
        """Return whether a condition, with those demanded before, excludes each dtype that a generic in it may stand
        for."""
        demanded = (prop, *(before for before, _ in self.body.constraints))
        return any(not possible_dtypes(self.facts.assume(*demanded), of) for of in self._generics_in(prop))

    def _generics_in(self, prop: Prop) -> Iterator[DTypeVar]:
        """The generic dtypes of the definition that a condition speaks of."""
        return self._generics({arg for call in calls_of(prop) for arg in call.args if isinstance(arg, StaticName)})

    def _generics(self, named: Iterable[StaticName]) -> Iterator[DTypeVar]:
        """The generic dtypes of the definition with these names."""
        for name in named:
            bound = self.scope.lookup(name.name)
            if bound is not None and isinstance(bound.term.known, DTypeVar) and dtype_name(bound.term.known) == name:
                yield bound.term.known

    def under_branches(self, prop: Prop) -> Prop:
        """The condition where the branches that enclose it are taken."""
        unless = [negation(fact) for fact in self.branch if not has_gap(fact, Gap.UNNAMED)]
        return simplified(disjunction(weakest((*unless, prop))))

    def has_ends(self, prop: Prop) -> bool:
        """Return whether what a condition demands in all runs can be said without the run-time integers in it."""
        found, nonempty = self._without_ranges(prop)
        return found.exact or entails(self._facts_about(found.prop).assume(*nonempty), found.prop)

    def _without_ranges(self, prop: Prop) -> tuple[Everywhere, tuple[Prop, ...]]:
        """Return the unproved part of the condition, for every value of each run-time integer, and the conditions that
        the ranges are not empty."""
        parts = prop.props if isinstance(prop, And) else (prop,)
        prop = conjunction([part for part in parts if not self.holds(part)])
        found, nonempty = Everywhere(prop, True), [*self._sources_of(prop)]
        for _ in range(8):
            ranges = [each for atom in atoms_of(found.prop) if (each := self._range_of(atom)) is not None]
            if not ranges:
                break
            inner = max(ranges, key=lambda each: each.var.id)
            nonempty.append(lt(inner.low, inner.high))
            left = everywhere(found.prop, inner)
            found = Everywhere(left.prop, left.exact and found.exact)
        return found, tuple(dict.fromkeys(nonempty))

    def _sources_of(self, prop: Prop) -> Iterator[Prop]:
        """Yield the conditions that the ranges are not empty from which run-time integers are computed."""
        atoms = (atom for atom in atoms_of(prop) if isinstance(atom, SizeVar))
        sources = dict.fromkeys(
            each for atom in atoms for each in sorted(self.body.range_atoms.get(atom, ()), key=lambda var: var.id)
        )
        ranges = (self._range_of(source) for source in sources)
        return (lt(each.low, each.high) for each in ranges if each is not None)

    def _range_of(self, atom: Atom) -> Range | None:
        """The values of a run-time integer, where both ends are known."""
        if not isinstance(atom, SizeVar):
            return None
        low, high = self.body.ranges.get(atom, (None, None))
        return None if low is None or high is None else Range(atom, low, high)


def _of_large_numbers(prop: Prop) -> Iterator[Prop]:
    """Yield the facts about sizes that meet numbers beyond all axes: sizes are smaller."""
    if any(abs(number) > AXIS for size in sizes_of(prop) if isinstance(size, Size) for _, number in size.terms):
        for atom in dict.fromkeys(atoms_of(prop)):
            if isinstance(atom, SizeVar | Opaque) and atom.natural:
                yield le(Size.of(atom), AXIS)
