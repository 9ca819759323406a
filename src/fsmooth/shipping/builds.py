"""What builds a library that was written: CMake, pkg-config, and the library itself if there is a compiler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from fsmooth.errors import CompilationError, CompilerNotFoundError
from fsmooth.runtime.compiler import find_compiler

_CMAKE = """\
# {name}: made by fsmooth.  add_subdirectory(…) or, once installed, find_package({name}); link with {name}::{name}.
cmake_minimum_required(VERSION 3.13)
project({name} C)
add_library({name} {name}.c {name}.h)
add_library({name}::{name} ALIAS {name})
set_target_properties({name} PROPERTIES C_STANDARD 99 POSITION_INDEPENDENT_CODE ON)
target_include_directories({name} PUBLIC $<BUILD_INTERFACE:${{CMAKE_CURRENT_SOURCE_DIR}}> $<INSTALL_INTERFACE:include>)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options({name} PRIVATE -fno-math-errno -fwrapv -fopenmp-simd)
endif()
if(UNIX)
  target_link_libraries({name} PUBLIC m)
endif()
install(TARGETS {name} EXPORT {name}Config ARCHIVE DESTINATION lib LIBRARY DESTINATION lib RUNTIME DESTINATION bin)
install(EXPORT {name}Config NAMESPACE {name}:: DESTINATION lib/cmake/{name})
install(FILES {name}.h DESTINATION include)
"""

_PKG_CONFIG = """\
prefix=${{pcfiledir}}
Name: {name}
Description: {name}, made by fsmooth
Version: 1
Cflags: -I${{prefix}}
Libs: -L${{prefix}} -l{name} -lm
"""

_FLAGS = ("-std=gnu99", "-O3", "-fPIC", "-fno-math-errno", "-fwrapv", "-fopenmp-simd")
"""Not for this machine only."""


def write_builds(folder: Path, name: str) -> list[Path]:
    """Write CMakeLists.txt and NAME.pc beside the C of a library; gives their paths."""
    cmake, pkg_config = folder / "CMakeLists.txt", folder / f"{name}.pc"
    cmake.write_text(_CMAKE.format(name=name), encoding="utf-8")
    pkg_config.write_text(_PKG_CONFIG.format(name=name), encoding="utf-8")
    return [cmake, pkg_config]


def compile_library(folder: Path, name: str) -> list[Path]:
    """Build libNAME.so, and libNAME.a if there is `ar`; gives what was built, which is nothing without a C compiler.

    Raises:
        CompilationError: with what the compiler printed.

    """
    try:
        command = find_compiler().command
    except CompilerNotFoundError:
        return []
    source, made, shared, archive = [folder / x for x in (f"{name}.c", f"{name}.o", f"lib{name}.so", f"lib{name}.a")]
    _run([*command, *_FLAGS, "-c", "-o", str(made), str(source)])
    _run([*command, "-shared", "-Wl,-Bsymbolic", "-o", str(shared), str(made), "-lm"])
    built = [shared]
    if shutil.which("ar"):
        archive.unlink(missing_ok=True)
        _run(["ar", "rcs", str(archive), str(made)])
        built.append(archive)
    made.unlink()
    return built


def _run(line: list[str]) -> None:
    result = subprocess.run(line, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise CompilationError(f"{' '.join(line)} failed\n{result.stderr[:4000]}")
