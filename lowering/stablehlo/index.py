"""Windows at positions that are data: gather, scatters, and slices with one position.

The params are StableHLO's own dimension numbers. The last axis of the indices holds the index vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Atom, Equation, Literal, Tensor, Var
from dsl.ir.op import NoParams
from dsl.ops.dynamic import SizesParams
from dsl.ops.index import WindowParams
from dsl.types.dtype import BOOL, I32
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.elementwise import choice, comparison
from lowering.stablehlo.kept import kept_to_repeat
from lowering.stablehlo.region import combination
from lowering.stablehlo.types import format_list, integers
from lowering.stablehlo.work import is_computed_where_used


def gather(cx: Context, params: WindowParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    x, indices = equation.inputs
    operands = [kept_to_repeat(cx, x, equation.outputs[0].type.size), operands[1]]
    numbers = (
        f"#stablehlo.gather<offset_dims = {format_list(params.offset_dims)}, "
        f"collapsed_slice_dims = {format_list(params.collapsed_dims)}, "
        f"operand_batching_dims = {format_list(params.operand_batch_dims)}, "
        f"start_indices_batching_dims = {format_list(params.index_batch_dims)}, "
        f"start_index_map = {format_list(params.start_index_map)}, index_vector_dim = {indices.type.rank - 1}>"
    )
    text = (
        f'"stablehlo.gather"({", ".join(operands)}) <{{dimension_numbers = {numbers}, '
        f"slice_sizes = {integers(params.slice_sizes)}}}> : "
        f"({cx.type(x.type)}, {cx.type(indices.type)}) -> {cx.type(equation.outputs[0].type)}"
    )
    return (cx.emit(text),)


def emit_along(cx: Context, x: str, source: Tensor, places: str, shape: tuple[int, ...], axis: int) -> str:
    """The elements of each line of `x` along `axis` at that line's `places`, i32 of this shape."""
    others = tuple([a for a in range(source.rank) if a != axis])
    numbers = (
        f"#stablehlo.gather<collapsed_slice_dims = [{axis}], operand_batching_dims = {format_list(others)}, "
        f"start_indices_batching_dims = {format_list(others)}, start_index_map = [{axis}], "
        f"index_vector_dim = {source.rank}>"
    )
    return cx.emit(
        f'"stablehlo.gather"({x}, {places}) <{{dimension_numbers = {numbers}, '
        f"slice_sizes = {integers((1,) * source.rank)}}}> : "
        f"({cx.type(source)}, {cx.type(Tensor(I32, shape))}) -> {cx.type(Tensor(source.dtype, shape))}"
    )


def scatter(spelling: str | None) -> Rule:
    """A scatter that combines what is there with what comes by one operation, or (None) takes what comes."""

    def rule(cx: Context, params: WindowParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        types = [x.type for x in equation.inputs]
        numbers = (
            f"#stablehlo.scatter<update_window_dims = {format_list(params.offset_dims)}, "
            f"inserted_window_dims = {format_list(params.collapsed_dims)}, "
            f"input_batching_dims = {format_list(params.operand_batch_dims)}, "
            f"scatter_indices_batching_dims = {format_list(params.index_batch_dims)}, "
            f"scatter_dims_to_operand_dims = {format_list(params.start_index_map)}, "
            f"index_vector_dim = {types[1].rank - 1}>"
        )
        body = combination(cx, spelling, Tensor(types[0].dtype))
        text = (
            f'"stablehlo.scatter"({", ".join(operands)}) <{{scatter_dimension_numbers = {numbers}, '
            f"unique_indices = {str(params.unique).lower()}}}> ({{\n{body}\n}}) : "
            f"({', '.join(map(cx.type, types))}) -> {cx.type(types[0])}"
        )
        return (cx.emit(text),)

    return rule


def dynamic_slice(cx: Context, params: SizesParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    sources, source = ", ".join([cx.type(x.type) for x in equation.inputs]), equation.inputs[0].type
    target = cx.type(equation.outputs[0].type)
    names = ", ".join([operands[0], *_starts(cx, equation.inputs[1:], operands[1:], source.shape, params.sizes)])
    text = f"stablehlo.dynamic_slice {names}, sizes = {format_list(params.sizes)} : ({sources}) -> {target}"
    return (cx.emit(text),)


def _starts(
    cx: Context, atoms: Sequence[Atom], names: Sequence[str], whole: Sequence[int], part: Sequence[int]
) -> list[str]:
    """The first position of a window along each axis. Literals are within bounds: of a constant outside, XLA's compiler
    for GPUs writes the window elsewhere."""
    return [
        cx.constant(min(max(int(atom.value.real), 0), extent - size), atom.type) if isinstance(atom, Literal) else name
        for atom, name, extent, size in zip(atoms, names, whole, part, strict=True)
    ]


def dynamic_update_slice(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    x, update, *rest = operands
    starts = [k for k, start in enumerate(equation.inputs[2:]) if isinstance(start, Var)]
    made = cx.made.get(equation.inputs[0])
    if cx.is_for_cpu and made is not None and is_computed_where_used(made) and starts:
        update = _kept(cx, equation, operands, starts[0])
    types = [cx.type(atom.type) for atom in equation.inputs]
    whole, part = [atom.type.shape for atom in equation.inputs[:2]]
    rest = _starts(cx, equation.inputs[2:], rest, whole, part)
    text = f"stablehlo.dynamic_update_slice {', '.join([x, update, *rest])} : ({', '.join(types)}) -> {types[0]}"
    return (cx.emit(text),)


def _kept(cx: Context, equation: Equation, operands: list[str], axis: int) -> str:
    """The update, or what is there already where the start along this axis is out of bounds, which it never is.

    XLA would compute the operand and the update in one pass over all elements, each of which asks whether it is in the
    window. An operand that is read for a second purpose it keeps in memory, and writes the window in place.
    """
    x, update, *starts = [atom.type for atom in equation.inputs]
    old = cx.emit(
        f"stablehlo.dynamic_slice {', '.join([operands[0], *operands[2:]])}, sizes = {format_list(update.shape)} : "
        f"({', '.join(map(cx.type, (x, *starts)))}) -> {cx.type(update)}"
    )
    type, last = starts[axis], cx.constant(x.shape[axis] - update.shape[axis], starts[axis])
    start = cx.emit(f"stablehlo.clamp {cx.constant(0, type)}, {operands[2 + axis]}, {last} : {cx.type(type)}")
    fits = comparison(cx, "le", start, last, type)
    return choice(cx, fits, operands[1], old, Tensor(BOOL), update)
