# The same with uv.
uv tool install remem
# expect: Installed 1 executable: remem
remem setup --yes --remember "David wants short answers in the morning."
# expect: model:
remem recall "does David like long replies?"
# expect: short answers
