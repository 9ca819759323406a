"""What `fsmooth build` writes, built by the tools that others use, and called from other languages."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from fsmooth import cli

MODEL = """\
def energy(x, k):
    \"\"\"Springs between neighbours.\"\"\"
    u = [k * (x[i + 1] - x[i]) ** 2 for i in range(len(x) - 1)]
    return sum(u[len(u) - 1 - i] * u[i] for i in range(len(u)))
"""

X = np.array([0.0, 1.0, 3.0, 2.5])


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The library of energy, its gradients by both parameters and its Hessian, in memory of the caller."""
    made = tmp_path_factory.mktemp("built")
    (made / "model.py").write_text(MODEL)
    words = [
        "build",
        f"{made / 'model.py'}:energy",
        "--grad",
        "--grad",
        "k",
        "--hessian",
        "--types",
        "float[]",
        "float",
    ]
    assert cli.main([*words, "--memory", "caller", "-o", str(made / "lib")]) == 0
    return made


def expected() -> list[str]:
    names: dict = {}
    exec(MODEL, names)

    def gradient(x):
        h = 1e-6
        return [(names["energy"](x + h * e, 0.5) - names["energy"](x - h * e, 0.5)) / (2 * h) for e in np.eye(len(x))]

    return [f"{names['energy'](X, 0.5):.4f}", *[f"{g:.4f}" for g in gradient(X)]]


def agrees(printed: str) -> None:
    assert printed.split() == expected()


def run(*line: object) -> str:
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def needs(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"there is no {tool}")
        if subprocess.run([tool, "--version"], capture_output=True, check=False).returncode:
            pytest.skip(f"{tool} does not run here")


def test_what_is_written(folder, capsys):
    wanted = {"energy.c", "energy.h", "CMakeLists.txt", "energy.pc", "libenergy.so", "libenergy.a"}
    assert {f.name for f in (folder / "lib").iterdir()} == wanted
    functions = re.findall(r"int32_t (energy_\w+)\(", (folder / "lib" / "energy.h").read_text())
    shapes = ["energy_grad_energy_shape", "energy_hessian_energy_shape"]
    assert functions == [
        "energy_energy",
        "energy_grad_energy",
        shapes[0],
        "energy_grad_energy_k",
        "energy_hessian_energy",
        shapes[1],
    ]
    assert (
        cli.main(["build", f"{folder / 'model.py'}:energy", "--types", "float", "--no-compile", "-o", str(folder)]) == 1
    )
    assert "energy takes 2 arguments (x, k), not 1" in capsys.readouterr().err
    words = [
        "build",
        f"{folder / 'model.py'}:energy",
        "--types",
        "float[]",
        "float",
        "--no-compile",
        "--name",
        "springs",
    ]
    assert cli.main([*words, "-o", str(folder / "other")]) == 0
    assert {f.name for f in (folder / "other").iterdir()} == {"springs.c", "springs.h", "CMakeLists.txt", "springs.pc"}
    printed = capsys.readouterr().out.split()
    assert [Path(p).name for p in printed] == ["springs.c", "springs.h", "CMakeLists.txt", "springs.pc"]


C_MAIN = """\
#include <stdio.h>
#include "energy.h"

int main(void) {
    static const double x[4] = {0.0, 1.0, 3.0, 2.5};
    static char work[ENERGY_GRAD_ENERGY_WORK(4) + ENERGY_ENERGY_WORK(4) + 1];
    double value, dx[4];
    fs_error error;
    if (energy_energy(x, 4, 0.5, &value, work, sizeof work, &error)) return 1;
    if (energy_grad_energy(x, 4, 0.5, dx, work, sizeof work, &error)) return 1;
    printf("%.4f %.4f %.4f %.4f %.4f\\n", value, dx[0], dx[1], dx[2], dx[3]);
    return 0;
}
"""


def test_c_by_pkg_config(folder, tmp_path, monkeypatch):
    needs("pkg-config", "cc")
    monkeypatch.setenv("PKG_CONFIG_PATH", str(folder / "lib"))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder / "lib"))
    (tmp_path / "main.c").write_text(C_MAIN)
    flags = run("pkg-config", "--cflags", "--libs", "energy").split()
    run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", tmp_path / "main.c", *flags, "-o", tmp_path / "main")
    agrees(run(tmp_path / "main"))


SUBDIRECTORY = """\
cmake_minimum_required(VERSION 3.13)
project(use C)
add_subdirectory({folder} energy)
add_executable(main main.c)
target_link_libraries(main energy::energy)
"""
PACKAGE = SUBDIRECTORY.replace("add_subdirectory({folder} energy)", "find_package(energy REQUIRED PATHS {folder})")


@pytest.mark.parametrize("how", ["subdirectory", "package"])
def test_c_by_cmake(folder, tmp_path, how):
    needs("cmake", "cc")
    found = folder / "lib"
    if how == "package":
        found = tmp_path / "installed"
        run("cmake", "-S", folder / "lib", "-B", tmp_path / "made", f"-DCMAKE_INSTALL_PREFIX={found}")
        run("cmake", "--build", tmp_path / "made", "--target", "install")
    (tmp_path / "main.c").write_text(C_MAIN)
    text = SUBDIRECTORY if how == "subdirectory" else PACKAGE
    (tmp_path / "CMakeLists.txt").write_text(text.format(folder=found))
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build")
    run("cmake", "--build", tmp_path / "build")
    agrees(run(tmp_path / "build" / "main"))


