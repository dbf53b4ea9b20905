"""Looking after a scope: status, audit and the checks of the doctor."""
