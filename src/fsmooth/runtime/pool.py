"""The threads that parallel loops run on: one pool for each process, made when the first program needs it.

Chunks are claimed: whoever calls works too, and nobody waits for a thread that has not woken, only for chunks that were
claimed.  On a machine whose processors have other work, that costs little; a fixed share for each thread takes as long as the
slowest of them needs.  Each begins with its own part of the chunks, the same part in region after region, so that what it has in
its cache serves again, and neighbours in memory are written by one thread; then it takes from the ends of others' parts.

One region runs at a time: another thread of the process that comes to one meanwhile, and a chunk that comes to one itself, run it
alone.  A child process has a pool of its own.
"""

from __future__ import annotations

import ctypes
import functools
import os

from fsmooth.errors import ArgumentError
from fsmooth.runtime.compiler import find_compiler, processors
from fsmooth.runtime.thread_limits import PREFIX, known_to_threadpoolctl

_SOURCE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef void (*fs_task)(void *given, int64_t chunk);

enum { MOST = 256, LOOKS = 2000, STACK = 8 << 20 };

static pthread_mutex_t region = PTHREAD_MUTEX_INITIALIZER; /* who has it runs chunks on all threads */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;   /* of what follows */
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static pthread_cond_t begun[MOST]; /* for each helper: those that a region has nothing for go on sleeping */
static struct {
    fs_task task;
    void *given;
    int64_t chunks;
    uint32_t number; /* of the region: nothing is left of parts of an earlier one */
    int32_t helpers; /* so many threads at most, besides the caller */
    int cpu;         /* where the caller runs */
} now;
static struct {
    uint64_t left; /* number of the region, the next chunk, and the chunk behind the last */
    char apart[56];
} parts[MOST + 1] __attribute__((aligned(64))); /* of the caller, and of each helper */
static int64_t done;    /* chunks */
static int32_t started; /* threads */
static int32_t limit = 1, allowed = MOST; /* threads of programs that say no number, and of all */
static __thread int inside;

/* On a machine whose processors have other work, a thread may be without one for milliseconds while it has a chunk.  After
   a region that waited for that, the next few run alone, and the more, the more often it happens. */
static int32_t alone, patience;

/* Look again a little later; whoever else wants this processor has it meanwhile. */
static inline void relax(int look) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    if (look % 16 == 15) sched_yield();
}

static int64_t nanoseconds(void) {
    struct timespec now_;
    clock_gettime(CLOCK_MONOTONIC, &now_);
    return now_.tv_sec * INT64_C(1000000000) + now_.tv_nsec;
}

