"""Batches: every row once per epoch, in an order that its key gives; positions, and data that are refused."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.data import Batches


class Pair(NamedTuple):
    x: Any
    y: Any


def numbered(rows: int) -> dict[str, Any]:
    return {"x": np.arange(rows, dtype=np.float32)[:, None] * np.ones(2, np.float32), "y": np.arange(rows)}


def refused(code: str, call: Any) -> str:
    with pytest.raises(dsl.InputError) as caught:
        call()
    assert caught.value.code == code
    return str(caught.value)


@settings(max_examples=25)
@given(
    st.integers(1, 30),
    st.integers(1, 12),
    st.one_of(st.none(), st.integers(0, 2**31)),
    st.sampled_from(("drop", "pad", "keep")),
    st.integers(0, 3),
)
def test_an_epoch_has_every_row_once(
    rows: int, size: int, key: int | None, last: Literal["drop", "pad", "keep"], epoch: int
) -> None:
    if last == "drop" and rows < size:
        refused("E0975", lambda: Batches(numbered(rows), size, key=key, last=last))
        return
    batches = Batches(numbered(rows), size, key=key, last=last)
    found = list(batches.epoch(epoch))
    assert len(found) == len(batches)
    kept = []
    for number, batch in enumerate(found):
        rows_of, mask = batch if last == "pad" else (batch, np.ones(len(batch["y"]), bool))
        assert last == "keep" or len(rows_of["y"]) == size
        assert np.array_equal(rows_of["x"][:, 1], rows_of["y"])
        kept += rows_of["y"][mask].tolist()
        again = batches.batch(epoch * len(batches) + number)
        assert np.array_equal((again[0] if last == "pad" else again)["y"], rows_of["y"])
    count = rows // size * size if last == "drop" else rows
    assert len(kept) == len(set(kept)) == count
    assert key is not None or kept == list(range(count))


def test_epochs_and_keys_have_orders_of_their_own() -> None:
    orders = [
        np.concatenate([batch["y"] for batch in Batches(numbered(60), 20, key=key).epoch(epoch)]).tolist()
        for key, epoch in ((0, 0), (0, 1), (1, 0), (dsl.key(0), 0))
    ]
    assert orders[0] == orders[3]
    assert orders[0] != orders[1] != orders[2] != orders[0]
    assert orders[0][:6] == [0, 54, 43, 38, 21, 2], "the order stays the same in all versions"


def test_every_row_is_as_likely_at_every_place() -> None:
    first = [int(Batches(numbered(5), 1, key=9).batch(5 * epoch)["y"][0]) for epoch in range(500)]
    counts = np.bincount(first, minlength=5)
    assert ((counts - 100) ** 2 / 100).sum() < 18.5  # 0.1 % of chi² with 4 degrees of freedom


def test_a_stream_goes_on_from_a_position() -> None:
    batches = Batches(numbered(10), 3, key=2)
    whole = [batch["y"].tolist() for batch in islice(batches.stream(), 12)]
    position = batches.position(5)
    assert position == {"batch": 5, "size": 3, "rows": 10, "last": "drop", "key": [0, 2]}
    later = Batches(numbered(10), 3, key=2)
    assert [batch["y"].tolist() for batch in islice(later.stream(position), 7)] == whole[5:]
    assert [batch["y"].tolist() for batch in islice(later.stream(5), 7)] == whole[5:]
    for other in (
        Batches(numbered(11), 3, key=2),
        Batches(numbered(10), 2, key=2),
        Batches(numbered(10), 3, key=3),
        Batches(numbered(10), 3),
        Batches(numbered(10), 3, key=2, last="keep"),
    ):
        refused("E0974", lambda other=other: other.stream(position))
    refused("E0974", lambda: batches.stream({}))


def test_containers_are_kept_and_rows_transformed() -> None:
    batch = Batches(Pair(np.arange(4), [np.arange(4)]), 2).batch(1)
    assert isinstance(batch, Pair) and batch.y[0].tolist() == [2, 3]
    assert Batches(dsl.array([1.0, 2.0]), 2).batch(0).tolist() == [1, 2]
    halved = Batches(np.arange(4, dtype=np.uint8), 2, transform=lambda x: x.astype(np.float32) / 2)
    assert halved.batch(1).dtype == np.float32 and halved.batch(1).tolist() == [1, 1.5]


def test_of_a_file_only_the_rows_of_a_batch_are_read(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(40, dtype="f4").reshape(10, 4))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    taken = []

    class Watched(np.memmap[Any, Any]):
        def __getitem__(self, ids: Any) -> Any:
            taken.append(np.size(ids))
            return np.asarray(super().__getitem__(ids))

    batches = Batches(mapped.view(Watched), 5, key=0)
    found = np.concatenate(list(batches.epoch(0)))
    assert np.array_equal(np.sort(found, axis=0), mapped) and type(batches.batch(0)) is np.ndarray
    assert taken == [5, 5, 5]


TABLE = pa.table(
    {
        "image": pa.FixedSizeListArray.from_arrays(pa.array(np.arange(24, dtype="f4")), 4),
        "label": pa.array(np.arange(6, dtype=np.int64)),
        "on": pa.array([True, False] * 3),
    }
)


def test_columns_of_arrow_are_arrays(tmp_path: Path) -> None:
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_file(file, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=2)
    table = pa.ipc.open_file(pa.memory_map(str(tmp_path / "t.arrow"))).read_all()
    whole = Batches(table, 3, key=1)
    for batch in whole.epoch(2):
        assert {name: (x.shape, str(x.dtype)) for name, x in batch.items()} == {
            "image": ((3, 4), "float32"),
            "label": ((3,), "int64"),
            "on": ((3,), "bool"),
        }
        assert np.array_equal(batch["image"][:, 0], 4 * batch["label"])
        assert np.array_equal(batch["on"], batch["label"] % 2 == 0)
    batch = Batches({"x": table["image"], "y": np.arange(6)}, 2).batch(2)
    assert batch["x"].tolist() == [[16, 17, 18, 19], [20, 21, 22, 23]]
    frame = pl.DataFrame({"a": [1.5, 2.5, 3.5], "b": pl.Series([[1, 2], [3, 4], [5, 6]], dtype=pl.Array(pl.Int32, 2))})
    batch = Batches(frame, 2).batch(0)
    assert batch["a"].tolist() == [1.5, 2.5] and batch["b"].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"x": np.ones(3), "y": np.ones(4)}, "`x` has 3 rows and `y` has 4"),
        ({"x": 1.0}, "`x` has no axis of rows"),
        ({}, "no arrays"),
        (np.array(["a", "b"]), "holds <U1"),
        (np.array([None, 1]), "holds object"),
        (np.ma.MaskedArray([1.0, 2.0], [True, False]), "is masked"),
        (np.ones((0, 3)), "0 rows are fewer than one batch of 2"),
        (np.ones(1), "1 rows are fewer than one batch of 2"),
        (pa.table({"a": [1, None]}), "`a` lacks values"),
        (pa.table({"a": ["x", "y"]}), "`a` holds string"),
        (pa.table({"a": [[1], [2]]}), "`a` holds list"),
        (pa.table({"a": pa.array([[1, None], [2, 3]], pa.list_(pa.int32(), 2))}), "`a` lacks values"),
    ],
)
def test_data_without_batches_are_refused(source: Any, words: str) -> None:
    assert words in refused("E0975", lambda: Batches(source, 2))


@pytest.mark.parametrize("wrong", [{"size": 0}, {"size": 2, "last": "some"}])
def test_options_without_a_meaning_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError):
        Batches(numbered(4), **wrong)
    with pytest.raises(ValueError):
        Batches(numbered(4), 2).batch(-1)
