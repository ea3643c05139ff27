"""Programs while one works on them: at a prompt, under pytest."""