CPP_MAIN = """\
#include <cstdio>
#include <vector>
#include "energy.h"

int main() {
    const std::vector<double> x{0.0, 1.0, 3.0, 2.5};
    std::vector<char> work(energy_grad_energy_work(4) + energy_energy_work(4));
    std::vector<double> dx(x.size());
    double value;
    if (energy_energy(x.data(), 4, 0.5, &value, work.data(), work.size(), nullptr) != FS_OK) return 1;
    if (energy_grad_energy(x.data(), 4, 0.5, dx.data(), work.data(), work.size(), nullptr) != FS_OK) return 1;
    std::printf("%.4f %.4f %.4f %.4f %.4f\\n", value, dx[0], dx[1], dx[2], dx[3]);
}
"""


def test_cpp(folder, tmp_path):
    needs("g++")
    (tmp_path / "main.cpp").write_text(CPP_MAIN)
    archive = folder / "lib" / "libenergy.a"
    run(
        "g++",
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        f"-I{folder / 'lib'}",
        tmp_path / "main.cpp",
        archive,
        "-o",
        tmp_path / "main",
    )
    agrees(run(tmp_path / "main"))


RUST_MAIN = """\
use std::ptr;

#[link(name = "energy", kind = "static")]
extern "C" {
    fn energy_energy_work(x_n0: i64) -> usize;
    fn energy_grad_energy_work(x_n0: i64) -> usize;
    fn energy_energy(x: *const f64, x_n0: i64, k: f64, value: *mut f64, work: *mut u8, size: usize, error: *mut u8) -> i32;
    fn energy_grad_energy(x: *const f64, x_n0: i64, k: f64, dx: *mut f64, work: *mut u8, size: usize, error: *mut u8) -> i32;
}

fn main() {
    let x = [0.0, 1.0, 3.0, 2.5];
    let (mut value, mut dx) = (0.0, [0.0; 4]);
    unsafe {
        let mut work = vec![0u8; energy_energy_work(4) + energy_grad_energy_work(4)];
        let size = work.len();
        assert_eq!(energy_energy(x.as_ptr(), 4, 0.5, &mut value, work.as_mut_ptr(), size, ptr::null_mut()), 0);
        assert_eq!(energy_grad_energy(x.as_ptr(), 4, 0.5, dx.as_mut_ptr(), work.as_mut_ptr(), size, ptr::null_mut()), 0);
    }
    println!("{:.4} {:.4} {:.4} {:.4} {:.4}", value, dx[0], dx[1], dx[2], dx[3]);
}
"""


def test_rust(folder, tmp_path):
    needs("rustc")
    (tmp_path / "main.rs").write_text(RUST_MAIN)
    run("rustc", "-D", "warnings", "-L", folder / "lib", tmp_path / "main.rs", "-o", tmp_path / "main")
    agrees(run(tmp_path / "main"))


FORTRAN_MAIN = """\
program main
  use iso_c_binding
  implicit none
  interface
    function energy_grad_energy(x, n, k, dx, work, bytes, error) bind(c) result(status)
      import
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: n
      real(c_double), value :: k
      real(c_double), intent(out) :: dx(*)
      character(c_char) :: work(*)
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: error
      integer(c_int32_t) :: status
    end function
    function energy_energy(x, n, k, value_, work, bytes, error) bind(c) result(status)
      import
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: n
      real(c_double), value :: k
      real(c_double), intent(out) :: value_
      character(c_char) :: work(*)
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: error
      integer(c_int32_t) :: status
    end function
  end interface
  real(c_double) :: x(4) = [0.0d0, 1.0d0, 3.0d0, 2.5d0], dx(4), energy
  character(c_char) :: work(4096)
  if (energy_energy(x, 4_c_int64_t, 0.5d0, energy, work, 4096_c_size_t, c_null_ptr) /= 0) stop 1
  if (energy_grad_energy(x, 4_c_int64_t, 0.5d0, dx, work, 4096_c_size_t, c_null_ptr) /= 0) stop 1
  print '(5F9.4)', energy, dx
end program
"""


def test_fortran(folder, tmp_path):
    needs("gfortran")
    (tmp_path / "main.f90").write_text(FORTRAN_MAIN)
    run("gfortran", "-Wall", tmp_path / "main.f90", folder / "lib" / "libenergy.a", "-lm", "-o", tmp_path / "main")
    agrees(run(tmp_path / "main"))


def test_no_compiler_is_no_error(folder, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("FSMOOTH_CC", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    words = ["build", f"{folder / 'model.py'}:energy", "--types", "float[]", "float"]
    assert cli.main([*words, "-o", str(folder / "without")]) == 0
    assert "energy.pc" in capsys.readouterr().out
    assert {f.suffix for f in (folder / "without").iterdir()} == {".c", ".h", ".txt", ".pc"}


def test_batches(folder):
    words = ["build", f"{folder / 'model.py'}:energy", "--types", "float[]", "float", "--no-compile", "--batch"]
    assert cli.main([*words, "-o", str(folder / "many")]) == 0
    assert "int32_t energy_energy_many(" in (folder / "many" / "energy.h").read_text()


def test_the_plain_profile(folder):
    words = ["build", f"{folder / 'model.py'}:energy", "--grad", "--types", "float[]", "float", "--memory", "caller"]
    assert cli.main([*words, "--profile", "plain", "-o", str(folder / "plain")]) == 0
    assert "goto" not in (folder / "plain" / "energy.c").read_text()
    assert (folder / "plain" / "libenergy.so").is_file() or shutil.which("cc") is None
