"""Signatures of definitions: generics, parameters, result, effects, constraints.

Names that no scope knows become size variables here, and every one of them must be determined by the arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import conjuncts, nodes
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import entails
from dsl.types.effect import BUILTINS, PURE, SHARED, Cell, EffectVar, Row, Site
from dsl.types.facts import Facts, Prop, conjunction
from dsl.types.search import definedness
from dsl.types.shape import Shape, ShapeCall, ShapeVar, Splice, StaticName, own_calls
from dsl.types.size import Size, SizeVar
from dsl.types.static_conditions import flag
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import DTypeVar, Type, TypeClass, TypeVar
from dsl.types.walk import any_leaf, children, declared_calls, equating_calls, is_product, part_names
from typechecker import errors
from typechecker.declarations.determinacy import Stated, Variables, apart, check_determined, opened_by
from typechecker.declarations.entities import Definition
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.context import Context
from typechecker.env.scope import Binding, BindingKind, CellBinding, DistinctNames, Scope
from typechecker.env.static_values import element_of
from typechecker.env.values import Fields, Known, Monomorphic, Parts, Term, error_term, static_term
from typechecker.errors.words import suggestion
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.shapes import report_impossible
from typechecker.types.data_sizes import DATA
from typechecker.types.instance import Instance
from typechecker.types.predicates import holds_function, holds_key, holds_static, is_traced
from typechecker.types.type_classes import class_of
from typechecker.types.type_expressions import computing_nothing_else, elaborate, elaborate_row, is_static


def elaborate_signature(program: ProgramChecker, info: Definition) -> None:
    """Fill in the signature, the scope of the body, defaults, facts and demands of a definition."""
    node = info.node
    scope = program.modules[info.module].scope.child()
    ctx = program.fresh_context(info.module, info.name, scope)
    variables = Variables()
    _generics(ctx, node, variables)
    distinct_names(ctx, node.params)
    params = _static_params(ctx, [p for p in _static(node) if not _may_make_sizes(p.type)], info)
    told = ctx.facts.assume(*_told_of_statics(ctx, node))
    spliced = _spliced_names(node)
    scope.on_unknown = lambda name, span: _unknown(ctx, variables, name, span, name in spliced)
    scope.on_unknown_shape = lambda name, span: _new_shape(ctx, variables, name, span)
    written: list[Prop] = []
    writing = replace(ctx, written=written, facts=told)
    params.update(_static_params(writing, [p for p in _static(node) if _may_make_sizes(p.type)], info))
    params.update(_traced_params(writing, node, params))
    given = [params[p.name.name] for p in node.params if p.default is None and p.name.name in params]
    info.facts = (*written, *_index_facts(p.type for p in given))
    demanded: list[Prop] = []
    scope.on_unknown = lambda name, span: _unknown(ctx, variables, name, span, name in spliced, opens=True)
    result, effects = _result(replace(ctx, written=demanded, facts=told), node)
    if info.form is not None:
        effects = _by_name(ctx, info, params, result)
    scope.on_unknown = scope.on_unknown_shape = None
    info.demands = tuple((p, node.result.span if node.result else node.span) for p in demanded)
    names = dict.fromkeys(param.name.name for param in node.params)
    ordered = tuple([params[name] for name in names if name in params])
    _bind_params(ctx, ordered, scope)
    ctx.body.declared = declared_by(ordered, result)
    for kind, place in _types(node, params, result):
        report_impossible(ctx, equating_calls(kind), place)
    stated, promises = apart(_where(ctx, node))
    unstated = tuple(_unstated([prop for prop, _ in ctx.body.constraints], [prop for prop, _ in stated]))
    info.demands += _defaults(ctx, node, params, info)
    info.cells = _cells(ctx, effects, node)
    opens = opened_by(ctx, node, result, variables, promises)
    extra, hidden = check_determined(ctx, info, ordered, variables, effects)
    info.scope = scope
    if info.undetermined:
        silent = Instance(ctx.body.solver, ctx.facts, sizes=info.undetermined)
        result = silent.type(result)
        for name, binding in list(scope.names.items()):
            if isinstance(binding.term.known, Size) and binding.term.known.vars() & info.undetermined.keys():
                size = silent.size(binding.term.known)
                scope.bind(name, Term(binding.term.core, binding.term.type, size), binding.span, binding.kind)
    info.signature = core.Signature(
        tuple(variables.sizes),
        tuple(variables.shapes),
        tuple(variables.dtypes),
        tuple(variables.types),
        ordered,
        result,
        effects,
        tuple(dict.fromkeys((*unstated, *(prop for prop, _ in stated)))),
        hidden,
        extra,
        tuple((prop, message) for prop, message in stated if message is not None),
        opens,
        promises,
    )


def declared_by(params: Iterable[core.Parameter], result: Type) -> frozenset[ShapeCall]:
    """The calls that exist wherever a signature of these is met."""
    return declared_calls(*(param.type for param in params), result)


def _told_of_statics(ctx: Context, definition: ast.Def) -> Iterator[Prop]:
    """Yield the conditions on static parameters alone, on which the types may rely, for example that an optional
    size is present. Another name may be a size of this signature, still unknown, or a definition that is checked
    separately."""
    statics = {param.name.name for param in _static(definition)}
    for part in (part for stated in definition.where for part in conjuncts(stated.condition)):
        if any(isinstance(node, ast.Name) and node.name not in statics for node in nodes(part)):
            continue
        with ctx.attempt() as attempt, ctx.aside():
            told = ctx.infer(part).known
        if not attempt.discard() and isinstance(told, Prop):
            ctx = replace(ctx, facts=ctx.facts.assume(told))
            yield told


def _spliced_names(node: ast.Def) -> frozenset[str]:
    """The names that stand for shapes, wherever else they are mentioned: `*s`."""
    written = nodes([*(param.type for param in node.params), node.result])
    spliced = (found.value for found in written if isinstance(found, ast.Splice))
    return frozenset(value.name for value in spliced if isinstance(value, ast.Name))


def _unknown(
    ctx: Context, variables: Variables, name: str, span: Span, shape: bool, opens: bool = False
) -> Binding | None:
    """A variable, unless the name means something else. A type that `opens` sizes may leave them to data."""
    what = "a dtype" if name in dt.BY_NAME else ctx.program.module_at(ctx).declared_value(name)
    if what is not None:
        ctx.report(errors.sizes.declared_otherwise(span, name=name, what=what))
        return Binding(name, error_term(span), span, "global")
    return _new_shape(ctx, variables, name, span) if shape else _new_size(ctx, variables, name, span, opens)


def _new_size(ctx: Context, variables: Variables, name: str, span: Span, opens: bool = False) -> Binding | None:
    traced, plain = opens and name.startswith(DATA), name.removeprefix(DATA)
    if plain != name and not opens:
        ctx.report(errors.sizes.of_parameter(span, name=name, written=plain))
    var = SizeVar(ctx.fresh_id(), name if traced else plain, traced=traced)
    variables.sizes.append(var)
    module = ctx.program.module_at(ctx)
    near = suggestion(name, [*module.constants, *module.borrowed]) if len(name) > 2 and not var.traced else None
    if name.startswith("_") or near is not None:
        ctx.report(errors.names.suspicious_size(name, near, span))
    size = Size.of(var)
    root = ctx.scope
    root.bind(name, Term(core.SizeOf(span, ty.SIZE, size), ty.INT, size), span, "size")
    return root.names[name]


def _new_shape(ctx: Context, variables: Variables, name: str, span: Span, kind: BindingKind = "size") -> Binding | None:
    var = ShapeVar(ctx.fresh_id(), name)
    variables.shapes.append(var)
    known = Shape((Splice(var),))
    ctx.scope.bind(name, static_term(known, ty.SHAPE, span), span, kind)
    return ctx.scope.names[name]


# ---------------------------------------------------------------- generics


def _generics(ctx: Context, node: ast.Def, variables: Variables) -> None:
    effect_names = set(_effect_names(node))
    distinct = DistinctNames("generic", ctx.report)
    for generic in node.generics:
        if distinct.add_at(generic.name.name, generic.span):
            _generic(ctx, generic, variables, generic.name.name in effect_names)
    generics = {generic.name.name for generic in node.generics}
    for name in effect_names:
        taken = name in BUILTINS or name in generics or ctx.program.user_effect(ctx, (ast.Ident(name, node.span),))
        if not taken and _in_parameters(node, name):
            _bind_effect(ctx, name, node.span)


def _generic(ctx: Context, generic: ast.Generic, variables: Variables, effect: bool) -> None:
    name, span = generic.name.name, generic.span
    constraint = generic.constraint
    if generic.star:
        _new_shape(ctx, variables, name, span, "generic")
    elif constraint is None and effect:
        _bind_effect(ctx, name, span)
    elif constraint is None:
        _new_size(ctx, variables, name, span)
    else:
        _of_class(ctx, generic, variables)


def _of_class(ctx: Context, generic: ast.Generic, variables: Variables) -> None:
    name, span = generic.name.name, generic.span
    match class_of(ctx, generic):
        case TypeClass() as class_:
            kind = TypeVar(ctx.fresh_id(), name, class_)
            variables.types.append(kind)
            ctx.scope.bind(name, Term(core.Const(span, kind, None), kind), span, "type")
        case None:
            ctx.scope.bind(name, error_term(span), span, "type")
        case allowed:
            dtype = DTypeVar(ctx.fresh_id(), name, allowed)
            variables.dtypes.append(dtype)
            ctx.scope.bind(name, static_term(dtype, ty.DTYPE, span), span, "generic")


def _bind_effect(ctx: Context, name: str, span: Span) -> None:
    var = EffectVar(ctx.fresh_id(), name)
    ctx.scope.bind(name, Term(core.Const(span, ty.ERROR, None), ty.ERROR, var), span, "effect")


def _effect_names(node: ast.Def) -> Iterator[str]:
    for row in _rows([node.effects, *(p.type for p in node.params), node.result]):
        for label in row.labels:
            if len(label.path) == 1 and label.cell is None:
                yield label.path[0].name


def _in_parameters(node: ast.Def, name: str) -> bool:
    rows = _rows([p.type for p in node.params])
    return any(label.path[0].name == name for row in rows for label in row.labels)


def _rows(types: Sequence[ast.TypeExpr | ast.Row | None]) -> Iterator[ast.Row]:
    return (node for node in nodes(types, outside=ast.NamedType) if isinstance(node, ast.Row))


# ---------------------------------------------------------------- parameters


def distinct_names(ctx: Context, params: Sequence[ast.Param]) -> None:
    distinct = DistinctNames("parameter", ctx.report)
    for param in params:
        distinct.add(param.name)


def _static(node: ast.Def) -> list[ast.Param]:
    """The static parameters; of several of one name the first."""
    first = {param.name.name: param for param in reversed(node.params)}
    return [p for p in node.params if first[p.name.name] is p and (p.static or node.static)]


def _may_make_sizes(kind: ast.TypeExpr | None) -> bool:
    """Return whether a type may mention sizes that are not known yet: that of a function."""
    return any(isinstance(node, ast.FunctionTypeExpr | ast.IndexedType) for node in nodes(kind, ast.NamedType))


def _static_params(ctx: Context, params: list[ast.Param], info: Definition) -> dict[str, core.Parameter]:
    """Static parameters: those that make no sizes come first, since all other types may mention them wherever they
    stand."""
    out: dict[str, core.Parameter] = {}
    for param in params:
        name = param.name.name
        kind = ty.DTYPE if dtype_class(ctx, param) else parameter_type(ctx, info.name, param, static=True)
        out[name] = static_parameter(ctx, param, kind)
    return out


def parameter_type(ctx: Context, owner: str, param: ast.Param, static: bool) -> Type:
    """Return the type as written, of the stage as written; ERROR, and a report, if it is missing."""
    name = param.name.name
    if param.type is None:
        ctx.report(errors.calls.missing_type(owner, name, param.span))
        return ty.ERROR
    type_ = elaborate(ctx, param.type, static)
    if static and is_traced(type_) and not isinstance(type_, ty.TypeVar):
        ctx.report(errors.stages.static_needs_static_type(name, param.type.span))
        return ty.ERROR
    if not static and is_static(type_) and not _is_functions(type_):
        ctx.report(errors.stages.needs_static(type_, name, param.span))
        return ty.ERROR
    return type_


def dtype_class(ctx: Context, param: ast.Param) -> str | None:
    """`static d: Float`: a dtype of that class, where no type has its name."""
    match param.type:
        case ast.NamedType((name,) as path) if name.name in dt.CLASSES:
            return None if ctx.program.declared_type(ctx, path) else name.name
        case _:
            return None


def static_parameter(ctx: Context, param: ast.Param, kind: Type) -> core.Parameter:
    """A static parameter, bound in the context's scope to what is known of it: its own name."""
    allowed = dt.CLASSES[dtype_class(ctx, param) or "Any"]
    made, known = _binder(ctx, param.name.name, kind, param.name.span, allowed)
    shown = ty.INT if kind == ty.SIZE else kind
    term = Term(core.Local(made.span, shown, made.id, made.name), shown, known)
    ctx.scope.bind(made.name, term, made.span, "static")
    return replace(made, keyword_only=param.keyword_only)


