"""Data of others, which fsmooth does not bring along: found in a folder, in the cache, or at its publisher's.

A file is looked for under its path in `$FSMOOTH_DATA`, where it may be compressed (`.gz`, `.bz2`, `.xz`), then in the
cache, into which it is downloaded at last.  Wherever it comes from, its SHA-256 is the published file's.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fsmooth.runtime import cache

_DECOMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
}
"""What a copy's further suffix says of it."""


@dataclass(frozen=True)
class Published:
    """A file of others: its path in a folder of data, who published it, its address and its SHA-256."""

    path: str
    publisher: str
    address: str
    sha256: str


@dataclass(frozen=True)
class Found:
    """The bytes of a published file, and where they were found."""

    content: bytes
    place: str


class Missing(OSError):
    """A published file that cannot be had; says what was tried."""


class Altered(ValueError):
    """A file in `$FSMOOTH_DATA` that is not what its publisher gave out."""


def folder() -> Path | None:
    """The folder that `$FSMOOTH_DATA` names."""
    name = os.environ.get("FSMOOTH_DATA")
    return Path(name) if name else None


def here(file: Published) -> Found | None:
    """The file, if it is on this machine.

    Raises:
        Altered: if the one in `$FSMOOTH_DATA` is another one.

    """
    own, kept = folder(), _kept(file)
    for suffix, decompressed in _DECOMPRESSED.items():
        if own is not None and (copy := own / f"{file.path}{suffix}").is_file():
            return Found(_checked(file, copy, decompressed), str(copy))
    if kept.is_file() and _is_whole(file, content := kept.read_bytes()):
        return Found(content, str(kept))
    return None


def find(file: Published) -> Found:
    """The file, downloaded into the cache if it is not on this machine.

    Raises:
        Missing: if it cannot be had.
        Altered: if the one in `$FSMOOTH_DATA` is another one.

    """
    found, own = here(file), folder()
    if found is not None:
        return found
    from fsmooth.demo.download import Refused, download  # noqa: PLC0415  (it loads what speaks to the network)

    try:
        download(file.address, file.sha256, _kept(file))
    except Refused as error:
        tried = f"it is not in FSMOOTH_DATA={own}" if own else "FSMOOTH_DATA names no folder"
        raise Missing(f"{file.path} of {file.publisher} cannot be had: {tried}; {error}") from error
    return Found(_kept(file).read_bytes(), file.address)


def _checked(file: Published, copy: Path, decompressed: Callable[[bytes], bytes]) -> bytes:
    packed = copy.read_bytes()
    try:
        content = decompressed(packed)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise Altered(f"{copy} cannot be decompressed: {error}") from error
    if not _is_whole(file, content):
        raise Altered(f"{copy} is not the file of {file.publisher}: its SHA-256 is not {file.sha256}")
    return content


def _kept(file: Published) -> Path:
    return cache.directory() / "data" / file.path


def _is_whole(file: Published, content: bytes) -> bool:
    return hashlib.sha256(content).hexdigest() == file.sha256
