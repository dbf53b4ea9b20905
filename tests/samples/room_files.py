"""The rooms of a sample: names, gates and files of groups, and rooms without a name."""

from __future__ import annotations

import json

CHOIR, ALLOTMENT, UNMAPPED = "-1001877345566", "-1002099914410", "-1003300112233"
CHOIR_KEY = f"agent:main:telegram:group:{CHOIR}"
ALLOTMENT_KEY = f"agent:main:telegram:group:{ALLOTMENT}"
UNMAPPED_KEY = f"agent:main:telegram:group:{UNMAPPED}"
CHOIR_ONLY = "The choir's tour bus leaves at 05:50 from the fish market."
ALLOTMENT_ONLY = "The allotment's water is turned off from 28 October to 3 April."

_CHOIR = {
    "memory/groups/choir.md": """---
memory_budget: 2500
---
# choir

## Hard rules
- Nobody's telephone number is posted here.

## Routing
| when | file |
|---|---|
| tour, bus, hotel, dates | attention.md |
| repertoire, scores | project.md |
| what went wrong before | experience.md |
| who sings what | people.md |
| dress, seating | conventions/dress.md |
""",
    "memory/groups/choir/attention.md": f"""# Attention
- {CHOIR_ONLY}
- [ ] Seven members have not paid the second instalment
""",
    "memory/groups/choir/project.md": """# Project
- Autumn programme: two motets, a folk song cycle, one encore in Estonian
""",
    "memory/groups/choir/experience.md": """# Experience
- 2026-05-30: rehearsing after 21:00 leads to complaints; the hall closes at 20:45
- [DEPRECATED] 2025-09-01: scores are handed out on paper
""",
    "memory/groups/choir/people.md": """# People
- Second alto: nine voices, led by the baker
""",
    "memory/groups/choir/conventions/dress.md": """# Dress
- Concerts in black with a blue scarf, open air in white
""",
}
_ALLOTMENT = {
    "memory/groups/allotment.md": f"""# allotment

## Hard rules
- Speak only when asked.

## Routing
- anything: attention.md

- {ALLOTMENT_ONLY}
""",
    "memory/groups/allotment/attention.md": """# Attention
- The shredder is shared: plot 12 has it until Sunday
""",
}


def room_files() -> dict[str, bytes]:
    """Path → bytes; the older layout, by channel, is there too."""
    names = {CHOIR: {"name": "choir", "channel": "telegram"}, f"telegram:{ALLOTMENT}": "allotment"}
    files = {
        "memory/group_names.json": json.dumps(names, indent=2) + "\n",
        "memory/groups/discord/reading-circle.md": "# reading-circle\n\n- Next book: chapter 9.\n",
        **_CHOIR,
        **_ALLOTMENT,
    }
    return {path: text.encode() for path, text in files.items()}
