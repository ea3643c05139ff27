"""Programs while one works on them: in notebooks, at a prompt, under pytest."""
