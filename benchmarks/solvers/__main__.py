"""Measure solvers on their standard test sets, and write `docs/solver-tests.md`.

    python -m benchmarks.solvers [TABLE ...]

Without names all tables are measured; others keep what is on record. The status is 1 if a row does not keep what its
table promises.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.solvers.table import PAGE, RESULTS, Table, kept, page, recorded, text
from benchmarks.solvers.tables import TABLES


def measured(table: Table) -> Sequence[dict[str, Any]]:
    """Measure the rows of a table, and print them as they come."""
    rows = []
    for row in table.rows:
        found = row.measured()
        rows.append(kept(row, found))
        print(table.name, *row.names, *rows[-1]["cells"], "" if found.fine else "✗", flush=True)
    return rows


def main(*names: str) -> int:
    """Measure, record, and write the page."""
    if unknown := set(names) - {table.name for table in TABLES}:
        print(f"there is no table {', '.join(sorted(unknown))}; there are {', '.join(table.name for table in TABLES)}")
        return 2
    known = recorded() if RESULTS.exists() else {}
    chosen = {table.name for table in TABLES if not names or table.name in names or table.name not in known}
    data = {table.name: measured(table) if table.name in chosen else known[table.name] for table in TABLES}
    lines = [
        f"  {json.dumps(name)}: [\n" + ",\n".join(f"    {json.dumps(row)}" for row in rows) + "\n  ]"
        for name, rows in data.items()
    ]
    RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    PAGE.write_text(page(TABLES, data), encoding="utf-8")
    print("\n\n".join(text(table, data[table.name]) for table in TABLES if table.name in chosen))
    return 0 if all(row["fine"] for rows in data.values() for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
