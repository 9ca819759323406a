"""What went wrong in a function of a shipped library, as text: in constant arrays of the library, without a pointer that a loader
would have to write.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fsmooth.core.term import Failure, Site

STATUS = """\
#ifndef FS_STATUS
#define FS_STATUS
typedef enum {
    FS_OK = 0,
    FS_ERROR_RUN = 1,    /* what the program tests: an index, sizes that differ, an assertion, … */
    FS_ERROR_MEMORY = 2, /* too little of it */
    FS_ERROR_DEPTH = 3,  /* a function calls itself too often for the stack */
    FS_ERROR_TAPE = 4,   /* too little memory for a tape */
    FS_ERROR_SIZE = 5    /* another size than the one that is built in, or below zero */
} fs_status;
#endif
#ifndef FS_ERROR
#define FS_ERROR
typedef struct {
    int32_t site; /* where, or -1 */
    int32_t kind; /* the fs_status */
    int64_t numbers[2];
} fs_error;
#endif
"""

FAILING = """\
static int32_t fs_refused(fs_error *error, int32_t status, int32_t site, int64_t a, int64_t b) {
    *error = (fs_error){site, status, {a, b}};
    return status;
}
"""

_TEXTS = {
    Failure.INDEX: "index out of bounds for {what}: the numbers are the index and the size",
    Failure.SIZE: "sizes differ: the numbers are both",
    Failure.EMPTY: "the maximum or minimum of nothing",
    Failure.ASSERTION: "assertion failed: {what}",
    Failure.RAISED: "{what}",
}


def text_of(failure: Failure | None, site: Site) -> str:
    """What went wrong at a site."""
    known = failure or Failure.INDEX
    return _TEXTS.get(known, known.value).format(what=site.what or "an array")


class Message:
    """The text of an error, and the place in the program that it is of."""

    def __init__(self, text: str, site: Site) -> None:
        self.text = text
        self.file = Path(site.file).name if site.file else ""
        self.line = site.line if site.file else 0


def prototype(library: str) -> str:
    """Of the function that gives the text."""
    return f"const char *{library}_error_text(const fs_error *error, const char **file, int *line)"


def table(library: str, messages: Sequence[Message], memory: str) -> str:
    """The function with the texts of all sites."""
    files = sorted({m.file for m in messages} | {""})
    texts = list(dict.fromkeys([m.text for m in messages]))
    lines = ["#ifndef FS_NO_TEXT", f"{prototype(library)} {{"]
    lines += _array("files", files)
    if messages:
        lines += _array("texts", texts)
        lines.append("    static const int32_t places[][3] = { /* text, file, line */")
        lines += [f"        {{{texts.index(m.text)}, {files.index(m.file)}, {m.line}}}," for m in messages]
        lines.append("    };")
    lines += [
        "    if (file) *file = files[0];",
        "    if (line) *line = 0;",
        "    switch (error->kind) {",
        '    case FS_OK: return "no error";',
        f"    case FS_ERROR_MEMORY: return {quoted(memory)};",
        '    case FS_ERROR_DEPTH: return "a function calls itself too often, one call in the other, for the stack";',
        '    case FS_ERROR_TAPE: return "not enough memory for the tape: the numbers are its entries and operands";',
        "    default: break;",
        "    }",
    ]
    if messages:
        lines += [
            f"    if (error->site >= 0 && error->site < {len(messages)}) {{",
            "        if (file) *file = files[places[error->site][1]];",
            "        if (line) *line = places[error->site][2];",
            "        return texts[places[error->site][0]];",
            "    }",
        ]
    return "\n".join([*lines, '    return "no error of this library";', "}", "#endif", ""])


def _array(name: str, texts: Sequence[str]) -> list[str]:
    longest = max([len(text.encode()) for text in texts]) + 1
    return [f"    static const char {name}[][{longest}] = {{", *[f"        {quoted(x)}," for x in texts], "    };"]


def quoted(text: str) -> str:
    """A string of C."""
    escaped = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("?"): "\\?"}
    return (
        '"'
        + "".join([escaped.get(b, chr(b)) if 32 <= b < 127 or b == 10 else f"\\{b:03o}" for b in text.encode()])
        + '"'
    )
