"""The types of a function as Python sees them: signatures, annotations, docstrings and stubs."""

from __future__ import annotations

import ast
import inspect
import pydoc
import typing
from pathlib import Path

import numpy as np
import pytest
import typeguard
from jaxtyping import Float, Float32, Int32, UInt32

import dsl
from dsl.__main__ import execute
from dsl.host.python_types.kinds import DTYPES
from dsl.types.dtype import ALL

TEXT = """
## A model with a "quote".

import random
type Params[d] = {w: f32[d], b: f32}
enum Act = Relu | Leaky(slope: float)
let width = 8
## One prediction
## per row.
def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b
def fit(p: Params[d], x: f32[n, d], lr: f32, static steps: int = 3) -> (Params[d], f32[steps]) =
    scan p = p for _ in range(steps) do
        (p, sum(predict(p, x)) * lr)
def padded(x: f32[n - 1]) -> Params[2 * n] = {w = zeros([2 * n]), b = sum(x)}
type Row[d] = f32[d]
type Adam[P: VSpace] = {mean: P, count: i32}
type _Inner = {z: f32}
def total[a: Float](x: a[*s], *, static axis: axes) -> a = sum(x)
def noise(x: f32[n]) -> f32[n] ! rand = x + random.normal(fresh_key(), [n])
def act(k: key, i: idx[n], x: f32[n], static a: Act) -> f32 = x[i]
def app(f: (f32) -> f32, x: f32) -> f32 = f(x)
def stacked(ps: Params[d][t], static name: str?) -> f32 = sum(ps.w)
def pair(static s: shape) -> ({a: i32}, (bool, c64[2])) = ({a = 1}, (true, zeros([2], c64)))
def _hidden(x: f32) -> f32 = x
"""
M = dsl.program(TEXT)


def test_signatures_are_those_of_calls_from_python() -> None:
    assert str(inspect.signature(M.predict)).endswith(
        "x: jaxtyping.Float32[Array, 'n d']) -> jaxtyping.Float32[Array, 'n']"
    )
    noise = inspect.signature(M.noise).parameters
    assert noise["key"].kind is inspect.Parameter.KEYWORD_ONLY
    assert inspect.signature(M.fit).bind({}, 1, 2).arguments == {"p": {}, "x": 1, "lr": 2}
    with pytest.raises(TypeError):
        inspect.signature(M.fit).bind({}, 1)
    assert inspect.signature(M.total).parameters["axis"].annotation == int | tuple[int, ...] | None
    assert list(inspect.signature(dsl.grad(M.app)).parameters) == ["f", "x"]


def test_arrays_are_annotated_as_by_jaxtyping() -> None:
    hints = M.predict.__annotations__
    assert repr(hints["x"]) == repr(Float32[dsl.Array, "n d"])
    record = {"b": Float32[dsl.Array, ""], "w": Float32[dsl.Array, "d"]}
    assert repr(typing.get_type_hints(hints["p"])) == repr(record)
    assert repr(M.total.__annotations__["x"]) == repr(Float[dsl.Array, "*s"])
    assert repr(M.act.__annotations__["i"]) == repr(Int32[dsl.Array, ""])
    assert repr(M.act.__annotations__["k"]) == repr(UInt32[dsl.Array, "2"])
    assert repr(M.padded.__annotations__["x"]) == repr(Float32[dsl.Array, "n-1"])
    fields = typing.get_type_hints(M.stacked.__annotations__["ps"])
    assert repr(fields["w"]) == repr(Float32[dsl.Array, "t d"])


def test_results_are_what_the_annotations_say() -> None:
    p = {"w": np.ones(3, np.float32), "b": 1.0}
    x = np.ones((2, 3), np.float32)
    for f, given in ((M.predict, (p, x)), (M.fit, (p, x, 0.1)), (M.pair, ((1,),))):
        typeguard.check_type(f(*given), inspect.signature(f).return_annotation)
    with pytest.raises(typeguard.TypeCheckError):
        typeguard.check_type(M.predict(p, x), M.fit.__annotations__["x"])


