"""E03: types that do not fit, and what loops, trees and conditions need of them. Read next: `dtypes`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.size import SizeVar
from dsl.types.type import Type
from dsl.types.walk import any_leaf, map_children
from typechecker.errors.loops import carry_changed
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.goals import calls_of_value, declared, fitted
from typechecker.errors.repairs.makers import made_of, of_its_module, with_name
from typechecker.errors.repairs.other_libraries import elsewhere
from typechecker.errors.repairs.rewrites import DTYPES
from typechecker.errors.repairs.trees import call_of, enclosing, in_front, rewritten, tree_of
from typechecker.errors.repairs.trial import definition_around, mends, offers, tried
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

_not_an_operand = Template("E0315", "`{op}` is not defined for {culprit.type:type}", "{label}")


def not_an_operand(ctx: Context, op: str, culprit: Term, span: Span) -> Diagnostic:
    label, kind = describe_term(ctx, culprit), ctx.resolve(culprit.type)
    calls = calls_of_value(ctx, culprit.span) if isinstance(kind, ty.FunctionType) or kind == ty.ERROR else ()
    label = f"an operand of `{op}`" if culprit.span != span else label
    return _not_an_operand(culprit.span, ctx, op=op, culprit=culprit, label=label, help=calls)


_not_a_vector_space = Template(
    "E0319",
    "`{op}` needs trees whose leaves are all float or complex arrays",
    "{term:described}",
    help="use `tree_map(fn (a, b) -> …, p, q)` for other leaves",
)


def not_a_vector_space(ctx: Context, op: str, term: Term, span: Span) -> Diagnostic:
    """A record with a field that is no number of a vector space, by the name of the field."""
    kind, text = ctx.resolve(term.type), snippet(term.span)
    fields = kind.fields if isinstance(kind, ty.RecordType) and text.isidentifier() else ()
    others = [(name, field) for name, field in fields if any_leaf(field, _is_exact)]
    of_arrays = [name for name, _ in fields if name not in [other for other, _ in others]]
    if not others or not of_arrays:
        return _not_a_vector_space(span, ctx, op=op, term=term)
    told = ", ".join([f"`{text}.{name}` is {format_type(ctx, field)}" for name, field in others])
    words = f"{told}: compute the other fields alone, as in `{text}.{of_arrays[0]}`, and say what becomes of that one"
    return _not_a_vector_space(span, ctx, op=op, term=term, help=[Help(words)])


def _is_exact(leaf: Type) -> bool:
    dtype = leaf.dtype if isinstance(leaf, ty.ArrayType) else None
    return isinstance(leaf, ty.IndexType | ty.KeyType) or (isinstance(dtype, dt.DType) and not dtype.is_inexact)


_no_tree_operator = Template(
    "E0319",
    "`{op}` is not defined between {left.type:type} and {right.type:type}",
    "trees support `+`, `-`, and `*` and `/` by a scalar",
    tries=(
        "leaf by leaf: `{}`",
        "A {op} B => tree_map(fn (a, b) -> a {op} b, A, B)",
        "A {op} N => tree_map(fn a -> a {op} N, A)",
    ),
)


def no_tree_operator(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Diagnostic:
    """An operator between a tree and a value that has the type of one of its parts."""
    helps = list[Help]()
    for whole, other, rule in ((left, right, f"A {op} B => A.Z {op} B"), (right, left, f"A {op} B => A {op} B.Z")):
        kind, wanted = ctx.resolve(whole.type), ctx.resolve(other.type)
        parts = kind.parts if isinstance(kind, ty.TupleType) else ()
        same = [str(k) for k, part in enumerate(parts) if part == wanted]
        rules, texts = ["take the part that is meant: `{}`", rule], [f"`{whole.span.text}.{k}`" for k in same]
        several = [Help(f"take the part that is meant: {' or '.join(texts)}")] if len(same) > 1 else []
        helps = helps or several or tried(ctx, span, rules, {"Z": same})
    return _no_tree_operator(span, ctx, op=op, left=left, right=right, help=helps)


# ---------------------------------------------------------------- types that do not fit


_wrong_rule = Template("E0813", "the rule `{name}` has the wrong type", "{types}", help="write `{written}`")


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

    @property
    def fitted(self) -> list[Help]:
        """Propose an expression to stand here instead, where the whole of it differs."""
        if self.path:
            return declared(self.ctx, self.span, self.actual, self.wanted, self.why)
        return fitted(self.ctx, self.span, self.actual, self.wanted, self.why)

    def show(
        self, code: str, has: str, wanted: str, *, notes: Iterable[str] = (), help: Sequence[Help] = ()
    ) -> Diagnostic:
        """`has` says what the part is or has, `wanted` what is expected there."""
        message = f"{reason(self.why)} {has}{self.at}, but {wanted} is expected"
        labels = declaration_labels(self.why)
        return make(code, message, self.span, self.types, secondary=labels, notes=notes, help=help)

    def show_special(self, code: str = "E0310") -> Diagnostic | None:
        """Return the special report for a carry or for the rule of a derivative, whatever differs."""
        match self.why.kind:
            case "carry":
                return carry_changed(self, code)
            case "rule":
                alone = self.wanted == ty.TupleType((self.actual,)) and snippet(self.span)
                written = f"({self.span.text},)" if alone else None
                edits = replace_with(self.span, written) if written else ()
                return _wrong_rule(self.span, edits=edits, name=self.why.name, types=self.types, written=written)
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
    wanted = with_name(ctx, wanted) if found.why.kind == "argument" else wanted
    found = replace(found, wanted=wanted)
    is_, not_ = [format_type(ctx, kind) for kind in (actual, wanted)]
    help = found.fitted or _key(found) or made_of(ctx, found.span, actual, wanted)
    if isinstance(actual, ty.RecordType | ty.TupleType) and isinstance(wanted, ty.ArrayType) and not help:
        help = tried(ctx, found.span, ("apply it to each array of the tree: `{}`", "F(X) => tree_map(F, X)"))
    if isinstance(wanted, ty.ArrayType) and not help:
        help = of_its_module(ctx, found.span, actual)
    if isinstance(actual, ty.FunctionType) and found.why.kind == "argument" and not help:
        said = elsewhere(found.why.owner)
        help = [] if said is None else [Help(said)]
    return found.show("E0303", f"is {is_}", not_, notes=example(counterexample), help=help)


def _key(found: Mismatch) -> list[Help]:
    """How a key is made, where a number or nothing stands in its place."""
    if not isinstance(found.wanted, ty.KeyType):
        return []
    called, kind = call_of(found.span), found.actual
    if isinstance(kind, ty.StaticType):
        return [Help("take the key as a parameter, `k: key`, which Python makes of a seed: `dsl.key(0)`")]
    node = definition_around(found.ctx, found.span)
    if called is not None and not called[1] and node is not None and node.params:
        k = trees.fresh_name("k", node)
        edits = (in_front(node.params[0].span, f"{k}: key, "), in_front(found.span, f"{k}, "))
        mending = mends(found.ctx, edits)
        if mending or not isinstance(kind, ty.ArrayType) or kind.shape.rank != 0:
            written = rewritten(called[0].span, edits[1])
            return [Help(f"a key comes first, of a parameter `{k}: key`: `{written}`", edits if mending else ())]
    return [Help(f"a key is made of a seed by `random.key({snippet(found.span) or '…'})`, with `import random`")]


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
    missing, extra = [n for n in need if n not in have], [n for n in have if n not in need]
    help = list[Help]()
    if isinstance(tree_of(found.span), ast.RecordLit) and missing:
        if len(missing) == len(extra) == 1:
            help = [Help(f"did you mean `{missing[0]}`?", rename(found.span, extra[0], missing[0]))]
        elif not extra and snippet(found.span, 80):
            written = f" `{found.span.text[:-1]}, {', '.join([f'{name} = …' for name in missing])}}}"
            help = [Help(f"write {written}")]
        names = [name for name in trees.variables(tree_of(found.span)) if found.ctx.scope.lookup(name) is not None]
        if not extra:
            texts = [f"{{{name} with {found.span.text[1:]}" for name in names]
            updates = [replace_with(found.span, text) for text in texts]
            help = offers(found.ctx, "the other fields stay as they are in `{}`", *updates) or help
    return _wrong_fields(
        found.span,
        found.ctx,
        secondary=declaration_labels(found.why),
        whole=reason(found.why),
        wanted=wanted,
        differing=[*(f"`{n}` is missing" for n in missing), *(f"`{n}` is unexpected" for n in extra)],
        help=help,
    )


_no_axes = Template("E0322", "this type cannot have axes", "only arrays, `idx`, keys and trees of them can")
_static_array = Template(
    "E0322", "a static value has no axes", "declared static here", help="arrays are run-time values: remove `static`"
)


def no_axes(span: Span, static: bool) -> Diagnostic:
    """The name of a static type may be meant for that of a dtype; an array may be declared static."""
    if static:
        stated = [each for each in enclosing(span, ast.Param) if each.type is not None and each.type.span == span]
        return _static_array(
            span, edits=[Edit(Span(span.source, each.span.start, each.name.span.start), "") for each in stated]
        )
    word = span.text.partition("[")[0]
    typed = f"{DTYPES[word]}{span.text[len(word) :]}" if word in DTYPES else None
    return _no_axes(span, help=instead("did you mean `{}`?", span, typed))


empty_list = Template(
    "E0313",
    "cannot infer the type of an empty list",
    "unknown item type",
    help="write `zeros([0])`, or annotate: `let x: f32[0] = []`",
)
cannot_stack = Template(
    "E0313",
    "{term.type:type} cannot be stacked into an array",
    "{term:described}",
    tries=("make them in a row, which gets its axes behind it: `{}`", "F(X, [A, B]) => reshape(F(X, A * B), [A, B])"),
)
unused_value = Template(
    "E0110",
    "the value of this expression is not used",
    "of type {kind:plain}",
    help="bind it: `let y = …`, or remove the line",
    tries=("bind it: `{}`, or remove the line", "X.at[R].F(V) => let X = X.at[R].F(V)"),
)
malformed_format = Template("E0327", "malformed format string", "as in `str.format`, with `{{}}` for each value")
_format_arguments = Template(
    "E0327", "the format has {holes:placeholder} for {given:value}", "one `{{}}` for each value"
)


def format_arguments(holes: int, values: Sequence[Span], span: Span) -> Diagnostic:
    """A format without a place for each of its values is offered with places at its end."""
    lacking = len(values) - holes
    written = f'{span.text[:-1].rstrip(" ")}{" {}" * lacking}"' if lacking > 0 and span.text[-1:] == '"' else None
    helps = [] if written is None else [Help(f"write `{written}`", replace_with(span, written))]
    return _format_arguments(span, holes=holes, given=len(values), help=helps)


format_field = Template(
    "E0327", "`{{{suffix}}}` does not show {term.type:type}", "{term:described}", help="`{{}}` shows any value"
)
not_printable = Template("E0327", "{term.type:type} cannot be printed", "{term:described}")
not_checkable = Template("E0303", "`checked` takes arrays of numbers, not {term.type:type}", "{term:described}")
not_an_array = Template(
    "E0303",
    "`{name}` takes arrays, not {term.type:type}",
    "{term:described}",
    tries=(
        "an array of one element is `{}`",
        "X => [X]",
        "join the trees array by array: `{}`",
        "F((A, B)) => tree_map(fn (a, b) -> F((a, b)), A, B)",
    ),
)
needs_tuple = Template(
    "E0303",
    "`{name}` takes a tuple of arrays, not {term.type:type}",
    "{term:described}",
    help="write `{name}((a, b))`",
)
_tree_structure = Template("E0303", "the trees have different structures", "{kinds}")


def tree_structure(ctx: Context, kinds: Sequence[Type], span: Span) -> Diagnostic:
    return _tree_structure(span, kinds=" and ".join(plain_type(ctx, kind) for kind in kinds))


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
