"""E06: keys, each of which is used once. Read next: `transforms`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types.size import Size
from dsl.types.type import KeyType, Type, TypeVar
from dsl.types.walk import leading_axes, named_leaves
from typechecker.errors.causes import Repeated
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.edits import name_of
from typechecker.errors.repairs.keys import free_element, key_for_each_turn, numbered
from typechecker.errors.repairs.transforms import entries, with_entry
from typechecker.errors.repairs.trees import Imported, imported
from typechecker.errors.repairs.trial import first_that_checks, free_names, mends
from typechecker.errors.templates import Template
from typechecker.errors.words import make, operand, plain_type, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.analyses.key_indices import Collision
    from typechecker.analyses.key_usages import Use
    from typechecker.env.context import Context

key_in_default = Template(
    "E0613",
    "the default of `{name}` creates a key",
    "every call would draw the same numbers",
    help="let the caller pass the key",
)


def key_used_twice(node: ast.Def, name: str, span: Span, first: Span, kind: Type, by: Span | None) -> Diagnostic:
    single = isinstance(kind, KeyType) and not kind.shape.dims
    labels = [Label(first, "first used here, which consumes the key")]
    unused = _unused_beside(node, name, first) or _unused_of_split(node, first)
    help, edits = _new_keys(node, name, span, first) if single else (_other_keys(node, name, span), ())
    return make(
        "E0610",
        f"{'key' if single else 'a key in'} `{name}` is used twice",
        span,
        "used again here",
        secondary=labels + _moved_by(by),
        notes=[f"`{name}` may hold a key: its type may be any `Move`"] if isinstance(kind, TypeVar) else [],
        help=help if unused is None else f"`{unused}` is not used yet: did you mean it?",
        edits=edits if unused is None else replace_with(span, unused),
    )


class _Split(Struct, frozen=True):
    """A `let` that splits a key: the names that it binds, and the call of `split`."""

    let: ast.Let
    names: tuple[str, ...]
    call: ast.Call


def _splits(node: ast.Def) -> list[_Split]:
    """Return the `let`s that split keys, in their order."""
    found = []
    for each in nodes(node):
        match each:
            case ast.Let(ast.TuplePattern(parts), _, ast.Call(args=(_, *_)) as call) if name_of(call) == "split":
                found.append(_Split(each, tuple([part.span.text for part in parts]), call))
            case ast.Let(ast.NamePattern(name), _, ast.Call(args=(_, *_)) as call) if name_of(call) == "split":
                found.append(_Split(each, (name,), call))
            case _:
                pass
    return sorted(found, key=lambda split: split.let.span.start)


def _new_keys(node: ast.Def, name: str, span: Span, first: Span) -> tuple[str, tuple[Edit, ...]]:
    """How many keys `name` is split into, where it is split already: one more; the edits where that is on one line."""
    made = _split_around(node, first) or _bound_by_split(node, name, first)
    if made is None:
        one, other = islice(free_names(numbered(name, 1), node), 2)
        split = imported(span.source, "random", "split")
        let = f"let ({one}, {other}) = {split.name}({name}, 2)"
        return f"split it first, `{let}`, and use each of these once{split.said}", ()
    new = next(free_names(numbered(name, len(made.names) + 1), node))
    again = trees.with_args(
        made.call, (made.call.args[0], ast.Argument(None, trees.number(len(made.names) + 1), trees.MADE))
    )
    written = f"let ({', '.join([*made.names, new])}) = {trees.write(again)}"
    advice = f"make one key more, `{written}`, and use `{new}` here"
    return advice, (*replace_with(made.let.span, written), *replace_with(span, new))


def _other_keys(node: ast.Def, name: str, span: Span) -> str:
    """How to make another key beside those of an array."""
    array = _root(name)
    made = [split for split in _splits(node) if split.names == (array,) and split.let.span.end <= span.start]
    if not made:
        return "use each part once; `split` makes new keys from one"
    split, (key, *sizes) = made[-1].call.function.span.text, made[-1].call.args
    again = trees.write(trees.call(split, trees.name("k2"), *sizes))
    return (
        f"`{array}` is used as a whole in one place alone: make a key of its own for the other one, "
        f"`let (k1, k2) = {split}({key.span.text})`, and then `let {array} = {again}`"
    )


def _root(name: str) -> str:
    """Return the local that a part belongs to, as in `p.keys[0]`."""
    return name.partition(".")[0].partition("[")[0]


def _split_around(node: ast.Def, use: Span) -> _Split | None:
    """The `let` that takes apart what the key at a place is split into."""
    found = [split for split in _splits(node) if isinstance(split.let.pattern, ast.TuplePattern)]
    return next((split for split in found if split.call.args[0].span == use), None)


def _bound_by_split(node: ast.Def, name: str, use: Span) -> _Split | None:
    """The `let` that binds a name to one of the keys that another one is split into, if it is the last to bind it."""
    bound = [each.span for each in nodes(node) if isinstance(each, ast.NamePattern) and each.name == name]
    last = max((span for span in bound if span.start < use.start), key=lambda span: span.start, default=None)
    splits = [split for split in _splits(node) if isinstance(split.let.pattern, ast.TuplePattern)]
    return next((split for split in splits if last is not None and split.let.pattern.span.covers(last)), None)


def _unused_of_split(node: ast.Def, first: Span) -> str | None:
    """A key that the first use of another one made, and that is not used."""
    made = _split_around(node, first)
    return None if made is None else _unused(node, made.let.pattern, "")


def _unused_beside(node: ast.Def, name: str, use: Span) -> str | None:
    """A name that is bound by the same pattern as another, above its use, and occurs nowhere else in the definition."""
    bound = [each.pattern for each in nodes(node) if isinstance(each, ast.Let) and each.span.end <= use.start]
    beside = [
        pattern for pattern in bound if isinstance(pattern, ast.TuplePattern) and name in trees.bound_names(pattern)
    ]
    return _unused(node, max(beside, key=lambda pattern: pattern.span.start), name) if beside else None


def _unused(node: ast.Def, pattern: ast.Pattern, name: str) -> str | None:
    """The first of the names of a pattern but one that the definition does not mention."""
    parts = pattern.parts if isinstance(pattern, ast.TuplePattern) else ()
    others = [part.name for part in parts if isinstance(part, ast.NamePattern) and part.name != name]
    return next((other for other in others if not trees.mentions(node, other)), None)


def key_in_loop(name: str, span: Span, kind: Repeated, bound: Span | None, by: Span | None) -> Diagnostic:
    message, label, notes, advice = _repeated(name, span, kind)
    return make(
        _IN_LOOP,
        message,
        span,
        label,
        secondary=_bound_outside(name, bound) + _moved_by(by),
        notes=notes,
        help=advice,
    )


def _repeated(name: str, span: Span, kind: Repeated) -> tuple[str, str, list[str], str]:
    """The message, the label, the notes and the help for a key in a body that may run many times."""
    match kind:
        case Repeated.FUNCTION:
            advice = (
                "give the key to the function as an argument, or let the function draw by an effect: `fresh_key()` in "
                "its body, `! rand` behind its type, and `with rng(…) do` around what calls it"
            )
            notes = ["a function that is a value may be called any number of times, and would draw the same numbers"]
            message = f"a function value uses up the key `{name}` of the code around it"
            return message, "used at every call", notes, advice
        case Repeated.CLAUSE:
            advice = "carry a key in a cell of the handler's body, or take one by `fresh_key()` under `with rng(…) do`"
            return f"key `{name}` is used in a clause", "runs for each operation that it answers", [], advice
        case Repeated.TURNS:
            return f"key `{name}` is used in a body that runs many times", "runs many times", [], _of_turns(name, span)


def _of_turns(name: str, span: Span) -> str:
    if span.text.startswith(f"{name}["):
        return f"use one key per iteration: iterate over the keys themselves, `for k in {name}`"
    split = imported(span.source, "random", "split")
    keys = f"`for key in {split.name}({name}, …)`{split.said}"
    return (
        f"use one key per iteration: iterate over as many keys as there are turns, {keys}; in an `iterate`, carry the "
        "key and split it"
    )


def _bound_outside(name: str, bound: Span | None) -> list[Label]:
    return [] if bound is None else [Label(bound, f"`{_root(name)}` is bound outside")]


def key_of_all_turns(node: ast.Def, use: Use, missing: Sequence[str], bound: Span | None) -> Diagnostic:
    """A key of some of the loops around it, which does not depend on the others."""
    name, others = use.written, " and ".join([f"`{other}`" for other in missing])
    whole, fold_in = _folding(node, use)
    written = reduce(lambda key, other: f"{fold_in.name}({key}, {other})", missing, whole.text)
    return make(
        _IN_LOOP,
        f"key `{name}` is the same for every {others}",
        use.span,
        f"does not depend on {others}",
        secondary=_bound_outside(str(use.place), bound),
        help=f"make it of {others} as well: `{written}`{fold_in.said}",
        edits=(*fold_in.edits, *replace_with(whole, written)),
    )


def _folding(node: ast.Def, use: Use) -> tuple[Span, Imported]:
    """The expression that makes a key of numbers, and the function that does."""
    calls = around(node, ast.Call, use.span)[: len(use.folded)]
    if not calls:
        return use.span, imported(use.span.source, "random", "fold_in")
    return calls[-1].span, Imported(calls[0].function.span.text)


def key_of_any_numbers(node: ast.Def, use: Use, counters: Sequence[str], bound: Span | None) -> Diagnostic:
    """A key that is made of the counters of all loops around it, in a way that may give two turns one number."""
    whole, fold_in = _folding(node, use)
    written = reduce(lambda key, each: f"{fold_in.name}({key}, {each})", counters, use.span.text)
    return make(
        _IN_LOOP,
        f"key `{use.written}` may be the same in two iterations",
        use.span,
        "the numbers that it is made of may meet, or wrap around",
        secondary=_bound_outside(str(use.place), bound),
        help=f"make it of each counter by itself: `{written}`",
        edits=replace_with(whole, written),
    )


def key_of_two_turns(node: ast.Def, use: Use, met: Collision, bound: Span | None) -> Diagnostic:
    """A key that two turns of two loops make of different numbers."""
    (outer, inner), rest = met.names, "" if met.rest == Size.of(0) else f" + {met.rest}"
    first, other = [f"({turn[0]}, {turn[1]})" for turn in (met.first, met.other)]
    written = f"{outer} * {operand(str(met.step))} + {inner}{rest}"
    calls = around(node, ast.Call, use.span) if use.folded else []
    places = [each.items[0].span for each in nodes(node) if isinstance(each, ast.Index) and each.span == use.span]
    places += [call.args[-1].value.span for call in calls[:1]]
    return make(
        _IN_LOOP,
        f"key `{use.written}` is the same for ({outer}, {inner}) = {first} and {other}",
        use.span,
        "the same key in two iterations",
        secondary=_bound_outside(str(use.place), bound),
        help=f"`{inner}` takes {met.step} values, so `{outer}` must go on by as many: `{written}`",
        edits=replace_with(places[0], written) if places else (),
    )


_IN_LOOP = "E0611"


def mended_keys(ctx: Context, found: Diagnostic) -> Diagnostic:
    """The error of a key with the help that mends the definition: its own, or another one for what runs many times, or
    for a key of an array. Of its own helps the words stay where the rewrite alone is not enough."""
    own = tuple(replace(each, edits=each.edits if mends(ctx, each.edits) else ()) for each in found.help)
    if found.code == "E0610":
        free = free_element(ctx, found.primary.span)
        return replace(found, help=own if free is None else (Help(f"`{free[0].text}` is free", free), *own))
    if any(advice.edits for advice in own):
        return replace(found, help=own)
    whole = key_for_each_turn(ctx, found.primary.span) if found.code == _IN_LOOP else None
    return replace(found, help=own if whole is None else (Help(f"use one key per iteration: {whole[1]}", whole[0]),))


def key_of_another_turn(name: str, span: Span, first: str, place: Span, by: Span | None) -> Diagnostic:
    return make(
        "E0611",
        f"key `{name}` may be `{first}` of another iteration",
        span,
        "the same key in two iterations",
        secondary=[Label(place, f"`{first}` is used here"), *_moved_by(by)],
        help="use keys that no other iteration uses: `split` into as many as there are, and iterate over them",
    )


def _moved_by(by: Span | None) -> list[Label]:
    return [] if by is None else [Label(by, "by the function bound here")]


key_in_condition = Template(
    "E0611",
    "carried key `{name}` is used by the condition",
    "the key is consumed here, but the carry still holds it",
    help="draw in the body, and carry the result",
)
_unmapped_key = Template(
    "E0612", "a key is passed unmapped to every element", "each element would draw the same numbers"
)


def unmapped_key(ctx: Context, span: Span, whole: Span, others: Sequence[Type]) -> Diagnostic:
    """`whole` is the call of the transformed function, `others` the types of its arguments, of which one is mapped."""
    sizes = list(dict.fromkeys([size for kind in others for size in _leading(ctx, kind)]))
    split = imported(span.source, "random", "split")
    written = first_that_checks(ctx, _with_keys(whole, span, sizes, split.name), whole)
    if written is not None:
        edits = (*split.edits, *replace_with(whole, written))
        return _unmapped_key(span, edits=edits, help=f"a key for each element: `{written}`{split.said}")
    number = f", as in `{split.name}({snippet(span) or 'k'}, {sizes[0]})`{split.said}" if len(sizes) == 1 else ""
    advice = f"pass an array of as many keys as there are elements{number}, and map over its axis 0"
    return _unmapped_key(span, help=advice)


def _leading(ctx: Context, kind: Type) -> list[str]:
    """The size of the first axis of each leaf, as it is written."""
    shapes = [leading_axes(leaf) for _, leaf in named_leaves(ctx.resolve(kind))]
    return [str(shape.dims[0]) for shape in shapes if shape is not None and shape.dims]


def _with_keys(whole: Span, key: Span, sizes: Sequence[str], split: str) -> Iterator[str]:
    """The call with each of its unmapped entries mapped, and as many keys as one of the sizes."""
    start, end = key.start - whole.start, key.end - whole.start
    for size in sizes:
        call = f"{whole.text[:start]}{split}({key.text}, {size}){whole.text[end:]}"
        yield from (with_entry(call, place, "0") for place, entry in enumerate(entries(call)) if entry == "none")


_unsplit_key = Template(
    "E0612",
    "a key is passed whole to every part",
    "each part would draw the same numbers",
    help="make an axis of keys for each axis of the mesh, as many as it has places{made}, and cut them by `{cut}`",
)


def unsplit_key(mesh: Sequence[tuple[str, Size]], span: Span) -> Diagnostic:
    cut = ", ".join([f"{name} = {k}" for k, (name, _) in enumerate(mesh)])
    split = imported(span.source, "random", "split")
    made = f", `{split.name}({snippet(span) or 'k'}, {mesh[0][1]})`{split.said}" if len(mesh) == 1 else ""
    return _unsplit_key(span, made=made, cut=f"{{{cut}}}")


keys_gathered = Template(
    "E0610",
    "an array of indices may take one key several times",
    "each key is used once",
    help="make new ones with `split`, or take keys by a slice or by single places",
)
_key_in_state = Template(
    "E0613",
    "state cell `{name}` holds a key",
    "keys cannot be stored in state",
    note="nothing is imported for it, and `with rng` gives the value of its block alone",
)


def key_in_state(ctx: Context, name: str, kind: Type, span: Span) -> Diagnostic:
    """At the first value of the cell where it is opened, or in the row of a function that asks for it."""
    cell, init = f"state({name}: {plain_type(ctx, kind)})", snippet(span)
    asked = init.startswith("state")
    there = "where the cell is opened, write `with rng(k) do`" if asked else f"write `with rng({init or 'k'}) do` here"
    declared = "declare `! rand` here" if asked else "functions that draw declare `! rand`"
    advice = f"{there}; {declared}, in place of `! {cell}`, and take a key by `fresh_key()`"
    return _key_in_state(span, name=name, help=advice)


key_saved = Template(
    "E0613",
    "`fwd` saves a key",
    "the way back may run many times, and would draw the same numbers each time",
    help="draw in `fwd`, and save what was drawn",
)
key_at_top = Template(
    "E0613",
    "constant `{name}` is a key",
    "a key may be used once, a constant any number of times",
    help="create the key where it is used: `random.key(0)`",
)
