"""Trees of arrays in Python: maps, files of safetensors; programs and functions as pickles."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsl
from dsl.host.arguments.pytree import Names, leaves_of, map_tree, plain


@dataclass
class Layer:
    w: Any
    b: Any


class Pair(NamedTuple):
    first: Any
    second: Any


TREE = {"layers": [Layer(np.ones((2, 3), np.float32), 1.0), Layer(np.zeros(3), 2)], "pair": Pair(True, (np.int32(4),))}
PATHS = ["layers.0.b", "layers.0.w", "layers.1.b", "layers.1.w", "pair.first", "pair.second.0"]


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Containers of all kinds."""
    return st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["c", "a", 10, 9]), inner, max_size=3),
        st.builds(Layer, inner, inner),
        st.builds(Pair, inner, inner),
        st.tuples(inner, inner),
    )


trees = st.recursive(st.integers(0, 9), containers, max_leaves=8)
some_missing = st.recursive(st.integers(0, 9) | st.none(), containers, max_leaves=8)


def test_leaves_have_dotted_names() -> None:
    assert dsl.tree.paths(TREE) == PATHS
    assert [np.shape(x) for x in dsl.tree.leaves(TREE)] == [(), (2, 3), (), (3,), (), ()]
    assert dsl.tree.count(TREE) == 13
    assert dsl.tree.paths(1.0) == [""]


@given(trees)
def test_a_map_keeps_containers_and_composes(tree: Any) -> None:
    assert dsl.tree.map(lambda x: x, tree) == tree
    assert repr(dsl.tree.map(lambda x: x, tree)) == repr(tree), "keys keep their order"
    assert dsl.tree.leaves(dsl.tree.map(lambda x: x + 1, tree)) == [x + 1 for x in dsl.tree.leaves(tree)]
    doubled = dsl.tree.map(lambda x, y: x + y, tree, tree)
    assert doubled == dsl.tree.map(lambda x: 2 * x, tree)
    assert len(dsl.tree.paths(tree)) == len(dsl.tree.leaves(tree))


@given(some_missing)
def test_all_walks_see_the_same_leaves_in_the_same_order(tree: Any) -> None:
    found, seen, parts = list(leaves_of(tree)), [], []

    def join(container: Any, names: Names, items: list[Any]) -> Any:
        parts.append(len(items))
        return plain(container, names, items)

    def note(leaf: Any) -> Any:
        seen.append(leaf)
        return leaf

    made = map_tree(note, tree, join=join)
    assert seen == [leaf for _, leaf in found] == dsl.tree.leaves(tree)
    assert list(leaves_of(made)) == found, "names and positions are the same in plain containers"
    assert [way for way, _ in found] == list(dict.fromkeys([way for way, _ in found]))
    assert sum(parts) + 1 == len(parts) + len(found), "a tree has one part less than nodes"
    assert map_tree(lambda leaf: leaf, tree, stop=lambda _: True) is tree
    assert list(leaves_of(tree, stop=lambda _: True)) == [((), tree)]


@pytest.mark.parametrize("other", [{"a": 1}, {"a": 1, "c": 2}, [1, 2], 3, {"a": 1, "b": [2]}])
def test_a_map_of_trees_that_differ_is_refused(other: Any) -> None:
    with pytest.raises(ValueError, match=r"differ|container"):
        dsl.tree.map(lambda x, y: x, {"a": 1, "b": 2}, other)


