"""IR to StableHLO text, one file per op family. Read `module` first."""
