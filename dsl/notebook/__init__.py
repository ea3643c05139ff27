"""Notebooks: cells that share their names, what they show, and help while one types in them."""
