"""The words of every diagnostic of the checker, one module for each family.

The rules pass data (terms, types, counterexamples); the sentences are written here and nowhere else: a row of
`templates` where they are the same at every place, a function where they depend on what is there. `words` holds the
phrases that the families share, `repairs` the edits that a help offers.
"""
