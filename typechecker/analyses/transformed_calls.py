"""Calls of transformed functions: which arguments a transformation counts, and what its options say of each.

Read next: `sums_of_the_same`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dsl.core import core
from dsl.core.analysis.abstract_values import Items, Named, Value
from dsl.types import type as ty
from typechecker.declarations.program_checker import ProgramChecker

ALIKE = frozenset({"psum", "pmean", "pmax", "pmin", "all_gather"})
"""Collectives that give the same to all elements; others tell them apart."""


def counted(program: ProgramChecker, node: core.Transform, count: int) -> list[int]:
    """The places of the arguments that are neither static nor functions."""
    params = parameters(program, node.function)
    return list(range(count)) if params is None else [i for i, p in enumerate(params) if p.counts]


def parameters(program: ProgramChecker, function: core.Expr) -> Sequence[core.Parameter] | None:
    """The parameters of the definition that is transformed; None for a lambda."""
    while isinstance(function, core.Transform | core.Specialise):
        function = function.function
    found = program.checked(function.module, function.name) if isinstance(function, core.Global) else None
    return None if found is None else found.signature.params


def marks_of_arguments(
    program: ProgramChecker,
    node: core.Transform,
    option: core.Expr | None,
    count: int,
    mark: Callable[[core.Expr], Value],
) -> list[Value]:
    """The marks of arguments, of which an option says something for all, or for each that counts."""
    places = counted(program, node, count)
    marked: list[Value] = [False] * count
    for entry, place in enumerate(places[:count]):
        one = option.items[entry] if isinstance(option, core.Tuple) and entry < len(option.items) else option
        marked[place] = True if one is None else mark(one)
    return marked


def chosen_arguments(program: ProgramChecker, node: core.Transform, count: int) -> list[int]:
    """The places of the arguments that a derivative is taken by; none where they are not known."""
    params, places = parameters(program, node.function), counted(program, node, count)
    option = dict(node.options).get("argnums")
    wanted: core.Expr = core.Const(node.span, ty.INT, 0) if option is None else option
    out: list[int] = []
    for one in wanted.items if isinstance(wanted, core.Tuple) else (wanted,):
        constant = one.size.constant if isinstance(one, core.SizeOf) else None
        value = one.value if isinstance(one, core.Const) else constant
        if isinstance(value, str) and params is not None:
            out += [i for i, p in enumerate(params) if p.name == value]
        elif isinstance(value, int) and -len(places) <= value < len(places):
            out.append(places[value])
    return out


def has_aux(node: core.Transform) -> bool:
    aux = dict(node.options).get("has_aux")
    return isinstance(aux, core.Const) and aux.value is True


def axis_name(options: Sequence[tuple[str, core.Expr]]) -> str | None:
    name = dict(options).get("axis_name")
    return name.value if isinstance(name, core.Const) and isinstance(name.value, str) else None


def mesh_names(node: core.Transform) -> list[str]:
    """The axes of the mesh that a function is cut along, where it is written down."""
    mesh = dict(node.options).get("mesh")
    pairs = [pair for pair in mesh.items if isinstance(pair, core.Tuple)] if isinstance(mesh, core.Tuple) else []
    names = [pair.items[0] for pair in pairs]
    return [name.value for name in names if isinstance(name, core.Const) and isinstance(name.value, str)]


def with_axis(axes: core.Expr) -> Value:
    """Marks on what has an axis."""
    match axes:
        case core.Tuple(items=items):
            return Items(tuple(map(with_axis, items)))
        case core.Record(fields=fields):
            return Named(tuple([(name, with_axis(e)) for name, e in fields]))
        case _:
            return not (isinstance(axes, core.Const) and axes.value is None)


def cut_along(spec: core.Expr, name: str) -> Value:
    """Marks on what is cut along an axis of a mesh."""
    match spec:
        case core.Tuple(items=items):
            return Items(tuple([cut_along(e, name) for e in items]))
        case core.Record(fields=fields) if not _is_cut(spec):
            return Named(tuple([(each, cut_along(e, name)) for each, e in fields]))
        case core.Record(fields=fields):
            return name in dict(fields)
        case _:
            return False


def _is_cut(spec: core.Record) -> bool:
    """Return whether a record says which axes are cut along those of a mesh."""
    return all(e.type in (ty.INT, ty.SIZE) for _, e in spec.fields)
