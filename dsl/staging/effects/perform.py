"""Effects as they happen while staging: checks become codes, cells become values, keys become folds of a
key.

Only `io` and `debug` leave operations behind. Read next: `keys`, `cells`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from dsl.core import core
from dsl.core.formats import Field, escape, parse_format
from dsl.ir.function import Atom, Literal, Var
from dsl.ops import builders
from dsl.ops.io import Emitted, Fields, Sent, emit_print
from dsl.ops.layout import AxesParams
from dsl.ops.table import OPS
from dsl.records import replace
from dsl.staging.effects.named import collected, find_clause
from dsl.staging.env import keys
from dsl.staging.env.cells import Cell
from dsl.staging.env.environment import Frame
from dsl.staging.env.marks import cell_name, mark_call, mark_line, mark_name
from dsl.staging.env.scope import Clause, Store
from dsl.staging.env.signature_matching import solve_signature
from dsl.staging.env.stager import Stager, heard
from dsl.staging.errors import staging_error
from dsl.staging.expressions.arithmetic import apply_unary, coerce_numbers, either
from dsl.staging.expressions.structure import bind
from dsl.staging.intrinsics.elementwise import isfinite
from dsl.staging.values import (
    ATOMS,
    UNIT,
    RecordValue,
    Slot,
    TupleValue,
    Value,
    VariantValue,
    as_atom,
    atoms,
    literal,
    map_leaves,
    zip_leaves,
)
from dsl.types.dtype import I32
from dsl.types.effect import SHARED
from dsl.types.type import Type

# ---------------------------------------------------------------- check


def assert_(s: Stager, node: core.Assert, frame: Frame) -> Value:
    condition = s.eval(node.condition, frame)
    message = "" if node.message is None else str(s.eval(node.message, frame))
    if condition is True:
        return UNIT
    s.b.span = node.span
    failed = apply_unary(s.b, "not", as_atom(condition))
    assert isinstance(failed, ATOMS)
    s.fail_where(failed, node.span, message or "assertion failed")
    return UNIT


def check_index(s: Stager, node: core.CheckIndex, frame: Frame) -> Value:
    value = as_atom(s.eval(node.value, frame))
    bound = frame.variables.size(node.bound)
    s.b.span = node.span
    value = builders.convert(s.b, value, I32)
    bounds(s, value, bound, node)
    return value


def bounds(s: Stager, index: Atom, size: int, node: core.CheckIndex) -> None:
    """Fails where an element of `index` is not in `0 … size - 1`."""
    type = index.type
    low = builders.compare(s.b, "lt", index, literal(0, type.dtype, type.shape))
    high = builders.compare(s.b, "ge", index, literal(size, type.dtype, type.shape))
    outside = any_of(s, either(s.b, low, high))
    s.fail_where(outside, node.span, f"index out of bounds for an axis of size {size}")


def any_of(s: Stager, flags: Atom) -> Atom:
    rank = flags.type.rank
    return s.b.emit(OPS["reduce_or"], AxesParams(tuple(range(rank))), (flags,))[0] if rank else flags


def stage_checked(s: Stager, node: core.Checked, frame: Frame) -> Value:
    value = s.eval(node.value, frame)
    s.b.span = node.span
    for atom in atoms(value):
        if atom.type.dtype.is_inexact:
            bad = apply_unary(s.b, "not", isfinite(s.b, atom))
            assert isinstance(bad, ATOMS)
            s.fail_where(any_of(s, bad), node.span, "the value holds NaN or infinity")
    return value


def handle_checks(s: Stager, node: core.HandleChecks, frame: Frame) -> Value:
    outer, scope, listening = s.code, s.scope, s.listening
    name = heard(listening)
    s.cells[name] = Cell("check", literal(0, I32))
    s.code, s.listening = None, listening + 1
    s.scope = replace(scope, check=listening + 1)
    value = s.eval(node.body, frame)
    code = s.code or literal(0, I32)
    s.code, s.scope, s.listening = outer, scope, listening
    passed = as_atom(s.cells.pop(name).value)
    if not isinstance(passed, Literal):
        s.record(passed)
    failed = builders.compare(s.b, "ne", code, literal(0, I32))
    return TupleValue((value, RecordValue((("code", code), ("failed", failed)))))


# ---------------------------------------------------------------- io


def print_(s: Stager, node: core.Print, frame: Frame) -> Value:
    template = str(s.eval(node.template, frame))
    args = [s.eval(arg, frame) for arg in node.args]
    s.b.span = node.span
    emitted: Emitted = ()
    if node.emit:
        emitted = (template, *map(_emitted, args))
        template = escape(template) + ": {}" * len(args)
    try:
        fixed, traced = _fixed(template, args)
    except ValueError:
        message = f"the format {template!r} does not fit these values"
        raise staging_error("E0327", message, node.template.span, chain=s.chain) from None
    emit_print(s.b, fixed, tuple(traced), emitted, node.ordered)
    return UNIT


def _emitted(value: Value) -> Sent:
    """Return the value sent to listeners of an `emit`; None if it is traced."""
    match value:
        case Var() | Literal():
            return None
        case TupleValue(parts):
            return tuple(map(_emitted, parts))
        case RecordValue(fields):
            return Fields(tuple([name for name, _ in fields]), tuple([_emitted(part) for _, part in fields]))
        case int() | float() | complex() | str() | tuple():
            return value
        case _:
            return _text(value)


def _fixed(template: str, args: Sequence[Value]) -> tuple[str, list[Atom]]:
    """The format over traced operands only: every field numbered anew, static values put in as text. Raises ValueError
    where it is malformed, or does not fit the values."""
    format = parse_format(template)
    if format.count != len(args):
        raise ValueError(template)
    traced: list[Atom] = []
    pieces = [escape(field.text) + _place(field, args[field.place], traced) for field in format.fields]
    return "".join(pieces) + escape(format.rest), traced


def _place(field: Field, value: Value, traced: list[Atom]) -> str:
    """The format of one value; what is traced of it is one more operand."""
    match value:
        case Var() | Literal():
            traced.append(value)
            _require(field, field.shows("array" if value.type.rank else value.type.dtype.name))
            return "{" + str(len(traced) - 1) + field.suffix + "}"
        case TupleValue(parts) if not field.suffix:
            places = [_place(field, part, traced) for part in parts]
            return f"({', '.join(places)}{',' * (len(places) == 1)})"
        case RecordValue(fields) if not field.suffix:
            return "{{" + ", ".join([f"{name} = {_place(field, part, traced)}" for name, part in fields]) + "}}"
        case _:
            shown = value if isinstance(value, int | float | complex | str) else _text(value)
            _require(field, field.fits(shown))
            return escape(field.pattern.format(shown))


def _require(field: Field, fits: bool) -> None:
    if not fits:
        raise ValueError(field.suffix)


def _text(value: Value) -> str:
    match value:
        case VariantValue(_, variant, parts):
            return f"{variant}({', '.join(map(_text, parts))})" if parts else variant
        case _:
            return str(value)


# ---------------------------------------------------------------- cells


def read_cell(s: Stager, node: core.ReadCell, frame: Frame) -> Value:
    s.b.span = node.span if s.marking else s.b.span
    return mark_name(s, cell_name(node.cell), s.cells[s.scope.cells[node.cell]].value)


def write_cell(s: Stager, node: core.WriteCell, frame: Frame) -> Value:
    value = s.eval(node.value, frame)
    s.b.span = node.span
    name = s.scope.cells[node.cell]
    cell = s.cells[name]
    if node.op == "+=":
        value = zip_leaves(lambda x, y: _added(s, x, y), cell.value, value)
    else:
        value = zip_leaves(_as, cell.value, value)
    s.cells[name] = cell.at(mark_name(s, cell_name(node.cell), value))
    return UNIT


def _added(s: Stager, total: Value, value: Value) -> Value:
    assert isinstance(total, ATOMS)
    return builders.add(s.b, total, _array(value, total))


def _array(value: Value, like: Atom) -> Atom:
    if isinstance(value, ATOMS):
        return value
    assert isinstance(value, bool | int | float | complex)
    return literal(value, like.type.dtype, like.type.shape)


def _as(old: Value, value: Value) -> Value:
    return _array(value, old) if isinstance(old, ATOMS) else value


def handle_cell(s: Stager, node: core.HandleCell, frame: Frame) -> Value:
    if node.init is None:
        init = zero_of(node.cell_type, frame)
    else:
        init = map_leaves(_traced, coerce_numbers(s.eval(node.init, frame), node.cell_type, frame))
    init = mark_name(s, cell_name(node.cell), init)
    value, final = with_cell(s, node.cell, Cell(node.kind, init), lambda: s.eval(node.body, frame))
    return TupleValue((value, final))


def _traced(leaf: Value) -> Value:
    return as_atom(leaf) if isinstance(leaf, bool | int | float | complex) else leaf


def zero_of(type: Type, frame: Frame) -> Value:
    """Zeros of a type whose sizes and dtypes are known."""
    structure = frame.variables.skeleton(type)
    return map_leaves(lambda leaf: builders.zeros(leaf.type) if isinstance(leaf, Slot) else leaf, structure)


def with_cell(s: Stager, name: str, cell: Cell, body: Callable[[], Value]) -> tuple[Value, Value]:
    """The body with one more cell; its value and what the cell holds in the end."""
    scope, opened = s.scope, _named(s, name)
    s.cells[opened] = cell
    s.scope = scope.with_cell(name, opened)
    value = body()
    s.scope = scope
    return value, s.cells.pop(opened).value


def _named(s: Stager, name: str) -> str:
    """A name for a cell that no open one has."""
    return next(each for each in (f"{name} {k}" for k in count()) if each not in s.cells)


# ---------------------------------------------------------------- rand


def handle_rng(s: Stager, node: core.HandleRng, frame: Frame) -> Value:
    key = as_atom(s.eval(node.key, frame))
    outer, scope = s.keys, s.scope
    s.keys = (*(outer or ()), keys.KeySource(key, len(s.path)))
    s.scope = replace(scope, rng=len(s.keys) - 1)
    value = s.eval(node.body, frame)
    s.keys, s.scope = outer, scope
    return value


def fresh_key(s: Stager, node: core.FreshKey, frame: Frame) -> Value:
    assert s.keys is not None, "a draw without a handler"
    s.b.span = node.span
    source = s.keys[s.scope.rng]
    return keys.draw(s.b, source, s.session.places.number([*s.path[source.depth :], node.span]))


# ---------------------------------------------------------------- a user's own effects


def operation(s: Stager, node: core.Operation, frame: Frame) -> Value:
    """Evaluates the clause of the innermost handler at the operation, outside of that handler."""
    args = [s.eval(arg, frame) for arg in node.args]
    clause, path, found = find_clause(s.scope, (node.module, node.name), args)
    evaluate = partial(_clause, s, node, frame, clause, path, args, found)
    if clause.store is None:
        return evaluate()
    if path not in clause.store.values:
        clause.store.values[path] = _evaluated_outside(s, clause.store, node, frame, evaluate)
    return clause.store.values[path]


def _evaluated_outside(
    s: Stager, store: Store, node: core.Operation, frame: Frame, evaluate: Callable[[], Value]
) -> Value:
    """The value of an operation that is the same wherever it is performed, computed where its handler stands."""
    begun = len(store.builder.equations)
    inside = s.open[s.open.index(store.builder) + 1 :]
    with s.outside(store.builder, store.keys):
        value = map_leaves(_traced, coerce_numbers(evaluate(), node.type, frame))
    used = [x for equation in store.builder.equations[begun:] for x in equation.inputs]
    if any(s.is_inside(x, inside[0]) for x in (*used, *atoms(value)) if inside):
        message = f"what `{node.name}` is given depends on a value of the loop that it is performed in"
        raise staging_error("E0725", message, node.span, chain=s.chain)
    return value


def _clause(
    s: Stager,
    node: core.Operation,
    frame: Frame,
    clause: Clause,
    path: Sequence[str],
    args: Sequence[Value],
    found: Sequence[Value],
) -> Value:
    """Return the value of a clause; `found` is the operation's field of its record. The keys that it draws for an
    operation by name depend on this name, not on the place of the operation."""
    inner = _clause_frame(clause, args, [frame.variables.meaning(meaning) for meaning in node.hidden])
    scope, calls = s.scope, s.path
    s.scope, s.path = replace(clause.scope, front=scope.front), [*calls]
    s.enter(node.name, node.span)
    if clause.node.form is not None:
        s.path = [*calls[: clause.place], f"{node.name} {'.'.join(path)}"]

    def stage() -> Value:
        for pattern, arg in zip(clause.node.params, (*args, *found), strict=True):
            bind(s, pattern, arg, inner)
        mark_line(s, clause.node.body)
        return s.eval(clause.node.body, inner)

    value = mark_call(s, node.name, node.span, clause.node.body.span, stage) if s.session.marked else stage()
    s.leave()
    s.scope, s.path = scope, calls
    return value


def _clause_frame(clause: Clause, args: Sequence[Value], hidden: Sequence[Any]) -> Frame:
    """The frame of a handler, with what the variables and parameters of an operation stand for in one call."""
    signature = clause.node.signature
    names = {param.id: arg for param, arg in zip(signature.params, args, strict=True)}
    variables = clause.frame.variables.with_inner(partial(solve_signature, signature, names, axes={}))
    variables.bind(tuple(zip(signature.hidden, hidden, strict=True)))
    return Frame(variables, {**clause.frame.locals, **names})


def resume(s: Stager, node: core.Resume, frame: Frame) -> Value:
    """Tail-resumptive: what is resumed with is the value of the operation."""
    return s.eval(node.value, frame)


def handle_user(s: Stager, node: core.HandleUser, frame: Frame) -> Value:
    scope = s.scope
    if node.record is not None:
        store = Store(s.b, s.keys)
        value: Value = _handled(s, node, frame, store)
        value = TupleValue((value, collected(store, node.record, frame, node.span)))
    elif node.cell is None:
        value = _handled(s, node, frame)
    else:
        assert node.init is not None and node.cell_type is not None
        init = map_leaves(_traced, coerce_numbers(s.eval(node.init, frame), node.cell_type, frame))
        value = TupleValue(with_cell(s, node.cell, Cell("state", init), lambda: _handled(s, node, frame)))
    s.scope = scope
    return value


def _handled(s: Stager, node: core.HandleUser, frame: Frame, store: Store | None = None) -> Value:
    around = s.scope
    sources = [None if c.source is None else s.eval(c.source, frame) for c in node.clauses]
    stores = [_store_of(s, clause, store) for clause in node.clauses]
    each = zip(node.clauses, sources, stores, strict=True)
    clauses = [Clause(clause, frame, around, len(s.path), record, kept) for clause, record, kept in each]
    s.scope = around.with_clauses({(one.node.module, one.node.name): one for one in clauses})
    return s.eval(node.body, frame)


def _store_of(s: Stager, clause: core.HandlerClause, collecting: Store | None) -> Store | None:
    """Return the store of a clause whose values are collected, or shared."""
    if clause.form is not None and collecting is not None:
        return collecting
    return Store(s.b, s.keys) if clause.form == SHARED else None


def handle_scope(s: Stager, node: core.HandleScope, frame: Frame) -> Value:
    name, around = s.eval(node.name, frame), s.scope
    s.scope = replace(around, front=(*around.front, str(name)))
    value = s.eval(node.body, frame)
    s.scope = around
    return value
