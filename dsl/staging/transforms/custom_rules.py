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
from dsl.staging.env.cells import leaves_of
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
    Transformed,
    TupleValue,
    Value,
    atoms,
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
    rule, captures = _rule(s, f, values, traced, span)
    union = _union(traced, captures)
    function = _over(traced.function, traced.inputs[: traced.captures], union)
    widened = _over(rule, captures, union)
    place = len(union) + traced.leaves
    ignored = [Var(x.type) for x in union if x.type.dtype.is_inexact]
    params = (*widened.params[:place], *ignored, *widened.params[place:])
    whole = Function(rule.name, params, widened.equations, widened.results)
    count = len(traced.function.results)
    linear = (False,) * place + (True,) * (len(params) - place)
    whole = as_derivative(whole, linear, (False,) * count + (True,) * (len(whole.results) - count), s.session.memo)
    s.b.span = span
    inputs = (*union, *traced.inputs[traced.captures :])
    return give(s, traced, s.b.emit(CUSTOM_JVP, CustomJvpParams(function, whole, len(union)), inputs))


def _rule(s: Stager, f: Transformed, values: Sequence[Value], traced: Traced, span: Span) -> tuple[Function, Captures]:
    """Leaves, then tangents of the inexact ones -> results, then tangents of the inexact ones."""
    places = positional(f.function, len(values))
    with _apart(s) as b:
        inner = [_params(b, value) for value in values]
        tangents = [_filled(b, map_leaves(inexact_slot, skeleton(values[k]))) for k in places]
        primals = TupleValue(tuple([inner[k] for k in places]))
        pair = s.apply(options(f)["rule"], (primals, TupleValue(tuple(tangents))), span)
        assert isinstance(pair, TupleValue)
        out, tangent = pair.parts
        found: list[Atom] = []
        zip_slots(map_leaves(inexact_slot, traced.output), tangent, found)
        primals_of = [*_results(out, traced), *_left(s, traced), *_code(s, traced)]
        return close(b, "rule", [*primals_of, *found])


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


def _left(s: Stager, traced: Traced) -> list[Atom]:
    """What the cells hold that the function writes."""
    return leaves_of(s.cells, [name for name, _ in traced.cells])


def _code(s: Stager, traced: Traced) -> list[Atom]:
    return [s.code or literal(0, I32)] if traced.checks else []


def _params(b: Builder, value: Value) -> Value:
    return fill(skeleton(value), (b.param(x.type) for x in atoms(value)))


def _filled(b: Builder, shape: Value) -> Value:
    return fill(shape, (b.param(t) for t in slot_types(shape)))


def _union(traced: Traced, *captured: Captures) -> Captures:
    own = traced.inputs[: traced.captures]
    return tuple(dict.fromkeys([x for captures in (own, *captured) for x in captures]))


def _over(function: Function, captures: Sequence[Atom], union: Sequence[Atom]) -> Function:
    """The same function with a leading parameter for every capture of `union`."""
    own = dict(zip(captures, function.params, strict=False))
    params = [own[x] if x in own else Var(x.type) for x in union]
    rest = function.params[len(captures) :]
    return Function(function.name, (*params, *rest), function.equations, function.results)


# ---------------------------------------------------------------- custom_vjp


def custom_vjp(s: Stager, f: Transformed, args: Sequence[Value], span: Span, instance: int | None) -> Value:
    values = traced_arguments(f.function, args)
    traced = trace(s, f.function, values, span, instance, result=traced_numbers)
    forward, saved, forward_captures = _forward(s, f, values, traced, span)
    backward, captures = _backward(s, f, values, traced, saved, span)
    union = _union(traced, forward_captures, captures)
    function = _over(traced.function, traced.inputs[: traced.captures], union)
    fwd = _over(forward, forward_captures, union)
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
    s: Stager, f: Transformed, values: Sequence[Value], traced: Traced, span: Span
) -> tuple[Function, Value, Captures]:
    """Leaves -> results, then what is saved; and the skeleton of that."""
    with _apart(s) as b:
        inner = [_params(b, value) for value in values]
        places = positional(f.function, len(values))
        pair = s.apply(options(f)["fwd"], [inner[k] for k in places], span)
        assert isinstance(pair, TupleValue)
        out, saved = pair.parts
        results = [*_results(out, traced), *_left(s, traced), *_code(s, traced), *atoms(saved)]
        function, captures = close(b, "fwd", results)
        return function, skeleton(saved), captures


def _backward(
    s: Stager, f: Transformed, values: Sequence[Value], traced: Traced, saved: Value, span: Span
) -> tuple[Function, Captures]:
    """Captures, what is saved, cotangents of the inexact results -> cotangents of the inexact leaves."""
    with _apart(s) as b:
        inner = _filled(b, saved)
        cotangent = _filled(b, map_leaves(inexact_slot, traced.output))
        result = s.apply(options(f)["bwd"], (inner, cotangent), span)
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
