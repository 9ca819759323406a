"""Finding a C compiler; what happens without one."""

import os
import shlex
import shutil
import sys

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.runtime import compiler as module
from fsmooth.runtime.compiler import LONG, Compiler, _command, find_compiler

REAL = {tool: shutil.which(tool) for tool in ("cc", "as", "ld")}


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path / "cache"))


def test_the_chosen_compiler_comes_first(monkeypatch):
    chosen = shutil.which("cc")
    monkeypatch.setenv("FSMOOTH_CC", shlex.join([chosen, "-g"]))
    assert find_compiler().command == (chosen, "-g")
    assert fs.function(lambda x: x + 1.5)(1.0) == 2.5


def test_flags_are_appended_and_never_fast_math(monkeypatch):
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-DONE -DTWO=2")
    compiler = find_compiler()
    assert compiler.flags[-2:] == ("-DONE", "-DTWO=2")
    assert not any("fast-math" in flag for flag in compiler.flags)


def test_large_programs_are_built_with_less_optimisation(tmp_path):
    compiler = find_compiler()
    assert "-O3" in compiler.line(tmp_path, tmp_path, 10)
    assert "-O1" in compiler.line(tmp_path, tmp_path, 6_000)
    assert "-O0" in compiler.line(tmp_path, tmp_path, 11_000)


@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_gcc_looks_for_no_ranges_in_long_programs(monkeypatch, tmp_path, name):
    """What ranges gcc 12 finds, it finds by recursion: it took minutes for the second derivative of a least-squares problem."""
    command = tmp_path / "compiler"
    command.write_text(f"#!/bin/sh\necho {name} version 12\n")
    command.chmod(0o755)
    monkeypatch.setenv("FSMOOTH_CC", str(command))
    compiler = find_compiler()
    assert "-fno-tree-vrp" not in compiler.line(tmp_path, tmp_path, LONG)
    assert ("-fno-tree-vrp" in compiler.line(tmp_path, tmp_path, LONG + 1)) is (name == "gcc")


