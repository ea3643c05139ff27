"""Judgements: the transformations of checked definitions that are refused, each shown by an instance of its definition.

Read next: `instances`, `rehearsal`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import add, floordiv, mod
from operator import mul as multiply
from operator import sub as subtract
from types import MappingProxyType

from msgspec import Struct

from dsl.core import core
from dsl.core.walk import subexpressions
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.records import replace
from dsl.types.counterexample import Examples
from dsl.types.dtype import DType
from dsl.types.facts import And, Eq, Le, Lt, Ne, Or, Prop, negation
from dsl.types.limits import Exceeded
from dsl.types.search import definedness, variables
from dsl.types.size import Size, SizeVar
from dsl.witnesses.instances import Instance, Instances, Literals
from dsl.witnesses.rehearsal import Branch, Rehearsal, Ways, log_fault, rehearsal

RANKS = 4
"""An instance that the options of Python do not fit is followed by so many others at most."""
SMALL = 8
"""Sizes below this one are tried, too."""
BUDGET = 40
"""So many instances of a definition are tried."""


def judge(program: core.Program, functions: Sequence[core.Function]) -> Iterator[Diagnostic]:
    """The transformations that are refused for an instance of these definitions. A fault of staging, or here, ends the
    judgement of one definition."""
    session, told = rehearsal(program), set[object]()
    for function in functions:
        tried: list[_Tried] = []
        try:
            tried.extend(_instances_tried(session, function))  # a fault leaves those before it
        except MemoryError:
            raise
        except Exception as fault:
            log_fault(function, fault)
        for found in _refusals(tried):
            if _place(found) not in told:
                told.add(_place(found))
                yield found


class _Tried(Struct, frozen=True):
    """An instance with what is refused for it, and whether it shows what is not."""

    instance: Instance
    found: tuple[Diagnostic, ...]
    ended: bool


def _refusals(tried: Sequence[_Tried]) -> Iterator[Diagnostic]:
    """The refusals; one that some instance does not meet is told with the first that does."""
    for each in tried:
        for found in each.found:
            place, shown = _place(found), ", ".join([f"{name} = {value}" for name, value in each.instance.shown])
            passed = any(one.ended and place not in map(_place, one.found) for one in tried)
            yield replace(found, notes=(*found.notes, f"that is so where {shown}")) if passed and shown else found


def _place(found: Diagnostic) -> Hashable:
    return found.code, found.primary.span, *(label.span for label in found.secondary)


def _instances_tried(session: Rehearsal, function: core.Function) -> Iterator[_Tried]:
    session.ways.clear()
    instances = Instances(session.program, function, Literals())
    first = None
    for first in instances.first(RANKS):
        tried = _try(session, function, first)
        if tried.found or not session.unfit:
            yield tried
        if not session.unfit:
            break
    if first is not None and _missed(session):
        yield from _on_other_ways(session, function, first)


def _try(session: Rehearsal, function: core.Function, instance: Instance) -> _Tried:
    found = session.rehearse(function, instance)
    return _Tried(instance, tuple(found), session.ended)


def _on_other_ways(session: Rehearsal, function: core.Function, first: Instance) -> Iterator[_Tried]:
    """Other instances, as long as there are static branches that none has reached. Each branch that is met on the way
    asks for instances of its own."""
    tried, met, base = {first.key}, -1, first
    while met < len(session.ways) and _missed(session) and len(tried) <= BUDGET:
        met = len(session.ways)
        for instance in _candidates(session, function, base):
            if instance.key in tried:
                continue
            tried.add(instance.key)
            yield _try(session, function, instance)
            if len(session.ways) > met:
                base = instance
            if len(session.ways) > met or len(tried) > BUDGET or not _missed(session):
                break


def _missed(session: Rehearsal) -> list[Ways]:
    """The static branches of which some ways have not been taken by any instance."""
    return [each for each in session.ways.values() if each.missed]


def _candidates(session: Rehearsal, function: core.Function, base: Instance) -> Iterator[Instance]:
    """Instances for branches that were missed: those of conditions on the definition's own sizes, then those of all
    values that conditions mention, or that may satisfy the condition of a branch in another definition."""
    asked = [(ways, _condition(session.program, ways.node, way)) for ways in _missed(session) for way in ways.missed]
    conditions = [(ways, case) for ways, condition in asked if condition is not None for case in _cases(condition)]
    here = [value for _, value in base.variables if isinstance(value, int)]
    values = [value for ways, condition in conditions for value in _values(condition, ways.sizes, here)]
    instances = Instances(session.program, function, _literals(session.program, values))
    for _, condition in conditions:
        yield from instances.where(condition)
    yield from instances.near(base)
    yield from instances.others()


def _cases(condition: Prop) -> tuple[Prop, ...]:
    """The conditions each of which makes one hold."""
    return condition.props if isinstance(condition, Or) else (condition,)


def _values(condition: Prop, there: Mapping[SizeVar, int], here: Sequence[int]) -> Iterator[int]:
    """Sizes that may make a condition hold in a definition that is called: those it asks for, and others, if what it
    found `there` is by so much more than a size `here`, or so many times it."""
    asked = (condition, *definedness((condition,)))
    with suppress(Exceeded):
        for var, wanted in (Examples(variables(asked), asked).any() or {}).items():
            yield wanted
            for size in here:
                found = there.get(var, 0)
                yield max(wanted - found + size, 0)
                yield wanted * size // found if found else wanted


def _condition(program: core.Program, node: Branch, way: int) -> Prop | None:
    """The condition on sizes under which a branch goes a way."""
    if isinstance(node, core.Match):
        return None
    found = _Sizes(program, node).proposition(node.condition)
    return found if way == 0 or found is None else negation(found)


_RELATIONS: Mapping[str, Callable[[Size, Size], Prop]] = MappingProxyType(
    {
        "==": Eq,
        "!=": Ne,
        "<=": Le,
        "<": Lt,
        ">=": lambda left, right: Le(right, left),
        ">": lambda left, right: Lt(right, left),
    }
)
_ARITHMETIC: Mapping[str, Callable[[Size, Size], Size]] = MappingProxyType(
    {"+": add, "-": subtract, "*": multiply, "//": floordiv, "%": mod}
)


class _Sizes:
    """Static numbers of the definition around a branch as sizes: its parameters, and names for what is made of them."""

    def __init__(self, program: core.Program, branch: core.If) -> None:
        self._known: dict[int, Size] = {}
        for function in _around(program, branch):
            sizes = [(p.id, p.size) for p in function.signature.params if p.size is not None]
            self._known |= {id: Size.of(size) for id, size in sizes}
            for node in reversed([*subexpressions(function.body)]):
                for statement in node.statements if isinstance(node, core.Sequence) else ():
                    self._bind(statement)

    def _bind(self, statement: core.Statement) -> None:
        if isinstance(statement, core.Bound) and isinstance(statement.pattern, core.Bind):
            found = self._size(statement.value)
            if found is not None:
                self._known[statement.pattern.id] = found

    def proposition(self, node: core.Expr) -> Prop | None:
        """A static condition on sizes as a proposition."""
        match node:
            case core.Binary(op=op, left=left, right=right):
                one, other, relation = self._size(left), self._size(right), _RELATIONS.get(op)
                return None if one is None or other is None or relation is None else relation(one, other)
            case core.Logical(op=op, left=left, right=right):
                first, second = self.proposition(left), self.proposition(right)
                if first is None or second is None:
                    return first if op == "and" and second is None else second if op == "and" else None
                return And((first, second)) if op == "and" else Or((first, second))
            case core.Unary(op="not", operand=operand):
                inner = self.proposition(operand)
                return None if inner is None else negation(inner)
            case _:
                return None

    def _size(self, node: core.Expr) -> Size | None:
        match node:
            case core.SizeOf(size=size):
                return size
            case core.Const(value=int() as value) if not isinstance(value, bool):
                return Size.of(value)
            case core.Local(id=id):
                return self._known.get(id)
            case core.Coerce(value=value):
                return self._size(value)
            case core.Binary(op=op, left=left, right=right):
                one, other, compute = self._size(left), self._size(right), _ARITHMETIC.get(op)
                return None if one is None or other is None or compute is None else compute(one, other)
            case _:
                return None


def _around(program: core.Program, branch: core.If) -> list[core.Function]:
    """The definition that a branch stands in."""
    functions = (f for m in program.modules.values() if m.source is branch.span.source for f in m.functions.values())
    return [f for f in functions if any(node is branch for node in subexpressions(f.body))][:1]


def _literals(program: core.Program, values: Iterable[int]) -> Literals:
    """The numbers and texts that the static conditions of a program mention, with the neighbours of integers."""
    integers, floats, texts = dict.fromkeys(values), dict[float, None](), dict[str, None]()
    for module in program.modules.values():
        for function in () if module.source.in_library else module.functions.values():
            for value in _mentioned(function.body):
                match value:
                    case bool() | None:
                        pass
                    case int():
                        integers |= dict.fromkeys([value, value - 1, value + 1])
                    case float():
                        floats |= dict.fromkeys([value, value - 1.0, value + 1.0])
                    case str():
                        texts[value] = None
    return Literals(tuple(dict.fromkeys([*[*integers][:24], *range(SMALL)])), tuple(floats)[:8], tuple(texts)[:8])


def _mentioned(body: core.Expr) -> Iterator[core.Literal]:
    for node in subexpressions(body):
        if isinstance(node, core.If):
            for part in subexpressions(node.condition):
                if isinstance(part, core.Const) and not isinstance(part.value, DType):
                    yield part.value
                elif isinstance(part, core.SizeOf):
                    yield from [abs(coefficient) for _, coefficient in part.size.terms]
        elif isinstance(node, core.Match):
            yield from [value for pattern, _ in node.arms for value in _literals_in(pattern)]


def _literals_in(pattern: core.Pattern) -> Iterator[core.Literal]:
    match pattern:
        case core.IsLiteral(value):
            yield value
        case core.Split(parts=parts) | core.IsVariant(parts=parts):
            for part in parts:
                yield from _literals_in(part)
        case _:
            return
