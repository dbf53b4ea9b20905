"""How much a conversation may read of a group's files."""

from __future__ import annotations

from remem.model.conversation import NO_GATE, Conversation, Tier, load_refusal, tier_of
from tests.tables import each_row


def after(*files: tuple[str, Tier]) -> Conversation:
    conversation = Conversation()
    for path, tier in files:
        conversation = conversation.with_file(path, tier)
    return conversation


FULL = after(("a", "P0"), ("b", "P2"), ("c", "P3"), ("d", "conventions"))


def test_two_of_the_first_tiers_one_of_the_last_and_one_convention() -> None:
    assert [file.path for file in FULL.files] == ["a", "b", "c", "d"]
    assert load_refusal(after(("a", "P0")), "b", "P1", main=False) is None
    assert load_refusal(after(("a", "P0"), ("b", "P1")), "c", "P3", main=False) is None
    for tier in ("P0", "P1", "P2", "P3", "conventions"):
        reason = load_refusal(FULL, "e", tier, main=False)
        assert reason
        assert "new conversation" in reason


def test_a_file_that_was_read_may_be_read_again() -> None:
    assert all(load_refusal(FULL, path, "P0", main=False) is None for path in "abcd")
    assert FULL.with_file("A", "P0").files == FULL.files


def test_main_opens_two_files_whatever_their_tier() -> None:
    assert load_refusal(after(("a", "P0")), "b", "P0", main=True) is None
    assert load_refusal(after(("a", "P3"), ("b", "P3")), "c", "P0", main=True)


def test_a_gate_created_later_counts_as_unread() -> None:
    looked = Conversation().with_gate(NO_GATE)

    assert not Conversation().has_read_gate(NO_GATE)
    assert looked.has_read_gate(NO_GATE)
    assert not looked.has_read_gate("digest")
    assert Conversation().with_gate("old").has_read_gate("new")


@each_row(
    ("file", "said", "tier"),
    [
        ("attention.md", "", "P0"),
        ("Attention.MD", "", "P0"),
        ("people.md", "P1", "P1"),
        ("budget.md", "", "P3"),
        ("budget.md", "P9", "P3"),
        ("conventions/api.md", "P0", "conventions"),
        ("projects/atlas.md", "", "P3"),
    ],
)
def test_the_tier_of_a_file(file: str, said: str, tier: str) -> None:
    assert tier_of(file, said) == tier
