"""What the command line does, one module per task. The top of the layers: everything below may be used here."""
