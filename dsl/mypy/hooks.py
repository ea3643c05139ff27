"""Hooks for files that mention a program: check it, type its names and calls, and report.

An error in a program is reported at the line of the Python string that it stands in. Read next: `programs`, `sizes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from mypy.checker import TypeChecker
from mypy.errorcodes import ErrorCode
from mypy.nodes import Context, Decorator, Expression, StrExpr
from mypy.plugin import AttributeContext, FunctionContext, MethodContext, MethodSigContext
from mypy.types import AnyType, FunctionLike, Instance, ProperType, TupleType, Type, TypeOfAny, get_proper_type

from dsl.core import core
from dsl.diagnostics.message import Diagnostic, Severity
from dsl.host.argument_errors import Problem
from dsl.host.programs.define import definition
from dsl.host.python_types.kinds import Kind, RecordKind, TupleKind, aliases_of, kind_of, without_axes
from dsl.mypy import source_file
from dsl.mypy.declarations import string_value
from dsl.mypy.definitions import Unknown, docstring, signature_of
from dsl.mypy.programs import FILE, LIBRARY, NAME, ORIGIN, check_file, check_text, mark, mark_instance, module_at
from dsl.mypy.sizes import Argument, Call
from dsl.mypy.types_of import call_type, instance, result_type

DSL = ErrorCode("dsl", "Programs of puredsl and calls of their functions", "puredsl")


def program(ctx: FunctionContext) -> Type:
    """`dsl.program("…")`: the program is checked, and its names are known from here on."""
    api, text = _checker(ctx), _written(ctx)
    if text is None:
        return ctx.default_return_type
    errors = _errors(check_text(text.value).diagnostics)
    first = _first_line(text, Path(api.path))
    for d in errors:
        _fail(api, _described(d), _at(first + _row(d), text))
    return _program(ctx, text.value, errors)


def load(ctx: FunctionContext) -> Type:
    """`dsl.load("model.dsl")`: what is wrong with the file is reported here, with its own place."""
    api, text = _checker(ctx), _written(ctx)
    path = None if text is None else source_file(text.value, api.path)
    if path is None:
        return ctx.default_return_type
    errors = _errors(check_file(path).diagnostics)
    for d in errors:
        _fail(
            api,
            f"{d.primary.span.source.name}:{d.primary.span.source.row(d.primary.span.start) + 1}: {_described(d)}",
            ctx.context,
        )
    return _program(ctx, f"{FILE}{path.resolve()}", errors)


def library_program(ctx: FunctionContext) -> Type:
    """`dsl.nn`: it is checked when one of its names is used."""
    text = _written(ctx)
    return ctx.default_return_type if text is None else _program(ctx, f"{LIBRARY}{text.value}", ())


def define(ctx: FunctionContext) -> Type:
    """`@dsl.define`: the docstring is checked as the body of the signature, for all sizes."""
    api, decorated = _checker(ctx), ctx.context
    text = docstring(decorated.func) if isinstance(decorated, Decorator) else None
    if not isinstance(decorated, Decorator) or text is None:
        return ctx.default_return_type
    function = decorated.func
    try:
        source = definition(function.name, signature_of(function, api.tree), text.value, {})
    except Unknown:
        return ctx.default_return_type
    except Problem as problem:
        _fail(api, f"{problem.message} [{problem.code}]", function)
        return AnyType(TypeOfAny.from_error)
    errors = _errors(check_text(source).diagnostics)
    blank = text.value[: len(text.value) - len(text.value.lstrip())].count("\n")
    for d in errors:
        _fail(api, _described(d), function if _row(d) == 0 else _at(text.line + blank + _row(d) - 1, text))
    default = get_proper_type(ctx.default_return_type)
    if errors or not isinstance(default, Instance):
        return AnyType(TypeOfAny.from_error)
    return mark_instance(default, ctx.api, **{ORIGIN: source, NAME: function.name})


def _program(ctx: FunctionContext, origin: str, errors: Sequence[Diagnostic]) -> Type:
    """The type of a program: with errors nothing is known of its names."""
    default = get_proper_type(ctx.default_return_type)
    if errors or not isinstance(default, Instance):
        return AnyType(TypeOfAny.from_error)
    return mark_instance(default, ctx.api, **{ORIGIN: origin})


def attribute(name: str, ctx: AttributeContext) -> Type:
    """`m.fit`, `m.width`, `m.Relu`: what the program has under a name."""
    origin = mark(ctx.type, ORIGIN)
    module = None if origin is None else module_at(origin)
    if origin is None or module is None:
        return ctx.default_attr_type
    api, functions = _checker(ctx), _public(module)
    if name in functions:
        function = instance("dsl.host.functions.function", "Function", api)
        return mark_instance(function, ctx.api, **{ORIGIN: origin, NAME: name})
    if name in module.constants:
        return result_type(kind_of(module.constants[name].type), api)
    if name in aliases_of(module):
        return AnyType(TypeOfAny.explicit)
    variants = [v.name for enum in module.enums.values() for v in enum.variants]
    if name in variants or name in module.enums:
        kind = "Variant" if name in variants else "Variants"
        return instance("dsl.host.results.variants", kind, api)
    near = get_close_matches(name, [*functions, *module.constants, *variants, *module.enums, *module.aliases], n=1)
    help = f"; did you mean `{near[0]}`?" if near else ""
    _fail(api, f"the program has no public `{name}`{help}", ctx.context)
    return AnyType(TypeOfAny.from_error)


def signature(ctx: MethodSigContext) -> FunctionLike:
    """The parameters of `m.fit`."""
    function = _function(ctx.type)
    if function is None:
        return ctx.default_signature
    return call_type(function, ctx.default_signature, _checker(ctx))


def result(ctx: MethodContext) -> Type:
    """Return the type of a call's result, if its sizes and fields fit for all sizes."""
    function = _function(ctx.type)
    if function is None:
        return ctx.default_return_type
    api, given = _checker(ctx), _arguments(ctx)
    call = Call(function, api)
    misfits = call.misfits(given)
    if misfits:
        _fail(api, "; ".join(f"{misfit.message} [{misfit.code}]" for misfit in misfits), ctx.context)
    return AnyType(TypeOfAny.from_error) if misfits else _result(function, call, given, api)


