"""Which headers a text of C includes (backend/c/headers.py)."""

from __future__ import annotations

import pytest

from fsmooth.backend.c.headers import included
from fsmooth.backend.c.spelling import Call, spelling
from fsmooth.core.primitives import TABLE
from fsmooth.core.types import F64

TYPES = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"


def test_types_only() -> None:
    assert included("int64_t f(int64_t n) { return n; }") == TYPES


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("x = INFINITY;", "math"),
        ("x = expf(y);", "math"),
        ("if (isnan(x)) return 1;", "math"),
        ("#define fs_exp exp", "math"),
        ("void *p = malloc(8);", "stdlib"),
        ("memset(p, 0, n);", "string"),
    ],
)
def test_what_is_mentioned_is_included(text: str, header: str) -> None:
    lines = included(text).splitlines()
    assert f"#include <{header}.h>" in lines
    assert len(lines) == 4
    assert lines == sorted(lines)


@pytest.mark.parametrize("text", ["/* malloc, or\n   memcpy, or exp */", "fs_exp(x);", "experiment();", "my_free(p);"])
def test_comments_and_other_names_are_not(text: str) -> None:
    assert included(text) == TYPES


def test_every_function_of_libm_that_a_primitive_is_is_known() -> None:
    spelled = [spelling(primitive, F64) for primitive in TABLE.values()]
    calls = [x.name for x in spelled if isinstance(x, Call)]
    assert len(calls) > 20
    for name in calls:
        assert "<math.h>" in included(f"{name}(x)"), name
        assert "<math.h>" in included(f"{name}f(x)"), name
