"""The doctor's checks of one scope, and the repairs that belong to them."""
