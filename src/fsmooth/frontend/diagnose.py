"""One way of showing a mistake: file and line, the user's line, the expression underlined, what to do."""

from __future__ import annotations

import linecache

from fsmooth.core.term import Site


def written_at(site: Site) -> str:
    """The expression as it is written, if its file is there and it is on one line."""
    if not site.file or site.line != site.end_line:
        return ""
    return linecache.getline(site.file, site.line)[site.column : site.end_column]


def render(site: Site, message: str, hint: str = "") -> str:
    """The text of an error.

    >>> print(render(Site("x", "", 0), "x is not defined", "define it"))
    x is not defined
      hint: define it
    """
    parts = [message]
    if site.file and site.line:
        parts.append(f'  File "{site.file}", line {site.line}')
        source = linecache.getline(site.file, site.line).rstrip("\n")
        if source:
            stripped = source.lstrip()
            start = site.column - (len(source) - len(stripped))
            end = site.end_column if site.end_line == site.line else len(source)
            width = max(1, end - site.column)
            parts.append(f"    {stripped}")
            parts.append(f"    {' ' * max(start, 0)}{'^' * width}")
    if hint:
        parts.append(f"  hint: {hint}")
    return "\n".join(parts)
