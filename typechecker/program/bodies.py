"""Bodies of definitions, constants and enums. Read next: `unfolding`, for calls of static functions."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.core.walk import subexpressions
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.library_text import Written
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.decide import Refuted, consistent
from dsl.types.effect import SHARED, Axis, Effect, Row, Site, UserEffect
from dsl.types.facts import And, Eq, Facts, Le, Lt, Ne, Or, Prop, simplified
from dsl.types.facts import Known as Decided
from dsl.types.shape import Shape, ShapeVar, Splice, StaticName, Substitution
from dsl.types.sites import is_known, record_of, sites_of
from dsl.types.size import FloorDiv, Max, Min, Mod, Size, SizeVar
from dsl.types.static_examples import TRIED
from dsl.types.type import DTypeVar, TypeClass
from typechecker import errors
from typechecker.analyses.affine_keys import check_keys
from typechecker.calls.closures import check_unused
from typechecker.calls.function_values import result_of
from typechecker.declarations.entities import Definition, Module, State
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.recorded import recall_body, recall_signature
from typechecker.declarations.signatures import all_facts, declared_by, elaborate_signature
from typechecker.env.body import Mode
from typechecker.env.context import Context
from typechecker.env.known_parts import children
from typechecker.env.reports import Attempt
from typechecker.env.scope import Scope
from typechecker.env.static_values import static_argument
from typechecker.env.value_facts import with_range
from typechecker.env.values import NOTHING, Fields, Known, Parts, Term, error_term, static_term
from typechecker.errors.repairs import search
from typechecker.relations.cells import hold_same
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import run_time_type
from typechecker.types.data_sizes import counted, left_open, packed
from typechecker.types.predicates import holds_function, holds_key, is_reported, is_traced
from typechecker.types.size_conditions import require
from typechecker.types.type_classes import class_of
from typechecker.types.type_expressions import Alias, elaborate

# ---------------------------------------------------------------- signatures on demand


def signature(program: ProgramChecker, info: Definition) -> core.Signature | None:
    """The signature of a definition; its body is checked first where the caller needs what it tells."""
    if info.state is State.NEW:
        info.state = State.SIGNATURE
        if not info.in_library or not recall_signature(program, info):
            _read_signature(program, info)
        if info.state is State.SIGNATURE:
            info.state = State.FAILED
            return None
        if needs_body(program, info) or _performs_more(program, info):
            check_body(program, info)
    elif info.state is State.SIGNATURE:
        program.reports.add(errors.stages.recursive_signature(info.head.place, name=info.name))
        info.broken = True
        return None
    elif info.state in (State.BODY, State.CHECKING) and not info.head.stated:
        program.reports.add(errors.calls.recursive_result(info.head.place, name=info.name))
        info.state = State.FAILED
        return None
    return None if info.state is State.FAILED or info.broken else info.signature


def _read_signature(program: ProgramChecker, info: Definition) -> None:
    with program.declaring(info.task, info.head.place):
        elaborate_signature(program, info)
        info.following = program.fresh_id() + 1
        info.state = State.BODY
    if info.in_library:
        program.library.fresh[info.module, info.name] = info


def needs_body(program: ProgramChecker, info: Definition) -> bool:
    """Signatures of the library and of operations state everything; others may leave the result and conditions to
    inference."""
    if info.operation:
        return False
    return not program.is_library(program.modules[info.module]) or not info.head.stated


def _performs_more(program: ProgramChecker, info: Definition) -> bool:
    """Return whether a body tells of effects that no signature states: the records of operations by name, and what
    handlers do for functions that are given."""
    if info.operation or info.signature is None:
        return False
    handles = isinstance(info.written, Written) and "handler" in info.written.words
    return handles or any(_names_later(program, effect) for effect in info.signature.effects.effects)


# ---------------------------------------------------------------- bodies

_INNER = 3
"""So many places inside of what is called are kept of a condition that a body demands."""


def check_body(program: ProgramChecker, info: Definition) -> None:
    """Check a body against its signature, and complete the signature with what was inferred."""
    if info.state is State.NEW:
        signature(program, info)
    if info.state is not State.BODY or info.signature is None or info.scope is None:
        return
    if program.has_syntax_error(info):
        _forget_names(program, info)
        info.state = State.DONE
        return
    if info.in_library:
        if recall_body(program, info, _with_defaults(info)):
            return
        program.library.fresh[info.module, info.name] = info
    info.state = State.CHECKING
    with program.declaring(info.task, info.head.place):
        with Attempt(program.reports) as attempt:
            _check_body(program, info, info.signature, info.scope)
            info.following = program.fresh_id() + 1
        info.faulty = attempt.failed
        if not attempt.failed:
            info.task.types.clear()
        else:
            ctx = program.fresh_context(info.module, info.name, info.scope.child())
            for diagnostic in search.offered(ctx, info.node, attempt.discard()):
                program.reports.add(diagnostic)
        if info.task.replay.reported:
            program.memo.exploding.add(info)
    if info.state is State.CHECKING:
        _forget_names(program, info)
        info.state = State.FAILED


def check_operation(program: ProgramChecker, info: Definition) -> None:
    """The signature of an operation states all that it needs of its sizes: there is no body to tell."""
    found = signature(program, info)
    if found is None:
        return
    ctx = replace(program.fresh_context(info.module, info.name, Scope(None)), facts=all_facts(found, info))
    _check_conditions(ctx, info, found.where)
    for prop, span in info.demands:
        if not ctx.holds(prop):
            ctx.report(errors.effects.operation_needs(info, prop, span))


def checked_static(program: ProgramChecker, module: str, name: str) -> core.Function | None:
    """A static function that was checked without a fault; its body is part of what every importer sees."""
    info = program.modules[module].definitions.get(name)
    if info is None or not info.head.static or info.faulty:
        return None
    check_body(program, info)
    return None if info.state is State.FAILED else info.checked


def _check_body(program: ProgramChecker, info: Definition, found: core.Signature, scope: Scope) -> None:
    ctx, reported = program.fresh_context(info.module, info.name, scope.child()), len(program.reports)
    ctx = replace(ctx, facts=all_facts(found, info))
    ctx.body.mode = Mode.of(static=info.head.static)
    ctx.body.declared = declared_by(found.params, found.result)
    ctx.body.statics = {StaticName(p.id, p.name): p.type for p in found.params if p.static and p.type in TRIED}
    stated = info.node.effects is not None or info.node.result is not None
    ctx.body.permitted = found.effects if stated else None
    _check_conditions(ctx, info, found.where)
    if info.broken:
        _check_beside(ctx, info, found)
        info.state = State.FAILED
        return
    for prop, span in info.demands:
        require(ctx, prop, span, "size")
    _rebind(ctx, info)
    ctx.body.axes = {e.name: e.size for e in found.effects.effects if isinstance(e, Axis) and e.size is not None}
    term = _result(ctx, info, found)
    ctx.body.settle()
    check_unused(ctx)
    ctx.body.partial &= len(program.reports) > reported
    effects = _effects(ctx, info, found)
    if ctx.body.partial:
        effects = _nameless(program, effects)
    result = found.result if info.head.stated else ctx.resolve(term.type)
    if info.recursive and not info.head.static:
        verdicts = [(prop, span, ctx.decide(prop)) for prop, span in dict(ctx.body.constraints).items()]
        refuted = {prop: (span, found.counterexample) for prop, span, found in verdicts if isinstance(found, Refuted)}
        for prop, (span, example) in refuted.items():
            ctx.report(errors.shapes.recursion_needs(ctx, info, prop, [*refuted], example, span))
    inferred = tuple(p for p in _constraints(ctx) if p not in found.where) if needs_body(program, info) else ()
    where = found.where + inferred
    if inferred:
        _check_conditions(ctx, info, where)
    _check_defaults(ctx, info, found.params, where)
    opens, promises = (found.opens, found.promises) if info.head.stated else left_open(ctx, result)
    info.signature = replace(found, result=result, effects=effects, where=where, opens=opens, promises=promises)
    own = frozenset(found.sizes) | {b.size for p in found.params for b in p.binders() if b.size is not None}
    info.known = in_general(term.known, own)
    places = {prop: (at, *ctx.body.reasons.get(prop, ())[-_INNER:]) for prop, at in reversed(ctx.body.constraints)}
    info.origins = {prop: at for prop, at in places.items() if prop in inferred}
    info.inferred = frozenset(p for p in inferred if in_general(p, own) is not None)
    info.conduct = ctx.body.book.conduct(functions=any(holds_function(param.type) for param in found.params))
    info.decides = any(var.traced for var in ctx.body.ranges)
    failed = result == ty.ERROR and not info.head.stated
    info.state = State.FAILED if failed else State.DONE
    info.checked = core.Function(
        info.module,
        info.name,
        info.head.static,
        _with_defaults(info),
        term.core,
        info.head.place,
        info.node.doc,
        {**info.dtypes, **ctx.body.solver.solution()},
    )
    if not ctx.in_library:
        for diagnostic in check_keys(program, info.checked, info.node):
            ctx.report(errors.keys.mended_keys(ctx, diagnostic))


def _check_beside(ctx: Context, info: Definition, found: core.Signature) -> None:
    """Check a body beside parameters whose types were reported: what does not depend on these may be wrong, too."""
    if any(is_reported(param.type) for param in found.params):
        _rebind(ctx, info)
        _result(ctx, info, found)
        ctx.body.settle()
        check_unused(ctx)


def _check_conditions(ctx: Context, info: Definition, where: Sequence[Prop]) -> None:
    """Check that no condition contradicts the others, so that all can be satisfied."""
    if where and not ctx.in_library and _contradictory(ctx.facts.assume(*where)):
        ctx.report(errors.shapes.conditions_exclude_all(info.name, where, _contradiction(ctx, info)))
        info.broken = True


def _contradictory(facts: Facts) -> bool:
    return consistent(facts) is False


def _contradiction(ctx: Context, info: Definition) -> Span:
    """Where the first condition arises that contradicts those before it."""
    facts = ctx.facts
    for prop, span in ctx.body.constraints if not _contradictory(facts) else ():
        facts = facts.assume(prop)
        if _contradictory(facts):
            return span
    return info.node.where[-1].condition.span if info.node.where else info.head.place


def _check_defaults(ctx: Context, info: Definition, params: Sequence[core.Parameter], where: Sequence[Prop]) -> None:
    """Check that no default contradicts a condition by itself, whatever the other arguments are."""
    for param in params:
        term = info.defaults.get(param.name)
        alone = None if term is None else _default_of(ctx, info, param, term)
        if term is None or alone is None:
            continue
        refuted = next((prop for prop in where if simplified(alone.prop(prop)) == Decided(False)), None)
        if refuted is not None:
            ctx.report(errors.shapes.default_refuted(ctx, info.name, param.name, term, refuted))


def _default_of(ctx: Context, info: Definition, param: core.Parameter, term: Term) -> Substitution | None:
    """A static parameter as its default alone."""
    assert info.scope is not None
    stands = info.scope.names[param.name].term.known
    if param.size is not None and isinstance(term.known, Size):
        return Substitution({param.size: term.known})
    if not isinstance(stands, StaticName) or term.known in (None, NOTHING):  # `none` is what is not given
        return None
    return Substitution(statics={stands: static_argument(term.known, ctx.fresh_id)})


def _rebind(ctx: Context, info: Definition) -> None:
    """Parameters that are integers are known by an atom of their own in this body."""
    assert info.signature is not None and info.scope is not None
    for param in info.signature.params:
        if param.static:
            continue
        binding = info.scope.names[param.name]
        term = with_range(ctx, binding.term, param.name)
        ctx.scope.bind(param.name, term, binding.span, "param")


def _result(ctx: Context, info: Definition, found: core.Signature) -> Term:
    if info.node.result is None:
        term = ctx.infer(info.node.body)
        kind = ctx.resolve(term.type)
        wanted = counted(ctx, kind, term.known)
        return term if wanted == kind else coerce(ctx, term, wanted, Why("result"), result_of(info.node.body).span)
    term = ctx.infer(info.node.body, None if found.opens else found.result)
    result = packed(ctx, found, term, info.node.result.span) if found.opens else found.result
    why = Why("result", info.name, info.name, info.node.result.span)
    return coerce(ctx, term, result, why, result_of(info.node.body).span)


def _effects(ctx: Context, info: Definition, found: core.Signature) -> Row:
    performed = Row(frozenset([_resolved(ctx, effect) for effect in ctx.body.book.effects]))
    for effect, span in ctx.body.book.effects.items():
        if _names_later(ctx.program, effect):
            ctx.report(errors.effects.recursion_by_name(span, name=info.name, effect=effect))
    if ctx.body.permitted is None:
        return performed
    for effect, span in ctx.body.book.effects.items():
        stated = effect.operation if isinstance(effect, Site) else effect
        by_record = isinstance(effect, Site) and sites_of(found.effects.effects, effect.operation)
        if isinstance(effect, Site) and not is_known(effect):
            continue
        if effect not in found.effects and stated not in found.effects and not by_record:
            ctx.report(errors.effects.undeclared_effect(ctx, stated, info, found.effects, span))
    _agree_with_stated(ctx, info, found, performed)
    inferred = frozenset([effect for effect in performed.effects if isinstance(effect, Site)])
    is_stated = [each for each in found.effects.effects if ctx.body.partial or not _names_later(ctx.program, each)]
    return Row(frozenset(is_stated) | inferred)


def _agree_with_stated(ctx: Context, info: Definition, found: core.Signature, performed: Row) -> None:
    """Demand that the records that a signature states are those that the body performs."""
    stated = [effect for effect in found.effects if isinstance(effect, Site)]
    for operation in dict.fromkeys([site.operation for site in stated]):
        has, wanted = record_of(sites_of(performed.effects, operation)), record_of(sites_of(stated, operation))
        if has is not None and wanted is not None and info.node.effects is not None:
            why = Why("record", operation.name, info.name)
            hold_same(ctx, has, wanted, why, info.node.effects.span)


def _forget_names(program: ProgramChecker, info: Definition) -> None:
    """Say of a body with errors that the names of what it performs are not known."""
    if info.signature is not None:
        info.signature = replace(info.signature, effects=_nameless(program, info.signature.effects))


def _nameless(program: ProgramChecker, effects: Row) -> Row:
    """Return effects whose records are those of a body with errors, but for records that are stated."""
    stated = {effect.operation for effect in effects if isinstance(effect, Site) and not effect.path}

    def nameless(effect: Effect) -> Effect:
        match effect:
            case UserEffect(module, name) if _names_later(program, effect):
                return Site(module, name, (), ty.ERROR, program.form_of(effect) == SHARED)
            case Site(path=(_, *_)) if effect.operation not in stated:
                return replace(effect, path=(), type=ty.ERROR)
            case _:
                return effect

    return Row(frozenset(map(nameless, effects)))


def _names_later(program: ProgramChecker, effect: Effect) -> bool:
    """Return whether an effect is an operation by name without its record, which its body tells."""
    return isinstance(effect, UserEffect) and program.form_of(effect) is not None


def _resolved(ctx: Context, effect: Effect) -> Effect:
    return replace(effect, type=run_time_type(ctx, ctx.resolve(effect.type))) if isinstance(effect, Site) else effect


def _constraints(ctx: Context) -> list[Prop]:
    """The conditions inferred from a body; of several that differ by a number alone (`3 <= n`, `5 <= n`) the
    strongest, so that chains of calls do not pile them up."""
    strongest: dict[Prop | Size, tuple[int, Prop]] = {}
    for prop, _ in ctx.body.constraints:
        rest, slack = _slack(prop)
        if rest not in strongest or slack < strongest[rest][0]:
            strongest[rest] = (slack, prop)
    return [prop for _, prop in strongest.values()]


def _slack(prop: Prop) -> tuple[Prop | Size, int]:
    """`left <= right`, `left < right` as `0 <= rest + slack`, with a number as slack; other conditions as they are."""
    if not isinstance(prop, Le | Lt):
        return prop, 0
    difference = prop.right - prop.left - (1 if isinstance(prop, Lt) else 0)
    slack = dict(difference.terms).get((), 0)
    return difference - slack, slack


def in_general(known: Known | None, own: frozenset[SizeVar]) -> Known | None:
    """Return the facts about every result of a body, whatever the arguments; None if they depend on them."""
    match known:
        case Size() if _speaks_of(known, own):
            return known
        case Eq(left, right) | Ne(left, right) | Le(left, right) | Lt(left, right):
            return known if _speaks_of(left, own) and _speaks_of(right, own) else None
        case And(props) | Or(props):
            return None if None in [in_general(prop, own) for prop in props] else known
        case Parts() | Fields():
            return None if None in [in_general(part, own) for part in children(known)] else known
        case _:
            return None


def _speaks_of(size: Size, own: frozenset[SizeVar]) -> bool:
    return all(isinstance(atom, FloorDiv | Mod | Min | Max) or atom in own for atom in size.atoms())


def _with_defaults(info: Definition) -> core.Signature:
    assert info.signature is not None
    params = tuple(
        replace(p, default=info.defaults[p.name].core if p.name in info.defaults else None)
        for p in info.signature.params
    )
    return replace(info.signature, params=params)


# ---------------------------------------------------------------- constants and enums


def constant(program: ProgramChecker, module: Module, name: str) -> Term | None:
    """A top-level constant: static, known where it can be computed."""
    if name in module.values:
        return module.values[name]
    node = module.constants[name]
    if name in module.in_progress:
        program.reports.add(errors.names.cyclic_constant(node.span, name=name))
        return error_term(node.span)
    module.in_progress.add(name)
    found = error_term(node.span)
    with program.declaring(module.task(name), node.span):
        found = _constant(program, module, name, node)
    module.in_progress.discard(name)
    module.values[name] = found
    return found


def _constant(program: ProgramChecker, module: Module, name: str, node: ast.Let) -> Term:
    ctx = program.fresh_context(module.name, name, module.scope.child())
    ctx.body.mode = Mode.CONSTANT
    kind = None if node.type is None else elaborate(ctx, node.type, static=True)
    term = ctx.infer(node.value, kind)
    if kind is not None:
        term = coerce(ctx, term, kind, Why("annotation", name, "", node.span))
    ctx.body.settle()
    check_unused(ctx)
    found = ctx.resolve(term.type)
    if holds_key(found):
        ctx.report(errors.keys.key_at_top(node.value.span, name=name))
    elif ctx.body.book.effects:
        effect, span = next(iter(ctx.body.book.effects.items()))
        ctx.report(errors.effects.effect_at_top(span, ctx, effect=effect, name=name))
    elif (own := _own_function(program, term.core)) is not None:
        ctx.report(errors.stages.constant_not_static(ctx, name, found, own, node.value.span))
    module.checked_constants[name] = core.Constant(module.name, name, found, term.core, ctx.body.solver.solution())
    return Term(core.Global(node.span, found, module.name, name), found, term.known)


def _own_function(program: ProgramChecker, node: core.Expr) -> core.Global | None:
    """The first function that is not of the library among those that make a traced value."""
    match node:
        case core.Const() | core.Global() | core.SizeOf() | core.EnumValue():
            return None
        case core.Stack(items=parts) | core.Tuple(items=parts):
            pass
        case core.Record(fields=fields):
            parts = tuple(value for _, value in fields)
        case core.Coerce(value=value) | core.Convert(value=value):
            parts = (value,)
        case _:
            named = [n for n in subexpressions(node) if isinstance(n, core.Global) and _is_own(program, n)]
            return named[0] if named and is_traced(node.type) else None
    return next((found for part in parts if (found := _own_function(program, part)) is not None), None)


def _is_own(program: ProgramChecker, node: core.Global) -> bool:
    """Return whether a name is that of a function which is neither static nor of the library."""
    module = program.modules.get(node.module)
    if module is None or program.is_library(module) or not isinstance(node.type, ty.FunctionType):
        return False
    definition = module.definitions.get(node.name)
    return definition is None or not definition.head.static


def alias_scope(ctx: Context, alias: Alias) -> Context:
    """A scope in which the parameters of an alias stand for themselves."""
    for param in alias.params:
        name, span = param.name.name, param.span
        if param.star:
            term = static_term(Shape((Splice(ShapeVar(ctx.fresh_id(), name)),)), ty.SHAPE, span)
        elif name in alias.types:
            found = None if param.constraint is None else class_of(ctx, param)
            class_ = found if isinstance(found, TypeClass) else TypeClass("Move")
            type_ = ty.TypeVar(ctx.fresh_id(), name, class_)
            ctx.scope.bind(name, Term(core.Const(span, type_, None), type_), span, "type")
            continue
        elif param.constraint is not None:
            allowed = class_of(ctx, param)
            dtypes = allowed if isinstance(allowed, tuple) else dt.ALL
            term = static_term(DTypeVar(ctx.fresh_id(), name, dtypes), ty.DTYPE, span)
        else:
            term = static_term(Size.of(SizeVar(ctx.fresh_id(), name)), ty.INT, span)
        ctx.scope.bind(name, term, span, "alias")
    return replace(ctx, written=[])
