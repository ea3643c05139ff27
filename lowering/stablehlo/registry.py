"""Which rule writes which op: the table, spelled out. A test demands that it names exactly the ops of `dsl.ops`."""

from __future__ import annotations

from types import MappingProxyType

from lowering.stablehlo import contract, elementwise, extent, layout, reduce
from lowering.stablehlo.context import Rule
from lowering.stablehlo.elementwise import named

RULES: MappingProxyType[str, Rule] = MappingProxyType(
    {
        "add": named("add"),
        "broadcast_in_dim": layout.broadcast_in_dim,
        "compare": elementwise.compare,
        "concatenate": extent.concatenate,
        "constant": extent.constant,
        "convert": elementwise.convert,
        "cos": named("cosine"),
        "div": named("divide"),
        "dot_general": contract.dot_general,
        "exp": named("exponential"),
        "iota": extent.iota,
        "log": named("log"),
        "mul": named("multiply"),
        "neg": named("negate"),
        "pad": extent.pad,
        "reduce_sum": reduce.reduction("add", reduce.zero),
        "rem": named("remainder"),
        "reshape": layout.reshape,
        "rev": layout.rev,
        "scale": elementwise.scale,
        "select": elementwise.select,
        "sin": named("sine"),
        "slice": extent.slice,
        "sqrt": named("sqrt"),
        "sub": named("subtract"),
        "tanh": named("tanh"),
        "transpose": layout.transpose,
    }
)

HOST_OPS = frozenset({"print"})
