# A person on an empty machine, with pipx.
pipx install remem
# expect: installed package remem
remem setup --yes --remember "David wants short answers in the morning."
# expect: model:
remem recall "does David like long replies?"
# expect: short answers
