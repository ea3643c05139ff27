"""All ops by name: the one list. An op is added to its family's tuple; nothing registers itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.ir.op import AnyOp
from dsl.ops.contract import CONTRACT
from dsl.ops.elementwise import ELEMENTWISE
from dsl.ops.extent import EXTENT
from dsl.ops.layout import LAYOUT
from dsl.ops.unary import UNARY

FAMILIES: Mapping[str, tuple[AnyOp, ...]] = MappingProxyType(
    {
        "layout": LAYOUT,
        "elementwise": ELEMENTWISE,
        "unary": UNARY,
        "extent": EXTENT,
        "contract": CONTRACT,
    }
)
OPS: Mapping[str, AnyOp] = MappingProxyType({op.name: op for family in FAMILIES.values() for op in family})
