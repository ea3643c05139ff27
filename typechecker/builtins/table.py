"""Functions whose types no signature can say, by name: each takes its arguments unchecked and gives a checked term.

Those of arrays and those that map trees are in modules of their own (`typechecker.builtins.arrays` and `trees`);
here are the ways in to effects and transformations.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from dsl.core.transformation import AT_ONCE, MAKING_FUNCTIONS
from dsl.diagnostics.source import Span
from dsl.types.type import Type
from typechecker import errors
from typechecker.builtins.arrays import cast, concatenate, einsum, split_at, stack
from typechecker.builtins.trees import tree_map, tree_reduce
from typechecker.declarations.program_checker import SpecialRule
from typechecker.effects import collectives, handlers
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Term
from typechecker.transforms import linear_functions, transformations
from typechecker.transforms.linear_functions import eval_shape
from typechecker.transforms.shard import mesh, with_sharding


def _in_iteration_only(name: str, ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    ctx.refuse(errors.loops.iteration_only(ctx, name, span))


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    rules: Mapping[str, SpecialRule] = {
        "print": handlers.print_,
        "emit": handlers.emit,
        "checked": handlers.check_floats,
        "fresh_key": handlers.fresh_key,
        "resume": handlers.resume,
        "concatenate": concatenate,
        "stack": stack,
        "einsum": einsum,
        "tree_map": tree_map,
        "tree_reduce": tree_reduce,
        "split_at": split_at,
        "cast": cast,
        "eval_shape": eval_shape,
        "mesh": mesh,
        "with_sharding": with_sharding,
        **collectives.table(),
        **{name: partial(_in_iteration_only, name) for name in ("range", "zip", "enumerate")},
        **{kind: partial(transformations.transform, kind) for kind in MAKING_FUNCTIONS},
        **{kind: partial(linear_functions.call, kind) for kind in AT_ONCE},
    }
    return MappingProxyType(rules)
