"""The transformations of the language, one row each: what the checker, staging, Python and the pages read of them.

A rule that belongs to a transformation stands where it applies, in a table by `Kind` of which a test sees that it is
whole: `typechecker.transforms` says what type the result has, `dsl.staging.transforms` what becomes of the IR.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum, auto
from types import MappingProxyType

from msgspec import Struct


class Kind(StrEnum):
    """A transformation, by its name in a program and in Python."""

    JIT = "jit"
    GRAD = "grad"
    VALUE_AND_GRAD = "value_and_grad"
    JACFWD = "jacfwd"
    JACREV = "jacrev"
    HESSIAN = "hessian"
    VALUE_AND_JACFWD = "value_and_jacfwd"
    VMAP = "vmap"
    PMAP = "pmap"
    SHARD = "shard"
    CHECKPOINT = "checkpoint"
    CUSTOM_JVP = "custom_jvp"
    CUSTOM_VJP = "custom_vjp"
    JVP = "jvp"
    HVP = "hvp"
    LINEARIZE = "linearize"
    VJP = "vjp"


class Mode(Enum):
    """How a derivative goes through the function itself."""

    FORWARD = auto()
    REVERSE = auto()


class Transformation(Struct, frozen=True, kw_only=True):
    """`page`: that of `docs/transformations`. `parameters`: those beside the function, of which the `required` must be
    given. `mode`: of a derivative. `with_value`: it gives the value beside the derivative. `maps`: the function sees
    one element of its arguments at a time. `same`: it is the function itself, computed in another way. `called_alike`:
    a call of it takes the arguments of the function and returns its result.

    `at_once`: it is applied to the function and to arguments of the function together, `jvp(f, xs, ts)`; the others
    make a function, `grad(f)`.
    """

    kind: Kind
    page: str
    parameters: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    mode: Mode | None = None
    with_value: bool = False
    maps: bool = False
    same: bool = False
    called_alike: bool = False
    at_once: bool = False

    @property
    def runs_once(self) -> bool:
        """Return whether a call of it is one run of the function, with all its effects: so it is for every
        derivative."""
        return self.same or self.mode is not None


_POINT = ("argnums",)
_SCALAR = (*_POINT, "has_aux")
_ROWS = (
    Transformation(kind=Kind.JIT, page="jit", same=True, called_alike=True),
    Transformation(kind=Kind.GRAD, page="grad", parameters=_SCALAR, mode=Mode.REVERSE),
    Transformation(kind=Kind.VALUE_AND_GRAD, page="grad", parameters=_SCALAR, mode=Mode.REVERSE, with_value=True),
    Transformation(kind=Kind.JACFWD, page="jacobians", parameters=_POINT, mode=Mode.FORWARD),
    Transformation(kind=Kind.VALUE_AND_JACFWD, page="jacobians", parameters=_POINT, mode=Mode.FORWARD, with_value=True),
    Transformation(kind=Kind.JACREV, page="jacobians", parameters=_POINT, mode=Mode.REVERSE),
    Transformation(kind=Kind.HESSIAN, page="jacobians", parameters=_POINT, mode=Mode.REVERSE),
    Transformation(kind=Kind.VMAP, page="vmap", parameters=("in_axes", "out_axes", "axis_name"), maps=True),
    Transformation(kind=Kind.PMAP, page="pmap", parameters=("axis_name", "in_axes", "out_axes"), maps=True),
    Transformation(
        kind=Kind.SHARD,
        page="shard",
        parameters=("mesh", "in_specs", "out_specs"),
        required=("mesh", "in_specs", "out_specs"),
    ),
    Transformation(kind=Kind.CHECKPOINT, page="checkpoint", parameters=("policy",), same=True, called_alike=True),
    Transformation(kind=Kind.CUSTOM_JVP, page="custom", parameters=("rule",), required=("rule",), called_alike=True),
    Transformation(
        kind=Kind.CUSTOM_VJP, page="custom", parameters=("fwd", "bwd"), required=("fwd", "bwd"), called_alike=True
    ),
    Transformation(
        kind=Kind.JVP,
        page="jvp",
        parameters=("primals", "tangents"),
        required=("primals", "tangents"),
        mode=Mode.FORWARD,
        with_value=True,
        at_once=True,
    ),
    Transformation(
        kind=Kind.HVP,
        page="jacobians",
        parameters=("x", "v"),
        required=("x", "v"),
        mode=Mode.REVERSE,
        at_once=True,
    ),
    Transformation(kind=Kind.LINEARIZE, page="linearize", mode=Mode.FORWARD, with_value=True, at_once=True),
    Transformation(kind=Kind.VJP, page="vjp", mode=Mode.REVERSE, with_value=True, at_once=True),
)
TRANSFORMATIONS: Mapping[Kind, Transformation] = MappingProxyType({row.kind: row for row in _ROWS})
AT_ONCE = tuple([row.kind for row in _ROWS if row.at_once])
MAKING_FUNCTIONS = tuple([row.kind for row in _ROWS if not row.at_once])


def mode_of(kind: Kind) -> Mode | None:
    return TRANSFORMATIONS[kind].mode


def is_map(kind: Kind) -> bool:
    return TRANSFORMATIONS[kind].maps


def takes_parts(kind: Kind) -> bool:
    """Return whether the function that is transformed gets elements or parts of the arguments: in a map, and in
    `shard`."""
    return is_map(kind) or kind is Kind.SHARD
