"""Loops and comprehensions, and what they iterate over."""
