"""Type expressions to types.

What a name in a type means is decided by the scope it stands in; an unknown name in the place of a size may become
a new size variable, if the scope says so (`Scope.on_unknown`). Alias parameters are put in place here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import assert_never

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.effect import BUILTINS, KINDS, PURE, SHARED, Axis, Cell, Effect, Row, Site, UserEffect
from dsl.types.facts import ge
from dsl.types.limits import Exceeded, Growth
from dsl.types.shape import Shape, ShapeVar, Splice
from dsl.types.sites import expanded
from dsl.types.size import Size
from dsl.types.type import Type, TypeClass
from dsl.types.walk import add_axes, children, is_product, shapes_in, subtypes
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.known_parts import list_of_sizes
from typechecker.env.scope import DistinctNames, Scope
from typechecker.env.static_values import element_of
from typechecker.env.values import Term, static_term
from typechecker.types.instance import Instance
from typechecker.types.predicates import holds_static
from typechecker.types.size_conditions import require
from typechecker.types.type_classes import cell_type, class_of, is_of_class, leaf_outside_class

STATIC_KINDS: Mapping[str, ty.StaticType] = MappingProxyType(
    {
        "int": ty.INT,
        "float": ty.FLOAT,
        "complex": ty.COMPLEX,
        "str": ty.STRING,
        "size": ty.SIZE,
        "shape": ty.SHAPE,
        "axes": ty.AXES,
        "ints": ty.INTS,
        "pairs": ty.PAIRS,
        "dtype": ty.DTYPE,
    }
)


class Alias(Struct, frozen=True):
    """A declared name of a type: its parameters and what it stands for, in the scope of its module. `types` are the
    parameters that stand for types."""

    name: str
    params: tuple[ast.Generic, ...]
    value: ast.TypeExpr
    scope: Scope
    span: Span
    types: frozenset[str] = frozenset()
    cyclic: bool = False


def elaborate(ctx: Context, node: ast.TypeExpr, static: bool = False) -> Type:
    """The type that a type expression stands for; `static` after the word `static`, where `bool` is not an array.

    Reports what is wrong and gives the error type for it.
    """
    replay = ctx.program.task.replay
    if replay.calls:
        replay.step()
        return _elaborate(ctx, node, static)
    with ctx.program.within_budget(node.span), computing_nothing_else(ctx, "a type"):
        return _elaborate(ctx, node, static)
    return ty.ERROR


@contextmanager
def computing_nothing_else(ctx: Context, what: str) -> Iterator[None]:
    """Report effects inside: the expressions belong to a type and are not run."""
    with ctx.body.book.inner() as effects:
        yield
    for effect, span in effects.items():
        ctx.report(errors.effects.effect_in_type(span, ctx, effect=effect, what=what))


def _elaborate(ctx: Context, node: ast.TypeExpr, static: bool) -> Type:
    match node:
        case ast.NamedType(path, span):
            return _named(ctx, path, span, static, ())
        case ast.IndexedType():
            return _indexed(ctx, node, static)
        case ast.ComputedDType(value):
            return _computed(ctx, value)
        case ast.TupleTypeExpr(parts):
            return ty.TupleType(tuple(elaborate(ctx, p, static) for p in parts))
        case ast.RecordTypeExpr(fields, _):
            return _record(ctx, fields, static)
        case ast.FunctionTypeExpr(params, result, effects, _):
            row = PURE if effects is None else _row_of_function(ctx, effects)
            kinds = tuple(elaborate(ctx, p) for p in params)
            return ty.FunctionType(kinds, elaborate(ctx, result), row)
        case ast.OptionalType(base):
            return ty.OptionalType(elaborate(ctx, base, static))
        case _:
            assert_never(node)


def _computed(ctx: Context, value: ast.Call) -> Type:
    """The type of scalars of the dtype that a static function returns."""
    called = value.function
    if isinstance(called, ast.Name) and called.name in ctx.program.type_names(ctx):
        ctx.report(errors.dtypes.sizes_in_parentheses(value))
        return ty.ERROR
    term = ctx.infer(value, ty.DTYPE)
    element = element_of(term.known) if term.type == ty.DTYPE else None
    if element is not None:
        return ty.ArrayType(element, Shape(()))
    if term.type != ty.ERROR:
        ctx.report(errors.dtypes.not_a_dtype_function(value.span, ctx, term=term))
    return ty.ERROR


def _record(ctx: Context, fields: Sequence[tuple[ast.Ident, ast.TypeExpr]], static: bool) -> Type:
    distinct = DistinctNames("field", ctx.report)
    out: list[tuple[str, Type]] = []
    for ident, kind in fields:
        if distinct.add(ident):
            out.append((ident.name, elaborate(ctx, kind, static)))
    return ty.RecordType.written(out)


def _indexed(ctx: Context, node: ast.IndexedType, static: bool) -> Type:
    base, groups = node.base, [node.args]
    while isinstance(base, ast.IndexedType):
        groups.append(base.args)
        base = base.base
    groups.reverse()
    if isinstance(base, ast.NamedType):
        first = groups[0]
        if len(base.path) == 1 and base.path[0].name == "idx" and ctx.scope.lookup("idx") is None:
            kind = _index_type(ctx, first, node.span)
            groups = groups[1:]
        else:
            declared = ctx.program.declared_type(ctx, base.path)
            takes = isinstance(declared, Alias) and bool(declared.params)
            kind = _named(ctx, base.path, node.span, static, first if takes else ())
            groups = groups[1:] if takes else groups
    else:
        kind = elaborate(ctx, base, static)
    for args in groups if kind != ty.ERROR else ():
        stacked = add_axes(kind, shape_of(ctx, args))
        if stacked == ty.ERROR != kind or holds_static(kind):
            ctx.report(errors.types.no_axes(node.span, static))
        kind = stacked
    return kind


def _index_type(ctx: Context, args: Sequence[ast.Expr | ast.Splice], span: Span) -> Type:
    if len(args) != 1 or isinstance(args[0], ast.Splice):
        ctx.report(errors.names.alias_arity(span, name="idx", wanted=1, given=len(args), params=["n"]))
        return ty.ERROR
    bound = size_of(ctx, args[0])
    return ty.ERROR if bound is None else ty.IndexType(bound, Shape(()))


def shape_of(ctx: Context, args: Sequence[ast.Expr | ast.Splice]) -> Shape:
    """The dims written in brackets; what is wrong is reported and left out as size 0."""
    dims: list[Size | Splice] = []
    for arg in args:
        if isinstance(arg, ast.Splice):
            shape = _spliced(ctx, arg)
            dims.extend(shape.dims)
            continue
        size = size_of(ctx, arg)
        dims.append(Size.of(ctx.program.error_size()) if size is None else size)
    return Shape(tuple(dims))


def _spliced(ctx: Context, node: ast.Splice) -> Shape:
    name = node.value.name if isinstance(node.value, ast.Name) else None
    if name is not None and ctx.scope.lookup(name) is None and not ctx.program.own_name(ctx, name, node.value.span):
        made = ctx.scope.unknown_shape(name, node.value.span)
        if made is not None and isinstance(made.term.known, Shape):
            return made.term.known
    term = ctx.infer(node.value, ty.SHAPE)
    shape = list_of_sizes(term.known)
    if shape is None:
        if term.type != ty.ERROR:
            ctx.report(errors.sizes.not_a_shape(node.span))
        return Shape((Splice(ShapeVar(ctx.fresh_id(), "?", poison=True)),))
    for size in (d for d in shape.dims if isinstance(d, Size) and not d.is_nonnegative()):
        require(ctx, ge(size, 0), node.span, "size")
    return shape


def size_of(ctx: Context, node: ast.Expr) -> Size | None:
    """The size that an expression stands for in a type; reports what is not one, and what may be negative."""
    term = ctx.infer(node, ty.SIZE)
    if term.type == ty.ERROR:
        return None
    if not isinstance(term.known, Size):
        ctx.report(errors.sizes.not_a_size(ctx, term, node.span))
        return None
    size = term.known
    if not size.is_nonnegative():
        require(ctx, ge(size, 0), node.span, "size")
    return size


def _named(
    ctx: Context, path: tuple[ast.Ident, ...], span: Span, static: bool, args: Sequence[ast.Expr | ast.Splice]
) -> Type:
    name = path[-1].name
    if len(path) == 1:
        local = _local_type(ctx, name, span)
        if local is not None:
            return local
    declared = ctx.program.declared_type(ctx, path)
    if declared is not None:
        return _expand(ctx, declared, args, span, static) if isinstance(declared, Alias) else declared
    if len(path) == 1:
        builtin = _builtin(name, static, ctx.in_library)
        if builtin is not None:
            return builtin
        if name == "idx":
            ctx.report(errors.names.alias_arity(span, name="idx", wanted=1, given=0, params=["n"]))
            return ty.ERROR
    if len(path) > 1:
        told = ctx.program.type_of_definition(ctx, path)
        if told is not None:
            return _as_named_here(ctx, told, span)
        if ctx.program.definition_at(ctx, path[:-1]) is not None:
            names = ".".join(part.name for part in path[:-1])
            ctx.report(errors.effects.no_record(span, name=names, what=name))
            return ty.ERROR
    if not ctx.program.is_broken(ctx, path[0].name):
        home = ctx.program.imported_module(ctx, path[0].name) if len(path) == 2 else None
        if home is not None:
            owner = ctx.program.modules[home]
            types = [each for each in (*owner.aliases, *owner.enums) if not each.startswith("_")]
            ctx.report(errors.names.not_a_member(home, name, types, False, path[-1].span))
            return ty.ERROR
        is_value = len(path) == 1 and ctx.scope.lookup(name) is not None
        known = ctx.program.type_names(ctx)
        ctx.report(errors.names.unknown_type(ctx, ".".join(i.name for i in path), known, span, is_value))
    return ty.ERROR


def _as_named_here(ctx: Context, type_: Type, span: Span) -> Type:
    """A type in the signature of a function, with the sizes, shapes, dtypes and types here that have the same names."""
    sizes = {var for shape in shapes_in(type_) for var in shape.vars() if not var.poison}
    shapes = {var for shape in shapes_in(type_) for var in shape.shape_vars()}
    instance = Instance(ctx.body.solver, ctx.facts)
    for var in sorted(sizes, key=lambda var: var.id):
        size = size_of(ctx, ast.Name(var.name, span))
        instance.sizes[var] = Size.of(ctx.program.error_size()) if size is None else size
    for shape_var in sorted(shapes, key=lambda var: var.id):
        instance.shapes[shape_var] = _spliced(ctx, ast.Splice(ast.Name(shape_var.name, span), span))
    for part in subtypes(type_):
        if isinstance(part, ty.TypeVar):
            instance.types[part] = _named(ctx, (ast.Ident(part.name, span),), span, False, ())
        elif isinstance(part, ty.ArrayType) and isinstance(part.dtype, ty.DTypeVar):
            here = _named(ctx, (ast.Ident(part.dtype.name, span),), span, False, ())
            if isinstance(here, ty.ArrayType):
                instance.dtypes[part.dtype] = here.dtype
    return instance.type(type_)


_DTYPES = (ty.DTYPE, ty.OptionalType(ty.DTYPE))


def _local_type(ctx: Context, name: str, span: Span) -> Type | None:
    """A declared generic, a parameter of an alias that is a type, or a static dtype parameter."""
    binding = ctx.scope.lookup(name)
    if binding is None:
        return None
    element = element_of(ctx.infer(ast.Name(name, span)).known) if binding.term.type in _DTYPES else None
    if element is not None:
        return ty.ArrayType(element, Shape(()))
    return binding.term.type if binding.kind == "type" else None


def _builtin(name: str, static: bool, in_library: bool) -> Type | None:
    if static and name == "bool":
        return ty.BOOLEAN
    if name in dt.BY_NAME:
        return ty.ArrayType(dt.BY_NAME[name], Shape(()))
    if name == "key":
        return ty.KeyType(Shape(()))
    return ty.FLAGS if in_library and name == "flags" else STATIC_KINDS.get(name)


def _expand(ctx: Context, alias: Alias, args: Sequence[ast.Expr | ast.Splice], span: Span, static: bool) -> Type:
    if not _arity_fits(alias, args):
        ctx.report(errors.names.alias_arguments(alias.name, alias.params, alias.types, args, span, alias.span))
        return ty.ERROR
    program = ctx.program
    if alias.cyclic:
        return ty.ERROR
    if alias.span in program.memo.exploding:
        program.task.replay.reported.update(Growth)
        return ty.ERROR
    plain = (alias.span, static) if not alias.params else None
    known = program.memo.expanded.get(plain)
    if known is not None:
        return known
    try:
        with program.task.replay.of(alias.name):
            kind = _expanded(ctx, alias, args, span, static)
    except Exceeded:
        program.memo.exploding.add(alias.span)
        raise
    if plain is not None:
        program.memo.expanded[plain] = kind
    return kind


def _expanded(ctx: Context, alias: Alias, args: Sequence[ast.Expr | ast.Splice], span: Span, static: bool) -> Type:
    scope = alias.scope.child()
    for param, given in _paired(alias, args):
        is_type = param.name.name in alias.types
        if param.star:
            term = static_term(shape_of(ctx, given), ty.SHAPE, span)
        elif is_type:
            term = _type_argument(ctx, alias, param, given[0])
        else:
            term = _alias_argument(ctx, param, given[0])
        scope.bind(param.name.name, term, span, "type" if is_type else "alias")
    kind = elaborate(ctx.within(scope), alias.value, static)
    return _named_as(kind, alias, args)


def _paired(
    alias: Alias, args: Sequence[ast.Expr | ast.Splice]
) -> list[tuple[ast.Generic, Sequence[ast.Expr | ast.Splice]]]:
    """Each parameter with what it is given; one `*s` takes what the others leave."""
    star = next((i for i, p in enumerate(alias.params) if p.star), len(alias.params))
    after = len(alias.params) - star - 1
    end = len(args) - max(after, 0)
    out: list[tuple[ast.Generic, Sequence[ast.Expr | ast.Splice]]] = []
    for i, param in enumerate(alias.params):
        if i == star:
            out.append((param, args[star:end]))
        else:
            at = i if i < star else end + i - star - 1
            out.append((param, args[at : at + 1]))
    return out


def _named_as(kind: Type, alias: Alias, args: Sequence[ast.Expr | ast.Splice]) -> Type:
    if not isinstance(kind, ty.RecordType):
        return kind
    shown = ", ".join(("*" if isinstance(a, ast.Splice) else "") + a.span.text.lstrip("*") for a in args)
    name = f"{alias.name}[{shown}]" if args else alias.name
    return ty.RecordType(kind.fields, name, alias.scope.module, kind.order)


def _arity_fits(alias: Alias, args: Sequence[ast.Expr | ast.Splice]) -> bool:
    if any(p.star for p in alias.params):
        return len(args) >= len(alias.params) - 1
    return len(args) == len(alias.params) and not any(isinstance(a, ast.Splice) for a in args)


def _type_argument(ctx: Context, alias: Alias, param: ast.Generic, given: ast.Expr | ast.Splice) -> Term:
    """Return the meaning of a type parameter."""
    type_ = ty.ERROR if isinstance(given, ast.Splice) else elaborate(ctx, _as_type(given))
    wanted = None if param.constraint is None else class_of(ctx, param)
    if isinstance(wanted, TypeClass) and type_ != ty.ERROR and not is_of_class(ctx, type_, wanted):
        found = alias.name, param.name.name, type_, wanted, leaf_outside_class(ctx, type_, wanted)
        ctx.report(errors.dtypes.class_not_met(ctx, *found, given.span))
        type_ = ty.ERROR
    return Term(core.Const(given.span, type_, None), type_)


def _alias_argument(ctx: Context, param: ast.Generic, given: ast.Expr | ast.Splice) -> Term:
    if isinstance(given, ast.Splice):
        return static_term(_spliced(ctx, given), ty.SHAPE, given.span)
    if param.constraint is not None:
        if isinstance(given, ast.Name) and given.name in dt.BY_NAME and ctx.scope.lookup(given.name) is None:
            kind = static_term(dt.BY_NAME[given.name], ty.DTYPE, given.span)
        else:
            kind = ctx.infer(given, ty.DTYPE)
        element = element_of(kind.known)
        if element is not None:
            allowed = dt.CLASSES.get(param.constraint.name, dt.ALL)
            if not ctx.body.solver.restrict(element, allowed):
                ctx.report(errors.dtypes.dtype_not_of_class(element, param.constraint.name, given.span))
            return kind
        ctx.report(errors.sizes.not_a_dtype(given.span))
        return static_term(dt.F32, ty.DTYPE, given.span)
    size = size_of(ctx, given)
    return static_term(Size.of(ctx.program.error_size()) if size is None else size, ty.INT, given.span)


# ---------------------------------------------------------------- effect rows


def elaborate_row(ctx: Context, row: ast.Row) -> Row:
    found: set[Effect] = set()
    cells = DistinctNames("cell", ctx.report)
    for label in row.labels:
        effect = _label(ctx, label)
        if isinstance(effect, Site):
            found |= set(expanded(effect))
        elif effect is not None and (not isinstance(effect, Cell) or cells.add_at(effect.name, label.span)):
            found.add(effect)
    return Row(frozenset(found))


def _label(ctx: Context, label: ast.RowLabel) -> Effect | None:
    name = label.path[-1].name
    if len(label.path) == 1:
        if name in ("state", "accum") and isinstance(label.cell, ast.Ident) and label.type is not None:
            held = elaborate(ctx, _as_type(label.type))
            return Cell(name, label.cell.name, cell_type(ctx, name, label.cell.name, held, label.span))
        if name == "axis" and isinstance(label.cell, ast.StringLit):
            size = None if label.type is None else size_of(ctx, _as_expr(label.type))
            return Axis(label.cell.value, size)
        variable = ctx.program.effect_variable(ctx, name)
        if variable is not None:
            return variable
        if name in BUILTINS:
            return BUILTINS[name]
    user = ctx.program.user_effect(ctx, label.path)
    if user is not None:
        return _performed(ctx, label, UserEffect(*user))
    if not ctx.program.is_broken(ctx, label.path[0].name):
        known = [*KINDS, *ctx.program.effect_names(ctx)]
        ctx.report(errors.names.unknown_operation_of(ctx, label.path, errors.names.unknown_effect, known, label.span))
    return None


def _performed(ctx: Context, label: ast.RowLabel, effect: UserEffect) -> Effect | None:
    """An operation in a row; of one that is known by name, `param(P)` states the record."""
    form = ctx.program.form_of(effect)
    if label.type is None:
        return effect
    if form is None:
        ctx.report(errors.effects.not_by_name(label.span, name=effect.name))
        return None
    return Site(effect.module, effect.name, (), elaborate(ctx, _as_type(label.type)), form == SHARED)


def _row_of_function(ctx: Context, row: ast.Row) -> Row:
    """The row of a type of functions: the record of an operation by name is stated, since there is no body to tell."""
    found = elaborate_row(ctx, row)
    unstated = [e for e in found.effects if isinstance(e, UserEffect) and ctx.program.form_of(e) is not None]
    for effect in unstated:
        ctx.report(errors.effects.record_not_stated(row.span, name=effect.name))
    return Row(found.effects - frozenset(unstated))


def _as_type(node: ast.TypeExpr | ast.Expr) -> ast.TypeExpr:
    """Return an expression as a type, where either may be written."""
    match node:
        case ast.NamedType() | ast.IndexedType() | ast.TupleTypeExpr() | ast.RecordTypeExpr() | ast.OptionalType():
            return node
        case ast.FunctionTypeExpr() | ast.ComputedDType():
            return node
        case ast.Field(ast.Name(module, place), name, span):
            return ast.NamedType((ast.Ident(module, place), name), span)
        case ast.Index(base, items, span):
            args = tuple([item for item in items if not isinstance(item, ast.Slice | ast.EllipsisItem)])
            return ast.IndexedType(_as_type(base), args, span)
        case ast.TupleLit(items, span):
            return ast.TupleTypeExpr(tuple(map(_as_type, items)), span)
        case _:
            return ast.NamedType((ast.Ident(node.span.text, node.span),), node.span)


def _as_expr(node: ast.TypeExpr | ast.Expr) -> ast.Expr:
    if isinstance(node, ast.NamedType):
        return ast.Name(node.path[-1].name, node.span)
    if isinstance(node, ast.ComputedDType):
        return node.value
    if isinstance(
        node,
        ast.IndexedType | ast.TupleTypeExpr | ast.RecordTypeExpr | ast.FunctionTypeExpr | ast.OptionalType,
    ):
        return ast.ErrorExpr(node.span)
    return node


def is_static(kind: Type) -> bool:
    """Return whether a type can only be that of static values."""
    if is_product(kind):
        return bool(children(kind)) and all(map(is_static, children(kind)))
    return isinstance(kind, ty.StaticType | ty.EnumType | ty.FunctionType | ty.OptionalType)
