"""Leaves, blocks and structure: constants, names, lets, tuples, records, literals of arrays, `match`.

Read next: `calls`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from dsl.core import core
from dsl.core.solving import Place
from dsl.ir.function import Atom
from dsl.ops import builders
from dsl.ops.control.call import call
from dsl.staging.env.closure_conversion import close
from dsl.staging.env.environment import Frame
from dsl.staging.env.marks import mark_call, mark_line, mark_name
from dsl.staging.env.scope import OUTERMOST, rebind_effects
from dsl.staging.env.signature_matching import Matcher
from dsl.staging.env.stager import Stager
from dsl.staging.expressions.arithmetic import coerce_numbers, number_like
from dsl.staging.values import (
    ATOMS,
    FUNCTIONS,
    UNIT,
    Closure,
    DefValue,
    RecordValue,
    TupleValue,
    Value,
    VariantValue,
    as_atom,
    as_ints,
    atoms,
    fill,
    leaves,
    map_leaves,
    skeleton,
    zip_leaves,
)
from dsl.types.type import FunctionType

# ---------------------------------------------------------------- leaves


def const(s: Stager, node: core.Const, frame: Frame) -> Value:
    return node.value


def local(s: Stager, node: core.Local, frame: Frame) -> Value:
    value = frame.locals[node.id]
    if isinstance(value, FUNCTIONS) and isinstance(node.type, FunctionType):
        return rebind_effects(value, node.type.effects, s.scope)
    return value


def global_(s: Stager, node: core.Global, frame: Frame) -> Value:
    if not node.module:
        return None  # a function with rules of its own, bound to a name: its calls were checked into what they do
    module = s.session.program.modules[node.module]
    definition = module.functions.get(node.name)
    if definition is None:
        return constant(s, node, frame) if node.name in module.constants else None  # an operation, likewise
    return DefValue(definition)


def constant(s: Stager, node: core.Global, frame: Frame) -> Value:
    """A function without parameters: staged once, on its own, and called wherever it is mentioned. Functions in it are
    checked where they are called, so that sizes there are those of what mentions them."""
    key = node.module, node.name
    made = s.session.constants.get(key)
    if made is None:
        with s.inside() as b:
            value = _constant_value(s, node, frame)
        if any(isinstance(leaf, FUNCTIONS) for leaf in leaves(value)):
            s.b.equations.extend(b.equations)  # functions mention what was computed for them, so it is computed here
            return value
        function, captures = close(b, node.name, atoms(value))
        assert not captures, f"{node.name} mentions values from outside"
        made = s.session.constants[key] = function, skeleton(value)
    function, shape = made
    s.b.span = node.span
    return fill(shape, iter(call(s.b, function, ()) if function.equations else function.results))


def _constant_value(s: Stager, node: core.Global, around: Frame) -> Value:
    definition = s.session.program.modules[node.module].constants[node.name]
    frame = Frame(around.variables.with_inner(lambda _: None, definition.solution), {})
    outer, s.scope = s.scope, OUTERMOST
    s.enter(node.name, node.span)

    def stage() -> Value:
        return coerce_numbers(s.eval(definition.value, frame), definition.type, frame)

    text = definition.value.span
    value = mark_call(s, node.name, node.span, text, stage) if s.session.marked else stage()
    s.leave()
    s.scope = outer
    return value


def size_of(s: Stager, node: core.SizeOf, frame: Frame) -> Value:
    return frame.variables.size(node.size)


def shape_of(s: Stager, node: core.ShapeOf, frame: Frame) -> Value:
    return frame.variables.shape(node.shape)


def dtype_of(s: Stager, node: core.DTypeOf, frame: Frame) -> Value:
    return frame.variables.dtype(node.dtype)


def shape_list(s: Stager, node: core.ShapeList, frame: Frame) -> Value:
    items: list[int] = []
    for item in node.items:
        if isinstance(item, core.Spread):
            items.extend(as_ints(s.eval(item.value, frame)))
        else:
            items.extend(as_ints(s.eval(item, frame)))
    return tuple(items)


def enum_value(s: Stager, node: core.EnumValue, frame: Frame) -> Value:
    return VariantValue(node.enum, node.variant, tuple([s.eval(arg, frame) for arg in node.args]))


def lambda_(s: Stager, node: core.Lambda, frame: Frame) -> Value:
    return Closure(node, frame, s.scope)


def specialise(s: Stager, node: core.Specialise, frame: Frame) -> Value:
    value = s.eval(node.function, frame)
    return with_instance(value, node.instance)


def with_instance(value: Value, instance: int | None) -> Value:
    """The function value with the lambda inside it fixed to one of its bodies."""
    if isinstance(value, Closure) and value.instance is None:
        return Closure(value.node, value.frame, value.scope, instance)
    return value


def opened(s: Stager, node: core.Opened, frame: Frame) -> Value:
    """A value whose sizes a run decides, with what they are here."""
    value, variables = s.eval(node.value, frame), frame.variables.solved()
    for size in node.sizes:
        variables.sizes.pop(size, None)
    matcher = Matcher(variables=variables)
    matcher.bind(node.type, value, Place("here"))
    matcher.settle()
    return value


# ---------------------------------------------------------------- blocks


def sequence(s: Stager, node: core.Sequence, frame: Frame) -> Value:
    handlers, names, patterns = s.handlers, frame.locals, core.Bind
    marking = s.marking
    for statement in node.statements:
        value = statement.value
        if marking:
            mark_line(s, value)
        result = handlers[type(value)](s, value, frame)
        if type(statement) is core.Bound:
            pattern = statement.pattern
            if marking:
                s.b.span = value.span
            if type(pattern) is patterns and not marking:
                names[pattern.id] = result
            else:
                bind(s, pattern, result, frame)
    if marking:
        mark_line(s, node.result)
    return s.eval(node.result, frame)


def bind(s: Stager, pattern: core.Pattern, value: Value, frame: Frame) -> bool:
    """Binds the names of a pattern; False if the pattern does not match (then some may be bound)."""
    match pattern:
        case core.Bind(id, name):
            frame.locals[id] = mark_name(s, name, value)
            return True
        case core.Ignore():
            return True
        case core.Split(parts, axis):
            items = [row(s, value, k) for k in range(len(parts))] if axis else _tuple_parts(value)
            return len(items) == len(parts) and all(bind(s, p, v, frame) for p, v in zip(parts, items, strict=True))
        case core.IsVariant(enum, variant, parts):
            return (
                isinstance(value, VariantValue)
                and value.enum == enum
                and value.variant == variant
                and all(bind(s, p, v, frame) for p, v in zip(parts, value.parts, strict=True))
            )
        case core.IsLiteral(literal):
            return bool(value == literal)
        case _:
            assert_never(pattern)


def _tuple_parts(value: Value) -> Sequence[Value]:
    if isinstance(value, tuple):
        return value
    assert isinstance(value, TupleValue), value
    return value.parts


def row(s: Stager, value: Value, index: int) -> Value:
    """Element `index` of the leading axis of every leaf."""
    return map_leaves(lambda leaf: _row(s, leaf, index), value)


def _row(s: Stager, leaf: Value, index: int) -> Value:
    if isinstance(leaf, tuple):
        return leaf[index]
    assert isinstance(leaf, ATOMS), leaf
    part = builders.slice_axis(s.b, leaf, 0, index, index + 1)
    return builders.reshape(s.b, part, leaf.type.shape[1:])


def match(s: Stager, node: core.Match, frame: Frame) -> Value:
    subject = s.eval(node.subject, frame)
    for pattern, body in node.arms:
        if bind(s, pattern, subject, frame):
            mark_line(s, body)
            return s.eval(body, frame)
    raise AssertionError(f"no arm matches {subject!r}")


# ---------------------------------------------------------------- structure


def tuple_(s: Stager, node: core.Tuple, frame: Frame) -> Value:
    return TupleValue(tuple([s.eval(item, frame) for item in node.items])) if node.items else UNIT


def project(s: Stager, node: core.Project, frame: Frame) -> Value:
    base = s.eval(node.base, frame)
    if isinstance(base, tuple):
        return base[node.index]
    return _tuple_parts(base)[node.index]


def record(s: Stager, node: core.Record, frame: Frame) -> Value:
    """Evaluated as written, kept sorted by name."""
    fields = [(name, s.eval(value, frame)) for name, value in node.fields]
    return RecordValue(tuple(sorted(fields, key=lambda field: field[0])))


def select(s: Stager, node: core.Select, frame: Frame) -> Value:
    base = s.eval(node.base, frame)
    assert isinstance(base, RecordValue), base
    return base.get(node.field)


def update(s: Stager, node: core.Update, frame: Frame) -> Value:
    base = s.eval(node.base, frame)
    for path, value in node.updates:
        base = _updated(base, path, s.eval(value, frame))
    return base


def _updated(base: Value, path: Sequence[str], value: Value) -> Value:
    """Numeric steps of a path select from tuples."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(base, TupleValue):
        parts = [_updated(p, rest, value) if i == int(step) else p for i, p in enumerate(base.parts)]
        return TupleValue(tuple(parts))
    assert isinstance(base, RecordValue), base
    return RecordValue(tuple([(name, _updated(v, rest, value) if name == step else v) for name, v in base.fields]))


def stack(s: Stager, node: core.Stack, frame: Frame) -> Value:
    items = [s.eval(item, frame) for item in node.items]
    s.b.span = node.span
    return zip_leaves(lambda *parts: stack_leaves(s, parts), *items)


def stack_leaves(s: Stager, parts: Sequence[Value]) -> Value:
    """Leaves of one type along a new leading axis; static numbers take the dtype of an array among them."""
    arrays = [part for part in parts if isinstance(part, ATOMS)]
    like = arrays[0].type if arrays else as_atom(_widest(parts)).type
    atoms: list[Atom] = [p if isinstance(p, ATOMS) else number_like(p, like.dtype, like.shape) for p in parts]
    return builders.stack(s.b, atoms, 0)


def _widest(parts: Sequence[Value]) -> Value:
    """The static number whose kind holds the others: complex, then float, int, bool."""
    order = (bool, int, float, complex)
    return max(parts, key=lambda part: order.index(type(part)) if type(part) in order else -1)
