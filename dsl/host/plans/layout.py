"""One answer of `dsl.plan`: how arguments and results lie, what a call takes then, and the text that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dsl.host.compiling.estimates import scaled
from dsl.host.plans.compiled import Compiled
from dsl.host.plans.specs import Tree, python_spec, shardings, spec_text
from lowering.xla.places import Mesh


@dataclass(frozen=True)
class PlannedLayout:
    """How the arrays of a call lie over a mesh, and what it takes on each device: operations, bytes at once, bytes sent
    by axis of the mesh, and seconds by a model. `definition` is the text of a function that calls the planned one so;
    `checkpoints` are the edits of the program, as `line: before -> after`, that it is for. `compiled` is what XLA makes
    of it, if that was asked."""

    __module__ = "dsl"

    flops: int
    bytes: int
    peak: int
    sent: Mapping[str, int]
    seconds: float
    definition: str = field(repr=False)
    checkpoints: tuple[str, ...] = ()
    compiled: Compiled | None = None
    ins: Mapping[str, Tree] = field(default_factory=dict, repr=False)
    outs: Tree = field(default=(), repr=False)

    @property
    def in_specs(self) -> Mapping[str, Any]:
        """Return a spec for each argument, by name."""
        return {name: python_spec(tree) for name, tree in self.ins.items()}

    @property
    def out_specs(self) -> Any:
        """Return the spec of the result."""
        return python_spec(self.outs)

    def shardings(self, mesh: Mesh) -> dict[str, Any]:
        """Return the options of `dsl.jit` for the devices of a mesh: `in_shardings` and `out_shardings`."""
        ins = {name: shardings(tree, mesh) for name, tree in self.ins.items()}
        return {"in_shardings": ins, "out_shardings": shardings(self.outs, mesh)}

    @property
    def specs_text(self) -> list[str]:
        """Return the specs of the arguments and of the result as programs write them, each after its name."""
        named = [f"{name}: {spec_text(tree)}" for name, tree in self.ins.items()]
        return [*named, f"result: {spec_text(self.outs)}"]

    @property
    def data(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        found = {
            "in_specs": self.in_specs,
            "out_specs": self.out_specs,
            "checkpoints": list(self.checkpoints),
            "flops": self.flops,
            "bytes": self.bytes,
            "peak": self.peak,
            "sent": dict(self.sent),
            "seconds": self.seconds,
            "definition": self.definition,
        }
        if self.compiled is not None:
            found["compiled"] = {"peak": self.compiled.peak, "sent": self.compiled.sent}
        return found

    def __str__(self) -> str:
        sent = "".join([f", {scaled(count)}B sent along `{name}`" for name, count in self.sent.items()])
        taken = f"{scaled(self.flops)}flops, {scaled(self.peak)}B at once{sent}"
        return "\n".join([taken, *self.checkpoints, *self.specs_text])
