"""The call shim: a few lines of C that let Python call a kernel in well under a microsecond (design §7).

It is compiled together with the kernel but is no part of the C that is shipped.  It declares the names of the
stable ABI (3.11) that it needs, so no `Python.h` is needed.  It takes exactly what the program was compiled for:
floats, ints, bools, C-contiguous arrays of the right type, rank and static sizes; for anything else, and when the
kernel reports an error, it returns None, and the caller takes the slow path, which converts or explains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsmooth.core.types import BOOL, F32, F64, INT, Array, Tuple, Type, leaf_of, rank_of, unzipped
from fsmooth.runtime.arrays import leaves

_C = {F64: "double", F32: "float", INT: "int64_t", BOOL: "_Bool"}
_FORMAT = {F64: ("d",), F32: ("f",), INT: ("l", "q"), BOOL: ("?",)}
_MOST = 30
RELEASE = 20_000
"""The GIL is released for calls whose arrays have more elements than this."""

_PRELUDE = """
/* ---- call shim: stable ABI 3.11, declared here ---- */
typedef struct _object fs_object;
typedef struct { void *buf; fs_object *obj; intptr_t len, itemsize; int readonly, ndim; char *format;
                 intptr_t *shape, *strides, *suboffsets; void *internal; } fs_view;
typedef struct { const char *name; void *function; int flags; const char *doc; } fs_method;
typedef struct { intptr_t refs; void *type; void *init; intptr_t index; void *copy; } fs_base;
typedef struct { fs_base base; const char *name, *doc; intptr_t size; fs_method *methods; void *slots, *a, *b, *c; }
    fs_module;
