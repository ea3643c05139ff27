"""Effects: handlers that open cells and keys, operations, and collectives over named axes."""