def _binder(
    ctx: Context, name: str, kind: Type, span: Span, allowed: tuple[dt.DType, ...] = dt.ALL
) -> tuple[core.Parameter, Known | None]:
    """A static parameter, or a part of one that is a tuple or record, and what is known of it."""
    made = core.Parameter(name, ctx.fresh_id(), kind, span, True)
    known: Known | None = StaticName(made.id, name)
    if kind in (ty.INT, ty.SIZE):
        size = SizeVar(ctx.fresh_id(), name, kind == ty.SIZE)
        made, known = replace(made, size=size), Size.of(size)
    elif kind in (ty.SHAPE, ty.INTS):
        shape = ShapeVar(ctx.fresh_id(), name, signed=kind == ty.INTS)
        made, known = replace(made, shape=shape), Shape((Splice(shape),))
    elif kind == ty.DTYPE:
        dtype = DTypeVar(ctx.fresh_id(), name, allowed)
        made, known = replace(made, dtype=dtype), dtype
    elif kind == ty.BOOLEAN:
        known = flag(StaticName(made.id, name))
    elif isinstance(kind, ty.FunctionType):
        known = Monomorphic(kind)
    elif is_product(kind):
        names = [str(part) for part in part_names(kind)]
        inside = zip(names, children(kind), strict=True)
        parts = [_binder(ctx, f"{name}.{part}", type_, span) for part, type_ in inside]
        made, knowns = replace(made, parts=tuple([p for p, _ in parts])), tuple([k for _, k in parts])
        known = Parts(knowns) if isinstance(kind, ty.TupleType) else Fields(tuple(zip(names, knowns, strict=True)))
    return made, known


