"""How fast is it? Every figure is a ratio against bare parts, measured in the same run."""
