"""How does remem come into a host, what does it do there, and how does it leave again?"""
