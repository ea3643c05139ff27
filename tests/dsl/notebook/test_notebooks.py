"""The notebooks of the examples, run by a kernel as Jupyter runs them; and what the kernel says while one types."""

from __future__ import annotations

from collections.abc import Iterator
from os import environ
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[3] / "examples/notebooks"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NotebookClient]:
    """One kernel with four devices, for all notebooks."""
    manager = AsyncKernelManager()
    client = NotebookClient(nbformat.v4.new_notebook(), km=manager)
    folder = tmp_path_factory.mktemp("notebook")
    client.start_new_kernel(env={**environ, "DSL_CPU_DEVICES": "4"}, cwd=str(folder), stderr=DEVNULL)
    client.start_new_kernel_client()
    yield client
    run_sync(manager.shutdown_kernel)(now=True)


def run(kernel: NotebookClient, name: str) -> list[Any]:
    """Run a notebook with the names of the ones before it forgotten, and return the outputs of its cells of code."""
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f\n%reload_ext dsl"))
    client = NotebookClient(notebook, km=kernel.km)
    client.kc = kernel.kc
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            client.execute_cell(cell, number)
    return [cell.outputs for cell in notebook.cells[1:] if cell.cell_type == "code"]


def shown(outputs: Any, kind: str = "text/plain") -> str:
    """What a cell shows in a form, all of it."""
    return "\n".join([str(each.data[kind]) for each in outputs if "data" in each and kind in each.data])


def test_cells_share_their_names(kernel: NotebookClient) -> None:
    _, _, step, trained, loss, time, cost = run(kernel, "regression")
    assert shown(step).startswith("def step(p: Params[d]")
    assert "<table>" in shown(trained, "text/html") and float(shown(loss)) < 1e-6
    assert "in the median of 7 calls" in shown(time)
    assert "2*d*n + 4*n + 1" in shown(cost)


def test_cells_with_names_are_imported(kernel: NotebookClient) -> None:
    _, _, _, values, again, rectangle, refused, circle, _, last = run(kernel, "modules")
    assert shown(values).startswith("(3.14159")
    assert "checked again: circle" in shown(again) and shown(rectangle) == "4.0"
    assert "no longer fits: circle" in shown(refused) and "error[E0307]" in shown(refused, "text/html")
    assert shown(circle).startswith("<`circle` no longer fits") and shown(last) == "9.0"


def test_ir_and_layouts_are_pictures(kernel: NotebookClient) -> None:
    _, _, ir, matrix, record, layout, grid = run(kernel, "pictures")
    assert "<svg" in shown(ir, "text/html") and "def normalise(%0: f32[2, 3])" in shown(ir)
    assert shown(matrix, "text/html").count("<tr>") == 3 and ">columns</th>" in shown(record, "text/html")
    assert shown(layout).splitlines() == [f"[{k}:{k + 1}, 0:4]: cpu:{k}" for k in range(4)]
    assert "over 4 devices" in shown(grid, "text/html")


def test_a_kernel_completes_and_explains_in_cells(kernel: NotebookClient) -> None:
    run(kernel, "regression")
    code = "%%dsl\ndef better(p: Params[d], x: f32[n, d], y: f32[n]) where n >= 1 = los"
    completed = ask(kernel, "complete", code)
    assert "loss" in completed["matches"] and code[completed["cursor_start"] :] == "los"
    explained = ask(kernel, "inspect", f"{code}s")
    assert "The mean squared error." in explained["data"]["text/plain"]
    python = ask(kernel, "inspect", "np.zeros")
    assert "text/markdown" not in python["data"] and "zeros" in python["data"]["text/plain"]


def ask(kernel: NotebookClient, question: str, code: str) -> Any:
    """The reply of the kernel to a question about the end of some code."""

    async def asked() -> Any:
        return await getattr(kernel.kc, question)(code, len(code), reply=True, timeout=30)

    return run_sync(asked)()["content"]
