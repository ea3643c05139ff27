"""The standard library: `.dsl` modules over the compiler's primitives. This holds only their path."""

from pathlib import Path

FOLDER = Path(__file__).parent
