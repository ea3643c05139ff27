"""Rows of `ragged`: lists of as many elements as there are, in an eighth as many lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from benchmarks.asymptotics.row import Row, table, two

HEAD = """def f(x: f32[n], y: f32[n]) where n >= 64 and n % 16 == 0 =
    let key = arange(n // 8)[clip(i32(y * f32(n // 8)), 0, n // 8 - 1)]
    let r = ragged.split_by_key(x, key)
    """
CALLS: Mapping[str, str] = MappingProxyType(
    {
        "with_lengths": "ragged.with_lengths(x, full([n // 8], i32(8)))",
        "split_by_key": "r",
        "select": "ragged.select(reshape(x, [n // 8, 8]), reshape(y > 0.5, [n // 8, 8])).offsets",
        "filter": "ragged.filter(r, y > 0.5).offsets",
        "joined": "ragged.joined(r, r)",
        "lengths": "ragged.lengths(r)",
        "list_of": "ragged.list_of(r)",
        "place_of": "ragged.place_of(r)",
        "item": "sum(ragged.item(r, 1))",
        "padded": "ragged.padded(r, size=8, fill=0.0)",
        "sums": "ragged.sums(r)",
        "means": "ragged.means(r)",
        "maxima": "ragged.maxima(r, -inf)",
        "minima": "ragged.minima(r, inf)",
        "softmax": "ragged.softmax(r).values",
        "history": "sum(ragged.history(fn z -> 0.5 * (z + x), x, fn z -> z[0] > 0.0, limit=8), axis=0)",
    }
)


def lists() -> Iterator[Row]:
    """A row for every function of the module."""
    yield from table(two, {name: (HEAD + call, None) for name, call in CALLS.items()}, "ragged")
