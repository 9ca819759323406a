"""The C of a tape (paper 003, §8.3): entries that are written on the way forward, and one loop back through them.

An operation with two operands takes 32 bytes: a slope and an operand for each, and where they begin.  The tape grows to twice
its size while it is small and by a quarter afterwards, and fails before it is larger than the machine's memory, with what it
needs on the way back.  Like the memory of a call (backend/c/arena.py) it is kept for the next one, if it is not too large.
"""

from __future__ import annotations

TAPE = """\
/* Entry e has the operands first[e] … first[e + 1] - 1.  Entry 0 takes what is contributed to constants; inputs have none.
   What is open is closed in the other order.  Ids fit into 32 bits. */
typedef struct {
    int64_t number, first, size, integers, reals; /* of a region: the ids of its numbers, and where what it saved begins */
} fs_region_entry;
typedef struct fs_entries {
    double *slope;
    int32_t *operand;
    int64_t *first;
    double *bar;
    int64_t pairs, pair_room, entries, entry_room, bar_room;
    fs_region_entry *region, here;
    int64_t *integer;
    double *real;
    int64_t regions, region_room, integers, integer_room, reals, real_room, next, last;
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
    free(tape->region);
    free(tape->integer);
    free(tape->real);
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
    tape->pairs = tape->regions = tape->integers = tape->reals = 0;
    tape->entries = 1;
    return tape;
}

static inline void fs_close_tape(fs_entries *tape) { /* the one kept longest gives way */
#if FS_KEEP > 0
    const int64_t saved = tape ? 40 * tape->region_room + 8 * tape->integer_room + 8 * tape->real_room : 0;
    if (tape && 12 * tape->pair_room + 8 * tape->entry_room + 8 * tape->bar_room + saved <= 4 * (int64_t)FS_KEEP)
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
    const size_t saved = 8 * (size_t)tape->integer_room + 8 * (size_t)tape->real_room;
    const size_t bytes = 12 * (size_t)pair_room + 16 * (size_t)entry_room + saved;
    const size_t held = 12 * (size_t)tape->pair_room + 16 * (size_t)tape->entry_room + saved;
    if (bytes >= FS_LARGEST && fs_exceeds(held, bytes - held)) return false;
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
    for (; tape->regions && tape->region[tape->regions - 1].first >= start; --tape->regions) {
        tape->integers = tape->region[tape->regions - 1].integers;
        tape->reals = tape->region[tape->regions - 1].reals;
    }
}

/* The next entry, with room for so many operands; 0 if there is none. */
static inline int64_t fs_entry(fs_entries *tape, int64_t count) {
    if ((tape->pairs + count > tape->pair_room || tape->entries >= tape->entry_room) && !fs_grow_tape(tape, 1, count)) return 0;
    tape->first[tape->entries] = tape->pairs;
    tape->pairs += count;
    return tape->entries++;
}

#if defined(__GNUC__)
__attribute__((cold, noinline))
#endif
static bool fs_grow_regions(fs_entries *tape, int64_t integers, int64_t reals) {
    int64_t room = tape->region_room, integer_room = tape->integer_room, real_room = tape->real_room;
    if (integers < 0 || reals < 0 || integers > FS_ENTRIES || reals > FS_ENTRIES) return false;
    if (tape->regions >= room) room = fs_larger(room, tape->regions + 1, 40);
    if (tape->integers + integers > integer_room) integer_room = fs_larger(integer_room, tape->integers + integers, 8);
    if (tape->reals + reals > real_room) real_room = fs_larger(real_room, tape->reals + reals, 8);
    if (!room || (!integer_room && integers) || (!real_room && reals)) return false;
    const size_t bytes = 40 * (size_t)room + 8 * (size_t)(integer_room + real_room);
    const size_t others = 12 * (size_t)tape->pair_room + 16 * (size_t)tape->entry_room;
    const size_t held = 40 * (size_t)tape->region_room + 8 * (size_t)(tape->integer_room + tape->real_room) + others;
    if (bytes + others >= FS_LARGEST && fs_exceeds(held, bytes + others - held)) return false;
    if (room != tape->region_room) {
        if (!fs_resize((void **)&tape->region, room, sizeof(fs_region_entry))) return false;
        tape->region_room = room;
    }
    if (integer_room != tape->integer_room) {
        if (!fs_resize((void **)&tape->integer, integer_room, sizeof(int64_t))) return false;
        tape->integer_room = integer_room;
    }
    if (real_room != tape->real_room) {
        if (!fs_resize((void **)&tape->real, real_room, sizeof(double))) return false;
        tape->real_room = real_room;
    }
    return true;
}

/* The id of the first of so many numbers of a region, with room for what it saves; 0 if there is none. */
static inline int64_t fs_region(fs_entries *tape, int64_t number, int64_t size, int64_t integers, int64_t reals) {
    const bool is_room = tape->integers + integers <= tape->integer_room && tape->reals + reals <= tape->real_room;
    if ((!is_room || tape->regions >= tape->region_room) && !fs_grow_regions(tape, integers, reals)) return 0;
    if (tape->entries + size > tape->entry_room && !fs_grow_tape(tape, size, 0)) return 0;
    const int64_t first = tape->entries;
    for (int64_t e = first; e < first + size; ++e) tape->first[e] = tape->pairs;
    tape->here = (fs_region_entry){number, first, size, tape->integers, tape->reals};
    tape->region[tape->regions++] = tape->here;
    tape->entries += size;
    tape->integers += integers;
    tape->reals += reals;
    return first;
}

/* From entry `last` down to entry `after`.  What nothing comes back to is skipped, so infinite slopes there do no harm. */
static inline void fs_back_from(const fs_entries *tape, double *restrict bar, int64_t after, int64_t last) {
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

/* Cotangents of the entries up to `root`, where it is 1, and of the regions that these belong to; NULL if there is no room. */
static inline double *fs_open_sweep(fs_entries *tape, int64_t inputs, int64_t start, int64_t root) {
    const int64_t after = start + inputs;
    int64_t count = root < after ? after : root + 1, next = tape->regions;
    while (next && tape->region[next - 1].first > root) --next;
    if (next && tape->region[next - 1].first + tape->region[next - 1].size > count)
        count = tape->region[next - 1].first + tape->region[next - 1].size;
    if (count > tape->bar_room) {
        free(tape->bar);
        tape->bar_room = 0;
        tape->bar = (double *)malloc((size_t)tape->entry_room * sizeof(double));
        if (!tape->bar) return NULL;
        tape->bar_room = tape->entry_room;
    }
    double *const bar = tape->bar;
    bar[0] = 0;
    memset(bar + start, 0, (size_t)(count - start) * sizeof *bar);
    bar[root] = 1;
    tape->next = next;
    tape->last = root;
    return bar;
}

/* Back to the next region to which something comes back, of which the number is given; -1: through all entries. */
static inline int64_t fs_next_region(fs_entries *tape, double *restrict bar, int64_t after) {
    while (tape->next && tape->region[tape->next - 1].first >= after) {
        tape->here = tape->region[--tape->next];
        const int64_t first = tape->here.first, end = first + tape->here.size;
        if (tape->last >= end) fs_back_from(tape, bar, end, tape->last);
        tape->last = first - 1;
        for (int64_t e = first; e < end; ++e)
            if (bar[e] != 0) return tape->here.number;
    }
    if (tape->last >= after) fs_back_from(tape, bar, after, tape->last);
    tape->last = after - 1;
    return -1;
}

/* The slopes of number `root` by the inputs. */
static inline bool fs_sweep(fs_entries *tape, double *restrict slopes, int64_t inputs, int64_t start, int64_t root) {
    double *const bar = fs_open_sweep(tape, inputs, start, root);
    if (!bar) return false;
    fs_back_from(tape, bar, start + inputs, root);
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
