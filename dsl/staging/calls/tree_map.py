"""`tree_map` and `tree_reduce` over trees that only a call knows.

The function is staged anew for each leaf, with the variables of its dtype and shape standing for that
leaf's own.
"""

from __future__ import annotations

from dsl.core import core
from dsl.staging.env.environment import Frame, Variables
from dsl.staging.env.stager import Stager
from dsl.staging.values import ATOMS, Value, leaves, zip_leaves


def map_leaves(s: Stager, node: core.MapLeaves, frame: Frame) -> Value:
    trees = [s.eval(tree, frame) for tree in node.trees]

    def at_leaf(*given: Value) -> Value:
        inner = Frame(_for_leaf(frame.variables, node, given[0]), frame.locals)
        return s.apply(s.eval(node.function, inner), given, node.span)

    return zip_leaves(at_leaf, *trees)


def fold_leaves(s: Stager, node: core.FoldLeaves, frame: Frame) -> Value:
    total = s.eval(node.init, frame)
    for leaf in leaves(s.eval(node.tree, frame)):
        inner = Frame(_for_leaf(frame.variables, node, leaf), frame.locals)
        total = s.apply(s.eval(node.function, inner), (total, leaf), node.span)
    return total


def _for_leaf(variables: Variables, node: core.MapLeaves | core.FoldLeaves, leaf: Value) -> Variables:
    outer = variables.solved()
    inner = Variables(outer.solution)
    inner.sizes, inner.types, inner.statics = outer.sizes, outer.types, outer.statics
    assert isinstance(leaf, ATOMS)
    inner.dtypes = {**outer.dtypes, node.dtype: leaf.type.dtype}
    inner.shapes = {**outer.shapes, node.shape: leaf.type.shape}
    return inner