def test_types_of_a_program_are_annotations() -> None:
    assert repr(M.Params) == repr(M.predict.__annotations__["p"])
    hints = [typing.get_type_hints(found) for found in (M.Params, M.predict.__annotations__["p"])]
    assert repr(hints[0]) == repr(hints[1])
    assert repr(M.Row) == repr(Float32[dsl.Array, "d"])
    assert typing.get_type_hints(M.Adam)["mean"] is typing.Any
    assert {"Params", "Row", "Adam"} < set(dir(M))
    with pytest.raises(AttributeError, match="did you mean `Params`"):
        _ = M.Param
    with pytest.raises(AttributeError):
        _ = M._Inner


def test_functions_of_python_take_types_of_a_program() -> None:
    def scale(p: typing.Any, x: typing.Any) -> typing.Any:
        """x * p.w"""

    def dot(p: typing.Any, x: typing.Any) -> float:
        return float(p["w"] @ x)

    scale.__annotations__ = {"p": M.Params, "x": M.Row, "return": M.Row}
    dot.__annotations__ |= {"p": M.Params, "x": M.Row}
    assert dsl.define(scale).type == "def scale(p: {b: f32, w: f32[d]}, x: f32[d]) -> f32[d]"
    p, checked = M.Params(w=dsl.array([1.0, 2.0]), b=dsl.array(0.0)), dsl.check(dot)
    assert checked(p, dsl.array([1.0, 1.0])) == 3.0
    with pytest.raises(dsl.ArgumentError, match=r"d is 2 according to p.w \(axis 0\) but 3 according to x"):
        checked(p, dsl.array([1.0, 1.0, 1.0]))


def test_help_shows_type_and_comment() -> None:
    assert M.predict.__doc__ == f"{M.predict.type}\n\nOne prediction\nper row."
    assert M.app.__doc__ == M.app.type
    assert "One prediction" in pydoc.render_doc(M.predict)
    assert "Callable with arrays" in str(inspect.getdoc(dsl.Function))
    assert inspect.isclass(dsl.Function)
    assert dsl.Function.__signature__ is None


def test_every_dtype_has_its_class() -> None:
    single = {next(iter(dtypes)) for dtypes in DTYPES.values() if len(dtypes) == 1}
    assert single == set(ALL)
    assert {d.name for d in DTYPES["Integer"]} == {d.name for d in DTYPES["Int"] | DTYPES["UInt"]}


def test_stubs_are_modules_of_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.dsl"
    path.write_text(TEXT)
    assert execute(["stubs", str(path)]) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path / 'model.pyi'}\n"
    text = (tmp_path / "model.pyi").read_text()
    tree = ast.parse(text)
    assert ast.get_docstring(tree) == 'A model with a "quote".'
    for line in (
        'Params = TypedDict("Params", {"b": Float32[Array, ""], "w": Float32[Array, "d"]})',
        'Record = TypedDict("Record", {"a": Int32[Array, ""]})',
        'Row = Float32[Array, "d"]',
        'Adam = TypedDict("Adam", {"count": Int32[Array, ""], "mean": Any})',
        "width: int",
        "Act: Variants",
        "Leaky: Variant",
        'def __call__(self, p: Params | RecordLike, x: Float32[ArrayLike, "n d"]) -> Float32[Array, "n"]: ...',
        "    @overload\n    def __call__(self, p: _ParamsGiven | dict[str, Any], x: ",
        'steps: int = ...) -> tuple[Params, Float32[Array, "steps"]]: ...',
        'steps: int = ...) -> tuple[_ParamsObject, Float32[Array, "steps"]]: ...',
        'steps: int = ...) -> tuple[Any, Float32[Array, "steps"]]: ...',
        'def __call__(self, x: Float32[ArrayLike, "n-1"]) -> Params: ...',
        'def __call__(self, x: Float[ArrayLike, "*s"], *, axis: int | tuple[int, ...] | None) -> Float[Array, ""]: ...',
        "def __call__(self, f: Callable[..., Any], ",
        "ps: Params | RecordLike, name: str | None) ->",
        'tuple[Record, tuple[Bool[Array, ""], Complex64[Array, "2"]]]: ...',
        "predict: _predict",
    ):
        assert line in text, text
    assert "_hidden" not in text and "_Inner" not in text


def test_a_program_with_errors_has_no_stub(tmp_path: Path) -> None:
    path = tmp_path / "model.dsl"
    path.write_text("def f(x: f32[n]) -> f32 = x")
    assert execute(["stubs", str(path)]) == 1
    assert not (tmp_path / "model.pyi").exists()
