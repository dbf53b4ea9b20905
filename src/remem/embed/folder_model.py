"""An embedder from a folder: an ONNX file, its vocabulary, and a small TOML file that describes it.

Any small encoder of the BERT family can be used this way. There are no token vectors, so the search
does not use late interaction. `model.toml` has:

    name = "e5-small"
    dimension = 384
    pooling = "mean"               # or "cls"; unused if the model returns one vector for a text
    query_prefix = "query: "       # default: none
    passage_prefix = "passage: "
    max_tokens = 256
    centre = true                  # subtract what all vectors have in common; default: false
    languages = ["en"]             # default: all
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remem.embed.model_files import MODEL, VOCABULARY
from remem.errors import ConfigError, EmbedderError, quoted
from remem.ports.models import Embedding, Floats, ModelIdentity, QueryEmbedding
from remem.text.language import FULL_SUPPORT, language_of

if TYPE_CHECKING:
    from remem.embed.unigram import Unigram
    from remem.embed.wordpiece import WordPiece

DESCRIPTION: Final = "model.toml"
TOKENIZER: Final = "tokenizer.json"
_POOLINGS: Final = ("mean", "cls")
_TARGET_COSINE: Final = 0.65
"""The median cosine of questions and their answers after scaling, which is that of MiniLM."""
_MAX_FACTOR: Final = 2.5
_QUESTIONS_AND_ANSWERS: Final = (
    ("Where are the backups?", "The nightly copies of the database are on the server in Zurich."),
    ("Who is allergic to nuts?", "Peter must not eat peanuts or almonds."),
    ("When is the dentist?", "The appointment for the teeth was moved to Thursday at nine."),
    ("How should answers be written?", "Keep replies short, without lists."),
    ("What does the user drink?", "They have green tea in the morning, never coffee."),
    ("Which city do the parents live in?", "Mother and father moved to Lisbon last spring."),
    ("Why was the release delayed?", "Version two waits because the payment tests fail."),
    ("What is the dog called?", "Our beagle answers to the name of Pip."),
)


@dataclass(frozen=True, slots=True)
class Description:
    """The content of `model.toml`."""

    name: str
    dimension: int
    pooling: str = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 256
    centre: bool = False
    languages: tuple[str, ...] = ()


def read_description(folder: Path) -> Description:
    """Read the `model.toml` of a folder; a missing or wrong value raises ConfigError."""
    path = folder / DESCRIPTION
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{quoted(str(path), 200)} cannot be read: {error}") from error
    types = {field.name: field.type for field in fields(Description)}
    for name, value in values.items():
        if name not in types:
            raise ConfigError(f"{path} has an unknown setting {quoted(name)}")
        if name == "languages":
            values[name] = tuple(value) if isinstance(value, list) else value
        if type(values[name]).__name__ != str(types[name]).partition("[")[0]:
            raise ConfigError(f"{path}: {name} = {quoted(value)} has the wrong type")
    missing = [name for name in ("name", "dimension") if name not in values]
    if missing:
        raise ConfigError(f"{path} does not set {' and '.join(missing)}")
    description = Description(**values)
    if description.pooling not in _POOLINGS:
        raise ConfigError(f"{path}: pooling = {quoted(description.pooling)}: use 'mean' or 'cls'")
    return description


class FolderModel:
    """The model in a folder; it is loaded with the first text, and texts are run one by one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._description = read_description(folder)
        self._closed = False

    @cached_property
    def identity(self) -> ModelIdentity:
        """The identity, with a hash of all files that the vectors depend on."""
        digest = hashlib.sha256()
        for name in (DESCRIPTION, MODEL, VOCABULARY, TOKENIZER):
            path = self._folder / name
            if path.is_file():
                digest.update(path.read_bytes())
        return ModelIdentity(
            self._description.name, self._description.dimension, f"folder-{digest.hexdigest()[:12]}"
        )

    def language_support(self, text: str) -> int:
        languages = self._description.languages
        return FULL_SUPPORT if not languages or language_of(text) in (*languages, "") else 0

    def knows(self, word: str) -> bool:  # noqa: ARG002 - the port's signature
        return False

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(self._vector(self._description.passage_prefix, text)) for text in texts]

    def embed_quickly(self, texts: Sequence[str]) -> None:
        """Return None: there are no quick vectors."""

    def embed_query(self, text: str) -> QueryEmbedding:
        return QueryEmbedding(self._vector(self._description.query_prefix, text) * self._factor)

    def close(self) -> None:
        self._closed = True

    def _vector(self, prefix: str, text: str) -> Floats:
        from remem.embed.token_vectors import unit

        vector = self._run(prefix, text)
        if self._description.centre:
            vector = vector - self._centre
        unit_vector: Floats = unit(vector[None])[0]
        return unit_vector

    def _run(self, prefix: str, text: str) -> Floats:
        import numpy as np

        from remem.embed.token_vectors import unit

        if self._closed:
            raise EmbedderError(f"{self._description.name} was closed")
        ids = np.array([self._tokenizer.ids(prefix + text)], np.int64)
        output = self._session.run_standard(ids)[0]
        if output.ndim == 2:
            output = output[0] if self._description.pooling == "cls" else output.mean(axis=0)
        if output.shape != (self._description.dimension,):
            raise EmbedderError(
                f"{self._description.name} returned a vector of shape {output.shape}",
                hint=f"correct `dimension` in {self._folder / DESCRIPTION}",
            )
        raw: Floats = unit(output[None])[0]
        return raw

    @cached_property
    def _session(self) -> Any:
        from remem.embed.runtime import load_session

        path = self._folder / MODEL
        if not path.is_file():
            raise EmbedderError(f"{quoted(str(path), 200)} is missing")
        return load_session(path)

    @cached_property
    def _tokenizer(self) -> WordPiece | Unigram:
        return read_tokenizer(self._folder, self._description.max_tokens)

    @cached_property
    def _centre(self) -> Floats:
        """The mean vector of a few texts, which is the part that all vectors have in common."""
        import numpy as np

        prefix = self._description.passage_prefix
        vectors = [self._run(prefix, answer) for _, answer in _QUESTIONS_AND_ANSWERS]
        mean: Floats = np.mean(vectors, axis=0)
        return mean

    @cached_property
    def _factor(self) -> float:
        """The factor for the vectors of questions that brings cosines into the common range."""
        import numpy as np

        query_prefix = self._description.query_prefix
        passage_prefix = self._description.passage_prefix
        cosines = [
            float(self._vector(query_prefix, question) @ self._vector(passage_prefix, answer))
            for question, answer in _QUESTIONS_AND_ANSWERS
        ]
        return float(
            np.clip(_TARGET_COSINE / max(float(np.median(cosines)), 1e-3), 1.0, _MAX_FACTOR)
        )


def read_tokenizer(folder: Path, limit: int) -> WordPiece | Unigram:
    """Read `vocab.txt` (BERT, lower case) or `tokenizer.json` (WordPiece or Unigram)."""
    from remem.embed.unigram import Unigram
    from remem.embed.wordpiece import WordPiece

    try:
        if (folder / VOCABULARY).is_file():
            lines = (folder / VOCABULARY).read_text(encoding="utf-8").splitlines()
            return WordPiece(lines, limit)
        model = json.loads((folder / TOKENIZER).read_bytes())["model"]
        vocabulary = model["vocab"]
        if model.get("type") == "Unigram":
            pieces, scores = zip(*vocabulary, strict=True)
            return Unigram(pieces, scores, limit)
        return WordPiece(sorted(vocabulary, key=vocabulary.__getitem__), limit)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderError(
            f"the tokenizer in {quoted(str(folder), 200)} cannot be read: {error}",
            hint=f"it needs {VOCABULARY} (BERT) or {TOKENIZER} (WordPiece or Unigram)",
        ) from error
