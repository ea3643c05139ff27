"""Functions of dtypes: their values, and their calls while the argument is unknown."""

from __future__ import annotations

import numpy as np
import pytest

from dsl.core.statics.dtypes import DTYPES, dtype_call
from dsl.types.dtype import ALL, FLOATS, DType
from dsl.types.facts import OpaqueProp
from dsl.types.shape import StaticChoice, StaticName, Substitution, Written

A = StaticName(1, "a")


@pytest.mark.parametrize("function", DTYPES)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_a_call_is_computed_where_its_argument_is_known(function: str, dtype: DType) -> None:
    call = dtype_call(function, A)
    assert str(call) == f"{function}(a)"
    assert Substitution(statics={A: Written(str(dtype))}).argument(call) == Written(str(DTYPES[function](dtype)))


def test_a_call_of_a_choice_is_a_choice_of_calls() -> None:
    condition = OpaqueProp("wide", (StaticName(2, "wide"),))
    found = dtype_call("complex_of", StaticChoice(condition, Written("f64"), Written("f32")))
    assert found == StaticChoice(condition, Written("c128"), Written("c64"))


@pytest.mark.parametrize("dtype", [each for each in FLOATS if each.bits >= 32], ids=str)
def test_they_are_inverse_for_the_parts_of_complex_numbers(dtype: DType) -> None:
    assert DTYPES["real_of"](DTYPES["complex_of"](dtype)) is dtype
    assert DTYPES["complex_of"](dtype).numpy == np.result_type(dtype.numpy, np.complex64)
