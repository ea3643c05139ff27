"""The errors a user sees: `DslError`, one subclass per family of codes, and the data they carry.

The data itself is defined in `message` and offered here as well, so that `render` can stand between the two.
Nothing here knows the language. Read next: `codes`, then `render`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dsl.diagnostics.message import Diagnostic, Edit, Help, Label, Option, Severity
from dsl.diagnostics.render import render_plain
from dsl.diagnostics.tracebacks import lines

__all__ = [
    "ArgumentError",
    "CheckError",
    "DeviceError",
    "Diagnostic",
    "DslError",
    "DslSyntaxError",
    "DslTypeError",
    "Edit",
    "EffectError",
    "Help",
    "InputError",
    "InternalError",
    "Label",
    "MutationError",
    "NameResolutionError",
    "Option",
    "Severity",
    "ShapeError",
    "StageError",
    "TransformError",
    "error_for",
]


class DslError(Exception):
    """Every error a user sees. `diagnostics` holds all of them, in order, with places in files; `str` is their printed
    form."""

    __module__ = "dsl"
    short_traceback = True
    """Whether frames of puredsl are left out where it is printed."""

    def __init_subclass__(cls) -> None:
        cls.__module__ = "dsl"

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        if not diagnostics:
            raise ValueError("a DslError needs at least one diagnostic")
        self.diagnostics = tuple([d.placed for d in diagnostics])
        super().__init__(self.diagnostics)

    @property
    def code(self) -> str:
        """The code of the first error."""
        return first_error(self.diagnostics).code

    def __str__(self) -> str:
        return "\n\n".join(render_plain(d) for d in self.diagnostics)

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython prints."""
        return lines(self)


class DslSyntaxError(DslError):
    """E01: the text is not a program."""


class NameResolutionError(DslError):
    """E02: a name or a module that cannot be found, is not unique, or may not be used here."""


class DslTypeError(DslError, TypeError):
    """E03: dtypes or types that do not fit."""


class ShapeError(DslError, ValueError):
    """E04: sizes or shapes that do not fit."""


class StageError(DslError):
    """E05: a traced value where a static one is wanted."""


class MutationError(DslError):
    """E06: an assignment to what never changes, or a key used twice."""


class EffectError(DslError):
    """E07: an effect that is not declared, not handled, or not allowed here."""


class TransformError(DslError):
    """E08: a transformation that is not defined for this function."""


class ArgumentError(DslError, TypeError):
    """E0901 to E0939: an argument from Python does not fit the parameter it is given for."""


class CheckError(DslError):
    """E0940 to E0959: an `assert`, a bound or a `checked` value failed while the program ran."""


class InputError(DslError):
    """E0960 to E0999: a file or a command line that cannot be used."""


class DeviceError(DslError):
    """E10: a device that is missing, full, or does not support what is asked of it."""


class InternalError(Exception):
    """A bug of puredsl, and no mistake of a program: so it is no `DslError`. Its notes hold what helps to find it."""

    __module__ = "dsl"

    def __init__(self, message: str) -> None:
        super().__init__(f"{message}\nThis is a bug of puredsl, please report it together with the program.")


_BY_FAMILY: Mapping[str, type[DslError]] = MappingProxyType(
    {
        "E01": DslSyntaxError,
        "E02": NameResolutionError,
        "E03": DslTypeError,
        "E04": ShapeError,
        "E05": StageError,
        "E06": MutationError,
        "E07": EffectError,
        "E08": TransformError,
        "E10": DeviceError,
    }
)


def error_class(code: str) -> type[DslError]:
    """The class of errors a code belongs to; `DslError` itself for a warning."""
    if code.startswith("E09"):
        return ArgumentError if code < "E0940" else CheckError if code < "E0960" else InputError
    return _BY_FAMILY.get(code[:3], DslError)


def first_error(diagnostics: Sequence[Diagnostic]) -> Diagnostic:
    """The first error, or where there are only warnings the first of those."""
    return next((d for d in diagnostics if d.severity is Severity.ERROR), diagnostics[0])


def error_for(diagnostics: Sequence[Diagnostic]) -> DslError:
    """The exception that carries `diagnostics` (at least one), of the class of the first error among them."""
    return error_class(first_error(diagnostics).code)(diagnostics)
