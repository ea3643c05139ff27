"""The intrinsic of modules that stand for programs of another compiler. Read next: `dsl.ops.foreign`."""

from __future__ import annotations

from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.ops.foreign import STABLEHLO, ForeignParams
from dsl.staging.values import TupleValue, Value, as_atom, as_int
from dsl.types.dtype import BY_NAME


def stablehlo(b: Builder, *xs: Value, functions: Value, entry: Value, results: Value, open: Value = False) -> Value:
    """Call `entry` of a foreign module; `results` has the dtype and the sizes of each result: `("f32", 3)`. If it is
    `open`, the module is for all sizes."""
    assert isinstance(results, TupleValue)
    types = tuple([_tensor(part) for part in results.parts])
    atoms = [as_atom(x) for x in xs]
    params = ForeignParams(str(entry), tuple([x.type for x in atoms]), types, str(functions), open is True)
    return TupleValue(STABLEHLO(b, params, *atoms))


def _tensor(part: Value) -> Tensor:
    assert isinstance(part, TupleValue)
    name, *shape = part.parts
    return Tensor(BY_NAME[str(name)], tuple([as_int(size) for size in shape]))
