"""E06: keys, each of which is used once, and those that are not used up. Read next: `transforms`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, assert_never

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types.size import Size
from dsl.types.type import KeyType, Type, TypeVar
from typechecker.errors.causes import Repeated
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.trees import imported, name_of, operand
from typechecker.errors.repairs.trial import definition_around, mends, tried
from typechecker.errors.templates import Template
from typechecker.errors.words import instead, make, plain_type, replace_with

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
        case _:
            assert_never(kind)


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
    whole, fold_in = _folded(node, use), imported(use.span.source, "random", "fold_in")
    written = reduce(lambda key, other: f"{fold_in.name}({key}, {other})", missing, whole.text)
    places, edits = _bound_outside(str(use.place), bound), (*fold_in.edits, *replace_with(whole, written))
    advice, label = f"make it of {others} as well: `{written}`{fold_in.said}", f"does not depend on {others}"
    return make(
        _IN_LOOP,
        f"key `{name}` is the same for every {others}",
        use.span,
        label,
        secondary=places,
        help=advice,
        edits=edits,
    )


def _folded(node: ast.Def, use: Use) -> Span:
    """Return the place of the expression that makes a key of numbers, in which it is used."""
    calls = around(node, ast.Call, use.span)[: len(use.folded)]
    return calls[-1].span if calls else use.span


_of_numbers = Template(
    "E0611",
    "key `{key}` may be the same in two iterations",
    "the numbers that it is made of may meet, or wrap around",
    help="make it of each counter by itself: `{written}`",
)


def key_of_any_numbers(node: ast.Def, use: Use, counters: Sequence[str], bound: Span | None) -> Diagnostic:
    """A key that is made of the counters of all loops around it, in a way that may give two turns one number."""
    whole, fold_in = _folded(node, use), imported(use.span.source, "random", "fold_in")
    written = reduce(lambda key, each: f"{fold_in.name}({key}, {each})", counters, use.span.text)
    return _of_numbers(
        use.span,
        secondary=_bound_outside(str(use.place), bound),
        key=use.written,
        written=written,
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


_IN_LOOP, _FREE_ELEMENT = "E0611", ("`{}` is free", "X[K] => X[N]")


def mended_keys(ctx: Context, found: Diagnostic) -> Diagnostic:
    """The error of a key with the help that mends the definition: its own, or another one for what runs many times, or
    for a key of an array. Of its own helps the words stay where the rewrite alone is not enough."""
    own = [replace(each, edits=each.edits if mends(ctx, each.edits) else ()) for each in found.help]
    if found.code == "E0610":
        return replace(found, help=(*tried(ctx, found.primary.span, _FREE_ELEMENT, {"N": [*map(str, range(8))]}), *own))
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
unmapped_key = Template(
    "E0612",
    "a key is passed unmapped to every element",
    "each element would draw the same numbers",
    help="pass an array of as many keys as there are elements, made by `split`, and map over its axis 0",
    tries=(
        "a key for each element: `{}`",
        *[
            f"F(G, in_axes=(none, R))(A, B, S) => F(G, in_axes=(0, R))({split}(A, B.shape[0]), B, S)"
            for split in ("random.split", "split")
        ],
    ),
)
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


def another_key(node: ast.Def, name: str, span: Span, first: Span) -> list[Help]:
    """Return a key in place of one that is used up: one that its pattern, or that of what it is split into, binds and
    nothing uses; one more of those that it is split into."""
    splits = [each for each in _splits(node) if each.span.end <= span.start]
    made = [let for let in splits if _key_of(let) == first]
    for let in made or [let for let in splits if name in trees.bound_names(let.pattern)][-1:]:
        names = [part.span.text for part in let.pattern.parts] if isinstance(let.pattern, ast.TuplePattern) else []
        free = [other for other in names if other != name and not trees.mentions(node, other)]
        if free:
            return instead("`{}` is not used yet: did you mean it?", span, free[0])
        if names and isinstance(let.value, ast.Call):
            new = _numbered(name, len(names) + 1, node)
            more = f"{let.value.function.span.text}({let.value.args[0].span.text}, {len(names) + 1})"
            written = f"let ({', '.join([*names, new])}) = {more}"
            words = f"make one key more, `{written}`, and use `{new}` here"
            return [Help(words, (*replace_with(let.span, written), *replace_with(span, new)))]
    one, other = _numbered(name, 1, node), _numbered(name, 2, node)
    split = imported(span.source, "random", "split")
    line = f"let ({one}, {other}) = {split.name}({name}, 2)"
    edits = (trees.line_above(node, first, line), Edit(first, one), Edit(span, other))
    whole = name.isidentifier() and first.text == span.text == name and not split.edits
    words = f"split it first, `{line}`, and use each of these once{split.said}"
    return [Help(words, edits if whole else ())]


def _splits(node: ast.Def) -> list[ast.Let]:
    """Return the `let`s that split keys, in their order."""
    lets = [each for each in nodes(node) if isinstance(each, ast.Let) and isinstance(each.value, ast.Call)]
    found = [each for each in lets if isinstance(each.value, ast.Call) and name_of(each.value) == "split"]
    return sorted(found, key=lambda let: let.span.start)


def _key_of(let: ast.Let) -> Span | None:
    return let.value.args[0].value.span if isinstance(let.value, ast.Call) and let.value.args else None


def _numbered(name: str, first: int, node: ast.Def) -> str:
    """Return the name with a number at its end that a definition does not use."""
    stem, taken = name.rstrip("0123456789") if name.isidentifier() else "k", trees.bound_names(node)
    return next(f"{stem}{k}" for k in range(first, first + len(taken) + 1) if f"{stem}{k}" not in taken)


_ELEMENTS = ("each iteration has a key of its own: `{}`", "X[K] => X[Z]")
_FOLDED = ("make a key of each turn of it: `{}`", "X.F => Y(X.F, Z)")
_FOR_EACH = (
    "use one key per iteration: `for {}`",
    "for P in range(X) => for Z in Y(Z, X)",
    "for P in range(X) => for (P, Z) in enumerate(Y(Z, X))",
    "for (A, R) in zip(range(X), S) => for (A, R, Z) in zip(range(X), S, Y(Z, X))",
    "for (A, R) in zip(X, S) => for (A, R, Z) in zip(X, S, Y(Z, X.shape[0]))",
    "for P in X => for (P, Z) in zip(X, Y(Z, X.shape[0]))",
)


def key_for_each_turn(ctx: Context, use: Span) -> list[Help]:
    """Return another key for each turn of a loop: one of those that it is taken of, or one more for a clause."""
    split, fold_in = [imported(use.source, "random", name) for name in ("split", "fold_in")]
    clauses = [each for each in nodes(definition_around(ctx, use)) if isinstance(each, ast.ForClause)]
    counters = [each.pattern.span.text for each in clauses]
    return (
        tried(ctx, use, _ELEMENTS, {"Z": counters})
        or tried(ctx, use, _FOR_EACH, {"Z": [use.text], "Y": [split.name]}, [split])
        or tried(ctx, use, _FOLDED, {"Z": counters, "Y": [fold_in.name]}, [fold_in])
    )
