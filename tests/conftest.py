"""Tests do not download: what is not on this machine is missing, with or without a network."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from benchmarks.workloads import files

from fsmooth.demo import download
from fsmooth.demo.problem import LADYBUG


@pytest.fixture(autouse=True, scope="session")
def _publishers_are_silent() -> Iterator[None]:
    hosts = [urlsplit(file.address).netloc for file in (LADYBUG, files.published("gmm/test.txt"))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(download, "_SILENT", dict.fromkeys(hosts, "tests do not download"))
        yield
