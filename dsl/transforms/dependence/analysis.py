"""Which elements of the arguments of a linear function each element of its results depends on, for sizes and values at
hand.

Carrier: what is known of each var, a `Known` array or the `Sets` of columns of its elements; a var without an entry
does not depend on the arguments, and its value is not known. The rules are asked of the declarations of the ops, in
this order; each gives at least the columns that the derivative has, whatever the unknown values are:

- an op whose operands are all known is evaluated;
- an op that moves elements is evaluated on their numbers, and so is one whose transpose moves elements, such as a sum;
- an op of elements joins what its operands have at each place, but for factors that are known to be zero;
- a product whose other factor is small or mostly zero is evaluated with one element of that at a time;
- any other op is followed along the axes that its sharding keeps, which depend only on themselves;
- an op with bodies is followed as it says itself, such as step by step, or as a whole: each of its results may have the
  columns of all operands that it needs.

Knows no op. Read next: `colours`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from dsl.ir import columns as st
from dsl.ir.build import Builder
from dsl.ir.columns import Indices, Known, Sets, State, States
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ir.op import Factors, NotLinear, Op, RegionOp
from dsl.ir.region import Facts, Flags, Flowed
from dsl.records import replace
from dsl.transforms.transpose import transpose
from dsl.types.dtype import F64, DType

Array: TypeAlias = np.ndarray[Any, Any]
TAPS = 4096
"""How many elements of a factor are tried one by one, ..."""
TRIED = 1 << 24
"""... and how many elements of results are computed by that, at most."""


Env: TypeAlias = "dict[Var, State]"


def known_results(function: Function, given: Sequence[Array | None]) -> list[Array | None]:
    """The results of a function that follow from those of its arguments that are known; None for the others."""
    found = _followed(function, tuple([None if x is None else Known(x) for x in given]))
    return [x.array if isinstance(x, Known) else None for x in found]


def dependences(function: Function, given: Sequence[State]) -> list[Sets]:
    """The columns of each element of the results of a linear function, from what is known of its parameters."""
    found = _followed(function, tuple(given))
    return [x if isinstance(x, Sets) else st.empty(r.type.size) for x, r in zip(found, function.results, strict=True)]


def _followed(function: Function, given: States) -> States:
    env: Env = dict(zip(function.params, given, strict=True))
    for equation in function.equations:
        states = [_state(env, x) for x in equation.inputs]
        _put(env, equation, _after(equation, states))
    return tuple([_state(env, r) for r in function.results])


def _put(env: Env, equation: Equation, states: Sequence[State]) -> None:
    env.update(zip(equation.outputs, states, strict=True))


def _state(env: Env, x: Atom) -> State:
    if isinstance(x, Literal):
        return Known(np.broadcast_to(np.asarray(x.value, x.type.dtype.numpy), x.type.shape))
    return env[x]


def _after(equation: Equation, states: Sequence[State]) -> Sequence[State]:
    """Return the states of the results of an equation."""
    if isinstance(equation.op, RegionOp):
        return _inside(equation, states)
    if not any(isinstance(x, Sets) and not x.is_empty for x in states):
        return _evaluated(
            equation,
            [_zeros(e.type) if isinstance(x, Sets) else x for e, x in zip(equation.inputs, states, strict=True)],
        )
    return [
        _first_order(equation, k, states) if y.type.dtype.is_inexact else None for k, y in enumerate(equation.outputs)
    ]


def _zeros(type: Tensor) -> Known:
    return Known(np.zeros(type.shape, type.dtype.numpy))


# --- what is known -----------------------------------------------------------------------------------------


def _evaluated(equation: Equation, states: Sequence[State]) -> Sequence[State]:
    """The results where all operands are known. Ops that act on the host, or have bodies, are not run."""
    op = equation.op
    arrays = [x.array for x in states if isinstance(x, Known)]
    if len(arrays) < len(states) or not isinstance(op, Op) or op.effect is not None:
        return [None] * len(equation.outputs)
    try:
        return [Known(x) for x in op.evaluate(equation.params, tuple([x.type for x in equation.inputs]), *arrays)]
    except TypeError:
        return [None] * len(equation.outputs)


# --- ops without bodies ------------------------------------------------------------------------------------

Rule: TypeAlias = Callable[[Equation, int, Sequence[State]], "Sets | None"]


def _first_order(equation: Equation, place: int, states: Sequence[State]) -> Sets:
    """The columns of a result of an op without bodies: those of the first rule that applies."""
    rules: tuple[Rule, ...] = (_moved, _collected, _tapped) if _is_uniform(equation) else ()
    if len(equation.outputs) == 1:
        for rule in (_of_elements, *rules):
            found = rule(equation, place, states)
            if found is not None:
                return found
    return _by_factors(equation, place, states)


def _is_uniform(equation: Equation) -> bool:
    """Return whether all numbers are of one dtype, in the place of which the numbers of elements can be."""
    return len({x.type.dtype for x in (*equation.inputs, *equation.outputs) if x.type.dtype.is_inexact}) == 1


def _of_elements(equation: Equation, place: int, states: Sequence[State]) -> Sets | None:
    """An op of elements. What is multiplied by a zero that is known vanishes, and so does what is not selected."""
    op, out = equation.op, equation.outputs[place].type
    if not isinstance(op, Op) or not isinstance(op.sharding, str) or _chooses(equation, states):
        return None
    lost = np.zeros(out.size, np.bool_)
    for k in op.traits.multilinear:
        x = states[k]
        if isinstance(x, Known) and k < 2:
            lost |= np.broadcast_to(x.array == 0, out.shape).ravel()
    found = [_spread(x, e.type, out) for x, e in zip(states, equation.inputs, strict=True) if isinstance(x, Sets)]
    return st.without(st.union(found, out.size), lost)


def _chooses(equation: Equation, states: Sequence[State]) -> bool:
    """Return whether the op moves elements as operands that are not numbers say, all of which are known."""
    others = [x for x, e in zip(states, equation.inputs, strict=True) if not e.type.dtype.is_inexact]
    return bool(others) and all(isinstance(x, Known) for x in others) and _moves(equation)


def _spread(x: Sets, type: Tensor, out: Tensor) -> Sets:
    return x if type.shape == out.shape else st.taken(x, np.zeros(out.size, np.int64))


def _moves(equation: Equation) -> bool:
    op = equation.op
    return isinstance(op, Op) and op.traits.moves and not isinstance(op.transpose, NotLinear)


def _moved(equation: Equation, place: int, states: Sequence[State]) -> Sets | None:
    """An op that moves elements: their numbers, moved, say where each element of the result comes from."""
    if not _moves(equation):
        return None
    ids: list[Array | None] = []
    parts: list[Sets] = []
    first = 1
    for x, e in zip(states, equation.inputs, strict=True):
        if isinstance(x, Sets):
            ids.append(np.arange(first, first + e.type.size, dtype=np.float64).reshape(e.type.shape))
            parts.append(x)
            first += e.type.size
        else:
            ids.append(_without_columns(x, e.type))
    found = _numbers(equation, ids)
    if found is None:
        return None
    return st.taken(st.stacked(parts), found - 1)


def _without_columns(x: State, type: Tensor) -> Array | None:
    """An operand that has no columns: zeros for numbers, its value for all else, None where that is not known."""
    if type.dtype.is_inexact:
        return np.zeros(type.shape)
    return x.array if isinstance(x, Known) else None


def _numbers(equation: Equation, ids: Sequence[Array | None]) -> Indices | None:
    """The number in each element of the result of an op that is run on numbers; 0 where there is none."""
    arrays = [x for x in ids if x is not None]
    return _as_numbers(_run_on_numbers(equation, arrays)) if len(arrays) == len(ids) else None


def _as_numbers(found: Array | None) -> Indices | None:
    """The numbers of elements that an array of doubles holds, with any sign; None for another array."""
    return None if found is None or found.dtype != np.float64 else np.asarray(np.abs(found).astype(np.int64)).ravel()


def _run_on_numbers(equation: Equation, arrays: Sequence[Array]) -> Array | None:
    """The result of an op that is run on numbers of elements in the place of its numbers; None for one with bodies."""
    if not isinstance(equation.op, Op):
        return None
    (found,) = equation.op.evaluate(_params_on_numbers(equation), _types_on_numbers(equation), *arrays)
    return np.asarray(found)


def _params_on_numbers(equation: Equation) -> Any:
    """The params of an op that is run on numbers of elements, which are doubles."""
    dtype = getattr(equation.params, "dtype", None)
    return replace(equation.params, dtype=F64) if isinstance(dtype, DType) and dtype.is_inexact else equation.params


def _types_on_numbers(equation: Equation) -> tuple[Tensor, ...]:
    return tuple([Tensor(F64, x.type.shape) if x.type.dtype.is_inexact else x.type for x in equation.inputs])


def _collected(equation: Equation, place: int, states: Sequence[State]) -> Sets | None:
    """An op whose transpose moves elements, as the op itself adds them up: the numbers of the results, moved back, say
    where each element of an operand goes."""
    out = equation.outputs[place].type
    found: list[Sets] = []
    for k, x in enumerate(states):
        if isinstance(x, Sets):
            targets = _targets(equation, k, states)
            if targets is None:
                return None
            found.append(st.gathered(x, targets - 1, out.size))
    return st.union(found, out.size)


def _targets(equation: Equation, place: int, states: Sequence[State]) -> Indices | None:
    """The number of the element of the result that each element of an operand is added to; 0 for none."""
    op, out = equation.op, equation.outputs[0].type
    if not isinstance(op, Op) or isinstance(op.transpose, NotLinear):
        return None
    backward = _transposed(equation, place)
    if backward is None or not all(
        (_moves(each) and _is_uniform(each)) or not _reads(each) for each in backward.equations
    ):
        return None
    env: Env = {}
    ids = np.arange(1, out.size + 1, dtype=np.float64).reshape(out.shape)
    others = [
        _without_columns(None if isinstance(x, Sets) else x, e.type)
        for k, (x, e) in enumerate(zip(states, equation.inputs, strict=True))
        if k != place
    ]
    for p, x in zip(backward.params, [*others, ids], strict=True):
        env[p] = None if x is None else Known(x)
    for each in backward.equations:
        inputs = [_state(env, x) for x in each.inputs]
        _put(env, each, _evaluated_on_numbers(each, inputs))
    result = _state(env, backward.results[0])
    return _as_numbers(result.array) if isinstance(result, Known) else None


def _reads(equation: Equation) -> bool:
    """Return whether an equation reads floats, which are the numbers of elements here."""
    return any(x.type.dtype.is_inexact for x in equation.inputs)


def _evaluated_on_numbers(equation: Equation, states: Sequence[State]) -> Sequence[State]:
    arrays = [x.array for x in states if isinstance(x, Known)]
    if len(arrays) < len(states) or not isinstance(equation.op, Op):
        return [None] * len(equation.outputs)
    wide = [
        np.real(x).astype(np.float64) if e.type.dtype.is_inexact else x
        for x, e in zip(arrays, equation.inputs, strict=True)
    ]
    return [Known(x) for x in equation.op.evaluate(_params_on_numbers(equation), _types_on_numbers(equation), *wide)]


def _transposed(equation: Equation, place: int) -> Function | None:
    """The transpose of an equation in one operand: the other operands and a cotangent to its cotangent."""
    b = Builder()
    params = [b.param(x.type) for x in equation.inputs]
    order = [*(p for k, p in enumerate(params) if k != place), params[place]]
    outs = b.emit(equation.op, equation.params, params)
    function = Function("one", tuple(order), tuple(b.equations), outs)
    linear: Flags = tuple([p is params[place] for p in order])
    made = transpose(function, linear, (True,))
    return made.function if made.nonzero == (True,) else None


# --- products ----------------------------------------------------------------------------------------------


def _tapped(equation: Equation, place: int, states: Sequence[State]) -> Sets | None:
    """A product of two arrays, one of which does not depend on the arguments: with one element of that, which is 1, and
    zeros, each element of the result is one of the other operand."""
    op, out = equation.op, equation.outputs[place].type
    if not isinstance(op, Op) or len(op.traits.multilinear) != 2 or len(states) != 2:
        return None
    moving = [k for k in (0, 1) if isinstance(states[k], Sets)]
    if len(moving) != 1:
        return None
    k = moving[0]
    other, x = states[1 - k], states[k]
    taps = _taps(other, equation.inputs[1 - k].type)
    if taps is None or len(taps) * out.size > TRIED or not isinstance(x, Sets):
        return None
    found = [_through(equation, k, tap) for tap in taps]
    sure = [each for each in found if each is not None]
    return st.union([st.taken(x, each - 1) for each in sure], out.size) if len(sure) == len(found) else None


def _taps(other: State, type: Tensor) -> list[int] | None:
    """The places of a factor that may not be zero, if they are few."""
    if isinstance(other, Known):
        places = np.flatnonzero(other.array)
        return [int(p) for p in places] if len(places) <= TAPS else None
    return list(range(type.size)) if type.size <= TAPS else None


def _through(equation: Equation, place: int, tap: int) -> Indices | None:
    """The number of the element that each element of the result has, with a factor that is 1 at one place; None if it
    has several: for numbers above 0 that are added up, the square of the sum is not the sum of the squares."""
    types = [x.type for x in equation.inputs]
    one = np.zeros(types[1 - place].size)
    one[tap] = 1.0
    ids = np.arange(1, types[place].size + 1, dtype=np.float64).reshape(types[place].shape)
    runs = []
    for numbers in (ids, ids * ids):
        pair: list[Array] = [numbers, numbers]
        pair[1 - place] = one.reshape(types[1 - place].shape)
        runs.append(_run_on_numbers(equation, pair))
    once, squared = runs
    if once is None or squared is None or once.dtype != np.float64 or not np.array_equal(once * once, squared):
        return None
    return once.astype(np.int64).ravel()


# --- axes --------------------------------------------------------------------------------------------------


def _by_factors(equation: Equation, place: int, states: Sequence[State]) -> Sets:
    """Any op: along an axis that it may be partitioned by, each element of the result depends on the same part of the
    operands; along all others on the whole."""
    out = equation.outputs[place].type
    kept = list(_kept_axes(equation, place))
    found: list[Sets] = []
    for k, (x, e) in enumerate(zip(states, equation.inputs, strict=True)):
        if isinstance(x, Sets):
            axes = [(mine, theirs) for operand, mine, theirs in kept if operand == k]
            sizes = [e.type.shape[mine] for mine, _ in axes]
            groups = st.gathered(x, _place_along(e.type, [mine for mine, _ in axes]), prod(sizes))
            found.append(st.taken(groups, _place_along(out, [theirs for _, theirs in axes])))
    return st.union(found, out.size)


def _kept_axes(equation: Equation, place: int) -> Iterator[tuple[int, int, int]]:
    """Operands, an axis of theirs, and the axis of a result that runs along with it."""
    op, types = equation.op, tuple([x.type for x in equation.inputs])
    if not isinstance(op, Op) or isinstance(op.sharding, str):
        return
    factors: Factors = op.sharding(equation.params, types)
    partial = dict(factors.counts)
    out = equation.outputs[place].type
    for theirs, number in enumerate(factors.results[place]):
        for k, numbers in enumerate(factors.operands):
            if number is not None and number not in partial and number in numbers:
                mine = numbers.index(number)
                if types[k].shape[mine] == out.shape[theirs]:
                    yield k, mine, theirs


def _place_along(type: Tensor, axes: Sequence[int]) -> Indices:
    """The place of each element among all along some axes, in this order."""
    place = np.zeros(type.shape, np.int64)
    for axis in axes:
        shape = [n if k == axis else 1 for k, n in enumerate(type.shape)]
        place = place * type.shape[axis] + np.arange(type.shape[axis]).reshape(shape)
    return place.ravel()


# --- ops with bodies ---------------------------------------------------------------------------------------


def _inside(equation: Equation, states: Sequence[State]) -> Sequence[State]:
    """The columns of an op with bodies, element by element where it can be followed so; else of each value as a whole,
    as a set of bits."""
    op = equation.op
    assert isinstance(op, RegionOp)
    if op.follow is not None:
        found = op.follow(equation.params, tuple(states), _followed)
        if found is not None:
            return found
    facts = tuple([_bits(x) if isinstance(x, Sets) else 0 for x in states])
    _, bits = op.flow(equation.params, facts, _flowed)
    return [st.alike(_columns(each), y.type.size) for each, y in zip(bits, equation.outputs, strict=True)]


def _flowed(body: Function, facts: Facts) -> Flowed:
    """Follow a body: a result of an op may have the columns of any of its operands."""
    env: dict[Var, int] = dict(zip(body.params, facts, strict=True))
    for equation in body.equations:
        known = tuple([env[x] if isinstance(x, Var) else 0 for x in equation.inputs])
        if isinstance(equation.op, RegionOp):
            _, found = equation.op.flow(equation.params, known, _flowed)
        else:
            every = 0
            for each in known:
                every |= each
            found = tuple([every if y.type.dtype.is_inexact else 0 for y in equation.outputs])
        env.update(zip(equation.outputs, found, strict=True))
    return Flowed(body, tuple([env[r] if isinstance(r, Var) else 0 for r in body.results]))


def _bits(x: Sets) -> int:
    columns = np.unique(x.columns)
    if len(columns) == 0:
        return 0
    marks = np.zeros(int(columns[-1]) + 1, np.uint8)
    marks[columns] = 1
    return int.from_bytes(np.packbits(marks, bitorder="little").tobytes(), "little")


def _columns(bits: int) -> Indices:
    data = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(data, bitorder="little"))
