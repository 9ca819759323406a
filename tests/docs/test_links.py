"""Links in the pages lead somewhere; files that are named exist."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT

_ALL = [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_NAMED = re.compile(
    r"`((?:src|tests|docs|examples|benchmarks|tools|core|frontend|library|rewrite|optimise|differentiate"
    r"|loops|lower|backend|runtime|demo)/[\w./-]+)`"
)


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _missing_links(page: Path) -> list[str]:
    missing = []
    for link in _LINK.findall(_text(page)):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        headings = re.findall(r"^#+ (.*)$", _text(target), re.MULTILINE) if anchor and target.is_file() else []
        if not target.exists() or (anchor and anchor not in [_anchor(h) for h in headings]):
            missing.append(link)
    return missing


def _missing_files(page: Path) -> list[str]:
    named = _NAMED.findall(_text(page))
    return [n for n in named if not (ROOT / n).exists() and not (ROOT / "src" / "fsmooth" / n).exists()]


@pytest.mark.parametrize("page", _ALL, ids=[str(p.relative_to(ROOT)) for p in _ALL])
def test_links(page):
    assert _missing_links(page) == []
    assert _missing_files(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One thing\n[a](nowhere.md) [b](#one-thing) [c](#two) `core/nothing.py` `core/term`", "utf-8")
    assert _missing_links(page) == ["nowhere.md", "#two"]
    assert _missing_files(page) == ["core/nothing.py"]


def test_the_map_is_short():
    assert len(_text(ROOT / "ARCHITECTURE.md").splitlines()) <= 100


def test_the_modules_on_the_map_exist():
    """In a row of the table of rooms, names in `…` are modules of the room."""
    rows = re.findall(r"^\| (\[.*?)\| (.*) \|$", _text(ROOT / "ARCHITECTURE.md"), re.MULTILINE)
    missing, found = [], 0
    for rooms, what in rows:
        folders = [ROOT / link for link in _LINK.findall(rooms)]
        modules = {f.stem for folder in folders for f in (folder.rglob("*") if folder.is_dir() else [folder])}
        names = re.findall(r"`(\w+)`", what)
        missing += [n for n in names if n not in modules]
        found += len(names)
    assert missing == []
    assert found > 40
