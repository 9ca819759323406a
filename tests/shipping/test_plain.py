"""The plain profile: what compilers and checkers of C99 see, and what it computes."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import thresholds
from fsmooth.backend.c.conditionals import decided
from fsmooth.backend.c.plain import braced, plain
from tests.shipping.callers import built, compiler, said
from tests.shipping.programs import CASES, library
from tests.shipping.test_libraries import compare

C99 = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1")


def saved(folder):
    """The library of all cases, plain, with functions for many elements."""
    functions = {name: f for name, (f, _) in CASES.items()}
    made = fs.library("robot", memory="caller", batch=True, profile="plain", **functions)
    return made.save(folder / "robot", example={name: example for name, (_, example) in CASES.items()})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("plain")
    saved(made)
    return made


@pytest.fixture(scope="module")
def program(folder):
    return built(folder, "plain", "-O1", "-DFS_NO_TEXT")


def test_it_computes_the_same(program, tmp_path):
    """To the bit what the full text does where it may use nothing but C99."""
    printed = said(program)
    compare(printed, 1e-12)
    shipped, examples = library("caller")
    shipped.save(tmp_path / "robot", example=examples)
    assert printed == said(built(tmp_path, "full", "-O1", "-DFS_NO_SIMD"))


def test_in_memory_of_the_caller(program):
    """Nothing is taken from the heap, and nothing is written outside; a product of matrices needs no memory."""
    for name, refused, needs in said(program, "small"):
        assert refused == needs, name
        assert needs == ("0" if name in ("root", "counts", "lengths_dp", "product") else "1"), name


def test_nothing_but_c99_is_in_the_text(folder):
    text = (folder / "robot.c").read_text()
    for word in (
        "goto",
        "restrict",
        "asm",
        "__",
        "_Pragma",
        "pragma",
        "vector_size",
        "malloc",
        "setjmp",
        "FS_GNU",
        "static double",
    ):
        assert not re.search(rf"\b{word}\b" if word != "__" else "__", text), word
    conditions = [line for line in text.splitlines() if line.startswith(("#if", "#el"))]
    assert conditions == ["#ifndef FS_NO_TEXT"]


@pytest.mark.parametrize("cc", ["cc", "clang", "tcc"])
def test_compilers_have_nothing_to_say(folder, cc, tmp_path):
    command = compiler() if cc == "cc" else cc
    if shutil.which(command) is None:
        pytest.skip(f"there is no {cc}")
    flags = ("-Wall", "-Werror") if cc == "tcc" else C99
    subprocess.run([command, *flags, "-c", "-o", str(tmp_path / "robot.o"), str(folder / "robot.c")], check=True)


def test_a_checker_of_misra_sees_no_goto_and_braces_everywhere(tmp_path):
    if shutil.which("cppcheck") is None:
        pytest.skip("there is no cppcheck")
    f, example = CASES["mixture_dmu"]
    source, _ = fs.library("l", f=f, memory="caller", profile="plain").save(tmp_path / "l", example=example)
    line = ["cppcheck", "--addon=misra", "--std=c99", "--quiet", "-DFS_NO_TEXT", str(source)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    found = set(re.findall(r"misra-c2012-([\d.]+)", done.stderr))
    if not found:
        pytest.skip("cppcheck has no addon for MISRA")
    assert found.isdisjoint({"8.14", "12.3", "15.1", "15.2", "15.3", "15.6", "17.2", "20.9", "21.3", "21.4", "21.6"})


def test_statements_that_are_functions_of_their_own(tmp_path, monkeypatch):
    for name in [name for name in vars(thresholds) if name.startswith("OUTLINED")]:
        monkeypatch.setattr(thresholds, name, 0)
    monkeypatch.setattr(thresholds, "OUTLINED", 6)
    monkeypatch.setattr(thresholds, "OUTLINED_BELOW", 1_000_000)
    source, _ = saved(tmp_path)
    assert "_outlined_1(" in source.read_text()
    subprocess.run([compiler(), *C99, "-c", "-o", str(tmp_path / "robot.o"), str(source)], check=True)


def test_the_least_integer(tmp_path):
    """Its opposite is no integer of C's."""
    f = fs.function(lambda n: n - 2**62 - 2**62)
    source, _ = fs.library("l", f=f, memory="caller", profile="plain").save(tmp_path / "l", example=(1,))
    assert "9223372036854775808" not in source.read_text()
    subprocess.run([compiler(), *C99, "-c", "-o", str(tmp_path / "l.o"), str(source)], check=True)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("int f(int a) {\n    if (a) return 1;\n    return 0;\n}\n", "if (a) {\n        return 1;\n    }\n    return 0;"),
        ("void f(int a) {\n    if (a)\n        g();\n    else\n        h();\n}\n", "if (a) {\n        g();\n    }\n    else {\n        h();\n    }\n"),
        ("void f(int a) {\n    if (a) g();\n    else if (b) h();\n}\n", "}\n    else if (b) {\n        h();\n    }\n"),
        ("void f(void) {\n    for (;;)\n        while (g(\";\", ')')) h();\n}\n", "for (;;) {\n        while (g(\";\", ')')) {\n            h();\n        }\n    }\n"),
        ("int x[] = {1, 2};\nvoid f(void) { /* if (a) b; */\n    x = (t){1};\n}\n", "{ /* if (a) b; */\n    x = (t){1};\n}"),
    ],
)  # fmt: skip
def test_braces(text, wanted):
    made = braced(text)
    assert wanted in made
    assert braced(made) == made


def test_conditions_are_decided():
    text = """\
#define FS_NOTHING
#if defined(__GNUC__) && !defined(FS_NO_SIMD)
#define FS_GNU
#endif
#if defined(FS_GNU) || (defined(__AVX__) && FS_LANES == 4)
#define FS_LANES 4
#elif !defined(FS_GNU)
#define FS_LANES 1
#else
#define FS_LANES 2
#endif
#ifndef FS_NO_TEXT
#if FS_LANES != 1
FS_NOTHING wide
#else
FS_NOTHING narrow
#endif
#endif
"""
    assert decided(text) == "#define FS_LANES 1\n#ifndef FS_NO_TEXT\nnarrow\n#endif\n"
    never = "#if FS_A\n#if FS_B + 1\n#ifndef FS_NO_TEXT\n#endif\n#else\n#endif\n#elif (1 == 2 || \\\n    !FS_A) && 3 >= 2\nx\n#endif\n"
    assert decided(never) == "x\n"
    with pytest.raises(ValueError, match=r"a condition that cannot be read: FS_A \+ 1"):
        decided("#if FS_A + 1\n#endif\n")


def test_what_cannot_be_plain_is_no_silent_goto():
    with pytest.raises(ValueError, match="does more than return"):
        plain("int f(void) {\n    goto fail;\nfail:\n    close();\n    return status;\n}\n")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"profile": "misra"}, 'profile=\'misra\'\n  hint: use "full" or "plain"'),
        ({"profile": "plain"}, 'profile="plain" asks nothing of the system\n  hint: with memory="caller"'),
    ],
)
def test_mistakes(given, message):
    with pytest.raises(fs.ArgumentError) as error:
        fs.library("robot", np.sum, **given)
    assert str(error.value) == message
