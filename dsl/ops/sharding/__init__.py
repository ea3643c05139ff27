"""Arrays over several devices: what is done on each part, and how whole ones lie. `SHARDING` is the family's list."""

from __future__ import annotations

from dsl.ir.op import AnyOp
from dsl.ops.sharding.shard import SHARD
from dsl.ops.sharding.with_sharding import WITH_SHARDING

SHARDING: tuple[AnyOp, ...] = (SHARD, WITH_SHARDING)
