"""The local models, and checks that they are installed and that their files are intact."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Generic, TypeVar

from remem.errors import EmbedderError, InvalidInput, ModelMissing, quoted
from remem.fast_dataclass import dataclass
from remem.ports.models import ModelIdentity

T = TypeVar("T")

MODEL: Final = "model.onnx"
VOCABULARY: Final = "vocab.txt"
PIECES: Final = "pieces.txt"
SCORES: Final = "scores.npy"
WORDS: Final = "words.npy"
MANIFEST: Final = "manifest.json"
QUICK_TABLE: Final = "quick.npy"
"""An optional table from which approximate vectors are computed quickly for many texts; the model's
own vectors replace them later."""

_CLOSE_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that can be fetched; `short` is also the name of its folder.

    `build` is the start of the SHA-256 of its `model.onnx`, because another ONNX graph would make
    other vectors. `projection` names the version of the fitted parameters that are applied to its
    output; it is written here, so that the identity is known without reading them.
    """

    short: str
    name: str
    build: str
    files: tuple[str, ...]
    megabytes: int
    projection: str
    dimension: int = 384

    @property
    def identity(self) -> ModelIdentity:
        """The identity of its vectors."""
        quantisation = f"int8-{self.build}+{self.projection}"
        return ModelIdentity(self.name, self.dimension, quantisation)

    @property
    def hint(self) -> str:
        """The command that fetches it, for errors."""
        return f"run `remem models fetch {self.short}`"


MINILM: Final = LocalModel(
    "minilm", "all-MiniLM-L6-v2", "c1a3a066", (MODEL, VOCABULARY), 36, "128x1bit-7be5c1c7"
)
MULTILINGUAL: Final = LocalModel(
    "multilingual",
    "multilingual-e5-small",
    "916a8a6c",
    (MODEL, PIECES, SCORES, WORDS),
    80,
    "prefix+e4243f4f",
)
LOCAL_MODELS: Final = {local_model.short: local_model for local_model in (MINILM, MULTILINGUAL)}


class LazyPart(Generic[T]):
    """A part of a model that is loaded on first use, and cannot be used after `close`."""

    def __init__(self, model: LocalModel, load: Callable[[], T]) -> None:
        self._model = model
        self._load: Callable[[], T] | None = load
        self._loaded: list[T] = []
        self._lock = threading.Lock()
        self._users = 0
        self._released = threading.Condition()

    def __call__(self) -> T:
        with self._lock:
            if self._load is None:
                raise EmbedderError(f"{self._model.name} was closed")
            if not self._loaded:
                try:
                    self._loaded.append(self._load())
                except OSError as error:  # removed since its hash was checked
                    raise ModelMissing(
                        f"{self._model.name} cannot be read: {error}", hint=self._model.hint
                    ) from error
            return self._loaded[0]

    @contextmanager
    def use(self) -> Iterator[T]:
        """Yield the part; until the end of the block, `close` waits."""
        with self._released:
            self._users += 1
        try:
            yield self()
        finally:
            with self._released:
                self._users -= 1
                self._released.notify_all()

    def close(self) -> None:
        """Release the part, after waiting until nobody uses it.

        If a thread were still running the model when the program ends, the program would abort.
        """
        with self._lock:
            self._load = None
            self._loaded.clear()
        with self._released:
            self._released.wait_for(lambda: not self._users, _CLOSE_SECONDS)


def local_model(name: str) -> LocalModel:
    """Return the local model with this short name, or raise InvalidInput."""
    if name not in LOCAL_MODELS:
        names = " or ".join(map(repr, LOCAL_MODELS))
        raise InvalidInput(f"there is no local model {quoted(name)}", hint=f"choose {names}")
    return LOCAL_MODELS[name]


def is_installed(name: str, cache: Path) -> bool:
    """Return whether all files of a model exist and its manifest is for the expected build.

    The files themselves are not read.
    """
    model, folder = local_model(name), cache / name
    try:
        _hashes(folder, model)
        return all((folder / name).is_file() for name in model.files)
    except ModelMissing:
        return False


def is_listed(folder: Path, name: str) -> bool:
    """Return whether MiniLM's manifest lists a file; the file itself is not read."""
    try:
        return name in _hashes(folder, MINILM)
    except ModelMissing:
        return False


def verified_path(folder: Path, name: str, model: LocalModel = MINILM) -> Path:
    """Return the path of a model's file, after checking its hash.

    Raise ModelMissing if the file is missing or damaged. The runtime gets a path, because passing
    it the bytes would copy tens of megabytes twice.
    """
    hashes, path = _hashes(folder, model), folder / name
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelMissing(f"{model.name} cannot be read: {error}", hint=model.hint) from error
    if digest != hashes.get(name):
        raise ModelMissing(f"{quoted(str(path), 200)} is damaged", hint=model.hint)
    return path


def read_vocabulary(folder: Path) -> list[str]:
    """Return the pieces of MiniLM's vocabulary, in the order of their ids."""
    return verified_path(folder, VOCABULARY).read_text(encoding="utf-8").splitlines()


def _hashes(folder: Path, model: LocalModel) -> dict[str, str]:
    try:
        content = json.loads((folder / MANIFEST).read_bytes())
        build, hashes = content["build"], dict(content["sha256"])
    except FileNotFoundError as error:
        raise ModelMissing(
            f"{model.name} is not in {quoted(str(folder), 200)}", hint=model.hint
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelMissing(
            f"{quoted(str(folder / MANIFEST), 200)} is unreadable", hint=model.hint
        ) from error
    if build != model.build or not set(model.files) <= hashes.keys():
        raise ModelMissing(
            f"{model.name} was built by a different version of remem", hint=model.hint
        )
    return hashes
