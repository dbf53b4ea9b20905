"""Keep the passage index in step with the files."""
