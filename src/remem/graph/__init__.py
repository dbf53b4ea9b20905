"""The graph: relations between the things that memories speak of, and queries over them."""
