"""Building the IR of a function value for arguments at hand, and its derivative at them: what all
differentiating transformations are made of.

Values the function captures are extra parameters of its IR, in front, that no transformation touches.
Its last results are what it wrote to cells, then the error code of what may fail. Read next: `apply`,
`jacobian`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import Kind
from dsl.diagnostics.message import Help
from dsl.diagnostics.source import Span
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops.rule_helpers import splat
from dsl.staging.env import keys
from dsl.staging.env.cells import fresh, leaves_of, written_cells
from dsl.staging.env.closure_conversion import close, inline
from dsl.staging.env.stager import Stager
from dsl.staging.errors import staging_error
from dsl.staging.values import (
    ATOMS,
    UNIT,
    Closure,
    Partial,
    RecordValue,
    Slot,
    Transformed,
    TupleValue,
    Value,
    as_atom,
    as_int,
    atoms,
    definition_of,
    fill,
    map_leaves,
    positional,
    skeleton,
    slot_types,
    traced_numbers,
)
from dsl.transforms.linearize import linearize
from dsl.transforms.transpose import transpose
from dsl.types.dtype import I32

Rule: TypeAlias = Callable[[Stager, Transformed, Sequence[Value], Span, "int | None"], Value]
"""rule(stager, the transformed function, arguments, span, instance of a lambda) -> the result."""


class Traced(Struct, frozen=True):
    """A function value as IR, for given arguments. `inputs` are the captures, then the leaves of `args`."""

    function: Function
    inputs: tuple[Atom, ...]
    args: tuple[Value, ...]
    output: Value
    checks: bool
    cells: tuple[tuple[str, Value], ...] = ()
    """Names and skeletons of the cells it writes."""

    @property
    def captures(self) -> int:
        return len(self.inputs) - sum(len(atoms(arg)) for arg in self.args)

    @property
    def leaves(self) -> int:
        """How many traced leaves the arguments have."""
        return len(self.inputs) - self.captures

    @property
    def outputs(self) -> int:
        """How many results there are but for cells and code."""
        return len(self.function.results) - self.checks - self.written

    @property
    def written(self) -> int:
        """How many leaves the cells have that it writes."""
        return sum(len(slot_types(value)) for _, value in self.cells)


def traced_arguments(function: Value, args: Sequence[Value]) -> tuple[Value, ...]:
    """Static numbers become arrays, but for those of static parameters; other static values stay."""
    places = positional(function, len(args))
    return tuple([map_leaves(_traced, arg) if k in places else arg for k, arg in enumerate(args)])


def _traced(leaf: Value) -> Value:
    return as_atom(leaf) if isinstance(leaf, float | complex) else leaf


def trace(
    s: Stager,
    function: Value,
    args: Sequence[Value],
    span: Span,
    instance: int | None = None,
    types: Callable[[Tensor, int], Tensor] = lambda type, place: type,
    elements: bool = False,
    result: Callable[[Value], Value] = lambda value: value,
    shares: int = 1,
) -> Traced:
    """Builds the IR of a function value. `types(type, k)` is the type of parameter leaf k in its body.

    With `elements` it is run for many at once: where keys are drawn, the number of the element is one more
    parameter, the last; what it writes to an `accum` is what one element adds. `result` is what becomes of the value:
    static numbers in it that are differentiated, or that there are many of, are arrays. Of each value there are as many
    at once as `shares` says: elements, or tangents beside it.
    """
    outer, cells = s.keys, s.cells
    with s.inside() as b, s.sharing(shares):
        s.cells = fresh(cells) if elements else dict(cells)
        before = dict(s.cells)
        count = iter(range(10**9))
        inner = [fill(skeleton(arg), (b.param(types(atom.type, next(count))) for atom in atoms(arg))) for arg in args]
        if elements and outer is not None:
            s.keys = keys.inside(outer, b.param(Tensor(I32)))
        value = result(s.apply(function, inner, span, instance))
        names = written_cells(before, s.cells)
        outs, code = [*atoms(value), *leaves_of(s.cells, names)], s.code
        body, captures = close(b, name_of(function), outs if code is None else [*outs, code])
    s.keys, s.cells = outer, cells
    left = tuple([(name, skeleton(cells[name].value)) for name in names])
    inputs = (*captures, *[atom for arg in args for atom in atoms(arg)])
    return Traced(body, inputs, tuple(args), skeleton(value), code is not None, left)


def with_traced_scalar(result: Value) -> Value:
    """The result, or the first of two, as an array: the number that is differentiated."""
    if isinstance(result, TupleValue):
        return TupleValue((traced_numbers(result.parts[0]), *result.parts[1:]))
    return traced_numbers(result)


def name_of(function: Value) -> str:
    """The name a function value goes by in the IR."""
    found = definition_of(function)
    return "lambda" if found is None else found.definition.name


def give(s: Stager, traced: Traced, outputs: Sequence[Atom]) -> Value:
    """The value of the function from the results of its IR; what it wrote is written, a code recorded."""
    rest = iter(outputs[traced.outputs :])
    s.cells = dict(s.cells)
    for name, shape in traced.cells:
        s.cells[name] = s.cells[name].at(fill(shape, rest))
    if traced.checks:
        s.record(next(rest))
    return fill(traced.output, iter(outputs[: traced.outputs]))


def options(f: Transformed) -> dict[str, Value]:
    return dict(f.options)


def select_argnums(function: Value, args: Sequence[Value], argnums: Value) -> list[int]:
    """The places in `args` of what `argnums` lists: positions, counted without static parameters, or names."""
    places, names = positional(function, len(args)), _names(function)
    listed = argnums.parts if isinstance(argnums, TupleValue) else argnums if isinstance(argnums, tuple) else (argnums,)
    return [names.index(one) if isinstance(one, str) else places[as_int(one)] for one in listed]


def _names(function: Value) -> list[str]:
    """The names of the parameters; "" for one of a lambda that is a pattern."""
    found = definition_of(function)
    if found is not None:
        return [parameter.name for parameter in found.definition.signature.params]
    while isinstance(function, Transformed):
        function = function.function
    if isinstance(function, Partial):
        return list(function.names)
    if not isinstance(function, Closure):
        return []
    return [p.name if isinstance(p, core.Bind) else "" for p in function.node.instances[0].params]


def flags_of(traced: Traced, chosen: Sequence[int]) -> tuple[bool, ...]:
    """Which parameters of the IR are differentiated: the inexact leaves of the chosen arguments."""
    marks = [False] * traced.captures
    for k, arg in enumerate(traced.args):
        marks += [k in chosen and atom.type.dtype.is_inexact for atom in atoms(arg)]
    return tuple(marks)


class Linear(Struct, frozen=True):
    """The derivative of a traced function at its inputs, in place: `linear` takes `residuals`, then
    tangents of the inputs flagged in `flags`; it gives those of the results flagged in `nonzero`.
    """

    function: Function
    residuals: tuple[Atom, ...]
    flags: tuple[bool, ...]
    nonzero: tuple[bool, ...]
    outputs: tuple[Atom, ...]


def linearize_traced(s: Stager, traced: Traced, flags: tuple[bool, ...]) -> Linear:
    """Emits the primal computation of `traced` and keeps its derivative."""
    made = linearize(traced.function, flags, s.session.memo)
    outs = inline(s.b, made.primal, traced.inputs, s.session.sizes)
    values = (*traced.inputs, *outs)
    residuals = tuple([values[k] for k in made.residuals])
    count = len(traced.function.results)
    return Linear(made.linear, residuals, flags, made.nonzero, outs[:count])


def transpose_linear(s: Stager, linear: Linear, given: Sequence[bool]) -> Function:
    """The transpose for cotangents of the results flagged in `given` (one flag per result of the function):
    residuals, then those cotangents -> a cotangent for every flagged input."""
    count = len(linear.residuals)
    wanted = len(linear.function.params) - count
    used = tuple([g for g, n in zip(given, linear.nonzero, strict=True) if n])
    marks = (False,) * count + (True,) * wanted
    return transpose(linear.function, marks, used, (True,) * wanted, s.session.memo).function


def pull_back(s: Stager, linear: Linear, cotangents: Sequence[Atom | None]) -> list[Atom]:
    """Cotangents of the flagged inputs from those of the results; None stands for zero."""
    backward = transpose_linear(s, linear, [ct is not None for ct in cotangents])
    given = [ct for ct, n in zip(cotangents, linear.nonzero, strict=True) if n and ct is not None]
    return list(inline(s.b, backward, (*linear.residuals, *given), s.session.sizes))


def by_argument(args: Sequence[Value], chosen: Sequence[int], found: Sequence[Atom]) -> dict[int, Value]:
    """Cotangents of the chosen arguments in their structure; `()` for leaves that are not inexact."""
    values = iter(found)
    return {k: map_leaves(lambda leaf: _cotangent(leaf, values), args[k]) for k in sorted(set(chosen))}


def _cotangent(leaf: Value, values: Iterator[Atom]) -> Value:
    return next(values) if is_inexact(leaf) else UNIT


def require_floats(kind: Kind, sources: Sequence[Tensor], results: Sequence[Tensor], span: Span) -> None:
    """Require floats among sources and results. For a function that Python transforms, the checker only knows that
    there may be some."""
    taken, given = (any(type_.dtype.is_inexact for type_ in types) for types in (sources, results))
    if not taken or not given:
        message = f"`{kind}` cannot differentiate a function that {'returns' if taken else 'takes'} no floats"
        raise staging_error("E0802", message, span, help=(Help("convert to a float: `f32(…)`"),))


def is_inexact(leaf: Value) -> bool:
    return isinstance(leaf, ATOMS) and leaf.type.dtype.is_inexact


def inexact_slot(leaf: Value) -> Value:
    """A leaf of a skeleton that has a tangent; `()` for the others."""
    return leaf if isinstance(leaf, Slot) and leaf.type.dtype.is_inexact else UNIT


def zip_slots(shape: Value, value: Value, found: list[Atom]) -> None:
    """Appends the leaves of `value` that stand at slots of `shape`; static numbers take the slot's dtype."""
    match shape:
        case Slot(type):
            found.append(value if isinstance(value, ATOMS) else splat(_number(value), type))
        case TupleValue(parts) if isinstance(value, TupleValue):
            for inner, part in zip(parts, value.parts, strict=True):
                zip_slots(inner, part, found)
        case RecordValue(fields) if isinstance(value, RecordValue):
            for (_, inner), (_, part) in zip(fields, value.fields, strict=True):
                zip_slots(inner, part, found)
        case _:
            pass


def _number(value: Value) -> float:
    assert isinstance(value, int | float), value
    return value
