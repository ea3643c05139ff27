"""Data cut into batches. Which rows a batch has follows from its number alone, so that a position is a number.

The order of an epoch is that of words of Philox, a counter-based generator whose stream NumPy keeps the same in all
versions, under the key of the data and the number of the epoch. Read next: `sources`, `prefetching`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from typing import Any, Literal

import numpy as np

from dsl.data.errors import no_batch, other_data
from dsl.data.sources import NDArray, rows_of
from dsl.diagnostics.settings import choice_of, function_of, integer
from dsl.host.arguments.keys import key as key_of
from lowering.xla.array import Array

Last = Literal["drop", "pad", "keep"]


class Batches:
    """Batches of `size` rows of a tree of arrays, a memory map or an Arrow table, whose columns become a dict.

    With a `key` (or a seed) every epoch has an order of its own; without one, rows come as they are. The rows left over
    at the end of an epoch are dropped, or with `last="keep"` a smaller batch. With `last="pad"` every batch is a pair
    of rows and a mask, which is false where the last batch was filled up with copies of its first row. `transform` is
    applied to the rows of every batch, as NumPy arrays. Raises `InputError` E0975 if there is no batch,
    and `SettingError` E0919 for a wrong size or choice.
    """

    def __init__(
        self,
        source: Any,
        size: int,
        *,
        key: Array | int | None = None,
        last: Last = "drop",
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        self.size = integer("size", size, 1)
        self._last = choice_of("last", last, ("drop", "pad", "keep"))
        self._transform = None if transform is None else function_of("transform", transform)
        self._rows = rows_of(source)
        self._key = None if key is None else np.asarray(key if isinstance(key, Array) else key_of(key))
        self._order = lru_cache(maxsize=2)(self._permuted)
        self.rows = self._rows.count
        if len(self) == 0:
            help = ['`last="pad"` fills the last batch up'] if self.rows else []
            raise no_batch(f"{self.rows} rows are fewer than one batch of {self.size}", *help)

    def __len__(self) -> int:
        """The number of batches of an epoch."""
        return self.rows // self.size if self._last == "drop" else -(-self.rows // self.size)

    def batch(self, number: int) -> Any:
        """The batch of this number, counted from 0 through all epochs."""
        epoch, within = divmod(integer("number", number, 0), len(self))
        ids = self._ids(epoch, within * self.size)
        missing = self.size - len(ids) if self._last == "pad" else 0
        rows = self._rows.take(np.concatenate([ids, np.repeat(ids[:1], missing)]))
        made = rows if self._transform is None else self._transform(rows)
        return (made, np.arange(self.size) < len(ids)) if self._last == "pad" else made

    def epoch(self, number: int) -> Iterator[Any]:
        """The batches of an epoch."""
        start = integer("number", number, 0) * len(self)
        return map(self.batch, range(start, start + len(self)))

    def stream(self, start: int | Mapping[str, Any] = 0) -> Iterator[Any]:
        """All batches of all epochs from a number or a `position` on. Raises `InputError` E0974 for a position in other
        data."""
        return map(self.batch, count(self.number_at(start)))

    def position(self, number: int) -> dict[str, Any]:
        """The place before a batch, as JSON can hold it, for a checkpoint."""
        return {"batch": number, **self._described()}

    def number_at(self, position: int | Mapping[str, Any]) -> int:
        """The number of the batch at a position. Raises `InputError` E0974 for a position in other data."""
        if not isinstance(position, Mapping):
            return integer("start", position, 0)
        described = self._described()
        differing = [name for name in described if position.get(name) != described[name]]
        if differing or not isinstance(position.get("batch"), int):
            name = differing[0] if differing else "batch"
            here = described.get(name, "a number")
            raise other_data(f"the position has `{name}` {position.get(name)!r}, and these batches have {here!r}")
        return int(position["batch"])

    def _described(self) -> dict[str, Any]:
        words = None if self._key is None else self._key.tolist()
        return {"size": self.size, "rows": self.rows, "last": self._last, "key": words}

    def _ids(self, epoch: int, start: int) -> NDArray:
        """The rows of a batch, which begins at this place of the epoch."""
        stop = min(start + self.size, self.rows)
        return np.arange(start, stop) if self._key is None else self._order(epoch)[start:stop]

    def _permuted(self, epoch: int) -> NDArray:
        """The rows in the order of an epoch: O(n log n), once per epoch."""
        high, low = np.asarray(self._key, np.uint64)
        words = np.random.Philox(key=np.array([high << np.uint64(32) | low, epoch], np.uint64)).random_raw(self.rows)
        return np.argsort(words, kind="stable")
