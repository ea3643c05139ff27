"""`match` on static values, and what branches have in common. A `T?` that is known not to be `none` is a `T`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeAlias, assert_never

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import pattern_names
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.conditional import truth
from dsl.types.facts import Prop
from dsl.types.limits import Exceeded
from dsl.types.shape import PRESENT, Computed, StaticName, StaticVariant
from dsl.types.size import Size
from dsl.types.static_conditions import compare, flag
from dsl.types.static_parts import UNKNOWN
from dsl.types.type import Type
from dsl.types.walk import leaves
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import apply_numbers, chosen, static_argument, value_inside
from typechecker.env.value_facts import choice, of_type
from typechecker.env.values import (
    NOTHING,
    Alternatives,
    Choice,
    Condition,
    Fields,
    Known,
    Nothing,
    Parts,
    Term,
    VariantValue,
    error_term,
    made_at_calls,
    require_types,
)
from typechecker.errors.words import suggestion
from typechecker.expressions.atoms import make_tuple
from typechecker.expressions.comparisons import same
from typechecker.expressions.exhaustiveness import Arms, Form, matches_all, missing, reaches
from typechecker.expressions.patterns import distinct_names
from typechecker.expressions.static_lists import is_list, items
from typechecker.relations.coercion import Why, coerce, join, value_span
from typechecker.relations.numeric_literals import run_time_type
from typechecker.types.predicates import is_scalar, is_traced, present_type


def match(outer: Context, node: ast.Match, expected: Type | None) -> Term:
    """`match e with …`: arms in order, together exhaustive; each knows that those before it do not match. That a value
    which is known here takes an arm (`told`) says nothing of the others: it may be that of one call of several."""
    ctx = outer
    subject = matched(ctx, node.subject)
    kind = ctx.resolve(subject.type)
    if is_traced(kind):
        ctx.refuse(errors.stages.match_not_static(ctx, subject, node.subject.span))
    arms: list[_Arm] = []
    before = Arms()
    covered = told = unclear = False
    rest = subject
    for arm in node.arms:
        inner = ctx.inner()
        with ctx.attempt() as attempt:
            distinct_names(
                ctx, [n for n in pattern_names(arm.pattern) if ctx.program.variant_named(ctx, (n.name,)) is None]
            )
            names: Names = {}
            pattern = _pattern(inner, arm.pattern, rest.type, names)
            fact = meet(inner, pattern, rest, names)
        unclear = unclear or attempt.failed
        if covered or not (unclear or reaches(outer, kind, before, pattern)):
            ctx.report(errors.loops.unreachable_arm(arm.span))
        before.add(pattern)
        reachable = fact != fa.Known(False)
        branch = inner if fact is None or fact == fa.Known(True) else inner.assuming(fact)
        term = branch.infer(arm.body, expected)
        arms.append(_Arm(branch, pattern, fact, term, reachable or len(node.arms) == 1))
        if fact is not None and not isinstance(fact, fa.Known):
            ctx = ctx.assuming(fa.negation(fact))
        covered = covered or (matches_all(pattern) and not attempt.failed)
        told = told or fact == fa.Known(True)
        if isinstance(arm.pattern, ast.LiteralPattern) and arm.pattern.value is None:
            rest = present(rest)
    patterns, says = [arm.pattern for arm in arms], partial(_said_by_form, ctx, node.subject.span)
    left_out = [] if covered or told or unclear else missing(ctx, kind, subject.known, patterns, says)
    if left_out:
        outer.refuse(errors.loops.not_exhaustive(left_out, node.span))
    wanted = wanted_of_all(outer, [arm.term for arm in arms], expected)
    fitted = [(arm, arm.term if wanted is None else arm.fitted(wanted)) for arm in arms]
    reached = [(arm.pattern, arm.fact, term) for arm, term in fitted if arm.reachable]
    return _joined(outer, node, subject, reached, wanted)


class _Arm(Struct, frozen=True):
    """An arm, checked in its context: its pattern, the fact under which it is taken, and its value."""

    ctx: Context
    pattern: core.Pattern
    fact: Prop | None
    term: Term
    reachable: bool

    def fitted(self, wanted: Type) -> Term:
        return self.term if self.term.is_error else coerce(self.ctx, self.term, wanted, Why("branch"))


def wanted_of_all(ctx: Context, branches: Sequence[Term], expected: Type | None) -> Type | None:
    """Return the type that all branches must have; None if they agree among themselves, as scalars do that an array
    with axes takes for all its elements."""
    if isinstance(expected, ty.ArrayType) and expected.shape.dims:
        return None if all(is_scalar(ctx.resolve(branch.type)) for branch in branches) else expected
    return None if expected == ty.ERROR else expected


def matched(ctx: Context, node: ast.Expr | core.Expr) -> Term:
    """Return the matched term: an optional value that is known to be present may still be compared with `none`."""
    if isinstance(node, ast.TupleLit | core.Tuple):
        return make_tuple([matched(ctx, item) for item in node.items], node.span)
    term = ctx.program.rules.as_declared(ctx, node, None)
    require_types(term)
    return term


def _said_by_form(
    ctx: Context, span: Span, kind: Type, known: Known | None, form: Form
) -> tuple[Prop | None, Sequence[Known | None]]:
    """Return the condition that a value has a form, and the facts about its parts under it."""
    match present_type(kind), form.key, known:
        case ty.EnumType(), str() as name, _:
            fields = [*zip(form.fields, form.kinds, strict=True)]
            return _of_variant(ctx, name, known), _payload(ctx, known, name, fields, span)
        case ty.TupleType(), _, Parts(items) if len(items) == len(form.kinds):
            return None, items
        case _, (None | bool() | int() | float() | complex() | str()) as value, _:
            return _is_literal(ctx, value, known), (None,) * len(form.kinds)
        case _:
            return None, (None,) * len(form.kinds)


def _joined(
    ctx: Context,
    node: ast.Match,
    subject: Term,
    arms: Sequence[tuple[core.Pattern, Prop | None, Term]],
    expected: Type | None,
) -> Term:
    terms = [t for _, _, t in arms]
    if not terms:
        raise Reported
    require_types(*terms)
    kind = expected
    if kind is None:
        functions = all(isinstance(ctx.resolve(t.type), ty.FunctionType) for t in terms)
        kind = terms[0].type if functions else join(ctx, terms, Why("branch"))
        if not functions:
            terms = [coerce(ctx, t, kind, Why("branch")) if t.type != kind else t for t in terms]
    cores = tuple((p, t.core) for (p, _, _), t in zip(arms, terms, strict=True))
    joined = core.Match(node.span, kind, subject.core, cores)
    return Term(joined, kind, first_that_holds(ctx, joined, [f for _, f, _ in arms], terms))


def first_that_holds(
    ctx: Context, node: core.Match, facts: Sequence[Prop | None], terms: Sequence[Term]
) -> Known | None:
    """Return the facts about the selected arm: the first whose condition holds."""
    *others, last = terms
    rest = last
    for fact, term in zip(reversed(facts[:-1]), reversed(others), strict=True):
        known = term.known if term.known == rest.known else merge(ctx, fact, term, rest)
        rest = Term(node, node.type, known)
    return rest.known


Names: TypeAlias = dict[int, Span]
"""The places of the names that a pattern binds, by the numbers of their locals."""


def _pattern(ctx: Context, pattern: ast.Pattern, kind: Type, names: Names) -> core.Pattern:
    """The Core pattern of a value of this type; `names` takes those that it binds."""
    match pattern:
        case ast.WildcardPattern():
            return core.Ignore()
        case ast.NamePattern(name, span):
            variant = ctx.program.variant_named(ctx, (name,))
            if variant is not None:
                return _variant(ctx, variant, (), kind, span, names)
            if _looks_like_variant(name, _variants_of(ctx, kind)):
                ctx.report(errors.names.bound_variant(name, _variants_of(ctx, kind), _home_of(ctx, kind), span))
            id = ctx.fresh_id()
            names[id] = span
            return core.Bind(id, name)
        case ast.VariantPattern(path, parts, span):
            variant = ctx.program.variant_named(ctx, tuple(i.name for i in path))
            if variant is None:
                if not ctx.program.is_broken(ctx, path[0].name):
                    written, others = ".".join(i.name for i in path), _variants_of(ctx, kind)
                    ctx.report(errors.names.unknown_variant(written, others, _home_of(ctx, kind), span))
                return _misread(ctx, pattern)
            return _variant(ctx, variant, parts, kind, span, names)
        case ast.LiteralPattern(value, span):
            if not _literal_fits(value, kind):
                ctx.report(errors.loops.match_pattern(span, ctx, kind=kind))
            return core.IsLiteral(value)
        case ast.TuplePattern(parts, span):
            if not isinstance(kind, ty.TupleType) or len(kind.parts) != len(parts):
                if kind != ty.ERROR:
                    ctx.report(errors.loops.match_pattern(span, ctx, kind=kind))
                return _misread(ctx, pattern)
            pairs = zip(parts, kind.parts, strict=True)
            return core.Split(tuple([_pattern(ctx, part, each, names) for part, each in pairs]), False)
        case _:
            assert_never(pattern)


def _misread(ctx: Context, pattern: ast.Pattern) -> core.Pattern:
    """Stands for a pattern that no value of its type has, which was reported; nothing is said of its names."""
    for each in pattern_names(pattern):
        ctx.scope.bind(each.name, error_term(each.span), each.span, "let")
    return core.Ignore()


def _looks_like_variant(name: str, variants: Sequence[str]) -> bool:
    """Return whether a name that would match every value is more likely a variant, misspelled."""
    capital = bool(variants) and all(variant[:1].isupper() for variant in (name, *variants))
    return capital or (len(name) > 2 and suggestion(name, variants) is not None)


def _home_of(ctx: Context, kind: Type) -> str:
    """Return the qualifier of another module's variants, such as `modes.`, if it is imported."""
    base = present_type(kind)
    imports = ctx.program.module_at(ctx).imports
    return next((f"{name}." for name, module in imports.items() if module == getattr(base, "module", None)), "")


