"""Mutants of a program: the same text with one small mistake, by the places of its syntax tree.

Every operator is a function from a node to the edits that make its mutants; `mutants` applies all of them to all
nodes. Knows nothing of types: many mutants are wrong programs, some are other right ones, a few are the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from dsl.diagnostics.source import Source, Span
from dsl.records import fields, is_record
from dsl.syntax import ast
from dsl.syntax.parse import parse
from dsl.syntax.walk import conjuncts

Edit = tuple[int, int, str]
Edits = Iterator[tuple[Edit, ...]]
Operator = Callable[[object, ast.Def | None], Edits]

DTYPES = {"f32": ("f64", "i32"), "f64": ("f32",), "i32": ("f32", "i64"), "bool": ("f32",), "c64": ("f32",)}
KEYED = ("split", "fold_in", "key")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed text, by which operator, and on which line it differs."""

    operator: str
    line: int
    text: str


def mutants(text: str) -> Iterator[Mutant]:
    """All mutants of a program, each text once, in the order of operators."""
    source = Source("mutant.dsl", text)
    tree, _ = parse(source)
    nodes = [(node, owner) for d in tree.declarations for node, owner in _nodes(d, None)]
    seen = {text}
    for name, operator in OPERATORS.items():
        for node, owner in nodes:
            for edits in operator(node, owner):
                changed = _applied(text, edits)
                if changed not in seen:
                    seen.add(changed)
                    yield Mutant(name, source.position(edits[0][0])[0], changed)


def _nodes(node: object, owner: ast.Def | None) -> Iterator[tuple[object, ast.Def | None]]:
    if isinstance(node, Span | Source):
        return
    if isinstance(node, tuple):
        for part in node:
            yield from _nodes(part, owner)
    elif is_record(node):
        owner = node if isinstance(node, ast.Def) else owner
        yield node, owner
        for field in fields(node):
            yield from _nodes(getattr(node, field.name), owner)


