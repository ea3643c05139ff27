"""Makes the nodes of `ast`: one method per name behind `->` in `grammar.lark`.

A method is given the parts of its rule: tokens, and what other methods made. Spans are taken from the first
and the last part. A parenthesised expression is its inner node with the parentheses in its span.
Diagnostics that need only the node at hand are reported here; the words are in `errors`. Types, patterns
and declarations are made in `build_types`. Read next: `operators`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast, errors, operators
from dsl.syntax.build_types import TypeBuilder
from dsl.syntax.literals import decode_number
from dsl.syntax.tokens import Token

Parts: TypeAlias = "list[Any]"
"""The parts of one rule: tokens, nodes, and lists of them, in the order in which they were written."""

# A statement whose value may be `()`: whether it is, and performs something, is for the checker to say.
_MAY_BE_STATEMENT = (ast.Call, ast.With, ast.Match, ast.If, ast.Loop, ast.Iterate, ast.Pipe, ast.ErrorExpr)
_PYTHON_WORDS: Mapping[str, bool] = MappingProxyType({"True": True, "False": False})


class Builder(TypeBuilder):
    """The expressions and statements."""

    # ------------------------------------------------------------ atoms

    def data_size(self, parts: Parts) -> ast.Expr:
        """The name of a size that data decide has its mark in it: nothing else is called so."""
        mark, name = parts
        return ast.Name(f"?{name.value}", Span(self.source, mark.start_pos, name.end_pos))

    def name(self, parts: Parts) -> ast.Expr:
        token = parts[0]
        text = token.value
        span = Span(self.source, token.start_pos, token.end_pos)
        if text == "None":
            self.pythons.append(span)
            return ast.NoneLit(True, span)
        if text in _PYTHON_WORDS:
            self.report(errors.python_word(span, text, text.lower()))
            return ast.BoolLit(_PYTHON_WORDS[text], span)
        return ast.Name(text, span)

    def number(self, parts: Parts) -> ast.Expr:
        token = parts[0]
        span = Span(self.source, token.start_pos, token.end_pos)
        return ast.NumberLit(decode_number(token.value, span, self.report), span)

    def string(self, parts: Parts) -> ast.Expr:
        return self.text_of(parts[0])

    def boolean(self, parts: Parts) -> ast.Expr:
        return ast.BoolLit(parts[0].type == "TRUE", self.at(parts[0]))

    def none(self, parts: Parts) -> ast.Expr:
        return ast.NoneLit(False, self.at(parts[0]))

    def error(self, parts: Parts) -> ast.Expr:
        return ast.ErrorExpr(self.at(parts[0]))

    def group(self, parts: Parts) -> ast.Expr:
        inner: ast.Expr = parts[1]
        return replace(inner, span=self.across(parts))

    # ------------------------------------------------------------ containers

    def unit(self, parts: Parts) -> ast.Expr:
        return ast.TupleLit((), self.across(parts))

    def tuple_one(self, parts: Parts) -> ast.Expr:
        return ast.TupleLit((parts[1],), self.across(parts))

    def tuple_many(self, parts: Parts) -> ast.Expr:
        return ast.TupleLit((parts[1], *parts[3]), self.across(parts))

    def list_empty(self, parts: Parts) -> ast.Expr:
        return ast.ListLit((), self.across(parts))

    def list_literal(self, parts: Parts) -> ast.Expr:
        return ast.ListLit(tuple(parts[1]), self.across(parts))

    def comprehension(self, parts: Parts) -> ast.Expr:
        first = ast.ForClause(parts[3], parts[5], parts[3].span.to(parts[5].span))
        more = parts[7] if len(parts) > 7 else ()
        return ast.Comprehension(parts[1], (first, *more), self.across(parts))

    comprehension_more = comprehension

    def clause(self, parts: Parts) -> ast.ForClause:
        return ast.ForClause(parts[0], parts[2], parts[0].span.to(parts[2].span))

    def record_empty(self, parts: Parts) -> ast.Expr:
        return ast.RecordLit((), self.across(parts))

    def record(self, parts: Parts) -> ast.Expr:
        return ast.RecordLit(tuple(parts[1]), self.across(parts))

    def record_update(self, parts: Parts) -> ast.Expr:
        return ast.RecordUpdate(parts[1], tuple(parts[3]), self.across(parts))

    def update(self, parts: Parts) -> tuple[tuple[ast.Ident, ...], ast.Expr]:
        return tuple(parts[0]), parts[2]

    def splice(self, parts: Parts) -> ast.Splice:
        star, value = parts
        return ast.Splice(value, Span(self.source, star.start_pos, value.span.end))

    # ------------------------------------------------------------ postfix forms

    def call_empty(self, parts: Parts) -> ast.Expr:
        return ast.Call(parts[0], (), Span(self.source, parts[0].span.start, parts[2].end_pos))

    def call(self, parts: Parts) -> ast.Expr:
        function, _, args, closer = parts
        named = next((i for i, arg in enumerate(args) if arg.name is not None), len(args))
        behind = [arg.span for arg in args[named:] if arg.name is None]
        for place in behind:
            self.report(errors.positional_behind_named(place, args[named].span, place is behind[0]))
        return ast.Call(function, tuple(args), Span(self.source, function.span.start, closer.end_pos))

    def argument(self, parts: Parts) -> ast.Argument:
        return ast.Argument(None, parts[0], parts[0].span)

    def argument_named(self, parts: Parts) -> ast.Argument:
        name, _, value = parts
        span = Span(self.source, name.start_pos, value.span.end)
        return ast.Argument(self.ident(name), value, span)

    def argument_splice(self, parts: Parts) -> ast.Argument:
        inner = self.splice(parts)
        return ast.Argument(None, inner, inner.span)

    def index(self, parts: Parts) -> ast.Expr:
        base, _, items, closer = parts
        for item in items:
            if isinstance(item, ast.NoneLit) and item.python:
                self.pythons.remove(item.span)
        return ast.Index(base, tuple(items), Span(self.source, base.span.start, closer.end_pos))

    def ellipsis(self, parts: Parts) -> ast.EllipsisItem:
        return ast.EllipsisItem(self.at(parts[0]))

    def slice_plain(self, parts: Parts) -> ast.Slice:
        start, colon, stop = parts[:3]
        step = parts[4] if len(parts) > 3 else None
        first = colon.start_pos if start is None else start.span.start
        last = colon.end_pos if stop is None else stop.span.end
        if len(parts) > 3:
            last = parts[3].end_pos if step is None else step.span.end
        return ast.Slice(start, stop, step, Span(self.source, first, last))

    slice_step = slice_plain

    def field(self, parts: Parts) -> ast.Expr:
        base, _, name = parts
        return ast.Field(base, self.ident(name), Span(self.source, base.span.start, name.end_pos))

    def tuple_item(self, parts: Parts) -> ast.Expr:
        base, _, digits = parts
        span = Span(self.source, base.span.start, digits.end_pos)
        position = decode_number(digits.value, self.at(digits), self.report)
        return ast.TupleItem(base, position if isinstance(position, int) else 0, span)

    # ------------------------------------------------------------ operators

    def prefixed(self, parts: Parts) -> list[operators.Item]:
        token, operand = parts
        sign = operators.Operator(token.value, token.start_pos, token.end_pos, True)
        if not isinstance(operand, list):
            return [operand, sign]
        operand.append(sign)  # kept backwards, so that a long row of signs costs no copying
        return operand

    def chain_more(self, parts: Parts) -> Parts:
        items: Parts = parts[0]
        items.append(parts[1])
        items.append(parts[2])
        return items

    def chain_without(self, parts: Parts) -> Parts:
        chain, word, within, operand = parts
        return self.chain_more([chain, Token(within.type, "not in", word.start_pos, within.end_pos), operand])

    def chain(self, parts: Parts) -> ast.Expr:
        items = parts[0]
        first = items[0]
        if len(items) == 1 and not isinstance(first, list):
            node: ast.Expr = first
            return node
        if len(items) == 3 and not isinstance(first, list) and not isinstance(items[2], list):
            return operators.simple(first, items[1].value, items[2], self.source)
        flat: list[operators.Item] = []
        for item in items:
            if isinstance(item, list):
                flat.extend(reversed(item))
            elif isinstance(item, Token):
                flat.append(operators.Operator(item.value, item.start_pos, item.end_pos, False))
            else:
                flat.append(item)
        return operators.group(flat, self.source, self.report)

    def pipe(self, parts: Parts) -> ast.Expr:
        value, _, function = parts
        return ast.Pipe(value, function, value.span.to(function.span))

    def pipe_chain(self, parts: Parts) -> ast.Expr:
        return self.pipe([parts[0], parts[1], self.chain(parts[2:])])

    # ------------------------------------------------------------ tail forms

    def lambda_expr(self, parts: Parts) -> ast.Expr:
        return ast.Lambda(tuple(parts[1]), parts[3], self.from_token(parts[0], parts[3]))

    def if_expr(self, parts: Parts) -> ast.Expr:
        return ast.If(parts[1], parts[3], parts[5], self.from_token(parts[0], parts[5]))

    def match_expr(self, parts: Parts) -> ast.Expr:
        arms = tuple(arm for arm in parts[4] if arm is not None)
        last = arms[-1].span.end if arms else parts[3].end_pos
        return ast.Match(parts[1], arms, Span(self.source, parts[0].start_pos, last))

    def arm(self, parts: Parts) -> ast.Arm:
        return ast.Arm(parts[0], parts[2], parts[0].span.to(parts[2].span))

    def arm_error(self, parts: Parts) -> None:
        return None

    def loop(self, parts: Parts) -> ast.Expr:
        word, carry, carry_type, _, init, _, pattern, _, iterable, reverse, unroll, _, body = parts
        clause = ast.ForClause(pattern, iterable, pattern.span.to(iterable.span))
        span = self.from_token(word, body)
        kind = word.value
        return ast.Loop(kind, carry, carry_type, init, clause, reverse is not None, unroll, body, span)

    def unroll(self, parts: Parts) -> ast.Expr:
        return self.number(parts[1:])

    def iterate(self, parts: Parts) -> ast.Expr:
        word, carry, carry_type, _, init, _, condition, limit, _, body = parts
        span = self.from_token(word, body)
        return ast.Iterate(carry, carry_type, init, condition, limit, body, span)

    def with_expr(self, parts: Parts) -> ast.Expr:
        return ast.With(parts[1], parts[3], self.from_token(parts[0], parts[3]))

    def handler_rng(self, parts: Parts) -> ast.Handler:
        return ast.RngHandler(parts[2], self.across(parts))

    def handler_state(self, parts: Parts) -> ast.StateHandler:
        word, name, annotation, _, init = parts
        return ast.StateHandler(self.ident(name), annotation, init, self.from_token(word, init))

    def handler_accum(self, parts: Parts) -> ast.Handler:
        word, name, _, annotation = parts
        return ast.AccumHandler(self.ident(name), annotation, self.from_token(word, annotation))

    def handler_checks(self, parts: Parts) -> ast.Handler:
        return ast.ChecksHandler(self.at(parts[0]))

    def handler_user(self, parts: Parts) -> ast.Handler:
        clauses = tuple(part for part in parts[1] if isinstance(part, ast.HandlerClause))
        after = [part for part in parts[1] if not isinstance(part, ast.HandlerClause)]
        if after and (len(after) > 1 or parts[1][-1] is not after[0]):
            self.report(errors.handler_state_last(after[0].span))
        last = after[0] if after else None
        state = last if isinstance(last, ast.StateHandler) else None
        record = last if isinstance(last, ast.Collected) else None
        return ast.UserHandler(clauses, state, self.from_token(parts[0], parts[1][-1]), record)

    def handler_record(self, parts: Parts) -> ast.Collected:
        return ast.Collected(self.at(parts[0]))

    def handler_scope(self, parts: Parts) -> ast.Handler:
        return ast.ScopeHandler(parts[2], self.across(parts))

    def handler_clause_empty(self, parts: Parts) -> ast.HandlerClause:
        path, _, _, _, body = parts
        return ast.HandlerClause(tuple(path), (), body, path[0].span.to(body.span))

    def handler_clause(self, parts: Parts) -> ast.HandlerClause:
        path, _, params, _, _, body = parts
        return ast.HandlerClause(tuple(path), tuple(params), body, path[0].span.to(body.span))

    def handler_clause_from(self, parts: Parts) -> ast.HandlerClause:
        path, _, params, _, _, name, _, record, _, body = parts
        source = ast.FieldOf(self.ident(name), record)
        return ast.HandlerClause(tuple(path), tuple(params), body, path[0].span.to(body.span), source)

    # ------------------------------------------------------------ blocks and statements

    def block(self, parts: Parts) -> ast.Expr:
        return self.block_of(parts[1])

    def script(self, parts: Parts) -> ast.Expr:
        return self.block_of(parts[0])

    def block_of(self, statements: Parts) -> ast.Expr:
        """A block from its statements, the last of which must be an expression: its value."""
        *before, last = statements
        for at, statement in enumerate(before, start=1):
            if isinstance(statement, ast.ExprStatement):
                self.check_statement(statement.value, statements[at:])
        if isinstance(last, ast.ExprStatement):
            result = last.value
            self.check_result(result)
            if not before:
                return result
        else:
            before.append(last)
            if not _has_its_own_error(last):
                self.report(errors.block_without_value(last))
            result = ast.ErrorExpr(Span(self.source, last.span.end, last.span.end))
        return ast.Block(tuple(before), result, before[0].span.to(result.span))

    def check_statement(self, value: ast.Expr, below: Sequence[ast.Statement]) -> None:
        """An expression whose value is dropped, in front of others, is an error where no effect can be behind it."""
        word = errors.python_statement_word(value)
        if word is not None:
            self.report(errors.python_statement(value.span, word))
        elif not isinstance(value, _MAY_BE_STATEMENT):
            self.report(errors.dropped_value(value, below))

    def check_result(self, value: ast.Expr) -> None:
        word = errors.python_statement_word(value)
        if word is not None:
            self.report(errors.python_statement(value.span, word))

    def assert_plain(self, parts: Parts) -> ast.Statement:
        return ast.Assert(parts[1], None, self.from_token(parts[0], parts[1]))

    def assert_message(self, parts: Parts) -> ast.Statement:
        return ast.Assert(parts[1], parts[3], self.from_token(parts[0], parts[3]))

    def assignment(self, parts: Parts) -> ast.Statement:
        target, op, value = parts
        span = target.span.to(value.span)
        if isinstance(target, ast.Name) and op.type == "CELL_OP":
            cell = ast.Ident(target.name, target.span)
            return ast.CellWrite(cell, op.value, value, span)
        return ast.Assignment(target, op.value, value, span)

    def expr_statement(self, parts: Parts) -> ast.Statement:
        return ast.ExprStatement(parts[0], parts[0].span)

    def let(self, parts: Parts) -> ast.Let:
        word, pattern, annotation, _, value = parts
        return ast.Let(pattern, annotation, value, None, self.from_token(word, value))


def _has_its_own_error(last: ast.Statement) -> bool:
    """An assignment is reported by the checker, a stand-in was reported where it was put in."""
    return isinstance(last, ast.Assignment) or (isinstance(last, ast.Let) and isinstance(last.value, ast.ErrorExpr))
