"""From files and words to arguments: what each parameter takes, and what is said where it does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dsl.core.core import Parameter, Signature
from dsl.diagnostics.diagnostic import InputError
from dsl.diagnostics.source import Source, Span
from dsl.host.results.variants import Variant
from dsl.staging.values import VariantValue
from dsl.tools.arguments import Given, bind
from dsl.tools.inputs import Archive, Document, Input, Table
from dsl.tools.specimens import specimens
from dsl.types.dtype import F32, I32
from dsl.types.effect import PURE
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from dsl.types.type import (
    AXES,
    DTYPE,
    FLOAT,
    INT,
    STRING,
    ArrayType,
    EnumType,
    OptionalType,
    RecordType,
    StackedType,
    TupleType,
    Type,
)

N, D = SizeVar(1, "n"), SizeVar(2, "d")
VECTOR, MATRIX, SCALAR = (ArrayType(F32, Shape(tuple(map(Size.of, sizes)))) for sizes in ((N,), (N, D), ()))
ACT = EnumType("m", "Act")
RELU = Variant(VariantValue(ACT, "Relu"))
LEAKY = Variant(VariantValue(ACT, "Leaky"), (("slope", FLOAT),))
PARAMS = RecordType((("b", SCALAR), ("w", ArrayType(F32, Shape((Size.of(D),))))))
OPTIONS = RecordType.written([("n", OptionalType(INT)), ("act", ACT)])
NESTED = RecordType.written([("inner", OPTIONS), ("axes", AXES)])
TEXT = "def f(p, x, y, lr, static steps, static axis)\n"


def parameter(name: str, kind: Type, *, static: bool = False, size: SizeVar | None = None) -> Parameter:
    at = TEXT.index(name)
    return Parameter(name, at, kind, Span(Source("f.dsl", TEXT), at, at + len(name)), static, size=size)


def signature(*params: Parameter) -> Signature:
    return Signature((N, D), (), (), (), params, SCALAR, PURE)


def given(*inputs: Input, statics: dict[str, str] | None = None, scalars: dict[str, str] | None = None) -> Given:
    return Given(inputs, statics or {}, scalars or {}, lambda enum: {"Relu": RELU, "Leaky": LEAKY})


def table(**columns: list[str]) -> Table:
    rows = len(next(iter(columns.values())))
    text = "\n".join([",".join(columns), *(",".join(c[i] for c in columns.values()) for i in range(rows))])
    return Table(Source("a.csv", text), {k: tuple(v) for k, v in columns.items()}, tuple(range(1, rows + 1)))


def refusal(*arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        bind(*arguments)
    return str(caught.value)


def test_columns_go_by_name_and_the_rest_to_the_matrix() -> None:
    data = table(age=["1", "2"], name=["ann", "bob"], y=["0.1", "1e3"], bmi=["3.5", "4"])
    arguments = bind(signature(parameter("x", MATRIX), parameter("y", VECTOR)), given(data))
    x, y = arguments["x"], arguments["y"]
    assert isinstance(x, np.ndarray)
    assert isinstance(y, np.ndarray)
    assert x.dtype == y.dtype == np.float32
    np.testing.assert_array_equal(x, np.array([[1, 3.5], [2, 4]], np.float32))
    np.testing.assert_array_equal(y, np.array([0.1, 1000], np.float32))


def test_two_matrices_take_no_columns() -> None:
    data = table(a=["1"], b=["2"])
    report = refusal(signature(parameter("x", MATRIX), parameter("y", MATRIX)), given(data))
    assert "missing value for `x` and `y`" in report
    assert "a.csv has a, b" in report


def test_documents_and_words_take_the_dtypes_of_the_parameters() -> None:
    document = Document("a.json", {"p": {"w": [1, 2], "b": 0.5}})
    arguments: dict[str, Any] = bind(
        signature(parameter("p", PARAMS), parameter("lr", SCALAR)), given(document, scalars={"lr": "0.1"})
    )
    assert arguments["p"]["w"].dtype == arguments["p"]["b"].dtype == arguments["lr"].dtype == np.float32
    assert arguments["p"]["w"].tolist() == [1, 2]


def test_stacked_and_tuple_parameters_go_leaf_by_leaf() -> None:
    pair = TupleType((SCALAR, ArrayType(I32, Shape())))
    document = Document("a.json", {"p": [[1, 2], [3, 4]], "x": {"w": [[1], [2]], "b": [1, 2]}})
    stacked = StackedType(PARAMS, Shape((Size.of(N),)))
    arguments: dict[str, Any] = bind(
        signature(parameter("p", StackedType(pair, Shape((Size.of(N),)))), parameter("x", stacked)),
        given(document),
    )
    assert [a.dtype for a in arguments["p"]] == [np.float32, np.int32]
    assert arguments["x"]["w"].shape == (2, 1)


def test_archives_go_by_dotted_names_with_the_dtypes_they_have() -> None:
    arrays: dict[str, np.ndarray] = {"p.w": np.ones(2), "p.b": np.array(1, np.float32)}
    arguments: dict[str, Any] = bind(signature(parameter("p", PARAMS)), given(Archive("a.npz", arrays)))
    assert arguments["p"]["w"].dtype == np.float64
    del arrays["p.b"]
    assert "missing value for `p.b`" in refusal(signature(parameter("p", PARAMS)), given(Archive("a.npz", arrays)))


def test_a_later_file_wins() -> None:
    first, second = Document("a.json", {"lr": 1}), Document("b.json", {"lr": 2})
    arguments: dict[str, Any] = bind(signature(parameter("lr", SCALAR)), given(first, second))
    assert arguments["lr"] == 2


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("200", INT, 200),
        ("0.5", FLOAT, 0.5),
        ("2", FLOAT, 2),
        ("none", OptionalType(INT), None),
        ("3", OptionalType(INT), 3),
        ("(0, 1)", AXES, (0, 1)),
        ("[0, 1]", AXES, (0, 1)),
        ("adam", STRING, "adam"),
        ("'adam'", STRING, "adam"),
        ("f32", DTYPE, F32),
        ("Relu", ACT, RELU),
        ('{"n": 20, "act": "Relu"}', OPTIONS, {"n": 20, "act": RELU}),
        ("{'n': None, 'act': 'Relu'}", OPTIONS, {"n": None, "act": RELU}),
        (
            '{"inner": {"n": null, "act": "Relu"}, "axes": [0, 1]}',
            NESTED,
            {"inner": {"n": None, "act": RELU}, "axes": (0, 1)},
        ),
    ],
)
def test_static_words_are_read_by_type(text: str, kind: Type, value: object) -> None:
    steps = parameter("steps", kind, static=True)
    assert bind(signature(steps), given(statics={"steps": text})) == {"steps": value}


def test_records_of_static_words_name_their_fields() -> None:
    options = signature(parameter("steps", NESTED, static=True))
    assert "`steps` has the fields axes, inner; given are n" in refusal(options, given(statics={"steps": '{"n": 20}'}))
    wrong = given(statics={"steps": '{"inner": {"n": 2.5, "act": "Relu"}, "axes": 0}'})
    assert "`2.5` is not a value of type int, which `steps.inner.n` has" in refusal(options, wrong)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("2.5", INT), ("true", INT), ("x", INT), ("f33", DTYPE), ("Gelu", ACT), ("1 +", FLOAT), ("[20]", OPTIONS)],
)
def test_static_words_of_another_type_are_refused(text: str, kind: Type) -> None:
    report = refusal(signature(parameter("steps", kind, static=True)), given(statics={"steps": text}))
    assert report.startswith("error[E0967]")
    assert text in report


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Rellu", "did you mean `Relu`?"),
        ("Leeky(0.5)", "did you mean `Leaky`?"),
        ("Leaky(1, 2)", "Leaky takes (slope)"),
    ],
)
def test_a_variant_of_another_name_or_with_other_fields_is_explained(text: str, said: str) -> None:
    report = refusal(signature(parameter("steps", ACT, static=True)), given(statics={"steps": text}))
    assert report.startswith(f"error[E0967]: `{text}`") and said in report and "f.dsl:" in report


def test_all_that_is_missing_is_said_at_once() -> None:
    steps = parameter("steps", INT, static=True)
    report = refusal(signature(parameter("x", MATRIX), parameter("lr", SCALAR), steps), given())
    assert report.count("error[") == 1
    assert "missing value for `x` and `lr` and `steps`" in report
    assert "help: give `steps` with --static steps=…" in report
    assert "help: give `lr` with --arg lr=…, or in an --input file" in report


def test_a_word_for_the_other_stage_or_for_nothing_is_refused() -> None:
    params = signature(parameter("lr", SCALAR), parameter("steps", INT, static=True))
    assert "write --arg lr=…" in refusal(params, given(statics={"lr": "1", "steps": "2"}))
    assert "write --static steps=…" in refusal(params, given(scalars={"lr": "1", "steps": "2"}))
    assert "did you mean `steps`?" in refusal(params, given(statics={"step": "2"}))


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("1.5", I32, "has a fraction"),
        ("3000000000", I32, "out of the range of i32"),
        ("1e300", F32, "too large for f32"),
        ("true", F32, "`true` is not a number in column `y`"),
        ("cat", F32, "`cat` is not a number in column `y`"),
        ("", F32, "there is no value in column `y`"),
    ],
)
def test_a_value_that_does_not_fit_is_shown_with_its_row(value: str, kind: Any, message: str) -> None:
    wanted = parameter("y", ArrayType(kind, Shape((Size.of(N),))))
    report = refusal(signature(wanted), given(table(y=["1", value, "2"], z=["0", "0", "0"])))
    assert report.startswith("error[E0964]")
    assert message in report
    assert "a.csv:3:1" in report


def test_specimens_are_zeros_of_the_sizes_given() -> None:
    params = signature(
        parameter("p", PARAMS),
        parameter("x", MATRIX),
        parameter("steps", INT, static=True, size=SizeVar(3, "k")),
    )
    made: dict[str, Any] = specimens(params, {"n": "4", "d": "2"}, {"steps": "7"}, np.zeros)
    assert made["x"].shape == (4, 2)
    assert made["p"]["w"].shape == (2,)
    assert specimens(params, {"n": "4"}, {}, np.zeros) == {}