def test_gold_links_if_it_is_there_and_nobody_chose_otherwise(monkeypatch):
    """GNU ld takes twice as long for each program."""
    monkeypatch.setattr(module.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert module._fast_linker(("cc",), "") == ("-fuse-ld=gold",)
    assert module._fast_linker(("cc",), "-O2 -fuse-ld=lld") == ()
    assert module._fast_linker(("/opt/gcc",), "") == ()
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    assert module._fast_linker(("cc",), "") == ()


def test_what_gold_cannot_link_is_linked_all_the_same(monkeypatch, tmp_path):
    broken = tmp_path / "ld.gold"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for count in (1, 2):
        monkeypatch.setattr(module, "processors", lambda count=count: count)
        module._find.cache_clear()
        f = fs.function(lambda x, count=count: x + 7.5 + count)
        assert f(1.0) == 8.5 + count
    module._find.cache_clear()


BOTH_AT_ONCE = """#!/bin/sh
case "$*" in
*-shared*) ;;
*program.c*) mine=program theirs=functions ;;
*functions.c*) mine=functions theirs=program ;;
esac
if [ -n "$mine" ]; then
    touch {directory}/$mine
    for i in $(seq 200); do [ -e {directory}/$theirs ] && break; sleep 0.05; done
    [ -e {directory}/$theirs ] || exit 3
fi
exec cc "$@"
"""


def test_what_a_first_program_is_linked_with_is_compiled_beside_it(monkeypatch, tmp_path):
    command = tmp_path / "compiler"
    command.write_text(BOTH_AT_ONCE.format(directory=tmp_path))
    command.chmod(0o755)
    monkeypatch.setenv("FSMOOTH_CC", str(command))
    monkeypatch.setattr(module, "processors", lambda: 2)
    assert fs.function(lambda x: x + 5.5)(1.0) == 6.5
    assert {"program", "functions"} <= {file.name for file in tmp_path.iterdir()}


def test_one_processor_compiles_one_after_the_other(monkeypatch):
    monkeypatch.setattr(module, "processors", lambda: 1)
    assert fs.function(lambda x: x + 6.5)(1.0) == 7.5


def test_a_compiler_that_does_not_exist(monkeypatch):
    monkeypatch.setenv("FSMOOTH_CC", "no-such-compiler")
    with pytest.raises(fs.CompilerNotFoundError, match="no-such-compiler"):
        fs.function(lambda x: x + 2.5)(1.0)
    monkeypatch.delenv("FSMOOTH_CC")
    assert fs.function(lambda x: x + 2.5)(1.0) == 3.5


def test_no_compiler_at_all(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("fsmooth.runtime.compiler.importlib.util.find_spec", lambda _: None)
    with pytest.raises(fs.CompilerNotFoundError, match="hint: install"):
        fs.function(lambda x: x + 3.5)(1.0)


def test_a_compiler_that_fails(monkeypatch):
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-fno-such-flag")
    f = fs.function(lambda x: x + 4.5)
    with pytest.raises(fs.CompilationError, match="no-such-flag"):
        f(1.0)
    monkeypatch.delenv("FSMOOTH_CFLAGS")
    assert f(1.0) == 5.5


def test_a_compiler_that_cannot_be_run(tmp_path):
    broken = Compiler((str(tmp_path / "missing"),), "", ())
    with pytest.raises(fs.CompilationError, match="cannot be run"):
        broken.build(tmp_path / "a.c", tmp_path / "a.so")


def pretend(folder, name, says):
    """A program that says it is some compiler and calls the real one."""
    script = folder / name
    script.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{says}"; exit; fi\n'
        f'for flag; do shift; case $flag in -fveclib=*) ;; *) set -- "$@" "$flag";; esac; done\n'
        f'echo {name} >> {folder}/log\nexec {REAL["cc"]} "$@"\n'
    )
    script.chmod(0o755)
    for tool in ("as", "ld"):  # the real compiler looks for these
        if REAL[tool] and not (folder / tool).exists():
            (folder / tool).symlink_to(REAL[tool])


SAYS = {"clang": "Debian clang version 14", "gcc": "gcc 12", "cc": "cc 12"}


def test_the_order_of_search(monkeypatch, tmp_path):
    monkeypatch.setattr("fsmooth.runtime.compiler.importlib.util.find_spec", lambda name: name == "ziglang" or None)
    for k in range(4):
        folder = tmp_path / str(k)
        folder.mkdir()
        present = list(SAYS)[:k]
        for name in present:
            pretend(folder, name, SAYS[name])
        monkeypatch.setenv("PATH", str(folder))
        if not present:
            assert _command(None, str(folder)) == (sys.executable, "-m", "ziglang", "cc")
            continue
        assert find_compiler().command == (present[-1],)
        assert find_compiler().version == SAYS[present[-1]]
        assert fs.function(lambda x: x + k)(1.25) == k + 1.25  # noqa: B023  (called at once)
        assert set((folder / "log").read_text().split()) == {present[-1]}
    monkeypatch.setenv("FSMOOTH_CC", "gcc -g")
    assert find_compiler().command == ("gcc", "-g")


@pytest.mark.parametrize(
    ("says", "has", "has_not"),
    [
        (
            "gcc (Debian) 12",
            {"-fopenmp-simd", "-fno-trapping-math", "-fno-split-loops", "-fno-gcse"},
            {"-fveclib=libmvec"},
        ),
        ("Debian clang version 14", {"-fopenmp-simd"}, {"-fno-trapping-math", "-fno-split-loops", "-fno-gcse"}),
    ],
)
def test_flags_of_each_compiler(monkeypatch, tmp_path, says, has, has_not):
    pretend(tmp_path, "compiler", says)
    monkeypatch.setenv("FSMOOTH_CC", str(tmp_path / "compiler"))
    flags = set(find_compiler().flags)
    assert flags >= has | {"-march=native", "-fno-math-errno"}
    assert not flags & has_not


@pytest.mark.parametrize("script", ["", "garbage", "#!/bin/sh\nexit 3\n", "#!/no/such/shell\n"])
def test_a_compiler_that_is_broken(monkeypatch, tmp_path, script):
    broken = tmp_path / "broken"
    broken.write_text(script)
    broken.chmod(0o755)
    monkeypatch.setenv("FSMOOTH_CC", str(broken))
    f = fs.function(lambda x: x + 6.5)
    with pytest.raises((fs.CompilationError, fs.CompilerNotFoundError)):
        f(1.0)
    monkeypatch.delenv("FSMOOTH_CC")
    assert f(1.0) == 7.5


def test_zig(monkeypatch):
    pytest.importorskip("ziglang")
    monkeypatch.setenv("FSMOOTH_CC", shlex.join([sys.executable, "-m", "ziglang", "cc"]))
    assert np.array_equal(fs.grad(lambda v: sum(fs.exp(x) for x in v))(np.zeros(5)), np.ones(5))
    assert fs.function(lambda v: max(x for x in v))(np.full(3, -np.inf)) == -np.inf


AMD = "processor\t: 0\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu avx2 avx512f avx512dq\n\nprocessor\t: 1\nvendor_id\t: AuthenticAMD\n"


@pytest.mark.parametrize(
    ("described", "slow"),
    [
        (AMD, True),
        (AMD.replace("AuthenticAMD", "GenuineIntel"), False),
        (AMD.replace(" avx512f", ""), False),
        ("CPU architecture: 8\n", False),
        (None, False),
    ],
)
def test_processors_whose_gathers_are_slow(tmp_path, described, slow):
    file = tmp_path / "cpuinfo"
    if described is not None:
        file.write_text(described)
    assert module._has_slow_gathers(file) is slow


def test_gathers_are_left_out_only_by_compilers_that_can(monkeypatch, tmp_path):
    """A compiler that does not know the flag is called without it; so are all on other processors."""
    knows, knows_not = tmp_path / "knows", tmp_path / "knows_not"
    for tool, status in ((knows, 0), (knows_not, 1)):
        tool.write_text(f"#!/bin/sh\nexit {status}\n")
        tool.chmod(0o755)
    monkeypatch.setattr(module, "_has_slow_gathers", lambda: True)
    assert module._without_gathers((str(knows),)) == [module.NO_GATHERS]
    assert module._without_gathers((str(knows_not),)) == []
    assert module._without_gathers((str(tmp_path / "none"),)) == []
    monkeypatch.setattr(module, "_has_slow_gathers", lambda: False)
    assert module._without_gathers((str(knows),)) == []
