"""Whether the rule of a `custom_jvp` is linear in its last argument, the tangents.

What is found is certain: a product of two tangents, a tangent in `exp` or a comparison, a number added to one. What
this cannot see into is left to the transformation itself, which refuses what it cannot transpose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsl.core import core
from dsl.core.static_math import STATIC
from dsl.core.walk import children
from typechecker.declarations.attributes import Attribute
from typechecker.declarations.entities import Definition
from typechecker.declarations.program_checker import PRELUDE, ProgramChecker

_PRODUCTS = frozenset({"dot", "matmul", "einsum", "tensordot"})
"""Those that no signature can state."""
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_DEPTH = 20


class _NotLinear(Exception):
    """Found: the expression that is not linear."""

    def __init__(self, at: core.Expr) -> None:
        super().__init__()
        self.at = at


def nonlinear_part(program: ProgramChecker, function: core.Expr) -> core.Expr | None:
    """The part of a rule that is certainly not linear in its last argument, or None."""
    body = _body_of(program, function, 0)
    if body is None:
        return None
    params, expr = body
    env: dict[int, bool] = {}
    for i, pattern in enumerate(params):
        _bind(env, pattern, i == len(params) - 1)
    try:
        _Degree(program, 0).of(expr, env)
    except _NotLinear as found:
        return found.at
    return None


def _body_of(
    program: ProgramChecker, function: core.Expr, instance: int | None
) -> tuple[Sequence[core.Pattern], core.Expr] | None:
    match function:
        case core.Specialise(function=inner, instance=number):
            return _body_of(program, inner, number)
        case core.Lambda(instances=instances) if instances:
            found = instances[instance or 0]
            return found.params, found.body
        case core.Global(module=module, name=name) if module != PRELUDE:
            callee = program.checked(module, name)
            if callee is None:
                return None
            return tuple(core.Bind(p.id, p.name) for p in callee.signature.params), callee.body
        case _:
            return None


def _bind(env: dict[int, bool], pattern: core.Pattern, linear: bool) -> None:
    match pattern:
        case core.Bind(id=id):
            env[id] = linear
        case core.Split(parts=inner) | core.IsVariant(parts=inner):
            for part in inner:
                _bind(env, part, linear)
        case _:
            return


class _Degree:
    """Whether expressions depend on the tangent; raises at what depends on it otherwise than linearly."""

    def __init__(self, program: ProgramChecker, depth: int) -> None:
        self.program = program
        self.depth = depth

    def of(self, node: core.Expr, env: Mapping[int, bool]) -> bool:
        match node:
            case core.Local(id=id):
                return env.get(id, False)
            case core.Binary(op=op, left=left, right=right):
                return self._binary(node, op, left, right, env)
            case core.Apply():
                return self._apply(node, env)
            case core.Intrinsic(name=name, args=args):
                return self._stated(node, name, self.program.modules[PRELUDE].primitives.get(name), args, env)
            case core.If(condition=condition, then=then, orelse=orelse):
                if self.of(condition, env):
                    raise _NotLinear(condition)
                return self.of(then, env) | self.of(orelse, env)
            case core.Sequence(statements=statements, result=result):
                return self._sequence(statements, result, env)
            case core.Lambda():
                return False
            case _:
                return max([self.of(p, env) for p in children(node)], default=False)

    def _sequence(self, statements: Sequence[core.Statement], result: core.Expr, env: Mapping[int, bool]) -> bool:
        inner = dict(env)
        for statement in statements:
            degree = self.of(statement.value, inner)
            if isinstance(statement, core.Bound):
                self._bind_value(inner, statement.pattern, statement.value, degree)
        return self.of(result, inner)

    def _bind_value(self, env: dict[int, bool], pattern: core.Pattern, value: core.Expr, degree: bool) -> None:
        if isinstance(pattern, core.Split) and isinstance(value, core.Tuple):
            for part, item in zip(pattern.parts, value.items, strict=False):
                self._bind_value(env, part, item, self.of(item, env))
        else:
            _bind(env, pattern, degree)

    def _binary(self, node: core.Expr, op: str, left: core.Expr, right: core.Expr, env: Mapping[int, bool]) -> bool:
        a, b = self.of(left, env), self.of(right, env)
        if not (a or b):
            return False
        wrong = (
            op in _COMPARISONS
            or op in ("**", "//", "%")
            or (op in ("*", "@") and a and b)
            or (op == "/" and b)
            or (op in ("+", "-") and a != b and _is_number(right if a else left))
        )
        if wrong:
            raise _NotLinear(node)
        return True

    def _apply(self, node: core.Apply, env: Mapping[int, bool]) -> bool:
        if isinstance(node.function, core.Global) and node.function.module == PRELUDE:
            info = self.program.modules[PRELUDE].definitions[node.function.name]
            return self._stated(node, info.static_math or info.name, info, node.args, env)
        args = tuple(a for a in node.args if a is not None)
        degrees = [self.of(a, env) for a in args]
        body = _body_of(self.program, node.function, node.instance)
        if body is None or self.depth >= _DEPTH or not any(degrees):
            return any(degrees)
        inner = dict(env)
        for pattern, arg, degree in zip(body[0], args, degrees, strict=False):
            self._bind_value(inner, pattern, arg, degree)
        return _Degree(self.program, self.depth + 1).of(body[1], inner)

    def _stated(
        self,
        node: core.Expr,
        name: str,
        info: Definition | None,
        args: Sequence[core.Expr | None],
        env: Mapping[int, bool],
    ) -> bool:
        """A function of the library, by what its text says of it."""
        degrees = [a is not None and self.of(a, env) for a in args]
        if not any(degrees):
            return False
        attributes = {} if info is None else info.attributes
        linear = attributes.get(Attribute.LINEAR)
        product = Attribute.MULTILINEAR in attributes or name in _PRODUCTS
        if info is not None and linear is not None:
            wrong = any(d and p.name.name not in linear for p, d in zip(info.node.params, degrees, strict=False))
        else:
            wrong = name in STATIC or (product and sum(degrees) > 1)
        if wrong:
            raise _NotLinear(node)
        return True


def _is_number(node: core.Expr) -> bool:
    """A number written down that is not 0."""
    while isinstance(node, core.Coerce | core.Convert):
        node = node.value
    return isinstance(node, core.Const) and isinstance(node.value, int | float | complex) and node.value != 0
