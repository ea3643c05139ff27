"""Straight-line code that repeats itself becomes a loop: `repeats` finds it, `segments` says what its copies read from
one another, `roll` writes the loop."""
