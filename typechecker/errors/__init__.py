"""The words of every diagnostic of the checker, one function each, by family.

The rules pass data (terms, types, counter-examples); the sentences are written here and nowhere else.
"""

from dsl.diagnostics.diagnostic import Diagnostic
from typechecker.errors.arrays import *
from typechecker.errors.calls import *
from typechecker.errors.effects import *
from typechecker.errors.names import *
from typechecker.errors.shapes import *
from typechecker.errors.stages import *
from typechecker.errors.transforms import *
from typechecker.errors.types import *

__all__ = [name for name in dir() if not name.startswith("_")] + [Diagnostic.__name__]
