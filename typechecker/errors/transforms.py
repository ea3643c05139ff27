"""E08: transformations; E10: meshes, and what is cut along them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.foreign_blocks import call_arguments
from dsl.syntax.walk import nodes
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.type import Type
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.edits import name_of
from typechecker.errors.repairs.loops import bounded
from typechecker.errors.repairs.transforms import (
    as_one_number,
    entries,
    with_axes_of_leaves,
    with_entries,
    with_one_unmapped,
)
from typechecker.errors.repairs.trees import innermost, tree_of
from typechecker.errors.repairs.trial import first_that_checks, mends, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import format_type, instead, make, plain_type, replace_with, snippet

if TYPE_CHECKING:
    from dsl.types.decide import Refuted
    from dsl.types.size import Size
    from typechecker.env.call_record import Arg
    from typechecker.env.context import Context
    from typechecker.env.values import Term


def arguments_of_result(ctx: Context, kind: str, args: Sequence[Arg], place: Span, span: Span) -> Diagnostic | None:
    """`grad(f, x)` for `grad(f)(x)`, if that checks."""
    written = [snippet(arg.span, 48) for arg in args]
    options = [text for text, arg in zip(written, args, strict=True) if text and arg.name is not None]
    given = [text for text, arg in zip(written, args, strict=True) if text and arg.name is None][1:]
    mended = f"{kind}({', '.join([written[0], *options])})({', '.join(given)})"
    if not all(written) or type_of(ctx, mended, span) is None:
        return None
    return _arguments_of_result(place, kind=kind, help=instead("did you mean `{}`?", span, mended))


_arguments_of_result = Template(
    "E0501",
    "`{kind}` takes a function and gives a function, which takes the arguments",
    "an argument of the function that `{kind}` gives",
)


def not_scalar(ctx: Context, kind: str, result: Type, span: Span) -> Diagnostic:
    found, each = ctx.resolve(result), _of_each_element(ctx, kind, span)
    vector = isinstance(found, ty.ArrayType) and found.shape.rank != 0
    own = None if vector else _to_a_scalar(kind, found, span)
    helps = [Help(own)] if own else each or _reduced(ctx, kind, found, span)
    return make(
        "E0801",
        f"`{kind}` needs a function that returns a real scalar, not {format_type(ctx, result)}",
        span,
        f"the result is {plain_type(ctx, result)}",
        help=helps or [Help("reduce it (`sum`, `mean`), or use `jacrev` or `vjp`")],
    )


_OF_INTEGERS = (
    "compute it in floats, of what changes little by little, as a margin or a probability does; a count does not, and "
    "`f32(…)` of it has the derivative 0 everywhere"
)


def _to_a_scalar(kind: str, found: Type, span: Span) -> str | None:
    """Describe the scalar result that a function needs in place of another scalar or a tuple."""
    match found:
        case ty.ArrayType(DType() as dtype):
            return "take `real(…)` or `abs(…)` of it" if dtype.is_complex else _OF_INTEGERS
        case ty.ArrayType(ty.DTypeVar(name=name)):
            return f"its dtype may be complex or an integer: state a narrower class, `[{name}: Float]`"
        case ty.INT | ty.SIZE:
            return _OF_INTEGERS
        case ty.TupleType():
            given = "((value, aux), gradient)" if kind == "value_and_grad" else "(gradient, aux)"
            root = tree_of(span)
            made = innermost(root)
            written = ""
            if root is not None and made is not None and name_of(made) == kind and len(made.args) == 1:
                whole = trees.with_args(made, (*made.args, trees.option("has_aux", trees.truth())))
                written = f", `let {given} = {trees.changed(root, trees.change(made, whole))}`"
            return f"if that is `(value, aux)`: `{kind}(…, has_aux=true)` gives `{given}`{written}"
        case _:
            return None


def _of_each_element(ctx: Context, kind: str, span: Span) -> list[Help]:
    """The Jacobian in place of the gradient, where the definition asks for one."""
    root = tree_of(span)
    made = innermost(root)
    if root is None or made is None or kind != "grad" or name_of(made) != "grad":
        return []
    edits = replace_with(span, trees.changed(root, trees.change(made.function, trees.name("jacrev"))))
    summed: tuple[Edit, ...] = ()
    match root:
        case ast.Call(ast.Call(_, (ast.Argument(None, ast.Name(f)),)), (ast.Argument(None, ast.Name(x)),)):
            summed = replace_with(span, f"grad(fn {x} -> sum({f}({x})))({x})")
        case _:
            pass
    asked = mends(ctx, edits) and not mends(ctx, summed)
    return [Help(f"if the derivatives of each element are meant: `{edits[0].text}`", edits)] if asked else []


def _reduced(ctx: Context, kind: str, found: Type, span: Span) -> list[Help]:
    """The derivative of one number that is computed of what a function gives, or of each of its elements."""
    root = tree_of(span)
    made = innermost(root)
    match made:
        case ast.Call(ast.Name("grad"), (ast.Argument(None, ast.Call(ast.Name("grad"), (inner,))),)) if (
            root is not None
        ):
            second = trees.changed(root, trees.change(made, trees.call("hessian", inner)))
            if type_of(ctx, second, span) is not None:
                return [Help(f"all second derivatives are `{second}`")]
        case _:
            pass
    helps = [*as_one_number(ctx, kind, found, span)]
    match made:
        case ast.Call(ast.Name("grad"), (ast.Argument(None, ast.Name(f)),)) if helps:
            return [*helps, Help(f"if the derivatives of each element are meant: `jacrev({f})`")]
        case _:
            return helps


def not_inexact(ctx: Context, kind: str, place: int, leaf: str, term: Term, span: Span) -> Diagnostic:
    what = f"is {format_type(ctx, term.type)}" if leaf == "itself" else f"has no float at `{leaf}`"
    return make(
        "E0802",
        f"`{kind}` cannot differentiate with respect to argument {place}: it {what}",
        span,
        "integers, bools and keys are not differentiable",
        secondary=[Label(term.span, plain_type(ctx, term.type))] if term.span != span else [],
        help="choose other arguments with `argnums`, or convert to a float first"
        if leaf == "itself"
        else f"give `{leaf}` as an argument of its own, or convert it to a float first",
    )


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
    (head, limit), row, result = bounded(loop), node.effects, node.result
    alone = row is not None and row.span.text == "div"
    pure = (Edit(Span(span.source, result.span.end, row.span.end), ""),) if row and result and alone else ()
    return _unbounded_reverse(span, edits=(limit, *pure) if pure else (), kind=kind, bound=f"`{head}`")


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
    if isinstance(leaf, ty.KeyType):
        advice = f"several keys are made from one: `split({span.text}, n)`"
        return _no_mapped_axis(span, ctx, axis=axis, what=what, own=own, help=advice)
    written = with_axes_of_leaves(whole.text, place, given, ctx.resolve(own), axis)
    if type_of(ctx, written, whole) is None:
        advice = f"choose an axis that {f'`{path}`' if path else 'it'} has, or none, with `in_axes`"
        return _no_mapped_axis(span, ctx, axis=axis, what=what, own=own, help=advice)
    same = instead(f"`{path or snippet(span)}` is the same for every element: `{{}}`", whole, written)
    return _no_mapped_axis(span, ctx, axis=axis, what=what, own=own, help=same)


_mapped_sizes_differ = Template(
    "E0807",
    "mapped axes have different sizes: {first} and {size}",
    "maps {size} elements",
    other="maps {first} elements",
    note="{found:example}",
)


def mapped_sizes_differ(
    ctx: Context, sizes: Sequence[tuple[Size, Span]], found: Refuted, kinds: Sequence[Type], whole: Span
) -> Diagnostic:
    """The first and the last of some sizes differ. What is the same for every element is found by trying."""
    (first, other), (size, span) = sizes[0], sizes[-1]
    written = first_that_checks(ctx, with_one_unmapped(whole.text, [ctx.resolve(kind) for kind in kinds]), whole)
    advice = "arguments that are mapped have one size; one that is not has `none`, as in `in_axes=(none, 0)`"
    same = instead("what is the same for every element has `none`: `{}`", whole, written)
    return _mapped_sizes_differ(span, other=other, first=first, size=size, found=found, help=same or advice)


nothing_mapped = Template(
    "E0808",
    "no argument is mapped",
    "`vmap` without a mapped axis",
    help="give an axis for at least one argument with `in_axes`",
)
_in_axes_count = Template(
    "E0809",
    "`in_axes` has {given:entry|entries} for {count:argument}",
    "one entry for each argument",
    note="{note}",
    help="did you mean `{written}`?",
)


def in_axes_count(ctx: Context, given: int, count: int, static: Sequence[str], span: Span) -> Diagnostic:
    """Entries that lack are mapped, or not, as the arguments behind allow; of those beyond, one is left out where the
    others fit. `static` are the arguments by name, which have none."""
    text, own = span.source.text, entries(span.text)
    _, end = call_arguments(text, span.end)
    more = [[*own, *each] for each in product(("0", "none"), repeat=max(count - given, 0))]
    fewer = [list(each) for each in dict.fromkeys(combinations(own, count))] if given > count else more
    heads = [with_entries(span.text, each) for each in fewer]
    whole, behind = Span(span.source, span.start, end + 1), text[span.end : end + 1]
    found = first_that_checks(ctx, [head + behind for head in heads], whole)
    written = None if found is None else found.removesuffix(behind)
    edits = () if written is None else replace_with(span, written)
    beyond = given > count and static
    note = f"{', '.join(f'`{name}`' for name in static)} is given by name, and has no entry" if beyond else None
    return _in_axes_count(span, edits=edits, given=given, count=count, note=note, written=written)


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


def not_a_policy(known: Sequence[str], span: Span) -> Diagnostic:
    return make(
        "E0812",
        "unknown `checkpoint` policy",
        span,
        "one of " + ", ".join([f'"{name}"' for name in known]) + ", or a tuple of names",
        help='name a value, `checkpoint_name(x, "hidden")`, and keep it: `policy=("hidden",)`',
    )


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
_needs_function = Template("E0814", "`{kind}` transforms functions, not {term.type:type}", "{term:described}")


def transform_needs_function(ctx: Context, kind: str, term: Term) -> Diagnostic:
    """The call of a function where the function itself is transformed, and called after that."""
    span = term.span
    whole = Span(span.source, span.start - len(kind) - 1, span.end + 1)
    call = tree_of(span)
    written = ""
    if isinstance(call, ast.Call):
        written = trees.write(ast.Call(trees.call(kind, call.function), call.args, trees.MADE))
    fits = written and whole.text == f"{kind}({span.text})" and type_of(ctx, written, whole) is not None
    itself = instead("pass the function itself: `{}`", whole, written) if fits else None
    advice = itself or f"pass the function itself: `{kind}(f)(x)`, not `{kind}(f(x))`"
    return _needs_function(span, ctx, kind=kind, term=term, help=advice)


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