def _variants_of(ctx: Context, kind: Type) -> list[str]:
    base = present_type(kind)
    if not isinstance(base, ty.EnumType):
        return []
    return [v.name for v in ctx.program.enum_info(base.module, base.name).variants]


def _variant(
    ctx: Context,
    found: tuple[core.Enum, str],
    parts: Sequence[ast.Pattern],
    kind: Type,
    span: Span,
    names: Names,
) -> core.Pattern:
    enum, name = found
    base = present_type(kind)
    fields = next(v.fields for v in enum.variants if v.name == name)
    if base not in (enum.type, ty.ERROR):
        ctx.report(errors.loops.match_pattern(span, ctx, kind=kind))
    elif len(fields) != len(parts):
        given = [part.span.text for part in parts]
        ctx.report(errors.loops.variant_arity(name, [field for field, _ in fields], given, span))
    if len(fields) != len(parts):
        _misread(ctx, ast.TuplePattern(tuple(parts), span))
        return core.IsVariant(enum.type, name, (core.Ignore(),) * len(fields))
    pairs = zip(parts, fields, strict=True)
    return core.IsVariant(enum.type, name, tuple([_pattern(ctx, part, each, names) for part, (_, each) in pairs]))


def _all_hold(facts: Sequence[Prop | None]) -> Prop | None:
    """All of these facts; None where one of them is not known."""
    known = [fact for fact in facts if fact is not None]
    return fa.conjunction(known) if len(known) == len(facts) else None


