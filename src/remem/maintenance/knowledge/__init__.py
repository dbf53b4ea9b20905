"""How do facts get in, and how are entities named and joined? Nothing is deleted or reworded."""
