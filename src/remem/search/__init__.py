"""Search and recall: from a question to ranked results within a token budget."""
