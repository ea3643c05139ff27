"""A lowered function to an executable. What XLA refuses here is a bug of the compiler, and is reported as
one.

Read next: `execute`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lowering.stablehlo.module import Lowered
from lowering.xla import adapter
from lowering.xla.callbacks import Host
from lowering.xla.clients import Client, cpu
from lowering.xla.execute import Executable

Options = Sequence[tuple[str, Any]]
"""Flags of XLA by name, such as `("xla_cpu_enable_fast_math", True)`, for one compilation."""


class CompilationFailed(Exception):
    """XLA refused a program that the compiler made: an internal error. `text` is the StableHLO that it
    refused."""

    def __init__(self, name: str, reason: str, text: str) -> None:
        super().__init__(f"XLA refused the code made for `{name}`: {reason}")
        self.name = name
        self.reason = reason
        self.text = text


def compile(lowered: Lowered, *, client: Client | None = None, options: Options = ()) -> Executable:
    """Compiles for the processor, or for the device of `client`."""
    client = cpu() if client is None else client
    host = Host(lowered.callbacks) if lowered.callbacks else None
    try:
        if host is None:
            raw = adapter.compile_text(client.raw, lowered.text, client.chosen, options)
        else:
            calls = host.functions()
            raw = adapter.compile_with_callbacks(client.raw, lowered.text, client.chosen, options, calls)
    except (adapter.RuntimeFault, ValueError) as fault:
        raise CompilationFailed(lowered.name, str(fault), lowered.text) from fault
    return Executable(raw, client, lowered, host)
