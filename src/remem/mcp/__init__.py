"""How does a host's model reach a memory? Over the Model Context Protocol."""
