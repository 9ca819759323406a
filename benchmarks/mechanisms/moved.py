"""Which programs have other C than before: `python -m benchmarks.mechanisms.moved BEFORE AFTER`.

Each is a folder that `python -m benchmarks.mechanisms.measure FOLDER` has filled, before a change of the compiler and after it,
half a minute each.  What has not moved need not be timed again.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path


def moved(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, int, int]]:
    """Of each such program, the name, and how many lines are gone and new."""
    for name in {**before, **after}:
        old, new = [texts.get(name, "").splitlines() for texts in (before, after)]
        if old != new:
            lines = [line[0] for line in list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]]
            yield name, lines.count("-"), lines.count("+")


def _texts(folder: str) -> dict[str, str]:
    found = json.loads((Path(folder) / "programs.json").read_text())
    return {name: program["text"] for name, program in found.items()}


def main() -> None:
    before, after = [_texts(folder) for folder in sys.argv[1:3]]
    found = list(moved(before, after))
    for name, gone, new in found:
        print(f"{name}: {gone} lines gone, {new} new")
    print(f"{len(found)} of {len(after)} programs have other C")


if __name__ == "__main__":
    main()
