"""Memory files: where they lie, how they are read and written, what stands in them."""
