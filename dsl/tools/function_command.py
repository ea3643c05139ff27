"""Commands about one function: a message about a wrong word names the options that take the function's arguments."""

from __future__ import annotations

from difflib import get_close_matches

import click


class FunctionCommand(click.Command):
    """A command with options for the arguments of a function, and maybe for its sizes."""

    allow_extra_args = True  # refused below

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            left = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise click.UsageError(self._unknown(error.option_name), ctx) from None
        function = ctx.params.get("function") or ""
        left = [function, *left] if "=" in function else left
        if left and not ctx.resilient_parsing:
            raise click.UsageError(f"unexpected argument {left[0]!r}. {self._forms(*left[0].split('=', 1))}", ctx)
        return left

    def _unknown(self, option: str) -> str:
        """The message about an unknown option. Dashes, which all options have, make none alike."""
        name = option.lstrip("-")
        known = {each.lstrip("-"): each for parameter in self.params for each in parameter.opts}
        near = get_close_matches(name, known, n=1)
        advice = f"Did you mean {known[near[0]]!r}?" if near else self._forms(name.replace("-", "_"), "…")
        return f"no option {option!r}. {advice}"

    def _forms(self, name: str, value: str = "") -> str:
        """How an argument of the function, static or not, and a size are written for this command."""
        word = f"{name}={value}" if value and name.isidentifier() else "NAME=VALUE"
        known = {parameter.name for parameter in self.params}
        size = f", and a size `--size {word}`" if "sizes" in known else ""
        return f"An argument of the function is written `--arg {word}`, a static one `--static {word}`{size}."
