"""Numbers with which a condition holds, and where they may be written; which of two operands of different dtypes is to
change: numbers and casts by the dtype of the other, what a loop starts with, a computation in a wider dtype."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types.facts import Prop, simplified, sizes_of
from dsl.types.limits import Exceeded
from dsl.types.shape import Substitution
from dsl.types.size import Mod, Size, SizeVar
from dsl.types.type import Element
from typechecker.errors.repairs.edits import integer
from typechecker.errors.repairs.trees import before, expressions, in_front, rewritten, tree_of, value_of, variables
from typechecker.errors.repairs.trial import definition_around, first_that_mends, mends, offers
from typechecker.errors.words import bare, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Known
    from typechecker.relations.coercion import Why
    from typechecker.types.instance import Instance


_LARGEST = 1 << 16
"""Numbers up to which others are looked for."""
_BEYOND = 8
"""So many numbers on one side of a bound meet the condition, and as many on the other do not: one that comes and goes,
as `even(n)`, has no bound."""


def numbers_that_fit(ctx: Context, prop: Prop, instance: Instance, span: Span) -> Iterator[Help]:
    """Yield the sizes that a call's literals must have: divisors, or the nearest value of each."""
    divisors = _that_divide(prop, instance)
    values = {var: instance.size(Size.of(var)) for size in sizes_of(prop) for var in sorted(size.vars(), key=str)}
    if divisors is not None:
        yield Help(divisors)
    elif all(size.constant is not None for size in values.values()):
        for var, size in values.items():
            others = Substitution({other: own for other, own in values.items() if other is not var})
            yield from _that_fits(ctx, simplified(others.prop(prop)), var, size.evaluate({}), span)


def _that_fits(ctx: Context, prop: Prop, var: SizeVar, value: int, span: Span) -> Iterator[Help]:
    nearest = _nearest(prop, var, value)
    if nearest is not None:
        bound = f"`{var}` is {value} here, and must be at {'least' if nearest > value else 'most'} {nearest}"
        places = _with_number(ctx, str(value), str(nearest), span)
        place, edit = next(((place, edit) for place, edit in places if mends(ctx, (edit,))), (span, None))
        shown = "" if edit is None else f": for example `{rewritten(place, edit)}`"
        yield Help(f"{bound}{shown}", () if edit is None else (edit,))


def _nearest(prop: Prop, var: SizeVar, value: int) -> int | None:
    """The first value above, or the last one below, from which on a condition holds."""

    def met(number: int) -> bool:
        with suppress(Exceeded):
            return simplified(Substitution({var: Size.of(number)}).prop(prop)) == fa.Known(True)
        return False

    above = next((number for number in (_LARGEST, 0) if value < number and met(number)), None)
    if above is not None:
        nearest = _first(value, above, met)
        within, beyond = range(nearest, nearest + _BEYOND), range(max(0, nearest - _BEYOND), nearest)
    elif met(0):
        nearest = _first(0, value, lambda number: not met(number)) - 1
        within, beyond = range(max(0, nearest - _BEYOND + 1), nearest + 1), range(nearest + 1, nearest + _BEYOND)
    else:
        return None
    return nearest if all(map(met, within)) and not any(map(met, beyond)) else None


