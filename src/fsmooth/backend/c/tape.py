"""The C of a tape (paper 003, §8.3): entries that are written on the way forward, and one loop back through them.

An operation with two operands takes 32 bytes: a slope and an operand for each, and where they begin.  The tape grows to twice
its size while it is small and by a quarter afterwards, and fails before it is larger than the machine's memory, with what it
needs on the way back.  Like the memory of a call (backend/c/arena.py) it is kept for the next one, if it is not too large.
"""

from __future__ import annotations

TAPE = """\
/* Entry e has the operands first[e] … first[e + 1] - 1.  Entry 0 takes what is contributed to constants; inputs have none.
   What is open is closed in the other order.  Ids fit into 32 bits. */
typedef struct fs_entries {
    double *slope;
    int32_t *operand;
    int64_t *first;
    double *bar;
    int64_t pairs, pair_room, entries, entry_room, bar_room;
} fs_entries;
#ifndef FS_ENTRIES
#define FS_ENTRIES 2147483647
#endif

static void fs_free_tape(fs_entries *tape) {
    if (!tape) return;
    free(tape->slope);
    free(tape->operand);
    free(tape->first);
    free(tape->bar);
    free(tape);
}

#if FS_KEEP > 0
static fs_entries *fs_kept_tape[FS_CALLS];

static void __attribute__((destructor)) fs_unload_tapes(void) {
    for (int k = 0; k < FS_CALLS; ++k) fs_free_tape(__atomic_exchange_n(&fs_kept_tape[k], (fs_entries *)NULL, __ATOMIC_ACQ_REL));
}
#endif

static inline fs_entries *fs_open_tape(void) {
    fs_entries *tape = NULL;
#if FS_KEEP > 0
    for (int k = 0; !tape && k < FS_CALLS; ++k)
        tape = __atomic_exchange_n(&fs_kept_tape[k], (fs_entries *)NULL, __ATOMIC_ACQ_REL);
#endif
    if (!tape) tape = (fs_entries *)calloc(1, sizeof *tape);
    if (!tape) return NULL;
    tape->pairs = 0;
    tape->entries = 1;
    return tape;
}

static inline void fs_close_tape(fs_entries *tape) { /* the one kept longest gives way */
#if FS_KEEP > 0
    if (tape && 12 * tape->pair_room + 8 * tape->entry_room + 8 * tape->bar_room <= 4 * (int64_t)FS_KEEP)
        for (int k = 0; tape && k < FS_CALLS; ++k)
            tape = __atomic_exchange_n(&fs_kept_tape[k], tape, __ATOMIC_ACQ_REL);
#endif
    fs_free_tape(tape);
}

/* How much room there should be for so many, of so many bytes each, where there is room for fewer; 0: there cannot be. */
static int64_t fs_larger(int64_t room, int64_t needed, int64_t bytes) {
    if (needed < 0 || needed > FS_ENTRIES) return 0;
    int64_t larger = room < 33554432 / bytes ? 2 * room : room + room / 4;
    if (larger < 1024) larger = 1024;
    if (larger > FS_ENTRIES) larger = FS_ENTRIES;
    return larger < needed ? needed : larger;
}

static bool fs_resize(void **memory, int64_t room, size_t size) {
    void *fresh = realloc(*memory, (size_t)room * size);
    if (fresh) *memory = fresh;
    return fresh != NULL;
}

#if defined(__GNUC__)
__attribute__((cold, noinline))
#endif
static bool fs_grow_tape(fs_entries *tape, int64_t entries, int64_t pairs) {
    int64_t entry_room = tape->entry_room, pair_room = tape->pair_room;
    if (entries > FS_ENTRIES || pairs > FS_ENTRIES) return false;
    if (tape->entries + entries > entry_room) entry_room = fs_larger(entry_room, tape->entries + entries, 8);
    if (tape->pairs + pairs > pair_room) pair_room = fs_larger(pair_room, tape->pairs + pairs, 12);
    if (!entry_room || (!pair_room && pairs)) return false;
    const size_t bytes = 12 * (size_t)pair_room + 16 * (size_t)entry_room;
    if (bytes >= FS_LARGEST && fs_exceeds(NULL, bytes)) return false;
    if (pair_room != tape->pair_room) {
        if (!fs_resize((void **)&tape->slope, pair_room, sizeof(double))) return false;
        if (!fs_resize((void **)&tape->operand, pair_room, sizeof(int32_t))) return false;
        tape->pair_room = pair_room;
    }
    if (entry_room != tape->entry_room) {
        if (!fs_resize((void **)&tape->first, entry_room, sizeof(int64_t))) return false;
        tape->entry_room = entry_room;
    }
    return true;
}

/* The first of so many inputs; 0 if there is no room for them. */
static inline int64_t fs_inputs(fs_entries *tape, int64_t count) {
    if (count < 0) count = 0;
    if (tape->entries + count >= tape->entry_room && !fs_grow_tape(tape, count < FS_ENTRIES ? count + 1 : count, 0)) return 0;
    const int64_t start = tape->entries;
    tape->first[start] = tape->pairs;
    tape->entries += count;
    return start;
}

static inline void fs_forget(fs_entries *tape, int64_t start) {
    tape->pairs = tape->first[start];
    tape->entries = start;
}

/* The next entry, with room for so many operands; 0 if there is none. */
static inline int64_t fs_entry(fs_entries *tape, int64_t count) {
    if ((tape->pairs + count > tape->pair_room || tape->entries >= tape->entry_room) && !fs_grow_tape(tape, 1, count)) return 0;
    tape->first[tape->entries] = tape->pairs;
    tape->pairs += count;
    return tape->entries++;
}

/* From entry `last` down to entry `after`.  What nothing comes back to is skipped, so infinite slopes there do no harm. */
static void fs_back_from(const fs_entries *tape, double *restrict bar, int64_t after, int64_t last) {
    const double *const slope = tape->slope;
    const int32_t *const operand = tape->operand;
    const int64_t *const first = tape->first;
    for (int64_t e = last, end = last + 1 < tape->entries ? first[last + 1] : tape->pairs; e >= after; end = first[e--]) {
        const double b = bar[e];
        if (b != 0)
            for (int64_t q = first[e]; q < end; ++q) bar[operand[q]] += slope[q] * b;
    }
}

/* Zeros, one for each entry. */
static inline double *fs_bars(fs_arena *arena, const fs_entries *tape) {
    double *bars = (double *)fs_take(arena, tape->entries, sizeof *bars);
    if (bars) memset(bars, 0, (size_t)tape->entries * sizeof *bars);
    return bars;
}

static inline void fs_back(const fs_entries *tape, double *restrict bar, int64_t after) {
    fs_back_from(tape, bar, after, tape->entries - 1);
}

/* The slopes of number `root` by the inputs. */
static inline bool fs_sweep(fs_entries *tape, double *restrict slopes, int64_t inputs, int64_t start, int64_t root) {
    const int64_t after = start + inputs, count = root < after ? after : root + 1;
    if (count > tape->bar_room) {
        free(tape->bar);
        tape->bar_room = 0;
        tape->bar = (double *)malloc((size_t)tape->entry_room * sizeof(double));
        if (!tape->bar) return false;
        tape->bar_room = tape->entry_room;
    }
    double *const bar = tape->bar;
    bar[0] = 0;
    memset(bar + start, 0, (size_t)(count - start) * sizeof *bar);
    bar[root] = 1;
    fs_back_from(tape, bar, after, root);
    if (inputs > 0) memcpy(slopes, bar + start, (size_t)inputs * sizeof *bar);
    return true;
}

#if defined(__GNUC__)
__attribute__((cold))
#endif
static inline int32_t fs_tape_is_full(fs_error *error, const fs_entries *tape) {
    error->site = 0;
    error->reserved = 0;
    error->numbers[0] = tape ? tape->entries : 0;
    error->numbers[1] = tape ? tape->pairs : 0;
    return 4;
}
"""

RETAINED = """\
/* A tape that was kept by a call of NAME: its end, and its size in bytes. */
void NAME_free_tape(int64_t tape) { fs_close_tape((fs_entries *)(intptr_t)tape); }

int64_t NAME_tape_bytes(int64_t tape) {
    const fs_entries *kept = (const fs_entries *)(intptr_t)tape;
    return 12 * kept->pairs + 8 * kept->entries;
}
"""

PROTOTYPES = """\
void NAME_free_tape(int64_t tape);
int64_t NAME_tape_bytes(int64_t tape);
"""
