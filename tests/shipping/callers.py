"""A C program that calls the functions of the library, in memory of its own, and prints what they give."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

from fsmooth.runtime.compiler import find_compiler
from tests.shipping.programs import CASES, results_of

C = {"float64": "double", "float32": "float", "int64": "int64_t"}

HEAD = """\
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "robot.h"

void *__wrap_malloc(size_t size); void *__wrap_calloc(size_t n, size_t size); void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);
void *__wrap_malloc(size_t size) { (void)size; abort(); }
void *__wrap_calloc(size_t n, size_t size) { (void)n; (void)size; abort(); }
void *__wrap_realloc(void *p, size_t size) { (void)p; (void)size; abort(); }
void __wrap_free(void *p) { (void)p; abort(); }

static void show_double(const double *x, long n) { for (long k = 0; k < n; ++k) printf(" %a", x[k]); }
static void show_float(const float *x, long n) { for (long k = 0; k < n; ++k) printf(" %a", (double)x[k]); }
static void show_int64_t(const int64_t *x, long n) { for (long k = 0; k < n; ++k) printf(" %" PRId64, x[k]); }
"""

TAIL = """\
static void run(void) {
    for (int k = 0; k < COUNT; ++k) {
        const int32_t status = calls[k](memory, sizeof memory, 0);
        printf("%s %d", names[k], status);
        shows[k](0);
        puts("");
    }
}

/* With less and less memory, at any address: nothing is written outside of it. */
static void small(void) {
    for (int k = 0; k < COUNT; ++k) {
        int refused = 0;
        const size_t all = needs[k]();
        for (size_t size = all; ; size = size > 200 ? size - size / 7 : size ? size - 1 : 0) {
            unsigned char *start = memory + 64 + size % 13;
            memset(memory, 165, all + 256);
            const int32_t status = calls[k](start, size, 0);
            if (status != FS_OK && status != FS_ERROR_MEMORY) abort();
            refused |= status == FS_ERROR_MEMORY;
            for (unsigned char *p = memory; p < memory + all + 256; ++p)
                if ((p < start || p >= start + size) && *p != 165) abort();
            if (size == all && status) abort();
            if (!size) break;
        }
        printf("%s %d %d\\n", names[k], refused, all > 0);
    }
}

static void *calling(void *given) {
    const int thread = (int)(intptr_t)given;
    for (int round = 0; round < 200; ++round)
        for (int k = 0; k < COUNT; ++k)
            if (calls[(k + thread) % COUNT](workspaces[thread], sizeof workspaces[thread], thread)) abort();
    return NULL;
}

static void threads(void) {
    pthread_t all[THREADS];
    for (intptr_t k = 0; k < THREADS; ++k) pthread_create(&all[k], NULL, calling, (void *)k);
    for (int k = 0; k < THREADS; ++k) pthread_join(all[k], NULL);
    for (int k = 1; k < THREADS; ++k)
        if (memcmp(&results[0], &results[k], sizeof results[0])) abort();
    puts("the same bits");
}

int main(int count, char **words) {
    if (count > 1 && !strcmp(words[1], "small")) small();
    else if (count > 1 && !strcmp(words[1], "threads")) threads();
    else run();
    fflush(stdout);
    return 0;
}
"""


def main_of() -> str:
    """Its text."""
    fields: list[str] = []
    texts: list[str] = []
    needs: list[str] = []
    for name, (_, example) in CASES.items():
        given: list[str] = []
        sizes: list[str] = []
        for k, x in enumerate(example):
            array = np.asarray(x)
            if array.ndim:
                kind = C[str(array.dtype)]
                values = ", ".join([float(v).hex() if kind != "int64_t" else str(v) for v in array.ravel()])
                texts.append(f"static const {kind} {name}_{k}[{array.size}] = {{{values}}};\n")
                sizes += [str(n) for n in array.shape]
                given += [f"{name}_{k}", *[str(n) for n in array.shape]]
            else:
                given.append(float(x).hex() if isinstance(x, float) else str(x))
        shows = []
        for k, result in enumerate(results_of(name)):
            kind, field = C[str(result.dtype)], f"{name}_{k}"
            fields.append(f"    {kind} {field}[{max(1, result.size)}];\n")
            given.append(f"results[thread].{field}")
            shows.append(f"show_{kind}(results[thread].{field}, {result.size});")
        needs.append(f"ROBOT_{name.upper()}_WORK({', '.join(sizes)})")
        texts.append(
            f"static void show_{name}(int thread) {{ {' '.join(shows)} }}\n"
            f"static size_t needs_{name}(void) {{\n    if ({needs[-1]} != robot_{name}_work({', '.join(sizes)})) abort();\n"
            f"    return {needs[-1]};\n}}\n"
            f"static int32_t call_{name}(void *work, size_t size, int thread) {{\n"
            f"    return robot_{name}({', '.join(given)}, work, size, NULL);\n}}\n"
        )
    total = " + ".join(needs)
    tables = "".join(
        [
            f"static {kind} = {{{', '.join([made.format(name) for name in CASES])}}};\n"
            for kind, made in (
                ("int32_t (*const calls[])(void *work, size_t size, int thread)", "call_{}"),
                ("void (*const shows[])(int thread)", "show_{}"),
                ("size_t (*const needs[])(void)", "needs_{}"),
                ("const char *const names[]", '"{}"'),
            )
        ]
    )
    head = (
        f"enum {{ COUNT = {len(CASES)}, THREADS = 8 }};\n"
        f"typedef struct {{\n{''.join(fields)}}} everything;\nstatic everything results[THREADS];\n"
        f"static unsigned char memory[{total} + 512], workspaces[THREADS][{total} + 512];\n"
    )
    return "".join([HEAD, head, *texts, tables, TAIL])


WRAPPED = [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "free")]
STRICT = ("-std=gnu99", "-Wall", "-Wextra", "-Werror")


def compiler() -> str:
    """The C compiler."""
    return find_compiler().command[0]


def built(folder: Path, name: str, *flags: str, wrapped: bool = True) -> Path:
    """The program, linked with the library, built with these flags."""
    source, program, made = folder / "main.c", folder / name, folder / f"{name}.o"
    source.write_text(main_of())
    cc = find_compiler().command
    subprocess.run([*cc, *STRICT, "-fPIC", *flags, "-c", "-o", str(made), str(folder / "robot.c")], check=True)
    wraps = WRAPPED if wrapped else []
    line = [*cc, *STRICT, *flags, "-o", str(program), str(source), str(made), *wraps, "-lm", "-lpthread"]
    subprocess.run(line, check=True)
    return program


def said(program: Path, *words: str) -> list[list[str]]:
    """What it prints."""
    done = subprocess.run([str(program), *words], capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]
