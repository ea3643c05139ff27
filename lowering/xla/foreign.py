"""Functions of another compiler: under names that no other module has, and at the sizes of a call.

Read next: `dsl.ops.foreign`, `dsl.interop.jax.modules`.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256

from dsl.ops.foreign import ForeignParams
from dsl.records import replace
from lowering.stablehlo.types import tensor
from lowering.xla import adapter


def under_own_names(text: str, name: str) -> tuple[str, str]:
    """The functions of a module under names that no other module has, and the name of the one that was `main`."""
    prefix = f"{name}_{sha256(text.encode()).hexdigest()[:16]}_"
    return adapter.renamed(text, prefix), f"{prefix}main"


@cache
def settled(params: ForeignParams) -> ForeignParams:
    """The functions at the sizes of these operands."""
    text, entry = under_own_names(adapter.refined(_with_main(params)), params.entry)
    return replace(params, functions=text, entry=entry, open=False)


def _with_main(params: ForeignParams) -> str:
    """A module that calls the entry with operands that have sizes."""
    inputs, outputs = adapter.boundary_types(f"module {{\n{params.functions}\n}}", params.entry)
    given, wanted = list(map(tensor, params.operands)), list(map(tensor, params.results))
    operands, results = [f"%x{k}" for k in range(len(given))], [f"%y{k}" for k in range(len(wanted))]
    heads = ", ".join([f"{x}: {type}" for x, type in zip(operands, given, strict=True)])
    entered = ", ".join([f"{x}o" for x in operands])
    lines = [
        f"func.func public @main({heads}) -> ({', '.join(wanted)}) {{",
        *[f"{x}o = stablehlo.convert {x} : ({a}) -> {b}" for x, a, b in zip(operands, given, inputs, strict=True)],
        f"%r:{len(wanted)} = call @{params.entry}({entered}) : ({', '.join(inputs)}) -> ({', '.join(outputs)})",
        *[f"{y} = stablehlo.convert %r#{k} : ({outputs[k]}) -> {wanted[k]}" for k, y in enumerate(results)],
        f"return {', '.join(results)} : {', '.join(wanted)}",
        "}",
    ]
    return "\n".join(["module {", *lines, params.functions, "}"])