extern fs_object _Py_NoneStruct, PyFloat_Type, PyLong_Type, PyBool_Type;
extern int PyObject_GetBuffer(fs_object *, fs_view *, int);
extern void PyBuffer_Release(fs_view *);
extern fs_object *PyObject_Type(fs_object *);
extern int PyType_IsSubtype(fs_object *, fs_object *);
extern double PyFloat_AsDouble(fs_object *);
extern long long PyLong_AsLongLong(fs_object *);
extern fs_object *PyFloat_FromDouble(double), *PyLong_FromLongLong(long long), *PyBool_FromLong(long);
extern fs_object *PyErr_Occurred(void);
extern void PyErr_Clear(void);
extern void Py_IncRef(fs_object *), Py_DecRef(fs_object *);
extern fs_object *PyTuple_New(intptr_t), *PyTuple_GetItem(fs_object *, intptr_t);
extern int PyTuple_SetItem(fs_object *, intptr_t, fs_object *);
extern fs_object *PyObject_CallFunctionObjArgs(fs_object *, ...);
extern fs_object *PyModule_Create2(fs_module *, int);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *);
static fs_object *fs_empty, *fs_dtypes, *fs_array;
static fs_object *fs_none(void) { Py_IncRef(&_Py_NoneStruct); return &_Py_NoneStruct; }
static int fs_is(fs_object *value, fs_object *type, int exact) {
    fs_object *found = PyObject_Type(value);
    const int yes = found == type || (!exact && PyType_IsSubtype(found, type));
    Py_DecRef(found);
    return yes;
}
static fs_object *fs_setup(fs_object *self, fs_object *const *args, intptr_t count) {
    (void)self; (void)count;
    Py_IncRef(args[0]); Py_IncRef(args[1]); Py_IncRef(args[2]);
    fs_empty = args[0]; fs_dtypes = args[1]; fs_array = args[2];
    return fs_none();
}
"""


def can_serve(parameters: Sequence[Type], result: Type) -> bool:
    """Does the shim handle programs of this type?  Numbers, arrays, tuples and records of them, at most 30 results."""
    inputs = [leaf for q in parameters for leaf in leaves(unzipped(q))]
    outputs = leaves(unzipped(result))
    return 0 < len(outputs) <= _MOST and all([leaf_of(leaf) in _C for leaf in (*inputs, *outputs)])


def is_flat(parameters: Sequence[Type], result: Type) -> bool:
    """Are the leaves, which the shim takes and gives, the arguments and the result themselves?"""
    if any([isinstance(unzipped(q), Tuple) for q in parameters]):
        return False
    flat = unzipped(result)
    if not isinstance(flat, Tuple):
        return True
    return flat.record is None and not any([isinstance(item, Tuple) for item in flat.items])


def shim_source(
    name: str, module: str, parameters: Sequence[Type], result: Type, static: Mapping[tuple[int, int], int]
) -> str:
    """The C of the shim for the kernel `name`, as the extension module `module`."""
    outputs = leaves(unzipped(result))
    parts = [leaves(unzipped(q)) for q in parameters]
    starts = [sum([len(part) for part in parts[:k]]) for k in range(len(parts))]
    inputs = [leaf for part in parts for leaf in part]
    fixed = {(starts[k], axis): n for (k, axis), n in static.items() if isinstance(unzipped(parameters[k]), Array)}
    reads, passed, views = _inputs(inputs, fixed)
    body = [*reads]
    sizes = sum([rank_of(leaf) for leaf in outputs])
    arguments = ", ".join([*passed, ""]) if passed else ""
    if sizes:
        body.append(f"    int64_t shape[{sizes}];")
        body.append(f"    if ({name}_shape({arguments}shape, &error)) goto miss;")
    body += _outputs(outputs)
    targets = "".join(
        [f"({_C[leaf_of(leaf)]} *)out[{k}].buf, " if rank_of(leaf) else f"&cell{k}, " for k, leaf in enumerate(outputs)]
    )
    body += [
        f"    if (elements > {RELEASE}) {{",
        "        void *thread = PyEval_SaveThread();",
        f"        status = {name}({arguments}{targets}&error);",
        "        PyEval_RestoreThread(thread);",
        "    } else {",
        f"        status = {name}({arguments}{targets}&error);",
        "    }",
        "    if (status) goto miss;",
        *_results(outputs, isinstance(unzipped(result), Tuple)),
    ]
    declared = [
        "    fs_error error;",
        "    int32_t status = 0;",
        "    int64_t elements = 0;",
        f"    fs_view in[{max(views, 1)}], out[{len(outputs)}];",
        f"    fs_object *made[{len(outputs)}];",
        "    fs_object *result = 0;",
        "    int opened = 0, filled = 0;",
        f"    for (int k = 0; k < {len(outputs)}; ++k) made[k] = 0;",
        f"    if (count != {len(inputs)}) return fs_none();",
        *[f"    {_C[leaf_of(leaf)]} cell{k} = 0;" for k, leaf in enumerate(outputs) if not rank_of(leaf)],
    ]
    ending = [
        "miss:",
        "    if (PyErr_Occurred()) PyErr_Clear();",
        "    for (int k = 0; k < opened; ++k) PyBuffer_Release(&in[k]);",
        f"    for (int k = 0; k < {len(outputs)}; ++k) {{",
        "        if (filled & (1 << k)) PyBuffer_Release(&out[k]);",
        "        if (made[k]) Py_DecRef(made[k]);",
        "    }",
        "    return result ? result : fs_none();",
    ]
    head = (
        "static fs_object *fs_call(fs_object *self, fs_object *const *args, intptr_t count) {\n"
        "    (void)self; (void)args; (void)fs_is;"
    )
    table = (
        'static fs_method fs_methods[] = {{"call", fs_call, 0x80, 0}, {"setup", fs_setup, 0x80, 0}, {0, 0, 0, 0}};\n'
        f'static fs_module fs_definition = {{{{1, 0, 0, 0, 0}}, "{module}", 0, -1, fs_methods, 0, 0, 0, 0}};\n'
        f"fs_object *PyInit_{module}(void);\n"
        f"fs_object *PyInit_{module}(void) {{ return PyModule_Create2(&fs_definition, 3); }}\n"
    )
    return _PRELUDE + "\n".join([head, *declared, *body, *ending, "}", ""]) + table


def _inputs(parameters: Sequence[Type], static: Mapping[tuple[int, int], int]) -> tuple[list[str], list[str], int]:
    """Statements that read the arguments, the C expressions to pass on, and the number of views."""
    reads: list[str] = []
    passed: list[str] = []
    views = 0
    for k, type_ in enumerate(parameters):
        leaf = leaf_of(type_)
        if isinstance(type_, Array):
            rank, view = rank_of(type_), f"in[{views}]"
            reads.append(f"    if (!fs_is(args[{k}], fs_array, 1)) goto miss;")
            reads.append(f"    if (PyObject_GetBuffer(args[{k}], &{view}, 0x38 | 0x4)) goto miss;")
            reads.append(f"    opened = {views + 1};")
            tests = [f"{view}.ndim != {rank}", f"!{view}.format", f"{view}.format[1]"]
            tests.append("(" + " && ".join([f"{view}.format[0] != '{c}'" for c in _FORMAT[leaf]]) + ")")
            tests += [f"{view}.shape[{axis}] != {n}" for (q, axis), n in sorted(static.items()) if q == k]
            reads.append(f"    if ({' || '.join(tests)}) goto miss;")
            reads.append(f"    elements += {view}.len / {view}.itemsize;")
            passed += [f"(const {_C[leaf]} *){view}.buf", *[f"{view}.shape[{axis}]" for axis in range(rank)]]
            views += 1
            continue
        if leaf == F64:
            reads.append(f"    if (!fs_is(args[{k}], &PyFloat_Type, 0)) goto miss;")
            reads.append(f"    const double x{k} = PyFloat_AsDouble(args[{k}]);")
        elif leaf == INT:
            reads.append(f"    if (!fs_is(args[{k}], &PyLong_Type, 1)) goto miss;")
            reads.append(f"    const int64_t x{k} = PyLong_AsLongLong(args[{k}]);")
            reads.append("    if (PyErr_Occurred()) goto miss;")
        elif leaf == BOOL:
            reads.append(f"    if (!fs_is(args[{k}], &PyBool_Type, 1)) goto miss;")
            reads.append(f"    const _Bool x{k} = PyLong_AsLongLong(args[{k}]) != 0;")
        else:
            reads.append("    goto miss;")
            reads.append(f"    const float x{k} = 0.0f;")
        passed.append(f"x{k}")
    return reads, passed, views


def _outputs(outputs: Sequence[Type]) -> list[str]:
    """Statements that make the arrays of the results."""
    lines: list[str] = []
    at = 0
    for k, leaf in enumerate(outputs):
        rank = rank_of(leaf)
        if not rank:
            continue
        lines += [
            "    {",
            f"        fs_object *sizes = PyTuple_New({rank});",
            *[
                f"        PyTuple_SetItem(sizes, {axis}, PyLong_FromLongLong(shape[{at + axis}]));"
                for axis in range(rank)
            ],
            f"        made[{k}] = PyObject_CallFunctionObjArgs(fs_empty, sizes, PyTuple_GetItem(fs_dtypes, {k}), "
            "(fs_object *)0);",
            "        Py_DecRef(sizes);",
            "    }",
            f"    if (!made[{k}] || PyObject_GetBuffer(made[{k}], &out[{k}], 0x38 | 0x1)) goto miss;",
            f"    filled |= {1 << k};",
            f"    elements += out[{k}].len / out[{k}].itemsize;",
        ]
        at += rank
    return lines


def _results(outputs: Sequence[Type], is_tuple: bool) -> list[str]:
    """Statements that make the Python result."""
    makers = {F64: "PyFloat_FromDouble", F32: "PyFloat_FromDouble", INT: "PyLong_FromLongLong", BOOL: "PyBool_FromLong"}
    values = []
    for k, leaf in enumerate(outputs):
        if rank_of(leaf):
            values.append(f"(Py_IncRef(made[{k}]), made[{k}])")
        else:
            values.append(f"{makers[leaf]}(cell{k})")
    if not is_tuple:
        return [f"    result = {values[0]};"]
    lines = [f"    result = PyTuple_New({len(outputs)});"]
    return lines + [f"    PyTuple_SetItem(result, {k}, {value});" for k, value in enumerate(values)]