/* The next chunk of a part, or the last one of it; -1 if none is left, or the region has ended. */
static int64_t claimed(int32_t part, uint32_t number, int is_own) {
    uint64_t left = __atomic_load_n(&parts[part].left, __ATOMIC_ACQUIRE);
    for (;;) {
        const uint32_t first = left >> 16 & 0xffff, end = left & 0xffff;
        if ((uint32_t)(left >> 32) != number || first >= end) return -1;
        const uint64_t next = is_own ? left + 0x10000 : left - 1;
        if (__atomic_compare_exchange_n(&parts[part].left, &left, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return is_own ? first : end - 1;
    }
}

static void work(fs_task task, void *given, int64_t chunks, uint32_t number, int32_t own, int32_t count) {
    for (int32_t k = 0; k < count; ++k)
        for (int64_t chunk; (chunk = claimed((own + k) % count, number, k == 0)) >= 0;) {
            task(given, chunk);
            if (__atomic_add_fetch(&done, 1, __ATOMIC_ACQ_REL) == chunks) {
                pthread_mutex_lock(&lock);
                pthread_cond_broadcast(&ended);
                pthread_mutex_unlock(&lock);
            }
        }
}

/* A thread that was woken may be where its waker still runs, and stay there while other processors have nothing to do. */
static void away_from(int cpu) {
#if defined(__linux__)
    cpu_set_t all, others;
    if (cpu < 0 || sched_getcpu() != cpu || sched_getaffinity(0, sizeof all, &all)) return;
    others = all;
    CPU_CLR(cpu, &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others)) return;
    sched_setaffinity(0, sizeof all, &all);
#else
    (void)cpu;
#endif
}

static int here(void) {
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

static void *thread(void *which) {
    const int32_t own = (int32_t)(intptr_t)which;
    uint32_t seen = 0;
    inside = 1;
    for (;;) {
        for (int k = 0; k < LOOKS && __atomic_load_n(&now.number, __ATOMIC_ACQUIRE) == seen; ++k) relax(k);
        pthread_mutex_lock(&lock);
        while (now.number == seen || own >= now.helpers) pthread_cond_wait(&begun[own], &lock);
        seen = now.number;
        const fs_task task = now.task;
        void *const given = now.given;
        const int64_t chunks = now.chunks;
        const int32_t helpers = now.helpers, cpu = now.cpu;
        pthread_mutex_unlock(&lock);
        away_from(cpu);
        work(task, given, chunks, seen, own + 1, helpers + 1);
    }
    return NULL;
}

static void start(int32_t helpers) {
    pthread_attr_t attributes;
    sigset_t all, before;
    if (started >= helpers || pthread_attr_init(&attributes)) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all); /* signals are for the threads of the program */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t made;
    while (started < helpers && !pthread_create(&made, &attributes, thread, (void *)(intptr_t)started)) ++started;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static void in_child(void) { /* of the threads only this one is there */
    pthread_mutex_init(&region, NULL);
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&ended, NULL);
    for (int k = 0; k < MOST; ++k) pthread_cond_init(&begun[k], NULL);
    started = 0;
    inside = 0;
}

static void __attribute__((constructor)) at_start(void) {
    for (int k = 0; k < MOST; ++k) pthread_cond_init(&begun[k], NULL);
    pthread_atfork(NULL, NULL, in_child);
}

static int32_t within(int32_t threads) { return threads < 1 ? 1 : threads > MOST ? MOST : threads; }

void fs_pool_limit(int32_t threads) { limit = within(threads); }

void fs_pool_allow(int32_t threads) { __atomic_store_n(&allowed, within(threads), __ATOMIC_RELAXED); }

int32_t fs_pool_threads(void) {
    const int32_t most = __atomic_load_n(&allowed, __ATOMIC_RELAXED);
    return most < limit ? most : limit;
}

void fs_pool_run(fs_task task, void *given, int64_t chunks, int32_t threads) {
    const int32_t wanted = threads > 0 ? threads : limit, all = __atomic_load_n(&allowed, __ATOMIC_RELAXED);
    const int32_t most = wanted < all ? wanted : all;
    int32_t helpers = (int64_t)most < chunks ? most - 1 : (int32_t)chunks - 1;
    if (helpers > MOST) helpers = MOST;
    const int taken = !inside && helpers >= 1 && chunks <= 0xffff && !pthread_mutex_trylock(&region);
    if (!taken || alone > 0) {
        if (taken) {
            --alone;
            pthread_mutex_unlock(&region);
        }
        for (int64_t k = 0; k < chunks; ++k) task(given, k);
        return;
    }
    const int64_t begin = nanoseconds();
    inside = 1;
    start(helpers);
    pthread_mutex_lock(&lock);
    const uint32_t number = now.number + 1;
    now.task = task, now.given = given, now.chunks = chunks;
    now.helpers = helpers, now.cpu = here();
    __atomic_store_n(&done, 0, __ATOMIC_RELEASE);
    for (int32_t k = 0; k <= helpers; ++k) {
        const uint64_t first = chunks * k / (helpers + 1), end = chunks * (k + 1) / (helpers + 1);
        __atomic_store_n(&parts[k].left, (uint64_t)number << 32 | first << 16 | end, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&now.number, number, __ATOMIC_RELEASE);
    for (int32_t k = 0; k < helpers; ++k) pthread_cond_signal(&begun[k]);
    pthread_mutex_unlock(&lock);
    work(task, given, chunks, number, 0, helpers + 1);
    const int64_t own = nanoseconds();
    for (int k = 0; k < LOOKS && __atomic_load_n(&done, __ATOMIC_ACQUIRE) < chunks; ++k) relax(k);
    if (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < chunks) {
        pthread_mutex_lock(&lock);
        while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < chunks) pthread_cond_wait(&ended, &lock);
        pthread_mutex_unlock(&lock);
    }
    const int64_t waited = nanoseconds() - own;
    patience = waited < 50000 + (own - begin) / 2 ? patience / 2 : patience < 2 ? 4 : patience < 64 ? 2 * patience : 64;
    alone = waited < 50000 + (own - begin) / 2 ? 0 : patience;
    inside = 0;
    pthread_mutex_unlock(&region);
}
"""


@functools.lru_cache(maxsize=1)
def pool() -> ctypes.c_void_p:
    """Where C finds the pool of this process."""
    from fsmooth.runtime.cache import compiled  # noqa: PLC0415  (loaded when something is compiled)

    library = ctypes.CDLL(str(compiled(_SOURCE, 0, find_compiler(), prefix=PREFIX)))
    library.fs_pool_limit(ctypes.c_int32(default_threads()))
    found = ctypes.cast(library.fs_pool_run, ctypes.c_void_p)
    _LOADED.append(library)
    known_to_threadpoolctl()
    return found


_LOADED: list[ctypes.CDLL] = []


def default_threads() -> int:
    """How many threads programs with `threads="auto"` run on: `$FSMOOTH_THREADS`, or a thread for each processor.

    Raises:
        ArgumentError: if the variable is not a number of threads.

    """
    given = os.environ.get("FSMOOTH_THREADS")
    if not given:
        return processors()
    if not given.isdecimal() or int(given) < 1:
        raise ArgumentError(f"FSMOOTH_THREADS={given!r}\n  hint: use a number of threads, such as 4")
    return int(given)