def test_a_file_gives_back_what_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    dsl.save(path, TREE)
    nested = dsl.load_arrays(path)
    assert sorted(nested) == ["layers", "pair"]
    np.testing.assert_array_equal(nested["layers"]["0"]["w"], np.ones((2, 3)))
    loaded = dsl.load_arrays(path, like=TREE)
    assert isinstance(loaded["layers"][0], Layer) and isinstance(loaded["pair"], Pair)
    for before, after in zip(dsl.tree.leaves(TREE), dsl.tree.leaves(loaded), strict=True):
        assert isinstance(after, dsl.Array)
        assert after.type == dsl.array(before).type
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("name", ["bool", "u8", "i64", "f16", "bf16", "f64", "c64"])
def test_dtypes_and_single_arrays_are_kept(tmp_path: Path, name: str) -> None:
    x = dsl.array(np.arange(4).reshape(2, 2)).astype(name)
    dsl.save(tmp_path / "x", x)
    back = dsl.load_arrays(tmp_path / "x")
    assert back.type == x.type
    np.testing.assert_array_equal(back, x)


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    dsl.save(path, {"w": np.ones(2)})
    for like, words in (({"w": 0, "b": 0}, "has no `b`"), ({}, "has `w`, which `like` does not have")):
        with pytest.raises(dsl.InputError, match=words) as caught:
            dsl.load_arrays(path, like=like)
        assert caught.value.code == "E0962"
    path.write_bytes(b"no such file")
    with pytest.raises(dsl.InputError, match="is not a file of safetensors"):
        dsl.load_arrays(path)
    with pytest.raises(dsl.InputError) as caught:
        dsl.load_arrays(tmp_path / "nothing")
    assert caught.value.code == "E0960"
    with pytest.raises(dsl.InputError) as caught:
        dsl.save(path, {"w": np.ones(2, np.complex128)})
    assert caught.value.code == "E0966"


TEXT = """
enum Act = Relu | Leaky(slope: float)
def f(x: f32[n]) -> f32 = sum(x ** 2)
def fwd(x: f32) -> (f32, f32) = (x, x)
def bwd(saved: f32, ct: f32) -> (f32,) = (7.0 * ct,)
def g(x: f32) -> f32 = x
def apply(f: (f32[n]) -> f32, x: f32[n]) -> f32 = f(x)
"""


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def test_programs_and_functions_pickle_as_text_and_digest() -> None:
    m = dsl.program(TEXT)
    x = np.arange(3, dtype=np.float32)
    p = again(m)
    assert float(p.apply(p.f, x)) == 5
    assert again(m.Leaky(0.5)) == m.Leaky(0.5) == p.Leaky(0.5)
    f, apply = again((m.f, m.apply))
    assert float(apply(f, x)) == 5
    np.testing.assert_array_equal(again(dsl.grad(m.f))(x), 2 * x)
    np.testing.assert_array_equal(again(dsl.vmap(dsl.grad(m.f), in_axes=(0,)))(x[None]), 2 * x[None])
    assert float(again(dsl.grad(dsl.custom_vjp(m.g, m.fwd, m.bwd)))(1.0)) == 7
    assert copy.deepcopy(m).f is m.f
    assert copy.deepcopy({"f": m.f})["f"] is m.f


def test_a_pickle_is_read_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(pickle.dumps(dsl.program(TEXT).f))
    code = f"import pickle; print(float(pickle.load(open({str(tmp_path / 'f')!r}, 'rb'))([1.0, 2.0])))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "5.0\n"


def test_a_program_whose_imports_have_changed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part.dsl").write_text("def h(x: f32) -> f32 = x")
    (tmp_path / "whole.dsl").write_text("import part\ndef f(x: f32) -> f32 = part.h(x)")
    data = pickle.dumps(dsl.load(tmp_path / "whole.dsl"))
    assert float(pickle.loads(data).f(2.0)) == 2
    (tmp_path / "part.dsl").write_text("def h(x: f32) -> f32 = 3.0 * x")
    code = f"import pickle; pickle.loads({data!r})"
    report = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
    assert "ValueError: a module that" in report and "has changed since it was pickled" in report


def test_shapes_are_leaves() -> None:
    shapes = dsl.program(TEXT).fwd.eval_shape(1.0)
    assert dsl.tree.paths({"a": shapes}) == ["a.0", "a.1"]
    assert dsl.tree.map(lambda leaf: leaf.shape, shapes) == ((), ())
    assert dsl.tree.count({"w": dsl.ShapeDtypeStruct((2, 3), "f32")}) == 6


def test_leaves_of_one_name_are_refused(tmp_path: Path) -> None:
    for wrong in ({"a": {"b": 1}, "a.b": 2}, {"__metadata__": np.ones(2)}, {"name": "text"}):
        with pytest.raises(dsl.InputError, match="cannot hold") as caught:
            dsl.save(tmp_path / "x", wrong)
        assert caught.value.code == "E0966"
    assert list(tmp_path.iterdir()) == []
