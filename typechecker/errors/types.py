"""E03: types that do not fit, and what loops, trees and conditions need of them. Read next: `dtypes`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.foreign_blocks import split_outside
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.dtype import BY_NAME
from dsl.types.shape import Shape
from dsl.types.size import SizeVar
from dsl.types.type import Type
from dsl.types.walk import map_children
from typechecker.errors.loops import carry_changed
from typechecker.errors.repairs.edits import integer, is_size, updated_array, without_fields
from typechecker.errors.repairs.other_libraries import DTYPES, elsewhere
from typechecker.errors.repairs.transforms import of_each_argument
from typechecker.errors.repairs.trees import call_of, enclosing, rewritten, tree_of
from typechecker.errors.repairs.trial import first_that_mends, offers, type_of
from typechecker.errors.repairs.values import calls_of_value, one_part, parts_of_array
from typechecker.errors.templates import Template
from typechecker.errors.words import (
    conditions,
    declaration_labels,
    describe_term,
    example,
    format_type,
    instead,
    make,
    plain_type,
    reason,
    rename,
    replace_with,
    snippet,
)

if TYPE_CHECKING:
    from dsl.types.facts import Prop
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.relations.coercion import Why


# ---------------------------------------------------------------- dtypes


def not_an_operand(ctx: Context, op: str, culprit: Term, span: Span) -> Diagnostic:
    label = f"an operand of `{op}`" if culprit.span != span else describe_term(ctx, culprit)
    message, kind = f"`{op}` is not defined for {format_type(ctx, culprit.type)}", ctx.resolve(culprit.type)
    calls = calls_of_value(ctx, culprit.span) if isinstance(kind, ty.FunctionType) or kind == ty.ERROR else ()
    return make("E0315", message, culprit.span, label, help=offers(ctx, "call the function: `{}`", *calls))


not_a_vector_space = Template(
    "E0319",
    "`{op}` needs trees whose leaves are all float or complex arrays",
    "{term:described}",
    help="use `tree_map(fn (a, b) -> …, p, q)` for other leaves",
)


_no_tree_operator = Template(
    "E0319",
    "`{op}` is not defined between {a:type} and {b:type}",
    "trees support `+`, `-`, and `*` and `/` by a scalar",
    help="leaf by leaf: `{written}`",
)


def no_tree_operator(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Diagnostic:
    a, b = ctx.resolve(left.type), ctx.resolve(right.type)
    p, q = snippet(left.span) or "p", snippet(right.span)
    written = None
    if a == b:
        written = f"tree_map(fn (a, b) -> a {op} b, {p}, {q or 'q'})"
    elif isinstance(b, ty.StaticType) and q:
        written = f"tree_map(fn a -> a {op} {q}, {p})"
    whole = [without_fields(text) for text in (left.span.text, right.span.text)]
    sides = [(t.span, text) for t, text in zip((left, right), whole, strict=True) if text != t.span.text]
    edits = first_that_mends(ctx, [replace_with(place, text) for place, text in sides]) if written is None else ()
    if edits:
        return replace(_no_tree_operator, help="did you mean `{written}`?")(
            span, ctx, edits=edits, op=op, a=a, b=b, written=rewritten(span, *edits)
        )
    return _no_tree_operator(span, ctx, op=op, a=a, b=b, written=written)


# ---------------------------------------------------------------- types that do not fit


_wrong_rule = Template("E0813", "the rule `{name}` has the wrong type", "{types}")


class Mismatch(Struct, frozen=True):
    """A value of a type where another is wanted: the types of the whole, and the path to the part that differs."""

    ctx: Context
    actual: Type
    wanted: Type
    why: Why
    span: Span
    path: str = ""

    @property
    def types(self) -> str:
        """Both types, which look different: records of one name by their fields."""
        kinds = self.actual, self.wanted
        shown = [plain_type(self.ctx, kind) for kind in kinds]
        if shown[0] == shown[1]:
            shown = [plain_type(self.ctx, _by_fields(kind)) for kind in kinds]
        return f"{shown[0]}, expected {shown[1]}"

    @property
    def at(self) -> str:
        return f" at `{self.path}`" if self.path else ""

    def show(
        self,
        code: str,
        has: str,
        wanted: str,
        *,
        notes: Iterable[str] = (),
        help: str | Sequence[Help] | None = None,
        edits: Iterable[Edit] = (),
    ) -> Diagnostic:
        """`has` says what the part is or has, `wanted` what is expected there."""
        message = f"{reason(self.why)} {has}{self.at}, but {wanted} is expected"
        labels = declaration_labels(self.why)
        return make(code, message, self.span, self.types, secondary=labels, notes=notes, help=help, edits=edits)

    def show_special(self, code: str = "E0310") -> Diagnostic | None:
        """Return the special report for a carry or for the rule of a derivative, whatever differs."""
        match self.why.kind:
            case "carry":
                return carry_changed(self, code)
            case "rule":
                advice, edits = of_each_argument(self.ctx, self.actual, self.wanted, self.why.name, self.span)
                return _wrong_rule(self.span, edits=edits, name=self.why.name, types=self.types, help=advice)
            case _:
                return None


def _by_fields(kind: Type) -> Type:
    """A type whose records have no names."""
    if isinstance(kind, ty.RecordType):
        return ty.RecordType(tuple([(name, _by_fields(field)) for name, field in kind.fields]))
    return map_children(kind, _by_fields)


def wrong_type(found: Mismatch, counterexample: Mapping[SizeVar, int] | None = None) -> Diagnostic:
    ctx, actual, wanted = found.ctx, found.actual, found.wanted
    special = found.show_special()
    if special is not None:
        return special
    if found.why.kind in ("branch", "item"):
        error = branches_differ if found.why.kind == "branch" else items_differ
        return error(found.span, ctx, secondary=declaration_labels(found.why), actual=actual, wanted=wanted)
    return found.show(
        "E0303",
        f"is {format_type(ctx, actual)}",
        format_type(ctx, wanted),
        notes=example(counterexample),
        help=next(filter(None, (each(found) for each in _WAYS)), None),
    )


def _optional(found: Mismatch) -> list[Help]:
    """The type of a static parameter whose default is `none`, as one of values that may be absent."""
    name = found.why.declared
    if found.why.kind != "default" or name is None or found.actual != ty.NONE:
        return []
    param = next((each for each in enclosing(name, ast.Param) if each.name.span == name), None)
    if param is None or param.type is None or not isinstance(found.wanted, ty.StaticType | ty.EnumType):
        return []
    edit = Edit(param.type.span, f"{param.type.span.text}?")
    return [Help(f"what may be `none` has a `?`: `{found.why.name}: {edit.text} = none`", (edit,))]


def _shape_of(found: Mismatch) -> list[Help]:
    """The shape of an array in place of a size of it, or the list of this one."""
    match tree_of(found.span) if found.wanted == ty.SHAPE and found.actual in (ty.INT, ty.SIZE) else None:
        case ast.Index(ast.Field(ast.Name(), ast.Ident("shape")) as base, (item,)) if integer(item) is not None:
            edits = [replace_with(found.span, text) for text in (base.span.text, f"[{found.span.text}]")]
            return offers(found.ctx, _LIST_OF_SIZES, *edits)
        case _:
            return []


_LIST_OF_SIZES = "a shape is a list of sizes: `{}`"


def _computed(found: Mismatch) -> list[Help]:
    """A static float as the static integer that is expected; the call of a function without arguments."""
    text, of_number = found.span.text, isinstance(tree_of(found.span), ast.NumberLit)
    if isinstance(found.actual, ty.FunctionType):
        words, written = "call it: `{}`", f"{text}()"
    elif found.actual == ty.FLOAT and found.wanted in (ty.INT, ty.SIZE) and not of_number:
        words, written = "leave the fraction out: `{}`", f"int({text})"
    else:
        return []
    gives = type_of(found.ctx, written, found.span)
    fits = gives in (ty.INT, ty.SIZE) if found.actual == ty.FLOAT else gives == found.wanted
    return instead(words, found.span, written) if fits else []


def _said(found: Mismatch) -> list[Help]:
    words = _instead(found)
    return [] if words is None else [Help(words)]


def _instead(found: Mismatch) -> str | None:
    actual, wanted = found.actual, found.wanted
    if isinstance(actual, ty.FunctionType) and found.why.kind == "argument":
        return elsewhere(found.why.owner)
    if (field := _field(found)) is not None:
        return field
    if isinstance(wanted, ty.KeyType) and actual in (ty.INT, ty.SIZE):
        return "take the key as a parameter, `k: key`, which Python makes of a seed: `dsl.key(0)`"
    if isinstance(wanted, ty.KeyType) and actual == ty.ArrayType(dt.I32, Shape(())):
        return f"a key is made of a seed by `random.key({snippet(found.span) or '…'})`, with `import random`"
    called = call_of(found.span)
    if isinstance(wanted, ty.KeyType) and called is not None and called[1] == 0:
        written = f"{called[0].function.span.text}(k, {snippet(found.span) or '…'})"
        return f"a key comes first, of a parameter `k: key`: `{written}`"
    match tree_of(found.span) if isinstance(wanted, ty.TupleType) else None:
        case ast.Comprehension(body, (ast.ForClause(ast.NamePattern(name), ast.Name(over)),)):
            written = f"tree_map(fn {name} -> {body.span.text}, {over})"
            if type_of(found.ctx, written, found.span) is not None:
                return f"a list is an array; of each part of a tuple: `{written}`"
        case _:
            pass
    place = _place_in_tuple(found)
    return None if place is None else f"its element {place} has this type: select it with `.{place}`"


def _field(found: Mismatch) -> str | None:
    """Help for a record with one field of the type that is expected."""
    fields = found.actual.fields if isinstance(found.actual, ty.RecordType) else ()
    names = [name for name, kind in fields if found.ctx.resolve(kind) == found.wanted]
    alone = len(names) == 1 and found.span.text.isidentifier()
    return f"its field `{names[0]}` has this type: write `{found.span.text}.{names[0]}`" if alone else None


def _sizes_of(found: Mismatch) -> list[Help]:
    """The sizes of a shape where a tuple of them is expected."""
    base = found.span.text.removesuffix(".shape")
    kind = type_of(found.ctx, base, found.span) if base.isidentifier() else None
    sizes = kind.shape.dims if isinstance(kind, ty.ArrayType | ty.IndexType) else ()
    edits = replace_with(found.span, f"({', '.join(map(str, sizes))})")
    return offers(found.ctx, "its sizes are `{}`", edits) if found.actual == ty.SHAPE else []


def _place_in_tuple(found: Mismatch) -> int | None:
    """Where a tuple has what is expected."""
    parts = found.actual.parts if isinstance(found.actual, ty.TupleType) else ()
    return next((k for k, part in enumerate(parts) if found.ctx.resolve(part) == found.wanted), None)


def _parts(found: Mismatch) -> list[Help]:
    ctx, span, place = found.ctx, found.span, _place_in_tuple(found)
    declared = found.why.declared if found.why.kind == "result" else None
    one = () if place is None else one_part(ctx, span, found.actual, place, declared)
    return [*one, *parts_of_array(ctx, span, found.actual, found.wanted), *_sizes_of(found)]


def _listed_sizes(found: Mismatch) -> list[Help]:
    edit = None if _shape_of(found) else _list_of_sizes(found)
    return [] if edit is None else instead(_LIST_OF_SIZES, edit.span, edit.text)


def _list_of_sizes(found: Mismatch) -> Edit | None:
    """Sizes that stand one by one at the end of a call, as one list."""
    scope, root, given = found.ctx.scope, tree_of(found.span), call_of(found.span)
    if found.wanted != ty.SHAPE or found.actual not in (ty.INT, ty.SIZE):
        return None
    if isinstance(root, ast.Field) and isinstance(root.base, ast.Name) and root.name.name == "size":
        return Edit(found.span, f"{root.base.name}.shape")
    if not scope.makes_sizes and not isinstance(root, ast.Name | ast.NumberLit):
        listed = f"[{found.span.text}]"
        return Edit(found.span, listed) if type_of(found.ctx, f"zeros({listed})", found.span) is not None else None
    if given is None or scope.makes_sizes:
        return None
    sizes = [arg.value for arg in given[0].args[given[1] :] if arg.name is None]
    bound = [scope.lookup(size.name) for size in sizes if isinstance(size, ast.Name)]
    known = all(b is not None and b.term.type in (ty.INT, ty.SIZE) for b in bound)
    whole = sizes[0].span.to(sizes[-1].span)
    return Edit(whole, f"[{whole.text}]") if known and all(map(is_size, sizes)) else None


def _named_arguments(found: Mismatch) -> list[Help]:
    """Numbers where a dtype may stand, by the names of the parameters behind it."""
    declared, given = found.why.declared, call_of(found.span)
    if found.wanted != ty.DTYPE or not isinstance(found.actual, ty.StaticType) or declared is None or given is None:
        return []
    values = given[0].args[given[1] :]
    behind = declared.source.text[declared.end :].partition("->")[0]
    names = [part.partition(":")[0].strip().removeprefix("static ") for part in split_outside(behind, ",")[1:]]
    if len(values) > len(names) or any(value.name is not None for value in values):
        return []
    written = ", ".join([f"{name}={value.span.text}" for name, value in zip(names, values, strict=False)])
    edits = replace_with(values[0].span.to(values[-1].span), written)
    return offers(found.ctx, "give what follows by name: `{}`", edits)


_WAYS = (_listed_sizes, _parts, _computed, _shape_of, _optional, _named_arguments, _said)
"""The helps for a value of another type, the likeliest first."""


branches_differ = Template(
    "E0312", "the branches of an `if` have different types", "{actual:plain}, the other branch is {wanted:plain}"
)
items_differ = Template(
    "E0313", "the items of a list have different types", "{actual:plain}, the first item is {wanted:plain}"
)


choice_of_rules = Template(
    "E0330",
    "an `if` cannot choose `{text}` in this version: the definition depends on the arguments of each call",
    "a function of several definitions",
    help="put the `if` around the calls: `if … then {text}(…) else …`",
)


_wrong_fields = Template("E0309", "{whole} does not have the fields of {wanted:type}", "{differing:listed}")


def wrong_fields(found: Mismatch, actual: ty.RecordType, wanted: ty.RecordType) -> Diagnostic:
    if found.why.kind == "carry":
        return carry_changed(replace(found, actual=actual, wanted=wanted), "E0310")
    have, need = [n for n, _ in actual.fields], [n for n, _ in wanted.fields]
    missing = [f"`{n}` is missing" for n in need if n not in have]
    extra = [f"`{n}` is unexpected" for n in have if n not in need]
    help, edits = _right_fields(found, have, wanted)
    return _wrong_fields(
        found.span,
        found.ctx,
        secondary=declaration_labels(found.why),
        edits=edits,
        whole=reason(found.why),
        wanted=wanted,
        differing=[*missing, *extra],
        help=help,
    )


def _right_fields(found: Mismatch, have: Sequence[str], wanted: ty.RecordType) -> tuple[str | None, tuple[Edit, ...]]:
    """Return the repair of a record literal: a corrected field name, or the missing fields."""
    text = snippet(found.span, 80)
    extra = [name for name in have if wanted.field(name) is None]
    missing = {name: kind for name, kind in wanted.fields if name not in have}
    if not isinstance(tree_of(found.span) if text else None, ast.RecordLit) or not missing:
        return None, ()
    if len(extra) == len(missing) == 1:
        (near,) = missing
        return f"did you mean `{near}`?", rename(found.span, extra[0], near)
    lacking = ", ".join([f"{name} = …" for name in missing])
    kinds = ", ".join([f"`{name}` is {format_type(found.ctx, kind)}" for name, kind in missing.items()])
    return (None if extra else f"write `{text[:-1]}, {lacking}}}`, where {kinds}"), ()


_no_axes = Template(
    "E0322",
    "this type cannot have axes",
    "only arrays, `idx`, keys and trees of them can",
    help="did you mean `{written}`?",
    fix="{written}",
)
_static_array = Template(
    "E0322",
    "a static value has no axes",
    "declared static here",
    help="arrays are run-time values: remove `static`, `{written}`",
)


def no_axes(span: Span, static: bool) -> Diagnostic:
    """The name of a static type may be meant for that of a dtype; an array may be declared static."""
    kinds = [each.base for each in enclosing(span, ast.IndexedType) if each.span.start == span.start]
    word = kinds[0].span.text if kinds else ""
    stated = [each for each in enclosing(span, ast.Param) if each.static and each.type and each.type.span == span]
    if static and stated and (word in BY_NAME or DTYPES.get(word)):
        written = f"{stated[0].name.name}: {DTYPES.get(word, word)}{span.text[len(word) :]}"
        whole = Span(span.source, stated[0].span.start, span.end)
        return _static_array(span, edits=replace_with(whole, written), written=written)
    dtype = None if static else DTYPES.get(word)
    return _no_axes(span, written=None if dtype is None else f"{dtype}{span.text[len(word) :]}")


empty_list = Template(
    "E0313",
    "cannot infer the type of an empty list",
    "unknown item type",
    help="write `zeros([0])`, or annotate: `let x: f32[0] = []`",
)
cannot_stack = Template("E0313", "{term.type:type} cannot be stacked into an array", "{term:described}")


_unused_value = Template("E0110", "the value of this expression is not used", "of type {kind:plain}", fix="{written}")


def unused_value(ctx: Context, kind: Type, span: Span) -> Diagnostic:
    """An update of an array is bound by the name of the array."""
    name = updated_array(tree_of(span))
    written = name and f"let {name} = {span.text}"
    shown = "let y = …" if written is None or not snippet(span, 80) else written
    return _unused_value(span, ctx, kind=kind, written=written, help=f"bind it: `{shown}`, or remove the line")


malformed_format = Template("E0327", "malformed format string", "as in `str.format`, with `{{}}` for each value")
_format_arguments = Template(
    "E0327", "the format has {holes:placeholder} for {given:value}", "one `{{}}` for each value"
)


def format_arguments(holes: int, values: Sequence[Span], span: Span) -> Diagnostic:
    """A format without a place for each of its values is offered with places at its end."""
    given, lacking = len(values), len(values) - holes
    if lacking < 0 or span.text[-1:] != '"':
        return _format_arguments(span, holes=holes, given=given)
    written = f'{span.text[:-1].rstrip(" ")}{" {}" * lacking}"'
    advice = f"write `print({', '.join([written, *(value.text for value in values)])})`"
    return _format_arguments(span, edits=replace_with(span, written), holes=holes, given=given, help=advice)


format_field = Template(
    "E0327", "`{{{suffix}}}` does not show {term.type:type}", "{term:described}", help="`{{}}` shows any value"
)
not_printable = Template("E0327", "{term.type:type} cannot be printed", "{term:described}")
not_checkable = Template("E0303", "`checked` takes arrays of numbers, not {term.type:type}", "{term:described}")
_not_an_array = Template("E0303", "`{name}` takes arrays, not {term.type:type}", "{term:described}")


def not_an_array(ctx: Context, name: str, term: Term, span: Span) -> Diagnostic:
    """A number may be meant as an array of one."""
    of_one = offers(ctx, "an array of one is `{}`", replace_with(span, f"[{span.text}]"))
    return _not_an_array(span, ctx, name=name, term=term, help=of_one)


_needs_tuple = Template("E0303", "`{name}` takes a tuple of arrays, not {term.type:type}", "{term:described}")


def needs_tuple(ctx: Context, name: str, term: Term, span: Span) -> Diagnostic:
    return _needs_tuple(span, ctx, name=name, term=term, help=_tuple_help(name, snippet(term.span, 64)))


def _tuple_help(name: str, text: str) -> str:
    """Suggest a tuple in a call that was passed a list."""
    if not (text.startswith("[") and text.endswith("]")):
        return f"write `{name}((a, b))`"
    if name == "stack":
        return f"a list of arrays is stacked already: write `{text}`"
    return f"write `{name}((a, b))`" if " for " in text else f"write `{name}(({text[1:-1]}))`"


def tree_structure(ctx: Context, kinds: Sequence[Type], span: Span) -> Diagnostic:
    return _tree_structure(span, kinds=" and ".join(plain_type(ctx, kind) for kind in kinds))


_tree_structure = Template("E0303", "the trees have different structures", "{kinds}")


_not_of_all_leaves = Template(
    "E0407",
    "this needs {needed}, which leaves of the tree need not meet",
    "a leaf may have any shape, and any dtype of its class",
)


def not_of_all_leaves(needed: Prop, span: Span) -> Diagnostic:
    return _not_of_all_leaves(span, needed=conditions(needed))


tree_leaves = Template(
    "E0303",
    "`{name}` needs a tree with known leaves",
    "is {term.type:type}",
    help="say what it starts from: `tree_reduce(f, p, 0.0)`",
)