def _traced_params(ctx: Context, node: ast.Def, done: dict[str, core.Parameter]) -> dict[str, core.Parameter]:
    out: dict[str, core.Parameter] = {}
    for param in node.params:
        name = param.name.name
        if name in done or name in out:
            continue
        kind = parameter_type(ctx, node.name.name, param, static=False)
        out[name] = core.Parameter(name, ctx.fresh_id(), kind, param.name.span, False, param.keyword_only)
    return out


def _is_functions(kind: Type) -> bool:
    """Return whether a value consists of functions alone, which are static without a word."""
    return not any_leaf(kind, lambda leaf: not isinstance(leaf, ty.FunctionType))


def _bind_params(ctx: Context, params: tuple[core.Parameter, ...], scope: Scope) -> None:
    for param in params:
        if param.static:
            continue
        known = Monomorphic(param.type) if isinstance(param.type, ty.FunctionType) else None
        term = Term(core.Local(param.span, param.type, param.id, param.name), param.type, known)
        scope.bind(param.name, term, param.span, "param")
        ctx.program.task.origins[param.id] = (param.span, None)


def _index_facts(kinds: Iterable[Type]) -> Iterator[Prop]:
    """A body that is given an `idx[n]` knows that n is at least 1; a default has to meet that itself."""
    for kind in kinds:
        if isinstance(kind, ty.IndexType) and not kind.shape.dims:
            yield fa.ge(kind.bound, 1)
        elif is_product(kind):
            yield from _index_facts(children(kind))


