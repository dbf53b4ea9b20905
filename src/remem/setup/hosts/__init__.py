"""Connect hosts: add remem to their settings files, and remove it again."""
