"""Core to IR: `stage` evaluates a definition for skeletons of its arguments.

What is left of the program is one first-order function for these types and static values. The table
says which module evaluates which expression. Read next: `stager`, then `call`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from dsl.core import core
from dsl.core.application import Application
from dsl.diagnostics.source import Span
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops.ragged import length
from dsl.records import replace
from dsl.staging.calls import call, tree_map
from dsl.staging.calls.given_functions import as_checked
from dsl.staging.control import branches, comprehensions, loops
from dsl.staging.effects import perform
from dsl.staging.env.axes_of_keys import as_called_from_python
from dsl.staging.env.closure_conversion import close
from dsl.staging.env.environment import Frame, Variables
from dsl.staging.env.keys import KeySource
from dsl.staging.env.stager import Handler, Session, Stager
from dsl.staging.errors import staging_error, too_large
from dsl.staging.expressions import arithmetic, structure
from dsl.staging.indexing import index, updates
from dsl.staging.intrinsics.table import EVERY
from dsl.staging.transforms import apply
from dsl.staging.transforms.differentiate import name_of
from dsl.staging.transforms.linear_map import flat, linear_map
from dsl.staging.transforms.refusals import refused
from dsl.staging.values import (
    ATOMS,
    Argument,
    DoesNotFit,
    Hidden,
    LinearMap,
    Missing,
    RecordValue,
    Site,
    Slot,
    TupleValue,
    Value,
    decided_sizes,
    definition_of,
    fill,
    leaves,
    skeleton,
    slot_types,
)
from dsl.types.dtype import U32
from dsl.types.limits import Exceeded
from dsl.types.process_settings import deep_recursion
from dsl.types.type import KeyType, RecordType, StackedType, TupleType, Type
from dsl.types.walk import subtypes

HANDLERS: Mapping[type, Handler] = MappingProxyType(
    {
        core.Const: structure.const,
        core.Local: structure.local,
        core.Global: structure.global_,
        core.SizeOf: structure.size_of,
        core.ShapeOf: structure.shape_of,
        core.DTypeOf: structure.dtype_of,
        core.ShapeList: structure.shape_list,
        core.EnumValue: structure.enum_value,
        core.Binary: arithmetic.binary,
        core.Unary: arithmetic.unary,
        core.Convert: arithmetic.convert,
        core.Coerce: arithmetic.coerce,
        core.Intrinsic: call.intrinsic,
        core.Apply: call.apply,
        core.Lambda: structure.lambda_,
        core.Specialise: structure.specialise,
        core.Transform: apply.transform,
        core.TransformCall: apply.transform_call,
        core.MapLeaves: tree_map.map_leaves,
        core.FoldLeaves: tree_map.fold_leaves,
        core.Sequence: structure.sequence,
        core.Match: structure.match,
        core.Tuple: structure.tuple_,
        core.Project: structure.project,
        core.Record: structure.record,
        core.Select: structure.select,
        core.Update: structure.update,
        core.Stack: structure.stack,
        core.If: branches.if_,
        core.Logical: branches.logical,
        core.Loop: loops.loop,
        core.Iterate: loops.iterate,
        core.Unroll: loops.unroll,
        core.Comprehension: comprehensions.comprehension,
        core.Index: index.index,
        core.Scatter: updates.scatter,
        core.Opened: structure.opened,
        core.CheckIndex: perform.check_index,
        core.Assert: perform.assert_,
        core.Checked: perform.stage_checked,
        core.Print: perform.print_,
        core.FreshKey: perform.fresh_key,
        core.ReadCell: perform.read_cell,
        core.WriteCell: perform.write_cell,
        core.HandleRng: perform.handle_rng,
        core.HandleCell: perform.handle_cell,
        core.HandleChecks: perform.handle_checks,
        core.Operation: perform.operation,
        core.Resume: perform.resume,
        core.HandleUser: perform.handle_user,
        core.HandleScope: perform.handle_scope,
    }
)
INTRINSICS = MappingProxyType({**EVERY, "linear_map": linear_map, "flat": flat})
RECURSION = 100_000
"""Python frames for static recursion, which has a budget of its own."""


class Staged(Struct, frozen=True):
    """`function` takes the traced leaves of the arguments in order and gives those of the result, then how large the
    `decided_sizes` of `output` are; with `checks` its last result is an i32, 0 or the number of the site in `sites`
    that failed, counted from 1.
    """

    function: Function
    output: Value
    checks: bool
    sites: Sequence[Site]


def session(program: core.Program, marked: bool = False) -> Session:
    """Return a session that stagings of a program share; what is `marked` is for a debugger."""
    return Session(program, HANDLERS, INTRINSICS, call.apply_value, refused, marked=marked)


def stage(
    session: Session,
    function: Value,
    args: Sequence[Argument],
    span: Span,
    key: bool = False,
    hidden: Hidden = (),
    applied: Application | None = None,
) -> Staged:
    """`args` are skeletons (or static values), one per parameter of the function value; `hidden` says what no data
    among them tells, and `applied` what the functions among them are where they are called. With `key`, fresh keys are
    drawn from a key that is one more parameter, the last."""
    s = Stager(session)
    s.b.span = span
    given = [_filled(s.b, arg) for arg in args]
    if key:
        s.keys = (KeySource(s.b.param(Tensor(U32, (2,))), depth=1),)
    found = definition_of(function)
    if applied is not None and found is not None:
        given = as_checked(s, found.definition, given, applied)
    called = call.bind_hidden(as_called_from_python(function), hidden)
    staged = _evaluated(s, lambda: session.apply(s, called, given, span, None), name_of(function), span)
    if found is None:
        return staged
    signature = found.definition.signature
    output = mark_keys(staged.output, signature.result)
    return replace(staged, output=as_written(output, *[p.type for p in signature.params], signature.result))


def stage_constant(session: Session, constant: core.Constant) -> Staged:
    """A top-level `let`, as a function without parameters."""
    s, place = Stager(session), constant.value.span
    found = core.Global(place, constant.type, constant.module, constant.name)
    staged = _evaluated(s, lambda: s.eval(found, Frame(Variables({}), {})), constant.name, place)
    return replace(staged, output=as_written(staged.output, constant.type))


def _evaluated(s: Stager, evaluate: Callable[[], Value], name: str, span: Span) -> Staged:
    with s.session.turn, deep_recursion(RECURSION):
        s.session.forget()
        try:
            result = evaluate()
        except Exceeded as found:
            raise too_large(found, s.b.span or span, s.chain) from None
        except RecursionError:
            raise staging_error("E0503", "evaluation at compile time is nested too deeply", span) from None
        except DoesNotFit as problem:
            raise staging_error("E0304", str(problem), span) from None
    outputs = outputs_of(result)
    output = skeleton(result)
    outputs += [length(s.b, size) for size in decided_sizes(output)]
    if s.code is not None:
        outputs.append(s.code)
    body, captures = close(s.b, name, outputs)
    assert not captures, "a closed program captures nothing"
    return Staged(body, output, s.code is not None, s.session.sites)


def mark_keys(output: Value, type: Type) -> Value:
    """The skeleton of a result, with those leaves marked that are keys where a result of this type has its keys."""
    match output, type:
        case Slot(words), KeyType():
            return Slot(words, words.dtype == U32 and words.shape[-1:] == (2,))
        case TupleValue(parts), TupleType(types) if len(parts) == len(types):
            return TupleValue(tuple(map(mark_keys, parts, types)))
        case RecordValue(fields), RecordType(types) if [n for n, _ in fields] == sorted(n for n, _ in types):
            named = dict(types)
            return RecordValue(tuple([(name, mark_keys(part, named[name])) for name, part in fields]))
        case _, StackedType(element):
            return mark_keys(output, element)
        case _:
            return output


def as_written(output: Value, *types: Type) -> Value:
    """The skeleton of a result, with the fields of records in the order that types have, the last before others."""
    found = [kind for type in types for kind in subtypes(type, functions=True) if isinstance(kind, RecordType)]
    orders = {tuple([name for name, _ in kind.fields]): kind.order for kind in found}
    return _ordered(output, orders) if any(orders.values()) else output


def _ordered(output: Value, orders: Mapping[tuple[str, ...], tuple[str, ...]]) -> Value:
    match output:
        case TupleValue(parts):
            return TupleValue(tuple([_ordered(part, orders) for part in parts]))
        case RecordValue(fields):
            inner = tuple([(name, _ordered(part, orders)) for name, part in fields])
            return RecordValue(inner, orders.get(tuple([name for name, _ in fields]), ()))
        case _:
            return output


def outputs_of(result: Value) -> list[Atom]:
    """The traced leaves of a result, in order; of a linear map what it keeps."""
    found: list[Atom] = []
    for leaf in leaves(result):
        if isinstance(leaf, LinearMap):
            found.extend(leaf.residuals)
        elif isinstance(leaf, ATOMS):
            found.append(leaf)
    return found


def _filled(b: Builder, arg: Argument) -> Argument:
    if isinstance(arg, Missing):
        return arg
    return fill(arg, (b.param(type) for type in slot_types(arg)))
