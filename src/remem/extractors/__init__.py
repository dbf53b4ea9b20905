"""How does a text become statements? Rules by default; no model is needed."""
