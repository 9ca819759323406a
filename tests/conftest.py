"""What all tests share: they do not download, so that what is not on this machine is missing, with or without a network."""

import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from benchmarks.workloads import files

from fsmooth import thresholds
from fsmooth.demo import download
from fsmooth.demo.problem import LADYBUG


@pytest.fixture(autouse=True, scope="session")
def _publishers_are_silent() -> Iterator[None]:
    hosts = [urlsplit(file.address).netloc for file in (LADYBUG, files.published("gmm/test.txt"))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(download, "_SILENT", dict.fromkeys(hosts, "tests do not download"))
        yield


AS_FOR_USERS = frozenset(
    ("accuracy", "cases", "demo", "docs", "examples", "golden", "papers", "runtime", "shipping", "workloads")
)
"""Rooms whose programs are compiled with the flags that users get.  Others are compiled with -O1, for which C compilers take half as
long: there are some thousands of them, loops that are to run in vectors do, and sanitizers see all (tools/sanitize.py).
"""


@pytest.fixture(autouse=True)
def _flags(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = Path(__file__).parent
    if request.path.is_relative_to(rooms) and request.path.relative_to(rooms).parts[0] not in AS_FOR_USERS:
        monkeypatch.setenv("FSMOOTH_CFLAGS", "-O1")


@pytest.fixture
def deep() -> Iterator[None]:
    """The recursion limit that the driver has: random terms, and long ones, are deep."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.fixture
def tiny_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every loop has several chunks, of an iteration or a few."""
    for name in (
        "CHUNK_WORK",
        "CHUNK_UNIT",
        "COLUMN_UNIT",
        "PRODUCT_WORK",
        "PRODUCT_ROWS",
        "PRODUCT_UNIT",
        "COPIED_SUMS",
    ):
        monkeypatch.setattr(thresholds, name, 1)
