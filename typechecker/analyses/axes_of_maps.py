"""The axes in the options of a map: which leaves of arguments and results are mapped or partitioned along one.

Read next: `activity`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dsl.core import core
from dsl.core.analysis.abstract_values import Items, Named, Value, field, part
from dsl.core.walk import subexpressions
from dsl.types import type as ty
from typechecker.analyses.activity_marks import is_active


def lacks_axis(axes: core.Expr | None) -> bool:
    return axes is not None and any(isinstance(e, core.Const) and e.value is None for e in subexpressions(axes))


def with_axis(axes: core.Expr) -> Value:
    """Marks on what has an axis."""
    match axes:
        case core.Tuple(items=items):
            return Items(tuple(map(with_axis, items)))
        case core.Record(fields=fields):
            return Named(tuple([(name, with_axis(e)) for name, e in fields]))
        case _:
            return not (isinstance(axes, core.Const) and axes.value is None)


def left_alone(axes: core.Expr, value: Value) -> Value:
    """The marks of what is to have no axis."""
    return _leafwise(axes, value, lambda e: isinstance(e, core.Const) and e.value is None)


def axes_that_fit(axes: core.Expr, value: Value) -> str:
    """The text of axes as they are written, with an axis for each part without one that is marked."""
    match axes, value:
        case core.Tuple(items=items), _:
            return _in_parentheses([axes_that_fit(e, part(value, i)) for i, e in enumerate(items)])
        case core.Record(fields=fields), _:
            return f"{{{', '.join([f'{name} = {axes_that_fit(e, field(value, name))}' for name, e in fields])}}}"
        case core.Const(value=None), Items(parts) if not all(map(is_active, parts)):
            return _in_parentheses([axes_that_fit(axes, each) for each in parts])
        case core.Const(value=None), _:
            return "0" if is_active(value) else "none"
        case _:
            return axes.span.text


def _in_parentheses(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def not_cut_along(spec: core.Expr, name: str, value: Value) -> Value:
    """The marks of what is not to be cut along an axis of a mesh."""
    return _leafwise(spec, value, lambda e: cut_along(e, name) is False)


def _leafwise(tree: core.Expr, value: Value, left_out: Callable[[core.Expr], bool]) -> Value:
    match tree:
        case core.Tuple(items=items):
            return Items(tuple([_leafwise(e, part(value, i), left_out) for i, e in enumerate(items)]))
        case core.Record(fields=fields) if not _is_cut(tree):
            return Named(tuple([(name, _leafwise(e, field(value, name), left_out)) for name, e in fields]))
        case _:
            return left_out(tree) and is_active(value)


def _is_cut(spec: core.Record) -> bool:
    """Return whether a record says which axes are cut along those of a mesh."""
    return all(e.type in (ty.INT, ty.SIZE) for _, e in spec.fields)


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


def mesh_names(node: core.Transform) -> list[str]:
    """The axes of the mesh that a function is cut along, where it is written down."""
    mesh = dict(node.options).get("mesh")
    pairs = [pair for pair in mesh.items if isinstance(pair, core.Tuple)] if isinstance(mesh, core.Tuple) else []
    names = [pair.items[0] for pair in pairs]
    return [name.value for name in names if isinstance(name, core.Const) and isinstance(name.value, str)]


def axis_name(options: Sequence[tuple[str, core.Expr]]) -> str | None:
    name = dict(options).get("axis_name")
    return name.value if isinstance(name, core.Const) and isinstance(name.value, str) else None
