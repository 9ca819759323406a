"""Random programs nest deeper than Python's own programs do."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _deep(deep: None) -> None:
    """All of these terms are deep."""
