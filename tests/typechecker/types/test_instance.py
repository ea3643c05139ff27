"""Instances: matching parameter types with argument types finds the variables, wherever they stand."""

from __future__ import annotations

from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from dsl.types.dtype import F32, F64
from dsl.types.facts import Facts
from dsl.types.shape import Shape, ShapeVar, Splice
from dsl.types.size import Size, SizeVar
from dsl.types.type import ArrayType, DTypeVar, IndexType, KeyType, RecordType, TupleType, Type
from typechecker.env.solver import Solver
from typechecker.types.instance import HERE, Instance

N, M, K = (SizeVar(i, name) for i, name in enumerate("nmk"))
S = ShapeVar(3, "s")
DTYPE = DTypeVar(4, "a", (F32, F64))
SIZES = st.sampled_from((Size.of(N), Size.of(M), Size.of(N) + 1, 2 * Size.of(M) + 3, Size.of(5)))
LEAVES = st.lists(SIZES, max_size=3).flatmap(
    lambda dims: st.sampled_from(
        (ArrayType(DTYPE, Shape(tuple(dims))), KeyType(Shape(tuple(dims))), IndexType(Size.of(N), Shape(tuple(dims))))
    )
)
PATTERNS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: TupleType(tuple(parts))),
        st.tuples(inner, inner).map(lambda parts: RecordType((("p", parts[0]), ("q", parts[1])))),
    ),
    max_leaves=4,
)


def instance() -> Instance:
    ids = count(100)
    found = Instance(Solver(lambda: next(ids)), Facts(), open_sizes=frozenset((N, M, K)), open_shapes=frozenset((S,)))
    found.dtypes[DTYPE] = found.solver.fresh(DTYPE.allowed, None)
    return found


def matched(pattern: Type, actual: Type) -> Type:
    found = instance()
    found.bind_type(pattern, actual)
    return found.solver.resolve(found.type(pattern))


@given(PATTERNS, st.integers(0, 4), st.integers(0, 4))
def test_a_type_that_is_an_instance_is_found_again(pattern: Type, n: int, m: int) -> None:
    there = instance()
    there.sizes.update({N: Size.of(n), M: Size.of(m)})
    there.dtypes[DTYPE] = F64
    actual = there.type(pattern)
    found = matched(pattern, actual)
    assert matched(pattern, found) == found
    if {N, M} <= instance_of(pattern, actual).sizes.keys():
        assert found == actual


def instance_of(pattern: Type, actual: Type) -> Instance:
    found = instance()
    found.bind_type(pattern, actual)
    return found


def test_an_expression_is_solved_whatever_comes_first() -> None:
    lone, sum_ = ArrayType(F32, Shape((Size.of(N),))), ArrayType(F32, Shape((Size.of(N) + Size.of(M),)))
    three, five = ArrayType(F32, Shape((Size.of(3),))), ArrayType(F32, Shape((Size.of(5),)))
    for pattern, actual in (((lone, sum_), (three, five)), ((sum_, lone), (five, three))):
        found = instance_of(TupleType(pattern), TupleType(actual))
        assert found.sizes == {N: Size.of(3), M: Size.of(2)}


def test_a_splice_takes_the_axes_between_those_that_are_known() -> None:
    pattern = ArrayType(F32, Shape((Size.of(N), Splice(S), Size.of(M))))
    found = instance_of(pattern, ArrayType(F32, Shape(tuple(map(Size.of, (2, 3, 4, 5))))))
    assert found.sizes == {N: Size.of(2), M: Size.of(5)}
    assert found.shapes == {S: Shape((Size.of(3), Size.of(4)))}


def test_variables_that_are_not_open_are_left_alone() -> None:
    found = instance()
    caller = SizeVar(9, "caller")
    found.equate(Size.of(caller), Size.of(3), HERE)
    assert not found.sizes
