"""The standard library: `.dsl` modules over the compiler's primitives. This holds only where they lie."""

from pathlib import Path

FOLDER = Path(__file__).parent


def module_names() -> list[str]:
    """Return the import names of the library's modules."""
    return sorted([file.stem for file in FOLDER.glob("*.dsl") if file.stem.isidentifier()])
