"""Indexing and functional updates: `x[i, 1:, ...]` and `x.at[i].set(v)`."""
