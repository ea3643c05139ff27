"""Pieces that the ops with bodies share: bodies with other signatures, operands of batches, bodies of samples.

A body is rearranged by giving the same equations other tuples of params and results, which costs nothing.
Knows no op of its own. Read next: `signature`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import is_

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Function, Literal, Tensor, Var
from dsl.ir.region import Axes, Flags, Split
from dsl.ops.layout import at_axis
from dsl.ops.rule_helpers import splat


def function(like: Function, params: Sequence[Var], results: Sequence[Atom]) -> Function:
    """Return the function with the same equations and another signature; itself, if that is the one it has."""
    made = Function(like.name, tuple(params), like.equations, tuple(results))
    before, after = (*like.params, *like.results), (*made.params, *made.results)
    same = len(made.params) == len(like.params) and len(before) == len(after) and all(map(is_, before, after))
    return like if same else made


def residual_values(split: Split, inputs: Sequence[Atom], outputs: Sequence[Atom]) -> tuple[Atom, ...]:
    """The residuals as values, given those of the known params and of the results of the known half."""
    values = (*inputs, *outputs)
    return tuple([values[i] for i in split.residuals])


def move_batch_to_front(b: Builder, xs: Sequence[Atom], axes: Axes, flags: Flags, size: int) -> tuple[Atom, ...]:
    """The flagged operands with their batch axis in front, spread if they have none; the others as they
    are."""
    return tuple([at_axis(b, x, a, size, 0) if f else x for x, a, f in zip(xs, axes, flags, strict=True)])


def filling(type: Tensor) -> Literal:
    """Return a placeholder for a residual that a branch does not compute; it is harmless in products, quotients and
    indices."""
    return splat(1 if type.dtype.is_inexact else 0, type)


def build_function(name: str, types: Sequence[Tensor], write: Callable[..., Atom | tuple[Atom, ...]]) -> Function:
    """A small function for a sample: `write(builder, *params)` gives its result or results."""
    b = Builder()
    found = write(b, *[b.param(t) for t in types])
    return b.finish(name, found if isinstance(found, tuple) else (found,))


def check_signature(op: str, body: Function, params: Sequence[Tensor]) -> None:
    """Raises IRTypeError unless the body takes parameters of these types."""
    if body.param_types != tuple(params):
        have, want = _listed(body.param_types), _listed(params)
        raise IRTypeError(f"{op}: the body {body.name} takes ({have}), not ({want})")


def check_results(op: str, body: Function, results: Sequence[Tensor]) -> None:
    """Raises IRTypeError unless the body returns results of these types."""
    if body.result_types != tuple(results):
        have, want = _listed(body.result_types), _listed(results)
        raise IRTypeError(f"{op}: the body {body.name} gives ({have}), not ({want})")


def _listed(types: Iterable[Tensor]) -> str:
    return ", ".join(map(str, types))
