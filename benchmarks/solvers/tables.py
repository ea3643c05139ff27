"""All tables of solvers on their test sets, in the order of the page."""

from __future__ import annotations

from benchmarks.solvers.odes import NONSTIFF_TABLE, STIFF_TABLE
from benchmarks.solvers.optima import MINIMA_TABLE, ROOTS_TABLE
from benchmarks.solvers.orders import ORDERS_TABLE
from benchmarks.solvers.slopes import SLOPES_TABLE
from benchmarks.solvers.systems import SYSTEMS_TABLE

TABLES = (NONSTIFF_TABLE, STIFF_TABLE, ROOTS_TABLE, MINIMA_TABLE, SYSTEMS_TABLE, ORDERS_TABLE, SLOPES_TABLE)
