"""How does a memory keep itself small? What nobody needs fades, and comes back when asked for."""
