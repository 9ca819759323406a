"""Writes docs/reference/numpy.md from the tables of tools/names: what programs can call, and what to write instead.

    python tools/numpy_page.py          writes the page
    python tools/numpy_page.py --check  exits with 1 if the page is not what would be written

tests/arrays/test_names.py runs every example of the tables, and looks that no public name is missing.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = ROOT / "tools" / "names"
PAGE = ROOT / "docs" / "reference" / "numpy.md"

TABLES = {"numpy": "numpy", "linalg": "numpy.linalg", "special": "scipy.special"}

HEAD = """# NumPy's names

What of NumPy and SciPy programs can call, with an example of each; every example is run by the tests, its value compared with
NumPy's, its derivatives in both modes with differences. Arrays have NumPy's methods and operators too, and parts can be put
together in brackets, `np.r_[x, 1.0, 0:n]` and `np.c_[x, y]`. What is refused says what to write instead. This page is written
by `python tools/numpy_page.py`.

In the examples `x` and `y` are vectors, `a` is a matrix, `s` a square one, `p` a positive definite one, `t` has three axes,
`K` are integers and `B` truth values.
"""


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for file, module in TABLES.items():
        table = tomllib.loads((NAMES / f"{file}.toml").read_text(encoding="utf-8"))
        have, refused = table["have"], table.get("refused", {})
        parts.append(f"## {module}\n\n{len(have)} functions:\n")
        rows = [f"| `{name}` | `{example.replace('|', chr(92) + '|')}` |" for name, example in have.items()]
        parts.append("| name | for example |\n|---|---|\n" + "\n".join(rows) + "\n")
        if refused:
            rows = [f"| `{name}` | {instead} |" for name, instead in refused.items()]
            parts.append("Refused:\n\n| name | instead |\n|---|---|\n" + "\n".join(rows) + "\n")
        for kind, names in table.get("meaningless", {}).items():
            parts.append(f"Not for programs ({kind}): " + ", ".join([f"`{n}`" for n in names.split()]) + ".\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" in arguments:
        return int(PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
