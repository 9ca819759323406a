"""Published files: from a folder, from the cache, from a publisher on this machine, and what is said where there is none."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from fsmooth.demo import download
from fsmooth.demo.data import Altered, Missing, Published, find, here
from fsmooth.runtime import cache

CONTENT = b"1 2 3\n"


def _file(address: str = "http://127.0.0.1:9/x.txt", content: bytes = CONTENT) -> Published:
    return Published("set/x.txt", "A. Author", address, hashlib.sha256(content).hexdigest())


@pytest.fixture(autouse=True)
def _nothing_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("FSMOOTH_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(download, "_SILENT", {})


@pytest.fixture
def publisher() -> Iterator[tuple[str, list[str]]]:
    """The address of a publisher of one file, and what it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200 if self.path == "/x.txt" else 404)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_a_file_in_the_folder_may_be_compressed(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = {"": CONTENT, ".gz": gzip.compress(CONTENT), ".xz": lzma.compress(CONTENT)}
    (tmp_path / "set").mkdir()
    (tmp_path / f"set/x.txt{suffix}").write_bytes(packed[suffix])
    assert here(_file()) is None
    monkeypatch.setenv("FSMOOTH_DATA", str(tmp_path))
    found = find(_file())
    assert (found.content, found.place) == (CONTENT, str(tmp_path / f"set/x.txt{suffix}"))


def test_a_file_that_is_another_one_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set/x.txt").write_bytes(b"4 5 6\n")
    monkeypatch.setenv("FSMOOTH_DATA", str(tmp_path))
    with pytest.raises(Altered, match=r"set/x.txt is not the file of A. Author: its SHA-256 is not \w{64}"):
        find(_file())


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_file_that_cannot_be_decompressed(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / f"set/x.txt{suffix}").write_bytes(gzip.compress(CONTENT)[:-9] + b"x")
    monkeypatch.setenv("FSMOOTH_DATA", str(tmp_path))
    with pytest.raises(Altered, match=f"set/x.txt{suffix} cannot be decompressed: "):
        find(_file())


def test_a_file_is_downloaded_once(publisher: tuple[str, list[str]]) -> None:
    address, asked = publisher
    file = _file(f"{address}/x.txt")
    assert find(file).place == file.address
    kept = find(file)
    assert kept.content == CONTENT
    assert kept.place.endswith("cache/data/set/x.txt")
    assert asked == ["/x.txt"]
    cache.clear()  # removes programs
    assert here(file) is not None


def test_a_download_that_was_altered_is_not_kept(publisher: tuple[str, list[str]]) -> None:
    file = _file(f"{publisher[0]}/x.txt", b"something else")
    with pytest.raises(Missing, match=r"x.txt: its SHA-256 is not \w{64}"):
        find(file)
    assert here(file) is None


def test_a_file_that_the_publisher_does_not_have(publisher: tuple[str, list[str]]) -> None:
    address, asked = publisher
    for _ in range(2):  # a publisher that answers is asked again
        with pytest.raises(Missing, match="404"):
            find(_file(f"{address}/y.txt"))
    assert asked == ["/y.txt"] * 2


def test_a_publisher_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # a port at which nobody listens
        file = _file(f"http://127.0.0.1:{taken.getsockname()[1]}/x.txt")
        with pytest.raises(Missing, match=r"^set/x.txt of A. Author cannot be had: FSMOOTH_DATA names no folder; "):
            find(file)
        monkeypatch.setenv("FSMOOTH_DATA", str(tmp_path))
        with pytest.raises(Missing, match=f"it is not in FSMOOTH_DATA={tmp_path}; {file.address}: .*refused"):
            find(file)


def test_a_publisher_that_is_silent_is_not_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "PATIENCE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        file = _file(f"http://127.0.0.1:{silent.getsockname()[1]}/x.txt")
        with pytest.raises(Missing, match="no answer within"):
            find(file)
        monkeypatch.setattr(download, "PATIENCE", 1e9)
        with pytest.raises(Missing, match="no answer within"):
            find(file)
