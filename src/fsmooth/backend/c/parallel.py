"""Parallel loops: their bodies as functions, and what runs these (loops/passes/parallel.py).

Who calls a program may hand it a pool of threads (runtime/pool.c), by `NAME_threads`; without one its chunks run one after
the other, or as OpenMP has them with -DFS_OPENMP -fopenmp.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth import thresholds
from fsmooth.backend.c.names import c_type, element_type
from fsmooth.loops import tree as t

PARALLEL = """\
typedef void (*fs_task)(void *given, int64_t chunk);
typedef void (*fs_pool)(fs_task task, void *given, int64_t chunks, int32_t threads);
static fs_pool fs_pool_of_caller;

/* each chunk once, on threads of the caller's pool if it has one */
static void fs_in_parallel(fs_task task, void *given, int64_t chunks, int32_t threads) {
#if defined(FS_OPENMP) && defined(_OPENMP)
#pragma omp parallel for schedule(dynamic, 1) if (chunks > 1)
    for (int64_t k = 0; k < chunks; ++k) task(given, k);
    (void)threads;
#else
    if (chunks > 1 && fs_pool_of_caller) {
        fs_pool_of_caller(task, given, chunks, threads);
        return;
    }
    for (int64_t k = 0; k < chunks; ++k) task(given, k);
#endif
}
"""

PROTOTYPE = """\
void NAME_threads(void (*pool)(void (*task)(void *given, int64_t chunk), void *given, int64_t chunks, int32_t threads));
"""

SETTER = """\
/* the pool whose threads run the chunks of parallel loops, or NULL */
void NAME_threads(fs_pool pool);
void NAME_threads(fs_pool pool) { fs_pool_of_caller = pool; }
"""


def handed_over(part: t.Function, text: str, given: Sequence[t.Parameter], *, fails: bool) -> str:
    """The function that a body is, what it is handed, and how it is called with that."""
    fields = [f"    {_kind(q)}{q.name};" for q in given]
    if fails:
        fields += [f"    int32_t status[{thresholds.MOST_CHUNKS}];", f"    fs_error error[{thresholds.MOST_CHUNKS}];"]
    values = "".join([f"of->{q.name}, " for q in given])
    called = f"{part.name}({values}chunk, {'&of->error[chunk]' if fails else 'NULL'});"
    return "\n".join(
        [
            f"static {text}",
            "typedef struct {",
            *(fields or ["    char nothing;"]),
            f"}} {part.name}_given;",
            "",
            f"static void {part.name}_run(void *given, int64_t chunk) {{",
            f"    {'' if fails else 'const '}{part.name}_given *const of = given;",
            f"    of->status[chunk] = {called}" if fails else f"    (void){called}",
            "}",
            "",
        ]
    )


def _kind(q: t.Parameter) -> str:
    if not q.pointer:
        return f"{c_type(q.type)} "
    return f"{'' if q.output else 'const '}{element_type(q.type)} *"
