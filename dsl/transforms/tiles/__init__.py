"""Large intermediate arrays are computed tile by tile.

`resize` states an equation for part of an axis, `regions` finds equations that can run so together, `tile` writes them
as a loop. Nothing is imported here.
"""
