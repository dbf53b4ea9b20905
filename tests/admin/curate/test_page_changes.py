"""What verdicts do to other lines of the page, and how several verdicts on a line combine."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.model.entry import Trust
from tests.conftest import Opener

RULE = "Never post a draft to the harbour blog before Ines has read the whole text"
TWIN = f"{RULE} aloud"
RULES = f"""# Rules

- {RULE}
- Answers are short and in German
- The red toolbox stands on the second shelf
"""


@pytest.fixture
def migrated(opened: Opener, root: Path) -> Workspace:
    root.mkdir()
    (root / "MEMORY.md").write_text(RULES)
    memory = opened()
    memory.setup.migrate()
    return memory


def name_of(memory: Workspace, words: str) -> str:
    (found,) = [name for name, text in memory.curate().lines.items() if words in text]
    return found


def pair_with_twin(memory: Workspace) -> str:
    """Store nearly the same words as a fact, which the page leaves out; return the pair's name."""
    memory.store(category="fact", content=TWIN)
    assert "aloud" not in memory.index().text
    (pair,) = memory.curate(topic="duplicate").items
    return pair.item


@pytest.mark.parametrize("order", [["pair *"], ["pair", "*"], ["*", "pair"]])
@pytest.mark.parametrize("answer", ["merge", "drop"])
def test_what_remains_of_a_pair_takes_the_place_of_what_goes(
    migrated: Workspace, answer: str, order: list[str]
) -> None:
    pair = pair_with_twin(migrated)
    survives = migrated.curate(topic="duplicate").items[0].text
    into = {} if survives == TWIN else {"into": "other"}
    verdicts = {
        "pair": {"answer": answer, "items": [pair], **into},
        "*": {"answer": "keep", "items": ["*"]},
    }

    for step in order:
        assert migrated.curate([verdicts[name] for name in step.split()]).applied

    assert TWIN in migrated.index().text
    assert "Answers are short" in migrated.index().text
    for _ in verdicts:
        migrated.curation.undo()
    assert RULE in migrated.index().text
    assert TWIN not in migrated.index().text


def test_a_chain_of_pairs_leaves_the_last_one_on_the_page(migrated: Workspace) -> None:
    pair = pair_with_twin(migrated)
    migrated.store(category="fact", content=f"{TWIN} twice")
    pairs = [item.item for item in migrated.curate(topic="duplicate").items]
    assert pair in pairs

    migrated.curate(
        [{"answer": "merge", "items": [name]} for name in pairs]
        + [{"answer": "keep", "items": ["*"]}]
    )

    assert "harbour blog" in migrated.index().text


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("again", ["pin", "keep"])
@pytest.mark.parametrize("trust", ["owner", "agent"])
def test_a_line_is_shown_in_other_words_whether_it_is_pinned_before_or_after(
    migrated: Workspace, opened: Opener, trust: Trust, again: str, together: bool
) -> None:
    author = opened(trust=trust)
    answers, toolbox = name_of(author, "Answers"), name_of(author, "toolbox")
    verdicts = [
        {"answer": again, "items": [toolbox]},
        {"answer": "reword", "items": [toolbox], "text": "Red toolbox on the second shelf"},
        {
            "answer": "merge",
            "items": [answers, name_of(author, "harbour")],
            "text": "Answers short and in German; never post to the harbour blog before Ines",
        },
        {"answer": again, "items": [answers, toolbox]},
        {"answer": "keep", "items": ["*"]},
    ]

    done = author.curate(verdicts) if together else [author.curate([one]) for one in verdicts][-1]

    assert done.page_lines.keys() == {answers, toolbox}
    if trust == "agent":
        migrated.curation.accept()
    text = migrated.index().text
    assert "Red toolbox on the second shelf" in text
    assert "Answers short and in German; never post to the harbour blog before Ines" in text


