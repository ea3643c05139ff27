"""Makes the nodes of declarations, types and patterns: the lower half of `build.Builder`.

It also holds what both halves share: the source, the list of diagnostics, and how spans are taken. Methods
have the names behind `->` in `grammar.lark`; the rules are explained in `build`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Source, Span
from dsl.records import replace
from dsl.syntax import ast, errors
from dsl.syntax.literals import decode_number, decode_string

Parts: TypeAlias = "list[Any]"


FORMS = ("named", "shared")
"""The words behind `effect` of an operation that is known by name: performed once, or by all turns of a loop alike."""


class DefHead(Struct, frozen=True):
    """All of a `def` before its `=`."""

    start: int
    static: bool
    name: ast.Ident
    generics: tuple[ast.Generic, ...]
    params: tuple[ast.Param, ...]
    result: ast.TypeExpr | None
    effects: ast.Row | None
    where: tuple[ast.Requirement, ...]

    def define(self, body: ast.Expr) -> ast.Def:
        """The whole definition, once its body is there."""
        span = Span(body.span.source, self.start, body.span.end)
        head = (self.name, self.static, self.generics, self.params, self.result, self.effects, self.where)
        return ast.Def(*head, body, None, span)


class TypeGroup(Struct, frozen=True):
    """A type in parentheses: one parameter, where a function type follows."""

    inner: ast.TypeExpr
    span: Span

    def open(self) -> ast.TypeExpr:
        return replace(self.inner, span=self.span)


class ResultType(Struct, frozen=True):
    """The part of a type after an arrow: the result type and its effect row."""

    type: ast.TypeExpr
    row: ast.Row | None

    @property
    def end(self) -> int:
        return self.type.span.end if self.row is None else self.row.span.end


class TypeBuilder:
    """Declarations, types, patterns; `report` takes diagnostics, `pythons` holds `None`s outside an index."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self.pythons: list[Span] = []
        self.report = self.diagnostics.append

    def at(self, token: Any) -> Span:
        return Span(self.source, token.start_pos, token.end_pos)

    def across(self, parts: Parts) -> Span:
        """From a first to a last part that are both tokens."""
        return Span(self.source, parts[0].start_pos, parts[-1].end_pos)

    def from_token(self, token: Any, node: Any) -> Span:
        return Span(self.source, token.start_pos, node.span.end)

    def ident(self, token: Any) -> ast.Ident:
        return ast.Ident(token.value, Span(self.source, token.start_pos, token.end_pos))

    def text_of(self, token: Any) -> ast.StringLit:
        span = self.at(token)
        return ast.StringLit(decode_string(token.value, span, self.report), span)

    # ------------------------------------------------------------ lists

    def list_more(self, parts: Parts) -> Parts:
        items: Parts = parts[0]
        items.append(parts[2])
        return items

    list_more_nl = list_more

    def list_first(self, parts: Parts) -> Parts:
        return parts

    def list_barred(self, parts: Parts) -> Parts:
        return parts[1:]

    def empty(self, parts: Parts) -> Parts:
        return parts

    def nothing(self, parts: Parts) -> None:
        return None

    def pair(self, parts: Parts) -> tuple[ast.Ident, Any]:
        return self.ident(parts[0]), parts[2]

    def path_first(self, parts: Parts) -> Parts:
        return [self.ident(parts[0])]

    def path_more(self, parts: Parts) -> Parts:
        path: Parts = parts[0]
        path.append(self.ident(parts[2]))
        return path

    # ------------------------------------------------------------ declarations

    def definition(self, parts: Parts) -> ast.Def:
        head: DefHead = parts[0]
        return head.define(parts[2])

    def def_head(self, parts: Parts) -> DefHead:
        word, name, generics, _, params, _, (result, effects), where = parts
        start, static = word
        return DefHead(
            start, static, self.ident(name), tuple(generics), self.params_of(params), result, effects, tuple(where)
        )

    def where_condition(self, parts: Parts) -> Parts:
        before, word, condition = parts
        return [*before, ast.Requirement(condition, None, self.from_token(word, condition))]

    def where_message(self, parts: Parts) -> Parts:
        before, word, condition, _, message = parts
        text = self.text_of(message)
        return [*before, ast.Requirement(condition, text.value, self.from_token(word, text))]

    def def_plain(self, parts: Parts) -> tuple[int, bool]:
        return parts[0].start_pos, False

    def def_static(self, parts: Parts) -> tuple[int, bool]:
        return parts[0].start_pos, True

    def generic_plain(self, parts: Parts) -> ast.Generic:
        return ast.Generic(self.ident(parts[0]), False, None, self.at(parts[0]))

    def generic_star(self, parts: Parts) -> ast.Generic:
        return ast.Generic(self.ident(parts[1]), True, None, self.across(parts))

    def generic_bound(self, parts: Parts) -> ast.Generic:
        return ast.Generic(self.ident(parts[0]), False, self.ident(parts[2]), self.across(parts))

    def generic_over(self, parts: Parts) -> ast.Generic:
        over = self.ident(parts[4])
        return ast.Generic(self.ident(parts[0]), False, self.ident(parts[2]), self.across(parts), over)

    def generic_star_bound(self, parts: Parts) -> ast.Generic:
        return ast.Generic(self.ident(parts[1]), True, self.ident(parts[3]), self.across(parts))

    def param_plain(self, parts: Parts) -> ast.Param:
        name, annotation, default = parts
        return self._param(name, name, annotation, False, default)

    def param_static(self, parts: Parts) -> ast.Param:
        word, name, annotation, default = parts
        return self._param(word, name, annotation, True, default)

    def _param(
        self, first: Any, name: Any, annotation: ast.TypeExpr | None, static: bool, default: ast.Expr | None
    ) -> ast.Param:
        last = default if default is not None else annotation
        end = name.end_pos if last is None else last.span.end
        span = Span(self.source, first.start_pos, end)
        return ast.Param(self.ident(name), annotation, static, default, False, span)

    def param_star(self, parts: Parts) -> Span:
        return self.at(parts[0])

    def params_of(self, items: Parts) -> tuple[ast.Param, ...]:
        """Parameters behind the lone `*` become keyword-only; before it, those with defaults stand last."""
        params: list[ast.Param] = []
        star: Span | None = None
        omissible: Span | None = None
        for item in items:
            if isinstance(item, ast.Param):
                if item.default is not None:
                    omissible = omissible or item.span
                elif omissible is not None and star is None:
                    self.report(errors.default_before(item.span, omissible))
                params.append(item if star is None else replace(item, keyword_only=True))
            elif star is not None:
                self.report(errors.second_star(item, star))
            else:
                star = item
        if star is not None and items[-1] is star:
            self.report(errors.star_at_end(star))
        return tuple(params)

    def signature_none(self, parts: Parts) -> tuple[None, None]:
        return None, None

    def signature_result(self, parts: Parts) -> tuple[ast.TypeExpr, ast.Row | None]:
        result: ResultType = parts[1]
        return result.type, result.row

    def signature_row(self, parts: Parts) -> tuple[None, ast.Row]:
        return None, parts[0]

    def type_decl(self, parts: Parts) -> ast.TypeAliasDecl:
        word, name, generics, _, value = parts
        span = self.from_token(word, value)
        return ast.TypeAliasDecl(self.ident(name), tuple(generics), value, None, span)

    def enum_decl(self, parts: Parts) -> ast.EnumDecl:
        word, name, _, variants = parts
        return ast.EnumDecl(self.ident(name), tuple(variants), None, self.from_token(word, variants[-1]))

    def variant_plain(self, parts: Parts) -> ast.Variant:
        return ast.Variant(self.ident(parts[0]), (), self.at(parts[0]))

    def variant_fields(self, parts: Parts) -> ast.Variant:
        return ast.Variant(self.ident(parts[0]), tuple(parts[2]), self.across(parts))

    def effect_decl(self, parts: Parts) -> ast.EffectDecl:
        word, name, generics, _, _, params, _, _, result, where = parts
        span = self.from_token(word, where[-1] if where else result)
        head = self.ident(name), tuple(generics), self.params_of(params)
        return ast.EffectDecl(*head, result, tuple(where), None, span)

    def effect_decl_by_name(self, parts: Parts) -> ast.EffectDecl:
        word, form, *rest = parts
        if form.value not in FORMS:
            self.report(errors.effect_form(self.at(form)))
        return replace(self.effect_decl([word, *rest]), form=self.ident(form))

    def import_plain(self, parts: Parts) -> ast.Import:
        word, path = parts
        return ast.Import(tuple(path), None, self.from_token(word, path[-1]))

    def import_as(self, parts: Parts) -> ast.Import:
        _, path, _, alias = parts
        return ast.Import(tuple(path), self.ident(alias), self.across(parts))

    def from_import(self, parts: Parts) -> ast.FromImport:
        word, path, _, names = parts
        here, there = names[-1]
        return ast.FromImport(tuple(path), tuple(names), self.from_token(word, there or here))

    def imported_plain(self, parts: Parts) -> tuple[ast.Ident, None]:
        return self.ident(parts[0]), None

    def imported_as(self, parts: Parts) -> tuple[ast.Ident, ast.Ident]:
        return self.ident(parts[0]), self.ident(parts[2])

    # ------------------------------------------------------------ types

    def type_done(self, parts: Parts) -> ast.TypeExpr:
        return _opened(parts[0])

    def type_arrow(self, parts: Parts) -> ast.TypeExpr:
        head, _, result = parts
        if isinstance(head, TypeGroup):
            params: tuple[ast.TypeExpr, ...] = (head.inner,)
        elif isinstance(head, ast.TupleTypeExpr):
            params = head.parts
        else:
            params = (head,)
        span = Span(self.source, head.span.start, result.end)
        return ast.FunctionTypeExpr(params, result.type, result.row, span)

    def result_plain(self, parts: Parts) -> ResultType:
        return ResultType(_opened(parts[0]), None)

    def result_row(self, parts: Parts) -> ResultType:
        return ResultType(_opened(parts[0]), parts[1])

    def result_arrow(self, parts: Parts) -> ResultType:
        return ResultType(self.type_arrow(parts), None)

    def type_name(self, parts: Parts) -> ast.TypeExpr:
        path = parts[0]
        return ast.NamedType(tuple(path), path[0].span.to(path[-1].span))

    def type_computed(self, parts: Parts) -> ast.TypeExpr:
        path, _, args, closer = parts
        function: ast.Expr = ast.Name(path[0].name, path[0].span)
        for name in path[1:]:
            function = ast.Field(function, name, path[0].span.to(name.span))
        span = Span(self.source, path[0].span.start, closer.end_pos)
        return ast.ComputedDType(ast.Call(function, tuple(args), span), span)

    def type_unit(self, parts: Parts) -> ast.TypeExpr:
        return ast.TupleTypeExpr((), self.across(parts))

    def type_group(self, parts: Parts) -> TypeGroup:
        return TypeGroup(parts[1], self.across(parts))

    def type_tuple_one(self, parts: Parts) -> ast.TypeExpr:
        return ast.TupleTypeExpr((parts[1],), self.across(parts))

    def type_tuple(self, parts: Parts) -> ast.TypeExpr:
        return ast.TupleTypeExpr((parts[1], *parts[3]), self.across(parts))

    def type_record_empty(self, parts: Parts) -> ast.TypeExpr:
        return ast.RecordTypeExpr((), self.across(parts))

    def type_record(self, parts: Parts) -> ast.TypeExpr:
        return ast.RecordTypeExpr(tuple(parts[1]), self.across(parts))

    def type_index_empty(self, parts: Parts) -> ast.TypeExpr:
        return self.type_index([parts[0], parts[1], (), parts[2]])

    def type_index(self, parts: Parts) -> ast.TypeExpr:
        base, _, args, closer = parts
        span = Span(self.source, base.span.start, closer.end_pos)
        return ast.IndexedType(_opened(base), tuple(args), span)

    def type_optional(self, parts: Parts) -> ast.TypeExpr:
        base, mark = parts
        span = Span(self.source, base.span.start, mark.end_pos)
        return ast.OptionalType(_opened(base), span)

    def row_one(self, parts: Parts) -> ast.Row:
        return ast.Row((parts[1],), parts[1].span)

    def row_empty(self, parts: Parts) -> ast.Row:
        return ast.Row((), self.across(parts[1:]))

    def row_many(self, parts: Parts) -> ast.Row:
        return ast.Row(tuple(parts[2]), self.across(parts[1:]))

    def label_plain(self, parts: Parts) -> ast.RowLabel:
        path = parts[0]
        return ast.RowLabel(tuple(path), None, None, path[0].span.to(path[-1].span))

    def label_cell(self, parts: Parts) -> ast.RowLabel:
        path, _, name, _, annotation, closer = parts
        return self._label(path, self.ident(name), annotation, closer)

    def label_axis(self, parts: Parts) -> ast.RowLabel:
        path, _, text, closer = parts
        return self._label(path, self.text_of(text), None, closer)

    def label_axis_size(self, parts: Parts) -> ast.RowLabel:
        path, _, text, _, size, closer = parts
        return self._label(path, self.text_of(text), size, closer)

    def label_record(self, parts: Parts) -> ast.RowLabel:
        path, _, record, closer = parts
        return self._label(path, None, record, closer)

    def _label(
        self, path: Parts, cell: ast.Ident | ast.StringLit | None, of: ast.TypeExpr | ast.Expr | None, closer: Any
    ) -> ast.RowLabel:
        return ast.RowLabel(tuple(path), cell, of, Span(self.source, path[0].span.start, closer.end_pos))

    # ------------------------------------------------------------ patterns

    def pattern_name(self, parts: Parts) -> ast.Pattern:
        token = parts[0]
        if token.value == "_":
            return ast.WildcardPattern(self.at(token))
        return ast.NamePattern(token.value, self.at(token))

    def pattern_group(self, parts: Parts) -> ast.Pattern:
        inner: ast.Pattern = parts[1]
        self.report(errors.pattern_of_one(self.across(parts), inner.span))
        return inner

    def pattern_tuple_one(self, parts: Parts) -> ast.Pattern:
        return ast.TuplePattern((parts[1],), self.across(parts))

    def pattern_tuple(self, parts: Parts) -> ast.Pattern:
        return ast.TuplePattern((parts[1], *parts[3]), self.across(parts))

    def part(self, parts: Parts) -> tuple[ast.Pattern, ast.TypeExpr | None]:
        pattern, type_ = parts
        return pattern, type_

    def binder_tuple_one(self, parts: Parts) -> ast.Pattern:
        return self._binder((parts[1],), parts)

    def binder_tuple(self, parts: Parts) -> ast.Pattern:
        return self._binder((parts[1], *parts[3]), parts)

    def _binder(self, inside: tuple[tuple[ast.Pattern, ast.TypeExpr | None], ...], parts: Parts) -> ast.Pattern:
        patterns, types = zip(*inside, strict=True)
        return ast.TuplePattern(patterns, self.across(parts), types if any(types) else ())

    def pattern_open(self, parts: Parts) -> ast.Pattern:
        first, _, rest = parts
        return ast.TuplePattern((first, *rest), first.span.to(rest[-1].span))

    def arm_path(self, parts: Parts) -> ast.Pattern:
        path = parts[0]
        span = path[0].span.to(path[-1].span)
        if len(path) > 1:
            return ast.VariantPattern(tuple(path), (), span)
        if path[0].name == "_":
            return ast.WildcardPattern(span)
        if path[0].name in errors.PYTHON_CONSTANTS:
            self.report(errors.python_word(span, path[0].name, path[0].name.lower()))
        return ast.NamePattern(path[0].name, span)

    def arm_variant_empty(self, parts: Parts) -> ast.Pattern:
        return self.arm_variant([parts[0], parts[1], (), parts[2]])

    def arm_variant(self, parts: Parts) -> ast.Pattern:
        path, _, inner, closer = parts
        span = Span(self.source, path[0].span.start, closer.end_pos)
        return ast.VariantPattern(tuple(path), tuple(inner), span)

    def arm_number(self, parts: Parts) -> ast.Pattern:
        span = self.at(parts[0])
        return ast.LiteralPattern(decode_number(parts[0].value, span, self.report), span)

    def arm_signed(self, parts: Parts) -> ast.Pattern:
        sign, number = parts
        value = decode_number(number.value, self.at(number), self.report)
        if sign.value == "~":
            self.report(errors.sign_in_pattern(self.at(sign)))
        return ast.LiteralPattern(-value if sign.value == "-" else value, self.across(parts))

    def arm_string(self, parts: Parts) -> ast.Pattern:
        text = self.text_of(parts[0])
        return ast.LiteralPattern(text.value, text.span)

    def arm_word(self, parts: Parts) -> ast.Pattern:
        value = {"TRUE": True, "FALSE": False, "NONE": None}[parts[0].type]
        return ast.LiteralPattern(value, self.at(parts[0]))

    def lambda_one(self, parts: Parts) -> tuple[ast.LambdaParam, ...]:
        return (ast.LambdaParam(self.pattern_name(parts), None, self.at(parts[0])),)

    def lambda_none(self, parts: Parts) -> tuple[ast.LambdaParam, ...]:
        return ()

    def lambda_param(self, parts: Parts) -> ast.LambdaParam:
        pattern, annotation = parts
        last = pattern if annotation is None else annotation
        return ast.LambdaParam(pattern, annotation, pattern.span.to(last.span))


def _opened(node: ast.TypeExpr | TypeGroup) -> ast.TypeExpr:
    return node.open() if isinstance(node, TypeGroup) else node