def _result(function: core.Function, call: Call, given: dict[str, Argument], api: TypeChecker) -> Type:
    """Arrays have the sizes of the caller; a record comes back in a container like the one that was given."""
    records = [(p, kind_of(p.type)) for p in function.signature.params if p.name in given]
    containers = {_fields(kind): given[p.name].type for p, kind in records if isinstance(kind, RecordKind)}

    def typed(kind: Kind) -> Type:
        container = containers.get(_fields(kind)) if isinstance(kind, RecordKind) else None
        return result_type(kind, api) if container is None else container

    match kind_of(call.sizes.resolved(function.signature.result)):
        case TupleKind(parts, every=False):
            fallback = api.named_generic_type("builtins.tuple", [AnyType(TypeOfAny.special_form)])
            return TupleType([typed(part) for part in parts], fallback)
        case kind:
            return typed(kind)


def _fields(record: RecordKind) -> tuple[tuple[str, Kind], ...]:
    """Return the fields that records with the same containers share."""
    return tuple([(name, without_axes(of)) for name, of in record.fields])


def _arguments(ctx: MethodContext) -> dict[str, Argument]:
    """By the name of the parameter."""
    found = zip(ctx.callee_arg_names, ctx.args, ctx.arg_types, strict=True)
    return {name: Argument(args[0], types[0]) for name, args, types in found if name is not None and args}


def _function(of: ProperType) -> core.Function | None:
    origin, name = mark(of, ORIGIN), mark(of, NAME)
    module = None if origin is None else module_at(origin)
    definitions = [] if module is None else [f for f in module.functions.values() if f.written_name == name]
    return definitions[0] if len(definitions) == 1 else None  # of several, the call chooses when it runs


def _public(module: core.Module) -> set[str]:
    return {f.written_name for f in module.functions.values() if f.public}


def _written(ctx: FunctionContext) -> StrExpr | None:
    """The text given alone: modules beside it are known when it runs."""
    if not ctx.args or len(ctx.args[0]) != 1 or any(ctx.args[1:]):
        return None
    return string_value(ctx.args[0][0], _checker(ctx).tree)


def _first_line(text: StrExpr, path: Path) -> int:
    """The line that a string begins in: the next one where a backslash ends the line of its quotes."""
    lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
    here = lines[text.line - 1].rstrip() if text.line <= len(lines) else ""
    return text.line + here.endswith(('"""\\', "'''\\"))


def _at(line: int, text: Expression) -> Context:
    """A place in a string that may be written with escapes."""
    place = Context(min(line, text.end_line or line), 0)
    place.end_line = place.line
    return place


def _errors(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [d for d in diagnostics if d.severity is Severity.ERROR]


def _row(d: Diagnostic) -> int:
    """The line of a diagnostic, from 0."""
    return d.primary.span.source.row(d.primary.span.start)


def _described(d: Diagnostic) -> str:
    detail = f": {d.primary.text}" if d.primary.text else ""
    return f"{d.message}{detail} [{d.code}]"


def _fail(api: TypeChecker, message: str, place: Context) -> None:
    api.fail(message, place, code=DSL)


def _checker(ctx: AttributeContext | FunctionContext | MethodContext | MethodSigContext) -> TypeChecker:
    assert isinstance(ctx.api, TypeChecker)
    return ctx.api
