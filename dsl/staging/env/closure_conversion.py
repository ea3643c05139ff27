"""Bodies: closing what was staged over the outer values it mentions, and putting closed IR into another
body.

While a body is staged it refers to vars of the enclosing one freely. `close` makes those captures
parameters. Knows nothing of Core.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.sizes import Resized, as_extent, decided_in, traced_axes
from dsl.records import replace
from dsl.types.size import Size, SizeVar


def close(
    b: Builder, name: str, results: Sequence[Atom], replace: Mapping[Var, Atom] | None = None
) -> tuple[Function, tuple[Atom, ...]]:
    """The body in `b` as a closed function: parameters for the captures first, then those of `b`; and the
    captures.

    `replace` puts an outer atom in the place of a parameter of `b` that turned out to be no parameter.
    """
    bound: set[Atom] = set(b.params)
    renamed: dict[Var, Atom] = {}
    captured: dict[Var, Var] = {}
    if replace:
        bound.difference_update(replace)

    def outer(var: Var) -> Atom:
        target = replace.get(var, var) if replace else var
        if not isinstance(target, Var):
            return target
        inner = captured.get(target)
        if inner is None:
            inner = captured[target] = Var(target.type)
        return inner

    equations: list[Equation] = []
    for equation in b.equations:
        changed = False
        for x in equation.inputs:
            if type(x) is Var and x not in bound:
                changed = True
                if x not in renamed:
                    renamed[x] = outer(x)
        equations.append(_renamed(equation, renamed) if changed else equation)
        bound.update(equation.outputs)
    finals: list[Atom] = []
    for x in results:
        if type(x) is Var and x not in bound:
            x = renamed.setdefault(x, outer(x))
        finals.append(x)
    own = [p for p in b.params if not replace or p not in replace]
    return Function(name, (*captured.values(), *own), tuple(equations), tuple(finals)), tuple(captured)


def _with_own_sizes(function: Function, inputs: Sequence[Atom], numbers: Iterator[int]) -> Function:
    decided = decided_in(function)
    if not decided and not any(traced_axes(param.type) for param in function.params):
        return function
    known: dict[SizeVar, Size] = {}
    for param, x in zip(function.params, inputs, strict=True):
        for axis in traced_axes(param.type):
            var, size = cast("Size", param.type.shape[axis]).as_atom(), cast("Size", x.type.shape[axis])
            if isinstance(var, SizeVar):
                known[var] = size
    for var in sorted(decided - known.keys(), key=lambda var: var.id):
        known[var] = Size.of(replace(var, id=next(numbers)))
    return Resized(lambda size: as_extent(size.substitute(known))).function(function)


def _renamed(equation: Equation, names: Mapping[Var, Atom]) -> Equation:
    inputs = tuple([names.get(x, x) if type(x) is Var else x for x in equation.inputs])
    return Equation(equation.op, equation.params, inputs, equation.outputs, equation.span)


def inline(b: Builder, function: Function, inputs: Sequence[Atom], sizes: Iterator[int]) -> tuple[Atom, ...]:
    """The equations of `function` on these inputs, with fresh vars, and what its results have become. Sizes that it
    decides get new numbers, since it may stand here twice; all others are those of the inputs and of the place."""
    function = _with_own_sizes(function, inputs, sizes)
    names: dict[Var, Atom] = dict(zip(function.params, inputs, strict=True))
    append = b.equations.append
    for equation in function.equations:
        outputs = tuple([Var(v.type) for v in equation.outputs])
        names.update(zip(equation.outputs, outputs, strict=True))
        operands = tuple([names[x] if type(x) is Var else x for x in equation.inputs])
        append(Equation(equation.op, equation.params, operands, outputs, equation.span or b.span))
    return tuple([names[x] if isinstance(x, Var) else x for x in function.results])
