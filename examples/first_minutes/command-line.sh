# A person at a terminal: a workspace, three memories, a question.
remem setup --yes --remember "David wants short answers in the morning."
# expect: stored
# expect: $ remem recall "David wants short answers morning"
remem store "Never write to customers without asking David."
# expect: (instruction,
remem store -c decision "The ledger moves to SQLite." --tag ledger
remem recall "how should I write to David?"
# expect: short answers in the morning
remem list
# expect: #ledger
remem index
# expect: Never write to customers