def _first(low: int, high: int, met: Callable[[int], bool]) -> int:
    """The first integer from `low` on with which a condition is met that stays so; `high`, if there is none before.
    Integers of any size: those of which a `range` tells the length have to fit into a word of the machine."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if met(middle) else (middle + 1, high)
    return low


def _with_number(ctx: Context, old: str, new: str, span: Span) -> Iterator[tuple[Span, Edit]]:
    """Another number in a call, or in the type of a parameter around it."""
    node = definition_around(ctx, span)
    for place in (span, *(param.span for param in (() if node is None else node.params))):
        for each in expressions(node):
            if integer(each) == int(old) and place.covers(each.span):
                yield place, Edit(each.span, new)


def _that_divide(prop: Prop, instance: Instance) -> str | None:
    """Of a number that leaves something over: the nearest ones that leave nothing."""
    atom = prop.left.as_atom() if isinstance(prop, fa.Eq) and isinstance(prop.left, Size) else None
    if not isinstance(prop, fa.Eq) or prop.right != Size.of(0) or not isinstance(atom, Mod):
        return None
    whole, part = [instance.size(size).constant for size in (atom.numerator, atom.denominator)]
    if whole is None or part is None or not 0 < part <= whole <= _LARGEST:
        return None
    if atom.denominator.constant is not None:
        below = whole - whole % part
        return f"{atom.numerator} must be a multiple of {part}: {below} and {below + part} are"
    below, above = [next(k for k in ks if whole % k == 0) for ks in (range(part, 0, -1), range(part, whole + 1))]
    return f"`{atom.denominator}` must divide {whole}: the nearest to {part} that do are {below} and {above}"


def holding(ctx: Context, element: Element, known: Known | None, why: Why) -> tuple[str | None, tuple[Edit, ...]]:
    """The smallest dtype that holds a number and what the other one holds, for the array that it meets."""
    number = known.constant if isinstance(known, Size) else None
    if number is None or not isinstance(element, dt.DType) or not element.is_integer:
        return None, ()
    low, high = dt.integer_range(element)
    numbers = f"choose a number from {low} to {high}"
    ranges = [(d, dt.integer_range(d)) for d in dt.INTEGERS]
    reached = [low, high, number, *_results(why, low, high, number)]
    fits = [d for d, (least, most) in ranges if least <= min(reached) and max(reached) <= most]
    if not fits:
        return f"{element.name} is the widest of its kind: {numbers}", ()
    dtype, sign = min(fits, key=lambda d: d.bits).name, ", which has a sign" if number < 0 <= low else ""
    meets = why.declared if why.kind == "operand" else None
    computed = None if meets is None else _computed_in(ctx, meets, dtype, element.name)
    if computed is not None:
        return f"{computed[0]}; or {numbers}", computed[1]
    other = "" if meets is None else snippet(meets)
    declared = f"cast it to `{dtype}`" if why.kind == "cast" else f"declare it `{dtype}`"
    return f"{numbers}, or {f'convert what it meets, `{dtype}({other})`' if other else declared}{sign}", ()


def _results(why: Why, low: int, high: int, number: int) -> list[int]:
    """The least and the greatest that a sum, a difference or a product with a number may be."""
    match why.name if why.kind == "operand" else "":
        case "+" | "-":
            return [low - abs(number), high + abs(number)]
        case "*":
            return [low * number, high * number]
        case _:
            return []


def _computed_in(ctx: Context, operand: Span, dtype: str, narrow: str) -> tuple[str, tuple[Edit, ...]] | None:
    """A name in a wider dtype from the line on in which it meets a number, and the result in the narrow one, where that
    mends the definition; in words, and as edits."""
    node = definition_around(ctx, operand)
    if node is None or not operand.text.isidentifier():
        return None
    let = f"let {operand.text} = {dtype}({operand.text})"
    value = value_of(node.body).span
    for last in (f"{narrow}({bare(value.text)})", value.text):
        edits = first_that_mends(ctx, [_with_line(node.body, value, operand, let, last)])
        if edits:
            back = "" if last == value.text else f", and the result back, `{last}`"
            return f"compute in {dtype}: `{let}`{back}", edits
    return None


def _with_line(body: ast.Expr, value: Span, operand: Span, line: str, last: str) -> tuple[Edit, ...]:
    """A line above the one that a place lies in, and another last line."""
    lines = [*(each.span for each in body.statements), value] if isinstance(body, ast.Block) else [value]
    above = next((each for each in lines if each.covers(operand)), value)
    indent, start = (before(above), "") if not before(above).strip() else ("    ", "\n    ")
    made = f"{start}{line}\n{indent}"
    if above == value:
        return (Edit(value, f"{made}{last}"),)
    return (in_front(above, made), Edit(value, last))


def _dtype_of_number(kind: str, element: Element) -> str | None:
    """The dtype that an array is converted to for such a number."""
    if kind == "float" and isinstance(element, dt.DType) and element.is_integer:
        return "f32"
    if kind == "complex" and isinstance(element, dt.DType) and element in dt.FLOATS:
        return f"c{2 * max(element.bits, 32)}"
    return None


def _other_converted(kind: str, element: Element, why: Why) -> tuple[Edit, ...]:
    """The other operand as one of a dtype that holds such numbers."""
    dtype = _dtype_of_number(kind, element)
    text = None if why.declared is None or why.kind != "operand" else snippet(why.declared)
    return () if dtype is None or why.declared is None or not text else replace_with(why.declared, f"{dtype}({text})")


def number_help(ctx: Context, kind: str, element: Element, value: str, why: Why, span: Span) -> str | list[Help] | None:
    if element is dt.BOOL:
        other = snippet(why.declared) if why.declared is not None and why.kind == "operand" else ""
        return f"convert the bools first: `i32({other})` and `f32({other})` map true to 1" if other else None
    edits, dtype = _other_converted(kind, element, why), _dtype_of_number(kind, element)
    if why.kind == "operand" and why.name == "^" and why.declared is not None:
        return f"a power is written `**`: `{span.text} ** {rewritten(why.declared, *edits)}`"
    number, _, fraction = value.partition(".")
    whole = kind == "float" and number.isdigit() and "." in value and not fraction.strip("0")
    if edits and why.declared is not None:
        written = [replace_with(span, number)] if whole and not mends(ctx, edits) else []
        if found := offers(ctx, "write an integer: `{}`", *written):
            return found
        return f"convert the other operand: `{rewritten(span.to(why.declared), *edits)}`"
    if whole:
        return f"write an integer: `{number}`"
    if kind == "float" and dtype is not None:
        return f"write an integer, or convert the array with `{dtype}(…)`: `{value}` stays a float"
    return None if dtype is None else f"convert the array that it meets: `{dtype}(…)`"


def of_narrower(ctx: Context, wide: Span, narrow: Span, into: str, name: str) -> Iterator[tuple[Edit, ...]]:
    """An operand of the dtype `into` as one of that of the other one, `name`: written so; what the other one starts as,
    where a loop carries it, of the dtype `into`."""
    node = definition_around(ctx, wide)
    if node is None:
        return
    written = [
        each for each in nodes(node) if isinstance(each, ast.Call | ast.If | ast.NumberLit) and each.span == wide
    ]
    edits = [edit for each in written for edit in _written(each, into, name)]
    if None not in edits:
        yield tuple([edit for edit in edits if edit is not None])
    loops: list[ast.Loop | ast.Iterate] = [*around(node, ast.Loop, narrow), *around(node, ast.Iterate, narrow)]
    for loop in loops:
        parts = loop.carry.parts if isinstance(loop.carry, ast.TuplePattern) else (loop.carry,)
        starts = loop.init.items if isinstance(loop.init, ast.TupleLit) else (loop.init,)
        found = [start for part, start in zip(parts, starts, strict=False) if part.span.text == narrow.text]
        for start in found if loop.carry_type is None else ():
            yield (Edit(start.span, _start(start, into)),)


def real_numbers(ctx: Context, place: Span) -> list[Help]:
    """Suggest real numbers for a complex one: the modulus below a power, otherwise the real part or the modulus."""
    node, text = definition_around(ctx, place), bare(place.text)
    powers = [n for n in nodes(node) if isinstance(n, ast.Binary) and n.op == "**" and n.span == place]
    for power in powers:
        modulus = replace_with(place, f"abs({bare(power.left.span.text)}) ** {power.right.span.text}")
        if found := offers(ctx, "the power of a modulus is `{}`", modulus):
            return found
    meant = (("real part", f"real({text})"), ("modulus", f"abs({text})")) if "\n" not in text else ()
    either = [offers(ctx, f"if the {what} is meant: `{{}}`", replace_with(place, written)) for what, written in meant]
    return [help for each in either for help in each]


def as_leaf(ctx: Context, place: Span) -> tuple[Edit, ...]:
    """An expression cast to the dtype of a leaf that it is computed of."""
    names = variables(tree_of(place))
    return first_that_mends(ctx, (replace_with(place, f"cast({bare(place.text)}, {name}.dtype)") for name in names))


def _written(node: ast.Expr, into: str, name: str) -> list[Edit | None]:
    """The numbers and casts that an expression chooses among, of the other dtype; None for one that cannot be."""
    match node:
        case ast.If(_, then, orelse):
            return [*_written(then, into, name), *_written(orelse, into, name)]
        case ast.NumberLit(float() as value) if value.is_integer() and dt.BY_NAME[name].is_integer:
            return [Edit(node.span, str(int(value)))]
        case ast.Call(ast.Name(cast) as function, (_,)) if cast == into:
            return [Edit(function.span, name)]
        case _:
            return [None]


def _start(node: ast.Expr, into: str) -> str:
    match node:
        case ast.NumberLit(int() as value) if dt.BY_NAME[into].is_float:
            return f"{value}.0"
        case ast.Call(ast.Name(cast), (argument,)) if cast in dt.BY_NAME:
            return f"{into}({argument.span.text})"
        case _:
            return f"{into}({node.span.text})"
