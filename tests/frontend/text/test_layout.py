"""The lexer and the layout rule: where the papers leave out `in`."""

import pytest

from fsmooth.frontend.text.lexer import laid_out, tokens


def kinds(text: str) -> str:
    return " ".join([t.text or t.kind for t in laid_out(text, tokens(text))][:-1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let x = 1\nx", "let x = 1 IN x"),
        ("let x = 1 in x", "let x = 1 in x"),
        ("let x = 1\nin x", "let x = 1 in x"),
        ("let x =\n  let y = 1\n  y\nx", "let x = let y = 1 IN y IN x"),
        ("let x = (\n1)\nx", "let x = ( 1 ) IN x"),
        ("f (let x = 1\n   x)", "f ( let x = 1 IN x )"),
        ("let x = f\n  1\n  2\nx", "let x = f 1 2 IN x"),
        ("let x = require c in 1\nx", "let x = require c in 1 IN x"),
        ("let x =\n    1\n  in x", "let x = 1 in x"),
        ("if c then\n  let a = 1\n  a\nelse 2", "if c then let a = 1 IN a else 2"),
        ("let f = fun a ->\n  let b = a\n  b", "let f = fun a -> let b = a IN b IN"),
        ("a (* let x = 1\n *) b # let", "a b"),
    ],
)
def test_a_line_break_stands_for_in(text: str, expected: str) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v[i]", ["NAME", "INDEX", "NAME", "RBRACKET"]),
        ("v.[i]", ["NAME", "INDEX", "NAME", "RBRACKET"]),
        ("f [i]", ["NAME", "LBRACKET", "NAME", "RBRACKET"]),
        ("x.1.0", ["NAME", "PROJECT", "PROJECT"]),
        ("(x).y", ["LPAR", "NAME", "RPAR", "FIELD"]),
        ("1.5e-3 2 3f 1e5", ["FLOAT", "INT", "FLOAT", "FLOAT"]),
        ("a--1", ["NAME", "MINUS", "MINUS", "INT"]),
        ("(+) ( × ) (**)", ["SECTION", "SECTION", "SECTION"]),
        ("v' letter inner", ["NAME", "NAME", "NAME"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert [t.kind for t in tokens(text)][:-1] == expected
