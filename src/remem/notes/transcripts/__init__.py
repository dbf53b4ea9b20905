"""What was said in conversations? The hosts' transcripts: found, read, cleaned, redacted."""