# ---------------------------------------------------------------- result, effects, where, defaults


def _result(ctx: Context, node: ast.Def) -> tuple[Type, Row]:
    effects = PURE if node.effects is None else elaborate_row(ctx, node.effects)
    if node.result is None:
        return ty.ERROR, effects
    return elaborate(ctx, node.result, static=node.static), effects


def _by_name(ctx: Context, info: Definition, params: Mapping[str, core.Parameter], result: Type) -> Row:
    """The effect of an operation that is known by the first text that it is given."""
    name = next((param for param in params.values() if param.static and param.type == ty.STRING), None)
    if name is None:
        ctx.report(errors.effects.operation_without_name(info.node.name.span, name=info.name))
        return PURE
    if holds_function(result) or holds_static(result):
        ctx.report(errors.effects.not_data(info.node.name.span, name=info.name))
    varying = [p for p in params.values() if not p.static and not isinstance(p.type, ty.FunctionType)]
    if info.form == SHARED and varying:
        ctx.report(errors.effects.shared_varies(varying[0].span, name=info.name, param=varying[0].name))
    path = (StaticName(name.id, name.name),)
    return Row(frozenset([Site(info.module, info.name, path, result, info.form == SHARED)]))


def _where(ctx: Context, node: ast.Def) -> Stated:
    """The stated conditions, each with the message for calls that do not meet it; one knows those before it."""
    conditions: list[tuple[Prop, str | None]] = []
    for stated in node.where:
        after = replace(ctx, facts=ctx.facts.assume(*(prop for prop, _ in conditions)))
        conditions += [(prop, stated.message) for prop in _conditions(after, stated.condition)]
    return tuple(conditions)


