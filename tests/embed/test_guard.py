import pytest

from remem.embed.deterministic import Deterministic
from remem.embed.lazy import GuardedEmbedder
from remem.errors import RememError


class Lock:
    held = False


def guarded(lock: Lock) -> GuardedEmbedder:
    return GuardedEmbedder(Deterministic(), lambda: lock.held)


def test_without_a_lock_it_is_the_embedder_itself() -> None:
    free = guarded(Lock())

    assert free.identity == Deterministic().identity
    assert free.language_support("text")
    assert (free.embed(["tea"])[0].pooled == Deterministic().embed(["tea"])[0].pooled).all()
    assert (free.embed_query("tea").pooled == Deterministic().embed_query("tea").pooled).all()
    free.close()


@pytest.mark.parametrize(
    "call",
    [
        lambda embedder: embedder.embed(["tea"]),
        lambda embedder: embedder.embed_query("tea"),
        lambda embedder: embedder.identity,
    ],
)
def test_inside_a_lock_it_refuses_and_nobody_takes_it_for_a_model_that_is_down(call) -> None:
    lock = Lock()
    lock.held = True

    with pytest.raises(RuntimeError, match="lock") as refusal:
        call(guarded(lock))
    assert not isinstance(refusal.value, RememError)


def test_an_identity_that_is_known_may_be_read_anywhere() -> None:
    lock = Lock()
    embedder = guarded(lock)
    known = embedder.identity

    lock.held = True

    assert embedder.identity is known
