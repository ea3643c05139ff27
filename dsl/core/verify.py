"""Checks a program in Core: what the checker promises to its readers.

Names are bound before use, calls give each parameter what it needs, types fit the expressions that have them as far as
that is cheap to see, and nothing is left of what was reported. Run over everything that tests check; a failure is a
bug of the checker. Read next: `text`.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from dsl.core import core
from dsl.core.walk import bound_names, scopes
from dsl.types.show import show_type
from dsl.types.type import LISTS, ErrorType, FunctionType, RecordType, TupleType, Type
from dsl.types.walk import children, distribute_axes, subtypes


class CoreVerifyError(Exception):
    """Core that is not well formed, with one sentence that says where and why."""


def verify(program: core.Program, *names: str) -> None:
    """Raises `CoreVerifyError` at the first thing that is wrong in the modules of these names, in all by default."""
    for module in [program.modules[name] for name in names or program.modules]:
        for function in module.functions.values():
            _Verifier(program, f"{module.name}.{function.name}").function(function)
        for constant in module.constants.values():
            _Verifier(program, f"{module.name}.{constant.name}").expression(constant.value, frozenset())


class _Verifier(Struct, frozen=True):
    program: core.Program
    where: str

    def function(self, function: core.Function) -> None:
        params = function.signature.params
        bound: frozenset[int] = frozenset()
        for param in params:
            self._type(param.type, f"parameter {param.name}")
            if param.default is not None:
                self.expression(param.default, bound)
            bound = bound.union(binder.id for binder in param.binders())
        self._type(function.signature.result, "the result")
        self.expression(function.body, bound)

    def expression(self, node: core.Expr, bound: frozenset[int]) -> None:
        if isinstance(node, core.Local) and node.id not in bound:
            self._fail(node, f"the local {node.name} is used where it is not bound")
        if not isinstance(node, core.Intrinsic):  # the library says no type of one inside another
            self._type(node.type, type(node).__name__)
        for problem in self._problems(node):
            self._fail(node, problem)
        for patterns, child in scopes(node):
            inside = [name.id for pattern in patterns for name in bound_names(pattern)]
            self.expression(child, bound.union(inside) if inside else bound)

    def _type(self, type_: Type, what: str) -> None:
        if any(isinstance(part, ErrorType) for part in subtypes(type_)):
            raise CoreVerifyError(f"{self.where}: the type of {what} was reported: {show_type(type_)}")

    def _fail(self, node: core.Expr, problem: str) -> None:
        raise CoreVerifyError(f"{self.where}, {type(node).__name__} `{node.span.text[:40]}`: {problem}")

    # ------------------------------------------------------------ one expression

    def _problems(self, node: core.Expr) -> Iterator[str]:
        match node:
            case core.Global(module=module, name=name):
                if self._declared(module, name) is None:
                    yield f"nothing is declared as {module}.{name}"
            case core.Apply():
                yield from self._call(node)
            case core.Specialise(function=core.Lambda(instances=instances), instance=instance):
                if not 0 <= instance < len(instances):
                    yield f"the lambda has no instance {instance}"
            case core.Lambda():
                if not isinstance(node.type, FunctionType):
                    yield f"a lambda of type {show_type(node.type)}"
            case core.Tuple(items=items):
                fits = isinstance(node.type, TupleType) and len(node.type.parts) == len(items)
                if not fits and node.type not in LISTS:
                    yield f"{len(items)} parts of type {show_type(node.type)}"
            case core.Record(fields=fields):
                names, whole = sorted(name for name, _ in fields), distribute_axes(node.type)
                if not isinstance(whole, RecordType) or [name for name, _ in whole.fields] != names:
                    yield f"fields {', '.join(names)} of type {show_type(node.type)}"
            case core.Project(base=base, index=index):
                if index >= len(children(distribute_axes(base.type))):
                    yield f"{show_type(base.type)} has no part {index}"
            case core.Select(base=base, field=name):
                whole = distribute_axes(base.type)
                if not isinstance(whole, RecordType) or whole.field(name) is None:
                    yield f"{show_type(base.type)} has no field {name}"
            case core.Unroll(kind=kind, carry=carry, steps=steps):
                if len(carry) != (0 if kind == "map" else len(steps)):
                    yield f"{len(carry)} carries for {len(steps)} steps"
            case _:
                return

    def _declared(self, module: str, name: str) -> core.Function | core.Constant | None:
        found = self.program.modules.get(module)
        return None if found is None else found.functions.get(name) or found.constants.get(name)

    def _call(self, node: core.Apply) -> Iterator[str]:
        if not isinstance(node.function, core.Global):
            return
        callee = self._declared(node.function.module, node.function.name)
        if not isinstance(callee, core.Function):
            return
        params = callee.signature.params
        if len(node.args) != len(params):
            yield f"{len(node.args)} arguments for the {len(params)} parameters of {callee.name}"
        for param, arg in zip(params, node.args, strict=False):
            if arg is None and param.default is None:
                yield f"nothing is given for {param.name} of {callee.name}, which has no default"
