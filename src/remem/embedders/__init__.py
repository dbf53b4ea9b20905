"""Where do vectors come from? Adapters of the Embedder port; nothing here imports a store."""
