"""The C that all call shims have in common: what they need of Python, and how arrays are opened, read and made.

The functions are built once for each compiler; a shim declares them and is linked with them.

An array is taken as its own object describes it to C, never as its attributes in Python do, and it is looked at once: the
checked sizes and the pointer that is used belong to the same view.  What has just the elements that are wanted side by side
is read by the fields of NumPy's arrays, which its headers lay out for all extensions and which have their places here if an
example has them; everything else, by the buffer protocol, which takes several times as long.
"""

from __future__ import annotations

DECLARATIONS = r"""
/* ---- call shim: stable ABI 3.11, declared here ---- */
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
extern void *PyCapsule_GetPointer(fs_object *, const char *);
extern fs_object *PyModule_Create2(fs_module *, int);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *);
enum { FS_NUMPY_EMPTY, FS_DTYPES_OF_RESULTS, FS_NDARRAY, FS_GENERIC, FS_FLOAT32, FS_INT64, FS_BOOL, FS_DTYPE_D, FS_DTYPE_F,
       FS_DTYPE_Q, FS_DTYPE_I, FS_DTYPE_TRUTH, FS_KEPT }; /* the arguments of fs_setup that are kept, */
enum { FS_CONTIGUOUS = FS_KEPT, FS_WITH_GAPS, FS_FOR_C, FS_GIVEN }; /* and the others */
typedef struct fs_piece { struct fs_piece *next; size_t size; } fs_piece;
typedef struct { char *free, *end; fs_piece *pieces; } fs_own; /* memory of one call */
#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif
extern fs_object *fs_python[FS_KEPT];
fs_object *fs_none(void);
int fs_is(fs_object *value, fs_object *type, int exact);
void fs_own_close(fs_own *own);
const void *fs_read_array(
    fs_object *value, fs_view *view, fs_own *own, int rank, char wanted, size_t size, int decides);
int fs_open_result(
    fs_object *given, fs_view *view, int k, int rank, const int64_t *shape, size_t size, char format, char other);
int fs_is_number(fs_object *given);
int fs_overlap(const fs_view *in, int opened, const fs_view *out, int filled);
fs_object *fs_setup(fs_object *self, fs_object *const *args, intptr_t count);
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
"""

LITTLE_OPTIMISED = r"""
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O0") /* compiles faster; nearly all that it does is calls */
#endif
"""

