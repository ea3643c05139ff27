"""E04: shapes. Read next: `sizes`, `indices`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.core.statics.calls import StaticCall
from dsl.diagnostics.diagnostic import Diagnostic, Help, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import Prop, atoms_of, calls_of
from dsl.types.shape import Dim, Shape, ShapeVar, Splice, StaticName
from dsl.types.shapefn import Differ, ShapeFailure
from dsl.types.shapefn.stuck import valued
from dsl.types.size import FloorDiv, Opaque, Size, SizeVar
from dsl.types.static_argument import argument_text
from typechecker.errors.causes import Operation
from typechecker.errors.repairs.edits import Side, shorter
from typechecker.errors.repairs.goals import LEFT_OUT, alternatives, fitted, met, sides_of, state_it, weakest_from_which
from typechecker.errors.repairs.trees import bare, call_of, enclosing, tree_of
from typechecker.errors.repairs.trial import mends, offers, tried
from typechecker.errors.sizes import negative_size, numbers_that_fit
from typechecker.errors.templates import Template
from typechecker.errors.types import Mismatch
from typechecker.errors.words import conditions, example, make, plain_type, replace_with, snippet

if TYPE_CHECKING:
    from dsl.types.decide import Refuted
    from typechecker.declarations.entities import Definition
    from typechecker.env.context import Context
    from typechecker.env.scope import Binding
    from typechecker.env.values import Term
    from typechecker.types.instance import Instance


# ---------------------------------------------------------------- shapes that meet


def shapes_fail(ctx: Context, failure: ShapeFailure, what: Operation, span: Span) -> Diagnostic:
    match failure.kind:
        case "axis out of range":
            return _axis(ctx, failure, what, span)
        case "no place for an axis":
            rank = failure.shapes[0].rank or 0
            return make(
                "E0403",
                f"position {argument_text(failure.value)} is out of range for a new axis in `{failure.shapes[0]}`",
                span,
                f"valid positions are 0 to {rank}, or -{rank + 1} to -1",
                secondary=_origins(ctx, what.terms),
            )
        case "repeated axis" | "not a permutation":
            return make(
                "E0403",
                f"{argument_text(failure.value)} is not a list of distinct axes of {_shapes(failure)}",
                span,
                failure.kind,
            )
        case "count":
            return _count(ctx, failure, span)
        case "remainder":
            return make(
                "E0406",
                f"cannot infer the size -1: the elements of `{failure.shapes[0]}` do not divide evenly",
                span,
                f"to {failure.shapes[1]}",
                notes=example(failure.example),
            )
        case "several unknown sizes":
            return make("E0406", "a shape can contain at most one -1", span, "more than one size to infer")
        case "negative size" if isinstance(size := failure.sizes[0], Size):
            return negative_size(size, {}, span)
        case _:
            return _meet(ctx, failure, what, span)


def _shapes(failure: ShapeFailure) -> str:
    return ", ".join(f"`{s}`" for s in failure.shapes)


def _axis(ctx: Context, failure: ShapeFailure, what: Operation, span: Span) -> Diagnostic:
    shape = failure.shapes[0]
    rank = shape.rank
    allowed = f" (its axes are 0 to {rank - 1}, or -{rank} to -1)" if rank else ""
    if rank in (0, 1):
        allowed = " (it has one axis, 0 or -1)" if rank else " (it is a scalar)"
    message = f"axis {failure.value} is out of range for shape `{shape}`{allowed}"
    return make("E0403", message, span, f"axis {failure.value}", secondary=_origins(ctx, what.terms))


def _count(ctx: Context, failure: ShapeFailure, span: Span) -> Diagnostic:
    old, new = failure.sizes[0], failure.sizes[1]
    stated = _whole_quotients(ctx, old, new)
    return make(
        "E0406",
        f"cannot reshape {old} elements into {new}",
        span,
        f"from {failure.shapes[0]} to {failure.shapes[1]}",
        notes=example(failure.example),
        help=[] if stated is None else state_it(ctx, span, [stated], "state that nothing is left over"),
    )


_RULES: Mapping[str, str] = MappingProxyType(
    {
        "ranks differ": "; the shorter one must match the trailing axes of the other exactly",
        "numbers of axes differ": "; both must have the same number of axes",
        "scalar": "; `@` needs at least one axis on each side",
        "rank unknown": "; this must hold for every rank",
    }
)
"""What shapes that do not meet must do."""


def _meet(ctx: Context, failure: ShapeFailure, what: Operation, span: Span) -> Diagnostic:
    text = snippet(span, 48)
    place = f" in `{text}`" if text else ""
    given = [f"{snippet(t.span) or 'this'} is {plain_type(ctx, t.type)}" for t in what.terms]
    words = " and ".join(given or map(str, failure.shapes)) + _RULES.get(failure.kind, "")
    inner, places = failure.kind == "inner sizes differ", _sources(ctx, failure, what.terms)
    sizes, even = [str(size) for size in failure.sizes], list[Help]()
    if len(sizes) == 2:
        if sizes[0] == sizes[1] or _are_selections(failure):
            template = _two_selections if _are_selections(failure) else _same_names
            return template(span, secondary=places, name=sizes[0], words=words)
        words += f"; the {'inner ' if inner else ''}sizes {sizes[0]} and {sizes[1]} must be equal"
        even = _where_whole(ctx, failure.sizes[:1], failure.sizes[1:], span)
    helps = met(ctx, what.name, inner, sizes, sides_of(ctx, span, what.terms), span)
    if not helps and not even:
        dims = [str(dim) for shape in failure.shapes for dim in shape.dims]
        helps = tried(ctx, span, _ALONG_ANOTHER_AXIS) or tried(ctx, span, _STARTS_AS_ONE, {"Z": dims})
        stated = [bound for size in sizes if (bound := ctx.scope.lookup(size)) is not None and bound.kind == "size"]
        one = f"if both are one size, give them one name in the signature: `{sizes[0]}`" if sizes else ""
        helps = helps or ([Help(one)] if len(stated) == 2 else [])
    message, notes = f"shapes do not match{place}", example(failure.example)
    return make("E0401", message, span, words, secondary=places, notes=notes, help=[*even, *helps])


_ALONG_ANOTHER_AXIS = (
    "did you mean `{}`?",
    "F(R) => F(R, axis=N)",
    "F(R, axis=K) => F(R, axis=N)",
    "F(X) => F(X.T)",
)
_STARTS_AS_ONE = (
    "let the loop start with an array: `{}`",
    *[f"{loop} C = N for P in X do E => {loop} C = zeros([Z]) for P in X do E" for loop in ("fold", "scan")],
    *[
        f"{loop} (C, V) = (N, B) for P in X do E => {loop} (C, V) = (zeros([Z]), B) for P in X do E"
        for loop in ("fold", "scan")
    ],
)


def _where_whole(ctx: Context, first: Sequence[Dim], second: Sequence[Dim], span: Span) -> list[Help]:
    """The condition that quotients leave nothing over, where two shapes are equal then and it mends the definition."""
    pairs = zip(first, second, strict=True) if len(first) == len(second) else ()
    stated = [_whole_quotients(ctx, one, other) for one, other in pairs if one != other]
    words = "they are equal only where nothing is left over; if that is so, state it"
    return state_it(ctx, span, [prop for prop in stated if prop is not None], words)


def _whole_quotients(ctx: Context, old: Dim, new: Dim) -> Prop | None:
    """The conditions that quotients of sizes leave nothing over, if two numbers of elements are equal then."""
    if not isinstance(old, Size) or not isinstance(new, Size):
        return None
    stated: Prop = fa.Known(True)
    for atom in Shape((old, new)).atoms():
        if isinstance(atom, FloorDiv):
            whole = next((each for each in (atom.numerator, -atom.numerator) if each.as_atom() is not None), None)
            part = Size.of(0) if whole is None else whole % atom.denominator
            stated = fa.conjunction((stated, fa.eq(part, Size.of(0))))
    known = stated == fa.Known(True)
    return None if known or not ctx.assuming(stated).holds(fa.eq(old, new)) else stated


_same_names = Template(
    "E0401",
    "two sizes are called `{name}`, and need not be equal",
    "{words}, with different sizes of this name",
    help="what an operation is performed with, and what is here, have sizes of their own: no operator joins them",
)
_two_selections = Template(
    "E0401",
    "two selections have sizes that need not be equal",
    "{words}, each with a size of its own",
    help="name the mask once: `let chosen = x > 0.0`, and select by it: `x[chosen]` and `y[chosen]` have one size",
)


def _are_selections(failure: ShapeFailure) -> bool:
    atoms = [size.as_atom() if isinstance(size, Size) else None for size in failure.sizes]
    return all(isinstance(atom, SizeVar) and atom.traced for atom in atoms)


def _sources(ctx: Context, failure: ShapeFailure, terms: Sequence[Term]) -> list[Label]:
    """Where the sizes that must be equal come from; of a number, the value that has it."""
    if len(failure.sizes) != 2 or len(terms) != 2:
        return _origins(ctx, terms)
    labels: list[Label] = []
    for size, term in zip(failure.sizes, terms, strict=True):
        names = [_bound(ctx, var) for var in sorted(size.vars(), key=str)] if isinstance(size, Size) else []
        places = [(b.name, b.span) for b in names if b is not None and b.span is not None]
        labels += [Label(place, f"{name} comes from here") for name, place in places] or _origins(ctx, (term,))
    return list(dict.fromkeys(labels))


def _bound(ctx: Context, var: SizeVar) -> Binding | None:
    """The binding of a size variable, if its name still means it."""
    found = ctx.scope.lookup(var.name)
    known = None if found is None else found.term.known
    return found if isinstance(known, Size) and var in known.vars() else None


def _origins(ctx: Context, terms: Iterable[Term]) -> list[Label]:
    """Where values were bound that are written by their names."""
    out = []
    for term in terms:
        binding = ctx.scope.lookup(snippet(term.span)) if snippet(term.span).isidentifier() else None
        if binding is not None and binding.span is not None:
            out.append(Label(binding.span, f"{binding.name} is {plain_type(ctx, term.type)}"))
    return out


_condition_refuted = Template("E0407", "this needs {needed}{place}", "{needed} may not hold", note="{found:example}")


def condition_refuted(ctx: Context, prop: Prop, found: Refuted, what: Operation, span: Span) -> Diagnostic:
    text = snippet(span, 48)
    place = f" in `{text}`" if text else ""
    return _condition_refuted(
        span, secondary=_origins(ctx, what.terms), needed=conditions(prop), place=place, found=found
    )


def wrong_shape(mismatch: Mismatch, actual: Shape, wanted: Shape, found: Differ | object | None) -> Diagnostic:
    special = mismatch.show_special("E0417")
    if special is not None:
        return special
    sizes, axis = getattr(found, "counterexample", None), getattr(found, "axis", None)
    sides = [shape.dims for shape in (actual, wanted)]
    notes = example(sizes, getattr(found, "statics", {}))
    if isinstance(axis, int) and all(-len(side) <= axis < len(side) for side in sides):
        a, b = [side[axis] for side in sides]
        notes.insert(0, f"axis {axis} is {a}, but {b} is expected{_values(a, b, sizes)}")
    code = "E0412" if mismatch.why.kind in ("branch", "item") else "E0402"
    help = _fitted(mismatch, actual, wanted) if mismatch.path else _reshaped(mismatch, actual, wanted)
    return mismatch.show(code, f"has shape `{actual}`", f"`{wanted}`", notes=notes, help=help)


_OTHER_AXES = ("did you mean `{}`?", "F(R, in_axes=X) => F(R, in_axes=Z)")


def _fitted(found: Mismatch, actual: Shape, wanted: Shape) -> list[Help]:
    return [*_where_whole(found.ctx, actual.dims, wanted.dims, found.span), *found.fitted]


def _reshaped(found: Mismatch, actual: Shape, wanted: Shape) -> list[Help]:
    """How a value gets the shape that is wanted, where one change is likely; what is declared for it."""
    ctx, span, why = found.ctx, found.span, found.why
    tree = _tree_of_leaf(wanted)
    if tree is not None and why.kind == "result" and why.declared is None:
        kept = f"the leaves of `{tree}` may have any shape, so the function must return each leaf in its own shape"
        return [Help(f"{kept}; `tree_reduce` combines all leaves into one value")]
    helps = _fitted(found, actual, wanted)
    if not helps and why.kind == "branch" and why.declared is not None:
        helps = fitted(ctx, why.declared, found.wanted, found.actual, why)
    if why.kind == "result" and wanted.rank == 0 and actual.rank and not any(each.text[:3] == "did" for each in helps):
        text = bare(snippet(span, 64)) or "…"
        if isinstance(found.actual, ty.ArrayType) and found.actual.dtype is dt.BOOL:
            return [Help(f"`all({text})` asks it of every element, `any({text})` of one at least")]
        return [Help("if one number is meant, reduce it, for example with `sum` or `mean`"), *helps]
    given = call_of(span)
    if not helps and why.kind == "argument" and given is not None and isinstance(given[0].function, ast.Call):
        helps = tried(ctx, given[0].function.span, _OTHER_AXES, {"Z": ("0", "1", "2", "-1")})
    if not helps and why.kind == "argument" and actual.rank and given is not None:
        helps = tried(ctx, given[0].span, ("did you mean `{}`?", "F(X) => vmap(F)(X)", "F(X, Y) => F(X.T, Y)"))
    return helps


def _tree_of_leaf(shape: Shape) -> str | None:
    """The variable for a tree, if the shape is that of its leaves."""
    vars = [dim.of for dim in shape.dims if isinstance(dim, Splice)]
    names = [var.name.partition(".") for var in vars if isinstance(var, ShapeVar)]
    return next((tree for tree, _, field in names if field == "shape"), None)


def _values(a: Dim, b: Dim, sizes: Mapping[SizeVar, int] | None) -> str:
    if not sizes or not isinstance(a, Size) or not isinstance(b, Size):
        return ""
    try:
        return f" ({a.evaluate(sizes)} against {b.evaluate(sizes)})"
    except (LookupError, ArithmeticError):
        return ""


def constraint_refuted(
    ctx: Context,
    info: Definition,
    prop: Prop,
    needed: Prop,
    instance: Instance,
    found: Mapping[SizeVar, int],
    span: Span,
    message: str | None,
) -> Diagnostic:
    given = {var.name: str(size) for var, size in instance.sizes.items() if var in set(atoms_of(prop))}
    for call in calls_of(prop):
        given |= {a.name: argument_text(instance.argument(a)) for a in call.args if isinstance(a, StaticName)}
    values = ", ".join(f"{name} = {value}" for name, value in given.items() if value not in (name, "?"))
    here = prop if values or isinstance(needed, fa.Known) else needed
    needs = f"`{info.shown}` needs {conditions(here)}"
    label = f"here {values}{_sides(prop, instance)}" if values else "not satisfied here"
    if isinstance(prop, fa.Eq) and any(isinstance(atom, Opaque) for atom in atoms_of(prop)):
        label = f"`{instance.size(prop.left)}` and `{instance.size(prop.right)}` must be equal"
    told = make(
        "E0407",
        needs if message is None else f"`{info.shown}`: {message}",
        span,
        label,
        secondary=[*_required_by(info, prop), *_without_value(ctx, prop)],
        notes=example(found) if message is None or info.in_library else [needs, *example(found)],
    )
    if isinstance(prop, fa.Lt | fa.Le) and prop.right.constant in (2**31 - 1, 2**31):
        return replace(told, help=(Help("compute it in a wider dtype there: `i64(…)`"),))
    empty = tried(ctx, span, _OF_NOTHING) if any(var.traced for var in found) else []
    if empty and "else 0" in empty[0].text:  # a number makes the trial; which one is meant, the program decides
        empty = [Help(empty[0].text.replace("else 0", "else …"))]
    takes_layouts = any(param.name.name == "dimension_numbers" for param in info.node.params)
    helps = tried(ctx, span, _LAYOUTS) if takes_layouts else []
    return replace(told, help=(*empty, *helps, *numbers_that_fit(ctx, prop, instance, span)))


_LAYOUTS = (
    "in the layouts that these sizes have: `{}`",
    *[
        f'F(A, B, R) => F(A, B, R, dimension_numbers=("{image}", "{kernel}", "{image}"))'
        for image in ("NCHW", "NHWC")
        for kernel in ("OIHW", "HWIO")
        if (image, kernel) != ("NCHW", "OIHW")
    ],
)
_OF_NOTHING = (
    "nothing may be selected: `{}` says what it is then",
    *[f"{name}(X[C]) => {name}(X, where=C, initial={end})" for name, end in (("max", "-inf"), ("min", "inf"))],
    *["F(X) => if X.shape[0] >= 1 then F(X) else N", "F(X) => (if X.shape[0] >= 1 then F(X) else N)"],
)


def _sides(prop: Prop, instance: Instance) -> str:
    """The numbers that the two sides of what is needed are at a call, of sides that are computed."""
    needed = next(alternatives(prop))
    sides = (needed.left, needed.right) if isinstance(needed, fa.Eq | fa.Ne | fa.Le | fa.Lt) else ()
    computed = [(side, instance.size(side)) for side in sides if side.constant is None and side.as_atom() is None]
    told = [f"{side} = {number}" for side, number in computed if number.constant is not None]
    return f", so {' and '.join(told)}" if told else ""


def _required_by(info: Definition, prop: Prop) -> list[Label]:
    """The definition that has a condition, and the places in bodies that it is inferred from."""
    if info.in_library:
        return []
    inferred = [Label(place, "needed here") for place in info.origins.get(prop, ())]
    return [Label(info.node.name.span, "required by this definition"), *inferred]


def _without_value(ctx: Context, prop: Prop) -> list[Label]:
    """The static function that a call without a value is of."""
    function = valued(prop)
    info = ctx.program.definition(function.module, function.name) if isinstance(function, StaticCall) else None
    if info is None or info.node.span.source.in_library:
        return []
    return [Label(info.node.name.span, "does not end, or fails, for these arguments")]


def recursion_needs(
    ctx: Context, info: Definition, prop: Prop, needs: Sequence[Prop], found: Mapping[SizeVar, int], span: Span
) -> Diagnostic:
    """One of the `needs` of a recursive definition does not follow from its conditions."""
    stated = state_it(ctx, span, weakest_from_which(ctx, prop, needs))
    others = " and ".join([f"`{name}`" for name in sorted(info.cycle - {info.name})])
    through = f"it recurs through {others}: where a condition is stated, calls from there must meet it"
    case = " and ".join([f"{var.name} == {value}" for var, value in found.items() if not var.poison])
    advice = f"end the recursion before this case, `if {case} then …`" if case else "end the recursion before this"
    return make(
        "E0407",
        f"this needs {conditions(prop)}, which does not follow from the conditions of `{info.name}`",
        span,
        "not known here",
        notes=[
            *example(found),
            "a recursive function is checked against its stated conditions",
            *([through] if others else []),
        ],
        help=stated or f"{advice}, or state a condition from which it follows, which recursive calls meet, too",
    )


def conditions_exclude_all(name: str, where: Sequence[Prop], span: Span) -> Diagnostic:
    needed = fa.conjunction(where)
    notes = [] if isinstance(needed, fa.Known) else [f"`{name}` needs {conditions(needed)}"]
    return make(
        "E0407", f"no call can meet the conditions of `{name}`", span, "contradicts what else holds", notes=notes
    )


contradicts = Template(
    "E0407",
    "this needs {needed}, which contradicts the condition {fact:quoted}",
    "no size meets both",
    help="change the condition, or what needs {needed}",
)


def default_refuted(ctx: Context, owner: str, name: str, term: Term, prop: Prop) -> Diagnostic:
    message = f"`{owner}` needs {conditions(prop)}, which the default of `{name}` does not meet"
    shown = f"{term.known}" if isinstance(term.known, Size) else "the default"
    param = next((each for each in enclosing(term.span, ast.Param) if each.static and each.name.name == name), None)
    kind = param.type.base if param is not None and isinstance(param.type, ast.OptionalType) else param and param.type
    edits = replace_with(Span(term.span.source, kind.span.end, term.span.end), "") if kind else ()
    advice = f"give `{name}` a default that fits, or leave it out"
    if kind:
        advice += f": `static {name}: {kind.span.text}`"
    return make("E0407", message, term.span, shown, help=advice, edits=edits if mends(ctx, edits) else ())


# ---------------------------------------------------------------- lengths of a zip


_zip_lengths = Template(
    "E0401",
    "`zip` needs equal lengths: {first} is not {length}",
    "{length} elements",
    other="{first} elements",
    note="{found:example}",
)


def zip_lengths(ctx: Context, sides: Sequence[tuple[Span, Size]], found: Refuted) -> Diagnostic:
    """Of two sides of different lengths, the longer one may be meant without some of its ends."""
    (other, first), (span, length) = sides
    kinds = [(place, tree_of(place), ty.ArrayType(dt.F32, Shape((size,)))) for place, size in sides]
    both = [Side(place, root, kind) for place, root, kind in kinds if root is not None]
    ends = shorter(*both) if len(both) == 2 else ()
    helps = [each for edits in ends for each in offers(ctx, LEFT_OUT, edits)]
    return _zip_lengths(span, other=other, first=first, length=length, found=found, help=helps)
