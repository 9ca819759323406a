"""The reference page names what exists, and nothing of Fig. 4's kind is left out of it."""

import re
from pathlib import Path

from fsmooth.library import names
from fsmooth.library.definitions import sources

_PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "library.md").read_text(encoding="utf-8")
_CODE = re.findall(r"`([^`]+)`", _PAGE)


def test_what_the_page_names_exists() -> None:
    listed = [word for code in _CODE if re.fullmatch(r"[\w\s]+", code) for word in code.split() if len(word) > 2]
    assert len(listed) > 100
    assert set(listed) - names() <= {"fs"}


def test_the_page_names_the_paper_functions() -> None:
    page = set(re.findall(r"\w+", _PAGE))
    paper = {n for n in sources() if re.match(r"(vector|matrix)[A-Z]", n)}
    hidden = {n for n in paper if n not in page}
    numpy = (Path(__file__).parents[2] / "src" / "fsmooth" / "library" / "numpy.ft").read_text(encoding="utf-8")
    assert all(f"let {n} =" in numpy for n in hidden), hidden
