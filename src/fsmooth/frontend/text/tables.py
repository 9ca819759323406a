"""The LALR(1) tables of `grammar.lark`, as computed by lark and kept in `tables.json`.

Parsing needs the tables only, so neither lark nor the grammar is loaded when a program is read.  A test
compares the file with the grammar; `python -m fsmooth.frontend.text.tables` writes it anew.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent


class Rule(NamedTuple):
    """A production: what it makes, of how many parts, and the action that does so ("" passes one part on)."""

    origin: str
    length: int
    action: str


class Tables(NamedTuple):
    """`shift[state][terminal]` is a state, `reduce[state][terminal]` and `goto` likewise a rule and a state."""

    start: int
    end: int
    rules: list[Rule]
    shift: list[dict[str, int]]
    reduce: list[dict[str, int]]


@cache
def tables() -> Tables:
    """The tables from the file."""
    raw = json.loads((_HERE / "tables.json").read_text())
    return Tables(raw["start"], raw["end"], [Rule(*r) for r in raw["rules"]], raw["shift"], raw["reduce"])


def computed() -> dict[str, object]:
    """The content of `tables.json`, computed from the grammar (needs lark)."""
    from lark import Lark  # noqa: PLC0415  (only for those who change the grammar)

    grammar = (_HERE / "grammar.lark").read_text()
    lark = Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=False)
    table = lark.parser.parser._parse_table
    order = _numbered(table.states, table.start_states["start"])
    rules = sorted(lark.rules, key=lambda r: (str(r.origin.name), [s.name for s in r.expansion]))
    number = {rule: k for k, rule in enumerate(rules)}
    shift: list[dict[str, int]] = [{} for _ in order]
    reduce: list[dict[str, int]] = [{} for _ in order]
    for state, new in order.items():
        for symbol, (action, argument) in sorted(table.states[state].items()):
            if str(action) == "Shift":
                shift[new][symbol] = order[argument]
            else:
                reduce[new][symbol] = number[argument]
    return {
        "start": order[table.start_states["start"]],
        "end": order[table.end_states["start"]],
        "rules": [[str(r.origin.name), len(r.expansion), r.alias or ""] for r in rules],
        "shift": shift,
        "reduce": reduce,
    }


def _numbered(states: dict[int, dict[str, tuple[object, int]]], start: int) -> dict[int, int]:
    """States numbered as they are met from the start, so that the same grammar gives the same file."""
    order = {start: 0}
    queue = [start]
    for state in queue:
        for _, (action, argument) in sorted(states[state].items()):
            if str(action) == "Shift" and argument not in order:
                order[argument] = len(order)
                queue.append(argument)
    return order


if __name__ == "__main__":
    (_HERE / "tables.json").write_text(json.dumps(computed(), separators=(",", ":")) + "\n")
