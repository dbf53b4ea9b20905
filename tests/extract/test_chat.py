"""A language model is asked without secrets, and a bad answer is an error that says so."""

from __future__ import annotations

import pytest

from remem.config import Config
from remem.errors import ModelError
from remem.extract.llm import ChatEndpoint, configured_chat
from tests.conftest import SECRET
from tests.embed.loopback import serving
from tests.extract.model_answers import saying, silent
from tests.tables import each_row


def test_it_answers_what_the_model_said() -> None:
    with serving(saying("Two words.")) as server:
        chat = ChatEndpoint(server.url, "small", api_key="key-1")

        assert chat("Sum it up.", "A long text.") == "Two words."

    assert server.asked[0]["path"] == "/v1/chat/completions"
    assert server.asked[0]["model"] == "small"
    assert server.asked[0]["temperature"] == 0
    assert server.headers[0]["Authorization"] == "Bearer key-1"


def test_no_secret_leaves_the_machine() -> None:
    with serving(saying("Fine.")) as server:
        ChatEndpoint(server.url, "small")("Sum it up.", f"The key is {SECRET}.")

    assert SECRET not in str(server.asked)


@each_row("text", ["", "   "])
def test_an_empty_answer_is_an_error(text: str) -> None:
    with serving(saying(text)) as server, pytest.raises(ModelError, match="empty answer"):
        ChatEndpoint(server.url, "small")("", "text")


def test_an_answer_of_another_protocol_is_an_error() -> None:
    with (
        serving(lambda handler, _: handler.answer(b"<html>hello</html>")) as server,
        pytest.raises(ModelError, match="unexpected response from the language model"),
    ):
        ChatEndpoint(server.url, "small")("", "text")


def test_a_server_that_fails_is_asked_twice_and_named() -> None:
    with (
        serving(saying("down", 503)) as server,
        pytest.raises(ModelError, match=r"language model at http://127.0.0.1:\d+.* 503"),
    ):
        ChatEndpoint(server.url, "small", pause=0)("", "text")
    assert len(server.asked) == 2


def test_a_server_that_is_silent_is_given_up() -> None:
    with serving(silent) as server, pytest.raises(ModelError, match=r"within 0.2 s"):
        ChatEndpoint(server.url, "small", timeout=0.2)("", "text")


def test_the_settings_name_the_model_and_the_variable_of_its_key() -> None:
    assert configured_chat(Config(), {}) is None
    with serving(saying("Yes.")) as server:
        config = Config(llm_url=server.url, llm_model="small", llm_key_variable="MY_KEY")
        chat = configured_chat(config, {"MY_KEY": "key-2"})
        assert chat is not None
        assert chat("", "text") == "Yes."
        chat.close()
    assert server.headers[0]["Authorization"] == "Bearer key-2"
