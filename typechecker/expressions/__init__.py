"""The rules for expressions that call nothing: names and literals, operators, comparisons, blocks, `match`,
patterns."""
