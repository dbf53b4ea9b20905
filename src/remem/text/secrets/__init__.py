"""Finding and masking secrets: known formats, labelled fields, sentences, recovery phrases."""
