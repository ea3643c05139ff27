"""The goals of errors, and the search for them: an expression of a type, operands that meet, a condition that holds.

The proposals come from the catalogue (`edits`). Each is checked in its place, or in the definition around it; the first
that fits is offered, beside the type that may be declared instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, islice, product
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help, Option
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import Prop
from dsl.types.size import Opaque
from dsl.types.static_conditions import is_free_number
from dsl.types.type import Element, Type
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.edits import (
    Goal,
    Side,
    broadcasts,
    casts,
    declared_sizes,
    dims,
    other_names,
    products,
    proposals,
    shorter,
)
from typechecker.errors.repairs.parts import one_of_parts
from typechecker.errors.repairs.trees import behind, in_front, operand, rewritten, tree_of
from typechecker.errors.repairs.trial import (
    definition_around,
    keeps_in_use,
    mends,
    offers,
    those_that_mend,
    tried,
    type_of,
)
from typechecker.errors.words import conditions, instead, plain_type, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.relations.coercion import Why


# ---------------------------------------------------------------- an expression of a type


def fitted(ctx: Context, span: Span, actual: Type, wanted: Type, why: Why) -> list[Help]:
    """Return an expression of the wanted type in place of one, and the declared type that it has."""
    root = tree_of(span) if snippet(span, 80) else None
    actual, wanted = ctx.resolve(actual), ctx.resolve(wanted)
    if root is not None and (several := one_of_parts(ctx, span, root, actual, wanted)):
        return several
    found = None if root is None else _proposed(ctx, span, Goal(root, actual, wanted))
    written = instead("did you mean `{}`?", span, found)
    if root is None and isinstance(actual, ty.TupleType) and actual.parts.count(wanted) == 1:
        edits = (in_front(span, "("), behind(span, f").{actual.parts.index(wanted)}"))
        words = f"take the part that is meant: parentheses around it, and `.{actual.parts.index(wanted)}` after them"
        written = [Help(words, edits)] if mends(ctx, edits) else []
    stated = declared(ctx, span, actual, wanted, why)
    return [*stated, *written] if _is_narrower(wanted, actual) else [*written, *stated]


def _proposed(ctx: Context, span: Span, goal: Goal) -> str | None:
    """Return the first proposal that fits in a place."""
    fitting = (text for text in proposals(goal) if _fits(ctx, span, text, goal))
    return next((text for text in fitting if keeps_in_use(ctx, replace_with(span, text))), None)


def _fits(ctx: Context, span: Span, text: str, goal: Goal) -> bool:
    if goal.wanted == ty.SHAPE:  # a list of sizes has this type where it is asked for alone
        return not ctx.scope.makes_sizes
    match type_of(ctx, text, span), goal.wanted, goal.actual:
        case ty.ArrayType() as found, ty.ArrayType() as wanted, ty.ArrayType() as actual:
            kept = actual.dtype if found.shape != actual.shape else wanted.dtype
            return found.shape == wanted.shape and found.dtype in (wanted.dtype, kept)
        case None, _, _:  # in a function, other names are in scope
            return type_of(ctx, span.text, span) is None and mends(ctx, replace_with(span, text))
        case found, ty.ArrayType() | ty.IndexType() | ty.TupleType(), _ if found != goal.wanted:
            return [*dims(found)] == [*goal.need] and mends(ctx, replace_with(span, text))
        case found, _, _:
            return found == goal.wanted or {found, goal.wanted} == {ty.INT, ty.SIZE}


def _is_narrower(wanted: Type, actual: Type) -> bool:
    """Return whether a cast would lose what the expression has: then its type is what is meant."""
    if not isinstance(wanted, ty.ArrayType) or not isinstance(actual, ty.ArrayType):
        return False
    a, b = wanted.dtype, actual.dtype
    if not isinstance(a, dt.DType) or not isinstance(b, dt.DType) or b.is_complex:
        return False
    return a is not b and wider(a, b) is b


def declared(ctx: Context, span: Span, actual: Type, wanted: Type, why: Why) -> list[Help]:
    """The type that is declared, as that of what stands there; a default of `none`, with a `?`."""
    place = why.declared
    if why.kind == "default" and place is not None and actual == ty.NONE:
        for param in trees.enclosing(place, ast.Param):
            if param.name.span == place and param.type is not None:
                if isinstance(ctx.resolve(wanted), ty.ArrayType):
                    words = "an array is never `none`: leave the default out, and let a parameter"
                    return [Help(f"{words} `static has_{why.name}: bool` say whether it is meant")]
                edit = Edit(param.type.span, f"{param.type.span.text}?")
                return [Help(f"what may be `none` has a `?`: `{why.name}: {edit.text} = none`", (edit,))]
    if why.kind != "result" or place is None:
        return []
    if isinstance(actual, ty.ArrayType) and not _is_of_signature(ctx, actual, span):
        return _of_a_selection(ctx, place, actual, wanted)
    text, node = plain_type(ctx, actual), definition_around(ctx, place)
    words = "if that is what is meant, declare the result: `-> {}`"
    if node is not None and trees.is_mentioned(node):
        mending = mends(ctx, replace_with(place, text))  # for those that call it, another type may be wrong
        return [Help(words.replace("{}", text))] if mending else []
    return offers(ctx, words, replace_with(place, text))


def _of_a_selection(ctx: Context, place: Span, actual: ty.ArrayType, wanted: Type) -> list[Help]:
    """Return the declared type of an array of as many elements as a mask selects."""
    node, sizes = definition_around(ctx, place), [*zip(actual.shape.dims, dims(wanted), strict=False)]
    differing = [(have, need) for have, need in sizes if have != need]
    if node is None or len(differing) != 1 or str(differing[0][0])[:1] != "?":
        return []
    bound = f"{differing[0][0]} <= {differing[0][1]}"
    where = behind(node.where[-1].condition.span, f" and {bound}") if node.where else None
    if where is None:
        where = behind(place if node.effects is None else node.effects.span, f" where {bound}")
    written = f"-> {plain_type(ctx, actual)} where {bound}"
    words = f"how many are selected is known in a run alone: `{written}` declares that"
    edits = (*replace_with(place, plain_type(ctx, actual)), where)
    return [Help(words, edits)] if mends(ctx, edits) else []


def _is_of_signature(ctx: Context, kind: ty.ArrayType, place: Span) -> bool:
    """Return whether the type of an expression may stand in the signature: all that it mentions has a name there, and
    it is read as it is written."""
    shape = kind.shape
    names = [*(var.name for var in shape.vars()), *(var.name for var in shape.shape_vars())]
    bindings = [ctx.scope.lookup(name) for name in names]
    named = all(binding is not None and binding.kind in ("size", "static", "generic") for binding in bindings)
    inside = any(isinstance(atom, Opaque) and is_free_number(atom) for atom in shape.atoms())
    return named and not inside and type_of(ctx, f"(fn (v: {plain_type(ctx, kind)}) -> v)({place.text})", place) == kind


def wider(a: dt.DType, b: dt.DType) -> dt.DType:
    """Return the one of two dtypes that a sensible cast of the other gives."""
    rank = {dt.Kind.BOOL: 0, dt.Kind.UNSIGNED: 1, dt.Kind.SIGNED: 1, dt.Kind.FLOAT: 2, dt.Kind.COMPLEX: 3}
    return a if (rank[a.kind], a.bits) >= (rank[b.kind], b.bits) else b


# ---------------------------------------------------------------- operands that meet


LEFT_OUT = "if what is too much at one end is to be left out: `{}`"


def sides_of(ctx: Context, span: Span, terms: Iterable[Term]) -> list[Side]:
    """Return two operands that stand on one line each, of several the first two of different sizes; none where there
    are no two."""
    inside = [term for term in terms if span.covers(term.span)]
    found = [(term, tree_of(term.span)) for term in inside if snippet(term.span, 64)]
    sides = [Side(term.span, root, ctx.resolve(term.type)) for term, root in found if root is not None]
    if len(sides) == len(inside) == 2:
        return sides
    differing = ([one, other] for one, other in combinations(sides, 2) if one.dims and one.dims != other.dims != ())
    return max(differing, key=lambda pair: pair[0].span.start, default=[]) if len(inside) > 2 else []


def met(ctx: Context, name: str, inner: bool, sizes: Sequence[str], sides: Sequence[Side], span: Span) -> list[Help]:
    """Return the changes of operands with which their axes meet. Names and ends are tried in the definition; new axes
    may be meant in several ways, and are options."""
    if len(sides) != 2:
        return []
    left, right = sides
    node = definition_around(ctx, span)
    named = [size for size in sizes if size.isidentifier()]  # no number is meant where another one stands
    own = named if len(left.dims) == len(right.dims) else []
    names = chain.from_iterable(other_names(node, side, own) for side in sides) if node is not None else ()
    if found := [*islice(those_that_mend(ctx, names), 2)]:
        return [Help(f"did you mean `{rewritten(span, *edits)}`?", edits) for edits in found]
    if found := [*islice(those_that_mend(ctx, shorter(left, right)), 2)]:
        return [Help(LEFT_OUT.format(edits[0].text), edits) for edits in found]
    changes = products(left, right) if inner else broadcasts(name, left, right)
    checked = [each for each in changes if type_of(ctx, rewritten(span, *each), span) is not None]
    if ctx.program.task.replay.calls:
        checked = [*those_that_mend(ctx, checked)]
    elif inner and not any(mends(ctx, each) for each in checked) and (batch := tried(ctx, span, _OF_BATCHES)):
        return batch
    if not checked:
        return [] if node is None or len(named) != 2 else _declared_otherwise(node, sides, named)
    first = checked[0]
    alike = [each for each in checked if "None" in each[0].text and each[0].span == first[0].span][:2] or [first]
    alike = [first] if len(first) == 1 and first[0].text.endswith(":]") else alike
    if len(alike) == 1 and (len(first) == 2 or any("keepdims" in edit.text for edit in first)):
        return [Help(f"did you mean `{rewritten(span, *first)}`?", first)]
    options = [Option(rewritten(span, *each), each) for each in alike]
    words = " or ".join([f"`{option.text}`" for option in options])
    return [Help(f"did you mean {words}?", options=tuple(options))]


_OF_BATCHES = ("the product of each element of the batch: `{}`", "A @ B => vmap(matmul)(A, B)")


def _declared_otherwise(node: ast.Def, sides: Sequence[Side], sizes: Sequence[str]) -> list[Help]:
    """The type of a parameter with the size of the other operand."""
    for side, (own, other) in product(sides[::-1], (sizes, sizes[::-1])):
        for text, edits in declared_sizes(node, side, own, other) if own in map(str, side.dims) else ():
            return [Help(f"did you mean `{side.span.text}: {text}`?", options=(Option(text, edits),))]
    return []


def of_one_dtype(ctx: Context, op: str, sides: Sequence[Side], terms: Sequence[Term], span: Span) -> list[Help]:
    """Return a change of an operand with which both have one dtype: a power for `^`, a cast of the narrower one, real
    numbers of a complex one."""
    if len(sides) != 2:
        return []
    if op == "^":
        powers = [f"{sides[0].span.text} ** {text.format(sides[1].span.text)}" for text in ("{}", "f32({})")]
        power = next((text for text in powers if type_of(ctx, text, span) is not None), None)
        if power is not None:
            return instead("a power is `{}`", span, power)
    kinds = [side.type.dtype for side in sides if isinstance(side.type, ty.ArrayType)]
    both = _exact(*kinds) if len(kinds) == 2 else None
    if both is not None:
        edits = tuple([edit for side in sides for edit in next(side.changed(f"X => {both.name}(X)"))])
        return [Help(f"convert both, so that no digits are lost: `{rewritten(span, *edits)}`", edits)]
    order = sorted((0, 1), key=lambda k: _is_complex(sides[k]))  # what becomes real leaves something out
    proposed = [each for k in order if not _is_carried(ctx, terms[k]) for each in _casts(sides[k], sides[1 - k])]
    checked = [edits for edits in proposed if type_of(ctx, rewritten(span, *edits), span) is not None]
    if found := next(those_that_mend(ctx, checked), None) or next(iter(checked), None):
        return [Help(f"convert one of them: `{found[0].text}`", found)]
    dtypes = [f"{each}" for each in kinds if isinstance(each, dt.DType) and each.is_float]
    return tried(ctx, span, _STARTS, {"D": dtypes})


def _is_complex(side: Side) -> bool:
    dtype = side.type.dtype if isinstance(side.type, ty.ArrayType) else dt.I32
    return isinstance(dtype, dt.DType) and dtype.is_complex


_STARTS = (
    "let the loop start with another dtype: `{}`",
    *[
        f"{loop} P = {start} for G in X do E => {loop} P = {other} for G in X do E"
        for start, other in (("F(R)", "F(R, dtype=D)"), ("A", "D(A)"))
        for loop in ("fold", "scan")
    ],
    "fold (P, V) = (A, B) for G in X do E => fold (P, V) = (D(A), B) for G in X do E",
    "iterate P = A while C limit X do E => iterate P = D(A) while C limit X do E",
)


def _is_carried(ctx: Context, term: Term) -> bool:
    """Return whether an operand is carried by a loop, so that a cast would change the carry; its index is not."""
    binding = ctx.scope.lookup(snippet(term.span))
    return binding is not None and binding.kind == "loop" and not isinstance(ctx.resolve(term.type), ty.IndexType)


def _exact(a: Element, b: Element) -> dt.DType | None:
    """The dtype that holds all numbers of two inexact ones, where neither does."""
    if not (isinstance(a, dt.DType) and isinstance(b, dt.DType) and a.is_inexact and b.is_inexact):
        return None
    part = dt.F32 if {a, b} == {dt.F16, dt.BF16} else max(a.real, b.real, key=lambda dtype: dtype.bits)
    both = part.complex if a.is_complex or b.is_complex else part
    return None if both in (a, b) else both


def _casts(side: Side, other: Side) -> Iterator[tuple[Edit, ...]]:
    """The casts of an operand to the dtype of the other one, if that is the wider one; of a complex number to a real
    one, which leaves something out, the two that are usual."""
    if not isinstance(side.type, ty.ArrayType | ty.IndexType) or not isinstance(other.type, ty.ArrayType):
        return
    mine = side.type.dtype if isinstance(side.type, ty.ArrayType) else dt.I32
    into = other.type.dtype
    real = _is_complex(side) and not _is_complex(other)
    if isinstance(mine, dt.DType) and isinstance(into, dt.DType) and wider(into, mine) is not into and not real:
        return
    rules, letters = casts(mine, into, [operand(other.root.span.text)])
    yield from side.changed(*rules, **letters)


def calls_of_value(ctx: Context, function: Span) -> list[Help]:
    """Return a function called with names that are bound around it: those of its parameters, or of one of the
    parameters of the definition."""
    node, info = definition_around(ctx, function), ctx.program.modules[ctx.body.module].definitions.get(function.text)
    if info is None and node is not None:  # a transform of a definition takes what that takes
        values = [each.value for each in trees.lets_of(node, function.text)] or [
            each for each in [tree_of(function)] if each is not None
        ]
        of = [arg.value.span.text for each in values if isinstance(each, ast.Call) for arg in each.args]
        known = ctx.program.modules[ctx.body.module].definitions
        info = next((known[name] for name in of if name in known), None)
    every = [node.params] if node is not None else []
    given = [*([info.node.params] if info is not None else []), *([param] for params in every for param in params)]
    texts = [", ".join([param.name.name for param in params]) for params in given]
    return tried(ctx, function, ["call the function: `{}`", "F => F(Z)"], {"Z": texts})


def size_by_name(ctx: Context, place: Span) -> list[Help]:
    """Return a signature in which `x.shape[0]` is the size of that axis of `x`."""
    node = definition_around(ctx, place)
    types = {} if node is None else {param.name.name: param.type for param in node.params}
    edits = list[Edit]()
    for each in nodes((*types.values(), node.result)) if node is not None else ():
        match each:
            case ast.Index(ast.Field(ast.Name(name), ast.Ident("shape")), (axis,), span):
                stated, k = types.get(name), trees.integer(axis)
                if isinstance(stated, ast.IndexedType) and k is not None and -len(stated.args) <= k < len(stated.args):
                    edits.append(Edit(span, stated.args[k].span.text))
            case _:
                pass
    return offers(ctx, "in a type, a size is written by its name: `{}`", tuple(edits)) if edits else []


# ---------------------------------------------------------------- a condition that holds


def stating(node: ast.Def, prop: Prop) -> tuple[Edit, ...]:
    """Return the edit that adds a condition to the signature of a definition; none where the signature ends in no
    type."""
    text = conditions(prop)
    if node.where:
        last = node.where[-1].condition
        joined = f" and ({text})" if isinstance(prop, fa.Or) else f" and {text}"
        grouped = isinstance(last, ast.Binary) and last.op == "or"
        end = behind(last.span, f"){joined}" if grouped else joined)
        return (in_front(last.span, "("), end) if grouped else (end,)
    if node.result is None:
        return ()
    ends = node.result.span if node.effects is None else node.effects.span
    return (behind(ends, f" where {text}"),)


def state_it(ctx: Context, place: Span, props: Iterable[Prop], words: str = "state it") -> list[Help]:
    """Return the help that states the first of some conditions that mends the definition."""
    node = definition_around(ctx, place)
    for prop in dict.fromkeys(props) if node is not None else ():
        edits = stating(node, prop) if node is not None else ()
        if mends(ctx, edits):
            return [Help(f"{words}: `where {conditions(prop)}`", edits)]
    return []


def alternatives(prop: Prop) -> Iterator[Prop]:
    """The conditions from each of which a condition follows, the weakest last. Of several of which one has to hold, the
    last is what is needed, and those before it say that a branch around it is not taken: they leave the branch dead."""
    if isinstance(prop, fa.Or):
        yield prop.props[-1]
    yield prop


def weakest_from_which(ctx: Context, prop: Prop, needs: Sequence[Prop]) -> list[Prop]:
    """Conditions from which one follows, among all that are needed: first those that follow from most others."""
    found = dict.fromkeys(next(alternatives(need)) for need in needs)
    enough = [each for each in found if ctx.assuming(each).holds(prop)]
    implied = {each: sum(ctx.assuming(other).holds(each) for other in enough) for each in enough}
    return [*sorted(enough, key=implied.__getitem__, reverse=True), *alternatives(prop)]
