"""Write lessons into the Markdown files of a scope, which people edit too."""
