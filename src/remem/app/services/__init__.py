"""The services of a workspace; each has what it needs as constructor arguments."""
