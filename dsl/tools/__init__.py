"""What the command line does, one module per task. Everything below may be used here."""