FUNCTIONS = (
    r"""
#include <stddef.h>
#include <stdint.h>
/* <stdlib.h> and <string.h> would take a tenth of the time that all of this takes to compile */
extern void *malloc(size_t), free(void *), *memcpy(void *, const void *, size_t);
extern char *strchr(const char *, int);
"""
    + DECLARATIONS
    + LITTLE_OPTIMISED
    + r"""
#if defined(__GNUC__) && !defined(__clang__)
#define FS_FAST __attribute__((optimize("O1")))
#else
#define FS_FAST
#endif
fs_object *fs_python[FS_KEPT];
typedef struct { intptr_t references; fs_object *type; char *data; int ndim; intptr_t *shape, *strides;
                 fs_object *base, *dtype; int flags; } fs_array;
#define FS_SIDE_BY_SIDE 0x101 /* flags: C-contiguous and aligned */
#define FS_FROZEN(a) (((a)->flags & 0x404) == 0x4 && !(a)->base) /* it owns its memory, and is not writeable */
static int fs_has_fields; /* are the fields of arrays where fs_array has them? */
#define FS_MOST_AXES 32
static fs_object *(*fs_empty)(int, const intptr_t *, fs_object *, int); /* PyArray_Empty, if NumPy's ABI is known */
fs_object *fs_none(void) { Py_IncRef(&_Py_NoneStruct); return &_Py_NoneStruct; }
int fs_is(fs_object *value, fs_object *type, int exact) {
    fs_object *found = PyObject_Type(value);
    const int yes = found == type || (!exact && PyType_IsSubtype(found, type));
    Py_DecRef(found);
    return yes;
}
/* Memory of one call for arrays that are not read where they are: a piece of the stack, then of the heap.  When it ends,
   one piece as large as all of those, or of FS_OWN_KEEP bytes if that is less, is kept for the next call: what malloc gets
   from the system, and gives back, costs a page fault for each page.  A call takes it by exchanging a pointer with NULL. */
#define FS_OWN_KEEP 67108864
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
void fs_own_close(fs_own *own) {
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
#define FS_EACH(T) \
    for (intptr_t k = 0; k < n; ++k, from += step) { \
        T x; \
        memcpy(&x, from, sizeof x); \
        ((T *)to)[k] = x; \
    }
/* Elements from an axis on, wherever they are, side by side in `size` bytes each; gives the end, NULL if one does not fit. */
static FS_FAST char *fs_gathered(char *to, const char *from, const fs_view *view, int axis, size_t size, int has_no_sign) {
    const intptr_t n = view->shape[axis], step = view->strides[axis];
    if (axis + 1 < view->ndim) {
        for (intptr_t k = 0; to && k < n; ++k, from += step)
            to = fs_gathered(to, from, view, axis + 1, size, has_no_sign);
        return to;
    }
    const int own_size = (int)view->itemsize;
    if (own_size == 8 && !has_no_sign) {
        FS_EACH(int64_t)
    } else if (own_size == 4 && size == 4) {
        FS_EACH(int32_t)
    } else if (size == 1) {
        FS_EACH(int8_t)
    } else { /* one loop for all that is rare: the C compiler takes its time for each */
        const int64_t mask = !has_no_sign ? -1 : INT64_MAX >> (own_size == 8 ? 0 : 63 - 8 * own_size);
        for (intptr_t k = 0; k < n; ++k, from += step) {
            int64_t x = 0;
            int32_t half;
            int16_t quarter;
            switch (own_size) {
            case 8: memcpy(&x, from, 8); break;
            case 4: memcpy(&half, from, 4); x = half; break;
            case 2: memcpy(&quarter, from, 2); x = quarter; break;
            default: x = *(const int8_t *)from;
            }
            if (own_size == 8 && x < 0) return 0;
            ((int64_t *)to)[k] = x & mask;
        }
    }
    return to + n * (intptr_t)size;
}
/* The view of an array that NumPy made, by its fields; the sizes are at `shape`. */
static FS_FAST const void *fs_viewed(const fs_array *array, fs_view *view, intptr_t *shape, size_t size) {
    view->buf = array->data;
    view->obj = 0;
    view->itemsize = view->len = (intptr_t)size;
    view->ndim = array->ndim;
    view->shape = shape;
    for (int axis = 0; axis < array->ndim; ++axis) view->len *= shape[axis] = array->shape[axis];
    return array->data;
}
/* Which of the dtypes has elements of this format. */
static FS_FAST int fs_dtype_of(char wanted) {
    switch (wanted) {
    case 'd': return FS_DTYPE_D;
    case 'f': return FS_DTYPE_F;
    case 'i': return FS_DTYPE_I;
    case 'q': case 'n': return FS_DTYPE_Q;
    default: return FS_DTYPE_TRUTH;
    }
}
/* Open an array of this rank and kind of elements; gives them side by side: where they are, or in memory of the call
   if they are elsewhere or of another size, or if they decide how much memory is taken (lower.deciding) and others
   can write to them.  Integers are `wanted` with 32 bits, 'i', with 64, 'q', which leaves those of 32 to another program, or
   with 64, 'n', to which all others are converted. */
const void *fs_read_array(
    fs_object *value, fs_view *view, fs_own *own, int rank, char wanted, size_t size, int decides) {
    const fs_array *const array = (const fs_array *)value;
    if (fs_has_fields && array->type == fs_python[FS_NDARRAY] && array->ndim == rank
        && (array->flags & FS_SIDE_BY_SIDE) == FS_SIDE_BY_SIDE && (!decides || FS_FROZEN(array))
        && array->dtype == fs_python[fs_dtype_of(wanted)]) {
        intptr_t *const shape = (intptr_t *)fs_own_memory(own, (size_t)rank * sizeof *shape); /* others may change its own */
        if (shape) return fs_viewed(array, view, shape, size);
    }
    fs_object *const ndarray = fs_python[FS_NDARRAY];
    if (!fs_is(value, ndarray, 1)
        && (!PyObject_CheckBuffer(value) || fs_is(value, ndarray, 0) || fs_is(value, fs_python[FS_GENERIC], 0)))
        return 0; /* NumPy's scalars have buffers, of times one of bytes without strides, but are no arrays */
    if (PyObject_GetBuffer(value, view, 0x18 | 0x4)) return 0;
    const int is_integer = wanted == 'i' || wanted == 'q' || wanted == 'n';
    char element = fs_element(view);
    if (is_integer && (element == 'q' && view->itemsize == 4 ? wanted == 'q' : wanted == 'i')) element = 0;
    const int fits = element == (is_integer ? 'q' : wanted);
    if (view->ndim == rank && (fits || (element == 'Q' && is_integer))) {
        const int whole = fits && (size_t)view->itemsize == size && PyBuffer_IsContiguous(view, 'C');
        if (whole && !decides && (uintptr_t)view->buf % size == 0) return view->buf;
        char *const to = (char *)fs_own_memory(own, (size_t)(view->len / view->itemsize) * size);
        if (to && whole) return memcpy(to, view->buf, (size_t)view->len);
        if (to && fs_gathered(to, (const char *)view->buf, view, 0, size, element == 'Q')) return to;
    }
    PyBuffer_Release(view);
    return 0;
}
/* Open a C-contiguous array of this rank and element format to write to, if it is one. */
static int fs_open_array(fs_object *value, fs_view *view, int rank, char format, char other) {
    if (!fs_is(value, fs_python[FS_NDARRAY], 1) || PyObject_GetBuffer(value, view, 0x38 | 0x4 | 0x1)) return 0;
    const char *const found = view->format;
    if (view->ndim == rank && found && (found[0] == format || found[0] == other) && !found[1]) return 1;
    PyBuffer_Release(view);
    return 0;
}
/* A new array: as NumPy's functions for C make it, or those for Python. */
static fs_object *fs_made(fs_object *dtype, int rank, const int64_t *shape) {
    if (fs_empty && rank <= FS_MOST_AXES) {
        intptr_t sizes[FS_MOST_AXES];
        for (int axis = 0; axis < rank; ++axis) sizes[axis] = (intptr_t)shape[axis];
        Py_IncRef(dtype); /* it is taken */
        return fs_empty(rank, sizes, dtype, 0);
    }
    fs_object *const sizes = rank == 1 ? PyLong_FromLongLong(*shape) : PyTuple_New(rank); /* what NumPy reads fastest */
    for (int axis = 0; rank > 1 && axis < rank; ++axis) PyTuple_SetItem(sizes, axis, PyLong_FromLongLong(shape[axis]));
    fs_object *const made = PyObject_CallFunctionObjArgs(fs_python[FS_NUMPY_EMPTY], sizes, dtype, (fs_object *)0);
    Py_DecRef(sizes);
    return made;
}
/* Open the memory of a result: `given` if it fits, a new array if there is none. */
int fs_open_result(
    fs_object *given, fs_view *view, int k, int rank, const int64_t *shape, size_t size, char format, char other) {
    if (given && given != &_Py_NoneStruct) {
        if (!fs_open_array(given, view, rank, format, other)) return 0;
        for (int axis = 0; axis < rank; ++axis) {
            if (view->shape[axis] == shape[axis]) continue;
            PyBuffer_Release(view);
            return 0;
        }
        return 1;
    }
    fs_object *const made = fs_made(PyTuple_GetItem(fs_python[FS_DTYPES_OF_RESULTS], k), rank, shape);
    if (!made) return 0;
    if (fs_has_fields) { /* nobody else knows it */
        fs_viewed((const fs_array *)made, view, ((const fs_array *)made)->shape, size);
        view->obj = made;
        return 1;
    }
    const int failed = PyObject_GetBuffer(made, view, 0x38 | 0x1);
    Py_DecRef(made); /* the view keeps it */
    return !failed;
}
/* May this stand in out= where the result is a number? */
int fs_is_number(fs_object *given) {
    return !given || given == &_Py_NoneStruct || fs_is(given, &PyFloat_Type, 0) || fs_is(given, &PyLong_Type, 0);
}
/* Do results share memory with arguments or with each other? */
int fs_overlap(const fs_view *in, int opened, const fs_view *out, int filled) {
    for (int k = 0; k < filled; ++k) {
        for (int j = 0; j < opened + k; ++j) {
            const fs_view *const other = j < opened ? &in[j] : &out[j - opened];
            const char *const a = (const char *)out[k].buf, *const b = (const char *)other->buf;
            if (a < b + other->len && b < a + out[k].len) return 1;
        }
    }
    return 0;
}
/* Are the fields of an array of numbers d where fs_array has them? */
static int fs_has_place(fs_object *example, int side_by_side) {
    const fs_array *const array = (const fs_array *)example;
    fs_view view;
    if (PyObject_GetBuffer(example, &view, 0x18 | 0x4)) return 0;
    int same = array->type == fs_python[FS_NDARRAY] && array->data == view.buf && array->ndim == view.ndim
        && array->dtype == fs_python[FS_DTYPE_D] && ((array->flags & FS_SIDE_BY_SIDE) == FS_SIDE_BY_SIDE) == side_by_side;
    for (int axis = 0; same && axis < view.ndim; ++axis)
        same = array->shape[axis] == view.shape[axis] && array->strides[axis] == view.strides[axis];
    PyBuffer_Release(&view);
    return same;
}
fs_object *fs_setup(fs_object *self, fs_object *const *args, intptr_t count) {
    (void)self;
    for (int k = 0; k < FS_KEPT && k < count; ++k) {
        Py_IncRef(args[k]);
        fs_python[k] = args[k];
    }
    fs_has_fields = count == FS_GIVEN && fs_has_place(args[FS_CONTIGUOUS], 1) && fs_has_place(args[FS_WITH_GAPS], 0);
    void **const table = fs_has_fields ? (void **)PyCapsule_GetPointer(args[FS_FOR_C], 0) : 0;
    if (table) {
        unsigned (*version)(void);
        memcpy(&version, &table[0], sizeof version);
        if (version() == 0x02000000 || version() == 0x01000009) memcpy(&fs_empty, &table[184], sizeof fs_empty);
    }
    if (PyErr_Occurred()) PyErr_Clear();
    return fs_none();
}
"""
)
"""A C file of its own."""
