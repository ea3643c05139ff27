"""All ops by name: the one list. An op is added to its family's tuple; nothing registers itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.ir.op import AnyOp
from dsl.ops.annotations import ANNOTATIONS
from dsl.ops.bits import BITS
from dsl.ops.collective import COLLECTIVE
from dsl.ops.complex import PARTS
from dsl.ops.contract import CONTRACT
from dsl.ops.control import CONTROL
from dsl.ops.convolve import CONVOLVE
from dsl.ops.cumulative import CUMULATIVE
from dsl.ops.decompose import DECOMPOSE
from dsl.ops.dynamic import DYNAMIC
from dsl.ops.elementwise import ELEMENTWISE
from dsl.ops.extent import EXTENT
from dsl.ops.fft import FOURIER
from dsl.ops.foreign import FOREIGN
from dsl.ops.index import INDEX
from dsl.ops.io import IO
from dsl.ops.layout import LAYOUT
from dsl.ops.linalg import LINALG
from dsl.ops.marks import MARKS
from dsl.ops.power import POWER
from dsl.ops.ragged import RAGGED
from dsl.ops.random import RANDOM
from dsl.ops.reduce import REDUCE
from dsl.ops.scatter import SCATTER
from dsl.ops.search import SEARCH
from dsl.ops.selection import SELECTION
from dsl.ops.sharding import SHARDING
from dsl.ops.sort import SORTING
from dsl.ops.special import SPECIAL
from dsl.ops.unary import UNARY

FAMILIES: Mapping[str, tuple[AnyOp, ...]] = MappingProxyType(
    {
        "layout": LAYOUT,
        "elementwise": ELEMENTWISE,
        "complex": PARTS,
        "unary": UNARY,
        "power": POWER,
        "special": SPECIAL,
        "selection": SELECTION,
        "bits": BITS,
        "extent": EXTENT,
        "reduce": REDUCE,
        "search": SEARCH,
        "ragged": RAGGED,
        "cumulative": CUMULATIVE,
        "contract": CONTRACT,
        "convolve": CONVOLVE,
        "fft": FOURIER,
        "index": INDEX,
        "scatter": SCATTER,
        "dynamic": DYNAMIC,
        "linalg": LINALG,
        "decompose": DECOMPOSE,
        "sort": SORTING,
        "random": RANDOM,
        "collective": COLLECTIVE,
        "io": IO,
        "control": CONTROL,
        "annotations": ANNOTATIONS,
        "sharding": SHARDING,
        "foreign": FOREIGN,
        "marks": MARKS,
    }
)
OPS: Mapping[str, AnyOp] = MappingProxyType({op.name: op for family in FAMILIES.values() for op in family})
