"""Abstract values of trees, leaf by leaf: what `tree_map` and `tree_reduce` give. Read next: `interpret`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from dsl.core import core
from dsl.core.analysis.abstract_values import Items, Named, Value, field, part
from dsl.core.analysis.cells import Cells
from dsl.core.analysis.recursion import CallsInProgress


class Leafwise(Cells):
    """Functions applied to the leaves of trees of which it may not be known what they are."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = CallsInProgress()

    def undo(self) -> Callable[[], None]:
        """Return a function that undoes everything that the analysis records from now on."""
        return lambda: None

    @abstractmethod
    def apply(self, function: Value, args: Sequence[Value], at: core.Expr, instance: int | None = None) -> Value:
        """A call of a function value at the place `at`."""

    def mapped(self, function: Value, trees: Sequence[Value], at: core.Expr) -> Value:
        """`tree_map`: leaf by leaf, where it is known what the tree is."""
        match trees[0]:
            case Items(parts):
                each = [self.mapped(function, [part(t, i) for t in trees], at) for i in range(len(parts))]
                return Items(tuple(each))
            case Named(fields):
                names = [name for name, _ in fields]
                return Named(tuple([(n, self.mapped(function, [field(t, n) for t in trees], at)) for n in names]))
            case _:
                return self.apply(function, trees, at)

    def folded(self, function: Value, total: Value, tree: Value, at: core.Expr) -> Value:
        """`tree_reduce`: leaf after leaf; at its fixed point, where it is not known what the tree is."""
        match tree:
            case Items(parts):
                for each in parts:
                    total = self.folded(function, total, each, at)
                return total
            case Named(fields):
                for _, each in fields:
                    total = self.folded(function, total, each, at)
                return total
        while True:
            before, cells, take_back = total, self.cells, self.calls.taking_back(self.undo)
            total = self._once_or_never(function, total, tree, at)
            if total == before and self.cells == cells:
                return total
            take_back()

    def _once_or_never(self, function: Value, total: Value, leaf: Value, at: core.Expr) -> Value:
        return self.merged([lambda: total, lambda: self.apply(function, [total, leaf], at)], self.join)
