"""Convert downloaded models into the files that remem runs."""
