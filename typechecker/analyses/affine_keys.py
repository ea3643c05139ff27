"""Keys are affine: every key is moved at most once on any path. A pass over the Core of a definition.

Each subterm has a usage (`key_usages`): a mention of a local that holds a key moves the part it names, what follows is
joined, and so are branches. In a body that runs many times a local bound outside may not be moved, except for an
element that no other turn moves (`key_indices`), or by `fold_in` with what differs from turn to turn. A function bound
by `let` moves what its body moves wherever it is called, and so it does under a transformation that runs it once, or
in a definition that calls it once: a function that a definition is given is moved there, as a key would be. Knows
nothing of inference: types are settled, and what had an error is a constant by now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar, assert_never

from dsl.core import core
from dsl.core.transformation import TRANSFORMATIONS
from dsl.core.walk import children, other_children, strip_coercions, subexpressions
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types.facts import Facts
from dsl.types.size import Size
from typechecker import errors
from typechecker.analyses.key_usages import (
    Place,
    Usage,
    Usages,
    Use,
    in_steps_of_one,
    kept_places,
    place_of,
    static_size,
)
from typechecker.declarations.entities import Attribute, Definition
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.errors.causes import Repeated
from typechecker.types.predicates import holds_function, holds_key

_Each = TypeVar("_Each")


def check_keys(program: ProgramChecker, function: core.Function, written: ast.Def) -> Iterable[Diagnostic]:
    """Report invalid uses of keys in a definition; a rewrite offered by a help is not yet checked."""
    params = function.signature.params
    defaults = [(p.name, p.default) for p in params if p.default is not None]
    found = [errors.keys.key_in_default(node.span, name=name) for name, node in defaults if _makes_key(node)]
    if not _mentions_key(function.body):
        return found
    walk = _Walk(program, function.signature)
    walk.usage(function.body)
    return [*found, *(report(written) for report in walk.usages.found)]


def _mentions_key(node: core.Expr) -> bool:
    types = {id(part.type): part.type for part in subexpressions(node)}
    return any(map(holds_key, types.values()))


def _makes_key(node: core.Expr) -> bool:
    """Return whether a default makes a key; one that asks for a fresh one performs an effect, which is said already."""
    return _mentions_key(node) and not any(isinstance(part, core.FreshKey) for part in subexpressions(node))


def called_once(
    program: ProgramChecker, module: str, name: str, around: frozenset[tuple[str, str]] = frozenset()
) -> frozenset[int]:
    """The places of the parameters of a definition that are functions which it calls once at most, on every path. What
    is being checked, and what calls itself, may call its functions any number of times."""
    info = program.modules[module].definitions.get(name)
    params = () if info is None or info.signature is None else info.signature.params
    given = [(place, p) for place, p in enumerate(params) if holds_function(p.type)]
    found = program.checked_now(module, name) if given and (module, name) not in around else None
    if found is None:
        return frozenset()
    walk = _Walk(program, found.signature, around | {(module, name)})
    for _, param in given:
        place, mention = Place(param.id, param.name), core.Local(param.span, param.type, param.id, param.name)
        walk.functions[place] = (((Use(place, param.type, mention),),),)
    walk.usage(found.body)
    return frozenset(place for place, param in given if param.id not in walk.usages.overused)


class _Walk:
    """The pass at one place: what every local is. What it moves is returned. Of each local that is a function, or has
    one in it, it knows what the functions move that this may be, by each instance of theirs."""

    def __init__(
        self, program: ProgramChecker, signature: core.Signature, around: frozenset[tuple[str, str]] = frozenset()
    ) -> None:
        self.program = program
        self.places = {p.id: p.span for p in signature.params}
        self.around = around
        self.usages = Usages(Facts.empty().assume(*signature.where), self._bound_at)
        self.bound: list[int] = []
        self.statics = {p.id: Size.of(p.size) for p in signature.params if p.size is not None}
        self.functions: dict[Place, tuple[tuple[Usage, ...], ...]] = {}
        self.passed = Repeated.FUNCTION
        self._bind_all([core.Bind(p.id, p.name) for p in signature.params])

    def _bound_at(self, id: int) -> Span | None:
        """Where a local was bound."""
        origin = self.program.task.origins.get(id)
        return self.places.get(id) if origin is None else origin[0]

    # ------------------------------------------------------------ expressions

    def usage(self, node: core.Expr) -> Usage:
        """Return the keys that a run of an expression moves."""
        match node:
            case core.Local() | core.Project() | core.Select() | core.Index():
                return self._mention(node)
            case core.Sequence(statements=statements, result=result):
                return self.usages.path(chain(map(self._statement, statements), map(self.usage, (result,))))
            case core.If(condition=condition, then=then, orelse=orelse):
                return self._choice(condition, [((), then), ((), orelse)])
            case core.Match(subject=subject, arms=arms):
                return self._choice(subject, [((pattern,), body) for pattern, body in arms])
            case core.Apply():
                return self._fold_in(node) if self._folds_in(node) else self._call(node)
            case core.TransformCall(kind=kind) if TRANSFORMATIONS[kind].runs_once:
                return self._call(node)
            case core.TransformCall(function=function) | core.Transform(function=function):
                return self.usages.path([self._path(other_children(node, function)), self._mapped(function)])
            case core.Lambda(instances=instances):
                return self.usages.path(self._passed(node, instance) for instance in instances)
            case core.Update(base=base, updates=updates):
                return self._update(base, updates)
            case core.Comprehension(clauses=clauses, body=body):
                return self._loop((), clauses, (), body)
            case core.Loop(init=init, unroll=unroll, clause=clause, carry=carry, body=body):
                return self._loop([e for e in (init, unroll) if e is not None], (clause,), (carry,), body)
            case core.Iterate():
                return self._iterate(node)
            case core.Unroll():
                return self._unroll(node)
            case core.HandleUser(clauses=clauses):
                bodies = [clause.body for clause in clauses]
                answers = (self._many_times(Repeated.CLAUSE, c.params, (c.body,)) for c in clauses)
                return self.usages.path(chain(map(self.usage, other_children(node, *bodies)), answers))
            case _:
                return self._path(children(node))

    def _path(self, nodes: Iterable[core.Expr]) -> Usage:
        return self.usages.path(map(self.usage, nodes))

    def _statement(self, statement: core.Statement) -> Usage:
        match statement:
            case core.Bound(pattern, value):
                return self._bound(pattern, value)
            case core.Perform(value):
                return self.usage(value)
            case _:
                assert_never(statement)

    def _choice(self, asked: core.Expr, arms: Sequence[tuple[Sequence[core.Pattern], core.Expr]]) -> Usage:
        first = self.usage(asked)
        return self.usages.path([first, self.usages.branches(self._scope(names, (arm,)) for names, arm in arms)])

    def _scope(self, patterns: Iterable[core.Pattern], nodes: Iterable[core.Expr]) -> Usage:
        """The usage of the locals around a body."""
        before = len(self.bound)
        self._bind_all(patterns)
        usage = self._path(nodes)
        inner = set(self.bound[before:])
        return tuple([use for use in usage if use.place.root not in inner])

    def _update(self, base: core.Expr, updates: tuple[tuple[tuple[str, ...], core.Expr], ...]) -> Usage:
        """`{s with k = e}` takes over all of `s` but the key it replaces."""
        place = place_of(base, self.statics)
        if place is None:
            return self._path([base, *[value for _, value in updates]])
        kept = kept_places(place, base.type, [path for path, _ in updates])
        uses = (self.usages.once(Use(part, type_, base)) for part, type_ in kept)
        return self.usages.path([self._path(selectors(base)), *uses, self._path(value for _, value in updates)])

    def _mention(self, node: core.Expr) -> Usage:
        place = place_of(node, self.statics)
        if place is None:
            return self._path(children(node))
        selected = self._path(selectors(node))
        with self.usages.many_times(self.passed):
            passed = [
                self._captured(node, usage)
                for other, ways in self.functions.items()
                if other.root == place.root and other.shares_fields(place)
                for usage in chain(*ways)
            ]
        own = [self.usages.once(Use(place, node.type, node))] if holds_key(node.type) else []
        return self.usages.path([selected, *passed, *own])

    # ------------------------------------------------------------ binding

    def bind(self, pattern: core.Pattern, value: core.Expr | None = None) -> None:
        """Bind the names of a pattern in the innermost region. `value` is looked at for static ints alone."""
        match pattern:
            case core.Bind(id, _):
                self.usages.bind(id)
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
            case _:
                assert_never(pattern)

    def _bind_all(self, patterns: Iterable[core.Pattern]) -> None:
        for pattern in patterns:
            self.bind(pattern)

    def _bound(self, pattern: core.Pattern, value: core.Expr) -> Usage:
        """`let pattern = value`."""
        if isinstance(pattern, core.Bind) and self._is_known(value):
            usage = self._named(Place(pattern.id, pattern.name), value)
        else:
            usage = self.usage(value)
        self.bind(pattern, value)
        return usage

    def _named(self, place: Place, value: core.Expr) -> Usage:
        """The usage of a function that gets a name, or of several: they are looked at where they are called."""
        if isinstance(value, core.Tuple):
            parts = enumerate(value.items)
            return self.usages.path(self._named(place.part(str(number)), item) for number, item in parts)
        if not self._is_known(value):
            return self.usage(value)
        usage = self._path(choices_of(value))
        self.functions[place] = tuple(self._ways(value, value))
        return usage

    # ------------------------------------------------------------ functions

    def _is_known(self, function: core.Expr) -> bool:
        """Return whether a call of a function certainly runs, once, a lambda that is known here."""
        match function:
            case core.Lambda():
                return True
            case core.Specialise(function=inner):
                return self._is_known(inner)
            case core.Transform(kind=kind, function=inner) if TRANSFORMATIONS[kind].runs_once:
                return self._is_known(inner)
            case core.If() | core.Match():
                return all(map(self._is_known, chosen_functions(function)))
            case _:
                return place_of(function, self.statics) in self.functions

    def _ways(self, function: core.Expr, at: core.Expr, instance: int | None = None) -> Iterator[tuple[Usage, ...]]:
        """Yield the usages of outer locals by each function that one, which is known and runs at an expression, may be:
        by each of its instances, or by one."""
        match function:
            case core.Lambda(instances=instances):
                yield tuple([self._scope(e.params, (e.body,)) for e in _selected(instances, instance)])
            case core.Specialise(function=inner, instance=number):
                yield from self._ways(inner, at, number)
            case core.Transform(function=inner):
                yield from self._ways(inner, at, instance)
            case core.If() | core.Match():
                yield from chain(*[self._ways(way, at, instance) for way in chosen_functions(function)])
            case _:
                place = place_of(function, self.statics)
                for usages in () if place is None else self.functions[place]:
                    yield tuple([self._captured(at, usage) for usage in _selected(usages, instance)])

    def _captured(self, at: core.Expr, usage: Usage) -> Usage:
        """The usage of a function that has a name where an expression runs it."""
        return tuple(chain(*[self.usages.once(replace(u, node=at, by=u.by or u.span)) for u in usage]))

    def _call(self, node: core.Apply | core.TransformCall) -> Usage:
        """The arguments, and then the functions of which is known that they run here, once."""
        once = list(self._run_once(node))
        before, runs = [self._path(other_children(node, *once))], list[Iterator[tuple[Usage, ...]]]()
        for function in once:
            number = node.instance if function is node.function else None
            if isinstance(function, core.Sequence):
                before += map(self._given, function.statements)
                function = function.result
            ways = function.items if isinstance(function, core.Tuple) else (function,)
            if ways and all(map(self._is_known, ways)):
                before += map(self._path, map(choices_of, ways))
                runs.append(chain(*[self._ways(way, node, number) for way in ways]))
            else:
                before.append(self.usage(function))
        done = (self.usages.branches(map(self.usages.path, run)) for run in runs)
        return self.usages.path(chain(before, done))

    def _given(self, statement: core.Statement) -> Usage:
        """A statement before the functions that a call is given: where their types are found, it names all of them."""
        match statement:
            case core.Bound(core.Bind(id, name) as pattern, core.Tuple() as functions):
                self.bind(pattern)
                return self._named(Place(id, name), functions)
            case _:
                return self._statement(statement)

    def _run_once(self, node: core.Apply | core.TransformCall) -> Iterator[core.Expr]:
        """Yield the parts of a call that it runs once at most: the callee, the functions that a definition calls once,
        and the tuple of functions of which one of the library calls one."""
        info = self._definition(node.function)
        if info is None:
            yield node.function
            return
        params = () if info.signature is None else info.signature.params
        named = info.attributes.get(Attribute.ONE_OF, ())
        given = [(place, arg) for place, arg in enumerate(node.args) if arg is not None]
        if named:
            yield from (arg for place, arg in given if place < len(params) and params[place].name in named)
            return
        found = [(place, arg) for place, arg in given if self._is_known(arg)]
        once = called_once(self.program, info.module, info.name, self.around) if found else frozenset[int]()
        yield from (arg for place, arg in found if place in once)

    def _definition(self, function: core.Expr) -> Definition | None:
        if not isinstance(function, core.Global):
            return None
        return self.program.modules[function.module].definitions.get(function.name)

    def _passed(self, node: core.Lambda, instance: core.LambdaBody) -> Usage:
        """A lambda as a value: it may run any number of times. One that the checker has put around a function
        value to give it a type only stands for that value."""
        call = wrapped_call(node, instance)
        if call is None:
            return self._many_times(self.passed, instance.params, (instance.body,))
        function = self.usage(call.function)
        args = [arg for arg in call.args if arg is not None]
        return self.usages.path([function, self._many_times(self.passed, instance.params, args)])

    def _mapped(self, function: core.Expr) -> Usage:
        """The usage of the function of a transformation that runs it for each element."""
        before, self.passed = self.passed, Repeated.TURNS
        usage = self.usage(function)
        self.passed = before
        return usage

    def _folds_in(self, node: core.Apply) -> bool:
        """Return whether it calls a function of a key and data that gives another key for other data."""
        info = self._definition(node.function)
        return info is not None and Attribute.NEW_KEY in info.attributes and None not in node.args

    def _fold_in(self, node: core.Apply) -> Usage:
        """`fold_in(k, i)`: another key for every turn of the loop that `i` counts."""
        data: list[core.Expr] = []
        base: core.Expr = node
        while isinstance(base, core.Apply) and self._folds_in(base):
            base, number = (arg for arg in base.args if arg is not None)
            data.append(number)
        place = place_of(base, self.statics)
        if place is None:
            return self._path([*data, base])
        found = [number for number in (static_size(each, self.statics) for each in data) if number is not None]
        apart = [n for n in found if in_steps_of_one(n) or self.usages.tells_turns_apart(place, n)]
        before = self._path([*data, *selectors(base)])
        return self.usages.path(
            [before, self.usages.once(Use(place, base.type, base, None, tuple(apart), tuple(found)))]
        )

    # ------------------------------------------------------------ bodies that run many times

    def _many_times(self, kind: Repeated, patterns: Iterable[core.Pattern], body: Iterable[core.Expr]) -> Usage:
        with self.usages.many_times(kind):
            return self._scope(patterns, body)

    def _loop(
        self,
        before: Sequence[core.Expr],
        clauses: Sequence[core.Clause],
        carry: Sequence[core.Pattern],
        body: core.Expr,
    ) -> Usage:
        usages = [self._path(before), *map(self._enter, clauses)]
        usages.append(self._scope(carry, (body,)))
        self.usages.close(len(clauses))
        return self.usages.path(usages)

    def _enter(self, clause: core.Clause) -> Usage:
        """Open the region of a loop. What it runs over is evaluated before."""
        usage = self._path(children(clause.source))
        self.usages.open()
        self.bind(clause.pattern)
        for counted, source in counters(clause.pattern, clause.source):
            ends = (source.start, source.stop) if isinstance(source, core.Counting) else ()
            low, high = [static_size(end, self.statics) for end in ends] or (Size.of(0), None)
            self.statics[counted.id] = self.usages.count(counted.id, counted.name, low, high)
        return usage

    def _iterate(self, node: core.Iterate) -> Usage:
        """Condition and body see one carry, and the carry of the last condition is the result."""
        before = self._path([e for e in (node.init, node.limit) if e is not None])
        with self.usages.many_times(Repeated.TURNS):
            outer = len(self.bound)
            self.bind(node.carry)
            carried = set(self.bound[outer:])
            tested = self.usage(node.condition)
            usage = self.usages.path([before, tested, self.usage(node.body)])
        for use in tested:
            if use.place.root in carried - self.usages.overused:
                self.usages.report_condition(use)
        return usage

    def _unroll(self, node: core.Unroll) -> Usage:
        """The steps follow one another; a key of outside is gone after the first that moves it."""
        before = self._path([*([] if node.init is None else [node.init]), *children(node.source)])
        return self.usages.path(chain((before,), (self._step(node, number) for number in range(len(node.steps)))))

    def _step(self, node: core.Unroll, number: int) -> Usage:
        pattern, body = node.steps[number]
        self._bind_all(node.carry[number : number + 1])
        self._bind_step(pattern, node.source, len(node.steps) - 1 - number if node.reverse else number)
        return self.usage(body)

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


# ---------------------------------------------------------------- shapes of expressions


def _selected(items: Sequence[_Each], number: int | None) -> Sequence[_Each]:
    """The one of this number; all if there is none, or it is not known."""
    return (() if number is None else items[number : number + 1]) or items


def selectors(node: core.Expr) -> Iterator[core.Expr]:
    """Yield the parts of an expression that select an element: indices, and fill values."""
    while not isinstance(node, core.Local):
        match node:
            case core.Index(base=base):
                yield from (child for child in children(node) if child is not base)
                node = base
            case core.Project(base=base) | core.Select(base=base) | core.Coerce(value=base):
                node = base
            case _:
                return


def wrapped_call(node: core.Lambda, instance: core.LambdaBody) -> core.Apply | None:
    """The call inside a lambda that was made from a function value: it lies where the lambda does."""
    body = strip_coercions(instance.body)
    return body if isinstance(body, core.Apply) and body.span == node.span else None


def counters(pattern: core.Pattern, source: core.Iterable) -> Iterator[tuple[core.Bind, core.Iterable]]:
    """The locals of a loop's pattern that are another integer in every turn, and what counts them."""
    match source, pattern:
        case core.Counting(), core.Bind():
            yield pattern, source
        case core.Enumerated(of), core.Split((core.Bind() as first, rest)):
            yield first, source
            yield from counters(rest, of)
        case core.Enumerated(of), core.Split((_, rest)):
            yield from counters(rest, of)
        case core.Zipped(sources), core.Split(patterns):
            for inner, part in zip(patterns, sources, strict=True):
                yield from counters(inner, part)


def chosen_functions(node: core.If | core.Match) -> Sequence[core.Expr]:
    """The values of which a choice is one."""
    return (node.then, node.orelse) if isinstance(node, core.If) else [body for _, body in node.arms]


def choices_of(node: core.Expr) -> Iterator[core.Expr]:
    """Yield the expressions that are computed to choose one of several functions."""
    match node:
        case core.If(condition=condition):
            yield condition
        case core.Match(subject=subject):
            yield subject
        case core.Specialise(function=function) | core.Transform(function=function):
            yield from choices_of(function)
            return
        case _:
            return
    for arm in chosen_functions(node):
        yield from choices_of(arm)
