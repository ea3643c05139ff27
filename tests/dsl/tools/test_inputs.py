"""Reading data files: what is read, and that every malformed file is one diagnostic at the right place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.diagnostics.diagnostic import InputError
from dsl.tools.inputs import Archive, Document, Frame, Table, read_input, rename_columns


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_input(path)
    assert len(caught.value.diagnostics) == 1
    return str(caught.value)


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_table_has_named_columns(tmp_path: Path) -> None:
    table = read_input(written(tmp_path, "a.csv", '\ufeff# where it is from\n\nage, "bmi"\n1,2.5\r\n\n3,"4"\n'))
    assert isinstance(table, Table)
    assert table.columns == {"age": ("1", "3"), "bmi": ("2.5", "4")}
    assert table.span(1).text == '3,"4"'


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a,b\n1,2\n1,2,3\n", "3 values in a table of 2 columns", 3),
        ("a,b\n1\n", "1 value in a table of 2 columns", 2),
        ("1,2\n3,4\n", "the first row must name the columns", 1),
        ("a,a\n1,2\n", "two columns are named `a`", 1),
        ("a,\n1,2\n", "column 2 has no name", 1),
        ('a,b\n1,"2\n3,4\n', "this row cannot be read", 2),
    ],
)
def test_a_malformed_table_is_refused_at_its_row(tmp_path: Path, text: str, message: str, line: int) -> None:
    path = written(tmp_path, "a.csv", text)
    report = refused(path)
    assert report.startswith("error[E0962]")
    assert message in report
    assert f"a.csv:{line}:1" in report


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    assert "is empty" in refused(written(tmp_path, "a.csv", "# nothing\n\n"))


def test_a_document_is_an_object(tmp_path: Path) -> None:
    document = read_input(written(tmp_path, "a.json", '{"p": {"w": [1, 2.5]}, "n": 3}'))
    assert isinstance(document, Document)
    assert document.values == {"p": {"w": [1, 2.5]}, "n": 3}
    assert "a.json:2:7" in refused(written(tmp_path, "a.json", '{"a": 1,\n "b": }'))
    assert "an object" in refused(written(tmp_path, "a.json", "[1, 2]"))
    assert "nested too deeply" in refused(written(tmp_path, "a.json", "[" * 100_000))


def test_an_archive_keeps_its_dtypes(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", allow_pickle=False, **{"p.w": np.arange(3, dtype="i2")})
    archive = read_input(tmp_path / "a.npz")
    assert isinstance(archive, Archive)
    assert archive.arrays["p.w"].dtype == np.int16


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "good.npz", x=np.arange(100.0))
    data = (tmp_path / "good.npz").read_bytes()
    np.savez(tmp_path / "objects.npz", x=np.array([{}, 1], dtype=object))
    np.save(tmp_path / "single.npy", np.arange(3))
    single = (tmp_path / "single.npy").read_bytes()
    for name, content in (
        ("cut", data[: len(data) // 2]),
        ("words", b"no archive"),
        ("empty", b""),
        ("one", single),
    ):
        assert "E0962" in refused(written(tmp_path, f"{name}.npz", content))
    assert "E0962" in refused(tmp_path / "objects.npz")


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "nix.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "is a directory" in refused(tmp_path / "folder.csv")
    assert "byte 0xE9 on line 2" in refused(written(tmp_path, "a.csv", b"a\n\xe9\n"))
    assert "ends in `.txt`" in refused(written(tmp_path, "a.txt", "x"))
    assert "has no ending" in refused(written(tmp_path, "a", "x"))


@given(st.sampled_from([".csv", ".json", ".npz"]), st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, ending: str, data: bytes) -> None:
    path = written(tmp_path_factory.getbasetemp(), f"any{ending}", data)
    try:
        read_input(path)
    except InputError as error:
        assert error.code in ("E0961", "E0962")


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather"])
def test_a_frame_has_typed_columns(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    frame = polars.DataFrame({"age": [1, 3], "bmi": [2.5, 4.0]})
    (frame.write_parquet if ending == "parquet" else frame.write_ipc)(path)
    found = read_input(path)
    assert isinstance(found, Frame) and found.columns["age"].dtype == np.int64
    assert found.columns["bmi"].tolist() == [2.5, 4.0]
    again = rename_columns(found, {"x": "age"})
    assert isinstance(again, Frame) and set(again.columns) == {"x", "bmi"}
    assert "is not a table" in refused(written(tmp_path, f"b.{ending}", b"nothing of the kind"))


def test_a_single_array_has_the_name_of_its_file(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(3.0))
    found = read_input(tmp_path / "x.npy")
    assert isinstance(found, Archive) and found.arrays["x"].tolist() == [0.0, 1.0, 2.0]
    assert "is not an array" in refused(written(tmp_path, "y.npy", b"no"))


def test_parts_of_an_archive_get_the_name_of_a_parameter() -> None:
    archive = Archive("a.npz", {"0.w": np.ones(2), "0.b": np.ones(()), "1": np.zeros(3)})
    found = rename_columns(archive, {"p": "0", "y": "1"})
    assert isinstance(found, Archive) and set(found.arrays) == {"p.w", "p.b", "y"}
