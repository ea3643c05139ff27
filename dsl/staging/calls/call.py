"""Calls: of definitions, lambdas, transformed functions and linear maps.

A definition that only wraps an intrinsic is never entered; a small one is staged in place; a larger one
that gives data, without effects other than `check`, `io`, `debug`, `div`, is staged once for its argument types and
static values, and called. Read next: `signature_matching`, which finds what sizes and dtypes of a definition stand for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct

from dsl.core import core
from dsl.core.held_types import may_hold_function
from dsl.core.statics.evaluate import NoValue
from dsl.core.statics.numbers import OF_SIZES
from dsl.core.statics.numbers import STATIC as MATH
from dsl.core.transformation import AT_ONCE, takes_parts
from dsl.diagnostics.source import Span
from dsl.ir.function import Atom, Function, Literal, Tensor
from dsl.ir.op import Op
from dsl.ir.walk import bodies
from dsl.ops.control.call import call as call_op
from dsl.ops.io import CALLBACK, CallbackParams
from dsl.records import fields, is_record, replace
from dsl.staging.calls.partial_calls import of_given
from dsl.staging.calls.static_calls import evaluate_static
from dsl.staging.env.axes_of_keys import with_axes_of_words
from dsl.staging.env.closure_conversion import close, inline
from dsl.staging.env.environment import Frame, Variables
from dsl.staging.env.marks import mark_call, mark_line, mark_parameters
from dsl.staging.env.scope import performs, rebind_effects
from dsl.staging.env.signature_matching import solve_signature
from dsl.staging.env.stager import Specialised, Stager
from dsl.staging.expressions.arithmetic import cast
from dsl.staging.expressions.structure import bind
from dsl.staging.transforms.apply import apply_linear, apply_transformed
from dsl.staging.values import (
    ATOMS,
    FUNCTIONS,
    MISSING,
    NUMBERS,
    SIZES,
    STATIC,
    Argument,
    Closure,
    DefValue,
    Hidden,
    LinearMap,
    Missing,
    Partial,
    PythonFunction,
    Slot,
    Transformed,
    Value,
    atoms,
    definition_of,
    exact,
    fill,
    leaves,
    literal,
    map_leaves,
    skeleton,
    slot_types,
)
from dsl.types.dtype import DType
from dsl.types.effect import CHECK, DEBUG, DIV, IO
from dsl.types.type import UNIT, FunctionType

SMALL = 40
"""Definitions of at most so many Core nodes are staged in place."""


class Plan(Struct, frozen=True):
    """How a definition is called. With `intrinsic`, by its arguments at `positions` and `statics`."""

    inline: bool
    intrinsic: str | None = None
    positions: tuple[int, ...] = ()
    statics: tuple[tuple[str, int], ...] = ()
    constants: tuple[tuple[str, Value], ...] = ()


def apply(s: Stager, node: core.Apply, frame: Frame) -> Value:
    callee = node.function
    handlers = s.handlers
    definition = None
    if type(callee) is core.Global:
        definition = s.session.program.modules[callee.module].functions.get(callee.name)
    function = None if definition is not None else s.eval(callee, frame)
    args = [MISSING if arg is None else handlers[type(arg)](s, arg, frame) for arg in node.args]
    if definition is not None:
        return call_definition(s, definition, args, node.span, _hidden(node, frame))
    assert function is not None
    if isinstance(callee.type, FunctionType):
        function = rebind_effects(function, callee.type.effects, s.scope)
    if node.hidden:
        function = bind_hidden(function, _hidden(node, frame))
    if isinstance(function, Transformed):
        function = with_axes_of_words(function, [UNIT if arg is None else arg.type for arg in node.args], node.type)
    return apply_value(s, function, args, node.span, node.instance)


def _hidden(node: core.Apply, frame: Frame) -> Hidden:
    return tuple([(variable, frame.variables.meaning(meaning)) for variable, meaning in node.hidden])


def bind_hidden(function: Value, hidden: Hidden) -> Value:
    """The function value with what the hidden variables of the definition inside it stand for."""
    match function:
        case DefValue(definition):
            return DefValue(definition, hidden)
        case Transformed():
            inner = bind_hidden(function.function, hidden)
            assert isinstance(inner, FUNCTIONS)
            return replace(function, function=inner)
        case _:
            return function


def intrinsic(s: Stager, node: core.Intrinsic, frame: Frame) -> Value:
    args = tuple([s.eval(arg, frame) for arg in node.args])
    statics = {name: s.eval(value, frame) for name, value in node.statics}
    s.b.span = node.span
    return _performed(s, node.name, args, statics)


def _performed(s: Stager, name: str, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    """Apply an intrinsic; on static numbers alone the result is static."""
    kinds = (NUMBERS, SIZES) if name in OF_SIZES else (NUMBERS,)
    if name in MATH and args and any(all(isinstance(x, kind) for x in args) for kind in kinds):
        return MATH[name](*args)
    return s.session.intrinsics[name](s, args, statics)


def apply_value(s: Stager, function: Value, args: Sequence[Argument], span: Span, instance: int | None = None) -> Value:
    """Calls a function value."""
    match function:
        case DefValue(definition, hidden):
            return call_definition(s, definition, args, span, hidden)
        case Closure():
            return call_closure(s, function, args, span, instance)
        case Transformed():
            return apply_transformed(s, *with_defaults(s, function, args), span, instance)
        case Partial():
            return apply_value(s, function.function, function.filled(args), span, instance)
        case DType():
            return map_leaves(lambda leaf: cast(s.b, leaf, function), drop_missing(args)[0])
        case LinearMap():
            return apply_linear(s, function, drop_missing(args))
        case PythonFunction():
            return call_python(s, function, drop_missing(args), span)
        case _:
            raise AssertionError(f"{function!r} is not a function")


def call_python(s: Stager, function: PythonFunction, args: Sequence[Value], span: Span) -> Value:
    """A call on the host, in its turn. Static numbers become arrays of the dtypes that are declared."""
    wanted = [slot for params in function.params for slot in slot_types(params)]
    values = [leaf for arg in args for leaf in leaves(arg)]
    s.b.span = span
    params = CallbackParams(function.name, tuple(wanted), tuple(slot_types(function.result)), function.call)
    operands = [x if isinstance(x, ATOMS) else as_literal(x, t) for x, t in zip(values, wanted, strict=True)]
    return fill(function.result, iter(CALLBACK(s.b, params, *operands)))


def as_literal(value: Value, type: Tensor) -> Literal:
    assert isinstance(value, NUMBERS), value
    return literal(value, type.dtype, type.shape)


def drop_missing(args: Sequence[Argument]) -> list[Value]:
    """Arguments of a callee that has no defaults."""
    return [arg for arg in args if not isinstance(arg, Missing)]


def with_defaults(s: Stager, function: Transformed, args: Sequence[Argument]) -> tuple[Transformed, list[Value]]:
    """A transformed function and the arguments that it takes. The defaults of the definition inside are among them, if
    it is called with arguments of the types that these have."""
    inner = definition_of(function)
    if MISSING not in args or inner is None:
        return function, drop_missing(args)
    params = inner.definition.signature.params
    if function.kind in AT_ONCE or _takes_parts(function):
        return of_given(function, params, args)
    frame = definition_frame(s, inner.definition, args, inner.hidden)
    return function, [frame.locals[parameter.id] for parameter in params]


def _takes_parts(function: Value) -> bool:
    """Return whether a definition is called with elements or parts of the arguments."""
    return isinstance(function, Transformed) and (takes_parts(function.kind) or _takes_parts(function.function))


def call_closure(s: Stager, closure: Closure, args: Sequence[Argument], span: Span, instance: int | None) -> Value:
    chosen = closure.instance if closure.instance is not None else instance
    body = closure.node.instances[chosen or 0]
    frame = closure.frame.child()
    outer = s.scope
    s.scope = outer if closure.instance is None else closure.scope
    s.enter("a lambda", span)

    def stage() -> Value:
        for pattern, arg in zip(body.params, args, strict=True):
            assert not isinstance(arg, Missing)
            bind(s, pattern, arg, frame)
        mark_line(s, body.body)
        return s.eval(body.body, frame)

    result = mark_call(s, "a lambda", span, closure.node.span, stage) if s.session.marked else stage()
    s.leave()
    s.scope = outer
    return result


# ---------------------------------------------------------------- definitions


def call_definition(s: Stager, d: core.Function, args: Sequence[Argument], span: Span, hidden: Hidden = ()) -> Value:
    plan = s.session.plans.get(id(d))
    if plan is None:
        plan = s.session.plans[id(d)] = _plan(s, d)
    if plan.intrinsic is not None and MISSING not in args:
        s.b.span = span
        values = drop_missing(args)
        statics = {name: values[k] for name, k in plan.statics}
        statics.update(plan.constants)
        return _performed(s, plan.intrinsic, tuple([values[k] for k in plan.positions]), statics)
    if d.static and _known(args):
        return _static_call(s, d, args, span, hidden)
    if plan.inline or not _cacheable(args):
        return enter(s, d, args, span, hidden)
    return _call(s, d, args, span, hidden)


def _known(args: Sequence[Argument]) -> bool:
    return all(isinstance(leaf, STATIC) for arg in args for leaf in _leaves(arg))


def _static_call(s: Stager, d: core.Function, args: Sequence[Argument], span: Span, hidden: Hidden) -> Value:
    """A function of static values alone is evaluated; what is more than static code in it is staged in place."""
    try:
        return evaluate_static(s, d, drop_missing(args), span, hidden)
    except NoValue:
        return enter(s, d, args, span, hidden)


def enter(s: Stager, d: core.Function, args: Sequence[Argument], span: Span, hidden: Hidden) -> Value:
    """Stages the body of a definition in place."""
    s.enter(d.name, span)
    if d.span.source.in_library:
        s.b.span = span
    if s.session.marked:
        stage = partial(_evaluated, s, d, args, hidden)
        result = mark_call(s, d.written_name, span, d.span, stage)
    else:
        result = s.eval(d.body, definition_frame(s, d, args, hidden))
    s.leave()
    return result


def _evaluated(s: Stager, d: core.Function, args: Sequence[Argument], hidden: Hidden) -> Value:
    """The body of a definition, with marks of its names and its line."""
    frame = mark_parameters(s, d, definition_frame(s, d, args, hidden))
    mark_line(s, d.body)
    return s.eval(d.body, frame)


def definition_frame(s: Stager, d: core.Function, args: Sequence[Argument], hidden: Hidden) -> Frame:
    """The frame of a call. Defaults are evaluated in order, static ones first, since types depend on them: each in a
    frame of what is given and of the defaults before it."""
    params = d.signature.params
    names = {p.id: arg for p, arg in zip(params, args, strict=True) if not isinstance(arg, Missing)}
    for parameter in sorted([p for p in params if p.id not in names], key=lambda p: not p.static):
        assert parameter.default is not None, parameter.name
        names[parameter.id] = s.eval(parameter.default, _frame_of(s, d, names, hidden))
    return _frame_of(s, d, names, hidden)


def _frame_of(s: Stager, d: core.Function, names: dict[int, Value], hidden: Hidden) -> Frame:
    """Its variables are solved at the first question, from the arguments that are there."""
    axes = {name: s.axes[axis] for name, axis in s.scope.axes.items()}
    frame = Frame(Variables(d.solution, partial(solve_signature, d.signature, names, axes=axes)), names)
    frame.variables.bind(hidden)
    return frame


def _cacheable(args: Sequence[Argument]) -> bool:
    """Return whether the arguments are data, static values and definitions without effects: nothing that captures
    traced values or reaches handlers."""
    return not any(_captures(leaf) for arg in args for leaf in _leaves(arg))


def _captures(leaf: Value | Missing) -> bool:
    if isinstance(leaf, DefValue):
        return performs(leaf.definition.signature.effects)
    return isinstance(leaf, Missing | Closure | LinearMap | Transformed)


def _leaves(arg: Argument) -> Iterator[Value | Missing]:
    if isinstance(arg, Missing):
        yield arg
    else:
        yield from leaves(arg)


def _call(s: Stager, d: core.Function, args: Sequence[Argument], span: Span, hidden: Hidden) -> Value:
    values = drop_missing(args)
    shape = tuple([skeleton(arg) for arg in values])
    parts = tuple([exact(part) for part in shape])
    made = s.session.specialised.get(_key(s, d, hidden, parts))
    if made is None:
        before = s.steps
        made = specialise(s, d, shape, span, hidden)
        made = s.session.specialised[_key(s, d, hidden, parts)] = replace(made, steps=s.steps - before)
    else:
        s.count(made.steps, d.name, span)
    s.b.span = span
    inputs = [atom for arg in values for atom in atoms(arg)]
    outputs = emit_call(s, made.function, inputs)
    if made.checks:
        s.fail(outputs[-1])
    return fill(made.output, iter(outputs))


def _key(s: Stager, d: core.Function, hidden: Hidden, parts: Hashable) -> Hashable:
    """A definition for its arguments, and for how often it is there at once, where something may depend on that."""
    return id(d), hidden, parts, s.shares if s.session.divides else 1


def emit_call(s: Stager, function: Function, inputs: Sequence[Atom]) -> tuple[Atom, ...]:
    """A call; what decides sizes of its own stands in the place of it, since these are others in each call."""
    if _decides_sizes(s, function):
        return inline(s.b, function, inputs, s.session.sizes)
    return call_op(s.b, function, inputs)


def _decides_sizes(s: Stager, function: Function) -> bool:
    """Return whether a run of the function decides sizes, itself or in its bodies; each function is asked once."""
    return s.session.memo.once(
        ("decides sizes", function),
        lambda: any(
            e.op.decides if isinstance(e.op, Op) else any(_decides_sizes(s, body) for body in bodies(e))
            for e in function.equations
        ),
    )


def specialise(s: Stager, d: core.Function, shape: Sequence[Value], span: Span, hidden: Hidden) -> Specialised:
    """Stages a definition for skeletons of its arguments, as a function of its own."""
    outer, s.scope = s.scope, replace(s.scope, check=s.listening)
    with s.inside() as b:
        if d.span.source.in_library:
            b.span = None
        args = [fill(part, (b.param(leaf.type) for leaf in leaves(part) if isinstance(leaf, Slot))) for part in shape]
        result = enter(s, d, args, span, hidden)
        outputs = [leaf for leaf in leaves(result) if isinstance(leaf, ATOMS)]
        code = s.code
        function, captures = close(b, d.name, [*outputs, *([] if code is None else [code])])
    s.scope = outer
    assert not captures, f"{d.name} mentions values from outside"
    return Specialised(function, skeleton(result), code is not None)


def _plan(s: Stager, d: core.Function) -> Plan:
    body = d.body
    if isinstance(body, core.Intrinsic):
        wrapper = _wrapper(s, d, body)
        if wrapper is not None:
            return wrapper
    return Plan(inline=d.static or not _is_plain(s, d) or count(body, SMALL + 1) <= SMALL)


def _is_plain(s: Stager, d: core.Function) -> bool:
    """Return whether a definition can be staged by itself: what it gives is data, since a function that it gives may
    capture values of its body."""
    modules = s.session.program.modules
    gives_function = may_hold_function(d.signature.result, lambda module, name: modules[module].enums[name])
    return not gives_function and all(effect in (CHECK, IO, DEBUG, DIV) for effect in d.signature.effects.effects)


def _wrapper(s: Stager, d: core.Function, body: core.Intrinsic) -> Plan | None:
    """The plan of a definition that does nothing but call an intrinsic with its parameters and constants."""
    places = {parameter.id: k for k, parameter in enumerate(d.signature.params)}
    if not all(isinstance(arg, core.Local) for arg in body.args):
        return None
    if not all(isinstance(value, core.Local | core.Const) for _, value in body.statics):
        return None
    return Plan(
        inline=True,
        intrinsic=body.name,
        positions=tuple([places[arg.id] for arg in body.args if isinstance(arg, core.Local)]),
        statics=tuple([(n, places[v.id]) for n, v in body.statics if isinstance(v, core.Local)]),
        constants=tuple([(n, v.value) for n, v in body.statics if isinstance(v, core.Const)]),
    )


def count(node: object, limit: int) -> int:
    """Core nodes in an expression, counted up to `limit`."""
    found = 0
    stack = [node]
    while stack and found < limit:
        item = stack.pop()
        if isinstance(item, tuple | list):
            stack.extend(item)
        elif is_record(item) and type(item).__module__ == core.__name__:
            found += 1
            stack.extend(getattr(item, f.name) for f in fields(item) if f.name not in ("span", "type"))
    return found
