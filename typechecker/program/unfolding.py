"""Calls of static functions: what they are known to give.

The body is evaluated over its Core, for arguments that are known through and through by `dsl.core.statics.evaluate`,
for others by `evaluation`. Where too little is known of them the call stays a call, in a shape, in a size or in a
condition, and is computed where they are known: by `dsl.core.statics.calls`.
At the end: values, and what is known of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from dsl.core import core
from dsl.core.statics.calls import OF_TYPES, Answer, Found, StaticCall, beyond_budget
from dsl.core.statics.evaluate import Evaluator, NoValue, Value, Variant
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.facts import Facts, OpaqueProp
from dsl.types.limits import SEARCHED, STEPS, Exceeded, Growth
from dsl.types.shape import PRESENT, Computed, Shape, StaticArg, StaticChoice, StaticName, StaticVariant, Written
from dsl.types.shapefn import has_value
from dsl.types.size import Opaque, Size
from dsl.types.static_conditions import truth_of
from dsl.types.static_parts import Gap, has_gap, subparts
from dsl.types.type import Type
from typechecker import errors
from typechecker.calls.closures import scope_of
from typechecker.calls.definitions import bind_static
from typechecker.declarations.entities import Definition, State, Task
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.body import Body, Mode
from typechecker.env.context import Context
from typechecker.env.known_parts import list_of_sizes, subvalues
from typechecker.env.static_values import chosen, plain_value, static_argument, value_inside
from typechecker.env.values import NOTHING, Fields, Known, Parts, Term, VariantValue
from typechecker.expressions.matching import local_name
from typechecker.expressions.static_lists import unknown_value
from typechecker.program.bodies import checked_static
from typechecker.relations.shapes import demand
from typechecker.types.instance import Instance
from typechecker.types.predicates import present_type


def unfold(
    ctx: Context, info: Definition, terms: dict[str, Term], result: Type, instance: Instance, span: Span
) -> Known | None:
    """Return the known result of a call of a function with static parts in its result; that it has no value for these
    arguments is reported at `span`."""
    if info.known is not None:
        return instance.known(info.known)
    if info in ctx.program.memo.exploding:
        ctx.program.task.replay.reported.update(Growth)
        return unknown_value(ctx, result)
    try:
        args = [plain_value(term.known) for term in terms.values()]
    except NoValue:
        return _evaluated(ctx, info, terms, result, instance, span)
    try:
        return known_value(ctx.program, _value(ctx, info, args), result)
    except NoValue:
        key, done = (info.module, info.name, repr(args)), ctx.program.memo.unfolded
        if key not in done:
            done[key] = _evaluated(ctx, info, terms, result, instance, span, computed=True)
        return done[key]


def _value(ctx: Context, info: Definition, args: Sequence[Value]) -> Value:
    """Evaluate the Core of a static function at known arguments."""
    program, replay = ctx.program, ctx.program.task.replay
    function = _core_of(ctx, info)
    if function is None:
        raise NoValue
    find = partial(checked_static, program), partial(_constant_of, program)
    evaluator = Evaluator(*find, program.memo.evaluated, replay.of, replay.step)
    try:
        return evaluator.call(function, args)
    except Exceeded:
        _remember_explosion(ctx, info)
        raise


def _core_of(ctx: Context, info: Definition) -> core.Function | None:
    return checked_static(ctx.program, info.module, info.name)


def _constant_of(program: ProgramChecker, module: str, name: str) -> core.Constant | None:
    return program.modules[module].checked_constants.get(name)


def _remember_explosion(ctx: Context, info: Definition) -> None:
    """Remember that a function exceeds the budget of an expression; the smaller budget of a search does not count."""
    if ctx.program.task.replay.limit == STEPS:
        ctx.program.memo.exploding.add(info)


def _evaluated(
    ctx: Context,
    info: Definition,
    terms: dict[str, Term],
    result: Type,
    instance: Instance,
    span: Span,
    computed: bool = False,
) -> Known | None:
    """Evaluate a body, or return the call itself if its value cannot be determined. A function that calls itself
    continues as long as the lists among its arguments decide if it does. An unknown list has no known items. A function
    that is still being checked has no Core: its calls of itself stay calls, and a constant that it reached is evaluated
    from its source if that leads back."""
    if info.head.static and any(
        _is_reported(t.known) or (t.known is None and t.type in ty.LISTS) for t in terms.values()
    ):
        ctx.body.stuck = True
        return unknown_value(ctx, result)
    recursive, checking = info.recursive and not computed, info.state is State.CHECKING
    if info.head.static and (recursive or not checking) and _core_of(ctx, info) is None:
        return _stuck(ctx, info, terms, result, span) if checking else unknown_value(ctx, result)
    if recursive and not any(_has_length(t) for t in terms.values()):
        return _stuck(ctx, info, terms, result, span)
    here = replace(ctx, facts=Facts()) if recursive else ctx
    known, problems, body = _unfolded(here, info, terms, instance, recursive)
    if known is None and problems and not info.faulty and not body.stuck:
        cyclic = next((problem for problem in problems if problem.code == "E0213"), None)
        ctx.refuse(cyclic or errors.calls.no_value(span, name=info.shown, reason=problems[0].message))
    if known is None and problems:
        return unknown_value(ctx, result)
    if body.stuck or known is None or has_gap(known, Gap.UNNAMED):
        return _stuck(ctx, info, terms, result, span)
    for needed, _ in body.constraints:
        if isinstance(ctx.require(needed, span), Refuted):
            ctx.refuse(errors.calls.no_value(span, name=info.shown, reason=f"it needs {needed}"))
    return known


def _is_reported(known: Known | None) -> bool:
    return any(has_gap(part, Gap.REPORTED) for part in subvalues(known))


def _has_length(term: Term) -> bool:
    """Return whether an argument is a list of known length."""
    match term.known:
        case Shape():
            return term.known.rank is not None
        case Parts():
            return term.type in ty.LISTS
        case _:
            return False


def _unfolded(
    ctx: Context, info: Definition, terms: dict[str, Term], instance: Instance, deciding: bool
) -> tuple[Known | None, list[Diagnostic], Body]:
    """Check the body with the arguments substituted: return its value, its errors, and the data collected."""
    program = ctx.program
    scope = scope_of(ctx, info, instance)
    inner = replace(program.fresh_context(info.module, info.name, scope), facts=ctx.facts)
    inner.body.ranges, inner.body.meanings = ctx.body.ranges, ctx.body.meanings
    inner.body.mode = Mode.of(static=info.head.static, deciding=deciding) | (ctx.body.mode & Mode.RANGING)
    stated = info.signature.result if info.signature is not None and info.head.stated else None
    result = None if stated is None else instance.type(stated)
    known: Known | None = None
    with ctx.attempt() as attempt:
        try:
            with program.task.replay.of(info.shown):
                known = _body(inner, info, terms, instance, result).known
                known = list_of_sizes(known) or known if result in (ty.SHAPE, ty.INTS) else known
        except Exceeded:
            _remember_explosion(ctx, info)
            raise
        finally:
            problems = attempt.discard()
    return None if problems and _is_reported(known) else known, problems, inner.body


def _body(ctx: Context, info: Definition, terms: dict[str, Term], instance: Instance, result: Type | None) -> Term:
    """The body with the arguments put in: of a static function its Core, evaluated. Others may give functions, which
    are checked where they are used, as they are written."""
    function = _core_of(ctx, info)
    if function is None:
        for name, term in terms.items():
            ctx.scope.bind(name, term, term.span, "param")
        return ctx.infer(info.node.body, result)
    ctx.body.instance = instance
    for param in function.signature.params:
        ctx.scope.bind(local_name(param.id), terms[param.name], None, "param")
    body = function.body
    return ctx.infer(body.value if isinstance(body, core.Coerce) else body)


# ---------------------------------------------------------------- calls that stay calls


def _stuck(ctx: Context, info: Definition, terms: dict[str, Term], result: Type, span: Span) -> Known | None:
    """The call itself, as a part of a shape, of a size or of a condition. That it will have a value is demanded."""
    shown = f"{info.module}.{info.shown}"
    compute = computing(ctx.program, ctx.body.module, ctx.body.owner, info, result)
    call = StaticCall(info.module, info.name, shown, result, compute=compute)
    args = tuple([_argument(ctx, term.known) for term in terms.values()])
    require_value(ctx, call, args, span)
    whole = call.on(args)
    if isinstance(whole, Computed) and isinstance(result, ty.TupleType):
        return value_inside(whole, PRESENT, PRESENT, (), result)
    return whole


def _is_told_by_callers(ctx: Context) -> bool:
    """Return whether this is the body of a function that calls itself, for any arguments: where it is called it is
    demanded that the whole of it has a value."""
    body = ctx.body
    computed = body.static and Mode.DECIDING not in body.mode
    return computed and ctx.program.modules[body.module].definitions[body.owner].recursive


def require_value(ctx: Context, call: StaticCall, args: tuple[StaticArg, ...], span: Span) -> None:
    """Demand that a call has a value; that a shape is one is demanded where it is used."""
    if call.result == ty.SHAPE or _is_told_by_callers(ctx):
        return
    prop = has_value(call, call.shown, args)
    if not has_gap(prop, Gap.UNNAMED) and not demand(ctx, prop, span):
        name = ctx.program.definition(call.module, call.name).shown
        ctx.refuse(errors.calls.no_value(span, name=name, reason=f"it needs {prop}"))


def _argument(ctx: Context, known: Known | None) -> StaticArg:
    return known if isinstance(known, Size) else static_argument(known, ctx.fresh_id)


def computing(
    program: ProgramChecker, module: str, owner: str, called: Definition, result: Type
) -> Callable[..., Answer]:
    """Return an evaluator of calls in a module's declaration for any arguments; it uses no facts."""

    def compute(*given: StaticArg) -> Answer:
        done, key = program.memo.computed, (called.module, called.name, given)
        if key not in done:
            done[key] = Answer()
            done[key] = anew(given)
        return done[key]

    def anew(given: tuple[StaticArg, ...]) -> Answer:
        signature = program.signature(called)
        params = () if signature is None else signature.params
        put = {param.name: _put(program, param, arg) for param, arg in zip(params, given, strict=True)}
        here = program.fresh_context(module, owner, program.modules[module].scope.child())
        here.body.mode = Mode.STATIC | Mode.RANGING
        known: Known | None = None
        with here.attempt() as attempt:
            try:
                with program.checking(Task.of(called.module, f"{called.name} computed", SEARCHED)):
                    solved = Instance(here.body.solver, Facts())
                    for param in params:
                        bind_static(here, param, put[param.name].known, solved)
                    known = unfold(here, called, put, result, solved, called.head.whole)
            except Exceeded as found:
                return beyond_budget(found)
            finally:
                problems = attempt.discard()
        if known is None:
            return Answer(has_value=False if problems else None)
        has_value = None if here.body.constraints or _holds_calls(known) else True
        return Answer(known if result in OF_TYPES else Found(static_argument(known, program.fresh_id)), has_value)

    return compute


