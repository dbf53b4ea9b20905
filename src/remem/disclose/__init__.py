"""What an agent is shown: the start text, gates, files on demand."""
