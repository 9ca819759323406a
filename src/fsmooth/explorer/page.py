"""The page as a whole: one file, which asks the network for nothing, and whose one script is the only one that it lets run."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

from fsmooth.checks import Checks, checks_of
from fsmooth.core.term import Site
from fsmooth.driver import Stages, with_deep_recursion
from fsmooth.errors import ArgumentError
from fsmooth.explain import sections
from fsmooth.explorer import came_from, parts
from fsmooth.explorer.written import Written
from fsmooth.loops.show import show_program
from fsmooth.optimise.schedule import Schedule
from fsmooth.steps import Steps

SIZE = 300_000
"""A page is shorter than so many bytes: of a long derivation steps are left out."""

_MOST = (30_000, 12_000, 4_000)
"""So many characters of each text are shown: fewer, if little room would be left for steps."""

_STEPS = 80_000
_FRAME = 4_000
_HERE = Path(__file__).parent
_IN_THE_PAGE_ALREADY = ("definition", "optimised")
_CARRIES = re.compile(r' data-line="(\d+)"')
_SAID = (
    "Point at a line of the source, or go to it with the Tab key, to light what came of it; press it to keep that lit. "
    "Only what carries its line is lit: steps and checks that know it, and, in terms, loops and C, definitions, loops and tests "
    "with what stands in them. Of other text it is not known which line it comes from."
)


def write(path: Path, name: str, function: Callable[..., object], schedule: str | Schedule, stages: Stages) -> Path:
    """Write the page about a program whose stages have the firings of all rules; `function` is what its user wrote."""
    if not path.parent.is_dir():
        raise ArgumentError(
            f"{path}: there is no folder {str(path.parent)!r}\n  hint: make it, or name a file elsewhere"
        )
    path.write_text(page(name, function, schedule, stages), encoding="utf-8")
    return path


def page(name: str, function: Callable[..., object], schedule: str | Schedule, stages: Stages) -> str:
    """The page as text."""
    return with_deep_recursion(lambda: _page(name, function, schedule, stages))


def _page(name: str, function: Callable[..., object], schedule: str | Schedule, stages: Stages) -> str:
    trace, found = Steps(stages.trace), checks_of(stages)
    written = Written.of(function, _sites(trace, [c.site for c in found]))
    everything = parts.source(written, frozenset(range(written.first, written.first + len(written.lines))))
    for most in _MOST:
        rest = _rest(schedule, stages, found, written, most)
        room = SIZE - _FRAME - len(_whole(name, schedule, everything, rest).encode())
        if room >= _STEPS:
            break
    kept = parts.kept_steps(trace, written, room)
    derived = parts.section("The derivation", parts.steps(kept, len(trace)), "derivation")
    carried = frozenset([int(line) for line in _CARRIES.findall(derived + rest)])
    return _whole(name, schedule, parts.source(written, carried), derived + rest)


def _rest(schedule: str | Schedule, stages: Stages, found: Checks, written: Written, most: int) -> str:
    """What is below the derivation, each text of at most so many characters."""
    assert stages.loops is not None
    assert stages.code is not None
    loops, code = show_program(stages.loops), stages.code
    made = [
        (f"the {stage} term", parts.text(str(t), most, came_from.of_term(str(t), t, written)))
        for stage, t in stages.terms.items()
    ]
    made.append(("the loops", parts.text(loops, most, came_from.of_loops(loops, stages.loops, written))))
    lines_of_c = came_from.of_c(code.source, code.sites, stages.loops, written)
    made.append(("the C", parts.text(code.source, most, lines_of_c)))
    why = [(title, said) for title, said in sections(schedule, stages) if title not in _IN_THE_PAGE_ALREADY]
    told = "".join([f"<dt>{escape(title)}</dt><dd>{parts.text(said, most // 4)}</dd>" for title, said in why])
    return (
        parts.section("Checks", parts.checks(found, written, most // 100), "checks")
        + parts.section("What it became", "".join([parts.folded(title, text) for title, text in made]), "made")
        + parts.section("Cost, modes, storage", f"<dl>{told}</dl>", "why")
    )


def _sites(trace: Steps, others: list[Site]) -> Iterator[Site]:
    yield from others
    for step in trace:
        yield step.site


def _whole(name: str, schedule: str | Schedule, source: str, rest: str) -> str:
    style, script = [(_HERE / file).read_text(encoding="utf-8") for file in ("page.css", "page.js")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    title = escape(name)
    aside = parts.section(
        "The program", f'{source}<p id="lit" role="status"></p><p class="said">{_SAID}</p>', "program"
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} – fsmooth</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"<style>{style}</style></head><body><header><h1>{title}</h1><p>schedule {escape(str(schedule))[:400]}</p></header>"
        f"<main><div>{aside}</div><div>{rest}</div></main><script>{script}</script></body></html>\n"
    )
