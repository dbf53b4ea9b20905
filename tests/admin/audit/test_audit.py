"""An audit has the contract's shape, tells no secrets, and promises what it keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.admin.audit.result import Audit
from remem.app.tools.declare import call
from remem.app.tools.table import AUDIT
from remem.app.workspace import Workspace
from remem.errors import InvalidInput, NotAllowed
from remem.files.layout import Layout
from remem.model.entry import Origin
from remem.search.answer.answer import plain
from remem.setup.activate import activate
from tests import samples
from tests.admin.audit.test_sources import QUIET, written
from tests.conftest import SECRET, Opener
from tests.tiers import first_quick

NIGHT = "The backup runs every night at three and is kept on the grey disk."
TWICE = f"""# Memory

## Setup
- {NIGHT}
- Default model: luna-2

## Setup
- {NIGHT}
- Default model: sol-4
- Ask before you send mail to anybody outside the house.
- The house has a red gate, and the key hangs behind it.
- The house has a red gate and the key hangs just behind it.
- Heartbeat OK, 8 checks
"""
AGENTS = "- Ask before you send mail to anybody outside the house.\n"
ID = "0a1b2c3d"
ALPHA = "agent:main:telegram:group:-1"


@pytest.fixture
def twice(root: Path, opened: Opener) -> Workspace:
    written(root, {"MEMORY.md": TWICE, "AGENTS.md": AGENTS})
    return opened()


def test_the_answer_has_the_fields_of_the_contract(twice: Workspace) -> None:
    shown = json.loads(json.dumps(plain(twice.audit(recommend=True))))

    assert next(iter(shown)) == "analysis"
    assert list(shown["analysis"]) == ["total_tokens", "breakdown", "duplicates"]
    for item in shown["analysis"]["breakdown"]:
        assert list(item) == ["source", "tokens", "percentage", "category"]
    for item in shown["analysis"]["duplicates"]:
        assert list(item)[:4] == ["content_a", "content_b", "similarity", "sources"]
    for item in shown["recommendations"]:
        assert list(item)[:4] == ["action", "description", "estimated_savings_tokens", "risk"]
        assert item["risk"] in ("low", "medium", "high")
    assert "recommendations" not in plain(twice.audit())


def test_planted_problems_are_found(twice: Workspace) -> None:
    audit = twice.audit(recommend=True)

    assert [duplicate.sources for duplicate in audit.analysis.duplicates] == [
        ("MEMORY.md#L4", "MEMORY.md#L8"),
        ("AGENTS.md#L1", "MEMORY.md#L10"),
        ("MEMORY.md#L11", "MEMORY.md#L12"),
    ]
    assert [contradiction.sources for contradiction in audit.contradictions] == [
        ("MEMORY.md#L5", "MEMORY.md#L9")
    ]
    assert [item.source for item in audit.noise] == ["MEMORY.md#L13"]
    assert [
        (recommendation.action, recommendation.applies)
        for recommendation in audit.recommendations or ()
    ] == [
        ("remove_duplicates", True),
        ("remove_near_duplicates", True),
        ("remove_status_lines", True),
        ("resolve_contradictions", False),
    ]


def all_applied(memory: Workspace, path: Path) -> int:
    """Apply each recommendation alone and take it back; how many there were."""
    bytes_before = path.read_bytes()
    promised = [
        recommendation
        for recommendation in memory.audit(recommend=True).recommendations or ()
        if recommendation.applies
    ]
    for item in promised:
        total = memory.audit().analysis.total_tokens
        proposal = memory.recommendations.proposal(item.number)
        done = memory.recommendations.apply(proposal)
        after = memory.audit().analysis.total_tokens
        assert done.measured == done.expected == item.estimated_savings_tokens == total - after
        assert path.read_bytes() != bytes_before
        assert memory.recommendations.undo().how == "restored"
        assert path.read_bytes() == bytes_before
    return len(promised)


def test_a_saving_is_exactly_what_was_promised(root: Path, twice: Workspace) -> None:
    assert all_applied(twice, root / "MEMORY.md") == 3


def test_only_the_promised_lines_go(root: Path, twice: Workspace) -> None:
    for action, gone in [
        ("remove_duplicates", {8, 10}),
        ("remove_near_duplicates", {11}),
        ("remove_status_lines", {13}),
    ]:
        advised = twice.audit(recommend=True).recommendations or ()
        number = next(item.number for item in advised if item.action == action)
        twice.recommendations.apply(twice.recommendations.proposal(number))
        left = [line for n, line in enumerate(TWICE.split("\n"), 1) if n not in gone]
        assert (root / "MEMORY.md").read_text() == "\n".join(left)
        twice.recommendations.undo()


@pytest.mark.parametrize("kind", first_quick(["grown", "chinese", "russian", "japanese", "mixed"]))
def test_savings_hold_on_workspaces_as_they_grow(root: Path, opened: Opener, kind: str) -> None:
    getattr(samples, kind)(root)
    written(root, QUIET)
    everything = {
        path: path.read_bytes()
        for path in root.rglob("*.md")
        if path.is_file() and not path.is_symlink() and path != root / "MEMORY.md"
    }
    with opened(embedder=None) as memory:
        promised = all_applied(memory, root / "MEMORY.md")

    assert promised or kind == "mixed"
    assert all(path.read_bytes() == data for path, data in everything.items())


def test_a_migrated_section_makes_room_for_a_pointer(root: Path, opened: Opener) -> None:
    people = [f"Person {name} designs chairs in Porto and sings." for name in "ABCDEFGH"]
    bullets = "".join(f"- {person}\n" for person in people)
    written(root, {"MEMORY.md": f"# M\n\n## People\n{bullets}\n## Rules\n- Ask first, then act.\n"})
    activate(Layout(root), ID)
    memory = opened()
    for line, text in enumerate(people[:-1], 4):
        memory.store(category="person", content=text, origin=Origin("MEMORY.md", line))
    assert memory.audit(recommend=True).recommendations == ()

    memory.store(category="person", content=people[-1], origin=Origin("MEMORY.md", 11))
    (only,) = memory.audit(recommend=True).recommendations or ()
    proposal = memory.recommendations.proposal(only.number)

    assert (only.action, only.risk) == ("point_to_entries", "medium")
    assert all_applied(memory, root / "MEMORY.md") == 1
    memory.recommendations.apply(proposal)
    assert (root / "MEMORY.md").read_text() == (
        "# M\n\n## People\n<!-- remem: 8 lines are entries, see memory_recall -->\n\n"
        "## Rules\n- Ask first, then act.\n"
    )


def test_a_second_migration_finds_nothing_in_sections_with_pointers(
    root: Path, opened: Opener
) -> None:
    under = "### How the relay on atlas is reached\n- It listens on port 2525 behind the proxy.\n"
    more = "".join(f"- Host number {n} keeps the backups of the year {n}.\n" for n in range(8))
    written(root, {"MEMORY.md": f"# M\n\n## Hosts\n{more}\n{under}\n## Rules\n- Ask first.\n"})
    activate(Layout(root), ID)
    memory = opened(embedder=None)
    memory.setup.migrate()

    memory.recommendations.apply(memory.recommendations.proposal(1))

    assert "### " not in (root / "MEMORY.md").read_text()
    assert memory.setup.migrate().changes == 0


def test_a_section_that_the_index_does_not_show_is_not_taken_out(
    root: Path, opened: Opener
) -> None:
    """A pointer would leave a conversation without rules that it begins with today."""
    rules = "".join(f"- Box {n} of the cellar is opened by {n} people.\n" for n in range(200))
    shown = "- Ferries leave at noon.\n- The shed is locked at six.\n- Guests bring shoes.\n"
    written(root, {"MEMORY.md": f"# M\n\n## Shown\n\n{shown}\n## Cellar\n\n{rules}"})
    activate(Layout(root), ID)
    memory = opened(embedder=None)
    memory.setup.migrate()

    (only,) = memory.audit(recommend=True).recommendations or ()

    assert only.action == "point_to_entries"
    assert "replace 1 section of MEMORY.md" in only.description
    assert only.description.endswith("Shown")


def test_a_section_stays_while_nothing_loads_the_index(root: Path, opened: Opener) -> None:
    rules = "".join(f"- Ferry number {n} leaves the harbour at {n} o'clock.\n" for n in range(9))
    written(root, {"MEMORY.md": f"# M\n\n## Rules\n\n{rules}"})
    memory = opened(embedder=None)
    memory.setup.migrate()

    assert memory.audit(recommend=True).recommendations == ()


def test_a_promoted_preference_stays_unless_conversations_start_with_it(
    root: Path, opened: Opener
) -> None:
    line = "Mara prefers long walks along the river to any meeting."
    suffix = "[score=0.9 recalls=0 avg=0.7 source=memory/2026-11-01.md:1-1]"
    text = f"# M\n\n## Promoted\n\n- {line} {suffix}\n- Buses run late on Fridays. {suffix}\n"
    written(
        root, {"MEMORY.md": text, "memory/2026-11-01.md": f"{line} Buses run late on Fridays.\n"}
    )
    memory = opened(embedder=None)
    actions = [plan.action for plan in memory.audit(recommend=True).recommendations or ()]
    assert "remove_promoted_noise" in actions

    memory.store(category="preference", content=line, origin=Origin("MEMORY.md", 5))

    proposal = memory.recommendations.proposal(1)
    assert "Buses" in proposal.diff
    assert f"-- {line}" not in proposal.diff


@pytest.mark.parametrize(("lines", "cheaper"), [(3, True), (500, False)])
def test_the_headline_says_honestly_which_is_cheaper(
    root: Path, opened: Opener, lines: int, cheaper: bool
) -> None:
    rules = "".join(
        f"- Ferry number {n} leaves the harbour at {n} o'clock.\n" for n in range(lines)
    )
    written(root, {"MEMORY.md": f"# M\n\n{rules}"})

    found = call(AUDIT, opened(embedder=None), {})

    assert isinstance(found, Audit)
    assert found.headline is not None
    assert found.headline.tool_tokens > 1_000
    assert (found.headline.net_tokens > 0) is cheaper
    assert ("loading it whole is cheaper" in found.headline.text) is cheaper


def test_an_index_is_the_same_after_its_lines_were_taken_out_of_memory_md(
    root: Path, opened: Opener
) -> None:
    rules = "".join(
        f"- Ferry number {n} leaves the old harbour at {n} o'clock.\n" for n in range(9)
    )
    written(root, {"MEMORY.md": f"# M\n\n## Rules\n\n{rules}\n## Rest\n\n- Tea is at four.\n"})
    activate(Layout(root), ID)
    memory = opened(embedder=None)
    memory.setup.migrate()
    before = memory.index().text

    memory.recommendations.apply(memory.recommendations.proposal(1))
    memory.setup.migrate()

    assert "Ferry" not in (root / "MEMORY.md").read_text()
    assert "Ferry number 8" in before
    assert memory.index().text == before


def test_secrets_are_masked_in_an_audit(root: Path, opened: Opener) -> None:
    line = f"- The key of the mail service is {SECRET} for all of us.\n"
    written(root, {"MEMORY.md": f"## Keys {SECRET}\n{line}{line}"})

    audit = opened().audit(recommend=True)

    assert len(audit.analysis.duplicates) == 1
    assert SECRET not in repr(audit)


def test_an_answer_stays_small_however_much_there_is(root: Path, opened: Opener) -> None:
    lines = [f"- The matter number {n} belongs into the drawer of year {n}.\n" for n in range(400)]
    headings = [f"## Heading {n}\n- x\n" for n in range(200)]
    written(root, {"MEMORY.md": "".join([*lines, *lines, *headings]), **QUIET})

    audit = opened(embedder=None).audit(recommend=True)

    assert len(audit.analysis.duplicates) == 20
    assert audit.left_out["duplicates"] == 380
    assert len(audit.analysis.breakdown) < 40
    assert len(json.dumps(plain(audit))) < 16_000


def test_the_headline_measures_what_is_enough_once_everything_is_migrated(
    root: Path, opened: Opener
) -> None:
    written(root, {"MEMORY.md": "## People\n- Ana designs chairs in Porto.\n"})
    memory = opened()
    before = memory.audit().headline
    memory.store(
        category="person", content="Ana designs chairs in Porto.", origin=Origin("MEMORY.md", 2)
    )
    after = memory.audit().headline

    assert before is not None
    assert after is not None
    assert (before.measured, before.sufficient_tokens) == (False, 2_000)
    assert (after.measured, after.sufficient_tokens) == (True, memory.start().tokens)


def audited(memory: Workspace) -> list[Audit]:
    scopes = ("all", "memory_md", "domains", "system_prompt")
    return [memory.audit(scope, recommend=True) for scope in scopes]


@pytest.mark.walls
def test_a_group_learns_nothing_about_main_not_even_a_size(root: Path, opened: Opener) -> None:
    written(root, {"memory/group_names.json": '{"-1": "alpha"}'})
    with opened(ALPHA) as group:
        group.store(category="fact", content="The kettle is in the hall.")
        before = audited(group)
    written(root, {"MEMORY.md": TWICE, "AGENTS.md": AGENTS, "memory/2026-11-14.md": "- x\n"})
    with opened() as main:
        main.store(category="fact", content="The gate is red.")
    with opened(ALPHA) as group:
        after = audited(group)

    assert after == before
    assert [item.source for item in after[0].analysis.breakdown] == [
        "memory/groups/alpha/domains/facts.md"
    ]
    assert after[0].headline is None


@pytest.mark.walls
def test_only_the_owner_changes_anything_and_only_in_main(root: Path, opened: Opener) -> None:
    written(root, {"MEMORY.md": TWICE, "memory/group_names.json": '{"-1": "alpha"}'})
    for memory in (opened(trust="agent"), opened(ALPHA)):
        for act in (
            lambda ws: ws.recommendations.proposal(1),
            lambda ws: ws.recommendations.undo(),
        ):
            with pytest.raises(NotAllowed):
                act(memory)


def test_a_manual_recommendation_says_what_to_do_instead(twice: Workspace) -> None:
    with pytest.raises(InvalidInput, match="remem cannot apply recommendation 4") as caught:
        twice.recommendations.proposal(4)
    assert "listed under “contradictions”" in str(caught.value)
    with pytest.raises(InvalidInput, match="there is no recommendation 99"):
        twice.recommendations.proposal(99)
    with pytest.raises(InvalidInput, match="scope 'main' is unknown"):
        twice.audit("main")


def test_a_recommendation_has_one_number_in_every_scope(twice: Workspace) -> None:
    numbered = {
        recommendation.action: recommendation.number
        for recommendation in twice.audit(recommend=True).recommendations or ()
    }

    for scope in ("memory_md", "domains", "system_prompt"):
        for recommendation in twice.audit(scope, recommend=True).recommendations or ():
            assert numbered[recommendation.action] == recommendation.number


def test_an_audit_changes_nothing(root: Path, twice: Workspace) -> None:
    before = {path: path.read_bytes() for path in root.glob("*.md")}
    audited(twice)

    assert {path: path.read_bytes() for path in root.glob("*.md")} == before
    assert not (root / ".remem/main/audit").exists()


def test_the_tools_of_the_profile_in_use_are_counted(root: Path, opened: Opener) -> None:
    costs = {}
    for profile in ("core", "full"):
        with opened(profile=profile) as memory:
            audit = call(AUDIT, memory, {"scope": "system_prompt"})
        assert isinstance(audit, Audit)
        named = {item.source: item.tokens for item in audit.analysis.breakdown}
        costs[profile] = named[f"memory tools ({profile} profile)"]

    assert 0 < costs["core"] < costs["full"]


def test_a_broken_database_leaves_the_files_to_be_counted(root: Path, opened: Opener) -> None:
    written(root, {"MEMORY.md": TWICE, ".remem/main/entries.db": "no database at all" * 400})

    audit = opened().audit(recommend=True)

    assert any(note.startswith("entries were left out: ") for note in audit.notes)
    assert len(audit.analysis.duplicates) == 2
    assert audit.headline is not None
    assert not audit.headline.measured
