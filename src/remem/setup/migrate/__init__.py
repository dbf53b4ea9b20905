"""Migration of existing memory files into entries."""
