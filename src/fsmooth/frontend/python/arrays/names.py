"""NumPy's names for the functions of this room; those of SciPy with the module where they differ from namesakes of fsmooth's."""

from __future__ import annotations

from fsmooth.frontend.python.arrays import axes, joining, products, reductions, reshaping, splitting
from fsmooth.frontend.python.arrays.arguments import LAST, NOTHING, OnTerms, nested_parts, written_parts

BY_NAME: dict[str, OnTerms] = {
    "ndim": axes.ndim,
    "shape": axes.shape,
    "size": axes.size,
    "transpose": axes.transpose,
    "permute_dims": axes.transpose,
    "moveaxis": axes.moveaxis,
    "swapaxes": axes.swapaxes,
    "expand_dims": axes.expand_dims,
    "squeeze": axes.squeeze,
    "broadcast_to": axes.broadcast_to,
    "reshape": reshaping.reshape,
    "ravel": reshaping.ravel,
    "concatenate": joining.concatenate,
    "concat": joining.concatenate,
    "stack": joining.stack,
    "hstack": joining.hstack,
    "vstack": joining.vstack,
    "dstack": joining.dstack,
    "column_stack": joining.column_stack,
    "block": joining.block,
    "atleast_1d": joining.atleast_1d,
    "atleast_2d": joining.atleast_2d,
    "atleast_3d": joining.atleast_3d,
    "split": splitting.split,
    "array_split": splitting.array_split,
    "hsplit": splitting.hsplit,
    "vsplit": splitting.vsplit,
    "dsplit": splitting.dsplit,
    "unstack": splitting.unstack,
    "meshgrid": splitting.meshgrid,
    "broadcast_arrays": splitting.broadcast_arrays,
    "einsum": products.einsum,
    "matmul": products.matmul,
    "dot": products.dot,
    "tensordot": products.tensordot,
    "inner": products.inner,
    "outer": products.outer,
    "vdot": products.vdot,
    "vecdot": products.vecdot,
    **{name: reductions.reduction(name) for name in ("sum", "prod", "all", "any", "mean")},
    "max": reductions.extremum("max"),
    "amax": reductions.extremum("max"),
    "min": reductions.extremum("min"),
    "amin": reductions.extremum("min"),
    "argmax": reductions.place("argmax"),
    "argmin": reductions.place("argmin"),
    "var": reductions.spread("var"),
    "std": reductions.spread("std"),
    "average": reductions.average,
    "logsumexp": reductions.logsumexp,
    "softmax": reductions.vector_function("softmax", LAST),
    "log_softmax": reductions.vector_function("log_softmax", LAST),
    "scipy.special.softmax": reductions.vector_function("softmax", NOTHING),
    "scipy.special.log_softmax": reductions.vector_function("log_softmax", NOTHING),
}

TAKES_PARTS = {
    **dict.fromkeys(("concatenate", "concat", "stack", "hstack", "vstack", "dstack", "column_stack"), written_parts),
    "block": nested_parts,
}
"""Their first argument is a list of arrays, whose shapes need not be alike where it is written out."""
