"""Keys are affine: every key is moved at most once on any path. A pass over the Core of a definition.

A mention of a local that holds a key moves the part it names (`key_places`). Branches start from one state, and their
moves are united. A body that runs many times is a region: a local bound outside may not be moved in it, except for an
element that no other turn moves (`key_indices`), or by `fold_in` with what differs from turn to turn. A function bound
by `let` moves what its body moves wherever it is called, and so it does under a transformation that runs it once. Knows
nothing of inference: types are settled, and what had an error is a constant by now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import TRANSFORMATIONS
from dsl.core.walk import children, subexpressions
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types.facts import Facts
from dsl.types.size import Size
from typechecker.analyses.key_expressions import (
    choices_of,
    chosen_functions,
    counters,
    functions_of,
    selectors,
    within,
    wrapped_call,
)
from typechecker.analyses.key_moves import Moves
from typechecker.analyses.key_places import (
    Ledger,
    Use,
    in_steps_of_one,
    kept_places,
    place_of,
    static_size,
)
from typechecker.analyses.single_calls import called_once
from typechecker.declarations.attributes import Attribute
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.errors import keys as key_errors
from typechecker.errors.causes import Repeated
from typechecker.types.predicates import holds_key


def check_keys(program: ProgramChecker, function: core.Function, written: ast.Def) -> Iterable[Diagnostic]:
    """Report invalid uses of keys in a definition; a rewrite offered by a help is not yet checked."""
    params = function.signature.params
    defaults = [(p.name, p.default) for p in params if p.default is not None]
    found = [key_errors.key_in_default(node.span, name=name) for name, node in defaults if _makes_key(node)]
    if not _mentions_key(function.body):
        return found
    walk = _Walk(program, {p.id: p.span for p in params}, Facts.empty().assume(*function.signature.where), written)
    for param in params:
        walk.bind(core.Bind(param.id, param.name))
        if param.size is not None:
            walk.statics[param.id] = Size.of(param.size)
    walk.visit(function.body)
    return [*found, *walk.moves.found]


def _mentions_key(node: core.Expr) -> bool:
    types = {id(part.type): part.type for part in subexpressions(node)}
    return any(map(holds_key, types.values()))


def _makes_key(node: core.Expr) -> bool:
    """Return whether a default makes a key; one that asks for a fresh one performs an effect, which is said already."""
    return _mentions_key(node) and not any(isinstance(part, core.FreshKey) for part in subexpressions(node))


class _Closure(Struct, frozen=True):
    """A function bound by `let`: the lambda, the one instance if it was fixed, and what each instance moves
    of the locals around it."""

    function: core.Lambda
    instance: int | None
    uses: tuple[tuple[Use, ...], ...] = ()

    def moved(self, instance: int | None) -> tuple[Use, ...]:
        """Return the uses made by a call of this instance (None: of any)."""
        chosen = self.instance if self.instance is not None else instance
        if chosen is not None and chosen < len(self.uses):
            return self.uses[chosen]
        return tuple(use for uses in self.uses for use in uses)


class _Walk:
    """The pass at one place: what every local is, and what has been moved."""

    def __init__(self, program: ProgramChecker, places: dict[int, Span], facts: Facts, written: ast.Def) -> None:
        self.program = program
        self.places = places
        self.moves = Moves(facts, self._bound_at, written)
        self.bound: list[int] = []
        self.statics: dict[int, Size] = {}
        self.closures: dict[int, tuple[_Closure, ...]] = {}
        self.mapped = False

    def _bound_at(self, id: int) -> Span | None:
        """Where a local was bound."""
        origin = self.program.task.origins.get(id)
        return self.places.get(id) if origin is None else origin[0]

    # ------------------------------------------------------------ expressions

    def visit(self, node: core.Expr) -> None:
        match node:
            case core.Local() | core.Project() | core.Select() | core.Index():
                self._mention(node)
            case core.Sequence(statements=statements, result=result):
                for statement in statements:
                    self._statement(statement)
                self.visit(result)
            case core.If(condition=condition, then=then, orelse=orelse):
                self.visit(condition)
                self.moves.branches([partial(self._arm, (), arm) for arm in (then, orelse)])
            case core.Match(subject=subject, arms=arms):
                self.visit(subject)
                self.moves.branches([partial(self._arm, (pattern,), body) for pattern, body in arms])
            case core.Apply(function=function, args=args):
                if self._folds_in(node):
                    self._fold_in(node)
                elif (whole := self._one_of(node)) is not None:
                    self._all(arg for arg in args if arg is not None and arg is not whole)
                    self._choice(node, whole)
                elif given := self._given_once(node):
                    self._all(arg for arg in args if arg is not None and not any(arg is one for one in given))
                    for one in given:
                        self._all(choices_of(one))
                        self._run_one(node, self._closures(one))
                else:
                    self._call(node, function, [arg for arg in args if arg is not None])
            case core.TransformCall(kind=kind, function=function) if TRANSFORMATIONS[kind].runs_once:
                self._call(node, function, [child for child in children(node) if child is not function])
            case core.TransformCall(function=function) | core.Transform(function=function):
                self._all(child for child in children(node) if child is not function)
                with self._mapping():
                    self.visit(function)
            case core.Lambda(instances=instances):
                for instance in instances:
                    self._passed(node, instance)
            case core.Update(base=base, updates=updates):
                self._update(base, updates)
            case _:
                self._visit_repeating(node)

    def _visit_repeating(self, node: core.Expr) -> None:
        match node:
            case core.Comprehension():
                self._comprehension(node)
            case core.Loop():
                self._loop(node)
            case core.Iterate():
                self._iterate(node)
            case core.Unroll():
                self._unroll(node)
            case core.HandleUser(clauses=clauses, init=init, body=body):
                self._all(e for e in (*[clause.source for clause in clauses], init, body) if e is not None)
                for clause in clauses:
                    self._many_times(Repeated.CLAUSE, clause.params, (clause.body,))
            case _:
                self._all(children(node))

    def _all(self, nodes: Iterable[core.Expr]) -> None:
        for node in nodes:
            self.visit(node)

    def _statement(self, statement: core.Statement) -> None:
        match statement:
            case core.Bound(pattern, value):
                self._bound(pattern, value)
            case core.Perform(value):
                self.visit(value)

    def _arm(self, patterns: Iterable[core.Pattern], body: core.Expr) -> None:
        self._bind_all(patterns)
        self.visit(body)

    def _update(self, base: core.Expr, updates: tuple[tuple[tuple[str, ...], core.Expr], ...]) -> None:
        """`{s with k = e}` takes over all of `s` but the key it replaces."""
        place = place_of(base, self.statics)
        if place is None:
            self.visit(base)
        else:
            self._all(selectors(base))
            for part, kind in kept_places(place, base.type, [path for path, _ in updates]):
                self.moves.move(Use(part, kind, base))
        self._all(value for _, value in updates)

    # ------------------------------------------------------------ moving

    def _mention(self, node: core.Expr) -> None:
        place = place_of(node, self.statics)
        if place is None:
            self._all(children(node))
            return
        self._all(selectors(node))
        if place.root in self.closures and not place.fields:
            for closure in self.closures[place.root]:
                self._pass_closure(closure, node)
        elif holds_key(node.type):
            self.moves.move(Use(place, node.type, node))

    # ------------------------------------------------------------ binding

    def bind(self, pattern: core.Pattern, value: core.Expr | None = None) -> None:
        """Bind the names of a pattern in the innermost region. `value` is looked at for static ints alone."""
        match pattern:
            case core.Bind(id, _):
                self.moves.bind(id)
                self.bound.append(id)
                known = None if value is None else static_size(value, self.statics)
                if known is not None:
                    self.statics[id] = known
            case core.Split(patterns, axis):
                items = value.items if isinstance(value, core.Tuple) and not axis else (None,) * len(patterns)
                for part, item in zip(patterns, items, strict=True):
                    self.bind(part, item)
            case core.IsVariant(_, _, patterns):
                self._bind_all(patterns)
            case core.Ignore() | core.IsLiteral():
                pass

    def _bind_all(self, patterns: Iterable[core.Pattern]) -> None:
        for pattern in patterns:
            self.bind(pattern)

    def _bound(self, pattern: core.Pattern, value: core.Expr) -> None:
        """`let pattern = value`; a function that gets a name is looked at where it is called."""
        closures = self._closures(value)
        if not closures or not isinstance(pattern, core.Bind):
            self.visit(value)
            self.bind(pattern, value)
            return
        self._all(choices_of(value))
        summed = [one if one.uses else replace(one, uses=self._summaries(one.function)) for one in closures]
        self.bind(pattern)
        self.closures[pattern.id] = tuple(summed)

    # ------------------------------------------------------------ functions

    def _closures(self, node: core.Expr) -> tuple[_Closure, ...]:
        """The lambdas of which a call of an expression certainly runs one, once; none if they are not known."""
        match node:
            case core.Lambda():
                return (_Closure(node, None),)
            case core.Specialise(function=function, instance=instance):
                return tuple([replace(found, instance=instance) for found in self._closures(function)])
            case core.Transform(kind=kind, function=function) if TRANSFORMATIONS[kind].runs_once:
                return self._closures(function)
            case core.If() | core.Match():
                found = [self._closures(arm) for arm in chosen_functions(node)]
                return tuple([one for each in found for one in each]) if all(found) else ()
            case core.Local(id=id):
                return self.closures.get(id, ())
            case _:
                return ()

    def _summaries(self, function: core.Lambda) -> tuple[tuple[Use, ...], ...]:
        return tuple([self._summary(instance) for instance in function.instances])

    def _summary(self, instance: core.LambdaBody) -> tuple[Use, ...]:
        """Return the uses of outer locals by one run of a body, and report errors inside."""
        outer, self.moves.ledger = self.moves.ledger, Ledger()
        before = len(self.bound)
        self._bind_all(instance.params)
        self.visit(instance.body)
        inner = set(self.bound[before:])
        uses = tuple(use for use in self.moves.ledger.trail if use.place.root not in inner)
        self.moves.ledger = outer
        return uses

    def _call(self, node: core.Apply | core.TransformCall, function: core.Expr, args: Sequence[core.Expr]) -> None:
        closures = self._closures(function)
        self._all(args if closures else (function, *args))
        if closures:
            self._all(choices_of(function))
            self._run_one(node, closures, node.instance)

    def _run_one(self, node: core.Expr, closures: Sequence[_Closure], instance: int | None = None) -> None:
        """One of some functions runs here, once."""
        if len(closures) == 1:
            self._run(node, closures[0], instance)
        else:
            self.moves.branches([partial(self._run, node, closure, instance) for closure in closures])

    def _given_once(self, node: core.Apply) -> Sequence[core.Expr]:
        """The arguments that are functions which the called definition calls once at most, where they are known."""
        match node.function:
            case core.Global(module=module, name=name):
                found = [(place, arg) for place, arg in enumerate(node.args) if arg is not None and self._closures(arg)]
                once = called_once(self.program, module, name) if found else frozenset[int]()
                return [arg for place, arg in found if place in once]
            case _:
                return ()

    def _one_of(self, node: core.Apply) -> core.Expr | None:
        """The tuple of functions of which a function of the library calls one, once."""
        match node.function:
            case core.Global(module=module, name=name):
                info = self.program.modules[module].definitions.get(name)
                named = () if info is None else info.attributes.get(Attribute.ONE_OF, ())
                params = () if info is None or info.signature is None else info.signature.params
                found = [arg for param, arg in zip(params, node.args, strict=False) if param.name in named]
                return found[0] if found else None
            case _:
                return None

    def _choice(self, node: core.Expr, whole: core.Expr) -> None:
        """One of some functions is run here, if they are known."""
        found = [self._closures(function) for function in functions_of(whole)]
        if found and all(found):
            self._run_one(node, [one for each in found for one in each])
        else:
            self.visit(whole)

    def _run(self, node: core.Expr, closure: _Closure, instance: int | None) -> None:
        """A function whose body runs here, once."""
        if closure.uses:
            self.moves.move(*within(closure.moved(instance), node))
        else:
            self._in_place(closure, instance)

    def _folds_in(self, node: core.Apply) -> bool:
        """Return whether it calls a function of a key and data that gives another key for other data."""
        match node.function:
            case core.Global(module=module, name=name):
                info = self.program.modules[module].definitions.get(name)
                return info is not None and Attribute.NEW_KEY in info.attributes and None not in node.args
            case _:
                return False

    def _in_place(self, closure: _Closure, instance: int | None) -> None:
        """A lambda applied where it stands: its body runs here, once."""
        instances = closure.function.instances
        chosen = closure.instance if closure.instance is not None else instance
        for body in instances if chosen is None else instances[chosen : chosen + 1]:
            self._bind_all(body.params)
            self.visit(body.body)

    def _passed(self, node: core.Lambda, instance: core.LambdaBody) -> None:
        """A lambda as a value: it may run any number of times. One that the checker has put around a function
        value to give it a type only stands for that value."""
        call = wrapped_call(node, instance)
        kind = Repeated.TURNS if self.mapped else Repeated.FUNCTION
        if call is None:
            self._many_times(kind, instance.params, (instance.body,))
        else:
            self.visit(call.function)
            self._many_times(kind, instance.params, (arg for arg in call.args if arg is not None))

    @contextmanager
    def _mapping(self) -> Iterator[None]:
        """At the function of a transformation that runs it for each element."""
        before, self.mapped = self.mapped, True
        yield
        self.mapped = before

    def _pass_closure(self, closure: _Closure, node: core.Expr) -> None:
        with self.moves.many_times(Repeated.TURNS if self.mapped else Repeated.FUNCTION):
            self.moves.move(*within(closure.moved(None), node))

    def _fold_in(self, node: core.Apply) -> None:
        """`fold_in(k, i)`: another key for every turn of the loop that `i` counts."""
        found: list[Size] = []
        base: core.Expr = node
        while isinstance(base, core.Apply) and self._folds_in(base):
            key, data = (arg for arg in base.args if arg is not None)
            number = static_size(data, self.statics)
            found += [] if number is None else [number]
            self.visit(data)
            base = key
        place = place_of(base, self.statics)
        if place is None:
            self.visit(base)
            return
        self._all(selectors(base))
        numbers = [n for n in found if in_steps_of_one(n) or self.moves.tells_turns_apart(place, n)]
        self.moves.move(Use(place, base.type, base, None, tuple(numbers), tuple(found)))

    # ------------------------------------------------------------ bodies that run many times

    def _many_times(self, kind: Repeated, patterns: Iterable[core.Pattern], body: Iterable[core.Expr]) -> None:
        with self.moves.many_times(kind):
            self._bind_all(patterns)
            self._all(body)

    def _enter(self, clause: core.Clause) -> None:
        """Open the region of a loop. What it runs over is evaluated before."""
        self._all(children(clause.source))
        self.moves.open()
        self.bind(clause.pattern)
        for counted, source in counters(clause.pattern, clause.source):
            ends = (source.start, source.stop) if isinstance(source, core.Counting) else ()
            low, high = [static_size(end, self.statics) for end in ends] or (Size.of(0), None)
            self.statics[counted.id] = self.moves.count(counted.id, counted.name, low, high)

    def _comprehension(self, node: core.Comprehension) -> None:
        for clause in node.clauses:
            self._enter(clause)
        self.visit(node.body)
        self.moves.close(len(node.clauses))

    def _loop(self, node: core.Loop) -> None:
        self._all(e for e in (node.init, node.unroll) if e is not None)
        self._enter(node.clause)
        self.bind(node.carry)
        self.visit(node.body)
        self.moves.close()

    def _iterate(self, node: core.Iterate) -> None:
        """Condition and body see one carry, and the carry of the last condition is the result."""
        self._all(e for e in (node.init, node.limit) if e is not None)
        with self.moves.many_times(Repeated.TURNS):
            before = len(self.bound)
            self.bind(node.carry)
            carried = set(self.bound[before:])
            mark = self.moves.ledger.mark()
            self.visit(node.condition)
            tested = [use for use in self.moves.ledger.trail[mark:] if use.place.root in carried]
            self.visit(node.body)
        for use in tested:
            if use.place.root not in self.moves.twice:
                self.moves.found.append(key_errors.key_in_condition(use.span, name=str(use.place)))

    def _unroll(self, node: core.Unroll) -> None:
        """The steps follow one another; a key of outside is gone after the first that moves it."""
        if node.init is not None:
            self.visit(node.init)
        self._all(children(node.source))
        for number, (pattern, body) in enumerate(node.steps):
            if node.carry:
                self.bind(node.carry[number])
            place = len(node.steps) - 1 - number if node.reverse else number
            self._bind_step(pattern, node.source, place)
            self.visit(body)

    def _bind_step(self, pattern: core.Pattern, source: core.Iterable, number: int) -> None:
        """Bind one step over a tuple, with the static ints that can be read off."""
        match source, pattern:
            case core.Unrolled(value=core.Tuple(items=items)), _:
                self.bind(pattern, items[number])
            case core.Enumerated(of), core.Split((first, rest)):
                self.bind(first)
                if isinstance(first, core.Bind):
                    self.statics[first.id] = Size.of(number)
                self._bind_step(rest, of, number)
            case core.Zipped(sources), core.Split(patterns):
                for inner, part in zip(patterns, sources, strict=True):
                    self._bind_step(inner, part, number)
            case _:
                self.bind(pattern)
