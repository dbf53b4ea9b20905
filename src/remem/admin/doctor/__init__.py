"""The doctor's checks of one scope, and the repairs of what they find."""