def _of_variant(ctx: Context, variant: str, known: Known | None) -> Prop | None:
    return None if known is None else compare("==", static_argument(known, ctx.fresh_id), StaticVariant(variant))


def _payload(
    ctx: Context, known: Known | None, variant: str, fields: Sequence[tuple[str, Type]], span: Span
) -> Sequence[Known | None]:
    """Return the facts about the fields of a matched variant."""
    match known:
        case VariantValue(name=name, args=args) if name == variant:
            return args
        case Choice(condition, then, orelse):
            possible = [v for v in (then, orelse) if _of_variant(ctx, variant, v) != fa.Known(False)]
            inside = [_payload(ctx, value, variant, fields, span) for value in possible or (None,)]
            whole, kinds = Term(core.Const(span, ty.ERROR, None), ty.ERROR), [kind for _, kind in fields]
            pieces = zip(*[_pieces(whole, kinds, knowns) for knowns in (inside[0], inside[-1])], strict=True)
            return tuple([_either(ctx, condition, a, b) for a, b in pieces])
    subject = known if isinstance(known, StaticName | Computed) else StaticName(ctx.fresh_id(), UNKNOWN)
    named = [(f"{variant}.{name}", kind) for name, kind in fields]
    return tuple([value_inside(subject, shown, variant, (i,), kind) for i, (shown, kind) in enumerate(named)])


