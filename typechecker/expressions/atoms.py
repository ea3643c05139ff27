"""Literals, names, tuples, records, fields, lists and cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.effect import Cell
from dsl.types.shape import Shape, Splice
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import add_axes, strip, with_field
from typechecker import errors
from typechecker.declarations.modules import library_homes
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.scope import CellBinding, DistinctNames
from typechecker.env.value_facts import of_elements, of_type
from typechecker.env.values import (
    NOTHING,
    Elementwise,
    Fields,
    Known,
    Parts,
    Term,
    Traced,
    error_term,
    require_types,
    static_term,
)
from typechecker.errors.repairs import other_libraries
from typechecker.errors.repairs.trees import enclosing
from typechecker.relations.coercion import Why, coerce, join
from typechecker.relations.numeric_literals import as_array
from typechecker.types.data_sizes import deciding
from typechecker.types.predicates import holds_static, is_number, is_traced, present_type


def literal(
    ctx: Context, node: ast.NumberLit | ast.BoolLit | ast.StringLit | ast.NoneLit, expected: Type | None
) -> Term:
    return make_constant(None if isinstance(node, ast.NoneLit) else node.value, node.span)


def make_constant(value: core.Literal, span: Span) -> Term:
    node = core.constant(value, span)
    match value:
        case None:
            return Term(node, node.type, NOTHING)
        case bool():
            return Term(node, node.type, fa.Known(value))
        case int():
            return Term(node, node.type, Size.of(value))
        case _:
            return Term(node, node.type, value)


def name(ctx: Context, node: ast.Name, expected: Type | None) -> Term:
    """A name in scope. An effect variable is not a value: it hides no definition. Where a signature wants a variant, a
    name is no new size."""
    binding = ctx.scope.lookup(node.name)
    if binding is not None and binding.kind == "effect":
        binding = None
    cell = ctx.scope.cell(node.name)
    if cell is not None:
        return read_cell(ctx, cell, node.span)
    if binding is None:
        variant = expected is not None and isinstance(present_type(expected), ty.EnumType)
        around = ctx.within(ctx.program.module_at(ctx).scope) if variant else ctx
        signature = around.scope.makes_sizes
        found = (ctx.program.own_name if signature else ctx.program.global_name)(around, node.name, node.span)
        if found is not None:
            return at_place(found, node.span)
        binding = around.scope.unknown(node.name, node.span)
        if binding is None:
            return _unknown(ctx, node)
    return at_place(binding.term, node.span)


def callee(ctx: Context, node: ast.Expr) -> Term:
    """The function of a call: a name there is never a new size variable."""
    if isinstance(node, ast.Name) and ctx.scope.lookup(node.name) is None and ctx.scope.makes_sizes:
        found = ctx.program.global_name(ctx.within(ctx.program.module_at(ctx).scope), node.name, node.span)
        if found is None:
            return _unknown(ctx, node)
        return found
    return ctx.infer(node)


def _unknown(ctx: Context, node: ast.Name) -> Term:
    known = ctx.program.visible_names(ctx)
    aliases = ctx.program.module_at(ctx).aliases
    named = aliases.get(node.name)
    if named is not None and isinstance(named.value, ast.RecordTypeExpr):
        ctx.refuse(errors.names.record_type(node.name, [field.name for field, _ in named.value.fields], node.span))
    alias = next((a for a in aliases.values() if not a.params and a.value.span.covers(node.span)), None)
    if alias is not None and node.name not in known:
        ctx.refuse(errors.names.in_alias(node.name, alias.name, alias.value.span, known, node.span))
    own, homes = _homes(node, known)
    others = [each for each in known if each != ctx.body.owner]
    call = other_libraries.rewritten_call(ctx, node.span.start, node.span, others, homes[0] if len(homes) == 1 else "")
    ctx.refuse(errors.names.unknown_name(ctx, node.name, others, node.span, own, homes, call))


def _homes(node: ast.Name, known: Collection[str]) -> tuple[str, Sequence[str]]:
    """Return what a name means, and the modules of the library that have that: of several those that are named before
    it, or imported, if any."""
    is_called = any(call.function.span == node.span for call in enclosing(node.span, ast.Call))
    names = errors.names.meant(node.name, node.span)
    found = {name: library_homes(name, is_called) for name in names}
    own = next((name for name in names if found[name]), names[-1])
    path, homes = errors.names.path_of(node.name, node.span), found[own]
    return own, [home for home in homes if home in path] or [home for home in homes if home in known] or homes


def at_place(term: Term, span: Span) -> Term:
    """A bound term mentioned at another place."""
    if isinstance(term.core, _MENTIONED):
        return Term(replace(term.core, span=span), term.type, term.known)
    return term


_MENTIONED = core.Local | core.Global | core.Const | core.SizeOf | core.ShapeOf | core.DTypeOf


# ---------------------------------------------------------------- tuples and records


def tuple_literal(ctx: Context, node: ast.TupleLit, expected: Type | None) -> Term:
    """`(a, b)`."""
    wanted = present_type(expected)
    parts = wanted.parts if isinstance(wanted, ty.TupleType) else ()
    if isinstance(wanted, ty.StaticType):
        parts = (ty.INT,) * len(node.items)
    hints = parts if len(parts) == len(node.items) else (None,) * len(node.items)
    terms = [ctx.infer(item, hint) for item, hint in zip(node.items, hints, strict=True)]
    return make_tuple(terms, node.span)


def make_tuple(terms: list[Term], span: Span) -> Term:
    kind = ty.TupleType(tuple(t.type for t in terms))
    known = Parts(tuple(t.known for t in terms))
    return Term(core.Tuple(span, kind, tuple(t.core for t in terms)), kind, known)


def record_literal(ctx: Context, node: ast.RecordLit, expected: Type | None) -> Term:
    """`{x: a}`."""
    kind = present_type(expected)
    wanted = kind if isinstance(kind, ty.RecordType) else None
    fields: dict[str, Term] = {}
    distinct = DistinctNames("field", ctx.report)
    for ident, value in node.fields:
        term = ctx.infer(value, wanted.field(ident.name) if wanted else None)
        if distinct.add(ident):
            fields[ident.name] = term
    same = wanted is not None and {name for name, _ in wanted.fields} == fields.keys()
    return make_record(fields, node.span, wanted.order if same and wanted is not None else None)


def make_record(fields: Mapping[str, Term], span: Span, order: tuple[str, ...] | None = None) -> Term:
    """A record of these fields. Python sees them in the order in which they are here, or in another."""
    kind = ty.RecordType.written([(name, term.type) for name, term in fields.items()])
    kind = kind if order is None else ty.RecordType(kind.fields, order=order)
    known = Fields(tuple([(n, fields[n].known) for n in sorted(fields)]))
    return Term(core.Record(span, kind, tuple((n, t.core) for n, t in fields.items())), kind, known)


def tuple_item(ctx: Context, node: ast.TupleItem, expected: Type | None) -> Term:
    """`t.0`."""
    base = ctx.typed(node.base)
    axes, kind = _behind_axes(base.type)
    if not isinstance(kind, ty.TupleType):
        ctx.refuse(errors.indices.not_a_tuple(ctx, base, node.index, node.span))
    count = len(kind.parts)
    if node.index >= count:
        ctx.refuse(errors.indices.no_tuple_position(node.span, index=node.index, count=count, last=count - 1))
    part = ctx.resolve(add_axes(kind.parts[node.index], axes))
    known = base.known.items[node.index] if isinstance(base.known, Parts) else None
    return Term(core.Project(node.span, part, base.core, node.index), part, known)


def field(ctx: Context, node: ast.Field, expected: Type | None) -> Term:
    """`r.x`, `m.f` of a module, `x.shape` and other properties."""
    module = module_of(ctx, node.base)
    if module is not None:
        return at_place(ctx.program.member(ctx, module, node.name.name, node.name.span), node.span)
    base = ctx.typed(node.base)
    found = select(ctx, base, node.name.name, node.span)
    if found is None:
        ctx.refuse(errors.indices.no_field(ctx, base, node.name.name, node.name.span))
    return found


def module_of(ctx: Context, node: ast.Expr) -> str | None:
    """The module an expression names, if no local shadows it."""
    if not isinstance(node, ast.Name) or ctx.scope.lookup(node.name) is not None:
        return None
    return ctx.program.imported_module(ctx, node.name)


def select(ctx: Context, base: Term, name: str, span: Span) -> Term | None:
    """A field of a record, or one of the static properties of arrays; None if there is no such thing."""
    axes, inner = _behind_axes(base.type)
    if isinstance(inner, ty.RecordType):
        found = inner.field(name)
        if found is not None:
            part = ctx.resolve(add_axes(found, axes))
            known = base.known.get(name) if isinstance(base.known, Fields) else None
            return Term(core.Select(span, part, base.core, name), part, known)
        return None
    return _property(ctx, base, name, span)


def _behind_axes(type_: Type) -> tuple[Shape, Type]:
    """The axes in front of a tuple or record, and what it is. Only the part that is selected is worth resolving."""
    return (type_.axes, type_.element) if isinstance(type_, ty.StackedType) else (Shape(()), type_)


def _property(ctx: Context, base: Term, name: str, span: Span) -> Term | None:
    kind = ctx.resolve(base.type)
    match kind:
        case ty.ArrayType(element, shape):
            pass
        case ty.IndexType(_, shape):
            element = dt.I32
        case ty.KeyType(shape) if name != "dtype":
            element = dt.U32
        case _:
            return None
    match name:
        case "shape":
            return deciding(base.core, static_term(shape, ty.SHAPE, span))
        case "dtype":
            return static_term(ctx.body.solver.element(element), ty.DTYPE, span)
        case "ndim":
            return static_term(shape.rank_size(), ty.INT, span)
        case "size":
            return deciding(base.core, static_term(shape.product(), ty.INT, span))
        case "T" if shape.trailing < 2 and not isinstance(kind, ty.KeyType):
            ctx.refuse(errors.indices.no_transpose(ctx, base, shape, span))
        case "T" if not isinstance(kind, ty.KeyType):
            function = ctx.program.of_prelude("matrix_transpose", span)
            return ctx.program.rules.apply(ctx, function, [Arg(None, base, span)], span, None).term
        case _:
            return None


def record_update(ctx: Context, node: ast.RecordUpdate, expected: Type | None) -> Term:
    """`{r with x = a}`."""
    base = ctx.infer(node.base)
    updates: list[tuple[tuple[str, ...], core.Expr]] = []
    kind, known = ctx.resolve(base.type), base.known
    distinct = DistinctNames("field", ctx.report)
    for path, value in node.updates:
        name = ".".join(ident.name for ident in path)
        distinct.add_at(name, path[0].span.to(path[-1].span))
        target = _field_type(ctx, base, kind, path)
        term = ctx.infer(value, target)
        names = tuple(i.name for i in path)
        if target is not None:
            taken = _taking(ctx, target, term)
            with ctx.attempt() as attempt:
                term = coerce(ctx, term, taken, Why("annotation", name))
            if taken is not target:
                kind = with_field(kind, names, ty.ERROR if attempt.failed else taken)
        known = with_known(known, names, term.known)
        updates.append((names, term.core))
    return Term(core.Update(node.span, kind, base.core, tuple(updates)), kind, known)


def _field_type(ctx: Context, base: Term, kind: Type, path: Sequence[ast.Ident]) -> Type | None:
    """The type of a field inside of a record, with the axes of what it stands in; None after a report."""
    target = kind
    for ident in path:
        axes, inner = _behind_axes(ctx.resolve(target))
        found = inner.field(ident.name) if isinstance(inner, ty.RecordType) else None
        if found is None:
            if inner != ty.ERROR:
                ctx.report(errors.indices.no_field(ctx, base, ident.name, ident.span, inner))
            return None
        target = add_axes(found, axes)
    return target


def _taking(ctx: Context, field: Type, value: Term) -> Type:
    """The type of a field once it is given a value: a static number gives way to one of a run."""
    given = ctx.resolve(value.type)
    if not is_number(field) or not is_traced(given):
        return field
    return given if isinstance(given, ty.IndexType) and not given.shape.dims else as_array(ctx, field)


def with_known(known: Known | None, path: Sequence[str], value: Known | None) -> Known | None:
    """Return the facts about a record with one field replaced."""
    if not path:
        return value
    if not isinstance(known, Fields):
        return None
    return Fields(tuple((n, with_known(k, path[1:], value) if n == path[0] else k) for n, k in known.items))


# ---------------------------------------------------------------- lists


def list_literal(ctx: Context, node: ast.ListLit, expected: Type | None) -> Term:
    """A stack of its items, or a shape where one is expected, or where a `*s` stands in it."""
    expected = present_type(expected)
    whole = ctx.body.static and expected is None and _of_static_integers(ctx, node)
    if whole or expected in (ty.SHAPE, ty.AXES, ty.INTS) or any(isinstance(i, ast.Splice) for i in node.items):
        return _shape_list(ctx, node, ty.INTS if whole else expected)
    if isinstance(expected, ty.TupleType) or expected == ty.PAIRS:
        return tuple_literal(ctx, ast.TupleLit(plain_items(node), node.span), expected)
    found = strip(expected, 1) if expected is not None else None
    terms = list_items(ctx, node, found[1] if found is not None else None)
    return stacked(ctx, terms, expected, node.span) if terms else _empty(ctx, node, expected)


def list_items(ctx: Context, node: ast.ListLit, hint: Type | None = None) -> list[Term]:
    """The items of a list without a splice."""
    terms = [ctx.infer(item, hint) for item in plain_items(node)]
    require_types(*terms)
    return terms


def stacked(ctx: Context, terms: list[Term], expected: Type | None, span: Span) -> Term:
    """The array of these items, one after the other."""
    common = join(ctx, terms, Why("item"))
    element = as_array(ctx, common)
    if expected in (ty.INT, ty.SIZE) or holds_static(ctx.resolve(element)):
        ctx.refuse(errors.types.cannot_stack(span, ctx, term=terms[0]))
    knowns = [t.known for t in terms]
    items = [coerce(ctx, t, element, Why("item")) for t in terms]
    kind = add_axes(element, Shape((Size.of(len(items)),)))
    known = _listed(_list_known(knowns) or of_elements(ctx, terms, kind), knowns)
    return Term(core.Stack(span, kind, tuple(t.core for t in items)), kind, known)


def _of_static_integers(ctx: Context, node: ast.ListLit) -> bool:
    """Return whether a list in a static function is one of static integers."""
    return bool(node.items) and all(ctx.infer(item).type in (ty.INT, ty.SIZE) for item in plain_items(node))


def plain_items(node: ast.ListLit) -> tuple[ast.Expr, ...]:
    """The items that are no splices."""
    return tuple(i for i in node.items if not isinstance(i, ast.Splice))


def _empty(ctx: Context, node: ast.ListLit, expected: Type | None) -> Term:
    found = strip(expected, 1) if expected is not None else None
    if found is None or expected is None:
        ctx.refuse(errors.types.empty_list(node.span))
    kind = add_axes(as_array(ctx, found[1]), Shape((Size.of(0),)))
    return Term(core.Stack(node.span, kind, ()), kind)


def _listed(known: Known | None, knowns: Sequence[Known | None]) -> Known | None:
    """Return the facts about a vector, with its elements if all are static integers."""
    sizes = tuple([k for k in knowns if isinstance(k, Size)])
    if len(sizes) < len(knowns):
        return known
    return replace(known if isinstance(known, Elementwise) else Elementwise(None, None), items=sizes)


def _list_known(knowns: list[Known | None]) -> Known | None:
    """The range of a list of known integers, or of lists of them."""
    ends = [found for k in knowns if (found := _literal_ends(k)) is not None]
    if len(ends) == len(knowns):
        return Elementwise(Size.of(min(low for low, _ in ends)), Size.of(max(high for _, high in ends)), reached=True)
    first, *others = [k.value if isinstance(k, Traced) else k for k in knowns]
    return Elementwise(first, first + 1) if isinstance(first, Size) and all(s == first for s in others) else None


def _literal_ends(known: Known | None) -> tuple[int, int] | None:
    """The least of known integers, and one more than the greatest."""
    match known:
        case Size(constant=int(value)):
            return value, value + 1
        case Elementwise(Size(constant=int(low)), Size(constant=int(high)), reached=True):
            return low, high
        case _:
            return None


def _shape_list(ctx: Context, node: ast.ListLit, expected: Type | None) -> Term:
    """A list of static integers with splices; where nothing is expected, a shape if none is negative."""
    dims: list[Size | Splice] = []
    items: list[core.Expr | core.Spread] = []
    kind = ty.INTS if expected in (ty.INTS, ty.AXES) else ty.SHAPE
    size = ty.SIZE if expected == ty.SHAPE else ty.INT
    for item in node.items:
        if isinstance(item, ast.Splice):
            term = coerce(ctx, ctx.infer(item.value, kind), kind, Why("static", "shape"))
            items.append(core.Spread(item.span, kind, term.core))
            if isinstance(term.known, Shape):
                dims.extend(term.known.dims)
        else:
            term = coerce(ctx, ctx.infer(item, ty.INT), size, Why("static", "size"))
            items.append(term.core)
            if isinstance(term.known, Size):
                dims.append(term.known)
                kind = kind if expected == ty.SHAPE or ctx.holds(fa.ge(term.known, 0)) else ty.INTS
        if term.is_error or not isinstance(term.known, Shape | Size):
            dims.append(Size.of(ctx.program.error_size()))
    return Term(core.ShapeList(node.span, kind, tuple(items)), kind, Shape(tuple(dims)))


# ---------------------------------------------------------------- cells


def read_cell(ctx: Context, cell: CellBinding, span: Span) -> Term:
    """A `state` cell read by its name."""
    if cell.kind == "accum":
        ctx.refuse(errors.stages.accum_read(span, name=cell.name))
    read = Cell("state", cell.name, cell.type)
    ctx.perform(read, span)
    return Term(core.ReadCell(span, cell.type, str(read)), cell.type, of_type(ctx, ctx.resolve(cell.type), cell.name))


def write_cell(ctx: Context, node: ast.CellWrite) -> Term:
    """`s := e` and `a += e`."""
    cell = ctx.scope.cell(node.cell.name)
    wanted = "state" if node.op == ":=" else "accum"
    if cell is None or cell.kind != wanted:
        return _not_written(ctx, node, wanted, None if cell is None else cell.kind)
    term = coerce(ctx, ctx.infer(node.value, cell.type), cell.type, Why("cell", cell.name, "", cell.span))
    written = Cell(wanted, cell.name, cell.type)
    ctx.perform_write(written, node.span)
    return Term(core.WriteCell(node.span, ty.UNIT, str(written), node.op, term.core), ty.UNIT)


def _not_written(ctx: Context, node: ast.CellWrite, wanted: str, kind: str | None) -> Term:
    """Report a write to what is not such a cell. An undefined cell is reported once: the name is bound to an error from
    here on, in the value that is written, too."""
    name, found = node.cell.name, ctx.scope.lookup(node.cell.name)
    if kind is None and found is not None and found.term.is_error:
        ctx.infer(node.value)
        return error_term(node.span)
    inner = ctx.inner()
    if kind is None and found is None:
        inner.scope.bind(name, error_term(node.span), node.cell.span, "let")
    value = inner.infer(node.value)
    ctx.report(errors.names.not_a_cell(ctx, node, wanted, kind, value.type))
    if kind is None and found is None:
        ctx.scope.bind(name, error_term(node.span), node.cell.span, "let")
    return error_term(node.span)
