"""The tables that are shipped are those of the grammar, and long and deep programs parse."""

import json
from pathlib import Path

from fsmooth.frontend.text import tables, tree
from fsmooth.frontend.text.parser import parse_tree


def test_the_tables_are_those_of_the_grammar() -> None:
    stored = json.loads((Path(tables.__file__).parent / "tables.json").read_text())
    assert stored == json.loads(json.dumps(tables.computed())), "run python -m fsmooth.frontend.text.tables"


def test_every_action_of_the_grammar_exists() -> None:
    from fsmooth.frontend.text import parser

    assert {r.action for r in tables.tables().rules} - {""} == set(parser._ACTIONS)


def test_a_long_program() -> None:
    lines = [f"let x{i} = x{i - 1} * 2.0 + sin x{i - 1}" for i in range(1, 3000)]
    node = parse_tree("\n".join([*lines, "x2999"]))
    count = 0
    while isinstance(node, tree.Binding):
        node, count = node.body, count + 1
    assert count == 2999


def test_deep_brackets() -> None:
    assert isinstance(parse_tree("(" * 20_000 + "x" + ")" * 20_000), tree.Name)
