"""Programs on devices: compile lowered text with XLA, run it, hold the results. Read `adapter` first."""