def _applied(text: str, edits: tuple[Edit, ...]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _put(span: Span, new: str) -> Edit:
    return (span.start, span.end, new)


def _swap(a: Span, b: Span) -> tuple[Edit, ...]:
    return (_put(a, b.text), _put(b, a.text))


def _neighbours(spans: list[Span]) -> Edits:
    for a, b in pairwise(spans):
        yield _swap(a, b)


def _without(spans: list[Span]) -> Edits:
    """Each of several things separated by commas taken out."""
    for k, span in enumerate(spans):
        if k + 1 < len(spans):
            yield ((span.start, spans[k + 1].start, ""),)
        elif k > 0:
            yield ((spans[k - 1].end, span.end, ""),)


# ---------------------------------------------------------------- calls


def swap_arguments(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Call):
        yield from _neighbours([a.span for a in node.args if a.name is None])


def drop_argument(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Call):
        yield from _without([a.span for a in node.args])


def drop_call(node: object, _: ast.Def | None) -> Edits:
    """`f(x)` becomes `x`; a cast that is forgotten, too."""
    if isinstance(node, ast.Call) and node.args and node.args[0].name is None:
        yield (_put(node.span, node.args[0].span.text),)


def change_axis(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Argument) and node.name is not None and node.name.name == "axis":
        for new in ("0", "1", "-1", "2"):
            yield (_put(node.value.span, new),)


def flip_keepdims(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Argument) and node.name is not None and node.name.name == "keepdims":
        yield (_put(node.value.span, "false" if node.value.span.text == "true" else "true"),)


# ---------------------------------------------------------------- operands


def swap_operands(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Binary) and node.op not in ("+", "*"):
        yield _swap(node.left.span, node.right.span)


def transpose_operand(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Binary) and node.op in ("@", "+", "-", "*"):
        for side in (node.left, node.right):
            yield (_put(side.span, f"({side.span.text}).T"),)


def change_operator(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Binary):
        between = (node.left.span.end, node.right.span.start)
        written = node.span.source.text[slice(*between)]
        for new in {"*": "@", "@": "*", "//": "/", "/": "//", "%": "/", "and": "&", "&": "and"}.get(
            node.op, ""
        ).split():
            yield ((*between, written.replace(node.op, new)),)


def change_comparison(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        between = (node.operands[0].span.end, node.operands[1].span.start)
        written = node.span.source.text[slice(*between)]
        others = {"<": "<= >", "<=": "< ==", ">": ">= <", ">=": "> <=", "==": "!= <=", "!=": "=="}[node.ops[0]]
        for new in others.split():
            yield ((*between, written.replace(node.ops[0], new)),)


def change_name(node: object, owner: ast.Def | None) -> Edits:
    """Another parameter of the definition in its place."""
    if isinstance(node, ast.Name) and owner is not None:
        names = [p.name.name for p in owner.params]
        for new in names if node.name in names else ():
            yield (_put(node.span, new),)


def drop_part(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.TupleLit | ast.ListLit):
        yield from _without([i.span for i in node.items])
    if isinstance(node, ast.RecordLit) and len(node.fields) > 1:
        ends = [value.span for _, value in node.fields]
        yield from _without([Span(s.source, i.span.start, s.end) for (i, _), s in zip(node.fields, ends, strict=True)])


def swap_parts(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.TupleLit | ast.ListLit):
        yield from _neighbours([i.span for i in node.items])
    if isinstance(node, ast.TuplePattern):
        yield from _neighbours([p.span for p in node.parts])


# ---------------------------------------------------------------- numbers and indices


def change_number(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.NumberLit) and type(node.value) is int:
        yield (_put(node.span, str(node.value + 1)),)
        yield (_put(node.span, str(max(node.value - 1, 0))),)
        yield (_put(node.span, f"{node.value}.0"),)
    elif isinstance(node, ast.NumberLit) and isinstance(node.value, float):
        yield (_put(node.span, f"{int(min(abs(node.value), 1e9))}"),)


def shift_index(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Index):
        for item in node.items:
            if not isinstance(item, ast.Slice | ast.EllipsisItem | ast.NoneLit):
                yield (_put(item.span, f"{item.span.text} + 1"),)
        yield from _without([i.span for i in node.items])
        yield from _neighbours([i.span for i in node.items])


def move_slice(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Slice):
        for bound in (node.start, node.stop):
            if bound is not None:
                yield (_put(bound.span, f"{bound.span.text} + 1"),)
                yield (_put(bound.span, ""),)


def reach_further(node: object, _: ast.Def | None) -> Edits:
    """`range(n)` becomes `range(n + 1)`."""
    if isinstance(node, ast.ForClause) and isinstance(node.iterable, ast.Call):
        for a in node.iterable.args:
            yield (_put(a.span, f"{a.span.text} + 1"),)


# ---------------------------------------------------------------- types


def change_dtype(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.NamedType | ast.Name):
        for new in DTYPES.get(node.span.text, ()):
            yield (_put(node.span, new),)


def change_size(node: object, owner: ast.Def | None) -> Edits:
    if isinstance(node, ast.IndexedType):
        for arg in node.args:
            if not isinstance(arg, ast.Splice):
                yield (_put(arg.span, f"{arg.span.text} + 1"),)
        yield from _without([a.span for a in node.args])
        yield from _neighbours([a.span for a in node.args])
        yield (_put(node.span, node.base.span.text),)


def trace_static(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Param) and node.static and node.type is not None:
        traced = {"int": "i32", "size": "i32", "float": "f32", "bool": "bool", "complex": "c64"}
        if new := traced.get(node.type.span.text):
            yield ((node.span.start, node.name.span.start, ""), _put(node.type.span, new))


def fix_traced(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Param) and not node.static and node.type is not None:
        new = {"i32": "int", "f32": "float", "bool": "bool"}.get(node.type.span.text)
        if new is not None:
            yield ((node.span.start, node.span.start, "static "), _put(node.type.span, new))


def drop_where(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Requirement):
        for part in conjuncts(node.condition):
            yield (_put(part.span, "true"),)


def rename_field(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Field):
        yield (_put(node.name.span, f"{node.name.name}_"),)
    if isinstance(node, ast.RecordLit):
        for ident, _value in node.fields:
            yield (_put(ident.span, f"{ident.name}_"),)


def drop_field(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Field):
        yield (_put(node.span, node.base.span.text),)


# ---------------------------------------------------------------- effects and keys


def drop_effect(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Row):
        for label in node.labels:
            rest = [other.span.text for other in node.labels if other is not label]
            yield (_put(node.span, "{" + ", ".join(rest) + "}"),)


def drop_handler(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.With) and not isinstance(node.body, ast.Block):
        yield (_put(node.span, node.body.span.text),)


def reuse_key(node: object, owner: ast.Def | None) -> Edits:
    """Another key of the definition in the place of this one."""
    if isinstance(node, ast.Name) and owner is not None:
        keys = sorted(_keys(owner))
        for new in keys if node.name in keys else ():
            yield (_put(node.span, new),)


def _keys(owner: ast.Def) -> Iterator[str]:
    for p in owner.params:
        if p.type is not None and p.type.span.text.startswith("key"):
            yield p.name.name
    for node, _ in _nodes(owner.body, owner):
        if isinstance(node, ast.Let) and any(f"{word}(" in node.value.span.text for word in KEYED):
            for part, _ in _nodes(node.pattern, owner):
                if isinstance(part, ast.NamePattern):
                    yield part.name


# ---------------------------------------------------------------- control


def swap_branches(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.If) and not isinstance(node.then, ast.Block) and not isinstance(node.orelse, ast.Block):
        yield _swap(node.then.span, node.orelse.span)


def drop_branch(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.If) and not isinstance(node.then, ast.Block) and not isinstance(node.orelse, ast.Block):
        yield (_put(node.span, node.then.span.text),)
        yield (_put(node.span, node.orelse.span.text),)


def drop_arm(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Match):
        for arm in node.arms:
            line_start = arm.span.source.text.rfind("\n", 0, arm.span.start)
            yield ((line_start, arm.span.end, ""),)


def drop_limit(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Iterate) and node.limit is not None:
        text = node.span.source.text
        yield ((text.rfind("limit", 0, node.limit.span.start), node.limit.span.end, ""),)


def drop_statement(node: object, _: ast.Def | None) -> Edits:
    if isinstance(node, ast.Block):
        for statement in node.statements:
            line_start = statement.span.source.text.rfind("\n", 0, statement.span.start)
            yield ((max(line_start, 0), statement.span.end, ""),)


def break_carry(node: object, _: ast.Def | None) -> Edits:
    """The body of a loop is given one axis more, and as a pair with itself."""
    if isinstance(node, ast.Loop | ast.Iterate) and not isinstance(node.body, ast.Block):
        yield (_put(node.body.span, f"[{node.body.span.text}]"),)
        yield (_put(node.body.span, f"({node.body.span.text}, {node.body.span.text})"),)


OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        f.__name__.replace("_", " "): f
        for f in (
            swap_arguments,
            drop_argument,
            drop_call,
            change_axis,
            flip_keepdims,
            swap_operands,
            transpose_operand,
            change_operator,
            change_comparison,
            reuse_key,
            change_name,
            drop_part,
            swap_parts,
            change_number,
            shift_index,
            move_slice,
            reach_further,
            change_dtype,
            change_size,
            trace_static,
            fix_traced,
            drop_where,
            rename_field,
            drop_field,
            drop_effect,
            drop_handler,
            swap_branches,
            drop_branch,
            drop_arm,
            drop_limit,
            drop_statement,
            break_carry,
        )
    }
)
