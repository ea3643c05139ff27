"""`custom_jvp` and `custom_vjp`: a function staged together with the rules that stand for its derivative.

Function and rules become closed IR over the same leaves. What any of them captures is a parameter of all; a
rule takes tangents for captured values too, which it ignores, and gives zero cotangents for them. Read next:
`dsl.ops.control.custom`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dsl.diagnostics.source import Span
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Literal, Var
from dsl.ops.control import CUSTOM_JVP, CUSTOM_VJP, CustomJvpParams, CustomVjpParams
from dsl.ops.rule_helpers import zeros
from dsl.records import replace
from dsl.staging.env.closure_conversion import close
from dsl.staging.env.stager import Stager
from dsl.staging.transforms.differentiate import (
    Traced,
    give,
    inexact_slot,
    options,
    trace,
    traced_arguments,
    zip_slots,
)
from dsl.staging.values import (
    MISSING,
    Argument,
    Closure,
    Missing,
    Partial,
    Transformed,
    TupleValue,
    Value,
    atoms,
    definition_of,
    fill,
    literal,
    map_leaves,
    positional,
    skeleton,
    slot_types,
    traced_numbers,
)
from dsl.transforms.linearize import as_derivative
from dsl.types.dtype import I32

Captures = tuple[Atom, ...]


def custom_jvp(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    values = traced_arguments(f.function, args)
    traced = trace(s, f.function, values, span, instance, result=traced_numbers)
    traced, rule, captures = _rule(s, f, values, traced, span, instance)
    union = union_of(traced, captures)
    function = over(traced.function, traced.inputs[: traced.captures], union)
    widened = over(rule, captures, union)
    place = len(union) + traced.leaves
    ignored = [Var(x.type) for x in union if x.type.dtype.is_inexact]
    params = (*widened.params[:place], *ignored, *widened.params[place:])
    whole = Function(rule.name, params, widened.equations, widened.results)
    count = len(traced.function.results)
    s.session.hear_rule(s, whole, count, len(params) - place, f.written)
    linear = (False,) * place + (True,) * (len(params) - place)
    whole = as_derivative(whole, linear, (False,) * count + (True,) * (len(whole.results) - count), s.session.memo)
    s.b.span = span
    inputs = (*union, *traced.inputs[traced.captures :])
    return give(s, traced, s.b.emit(CUSTOM_JVP, CustomJvpParams(function, whole, len(union)), inputs))


def _rule(
    s: Stager, f: Transformed, values: Sequence[Value], traced: Traced, span: Span, instance: int | None
) -> tuple[Traced, Function, Captures]:
    """The function, and the rule: leaves, then tangents of the inexact ones -> results, then tangents of the inexact
    ones."""
    places = positional(f.function, len(values))
    with _apart(s) as b:
        inner = [_params(b, value) for value in values]
        tangents = [_filled(b, map_leaves(inexact_slot, skeleton(values[k]))) for k in places]
        primals = TupleValue(tuple([inner[k] for k in places]))
        pair = _apply_rule(s, f, "rule", values, (primals, TupleValue(tuple(tangents))), span, instance)
        assert isinstance(pair, TupleValue)
        out, tangent = pair.parts
        found: list[Atom] = []
        zip_slots(map_leaves(inexact_slot, traced.output), tangent, found)
        traced = _failing_alike(traced, s.code)
        return traced, *close(b, "rule", [*_results(out, traced), *_code(s, traced), *found])


def _apply_rule(
    s: Stager,
    f: Transformed,
    name: str,
    values: Sequence[Value],
    own: Sequence[Value],
    span: Span,
    instance: int | None,
) -> Value:
    """A call of a rule. What is static follows what the body of one in a program takes, if the function is known there;
    it reaches one that Python has given by name."""
    rule, given = options(f)[name], _statics(f.function, values)
    if isinstance(rule, Closure):
        params = rule.node.instances[instance or 0].params
        everything = [*own, *(None if isinstance(v, Missing) else v for v in given.values())]
        return s.apply(rule, everything[: len(params)], span, instance)
    found = definition_of(rule)
    if found is None:
        return s.apply(rule, own, span)
    left = iter(own)
    each = [next(left) if p.counts else given.get(p.name, MISSING) for p in found.definition.signature.params]
    return s.apply(rule, each, span)


def _statics(function: Value, values: Sequence[Value]) -> dict[str, Argument]:
    """Return the static and function arguments of a definition, by parameter name."""
    args: Sequence[Argument] = values
    if isinstance(function, Partial):
        args, function = function.filled(values), function.function
    found = definition_of(function)
    params = () if found is None else found.definition.signature.params
    return {p.name: arg for p, arg in zip(params, args, strict=False) if not p.counts}


def _results(out: Value, traced: Traced) -> list[Atom]:
    """The primal results of a rule, numbers in the dtypes the function gives."""
    found: list[Atom] = []
    zip_slots(traced.output, out, found)
    return found


@contextmanager
def _apart(s: Stager) -> Iterator[Builder]:
    """A new body, whose writes to cells stay in it."""
    before = s.cells
    s.cells = dict(before)
    try:
        with s.inside() as b:
            yield b
    finally:
        s.cells = before


def _failing_alike(traced: Traced, code: Atom | None) -> Traced:
    """The function with a code of its failures, if the rule in its place has one: one of the two may not fail for the
    sizes and static values at hand."""
    if code is None or traced.checks:
        return traced
    function = traced.function
    results = (*function.results, literal(0, I32))
    return replace(traced, function=replace(function, results=results), checks=True)


def _code(s: Stager, traced: Traced) -> list[Atom]:
    return [s.code or literal(0, I32)] if traced.checks else []


def _params(b: Builder, value: Value) -> Value:
    return fill(skeleton(value), (b.param(x.type) for x in atoms(value)))


def _filled(b: Builder, shape: Value) -> Value:
    return fill(shape, (b.param(t) for t in slot_types(shape)))


def union_of(traced: Traced, *captured: Captures) -> Captures:
    """Return the captures of a function and of others, each once."""
    own = traced.inputs[: traced.captures]
    return tuple(dict.fromkeys([x for captures in (own, *captured) for x in captures]))


def over(function: Function, captures: Sequence[Atom], union: Sequence[Atom]) -> Function:
    """Return the function with one leading parameter for every capture of `union`."""
    own = dict(zip(captures, function.params, strict=False))
    params = [own[x] if x in own else Var(x.type) for x in union]
    rest = function.params[len(captures) :]
    return Function(function.name, (*params, *rest), function.equations, function.results)


# ---------------------------------------------------------------- custom_vjp


def custom_vjp(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    values = traced_arguments(f.function, args)
    traced = trace(s, f.function, values, span, instance, result=traced_numbers)
    traced, forward, saved, forward_captures = _forward(s, f, values, traced, span, instance)
    backward, captures = _backward(s, f, values, traced, saved, span, instance)
    union = union_of(traced, forward_captures, captures)
    function = over(traced.function, traced.inputs[: traced.captures], union)
    fwd = over(forward, forward_captures, union)
    kept = [fwd.params[union.index(x)] for x in captures]
    fwd = Function(fwd.name, fwd.params, fwd.equations, (*fwd.results, *kept))
    bwd = _widened(backward, len(captures), len(slot_types(saved)), union)
    place = len(fwd.results) - len(traced.function.results)
    linear = (False,) * place + (True,) * (len(bwd.params) - place)
    bwd = as_derivative(bwd, linear, (True,) * len(bwd.results), s.session.memo)
    s.b.span = span
    inputs = (*union, *traced.inputs[traced.captures :])
    return give(s, traced, s.b.emit(CUSTOM_VJP, CustomVjpParams(function, fwd, bwd, len(union)), inputs))


def _forward(
    s: Stager, f: Transformed, values: Sequence[Value], traced: Traced, span: Span, instance: int | None
) -> tuple[Traced, Function, Value, Captures]:
    """The function, and its rule: leaves -> results, then what is saved; and the skeleton of that."""
    with _apart(s) as b:
        inner = [_params(b, value) for value in values]
        places = positional(f.function, len(values))
        pair = _apply_rule(s, f, "fwd", values, [inner[k] for k in places], span, instance)
        assert isinstance(pair, TupleValue)
        out, saved = pair.parts
        traced = _failing_alike(traced, s.code)
        results = [*_results(out, traced), *_code(s, traced), *atoms(saved)]
        function, captures = close(b, "fwd", results)
        return traced, function, skeleton(saved), captures


def _backward(
    s: Stager,
    f: Transformed,
    values: Sequence[Value],
    traced: Traced,
    saved: Value,
    span: Span,
    instance: int | None,
) -> tuple[Function, Captures]:
    """Captures, what is saved, cotangents of the inexact results -> cotangents of the inexact leaves."""
    with _apart(s) as b:
        inner = _filled(b, saved)
        cotangent = _filled(b, map_leaves(inexact_slot, traced.output))
        result = _apply_rule(s, f, "bwd", values, (inner, cotangent), span, instance)
        assert isinstance(result, TupleValue)
        places = positional(f.function, len(values))
        found: list[Atom] = []
        for k, part in zip(places, result.parts, strict=True):
            zip_slots(map_leaves(inexact_slot, skeleton(values[k])), part, found)
        return close(b, "bwd", found)


def _widened(backward: Function, captures: int, saved: int, union: Captures) -> Function:
    """Captures behind what is saved; zero cotangents for captured values in front."""
    own, rest = backward.params[:captures], backward.params[captures:]
    nothing: list[Literal] = [zeros(x.type) for x in union if x.type.dtype.is_inexact]
    params = (*rest[:saved], *own, *rest[saved:])
    return Function(backward.name, params, backward.equations, (*nothing, *backward.results))
