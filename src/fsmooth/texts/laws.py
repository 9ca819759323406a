"""`law [real, discards] hoist: x / y + z / y ~> (x + z) / y where z : Float` in a text."""

from __future__ import annotations

import re

from fsmooth.errors import LawError
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.laws.law import Law, law
from fsmooth.laws.meaning import Keeps
from fsmooth.texts.pieces import Piece

_HEAD = re.compile(r"law\b\s*(?:\[(?P<options>[^\]]*)\]\s*)?(?P<name>[^\W\d]\w*)\s*:(?P<law>.*)", re.DOTALL)
_OPTIONS = ("real", "discards", *[f"keeps {kept.value}" for kept in Keeps])


def law_of(text: str, piece: Piece) -> Law:
    """The law that a piece of the text is, tested.

    Raises:
        TextError: for one that does not begin as a law does.
        LawError: for one that `fs.law` refuses, with its line.

    """
    found = _HEAD.match(text, piece.start, piece.end)
    if found is None:
        message = "a law is `law name: left ~> right`, or `law [real] name: …`"
        raise TextError(message, text, piece.start, piece.start + len("law"))
    keeps, discards = Keeps.EXACT.value, False
    if found["options"] is not None:
        position = found.start("options")
        for written in found["options"].split(","):
            option = " ".join(written.split())
            if option not in _OPTIONS:
                start = position + len(written) - len(written.lstrip())
                message = f"`{option}` is no option of a law; there are {', '.join(_OPTIONS)}"
                raise TextError(message, text, start, position + len(written.rstrip()))
            position += len(written) + 1
            discards = discards or option == "discards"
            keeps = "value" if option == "real" else option.removeprefix("keeps ") if "keeps" in option else keeps
    try:
        return law(found["law"].strip(), keeps=keeps, discards=discards, name=found["name"])
    except LawError as error:
        line = text.count("\n", 0, piece.start) + 1
        raise LawError(f"line {line}, law {found['name']}: {error}") from None
