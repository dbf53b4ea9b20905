# The owner of an OpenClaw agent, whose workspace has MEMORY.md, USER.md and notes.
remem setup --yes
# expect: migrated:
# expect: activated: AGENTS.md
remem recall "what does Ana not eat?"
# expect: peanuts
