"""Transformations of functions: which options each takes, the type of what it gives, and what it demands of its
argument."""