def _types(node: ast.Def, params: dict[str, core.Parameter], result: Type) -> Iterator[tuple[Type, Span]]:
    """The types of the parameters and of the result, and where they are written."""
    for param in node.params:
        if param.type is not None and param.name.name in params:
            yield params[param.name.name].type, param.type.span
    if node.result is not None:
        yield result, node.result.span


def _unstated(needed: Iterable[Prop], stated: Sequence[Prop]) -> Iterator[Prop]:
    """Yield the requirements of types and conditions to be meaningful, such as a divisor of at least 1, that do not
    follow from what is stated without a division. They come first, so that a call decides them before it divides."""
    facts = Facts().assume(*(prop for prop in stated if not definedness((prop,))))
    for prop in dict.fromkeys((*definedness(stated), *needed)):
        if not entails(facts, prop):
            yield prop
            facts = facts.assume(prop)


def _conditions(ctx: Context, node: ast.Expr) -> tuple[Prop, ...]:
    with computing_nothing_else(ctx, "a condition"):
        term = ctx.infer(node)
    if term.type == ty.ERROR:
        return ()
    if term.type == ty.BOOLEAN and ctx.program.task.replay.reported:
        return ()
    if term.type != ty.BOOLEAN or not isinstance(term.known, Prop):
        ctx.report(errors.sizes.where_not_static(node.span, ctx, term=term))
        return ()
    if has_gap(term.known, Gap.UNNAMED):
        ctx.report(errors.sizes.where_not_decided(node.span))
        return ()
    prop = fa.simplified(term.known)
    return tuple(prop.props) if isinstance(prop, fa.And) else (prop,)


def _defaults(
    ctx: Context, node: ast.Def, params: dict[str, core.Parameter], info: Definition
) -> tuple[tuple[Prop, Span], ...]:
    """Check the defaults; what they need of the sizes."""
    whole = ctx.scope
    before = len(ctx.body.constraints)
    for place, param in enumerate(node.params):
        if param.default is None or param.name.name not in params:
            continue
        target = params[param.name.name]
        later = {p.name.name for p in node.params[place:]}
        names = {n: b for n, b in whole.names.items() if n not in later}
        earlier = Scope(whole.parent, names, module=whole.module)
        with ctx.body.book.inner() as effects:
            term = ctx.within(earlier).infer(param.default, target.type)
            term = coerce(ctx, term, target.type, Why("default", target.name, info.name, target.span))
        if isinstance(term.known, Shape):
            report_impossible(ctx, own_calls(term.known), param.default.span)
        if effects:
            ctx.report(errors.effects.effect_in_default(param.default.span, ctx, name=target.name, effects=effects))
        if holds_key(target.type):
            ctx.report(errors.keys.key_in_default(param.default.span, name=target.name))
        if target.dtype is not None:
            _require_class(ctx, target.dtype, term, param.default.span)
        info.defaults[target.name] = term
    ctx.body.settle()
    info.dtypes = ctx.body.solver.solution()
    return tuple(ctx.body.constraints[before:])


def _require_class(ctx: Context, target: DTypeVar, term: Term, span: Span) -> None:
    """A default is a dtype of the class of its parameter."""
    known = element_of(term.known)
    if known is not None and not ctx.body.solver.restrict(known, target.allowed):
        ctx.report(errors.dtypes.dtype_not_of_class(known, dt.class_of(target.allowed), span))


def _cells(ctx: Context, effects: Row, node: ast.Def) -> tuple[CellBinding, ...]:
    """The cells of the row, in scope in the body; none may have the name of a parameter."""
    span = node.effects.span if node.effects else node.span
    taken = {p.name.name: p.name.span for p in node.params}
    for label in node.effects.labels if node.effects else ():
        if isinstance(label.cell, ast.Ident) and label.cell.name in taken:
            ctx.report(errors.names.duplicate_name("cell", label.cell.name, label.cell.span, taken[label.cell.name]))
    cells = tuple(CellBinding(e.name, e.kind, e.type, span, 0) for e in effects.effects if isinstance(e, Cell))
    for cell in cells:
        ctx.scope.cells[cell.name] = cell
    return cells


# ---------------------------------------------------------------- determination


def all_facts(signature: core.Signature, info: Definition) -> Facts:
    """Return the facts on which a body may rely."""
    return Facts().assume(conjunction((*signature.where, *info.facts)))
