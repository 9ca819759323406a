"""The C that all call shims have in common: what they need of Python, and how arrays are opened, read and made.

An array is taken as its own object describes it to C (the buffer protocol), never as its attributes in Python do, and it
is looked at once: the checked sizes and the pointer that is used belong to the same view.
"""

from __future__ import annotations

PRELUDE = r"""
/* ---- call shim: stable ABI 3.11, declared here ---- */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O0") /* compiles faster; nearly all that it does is calls of Python */
#define FS_FAST __attribute__((optimize("O1")))
#else
#define FS_FAST
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
typedef struct _object fs_object;
typedef struct { void *buf; fs_object *obj; intptr_t len, itemsize; int readonly, ndim; char *format;
                 intptr_t *shape, *strides, *suboffsets; void *internal; } fs_view;
typedef struct { const char *name; void *function; int flags; const char *doc; } fs_method;
typedef struct { intptr_t refs; void *type; void *init; intptr_t index; void *copy; } fs_base;
typedef struct { fs_base base; const char *name, *doc; intptr_t size; fs_method *methods; void *slots, *a, *b, *c; }
    fs_module;
extern fs_object _Py_NoneStruct, PyFloat_Type, PyLong_Type, PyBool_Type, PyTuple_Type;
extern int PyObject_CheckBuffer(fs_object *), PyObject_GetBuffer(fs_object *, fs_view *, int);
extern int PyBuffer_IsContiguous(const fs_view *, char);
extern void PyBuffer_Release(fs_view *);
extern fs_object *PyObject_Type(fs_object *);
extern int PyType_IsSubtype(fs_object *, fs_object *), PyObject_IsTrue(fs_object *);
extern double PyFloat_AsDouble(fs_object *);
extern long long PyLong_AsLongLong(fs_object *);
extern fs_object *PyFloat_FromDouble(double), *PyLong_FromLongLong(long long), *PyBool_FromLong(long);
extern fs_object *PyErr_Occurred(void);
extern void PyErr_Clear(void);
extern void Py_IncRef(fs_object *), Py_DecRef(fs_object *);
extern fs_object *PyTuple_New(intptr_t), *PyTuple_GetItem(fs_object *, intptr_t);
extern intptr_t PyTuple_Size(fs_object *);
extern int PyTuple_SetItem(fs_object *, intptr_t, fs_object *);
extern fs_object *PyObject_CallFunctionObjArgs(fs_object *, ...);
extern fs_object *PyModule_Create2(fs_module *, int);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *);
static fs_object *fs_python[6]; /* numpy.empty, the dtypes of the results, ndarray, float32, int64, bool_ */
static fs_object *fs_none(void) { Py_IncRef(&_Py_NoneStruct); return &_Py_NoneStruct; }
static int fs_is(fs_object *value, fs_object *type, int exact) {
    fs_object *found = PyObject_Type(value);
    const int yes = found == type || (!exact && PyType_IsSubtype(found, type));
    Py_DecRef(found);
    return yes;
}
/* Memory of one call for arrays that are not read where they are: a piece of the stack, then of the heap.  When it ends,
   one piece as large as all of those, or of FS_OWN_KEEP bytes if that is less, is kept for the next call: what malloc gets
   from the system, and gives back, costs a page fault for each page.  A call takes it by exchanging a pointer with NULL. */
#define FS_OWN_KEEP 33554432
typedef struct fs_piece { struct fs_piece *next; size_t size; } fs_piece;
typedef struct { char *free, *end; fs_piece *pieces; } fs_own;
#if defined(__GNUC__)
static fs_piece *fs_own_kept;
static fs_piece *fs_own_exchange(fs_piece *piece) { return __atomic_exchange_n(&fs_own_kept, piece, __ATOMIC_ACQ_REL); }
static void __attribute__((destructor)) fs_own_unload(void) { free(fs_own_exchange(0)); }
#else
static fs_piece *fs_own_exchange(fs_piece *piece) { return piece; }
#endif
static fs_piece *fs_piece_of(size_t size, fs_piece *next) {
    fs_piece *const piece = (fs_piece *)malloc(sizeof *piece + size);
    if (!piece) return 0;
    piece->next = next;
    piece->size = size;
    return piece;
}
static void *fs_own_memory(fs_own *own, size_t size) {
    if ((size_t)(own->end - own->free) < size && !own->pieces && (own->pieces = fs_own_exchange(0))) {
        own->free = (char *)(own->pieces + 1);
        own->end = own->free + own->pieces->size;
    }
    if ((size_t)(own->end - own->free) >= size) {
        char *const found = own->free;
        own->free += (size + 15) / 16 * 16 > (size_t)(own->end - found) ? size : (size + 15) / 16 * 16;
        return found;
    }
    fs_piece *const piece = fs_piece_of((size + 15) / 16 * 16, own->pieces);
    if (!piece) return 0;
    own->pieces = piece;
    return piece + 1;
}
static void fs_own_close(fs_own *own) {
    fs_piece *first = own->pieces;
    if (!first) return;
    size_t all = 0;
    for (const fs_piece *piece = first; piece; piece = piece->next) all += piece->size;
    if (all > FS_OWN_KEEP) all = FS_OWN_KEEP;
    if (first->next || first->size > all) {
        for (fs_piece *next; first; first = next) {
            next = first->next;
            free(first);
        }
        first = fs_piece_of(all, 0);
    }
    free(fs_own_exchange(first));
}
/* What the elements are: the format of our own type that holds them, Q for integers without a sign; 0 if none does. */
static char fs_element(const fs_view *view) {
    const char *found = view->format;
    if (!found) return 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (*found == '<') ++found;
#endif
    if (*found == '@' || *found == '=') ++found;
    if (!*found || found[1]) return 0;
    if (strchr("df?", *found)) return *found;
    return strchr("bhilqn", *found) ? 'q' : strchr("BHILQN", *found) ? 'Q' : 0;
}
#define FS_EACH(T, W, WRONG) \
    for (intptr_t k = 0; k < n; ++k, from += step) { \
        T x; \
        memcpy(&x, from, sizeof x); \
        if (WRONG) return 0; \
        ((W *)to)[k] = (W)x; \
    } \
    return to + n * (intptr_t)sizeof(W)
/* Elements from an axis on, wherever they are, side by side; gives the end, NULL if one does not fit. */
static FS_FAST char *fs_gathered(char *to, const char *from, const fs_view *view, int axis, char element) {
    const intptr_t n = view->shape[axis], step = view->strides[axis];
    if (axis + 1 < view->ndim) {
        for (intptr_t k = 0; to && k < n; ++k, from += step) to = fs_gathered(to, from, view, axis + 1, element);
        return to;
    }
    switch (element == 'q' ? view->itemsize : element == 'Q' ? -view->itemsize : element) {
    case 'd': FS_EACH(double, double, 0);
    case 'f': FS_EACH(float, float, 0);
    case '?': FS_EACH(_Bool, _Bool, 0);
    case 1: FS_EACH(int8_t, int64_t, 0);
    case 2: FS_EACH(int16_t, int64_t, 0);
    case 4: FS_EACH(int32_t, int64_t, 0);
    case 8: FS_EACH(int64_t, int64_t, 0);
    case -1: FS_EACH(uint8_t, int64_t, 0);
    case -2: FS_EACH(uint16_t, int64_t, 0);
    case -4: FS_EACH(uint32_t, int64_t, 0);
    case -8: FS_EACH(uint64_t, int64_t, x > INT64_MAX);
    default: return 0;
    }
}
/* Open an array of this rank and kind of elements; gives them side by side: where they are, or in memory of the call
   if they are elsewhere or of another size, or if they decide where memory is read or written (lower.deciding). */
static const void *fs_read_array(
    fs_object *value, fs_view *view, fs_own *own, int rank, char wanted, size_t size, int decides) {
    if (!fs_is(value, fs_python[2], 1) && (!PyObject_CheckBuffer(value) || fs_is(value, fs_python[2], 0))) return 0;
    if (PyObject_GetBuffer(value, view, 0x18 | 0x4)) return 0;
    const char element = fs_element(view);
    if (view->ndim == rank && (element == wanted || (element == 'Q' && wanted == 'q'))) {
        const int whole = element == wanted && (size_t)view->itemsize == size && PyBuffer_IsContiguous(view, 'C');
        if (whole && !decides && (uintptr_t)view->buf % size == 0) return view->buf;
        char *const to = (char *)fs_own_memory(own, (size_t)(view->len / view->itemsize) * size);
        if (to && whole) return memcpy(to, view->buf, (size_t)view->len);
        if (to && fs_gathered(to, (const char *)view->buf, view, 0, element)) return to;
    }
    PyBuffer_Release(view);
    return 0;
}
/* Open a C-contiguous array of this rank and element format to write to, if it is one. */
static int fs_open_array(fs_object *value, fs_view *view, int rank, char format, char other) {
    if (!fs_is(value, fs_python[2], 1) || PyObject_GetBuffer(value, view, 0x38 | 0x4 | 0x1)) return 0;
    const char *const found = view->format;
    if (view->ndim == rank && found && (found[0] == format || found[0] == other) && !found[1]) return 1;
    PyBuffer_Release(view);
    return 0;
}
/* Open the memory of a result: `given` if it fits, a new array if there is none. */
static int fs_open_result(
    fs_object *given, fs_view *view, int k, int rank, const int64_t *shape, char format, char other) {
    if (given && given != &_Py_NoneStruct) {
        if (!fs_open_array(given, view, rank, format, other)) return 0;
        for (int axis = 0; axis < rank; ++axis) {
            if (view->shape[axis] == shape[axis]) continue;
            PyBuffer_Release(view);
            return 0;
        }
        return 1;
    }
    fs_object *sizes = rank == 1 ? PyLong_FromLongLong(*shape) : PyTuple_New(rank); /* what NumPy reads fastest */
    for (int axis = 0; rank > 1 && axis < rank; ++axis) PyTuple_SetItem(sizes, axis, PyLong_FromLongLong(shape[axis]));
    fs_object *made = PyObject_CallFunctionObjArgs(
        fs_python[0], sizes, PyTuple_GetItem(fs_python[1], k), (fs_object *)0);
    Py_DecRef(sizes);
    if (!made) return 0;
    const int failed = PyObject_GetBuffer(made, view, 0x38 | 0x1);
    Py_DecRef(made); /* the view keeps it */
    return !failed;
}
/* May this stand in out= where the result is a number? */
static int fs_is_number(fs_object *given) {
    return !given || given == &_Py_NoneStruct || fs_is(given, &PyFloat_Type, 0) || fs_is(given, &PyLong_Type, 0);
}
/* Do results share memory with arguments or with each other? */
static int fs_overlap(const fs_view *in, int opened, const fs_view *out, int filled) {
    for (int k = 0; k < filled; ++k) {
        for (int j = 0; j < opened + k; ++j) {
            const fs_view *const other = j < opened ? &in[j] : &out[j - opened];
            const char *const a = (const char *)out[k].buf, *const b = (const char *)other->buf;
            if (a < b + other->len && b < a + out[k].len) return 1;
        }
    }
    return 0;
}
static fs_object *fs_setup(fs_object *self, fs_object *const *args, intptr_t count) {
    (void)self;
    for (int k = 0; k < 6 && k < count; ++k) {
        Py_IncRef(args[k]);
        fs_python[k] = args[k];
    }
    return fs_none();
}
"""
