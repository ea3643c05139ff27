"""E06: keys, each of which is used once. Read next: `transforms`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

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
from typechecker.errors.repairs.keys import another_key, free_element, key_for_each_turn
from typechecker.errors.repairs.transforms import entries, with_entry
from typechecker.errors.repairs.trees import Imported, imported, operand
from typechecker.errors.repairs.trial import mends, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import make, plain_type, replace_with

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
    whole = "" if name.isidentifier() else f" of `{_root(name)}`"
    others = [Help(f"use each part{whole} once, and the whole in one place alone; `split` makes new keys from one")]
    return make(
        "E0610",
        f"{'key' if single else 'a key in'} `{name}` is used twice",
        span,
        "used again here",
        secondary=[Label(first, "first used here, which consumes the key"), *_moved_by(by)],
        notes=[f"`{name}` may hold a key: its type may be any `Move`"] if isinstance(kind, TypeVar) else [],
        help=another_key(node, name, span, first) if single else others,
    )


def _root(name: str) -> str:
    """Return the local that a part belongs to, as in `p.keys[0]`."""
    return name.partition(".")[0].partition("[")[0]


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
    own = [replace(each, edits=each.edits if mends(ctx, each.edits) else ()) for each in found.help]
    if found.code == "E0610":
        return replace(found, help=(*free_element(ctx, found.primary.span), *own))
    each = [] if any(a.edits for a in own) or found.code != _IN_LOOP else key_for_each_turn(ctx, found.primary.span)
    return replace(found, help=tuple(each or own))


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
    leaves = [leading_axes(leaf) for kind in others for _, leaf in named_leaves(ctx.resolve(kind))]
    sizes = dict.fromkeys([str(shape.dims[0]) for shape in leaves if shape is not None and shape.dims])
    split = imported(span.source, "random", "split")
    calls = [trees.rewritten(whole, Edit(span, f"{split.name}({span.text}, {size})")) for size in sizes]
    places = [(call, place) for call in calls for place, entry in enumerate(entries(call)) if entry == "none"]
    texts = [with_entry(call, place, "0") for call, place in places]
    written = next((text for text in texts if type_of(ctx, text, whole) is not None), None)
    if written is not None:
        edits = (*split.edits, *replace_with(whole, written))
        return _unmapped_key(span, help=[Help(f"a key for each element: `{written}`{split.said}", edits)])
    advice = "pass an array of as many keys as there are elements, made by `split`, and map over its axis 0"
    return _unmapped_key(span, help=advice)


_unsplit_key = Template(
    "E0612",
    "a key is passed whole to every part",
    "each part would draw the same numbers",
    help="make an axis of keys for each axis of the mesh, as many as it has places, and cut them by `{cut}`",
)


def unsplit_key(mesh: Sequence[tuple[str, Size]], span: Span) -> Diagnostic:
    return _unsplit_key(span, cut=f"{{{', '.join([f'{name} = {k}' for k, (name, _) in enumerate(mesh)])}}}")


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
    help="write `with rng(k) do` in place of the cell, and take a key by `fresh_key()`; functions that draw declare "
    "`! rand`, in place of `! {cell}`",
)


def key_in_state(ctx: Context, name: str, kind: Type, span: Span) -> Diagnostic:
    return _key_in_state(span, name=name, cell=f"state({name}: {plain_type(ctx, kind)})")


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
