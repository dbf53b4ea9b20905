"""Find and mask secrets: known formats, labelled fields, sentences, recovery phrases."""