def meet(ctx: Context, pattern: core.Pattern, value: Term, names: Names | None = None) -> Prop | None:
    """Bind the names of a pattern of Core to the parts of a value, as they are written if their places are given; what
    a match says of it, None where that is not known."""
    match pattern:
        case core.Bind(id, name):
            known = of_type(ctx, value.type, name) if value.known is None else value.known
            span = value.span if names is None else names[id]
            local = Term(core.Local(span, value.type, id, name), value.type, known)
            ctx.scope.bind(local_name(id) if names is None else name, local, None if names is None else span, "let")
            return fa.Known(True)
        case core.Ignore():
            return fa.Known(True)
        case core.IsLiteral(literal):
            return _is_literal(ctx, literal, value.known)
        case core.IsVariant(enum, name, parts):
            fields = next(v.fields for v in ctx.program.enum_info(enum.module, enum.name).variants if v.name == name)
            inside = _payload(ctx, value.known, name, fields, value.span)
            met = _meet_all(ctx, parts, _pieces(value, [kind for _, kind in fields], inside), names)
            return _all_hold([_of_variant(ctx, name, value.known), met])
        case core.Split(parts):
            return _meet_all(ctx, parts, _split(value, len(parts)), names)
        case _:
            assert_never(pattern)


def local_name(id: int) -> str:
    """The name in scope of a local of Core: no text has such a one."""
    return f"%{id}"


def _meet_all(ctx: Context, parts: Sequence[core.Pattern], values: Sequence[Term], names: Names | None) -> Prop | None:
    return _all_hold([meet(ctx, part, value, names) for part, value in zip(parts, values, strict=True)])


def _split(value: Term, count: int) -> Sequence[Term]:
    listed = items(value) if is_list(value.type) else None
    if listed is not None:
        return listed
    kinds = value.type.parts if isinstance(value.type, ty.TupleType) else (ty.LISTS.get(value.type, ty.ERROR),) * count
    return _pieces(value, kinds, value.known.items if isinstance(value.known, Parts) else (None,) * count)


def _is_literal(ctx: Context, value: int | float | complex | bool | str | None, known: Known | None) -> Prop | None:
    """Return the condition that a static value equals a literal."""
    if known is None:
        return None
    written = NOTHING if value is None else Size.of(value) if isinstance(value, int) else value
    return same(ctx, known, fa.Known(value) if isinstance(value, bool) else written)


def _literal_fits(value: object, kind: Type) -> bool:
    base = present_type(kind)
    match value:
        case None:
            return isinstance(kind, ty.OptionalType | ty.ErrorType) or kind in (ty.AXES, ty.NONE)
        case bool():
            return base in (ty.BOOLEAN, ty.ERROR)
        case int():
            return base in (ty.INT, ty.SIZE, ty.FLOAT, ty.AXES, ty.ERROR)
        case float():
            return base in (ty.FLOAT, ty.ERROR)
        case str():
            return base in (ty.STRING, ty.ERROR)
        case _:
            return base in (ty.COMPLEX, ty.ERROR)


# ---------------------------------------------------------------- branches


def join_branches(
    ctx: Context, then: Term, orelse: Term, node: ast.If | core.If, traced: bool
) -> tuple[Type, Term, Term]:
    """The one type of both branches, and both coerced to it."""
    require_types(then, orelse)
    if isinstance(ctx.resolve(then.type), ty.FunctionType) and not traced:
        return then.type, then, orelse
    kind = join(ctx, [then, orelse], Why("branch"))
    if traced:
        kind = run_time_type(ctx, kind)
        static = _static_leaf(ctx, kind)
        if static is not None:
            ctx.refuse(errors.stages.static_leaf(ctx, static, node.span))
    first, second = value_span(then.core), value_span(orelse.core)
    with ctx.attempt() as attempt:
        then = coerce(ctx, then, kind, Why("branch", declared=second))
        orelse = coerce(ctx, orelse, kind, Why("branch", declared=first))
    if attempt.failed:
        raise Reported
    return kind, then, orelse


