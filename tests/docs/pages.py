"""What a page of the documentation contains that can be run.

All blocks of a page run in order, in one directory of their own:

    ```python            is executed, all of a page in one namespace
    ```sh                is run by the shell
    ```python model.py   (any language and a name) is written to that file
    ```text              directly after a python or sh block is what that prints; … stands for anything

Python keeps the line numbers of the page, so that a failure names the line of the page.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import types
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the name of the file it is (or nothing), and where its first line stands."""

    language: str
    file: str
    body: str
    line: int
    follows_directly: bool


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found, end = [], 0
    for match in _FENCE.finditer(text):
        language, _, file = match["info"].strip().partition(" ")
        line = text.count("\n", 0, match.start("body")) + 1
        found.append(Block(language, file, match["body"], line, not text[end : match.start()].strip()))
        end = match.end()
    return found


def run(page: Path, directory: Path) -> int:
    """Run a page in `directory`, which is the current one; gives the number of outputs compared."""
    module = types.ModuleType("page")  # dataclasses and annotations look for it
    namespace = vars(module)
    sys.modules["page"] = module
    printed, compared = None, 0
    for number, block in enumerate(blocks(page)):
        if block.file:
            (directory / block.file).write_text(block.body, encoding="utf-8")
        elif block.language == "python":
            printed = _python(block, directory / f"{page.stem}_{number}.py", namespace)
        elif block.language == "sh":
            printed = _shell(block, directory)
        elif block.language == "text" and block.follows_directly and printed is not None:
            assert matches(block.body, printed), f"{page}:{block.line}: it prints\n{printed}"
            compared, printed = compared + 1, None
            continue
        else:
            printed = None
    return compared


def matches(expected: str, printed: str) -> bool:
    """Is this what was printed, where … stands for anything?"""
    pattern = ".*?".join([re.escape(part) for part in _tidy(expected).split("…")])
    return re.fullmatch(pattern, _tidy(printed), re.DOTALL) is not None


def _tidy(text: str) -> str:
    return "\n".join([line.rstrip() for line in text.strip().splitlines()])


def _python(block: Block, file: Path, namespace: dict[str, object]) -> str:
    file.write_text("\n" * (block.line - 1) + block.body, encoding="utf-8")
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), namespace)
    return output.getvalue()


def _shell(block: Block, directory: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["sh", "-e", "-c", block.body],
        cwd=directory,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"line {block.line}: {done.stderr}"
    return done.stdout
