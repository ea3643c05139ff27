"""The words of every diagnostic of the checker, one function each, one module for each family.

The rules pass data (terms, types, counterexamples); the sentences are written here and nowhere else. `words` holds the
phrases that the families share, `repairs` the edits that a help offers.
"""
