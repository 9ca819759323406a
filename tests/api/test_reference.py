"""Every public name has its place in the reference."""

from pathlib import Path

import fsmooth as fs
from fsmooth.functions import Named

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"


def test_every_public_name_is_in_the_reference() -> None:
    text = REFERENCE.read_text()
    names = [name for name in fs.__all__ if not isinstance(getattr(fs, name), Named)]
    errors = [
        name for name in names if isinstance(getattr(fs, name), type) and issubclass(getattr(fs, name), Exception)
    ]
    missing = [name for name in names if name not in errors and f"fs.{name}" not in text]
    assert missing == []
    described = fs.errors.__doc__ or ""
    assert [name for name in errors if name not in described] == []