def _static_leaf(ctx: Context, kind: Type) -> Type | None:
    static = ty.StaticType | ty.EnumType | ty.FunctionType | ty.OptionalType
    return next((leaf for leaf in leaves(ctx.resolve(kind)) if isinstance(leaf, static)), None)


def merge(ctx: Context, prop: Prop | None, then: Term, orelse: Term) -> Known | None:
    """Return the facts about a static choice; None if sizes do not determine the condition, or if the result would be
    too large to compute with."""
    try:
        return _merged(ctx, prop, then, orelse)
    except Exceeded:
        return None


def _merged(ctx: Context, prop: Prop | None, then: Term, orelse: Term) -> Known | None:
    a, b = then.known, orelse.known
    match ctx.resolve(then.type), ctx.resolve(orelse.type):
        case ty.FunctionType(), ty.FunctionType():
            for branch in (then, orelse):
                if made_at_calls(branch):
                    ctx.refuse(errors.types.choice_of_rules(branch.span))
            return Alternatives(prop, then, orelse)
        case ty.TupleType(kinds), ty.TupleType(others) if isinstance(a, Parts) and isinstance(b, Parts):
            left, right = _pieces(then, kinds, a.items), _pieces(orelse, others, b.items)
            return Parts(tuple(_either(ctx, prop, x, y) for x, y in zip(left, right, strict=True)))
        case ty.RecordType() as record, ty.RecordType() as other if isinstance(a, Fields) and isinstance(b, Fields):
            names = [n for n, _ in record.fields]
            left = _pieces(then, [t for _, t in record.fields], [a.get(n) for n in names])
            right = _pieces(orelse, [other.field(n) or ty.ERROR for n in names], [b.get(n) for n in names])
            found = [_either(ctx, prop, x, y) for x, y in zip(left, right, strict=True)]
            return Fields(tuple(zip(names, found, strict=True)))
        case (ty.ArrayType() | ty.IndexType()) as kind, ty.ArrayType() | ty.IndexType():
            return choice(ctx, None if prop is None else Condition(prop), a, b, kind)
    if prop is None:
        return None
    known = chosen(prop, a, b)
    type_ = ctx.resolve(then.type)
    by_form = isinstance(type_, ty.EnumType | ty.OptionalType) or type_ in (ty.STRING, ty.DTYPE)
    if not isinstance(known, Choice) or by_form:
        return known
    return apply_numbers("if", (truth(prop), a, b)) if ty.FLOAT in (then.type, orelse.type) else None


def _pieces(whole: Term, kinds: Sequence[Type], knowns: Sequence[Known | None]) -> list[Term]:
    """Parts of a value, for what is known of them."""
    return [Term(whole.core, kind, known) for kind, known in zip(kinds, knowns, strict=True)]


def _either(ctx: Context, prop: Prop | None, then: Term, orelse: Term) -> Known | None:
    return then.known if then.known == orelse.known else merge(ctx, prop, then, orelse)


# ---------------------------------------------------------------- optional values


def narrowed(ctx: Context, term: Term) -> Term:
    """A value as what it is known to be here."""
    if not isinstance(term.type, ty.OptionalType) or term.known is None:
        return term
    return present(term) if ctx.holds(fa.negation(same(ctx, term.known, NOTHING))) else term


def present(subject: Term) -> Term:
    """The subject where it is not `none`."""
    if not isinstance(subject.type, ty.OptionalType):
        return subject
    base = subject.type.base
    return Term(replace(subject.core, type=base), base, _present(subject.known, base))


def _present(known: Known | None, base: ty.Type) -> Known | None:
    """Return the facts about an optional value that is present."""
    match known, base:
        case StaticName(), ty.BOOLEAN:
            return flag(known)
        case StaticName() | Computed(), ty.INT | ty.SIZE:
            return value_inside(known, PRESENT, PRESENT, (0,), base)
        case StaticName() | Computed(), ty.TupleType() | ty.RecordType() | ty.SHAPE | ty.INTS:
            return value_inside(known, PRESENT, PRESENT, (), base)
        case Choice(condition, then, orelse), _:
            inside = [_present(value, base) for value in (then, orelse) if not isinstance(value, Nothing)]
            return chosen(condition, inside[0], inside[-1]) if inside else None
        case StaticName(), ty.PAIRS | ty.FunctionType():
            return None
        case Nothing(), _:
            return None
        case _:
            return known
