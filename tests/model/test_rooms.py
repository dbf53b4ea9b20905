"""One name for each room, and one room for each name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import InvalidInput
from remem.model.rooms import RoomName, Rooms, Unmapped, rooms_from
from tests.tables import each_row


def name_of(rooms: Rooms, channel: str | None, room_id: str) -> str | None:
    found = rooms.resolve(channel, room_id)
    return found.name if isinstance(found, RoomName) else None


def why(rooms: Rooms, channel: str | None, room_id: str) -> str:
    found = rooms.resolve(channel, room_id)
    assert isinstance(found, Unmapped)
    return found.reason


def test_an_id_alone_names_the_room_in_any_channel() -> None:
    rooms = rooms_from({"-100": "dev"})

    assert name_of(rooms, "telegram", "-100") == "dev"
    assert name_of(rooms, None, "-100") == "dev"
    assert why(rooms, "telegram", "-1000") == "not mapped to a name yet"


@each_row(
    "mapping",
    [{"telegram:-100": "dev"}, {"-100": {"name": "dev", "channel": "Telegram"}}],
)
def test_with_a_channel_it_names_the_room_there_and_nowhere_else(mapping: object) -> None:
    rooms = rooms_from(mapping)

    assert name_of(rooms, "telegram", "-100") == "dev"
    assert "another channel" in why(rooms, "discord", "-100")
    assert "another channel" in why(rooms, None, "-100")


def test_ids_with_colons_are_read_as_ids() -> None:
    rooms = rooms_from({"!room:server.org": "dev", "matrix:!other:server.org": "ops"})

    assert name_of(rooms, "matrix", "!room:server.org") == "dev"
    assert name_of(rooms, "matrix", "!other:server.org") == "ops"


def test_a_room_of_another_channel_cannot_take_the_place_of_a_qualified_one() -> None:
    rooms = rooms_from({"telegram:5": "dev"})

    assert name_of(rooms, "irc", "telegram:5") is None
    assert name_of(rooms, None, "telegram:5") is None


@each_row("twin", ["dev", "Dev", " dev ", "ｄｅｖ", "de\u200bv"])
def test_two_rooms_with_one_name_are_an_error_for_both(twin: str) -> None:
    rooms = rooms_from({"1": "dev", "2": twin, "3": "ops"})

    assert "another room" in why(rooms, "telegram", "1")
    assert "another room" in why(rooms, "telegram", "2")
    assert name_of(rooms, "telegram", "3") == "ops"


def test_composed_and_decomposed_letters_are_one_name() -> None:
    rooms = rooms_from({"1": "caf\u00e9", "2": "cafe\u0301"})

    assert "another room" in why(rooms, None, "1")


def test_one_id_on_two_channels_is_two_rooms() -> None:
    rooms = rooms_from({"telegram:1": "dev", "discord:1": "ops"})

    assert name_of(rooms, "telegram", "1") == "dev"
    assert name_of(rooms, "discord", "1") == "ops"


def test_an_id_mapped_with_and_without_a_channel_is_an_error_for_all() -> None:
    rooms = rooms_from({"1": "dev", "telegram:1": "ops"})

    for channel in ("telegram", "discord", None):
        assert name_of(rooms, channel, "1") is None


def test_lists_that_disagree_about_a_room_leave_it_without_a_name() -> None:
    rooms = Rooms(rooms_from({"1": "dev", "2": "ops"}).lines + rooms_from({"1": "qa"}).lines)

    assert why(rooms, None, "1") == "mapped to two names"
    assert name_of(rooms, None, "2") == "ops"


def test_lists_that_agree_are_one() -> None:
    rooms = Rooms(rooms_from({"1": "dev"}).lines * 2)

    assert name_of(rooms, None, "1") == "dev"


@given(
    st.dictionaries(
        st.sampled_from(["1", "2", "irc:1", "irc:2", "xmpp:1"]),
        st.sampled_from(["dev", "Dev", "ops", "qa"]),
    )
)
def test_no_list_ever_gives_one_name_to_two_rooms(mapping: dict[str, str]) -> None:
    """Bare ids hold for any channel, so rooms are distinguished by id here."""
    rooms = rooms_from(mapping)
    named = [
        (room_id, name.casefold())
        for channel in ("irc", "xmpp")
        for room_id in ("1", "2")
        if (name := name_of(rooms, channel, room_id))
    ]

    by_name = {name: {room_id for room_id, other in named if other == name} for _, name in named}
    assert all(len(ids) == 1 for ids in by_name.values())


@each_row(
    ("mapping", "place"),
    [
        ([], "a list"),
        ("dev", "a text"),
        (None, "nothing"),
        ({"1": "dev", "2": 7}, "entry 2"),
        ({"1": ""}, "entry 1"),
        ({"1": " \u200b"}, "entry 1"),
        ({"1": "two\nlines"}, "entry 1"),
        ({"1": None}, "entry 1"),
        ({"1": ["dev"]}, "entry 1"),
        ({"1": {}}, "entry 1"),
        ({"1": {"name": "dev", "channel": 3}}, "entry 1 of the room names has a number"),
        ({"1": {"name": "dev", "channel": ""}}, "entry 1"),
        ({"": "dev"}, "entry 1"),
        ({7: "dev"}, "entry 1"),
    ],
)
def test_an_invalid_list_is_refused_with_its_place(mapping: object, place: str) -> None:
    with pytest.raises(InvalidInput, match=place):
        rooms_from(mapping)


def test_an_error_does_not_repeat_the_content_of_the_list() -> None:
    with pytest.raises(InvalidInput) as caught:
        rooms_from({"telegram:-4711": "hidden", "discord:815": {"name": ["surprise"]}})

    assert not any(word in str(caught.value) for word in ("4711", "815", "hidden", "surprise"))
