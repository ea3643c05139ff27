"""A page to try programs on: what it asks, who answers, and the page itself. Answers need no jaxlib."""
