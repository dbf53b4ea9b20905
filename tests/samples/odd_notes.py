"""Notes that break programs: sizes, bytes and shapes seen in real workspaces."""

from __future__ import annotations

import base64
from datetime import date, timedelta
from random import Random

from tests.samples.fake_secrets import look_alikes, private_key, secrets
from tests.samples.world import World

HUGE_NOTE = "memory/2026-05-20.md"
HUGE_BYTES = 340_000
UNCLOSED = "memory/2026-02-03-unclosed.md"
CRLF = "memory/2025-06-17-windows.md"
NUL = "memory/2025-08-30-nul.md"
SPACED = "memory/shopping list for the boat.md"
NON_ASCII = "memory/2026-04-11-会议记录 café.md"
TABS = "memory/2024-10-02-tabs.md"
UNENDED = "memory/2024-12-24-no-newline.md"
BLANK = "memory/2025-01-01.md"
EMPTY = "memory/archive/empty.md"
ZERO_WIDTH = "memory/2026-01-30-pasted.md"
BASE64 = "memory/2025-11-05-image.md"
LONG_LINE = "memory/2025-11-06-long-line.md"
SESSION = "memory/2026-06-25-1412.md"
MATTER = "memory/2026-07-02-front-matter.md"
H2_FIRST = "memory/2026-08-08-appended.md"
BOM = "memory/2024-03-15-bom.md"
UTF16 = "memory/2024-03-16-utf16.md"
LATIN1 = "memory/2024-03-17-latin1.md"
REPLACED = "memory/2024-03-18-replaced.md"
SECRETS = "memory/2026-01-17-keys.md"
WRONG_YEAR = "memory/2062-02-09.md"
OLD = "memory/2023-05-04.md"
DEFAULTS = tuple(
    (date(2026, 6, 2) + timedelta(days=days), value)
    for days, value in ((0, "08:00"), (6, "07:30"), (13, "06:45"), (20, "09:15"))
)

# What can be asked of them: the question, the note, and words of the line that answers it.
ASKED = (
    ("Which drawer is the pump manual in?", CRLF, "pump manual is in drawer 14"),
    ("Who owns the ladder?", NUL, "ladder belongs to the school"),
    ("How hot does the kiln get?", BOM, "kiln fires at 1,060"),
    ("Which rope fits the winch?", UNCLOSED, "winch takes 9 mm"),
    ("What colour are the fenders to buy?", SPACED, "two fenders, blue"),
    ("会议决定把泵换成什么型号？", NON_ASCII, "12 V"),
    ("How tight are the keel bolts?", TABS, "torque 48 Nm"),
    ("How long does the goose need in the oven?", UNENDED, "4 hours at 90"),
    ("How high is the mast?", BASE64, "11.4 m high"),
    ("Under which number is the dinghy registered?", LONG_LINE, "K-4471"),
    ("Which petrol does the outboard motor need?", SESSION, "95 octane petrol"),
    ("How many hours between the coats of primer?", MATTER, "16 hours apart"),
    ("Where does the tide table hang?", H2_FIRST, "tide table hangs"),
    ("How much did the boat cost?", OLD, "7,300 euros"),
    ("On which pontoon is our berth?", HUGE_NOTE, "pontoon D, place 27"),
)


def odd_notes(world: World) -> dict[str, bytes]:
    """Path → bytes of every odd note; each has something in it that should be found."""
    random = world.random("odd notes")
    written = {path: text.encode() for path, text in _texts(world, random).items()}
    written[CRLF] = _note(world, "Windows", random, "The pump manual is in drawer 14.", "\r\n")
    written[NUL] = _note(world, "Broken copy", random, "The\0 ladder belongs to the school.")
    written[BOM] = b"\xef\xbb\xbf" + _note(world, "Mark", random, "The kiln fires at 1,060 °C.")
    written[UTF16] = "# 2024-03-16\n- The anchor weighs 31 kg.\n".encode("utf-16")
    written[LATIN1] = "# 2024-03-17\n- Das Boot heißt Möwe und liegt im Süden.\n".encode("latin-1")
    return written


