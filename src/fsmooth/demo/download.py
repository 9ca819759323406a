"""Downloads of one file: with a checksum, a progress bar, and no long wait where there is no network."""

from __future__ import annotations

import hashlib
import tempfile
from concurrent.futures import Future
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

PATIENCE = 5.0
"""Seconds within which a publisher answers: without a network, a name may be looked up in vain for longer."""

_SILENT: dict[str, str] = {}
"""Hosts that this process could not reach, which it does not ask again, and why."""


class Refused(OSError):
    """A file that cannot be downloaded; says why."""


def download(address: str, sha256: str, target: Path) -> None:
    """Put the file at an address to `target`, whole or not at all.

    Raises:
        Refused: if that cannot be done.

    """
    host = urlsplit(address).netloc
    try:
        if host in _SILENT:
            raise OSError(_SILENT[host])
        with _opened(address).result(PATIENCE) as answer:
            content = _read(answer, target.name)
        if hashlib.sha256(content).hexdigest() != sha256:
            raise OSError(f"its SHA-256 is not {sha256}")
        _write(target, content)
    except HTTPError as error:
        error.close()
        raise Refused(f"{address}: {error}") from error
    except (TimeoutError, URLError) as error:
        _SILENT[host] = str(getattr(error, "reason", "")) or f"no answer within {PATIENCE:.0f} s"
        raise Refused(f"{address}: {_SILENT[host]}") from error
    except ModuleNotFoundError as error:
        raise Refused(f"{error.msg}; a download takes more: pip install 'fsmooth[demo]'") from error
    except (OSError, HTTPException) as error:
        raise Refused(f"{address}: {error}") from error


def _opened(address: str) -> Future[HTTPResponse]:
    """The beginning of the answer, waited for in a thread: looking up a name cannot be given a time."""
    opened = Future[HTTPResponse]()

    def wait() -> None:
        try:
            opened.set_result(urlopen(address, timeout=PATIENCE))
        except Exception as error:  # for who reads the result
            opened.set_exception(error)

    Thread(target=wait, daemon=True).start()
    return opened


def _read(answer: HTTPResponse, title: str) -> bytes:
    """All of it, with a bar on the terminal."""
    from rich.console import Console  # noqa: PLC0415  (an extra: pip install fsmooth[demo])
    from rich.progress import wrap_file  # noqa: PLC0415

    console = Console(stderr=True)
    length = int(answer.headers.get("Content-Length", 0))
    with wrap_file(
        answer, length, description=title, console=console, transient=True, disable=not console.is_terminal
    ) as reading:
        return b"".join(iter(lambda: reading.read(1 << 16), b""))


def _write(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        whole = Path(work) / target.name
        whole.write_bytes(content)
        whole.replace(target)