def _put(program: ProgramChecker, param: core.Parameter, given: StaticArg) -> Term:
    type_ = ty.INT if param.type == ty.SIZE else param.type
    return Term(core.Const(param.span, type_, None), type_, known_value(program, given, type_))


def _holds_calls(known: object) -> bool:
    """Return whether calls of static functions are left in what is known."""
    for part in subparts(known):
        match part:
            case Opaque(evaluate=StaticCall()) | OpaqueProp(evaluate=StaticCall()) | Computed(compute=StaticCall()):
                return True
    return False


# ---------------------------------------------------------------- values and what is known of them


def known_value(program: ProgramChecker, value: Hashable, kind: Type) -> Known | None:
    """Return the facts about a static value of this type, or about an argument of a stuck call."""
    base = present_type(kind)
    match value:
        case None:
            return NOTHING
        case StaticChoice(condition, then, orelse):
            return chosen(condition, known_value(program, then, kind), known_value(program, orelse, kind))
        case bool() | int() | StaticName() if kind == ty.BOOLEAN:
            return truth_of(value)
        case bool():
            return fa.Known(value)
        case int():
            return Size.of(value)
        case Size() | Shape() | str() | float() | complex() | dt.DType():
            return value
        case StaticName():
            return None if kind in (ty.INT, ty.SIZE) else value
        case tuple() if base in (ty.SHAPE, ty.INTS):
            return Shape.of(*value)
        case tuple() if isinstance(base, ty.RecordType):
            pairs = zip(value, base.fields, strict=True)
            return Fields(tuple([(name, known_value(program, part, k)) for part, (name, k) in pairs]))
        case tuple():
            kinds = base.parts if isinstance(base, ty.TupleType) else (ty.LISTS.get(base, ty.ERROR),) * len(value)
            return Parts(tuple([known_value(program, part, k) for part, k in zip(value, kinds, strict=True)]))
        case StaticVariant(name, (inner,)) if name == PRESENT:
            return known_value(program, inner, base)
        case StaticVariant(name, args) | Variant(name, args) if isinstance(base, ty.EnumType):
            fields = next(v.fields for v in program.enum_info(base.module, base.name).variants if v.name == name)
            inside = [known_value(program, part, field) for part, (_, field) in zip(args, fields, strict=True)]
            return VariantValue((base.module, base.name), name, tuple(inside))
        case Computed():
            return value
        case Written(text) if kind == ty.DTYPE:
            return dt.BY_NAME[text]
        case Written(text):
            return complex(text) if kind == ty.COMPLEX else float(text)
        case _:
            return None
