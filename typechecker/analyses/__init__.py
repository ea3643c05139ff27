"""Analyses of checked definitions, over Core: random keys used once, what a derivative reaches, linearity of custom
rules, what forward mode passes through."""
