"""The services of a workspace; each gets its dependencies as constructor arguments."""
