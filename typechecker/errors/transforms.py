"""E08: transformations; E10: meshes, and what is cut along them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

from dsl.core.policies import BUDGET, EXAMPLE, POLICY_NAMES
from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.type import Type
from dsl.types.walk import children, leading_axes, part_names
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.trees import (
    argument,
    bare,
    bounded,
    expressions,
    read,
    tree_of,
)
from typechecker.errors.repairs.trial import definition_around, tried
from typechecker.errors.templates import Template
from typechecker.errors.words import format_type, snippet

if TYPE_CHECKING:
    from dsl.types.decide import Refuted
    from dsl.types.size import Size
    from typechecker.env.context import Context
    from typechecker.env.values import Term

_arguments_of_result = Template(
    "E0501",
    "`{kind}` takes a function and gives a function, which takes the arguments",
    "an argument of the function that `{kind}` gives",
)


def arguments_of_result(ctx: Context, kind: str, place: Span, span: Span) -> Diagnostic | None:
    """`grad(f, x)` for `grad(f)(x)`, if that checks."""
    helps = tried(ctx, span, ["did you mean `{}`?", "F(A, X) => F(A)(X)", "F(A, X, R) => F(A)(X, R)"])
    return _arguments_of_result(place, kind=kind, help=helps) if helps else None


_ONE_NUMBER = (
    "a loss is one number, the mean or the sum: `{}`",
    "F(fn P -> E, R) => F(fn P -> mean(E), R)",
    "F(G)(R) => F(fn (Z) -> mean(G(Z)))(R)",
    "F(G)(R) => F(fn (R) -> mean(G(R)))(R)",
    "the derivatives of each element are `{}`",
    "grad(R) => jacrev(R)",
)
"""The mean of what a function gives, or the derivative of each element."""
_WITH_AUX = ("if the second part is beside the loss: `{}`", "F(G)(R) => F(G, has_aux=true)(R).0")
_not_scalar = Template(
    "E0801",
    "`{kind}` needs a function that returns a real scalar, not {result:type}",
    "the result is {result:plain}",
    help="reduce it (`sum`, `mean`), or use `jacrev` or `vjp`",
)
_OF_INTEGERS = (
    "compute it in floats, of what changes little by little, as a margin or a probability does; a count does not, and "
    "`f32(…)` of it has the derivative 0 everywhere"
)


def not_scalar(ctx: Context, kind: str, result: Type, span: Span) -> Diagnostic:
    found = ctx.resolve(result)
    helps: Sequence[Help] | str | None = None
    match found:
        case ty.ArrayType(dtype, shape) if shape.rank != 0:
            definitions = ctx.program.modules[ctx.body.module].definitions
            heads = [definitions[name].node for name in trees.bound_names(tree_of(span)) if name in definitions]
            names = [", ".join([param.name.name for param in head.params]) for head in heads]
            helps = tried(ctx, span, _ONE_NUMBER, {"Z": names})
        case ty.ArrayType(DType() as dtype):
            helps = "take `real(…)` or `abs(…)` of it" if dtype.is_complex else _OF_INTEGERS
        case ty.ArrayType(ty.DTypeVar(name=name)):
            helps = f"its dtype may be complex or an integer: state a narrower class, `[{name}: Float]`"
        case ty.INT | ty.SIZE:
            helps = _OF_INTEGERS
        case ty.TupleType():
            given = "((value, aux), gradient)" if kind == "value_and_grad" else "(gradient, aux)"
            helps = tried(ctx, span, _WITH_AUX) if kind == "grad" else None
            helps = helps or f"if that is `(value, aux)`: `{kind}(…, has_aux=true)` gives `{given}`"
        case _:
            pass
    return _not_scalar(span, ctx, kind=kind, result=result, help=helps)


_not_inexact = Template(
    "E0802",
    "`{kind}` cannot differentiate with respect to argument {place}: it {what}",
    "integers, bools and keys are not differentiable",
    other="{term.type:plain}",
    help="choose other arguments with `argnums`, or convert to a float first",
    tries=("say by which argument to differentiate, counted from 0: `{}`", "F(G)(R) => F(G, argnums=N)(R)"),
)


def not_inexact(ctx: Context, kind: str, place: int, leaf: str, term: Term, span: Span) -> Diagnostic:
    what = f"is {format_type(ctx, term.type)}" if leaf == "itself" else f"has no float at `{leaf}`"
    advice = None if leaf == "itself" else f"give `{leaf}` as an argument of its own, or convert it to a float first"
    return _not_inexact(span, ctx, other=term.span, kind=kind, place=place, what=what, term=term, help=advice)


not_inexact_result = Template(
    "E0802",
    "`{kind}` cannot differentiate a function that returns {result:type}",
    "integers and bools are not differentiable",
    help=_OF_INTEGERS,
)
no_jacobian = Template(
    "E0802",
    "`{kind}` cannot differentiate by or of a `{leaf}`: which leaves that has is not known here",
    "the result has a part for each leaf",
    help="`grad`, `jvp`, `vjp`, `linearize` and `hvp` take trees of any structure; for the others, write the type out",
)
no_elements = Template(
    "E0802",
    "`{kind}` cannot differentiate with respect to argument {place}: it is {term.type:type}",
    "a Jacobian is that of the elements of real arrays",
    help="`jvp` and `vjp` take such arguments; pass the real and the imaginary part of a complex one as two arguments",
)
no_floats = Template(
    "E0802",
    "`{kind}` cannot differentiate a function that {side} no floats",
    "integers, bools and keys are not differentiable",
    help="convert to a float: `f32(…)`",
)
_unbounded_reverse = Template(
    "E0805",
    "`{kind}` cannot differentiate an `iterate` without a limit in reverse mode",
    "the number of steps to store is unknown",
    help="give the loop a bound, {bound}: it performs no `div` then, which need not be declared any more; or use `jvp` "
    "or `jacfwd`",
)


def unbounded_reverse(ctx: Context, kind: object, span: Span) -> Diagnostic:
    """The loop is shown with a limit where it is that of a function of the module which is named at the place."""
    definitions = ctx.program.modules[ctx.body.module].definitions
    named = [definitions[name].node for name in trees.bound_names(tree_of(span)) if name in definitions]
    loops = [(node, n) for node in named for n in nodes(node) if isinstance(n, ast.Iterate) and n.limit is None]
    if len(loops) != 1:
        return _unbounded_reverse(span, kind=kind, bound="`limit 100` in front of its `do`")
    node, loop = loops[0]
    (head, limit), row = bounded(loop), node.effects
    alone = row is not None and node.result is not None and row.span.text == "div"
    pure = Span(span.source, node.result.span.end, row.span.end) if alone and node.result and row else None
    edits = (limit, Edit(pure, "")) if pure is not None else ()
    return _unbounded_reverse(span, edits=edits, kind=kind, bound=f"`{head}`")


_no_mapped_axis = Template("E0806", "cannot map over axis {axis} of {what}", "{own:plain}")


def no_result_axis(ctx: Context, kind: Type, axis: int, span: Span) -> Diagnostic:
    advice = "the new axis has a place among those of the result: choose it, or none, with `out_axes`"
    return _no_mapped_axis(span, ctx, axis=axis, what=format_type(ctx, kind), own=kind, help=advice)


def no_mapped_axis(
    ctx: Context, leaf: Type, axis: int, path: str, argument: tuple[int, Type, int], span: Span, whole: Span
) -> Diagnostic:
    """The leaf at a path of an argument has no such axis. `argument` is its place, its type, and how many there are."""
    place, own, given = argument
    what = f"`{path}`, which is {format_type(ctx, leaf)}" if path else format_type(ctx, leaf)
    split = trees.imported(span.source, "random", "split")
    rules = ["a key for each element: `{}`", f"F(A) => F({split.name}(A, Z))"]
    helps: Sequence[Help] | str = tried(ctx, whole, rules, {"Z": trees.sizes_in(definition_around(ctx, span))}, [split])
    helps = helps or f"several keys are made from one: `{split.name}({span.text}, n)`{split.said}"
    if not isinstance(leaf, ty.KeyType):
        entries = _entries(whole, given)
        entries[place : place + 1] = [axes_of_leaves(ctx.resolve(own), axis)]
        helps = _with_entries(ctx, whole, f"`{path or snippet(span)}` is the same for every element: `{{}}`", [entries])
    said = f"choose an axis that {f'`{path}`' if path else 'it'} has, or none, with `in_axes`"
    return _no_mapped_axis(span, ctx, axis=axis, what=what, own=own, help=helps or said)


_mapped_sizes_differ = Template(
    "E0807",
    "mapped axes have different sizes: {first} and {size}",
    "maps {size} elements",
    other="maps {first} elements",
    note="{found:example}",
)


_OF_PAIRS = ("each of the one with each of the other is `{}`", "vmap(vmap(F))(A, B) => [F(a, b) for a in A, b in B]")


def mapped_sizes_differ(
    ctx: Context, sizes: Sequence[tuple[Size, Span]], found: Refuted, kinds: Sequence[Type], whole: Span
) -> Diagnostic:
    """The first and the last of some sizes differ. What is the same for every element is found by trying."""
    (first, other), (size, span) = sizes[0], sizes[-1]
    if any(var.traced for size, _ in sizes for var in size.vars()):
        advice = "the data decide one of them: compute with all elements, and select from the result"
        return _mapped_sizes_differ(span, other=other, first=first, size=size, found=found, help=advice)
    pairs = tried(ctx, whole, _OF_PAIRS)
    old = _entries(whole, len(kinds))
    spelt = [
        axes_of_leaves(ctx.resolve(kind), int(entry)) if entry.isdigit() else entry
        for kind, entry in zip(kinds, old, strict=False)
    ]
    leaves = [
        (k, trees.changed(n, Edit(n.span, "none")))
        for k, each in enumerate(spelt)
        for n in expressions(read(each))
        if isinstance(n, ast.NumberLit)
    ]
    every = [[*old[:k], entry, *old[k + 1 :]] for k, entry in [*((k, "none") for k in range(len(old))), *leaves]]
    advice = "arguments that are mapped have one size; one that is not has `none`, as in `in_axes=(none, 0)`"
    same = _with_entries(ctx, whole, "what is the same for every element has `none`: `{}`", every)
    return _mapped_sizes_differ(span, other=other, first=first, size=size, found=found, help=pairs or same or advice)


nothing_mapped = Template(
    "E0808",
    "no argument is mapped",
    "`vmap` without a mapped axis",
    help="give an axis for at least one argument with `in_axes`",
)
_in_axes_count = Template(
    "E0809", "`in_axes` has {given:entry|entries} for {count:argument}", "one entry for each argument", note="{note}"
)


def in_axes_count(ctx: Context, given: int, count: int, static: Sequence[str], span: Span) -> Diagnostic:
    """Entries that lack are mapped, or not, as the arguments behind allow; of those beyond, one is left out where the
    others fit. `static` are the arguments by name, which have none."""
    own, beyond = _entries(span), given > count and static
    every: Iterable[Sequence[str]] = [[*own, *each] for each in product(("0", "none"), repeat=max(count - given, 0))]
    if given > count:
        every = dict.fromkeys(combinations(own, count))
    note = f"{', '.join(f'`{name}`' for name in static)} is given by name, and has no entry" if beyond else None
    helps = _with_entries(ctx, span, "did you mean `{}`?", every)
    return _in_axes_count(span, given=given, count=count, note=note, help=helps)


collective_unsized = Template(
    "E0810", "`{name}` needs the size of axis `{axis}`", "unknown axis size", help='declare it: `! axis("{axis}": n)`'
)
collective_outside = Template(
    "E0810",
    "`{name}` uses axis `{axis}`, which is not in scope",
    "undefined axis",
    help='name it: `vmap(f, axis_name="{axis}")`, or declare its size: `! axis("{axis}": n)`',
)
argnums_range = Template(
    "E0811",
    "`{kind}` cannot differentiate with respect to argument {index}: the function has {count:array argument}",
    "no such argument",
    note="static parameters are not counted",
)
argnums_name = Template(
    "E0811",
    "`{kind}` cannot differentiate with respect to `{name}`: it is not an array argument",
    "no such argument",
    note="arguments: {known:listed}",
)
bad_option = Template("E0812", "`{name}` of `{kind}` must be {wanted}", "invalid value")
not_axes = Template(
    "E0812",
    "`{option}` does not say which axis of {kind:type} is mapped",
    "{kind:plain}",
    help="write a literal axis for all of it, or one for each part, in a tuple or record as it is; `none` is for what "
    "has none",
)
_not_a_policy = Template(
    "E0812",
    "unknown `checkpoint` policy",
    "one of {known:listed}, or a tuple of names",
    help='name a value, `checkpoint_name(x, "hidden")`, and keep it: `policy=("hidden",)`',
)
_not_a_budget = Template(
    "E0812",
    "a budget of `checkpoint` is a number of bytes above zero, with a unit",
    'written as in `"{example}"`',
    help='to keep nothing, write `policy="nothing"`',
)


def not_a_policy(known: object, span: Span) -> Diagnostic:
    """`known` is what is known of the policy."""
    if isinstance(known, str) and known.partition(":")[0].strip().lower() == BUDGET:
        return _not_a_budget(span, example=EXAMPLE)
    return _not_a_policy(span, known=[f'"{name}"' for name in (*POLICY_NAMES, EXAMPLE)])


function_leaves = Template(
    "E0819",
    "`{kind}` needs a function that returns data, not {result:type}",
    "a function in it would leave `{kind}` with what it captures",
    help="return what it captures, and apply it outside of `{kind}`",
)
aux_needs_pair = Template(
    "E0812",
    "`{kind}` with `has_aux` needs a function that returns a pair, not {result:type}",
    "expected `(value, aux)`",
)
transform_needs_function = Template(
    "E0814",
    "`{kind}` transforms functions, not {term.type:type}",
    "{term:described}",
    help="pass the function itself: `{kind}(f)(x)`, not `{kind}(f(x))`",
    tries=("pass the function itself: `{}`", "{kind}(F(R)) => {kind}(F)(R)"),
)
jvp_needs_tuples = Template(
    "E0814", "`jvp(f, primals, tangents)` takes two tuples", "{term:described}", help="a tuple of one is written `(x,)`"
)
tangent_count = Template("E0815", "{given:tangent} for {wanted:primal}", "one tangent for each primal")
custom_rule_type = Template(
    "E0813", "`{name}` returns {actual:type}", "expected a pair of {result:plain} and the residuals for `bwd`"
)
no_shape = Template("E0814", "`eval_shape` describes arrays, not {kind:type}", "the result contains a non-array")


def in_call(found: Diagnostic, span: Span) -> Diagnostic:
    """Report an error of a definition at the static values and sizes of one call."""
    return replace(found, secondary=(*found.secondary, Label(span, "for this call")))


# ---------------------------------------------------------------- meshes

not_a_mesh = Template(
    "E1008",
    "a mesh has axes with a name and a static size of at least 1",
    "not an axis of a mesh",
    help="write `mesh(data=4, model=2)`",
)
axis_named_twice = Template("E1008", "the mesh has two axes `{name}`", "named twice")
unknown_mesh_axis = Template(
    "E1009", "the mesh has no axis `{name}`", "unknown axis", note="axes of the mesh: {known:quoted}"
)
not_a_spec = Template(
    "E1010",
    "`{option}` does not say how {kind:type} is cut",
    "{kind:plain}",
    help="name the axis that is cut along one of the mesh, `{{data = 0}}`; `none` is for what is not cut",
)
spec_axis_range = Template(
    "E1010",
    "{kind:type} has no axis {axis} to cut along `{name}`",
    "{kind:plain}",
    help="choose the axis, or none, with `{option}`",
)
spec_count = Template(
    "E1010", "`in_specs` has {given:entry|entries} for {count:argument}", "one entry for each argument"
)
not_divisible = Template(
    "E1012",
    "an axis of size {size} cannot be cut into {count} equal parts",
    "cut along `{name}`, which has {count} places",
    note="{found:example}",
    help="pad the array, or choose another mesh",
)


_ENTRIES = (
    "F(R, in_axes=X) => F(R, in_axes=(Z))",
    *[f"{kind}(R) => {kind}(R, in_axes=(Z))" for kind in ("vmap", "pmap")],
)


def _with_entries(ctx: Context, place: Span, words: str, every: Iterable[Sequence[str]]) -> list[Help]:
    """Return the call at a place with other entries of `in_axes`, the first that mends."""
    texts = [", ".join(each) + ("," if len(each) == 1 else "") for each in every]
    return tried(ctx, place, [words, *_ENTRIES], {"Z": texts})


def _entries(call: Span, given: int = 0) -> list[str]:
    """The entries of `in_axes` in a call, each for one argument, also where one number stands for all."""
    calls = [each for each in expressions(tree_of(call)) if isinstance(each, ast.Call)]
    found = next((arg.value for each in calls if (arg := argument(each, "in_axes")) is not None), None)
    if isinstance(found, ast.TupleLit):
        return [item.span.text for item in found.items]
    return ["0" if found is None else bare(found.span.text)] * given


def axes_of_leaves(kind: Type, axis: int) -> str:
    """The entry of a tree that maps the leaves that have this axis, and no others."""
    match kind:
        case ty.TupleType(parts):
            shown = [axes_of_leaves(part, axis) for part in parts]
            return f"({', '.join(shown)}{',' if len(shown) == 1 else ''})"
        case ty.RecordType():
            pairs = zip(part_names(kind), children(kind), strict=True)
            return f"{{{', '.join([f'{name} = {axes_of_leaves(part, axis)}' for name, part in pairs])}}}"
        case _:
            shape = leading_axes(kind)
            has = shape is not None and (shape.rank is None or -shape.rank <= axis < shape.rank)
            return str(axis) if has else "none"
