"""The direct parts of every Core expression, in the order in which they are evaluated.

Knows nothing of what repeats, branches or binds: a pass that cares treats those expressions itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dsl.core import core

Parts = Iterable[core.Expr | None]


def parts(node: core.Expr) -> Iterator[core.Expr]:
    """All expressions directly inside one."""
    return (part for part in _operands(node) if part is not None)


def within(node: core.Expr) -> Iterator[core.Expr]:
    """An expression and all inside it."""
    todo = [node]
    while todo:
        found = todo.pop()
        yield found
        todo.extend(parts(found))


def _operands(node: core.Expr) -> Parts:
    match node:
        case core.Const() | core.Local() | core.Global() | core.SizeOf() | core.ShapeOf() | core.DTypeOf():
            return ()
        case core.FreshKey() | core.ReadCell():
            return ()
        case core.ShapeList(items=spreads):
            return [i.value if isinstance(i, core.Spread) else i for i in spreads]
        case core.Binary(left=left, right=right) | core.Logical(left=left, right=right):
            return left, right
        case core.Unary(operand=value) | core.Convert(value=value) | core.Coerce(value=value):
            return (value,)
        case core.CheckIndex(value=value) | core.Checked(value=value) | core.WriteCell(value=value):
            return (value,)
        case core.Resume(value=value) | core.Project(base=value) | core.Select(base=value):
            return (value,)
        case core.Tuple(items=items) | core.Stack(items=items) | core.EnumValue(args=items):
            return items
        case core.Operation(args=items):
            return items
        case core.Record(fields=fields):
            return [value for _, value in fields]
        case core.Update(base=base, updates=updates):
            return base, *(value for _, value in updates)
        case core.Index(base=base, items=at, fill=fill):
            return base, *indices(at), fill
        case core.Scatter(base=base, items=at, value=value, mask=mask):
            return base, *indices(at), mask, value
        case core.Assert(condition=condition, message=message):
            return condition, message
        case core.Print(template=template, args=items):
            return template, *items
        case core.Intrinsic() | core.Apply() | core.Lambda() | core.Specialise():
            return _functions(node)
        case core.Transform() | core.TransformCall():
            return _functions(node)
        case _:
            return _control(node)


def _functions(node: core.Expr) -> Parts:
    match node:
        case core.Intrinsic(args=args, statics=statics):
            return *args, *(value for _, value in statics)
        case core.Apply(function=function, args=args):
            return function, *args
        case core.Lambda(instances=instances):
            return [instance.body for instance in instances]
        case core.Specialise(function=function):
            return (function,)
        case core.Transform(function=function, options=options):
            return function, *(value for _, value in options)
        case core.TransformCall(function=function, args=args, options=options):
            return function, *args, *(value for _, value in options)
        case _:
            return ()


def _control(node: core.Expr) -> Parts:
    match node:
        case core.Let(value=value, body=body):
            return value, body
        case core.Sequence(statements=statements, result=result):
            return *(s.value for s in statements), result
        case core.If(condition=condition, then=then, orelse=orelse):
            return condition, then, orelse
        case core.Match(subject=subject, arms=arms):
            return subject, *(body for _, body in arms)
        case core.Comprehension(clauses=clauses, body=body):
            return *(e for c in clauses for e in iterated(c.source)), body
        case core.Unroll(init=init, source=source, steps=steps):
            return init, *iterated(source), *(body for _, body in steps)
        case core.Loop(init=init, clause=clause, unroll=unroll, body=body):
            return init, *iterated(clause.source), unroll, body
        case core.Iterate(init=init, condition=condition, limit=limit, body=body):
            return init, limit, condition, body
        case core.HandleRng(key=key, body=body):
            return key, body
        case core.HandleCell(init=init, body=body):
            return init, body
        case core.HandleChecks(body=body):
            return (body,)
        case core.HandleUser(clauses=handlers, init=init, body=body):
            return init, body, *(clause.body for clause in handlers)
        case _:
            return ()


def indices(items: Iterable[core.Item]) -> Iterator[core.Expr]:
    """The expressions inside the items of an index."""
    for item in items:
        match item:
            case core.At(value=value):
                yield value
            case core.Range(start=start, stop=stop, step=step):
                yield from (e for e in (start, stop, step) if e is not None)
            case core.Window(start=first, step=step):
                yield first
                if step is not None:
                    yield step
            case core.NewAxis() | core.Rest():
                pass


def iterated(source: core.Iterable) -> Iterator[core.Expr]:
    """The expressions that a loop runs over."""
    match source:
        case core.Counting(start=start, stop=stop):
            yield start
            yield stop
        case core.Elements(value=value) | core.Unrolled(value=value):
            yield value
        case core.Zipped(parts=sources):
            for part in sources:
                yield from iterated(part)
        case core.Enumerated(of=of):
            yield from iterated(of)
