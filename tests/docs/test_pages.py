"""Every block of code in README.md and docs/ runs, and prints what the page says."""

import pytest

from tests.docs.pages import PAGES, ROOT, blocks, matches, run

_RUN = [page for page in PAGES if any(b.language in ("python", "sh") for b in blocks(page))]


@pytest.mark.parametrize("page", _RUN, ids=[str(page.relative_to(ROOT)) for page in _RUN])
def test_page(page, tmp_path, monkeypatch):
    if page.stem == "casadi":
        pytest.importorskip("casadi", reason="CasADi is not installed (pip install 'fsmooth[casadi]')")
    monkeypatch.chdir(tmp_path)
    run(page, tmp_path)


def test_what_is_shown_is_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```python\nprint(x, 2)\n```\n\n```text\n1 …\n```\n", encoding="utf-8")
    assert run(page, tmp_path) == 1
    page.write_text("```python\nprint(1)\n```\n```text\n2\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="it prints\n1"):
        run(page, tmp_path)


def test_ellipsis():
    assert matches("a … c", "a b c\n")
    assert not matches("a … c", "a b d")


def test_the_pages_show_what_they_print():
    shown = sum(b.language == "text" and b.follows_directly for page in _RUN for b in blocks(page))
    assert shown >= 20


def test_every_page_is_reached_from_the_index():
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = [p.relative_to(ROOT / "docs") for p in PAGES if p.is_relative_to(ROOT / "docs")]
    assert len(pages) > 15
    assert [str(p) for p in pages if p.parts[0] not in ("README.md", "decisions") and f"({p})" not in text] == []
