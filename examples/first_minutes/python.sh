# A developer who gives an agent a memory.
remem init ~/agent
python agent.py
# expect: The ledger moves to SQLite.
