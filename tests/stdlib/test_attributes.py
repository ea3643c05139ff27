"""What the library says of its functions beside their types, held against values."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

import dsl
from dsl.diagnostics.source import Source
from dsl.ir.op import NotDifferentiable
from dsl.ops.table import OPS
from dsl.syntax import ast
from dsl.syntax.library_text import library_text
from dsl.syntax.parse import parse
from dsl.syntax.walk import nodes
from tests.stdlib.test_library import MODULES
from tests.support.cases import some
from tests.support.library import source, tree
from typechecker import check_source
from typechecker.declarations.entities import Attribute

MATRIX = np.array([[3.0, -1.0, 4.0], [1.5, -5.0, 9.0], [2.0, 6.0, -5.5]], np.float32)
OTHER_MATRIX = MATRIX + np.float32(0.25)
WAYS = {
    "append": ("append(x, y)",),
    "broadcast_to": ("broadcast_to(x, [2, 3, 3])",),
    "checkpoint_name": ('checkpoint_name((x, y), "name").0',),
    "choice": (
        "random.choice(random.key(1), x[0], [5])",
        "random.choice(random.key(1), x[0], [5], p=f32([0.2, 0.3, 0.5]))",
    ),
    "clip": ("clip(x, y[0], y[1])",),
    "column_stack": ("column_stack((x, y))", "column_stack((x, y, x))"),
    "windows": ("nn.windows(x, (2, 2))", "nn.windows(x, (2,), padding=1, fill=y[0, 0])"),
    "compress": (
        'compress(x[0], [false, true, true], size=4, fill=y[0, 0], overflow="drop")',
        "(with checks do compress(x[0], [false, true, true], size=4, fill=y[0, 0])).0",
    ),
    "delete": ("delete(x[0], 1)",),
    "dstack": ("dstack((x, y))",),
    "dynamic_slice": ("dynamic_slice(x, [0, 2], [2, 2])",),
    "dynamic_slice_in_dim": ("dynamic_slice_in_dim(x, 1, 2)",),
    "dynamic_update_slice": ("dynamic_update_slice(x, y[:2, :2], [1, 5])",),
    "expand_dims": ("expand_dims(x, axis=0)",),
    "fftshift": ("fft.fftshift(x)",),
    "fill_diagonal": ("fill_diagonal(x, y[0, 1])",),
    "flip": ("flip(x, axis=0)",),
    "full": ("full([2, 2], x[1, 1])", "full([2, 2], x[1, 1], dtype=x.dtype)"),
    "full_like": ("full_like(x, y[1, 1])",),
    "hstack": ("hstack((x, y))", "hstack((x, y, x))"),
    "identity": ("nn.identity(x)",),
    "ifftshift": ("fft.ifftshift(x)",),
    "insert": ("insert(x[0], 1, y[0, 0])",),
    "max": ("max(x)", "max(x, y)", "max(x, where=x > y, initial=y[0, 0], axis=0)"),
    "maximum": ("maximum(x, y)",),
    "meshgrid": ("meshgrid(x[0], y[0]).0", 'meshgrid(x[0], y[0], indexing="ij").1'),
    "min": ("min(x)", "min(x, y)", "min(x, where=x > y, initial=y[0, 0], axis=0)"),
    "minimum": ("minimum(x, y)",),
    "moveaxis": ("moveaxis(x, 0, 1)",),
    "ones": ("ones([2, 2], x.dtype)",),
    "pad": ("pad(x, 1, constant_values=y[0, 0])", "pad(x, 1)", 'pad(x, 1, "reflect")', 'pad(x, 3, "symmetric")'),
    "permutation": ("random.permutation(random.key(1), x)",),
    "repeat": ("repeat(x, 2)",),
    "reshape": ("reshape(x, [9])",),
    "roll": ("roll(x, (1, -1), axis=(0, 1))", "roll(x, i32(7), axis=0)", "roll(x, i32(7))"),
    "select": ("select([x > y, x < y], [x, y])", "select([x > y, x < y], [x, y], y[0, 0])"),
    "shuffle": ("random.shuffle(random.key(1), x)",),
    "split": ("split(x, 3)",),
    "squeeze": ("squeeze(x[:1], axis=0)",),
    "switch": (
        "switch(i32(x[0, 0]), (fn _ -> x[0], fn _ -> y[1]), x)",
        "switch(i32(x[0, 0]), (fn _ -> x[0], fn _ -> y[1], fn _ -> x[2]), x)",
        "switch(i32(x[0, 0]), (fn _ -> x[0], fn _ -> y[1], fn _ -> x[1], fn _ -> y[2]), x)",
    ),
    "swapaxes": ("swapaxes(x, 0, 1)",),
    "take": ("take(x, [2, 0], axis=1)",),
    "take_along_axis": ("take_along_axis(x, argsort(x, axis=1), axis=1)",),
    "tile": ("tile(x, (2, 1))",),
    "top_k": ("top_k(x, 2).0",),
    "unique": ("unique(x[0], size=4, fill_value=y[0, 0])",),
    "vstack": ("vstack((x, y))", "vstack((x, y, x))"),
    "where": ("where(x > y, x, y)",),
    "zeros": ("zeros([2, 2], x.dtype)",),
}
"""Calls of the functions that are more than `f(x)`: of each definition one."""


def stated() -> Iterator[tuple[str, ast.Def, ast.Attribute]]:
    for module in MODULES:
        defs = {d.name.span: d for d in tree(module).declarations if isinstance(d, ast.Def)}
        for place, attributes in tree(module).attributes.items():
            for attribute in attributes:
                yield module, defs[place], attribute


def named(attribute: Attribute) -> list[tuple[str, ast.Def, ast.Attribute]]:
    return [entry for entry in stated() if entry[2].name == attribute.value]


def test_parameters_are_those_of_the_definition() -> None:
    for _, node, attribute in some(stated()):
        named = {parameter for parameter in attribute.parameters if not parameter.isdigit()}
        assert named <= {p.name.name for p in node.params}, node.name


@pytest.mark.parametrize("attribute", Attribute)
def test_every_attribute_is_stated_of_something(attribute: Attribute) -> None:
    assert named(attribute)


MOVING = sorted({node.name.name for _, node, _ in named(Attribute.ELEMENTS)})
CALLS = [call for name in MOVING for call in WAYS.get(name, (f"{name}(x)",))]
USED = "import random\nimport fft\nimport nn\n"


@pytest.mark.parametrize("call", CALLS)
def test_elements_are_those_of_the_arguments(call: str) -> None:
    program = dsl.program(f"{USED}def run(x: f32[3, 3], y: f32[3, 3]) = {call}\n")
    assert np.isin(np.asarray(program.run(MATRIX, OTHER_MATRIX)), [*MATRIX.flat, *OTHER_MATRIX.flat, 0, 1]).all()


@pytest.mark.parametrize("call", [call for call in CALLS if "with checks" not in call])
def test_elements_keep_their_bounds(call: str) -> None:
    """The check of an index would be an effect, which the type denies."""
    params = "v: f32[n], x: idx[n][3, 3], y: idx[n][3, 3]"
    head = f"{USED}def run({params}) -> f32 where n >= 2 = "
    assert not check_source(Source("user.dsl", f"{head}sum(v[{call}])\n")).diagnostics


@pytest.mark.parametrize("name", sorted({node.name.name for _, node, _ in named(Attribute.GIVEN)}))
def test_functions_are_given_the_argument_alone(name: str) -> None:
    """Each of the functions is told what it was called for, whichever is chosen."""
    for count in (2, 3, 4):
        branches = ", ".join("fn v -> v" for _ in range(count))
        program = dsl.program(f"def run(i: i32, x: f32[3]) -> f32[3] = {name}(i, ({branches}), x)\n")
        for index in range(-1, count + 1):
            assert program.run(index, MATRIX[0]).tolist() == MATRIX[0].tolist()


@pytest.mark.parametrize("call", ["cumsum(x)", "x + y", "abs(x - y)", "tree_map(fn i -> i + 1, (x, y)).0"])
def test_what_is_computed_has_no_bounds(call: str) -> None:
    text = f"def run(v: f32[n], x: idx[n][3, 3], y: idx[n][3, 3]) -> f32 where n >= 2 = sum(v[{call}])\n"
    assert [d.code for d in check_source(Source("user.dsl", text)).diagnostics] == ["E0701"]


def can_only_move(node: ast.Def) -> bool:
    """Whether a definition is there for every dtype or tree of its result, and applies no function: then it knows too
    little of the elements to compute any."""
    shown = "" if node.result is None else node.result.span.text
    open_names = {
        g.name.name for g in node.generics if g.constraint is not None and g.constraint.name in ("Any", "Tree")
    }
    functions = any(p.type is not None and "->" in p.type.span.text for p in node.params)
    return not functions and any(re.search(rf"\b{name}\b", shown) for name in open_names)


def has_indices(module: str, node: ast.Def) -> bool:
    """Return whether a parameter or the result is a record of the module with indices, beside which elements stand."""
    types = [node.result, *[p.type for p in node.params]]
    shown = " ".join([type.span.text for type in types if type is not None])
    records = {
        d.name.name for d in tree(module).declarations if isinstance(d, ast.TypeAliasDecl) and "idx[" in d.span.text
    }
    return any(re.search(rf"\b{name}\b", shown) for name in records)


def library_definitions() -> Iterator[tuple[str, ast.Def]]:
    for module in MODULES:
        for node in tree(module).declarations:
            if isinstance(node, ast.Def) and not node.name.name.startswith("_"):
                yield module, node


def test_what_can_only_move_elements_says_so() -> None:
    said = {node.span for _, node, _ in named(Attribute.ELEMENTS)}
    movers = [(m, node) for m, node in library_definitions() if can_only_move(node) and not has_indices(m, node)]
    assert len(movers) > 50
    assert [(module, node.name.name) for module, node in movers if node.span not in said] == []


WITHIN = {
    "arange(7)": range(7),
    "arange(7, dtype=i32)": range(7),
    "arange(2, 7, 2) - 2": range(0, 5, 2),
    "arange(-3, 4) + 3": range(7),
    "random.randint(random.key(1), [1], 4, 5)": range(4, 5),
}


@pytest.mark.parametrize("index", WITHIN)
def test_elements_lie_within(index: str) -> None:
    """The check of an index would be an effect, which the type denies."""
    assert {node.name.name for _, node, _ in named(Attribute.WITHIN)} == {"arange", "randint"}
    places = list(WITHIN[index])
    program = dsl.program(f"import random\ndef run(x: f32[7]) -> f32[{len(places)}] = x[{index}]\n")
    np.testing.assert_array_equal(program.run(np.arange(7, dtype=np.float32)), places)


def arguments(name: str) -> str:
    """What a function is applied to at a vector v and at a vector w that nothing is differentiated by."""
    return {
        "one_hot": "cast(v, i32), 4",
        "floor_divide": "v, 2.0",
        "where": "w > 0.0, v, v",
        "tensordot": "v, w, axes=1",
        "full": "[2], v[0]",
        **dict.fromkeys(("linear_map", "zero_with_derivative"), "fn u -> 2.0 * u, fn u -> 2.0 * u, v"),
        "tile": "v, 2",
        "reshape": "v, [3, 1]",
        "broadcast_to": "v, [2, 3]",
        "moveaxis": "v, 0, -1",
        "roll": "v, 2",
        "take": "v, [2, 0]",
        "split": "v, 3",
        "delete": "v, 1",
        "take_along_axis": "v, argsort(w), axis=0",
        "pad": "v, 1, constant_values=v[0]",
        "conv": "v[None, None], w[None, None]",
        **dict.fromkeys(("maximum", "minimum"), "v, 0.5"),
        **dict.fromkeys(("outer", "inner", "vdot", "dot", "matmul", "multiply", "convolve", "polymul"), "v, w"),
    }.get(name, "v")


def applied(name: str) -> dsl.Program:
    call = f"{name.lstrip('_')}({arguments(name)})"
    head = "def f(v: f32[3], w: f32[3])"
    return dsl.program(f"{head} = {call}\ndef run(v: f32[3], w: f32[3]) = jacfwd(fn u -> f(u, w))(v)\n")


POINT, OTHER = np.array([0.3, 1.7, -2.2], np.float32), np.array([1.1, -0.4, 2.6], np.float32)


def stated_names(attribute: Attribute) -> list[str]:
    return sorted({node.name.name for module, node, _ in named(attribute) if module == "prelude"})


@pytest.mark.parametrize("name", stated_names(Attribute.ZERO_DERIVATIVE))
def test_the_derivative_is_zero(name: str) -> None:
    assert not np.asarray(applied(name).run(POINT, OTHER)).any()


@pytest.mark.parametrize("name", stated_names(Attribute.NONLINEAR))
def test_the_derivative_depends_on_the_point(name: str) -> None:
    program = applied(name)
    assert (np.asarray(program.run(POINT, OTHER)) != np.asarray(program.run(OTHER, OTHER))).any()


def test_the_derivative_of_a_linear_function_does_not() -> None:
    with pytest.raises(AssertionError):
        test_the_derivative_depends_on_the_point("cumsum")


@pytest.mark.parametrize("name", stated_names(Attribute.CONSTANT))
def test_arguments_are_not_looked_at(name: str) -> None:
    program = applied(name)
    np.testing.assert_array_equal(program.f(POINT, OTHER), program.f(OTHER, POINT))


@pytest.mark.parametrize("name", [*stated_names(Attribute.LINEAR), *stated_names(Attribute.MULTILINEAR)])
def test_linear(name: str) -> None:
    """In v with w fixed."""
    program = applied(name)
    both = program.f(POINT + 2 * OTHER, OTHER)
    np.testing.assert_allclose(both, program.f(POINT, OTHER) + 2 * program.f(OTHER, OTHER), rtol=1e-5, atol=1e-5)


def test_one_function_of_several_is_called_once() -> None:
    """On each way through the body one part of the tuple is called, or handed on to one of this attribute."""
    stated_so = named(Attribute.ONE_OF)
    assert stated_so
    for _, node, attribute in stated_so:
        ways = [*_ways(node.body)]
        assert len(ways) >= 2
        for way in ways:
            calls = [each for each in nodes(way) if isinstance(each, ast.Call) and _calls_a_part(each, attribute, node)]
            assert len(calls) == 1, way


def _ways(node: ast.Expr) -> Iterator[ast.Expr]:
    if isinstance(node, ast.If):
        assert not any(isinstance(each, ast.Call) for each in nodes(node.condition))
        yield from _ways(node.then)
        yield from _ways(node.orelse)
    else:
        yield node


def _calls_a_part(call: ast.Call, attribute: ast.Attribute, node: ast.Def) -> bool:
    text = call.function.span.text
    return text == node.name.name or text.partition(".")[0] in attribute.parameters


@pytest.mark.parametrize("module", ["prelude", "random"])
def test_other_data_gives_another_key(module: str) -> None:
    assert (module, "fold_in") in {(home, node.name.name) for home, node, _ in named(Attribute.NEW_KEY)}
    borrowed = "" if module == "prelude" else f"from {module} import fold_in\n"
    draw = "def run(k: key, i: i32) -> f32 = random.uniform(fold_in(k, i), [])\n"
    program = dsl.program(f"import random\n{borrowed}{draw}")
    assert len({float(program.run(dsl.key(7), np.int32(i))) for i in range(20)}) == 20


@pytest.mark.parametrize("node", [node for _, node, _ in named(Attribute.STATIC_NUMBERS)], ids=lambda d: d.name.name)
def test_static_numbers_give_what_arrays_give(node: ast.Def) -> None:
    name, letters, numbers = node.name.name, "xyz"[: len(node.params)], [7.5, 2.0, 3.0][: len(node.params)]
    params, args = ", ".join(f"{x}: f32" for x in letters), ", ".join(map(str, numbers))
    traced = f"def traced({params}) = {name}({', '.join(letters)})\n"
    program = dsl.program(f"def folded() = full([], {name}({args}))\n{traced}")
    np.testing.assert_allclose(program.folded(), program.traced(*map(np.float32, numbers)), rtol=1e-6)


def test_the_name_of_a_library_function_alone_makes_nothing_static() -> None:
    """`optim.clip` has two parameters, `clip` three."""
    text = "import optim\ndef f(x: f32[n], k: f32) = optim.clip(x, k)\n"
    assert not check_source(Source("user.dsl", text)).diagnostics


def test_an_exponential_is_not_linear() -> None:
    with pytest.raises(AssertionError):
        test_linear("exp")


def test_a_sine_has_a_derivative() -> None:
    with pytest.raises(AssertionError):
        test_the_derivative_is_zero("sin")


def test_a_sum_holds_no_elements() -> None:
    with pytest.raises(AssertionError):
        test_elements_are_those_of_the_arguments("cumsum(x)")


def test_users_have_no_attributes() -> None:
    text = "@elements(x)\ndef f(x: f32[n]) -> f32[n] = x\n"
    assert [d.code for d in check_source(Source("user.dsl", text)).diagnostics] == ["E0122"]


def test_what_is_no_attribute_is_refused() -> None:
    with pytest.raises(ValueError, match="no attribute"):
        parse(Source("<stdlib>/x.dsl", "@elements[x]\ndef f(x: f32[n]) -> f32[n] = x\n"))


def test_what_has_no_derivative_says_so() -> None:
    names = {node.name.name for _, node, _ in named(Attribute.NO_DERIVATIVE)}
    definitions = [w for module in MODULES for w in library_text(source(module)).definitions]
    called = {w.primitive for w in definitions}
    assert {w.primitive for w in definitions if w.name in names} == {
        name for name, op in OPS.items() if isinstance(op.jvp, NotDifferentiable) and name in called
    }
