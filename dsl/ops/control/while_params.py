"""The params of `while`, a loop that runs as long as a condition holds. Read next: `loop`."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor, Var
from dsl.ops.control.region_utils import function
from dsl.ops.control.signature import Origins, Signature
from dsl.ops.elementwise import add
from dsl.ops.flags import cut
from dsl.ops.rule_helpers import splat
from dsl.records import replace
from dsl.types.dtype import I32, I64, integer_range


class WhileParams(Struct, frozen=True):
    """Operands: constants of `cond`, constants of `body`, initial values. Results: the last values, then the outputs
    stacked.

    `cond`: its constants, carry -> bool. `body`: its constants, carry -> carry, outputs. At most `limit` steps are
    taken, if there is one; only then there may be outputs, which are zero where no step was taken.
    """

    cond: Function
    body: Function
    cond_consts: int
    body_consts: int
    limit: int | None = None

    @property
    def carry(self) -> int:
        """How many values the loop carries."""
        return len(self.cond.params) - self.cond_consts

    @property
    def outputs(self) -> int:
        """How many outputs each step has."""
        return len(self.body.results) - self.carry

    @property
    def signature(self) -> Signature:
        """How operands reach the body, which sees no constants of `cond`."""
        return Signature(self.cond_consts, self.body_consts, self.carry, along=1, runs=False)

    @property
    def alike(self) -> tuple[Function, ...]:
        """The body."""
        return (self.body,)

    def remade(self, bodies: Sequence[Function], origins: Origins | None = None, /) -> WhileParams:
        """Return the loop with another body; its condition is the same, whatever else is carried."""
        if origins is None:
            return replace(self, body=bodies[0])
        signature = origins.signature
        tests, carry = cut(self.cond.params, self.cond_consts)
        seen = origins.params[signature.consts :]
        first = self.body_consts
        params = [carry[i - first] if i not in seen[:k] else Var(carry[i - first].type) for k, i in enumerate(seen)]
        cond = function(self.cond, (*tests, *params), self.cond.results)
        return replace(self, cond=cond, body=bodies[0], body_consts=signature.consts)

    @property
    def counter(self) -> Tensor:
        """Return the type of the step counter."""
        return Tensor(I32 if self.limit is None or self.limit <= integer_range(I32)[1] else I64)


def with_steps(params: WhileParams, counter: Tensor) -> WhileParams:
    """The loop with the number of steps taken as the last value of its carry. Its body is no call of the other: what
    does not change from step to step is found among the equations."""
    steps, left = Var(counter), Var(counter)
    b = Builder()
    b.equations = list(params.body.equations)
    more = add(b, steps, splat(1, counter))
    last, outputs = cut(params.body.results, params.carry)
    body = Function(params.body.name, (*params.body.params, steps), tuple(b.equations), (*last, more, *outputs))
    cond = function(params.cond, (*params.cond.params, left), params.cond.results)
    return replace(params, cond=cond, body=body)