def test_a_line_of_a_file_keeps_its_other_words_when_it_is_pinned(
    migrated: Workspace, opened: Opener, root: Path
) -> None:
    done = "\n## Completed\n\n- The printer by the door was replaced, the old one is scrapped\n"
    (root / "MEMORY.md").write_text(f"{RULES}{done}")
    agent = opened(trust="agent")
    printer = name_of(agent, "printer")

    for verdict in (
        {"answer": "reword", "items": [printer], "text": "The printer by the door was replaced"},
        {"answer": "pin", "items": [printer]},
        {"answer": "keep", "items": [printer]},
    ):
        assert agent.curate([verdict]).page_lines[printer].endswith("by the door was replaced")
    migrated.curation.accept()

    assert " The printer by the door was replaced\n" in migrated.index().text


def test_a_line_that_is_held_stays_when_a_pinned_line_repeats_it(migrated: Workspace) -> None:
    longer = "The red toolbox with the torque wrench stands on the second shelf by the stairs"
    id_ = migrated.store(category="fact", content=longer).id

    migrated.curate([{"answer": "pin", "items": [id_]}, {"answer": "keep", "items": ["*"]}])

    assert "toolbox stands on the second shelf" in migrated.index().text
    assert "torque wrench" in migrated.index().text


def test_an_answer_says_which_lines_left_the_page_and_why(migrated: Workspace) -> None:
    pair = pair_with_twin(migrated)
    rule, answers = name_of(migrated, "harbour"), name_of(migrated, "Answers")
    toolbox = name_of(migrated, "toolbox")
    longer = "The red toolbox with the torque wrench stands on the second shelf by the stairs"
    id_ = migrated.store(category="fact", content=longer).id

    done = migrated.curate(
        [
            {"answer": "merge", "items": [pair]},
            {"answer": "drop", "items": [answers]},
            {"answer": "pin", "items": [id_]},
        ]
    )

    assert done.page is not None
    wrench = next(name for name, text in done.page_lines.items() if "wrench" in text)
    twin = next(name for name, text in done.page_lines.items() if "aloud" in text)
    assert {line.partition(":")[0] for line in done.page.left_page} == {
        f"{rule} merged into {twin}",
        f"{toolbox} covered by {wrench}",
    }


def test_a_line_that_pins_push_out_is_reported(opened: Opener, root: Path) -> None:
    root.mkdir()
    doors = [f"- Door {n} of house {n * 13} has the blue key {n * 17}" for n in range(1, 150)]
    (root / "MEMORY.md").write_text("# Doors\n\n" + "\n".join(doors))
    memory = opened()
    memory.setup.migrate()
    batch = memory.curate(token_budget=8000)
    pinned = list(batch.left_out_lines)[:5]

    done = memory.curate([{"answer": "pin", "items": pinned}], token_budget=8000)

    assert done.page is not None
    gone = batch.page_lines.keys() - done.page_lines.keys()
    assert gone
    assert {line.partition(":")[0] for line in done.page.left_page} == {
        f"{name} no room" for name in gone
    }


def test_a_small_answer_holds_the_whole_page(opened: Opener) -> None:
    memory = opened()
    for n in range(40):
        memory.store(category="preference", content=f"Prefers colour {n} for the room {n * 3}")
    before = memory.index().text
    assert memory.curate(token_budget=700).page_lines.keys() < memory.curate().page_lines.keys()

    memory.curate([{"answer": "keep", "items": ["*"]}], token_budget=700)

    assert memory.index().text == before


def test_the_cost_of_a_line_that_is_left_out_is_what_it_takes_on_the_page(
    migrated: Workspace, root: Path
) -> None:
    trays = ", ".join(f"tray {n} holds {n * 7} sheets" for n in range(7))
    line = f"The printer was replaced, {trays}"
    (root / "MEMORY.md").write_text(f"{RULES}\n## Completed\n\n- {line}\n")
    ((offered,),) = [group.lines for group in migrated.curate().left_out]
    name, cost, text = offered.split(" ", 2)
    assert len(text) < len(line)

    page = migrated.curate([{"answer": "pin", "items": [name]}]).page

    assert page is not None
    assert f"{name} {cost} [I] {line}" in [one for group in page.groups for one in group.lines]
