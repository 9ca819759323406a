"""The parts of the page as HTML.  Whatever comes from a program is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from fsmooth.checks import Checks
from fsmooth.core.term import Site
from fsmooth.explorer.written import Written
from fsmooth.steps import Step, Steps

TERM = 3_000
"""A term of a step is shown up to so many characters."""

WIDTH = 200
"""Lines of the source are shown up to so many characters."""


def section(title: str, body: str, name: str) -> str:
    """A part of the page with a heading."""
    return f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escape(title)}</h2>{body}</section>'


def folded(title: str, body: str) -> str:
    """What opens when its title is pressed."""
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def source(written: Written, carried: frozenset[int]) -> str:
    """The program with line numbers; lines that something carries can be pointed at."""
    if not written.lines:
        return "<p>The source of this program is not there.</p>"
    rows = []
    for number, text in enumerate(written.lines, written.first):
        code = f'<span class="number">{number}</span><code>{_cut(text, WIDTH) or " "}</code>'
        can = f' data-from="{number}" tabindex="0" role="button" aria-pressed="false"' if number in carried else ""
        rows.append(f'<li><span class="line"{can}>{code}</span></li>')
    left = f"<p>{written.left_out} more lines are left out.</p>" if written.left_out else ""
    return f'<ol class="source" role="list">{"".join(rows)}</ol>{left}'


def steps(kept: Sequence[tuple[int, str]], total: int) -> str:
    """The steps that are kept, with a slider; without scripts, one below the other."""
    if not total:
        return "<p>No rule fired.</p>"
    left = total - len(kept)
    said = (
        f'<p id="left-out">{left} of the {total} steps, in the middle, are left out to keep the page small.</p>'
        if left
        else ""
    )
    control = (
        '<div class="control" hidden><button type="button" id="before" aria-label="step before">◀</button>'
        f'<span class="track"><input type="range" id="slider" min="1" max="{len(kept)}" value="1" aria-label="step">'
        '<span class="ticks" aria-hidden="true"></span></span>'
        '<button type="button" id="after" aria-label="next step">▶</button><output id="shown" for="slider"></output></div>'
    )
    return f'{said}{control}<ol id="steps" role="list">{"".join([html for _, html in kept])}</ol>'


def kept_steps(trace: Steps, written: Written, room: int) -> list[tuple[int, str]]:
    """As many steps as fit into so many bytes, with their places: from both ends, so that what is left out is in the middle."""
    first: list[tuple[int, str]] = []
    last: list[tuple[int, str]] = []
    for k in range(len(trace)):
        at_start = k % 2 == 0
        place = k // 2 if at_start else len(trace) - 1 - k // 2
        html = _step(place + 1, len(trace), trace[place], written)
        room -= len(html.encode())
        if room < 0:
            break
        (first if at_start else last).append((place, html))
    return first + last[::-1]


def _step(number: int, total: int, step: Step, written: Written) -> str:
    before, after = step.costs
    line = written.line_of(step.site)
    facts = [
        f"<b>{escape(step.rule)}</b>",
        f"<span>{escape(step.source)}</span>" if step.source else "",
        f"<span>cost {escape(str(before))}{'' if before == after else f' → {escape(str(after))}'}</span>",
        f"<span>line {line}</span>" if line else "",
    ]
    terms = f'<pre tabindex="0">{_cut(str(step.before), TERM)}</pre><p role="img" aria-label="becomes">~&gt;</p>'
    terms += f'<pre tabindex="0">{_cut(str(step.after), TERM)}</pre>'
    head = f'<p class="head">step {number} of {total}: {" · ".join([fact for fact in facts if fact])}</p>'
    return f'<li data-step="{number}"{_carries(line)}>{head}{terms}</li>'


def checks(found: Checks, written: Written, most: int) -> str:
    """A row for each thing that the program requires; the first `most` of them."""
    if not len(found):
        return "<p>Nothing is checked.</p>"
    head = "".join(
        [f'<th scope="col">{title}</th>' for title in ("line", "where", "what must hold", "when it is tested")]
    )
    rows = []
    for c in found[:most]:
        cells = "".join([f"<td>{escape(x)}</td>" for x in (_place(c.site, written), c.source, c.what, c.result)])
        rows.append(f"<tr{_carries(written.line_of(c.site))}>{cells}</tr>")
    tested = len(found.remaining)
    said = f"<p>{len(found)} in all: {len(found) - tested} proved, {tested} tested.</p>"
    if len(found) > most:
        said += f"<p>{len(found) - most} more are left out.</p>"
    body = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="wide" tabindex="0" role="region" aria-label="table of checks">{body}</div>{said}'


def _place(site: Site, written: Written) -> str:
    """The line of a site, with its file if that is another one than the program's."""
    elsewhere = site.file and site.file != written.file
    return f"{Path(site.file).name}, {site.line}" if elsewhere else str(site.line)


def text(shown: str, most: int, lines: Iterable[int] = ()) -> str:
    """A text of at most so many characters; where it is known, each line with the line of the program that it comes from."""
    from_lines = list(lines)
    if not any(from_lines):
        return f'<pre tabindex="0">{_cut(shown, most)}</pre>'
    rows, room = [], most
    for k, (line, number) in enumerate(zip(shown.splitlines(), from_lines, strict=True)):
        room -= len(line) + 1
        if room < 0:
            rows.append(f"… {len(from_lines) - k} more lines are left out")
            break
        rows.append(f"<span{_carries(number)}>{escape(line)}</span>" if number else escape(line))
    return f'<pre tabindex="0">{chr(10).join(rows)}</pre>'


def _carries(line: int) -> str:
    return f' data-line="{line}"' if line else ""


def _cut(shown: str, most: int) -> str:
    if len(shown) <= most:
        return escape(shown)
    return f"{escape(shown[:most])}… {len(shown) - most} more characters are left out"
