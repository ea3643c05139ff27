"""`dsl.data`: batches of arrays, memory maps and Arrow tables, in an order that a later process can go on with.

`batches` cuts data into batches, `sources` reads their rows, `prefetching` brings them to devices in a thread, and
`errors` has the words.
"""

from __future__ import annotations

from dsl.data.batches import Batches
from dsl.data.prefetching import prefetch

__all__ = ["Batches", "prefetch"]
