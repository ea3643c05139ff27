"""Transformations met in a program: the IR of the function is built for the arguments at hand, transformed
by `dsl.transforms`, and put in place. Read next: `differentiate`, `jacobian`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from dsl.core import core
from dsl.core.policies import EXAMPLE, POLICY_NAMES, policy_of
from dsl.core.transformation import Kind
from dsl.diagnostics.message import Help
from dsl.diagnostics.source import Span
from dsl.ir.function import Atom, Function
from dsl.ops.control.call import CHECKPOINT, NOTHING, POLICIES, CheckpointParams
from dsl.ops.rule_helpers import splat, zeros
from dsl.staging.env.axes_of_keys import with_axes_of_words
from dsl.staging.env.closure_conversion import inline
from dsl.staging.env.environment import Frame
from dsl.staging.env.mesh_specs import mesh_of
from dsl.staging.env.stager import Stager
from dsl.staging.errors import staging_error
from dsl.staging.expressions.structure import with_instance
from dsl.staging.transforms import jacobian, maps
from dsl.staging.transforms.custom_rules import custom_jvp, custom_vjp
from dsl.staging.transforms.differentiate import (
    Linear,
    Rule,
    Traced,
    by_argument,
    flags_of,
    give,
    inexact_slot,
    linearize_traced,
    options,
    pull_back,
    require_floats,
    select_argnums,
    trace,
    traced_arguments,
    transpose_linear,
    with_traced_scalar,
    zip_slots,
)
from dsl.staging.transforms.refusals import reporting
from dsl.staging.values import (
    FUNCTIONS,
    UNIT,
    LinearMap,
    Slot,
    Transformed,
    TupleValue,
    Value,
    atoms,
    fill,
    map_leaves,
    positional,
    skeleton,
    slot_types,
    traced_numbers,
    zip_leaves,
)
from dsl.transforms.jvp import jvp
from dsl.types.effect import Axis
from dsl.types.type import ErrorType, FunctionType

# ---------------------------------------------------------------- function values


def transform(s: Stager, node: core.Transform, frame: Frame) -> Value:
    function = s.eval(node.function, frame)
    if function is None:
        return None  # of a function with rules of its own: its calls were checked into what they do
    assert isinstance(function, FUNCTIONS), function
    chosen = [(name, s.eval(v, frame)) for name, v in node.options]
    if node.kind is Kind.SHARD:
        hidden = [name for name in mesh_of(dict(chosen)["mesh"]) if not _meant(node, name)]
        chosen.append(("hidden", TupleValue(tuple(hidden))))
    options = tuple([(n, v) for n, v in chosen if n != "axis_name" or _meant(node, v)])
    return Transformed(node.kind, function, options, written=node)


def _meant(node: core.Transform, name: Value) -> bool:
    """Return whether a function that is mapped can mean this axis: not where its type hides what it performs."""
    function: core.Expr = node
    while isinstance(function, core.Transform):
        function = function.function
    kind = function.type
    if not isinstance(kind, FunctionType) or isinstance(kind.result, ErrorType):
        return True  # it is known by what it is, not by a type
    return any(isinstance(e, Axis) and e.name == name for e in kind.effects.effects)


def apply_transformed(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    s.b.span = span
    with reporting(s, f.kind, f.written, span):
        return KINDS[f.kind](s, f, args, span, instance)


def _plain(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    return s.apply(f.function, args, span, instance)


def _checkpoint(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    keep, names, budget = _policy(options(f).get("policy"), span)
    traced = trace(s, f.function, args, span, instance)
    s.b.span = span
    params = CheckpointParams(traced.function, keep, names, budget=None if budget is None else s.share(budget))
    return give(s, traced, s.b.emit(CHECKPOINT, params, traced.inputs))


def _policy(policy: Value, span: Span) -> tuple[tuple[str, ...] | None, tuple[str, ...], int | None]:
    """The ops whose results are kept, None for all; the names of values that are kept; and the bytes that may be."""
    if isinstance(policy, TupleValue):
        return NOTHING, tuple([str(name) for name in policy.parts]), None
    found = policy_of("nothing" if policy is None else str(policy))
    if found is None:  # from a static parameter: the checker knows the others
        words = ", ".join((*POLICY_NAMES, EXAMPLE))
        raise staging_error("E0812", f"unknown `checkpoint` policy `{policy}`", span, f"one of {words}")
    return dict(POLICIES).get(found.word, NOTHING), (), found.budget


# ---------------------------------------------------------------- reverse mode


def _value_and_grad(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """`(value, g)`, with aux `((value, aux), g)`: either way the scalar is the first leaf of the result."""
    argnums = options(f).get("argnums", 0)
    values = traced_arguments(f.function, args)
    chosen = select_argnums(f.function, values, argnums)
    traced = trace(s, f.function, values, span, instance, result=with_traced_scalar)
    _require_scalar(f, traced.output, span)
    s.b.span = span
    linear = linearize_traced(s, traced, flags_of(traced, chosen))
    cotangents: list[Atom | None] = [None] * len(traced.function.results)
    cotangents[0] = splat(1, traced.function.results[0].type)
    found = by_argument(values, chosen, pull_back(s, linear, cotangents))
    gradients = found[chosen[0]] if isinstance(argnums, int | str) else TupleValue(tuple([found[k] for k in chosen]))
    return TupleValue((give(s, traced, linear.outputs), gradients))


def _require_scalar(f: Transformed, output: Value, span: Span) -> None:
    """Require a real scalar. For a function that Python transforms, the checker only knows that it may be one."""
    aux = options(f).get("has_aux") is True
    value = output.parts[0] if aux and isinstance(output, TupleValue) else output
    type_ = value.type if isinstance(value, Slot) else None
    if type_ is None or type_.shape or not type_.dtype.is_inexact or type_.dtype.is_complex:
        found = ", ".join([f"`{type_}`" for type_ in slot_types(value)]) or "that"
        message = f"`{f.kind}` needs a function that returns a real scalar, and not {found}"
        advice = Help("reduce it (`sum`, `mean`), or use `jacrev` or `vjp`")
        raise staging_error("E0801", message, span, help=(advice,))


def _grad(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    pair = _value_and_grad(s, f, args, span, instance)
    assert isinstance(pair, TupleValue)
    value, gradients = pair.parts
    if options(f).get("has_aux") is True:
        assert isinstance(value, TupleValue)
        return TupleValue((gradients, value.parts[1]))
    return gradients


def _vjp(s: Stager, function: Value, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """`(out, pull)`; `pull` takes a cotangent of the result and gives a tuple with one for each argument."""
    values = traced_arguments(function, args)
    traced = trace(s, function, values, span, instance, result=traced_numbers)
    s.b.span = span
    linear = _linearized(s, Kind.VJP, traced, span)
    out = give(s, traced, linear.outputs)
    marks = [k < traced.outputs for k in range(len(linear.nonzero))]
    backward = transpose_linear(s, linear, marks)
    tangents = [n and m for n, m in zip(linear.nonzero, marks, strict=True)]
    inputs = (_selected_slots(traced.output, tangents),)
    output = TupleValue(_slots_of(function, values))
    return TupleValue((out, LinearMap(backward, linear.residuals, inputs, output)))


def _linearized(s: Stager, kind: Kind, traced: Traced, span: Span) -> Linear:
    """The derivative by all arguments."""
    sources = [atom.type for arg in traced.args for atom in atoms(arg)]
    require_floats(kind, sources, [r.type for r in traced.function.results[: traced.outputs]], span)
    return linearize_traced(s, traced, flags_of(traced, range(len(traced.args))))


def _slots_of(function: Value, values: Sequence[Value]) -> tuple[Value, ...]:
    """Return a tangent placeholder for each argument that is not static."""
    return tuple([map_leaves(inexact_slot, skeleton(values[k])) for k in positional(function, len(values))])


def _selected_slots(output: Value, flags: Sequence[bool]) -> Value:
    """The skeleton with a slot only where the linear function takes or gives a value; `none` elsewhere."""
    marks = iter(flags)
    return map_leaves(lambda leaf: (leaf if next(marks) else None) if isinstance(leaf, Slot) else None, output)


def _linearize(s: Stager, function: Value, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """`(out, lin)`; `lin` takes one tangent per argument and gives that of the result."""
    values = traced_arguments(function, args)
    traced = trace(s, function, values, span, instance, result=traced_numbers, shares=2)
    s.b.span = span
    linear = _linearized(s, Kind.LINEARIZE, traced, span)
    out = give(s, traced, linear.outputs)
    count = sum(linear.nonzero[: traced.outputs])
    body = replace_results(linear.function, linear.function.results[:count])
    inputs = _slots_of(function, values)
    output = _selected_slots(traced.output, linear.nonzero)
    whole = zip_leaves(_zero_or_slot, traced.output, output)
    return TupleValue((out, LinearMap(body, linear.residuals, inputs, whole)))


def replace_results(function: Function, results: Sequence[Atom]) -> Function:
    return Function(function.name, function.params, function.equations, tuple(results))


def _zero_or_slot(leaf: Value, chosen: Value) -> Value:
    """A slot that is computed, a zero where the tangent is structurally zero, `()` where there is none."""
    if chosen is not None or not isinstance(leaf, Slot):
        return chosen
    return zeros(leaf.type) if leaf.type.dtype.is_inexact else UNIT


def apply_linear(s: Stager, function: LinearMap, args: Sequence[Value]) -> Value:
    given: list[Atom] = []
    for shape, arg in zip(function.inputs, args, strict=True):
        zip_slots(shape, arg, given)
    outputs = inline(s.b, function.function, (*function.residuals, *given), s.session.sizes)
    return fill(function.output, iter(outputs))


# ---------------------------------------------------------------- forward mode


def push_forward(
    s: Stager,
    function: Value,
    primals: Sequence[Value],
    tangents: Sequence[Value],
    span: Span,
    instance: int | None,
) -> Value:
    """`(out, tangent)`; the tangent has `()` where the result is not inexact."""
    values = traced_arguments(function, primals)
    traced = trace(s, function, values, span, instance, result=traced_numbers, shares=2)
    s.b.span = span
    flags = flags_of(traced, range(len(values)))
    given: list[Atom] = []
    for arg, tangent in zip(values, tangents, strict=True):
        zip_slots(map_leaves(inexact_slot, skeleton(arg)), tangent, given)
    made = jvp(traced.function, flags, None, s.session.memo)
    outs = inline(s.b, made.function, (*traced.inputs, *given), s.session.sizes)
    count = len(traced.function.results)
    output = zip_leaves(_zero_or_slot, traced.output, _selected_slots(traced.output, made.nonzero))
    late = fill(output, iter(outs[count:]))
    return TupleValue((give(s, traced, outs[:count]), late))


def _jvp(s: Stager, function: Value, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """`args` are the primals, then as many tangents."""
    count = len(args) // 2
    return push_forward(s, function, args[:count], args[count:], span, instance)


def _hvp(s: Stager, function: Value, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    """The Hessian of `function` at x times v: the tangent of the gradient."""
    assert isinstance(function, FUNCTIONS)
    count = len(args) // 2
    result = push_forward(s, Transformed(Kind.GRAD, function), args[:count], args[count:], span, instance)
    assert isinstance(result, TupleValue)
    return result.parts[1]


# ---------------------------------------------------------------- the tables


def transform_call(s: Stager, node: core.TransformCall, frame: Frame) -> Value:
    function = with_instance(s.eval(node.function, frame), node.instance)
    args = [s.eval(arg, frame) for arg in node.args]
    types = [arg.type for arg in node.args]
    primals = types[: len(types) // 2] if node.kind in (Kind.JVP, Kind.HVP) else types
    function = with_axes_of_words(function, primals, None)
    s.b.span = node.span
    with reporting(s, node.kind, None, node.span):
        return CALLS[node.kind](s, function, args, node.span, node.instance)


CallRule: TypeAlias = Callable[[Stager, Value, Sequence[Value], Span, "int | None"], Value]

CALLS: Mapping[Kind, CallRule] = MappingProxyType(
    {Kind.JVP: _jvp, Kind.VJP: _vjp, Kind.LINEARIZE: _linearize, Kind.HVP: _hvp}
)
"""With the arguments at once."""


def _at_once(kind: Kind) -> Rule:
    """One of `CALLS` as a function value: Python's way to ask for it."""
    return lambda s, f, args, span, instance: CALLS[kind](s, f.function, args, span, instance)


KINDS: Mapping[Kind, Rule] = MappingProxyType(
    {
        Kind.JIT: _plain,
        Kind.GRAD: _grad,
        Kind.VALUE_AND_GRAD: _value_and_grad,
        Kind.CHECKPOINT: _checkpoint,
        Kind.CUSTOM_JVP: custom_jvp,
        Kind.CUSTOM_VJP: custom_vjp,
        **jacobian.RULES,
        **maps.RULES,
        **{kind: _at_once(kind) for kind in CALLS},
    }
)
"""Function value to function value."""
