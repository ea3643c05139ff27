"""XLA's estimates for a compiled program: work and memory. Read next: `function`."""

from __future__ import annotations

from msgspec import Struct

from lowering.xla import adapter
from lowering.xla.execute import Executable


class Cost(dict[str, float]):
    """Estimates by XLA's names, such as `flops`, `bytes accessed` and `transcendentals`; as text in words."""

    def __str__(self) -> str:
        flops, moved = self.get("flops", 0.0), self.get("bytes accessed", 0.0)
        per_byte = f", {flops / moved:.2g} operations a byte" if moved else ""
        functions = f"{scaled(self.get('transcendentals', 0.0))} values of functions such as exp"
        return f"{scaled(flops)} operations, {functions}, {scaled(moved)}B read and written{per_byte}"


class Memory(Struct, frozen=True):
    """The memory that a run takes, in bytes: `peak` at once; that of the arguments, of the results, and of what lies in
    between. What results reuse of arguments is counted with both."""

    peak: int
    arguments: int
    results: int
    between: int

    def __str__(self) -> str:
        parts = [f"{scaled(getattr(self, name))}B {name}" for name in ("arguments", "results")]
        return f"{scaled(self.peak)}B at once: {', '.join(parts)}, {scaled(self.between)}B in between"


def cost_of(executable: Executable) -> Cost:
    """Without what XLA says of single operands, `bytes accessed0{}`."""
    found = executable.finish().raw.cost_analysis().items()
    return Cost({str(name): float(value) for name, value in found if "{" not in name})


def memory_of(executable: Executable) -> Memory:
    return Memory(*adapter.memory_parts(executable.finish().raw))


def scaled(value: float) -> str:
    """A number with three digits and a prefix: `54.9 k`; what is below 1000 ends with a blank."""
    for exponent, prefix in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if value >= 10**exponent:
            return f"{value / 10**exponent:.3g} {prefix}"
    return f"{value:.3g} "
