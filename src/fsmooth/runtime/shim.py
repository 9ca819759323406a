"""The call shim: a few lines of C that let Python call a kernel in well under a microsecond (design §7).

It is compiled together with the kernel, and linked with what all shims have in common (`shim_prelude`), but is no part of
the C that is shipped.  It declares the names of the stable ABI (3.11) that it needs, so no `Python.h` is needed.  It takes
exactly what the program was compiled for: floats, ints, bools, C-contiguous arrays of the right type, rank and static sizes,
and as `out=` an array, or a tuple with one item for each leaf of the result.  For anything else, and when the kernel reports
an error, it returns None, and the caller takes the slow path, which converts or explains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fsmooth.backend.c.names import element_type
from fsmooth.backend.c.program import CProgram
from fsmooth.core.integers import FARTHEST
from fsmooth.core.narrow import Narrow
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Float, Tuple, Type, leaf_of, rank_of, unzipped
from fsmooth.core.weak import Weak
from fsmooth.runtime.arrays import leaves
from fsmooth.runtime.shim_prelude import DECLARATIONS, LITTLE_OPTIMISED

_C = {F64: "double", F32: "float", INT: "int64_t", BOOL: "unsigned char"}
_FORMAT = {F64: ("d",), F32: ("f",), INT: ("l", "q"), BOOL: ("?",)}
_MOST = 30
StaticSizes = Mapping[tuple[int, int], int]
RELEASE = 20_000
"""The GIL is released for calls whose arrays have more elements than this."""
LARGE = 1 << 26
"""Whether there is memory for arrays of more elements, the slow path finds out, before any is written."""
_OWN = [
    "    double fs_stack[1024];",
    "    fs_own fs_memory = {(char *)fs_stack, (char *)(fs_stack + 1024), 0};",
]


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
    code: CProgram,
    module: str,
    parameters: Sequence[Type],
    static: StaticSizes,
    chosen: frozenset[int],
    test: Callable[[Type], str],
) -> str:
    """The C of the shim for a kernel with parameters of these types, as the extension module `module`.

    `chosen` are the array arguments, counted by themselves, whose integers of 32 bits are for another program (core.narrow);
    `test` says which numbers a parameter takes: `any_number`, or `weak_or_strong`.
    """
    name, result = code.name, code.result
    outputs = leaves(unzipped(result))
    parts = [leaves(unzipped(q)) for q in parameters]
    starts = [sum([len(part) for part in parts[:k]]) for k in range(len(parts))]
    inputs = [leaf for part in parts for leaf in part]
    fixed = {(starts[k], axis): n for (k, axis), n in static.items() if isinstance(unzipped(parameters[k]), Array)}
    is_tuple = isinstance(unzipped(result), Tuple)
    reads, passed, views = _inputs(inputs, fixed, code, chosen, test)
    opens, targets, results = _outputs(outputs, is_tuple)
    sizes = sum([rank_of(leaf) for leaf in outputs])
    arguments = ", ".join([*passed, ""])[: None if passed else 0]
    call = f"fs_kernel({arguments}{', '.join(targets)}, &error)"
    given = f"(!fs_is(given, &PyTuple_Type, 1) || PyTuple_Size(given) != {len(outputs)})" if is_tuple else "0"
    lines = [  # by names that no local variable has
        f"static __typeof__({name}) *const fs_kernel = {name};",
        *([f"static __typeof__({name}_shape) *const fs_kernel_shape = {name}_shape;"] if sizes else []),
        "static fs_object *fs_call(fs_object *self, fs_object *const *args, intptr_t count, fs_object *names) {",
        "    (void)self;",
        "    fs_object *const given = names ? args[count] : 0; /* out= */",
        f"    if (count != {len(inputs)} || (names && PyTuple_Size(names) != 1)) return fs_none();",
        f"    if (given && {'1' if code.deciding_results else given}) return fs_none();",
        "    fs_error error;",
        "    int32_t status = 0;",
        "    int64_t elements = 0;",
        f"    fs_view in[{max(views, 1)}], out[{len(results)}];",
        "    fs_object *result = 0;",
        "    int opened = 0, filled = 0;",
        *(_OWN if views else []),
        *[f"    {_C[leaf_of(leaf)]} cell{k} = 0;" for k, leaf in enumerate(outputs) if not rank_of(leaf)],
        *reads,
        *([f"    int64_t shape[{sizes}];"] if sizes else []),
        *([f"    if (fs_kernel_shape({arguments}shape, &error)) goto miss;"] if sizes else []),
        *opens,
        "    if (given && fs_overlap(in, opened, out, filled)) goto miss;",
        f"    if (elements > {LARGE}) goto miss; /* is there so much memory? */",
        f"    if (elements > {RELEASE}) {{",
        "        void *thread = PyEval_SaveThread();",
        f"        status = {call};",
        "        PyEval_RestoreThread(thread);",
        "    } else {",
        f"        status = {call};",
        "    }",
        "    if (status) goto miss;",
        *([f"    result = PyTuple_New({len(outputs)});"] if is_tuple else [f"    result = {results[0]};"]),
        *[f"    PyTuple_SetItem(result, {k}, {value});" for k, value in enumerate(results) if is_tuple],
        "miss:",
        "    if (PyErr_Occurred()) PyErr_Clear();",
        "    while (opened) PyBuffer_Release(&in[--opened]);",
        *(["    fs_own_close(&fs_memory);"] if views else []),
        "    while (filled) PyBuffer_Release(&out[--filled]);",
        "    return result ? result : fs_none();",
        "}",
        "static fs_method fs_methods[] = {",
        '    {"call", fs_call, 0x80 | 0x2, 0}, {"setup", fs_setup, 0x80, 0}, {0, 0, 0, 0}};',
        f'static fs_module fs_definition = {{{{1, 0, 0, 0, 0}}, "{module}", 0, -1, fs_methods, 0, 0, 0, 0}};',
        f"fs_object *PyInit_{module}(void);",
        f"fs_object *PyInit_{module}(void) {{ return PyModule_Create2(&fs_definition, 3); }}",
    ]
    return DECLARATIONS + LITTLE_OPTIMISED + "\n".join([*lines, ""])


def _format(leaf: Type) -> str:
    """The two formats of an element that the buffer protocol may give, as arguments in C."""
    return ", ".join([f"'{c}'" for c in (_FORMAT[leaf] * 2)[:2]])


def _inputs(
    parameters: Sequence[Type],
    static: StaticSizes,
    code: CProgram,
    chosen: frozenset[int],
    test: Callable[[Type], str],
) -> tuple[list[str], list[str], int]:
    """Statements that read the arguments, the C expressions to pass on, and the number of views."""
    reads: list[str] = []
    passed: list[str] = []
    views = 0
    stored = [leaf_of(leaf) for q in code.parameters for leaf in leaves(unzipped(q))]
    for k, type_ in enumerate(parameters):
        leaf = leaf_of(type_)
        if isinstance(type_, Array):
            rank, view = rank_of(type_), f"in[{views}]"
            element = element_type(stored[k])
            kind = f"'{_kind(stored[k], chooses=views in chosen)}', sizeof({element}), {int(views in code.sizing)}"
            place = f"args[{k}], &{view}, &fs_memory, {rank}, {kind}"
            reads.append(f"    const void *const fs_a{k} = fs_read_array({place});")
            reads.append(f"    if (!fs_a{k}) goto miss;")
            reads.append(f"    opened = {views + 1};")
            tests = [f"{view}.shape[{axis}] != {n}" for (q, axis), n in sorted(static.items()) if q == k]
            if tests:
                reads.append(f"    if ({' || '.join(tests)}) goto miss;")
            reads.append(f"    elements += {view}.len / {view}.itemsize;")
            passed += [f"(const {element} *)fs_a{k}", *[f"{view}.shape[{axis}]" for axis in range(rank)]]
            views += 1
            continue
        reads += [f"    if (!({test(leaf).format(k)})) goto miss;"]
        reads += [f"    const {_C[leaf]} x{k} = {_SCALAR_READ[leaf].format(k)};"]
        reads += ["    if (PyErr_Occurred()) goto miss;"] if leaf == INT else []
        if k - views in code.deciding_numbers:
            reads.append(f"    if (x{k} > {FARTHEST} || x{k} < -{FARTHEST}) goto miss;")
        passed.append(f"x{k}")
    return reads, passed, views


def _kind(leaf: Type, *, chooses: bool) -> str:
    """How elements are asked for (fs_read_array); `chooses`: is there another program for integers of 32 bits?"""
    if leaf != INT:
        return _FORMAT[leaf][-1]
    return "i" if isinstance(leaf, Narrow) else "q" if chooses else "n"


def any_number(leaf: Type) -> str:
    """Is it what the program takes?  A float64 number of Python's or NumPy's."""
    return _SCALAR_TEST[leaf]


def weak_or_strong(leaf: Type) -> str:
    """Is it what the program takes?  A float64 number of Python's if it is weak, else of NumPy's."""
    if not isinstance(leaf, Float) or leaf != F64:
        return _SCALAR_TEST[leaf]
    own = "fs_is(args[{0}], &PyFloat_Type, 1)"
    return own if isinstance(leaf, Weak) else f"{_SCALAR_TEST[leaf]} && !{own}"


_SCALAR_TEST = {
    F64: "fs_is(args[{0}], &PyFloat_Type, 0)",
    F32: "fs_is(args[{0}], fs_python[FS_FLOAT32], 1)",
    INT: "fs_is(args[{0}], &PyLong_Type, 1) || fs_is(args[{0}], fs_python[FS_INT64], 1)",
    BOOL: "fs_is(args[{0}], &PyBool_Type, 1) || fs_is(args[{0}], fs_python[FS_BOOL], 1)",
}
_SCALAR_READ = {
    F64: "PyFloat_AsDouble(args[{0}])",
    F32: "(float)PyFloat_AsDouble(args[{0}])",
    INT: "PyLong_AsLongLong(args[{0}])",
    BOOL: "PyObject_IsTrue(args[{0}]) == 1",
}
_MAKER = {F64: "PyFloat_FromDouble", F32: "PyFloat_FromDouble", INT: "PyLong_FromLongLong", BOOL: "PyBool_FromLong"}


def _outputs(outputs: Sequence[Type], is_tuple: bool) -> tuple[list[str], list[str], list[str]]:
    """Statements that open the memory of the results, what is passed for each, and the Python value of each."""
    opens: list[str] = []
    targets: list[str] = []
    results: list[str] = []
    views = sizes = 0
    for k, leaf in enumerate(outputs):
        rank, scalar = rank_of(leaf), leaf_of(leaf)
        given = f"given ? PyTuple_GetItem(given, {k}) : 0" if is_tuple else "given"
        if not rank:
            opens.append(f"    if (!fs_is_number({given})) goto miss;")
            targets.append(f"&cell{k}")
            results.append(f"{_MAKER[scalar]}(cell{k})")
            continue
        view = f"out[{views}]"
        place = f"&{view}, {k}, {rank}, shape + {sizes}, sizeof({_C[scalar]}), {_format(scalar)}"
        opens += [
            f"    if (!fs_open_result({given}, {place})) goto miss;",
            f"    filled = {views + 1};",
            f"    elements += {view}.len / {view}.itemsize;",
        ]
        targets.append(f"({_C[scalar]} *){view}.buf")
        results.append(f"(Py_IncRef({view}.obj), {view}.obj)")
        views, sizes = views + 1, sizes + rank
    return opens, targets, results
