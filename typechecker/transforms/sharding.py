"""`with_sharding(x, mesh, spec)`: the array itself, which is to lie over the devices of a mesh as a spec says.

The rules for specs are those of `shard`, and so are the conditions on sizes that callers are asked for. Read next:
`shard`.
"""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types.type import Type
from typechecker.calls.arguments import bind_in_order
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Term
from typechecker.errors import transforms as transform_errors
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array
from typechecker.transforms.shard import Cutting, axes_of
from typechecker.types.predicates import holds_key, holds_static


def with_sharding(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """The value has the type and the shape of `x`: an array, or a tuple or record of arrays."""
    given = bind_in_order(ctx, "with_sharding", args, ("x", "mesh", "spec"), 3, span, keyword=())
    x, mesh, spec = [ctx.typed(given.chosen[name].value) for name in ("x", "mesh", "spec")]
    x = coerce(ctx, x, as_array(ctx, ctx.resolve(x.type)), Why("argument", "x", "with_sharding"))
    kind = ctx.resolve(x.type)
    if holds_key(kind) or holds_static(kind):
        ctx.refuse(transform_errors.not_a_spec(spec.span, ctx, kind=kind, option="spec"))
    Cutting(ctx, axes_of(ctx, mesh), {"spec": spec.span}).part(kind, spec.known, x.span, "spec")
    statics = (("mesh", mesh.core), ("spec", spec.core))
    made = core.Intrinsic(span, kind, "with_sharding", (x.core,), statics)
    return Term(made, kind, of_elements(ctx, [x], kind))