def _texts(world: World, random: Random) -> dict[str, str]:
    def day(title: str, *lines: str) -> str:
        return "\n".join((f"# {title}", *lines, "")) + "\n"

    image = base64.b64encode(random.randbytes(900)).decode()
    long_line = " ".join(world.event(random) for _ in range(200))[:8_200]
    kept = [secret.line for secret in (*secrets(world.seed), *look_alikes(world.seed))]
    texts = {
        HUGE_NOTE: _heartbeats(world, random),
        UNCLOSED: day(
            "2026-02-03 Rope work", "```bash", "splice --eye", "", "- The winch takes 9 mm rope."
        ),
        SPACED: day("Shopping for the boat", "- [ ] two fenders, blue", "- [x] varnish, 750 ml"),
        NON_ASCII: day("会议记录", "- 会议决定把泵换成 12 V 的型号。", "- Café: 6"),
        TABS: day("2024-10-02", "- Hull", "\t- Keel bolts: torque 48 Nm", "\t\t- checked twice"),
        UNENDED: day("2024-12-24", "- The goose needs 4 hours at 90 degrees.").rstrip("\n"),
        BLANK: " \n\t\n  \n",
        EMPTY: "",
        ZERO_WIDTH: day("2026-01-30", "- The gate\u200b code\u200d is on\ufeff the shed."),
        BASE64: day("2025-11-05", f"![](data:image/png;base64,{image})", "- Mast: 11.4 m high."),
        LONG_LINE: day("2025-11-06", long_line, "- The dinghy is registered as K-4471."),
        SESSION: _session_dump(world, random),
        MATTER: "---\ndate: 2026-07-02\ntags: [boat, paint]\n---\n\n"
        + day("Paint", "- Two coats of the grey primer, 16 hours apart."),
        H2_FIRST: "\n## 21:40\n- The tide table hangs in the galley.\n\n## 21:40\n- All quiet.\n",
        REPLACED: day("2024-03-18", "- The cha\ufffdrt plotter starts with code 5150."),
        SECRETS: day("2026-01-17 Keys", *kept, private_key(world.seed)),
        WRONG_YEAR: day("2026-02-09", "- The year in this file's name is wrong."),
        OLD: day("2023-05-04", "- Bought the boat from a retired pilot for 7,300 euros."),
    }
    for changed, value in DEFAULTS:
        texts[f"memory/{changed}.md"] = day(
            f"{changed} Briefing", f"- The morning briefing now goes out at {value} by default."
        )
    return texts


def _note(world: World, title: str, random: Random, last: str, newline: str = "\n") -> bytes:
    lines = [f"# {title}", "", *(f"- {world.event(random)}" for _ in range(6)), f"- {last}", ""]
    return newline.join(lines).encode()


def _heartbeats(world: World, random: Random) -> str:
    """A hundred blocks that differ in a few numbers; one of them holds something to remember."""
    lines = ["# 2026-05-20", ""]
    checks = [world.event(random) for _ in range(34)]
    for number in range(100):
        minutes = 14 * number
        lines += [f"## Heartbeat {minutes // 60:02d}:{minutes % 60:02d}", ""]
        for check in checks:
            lines.append(f"- [x] {check} ({random.randint(1, 900)} ms)")
        if number == 61:
            lines.append("- Harbour master called: our berth moves to pontoon D, place 27.")
        spare = HUGE_BYTES * (number + 1) // 100 - sum(len(x.encode()) + 1 for x in lines)
        lines += [f"- queue {random.randint(10, 99)}: 0 new messages" for _ in range(spare // 26)]
        lines.append("")
    return "\n".join(lines)


def _session_dump(world: World, random: Random) -> str:
    return "\n".join(
        (
            "# Session: 2026-06-25 14:12:09 UTC",
            "",
            "- **Session Key**: agent:main:main",
            f"- **Session ID**: {random.getrandbits(64):016x}",
            "- **Source**: telegram",
            "",
            "## Conversation Summary",
            "",
            "user: remember that the outboard motor needs 95 octane petrol, never E10",
            "assistant: Noted: 95 octane, no E10.",
            f"user: {world.event(random)}",
            "assistant: HEARTBEAT_OK",
            "",
        )
    )
