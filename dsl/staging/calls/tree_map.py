"""`tree_map` over trees that only a call knows.

The function is staged anew for each leaf, with the variables of its dtype and shape standing for that
leaf's own.
"""

from __future__ import annotations

from dsl.core import core
from dsl.staging.env.environment import Frame, Variables
from dsl.staging.env.stager import Stager
from dsl.staging.values import ATOMS, Value, zip_leaves


def map_leaves(s: Stager, node: core.MapLeaves, frame: Frame) -> Value:
    trees = [s.eval(tree, frame) for tree in node.trees]

    def at_leaf(*leaves: Value) -> Value:
        inner = Frame(_for_leaf(frame.variables, node, leaves[0]), frame.locals)
        return s.apply(s.eval(node.function, inner), leaves, node.span)

    return zip_leaves(at_leaf, *trees)


def _for_leaf(variables: Variables, node: core.MapLeaves, leaf: Value) -> Variables:
    outer = variables.solved()
    inner = Variables(outer.solution)
    inner.sizes, inner.types, inner.statics = outer.sizes, outer.types, outer.statics
    assert isinstance(leaf, ATOMS)
    inner.dtypes = {**outer.dtypes, node.dtype: leaf.type.dtype}
    inner.shapes = {**outer.shapes, node.shape: leaf.type.shape}
    return inner
