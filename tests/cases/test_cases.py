"""Cases from the suites of other systems, through the public API.

Each is a file `cases/NAME.json` of `$FSMOOTH_DATA`: a function stated as mathematics, inputs, and the expected value or
derivative; where it is not found, the case is skipped by its name.  The functions are tested on inputs of our own too.
"""

import importlib.util
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.demo.data import folder
from tests.cases.inputs import INPUTS

_HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("fsmooth_case_functions", _HERE / "functions.py")
assert _spec is not None
assert _spec.loader is not None
functions = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(functions)

Function = Callable[..., object]

METHODS = ("forward", "reverse", "tape", "pullback", "pullback by a tape")
MODES = {"value": METHODS[:1], "jvp": METHODS[:1], "gradient": METHODS, "vjp": METHODS}
"""By what operations are checked, if not by the first three methods: a pullback is that of `fs.vjp`."""


NAMES = (
    "adb_bundle_adjustment_block",
    "bug_cond_inside_scan",
    "bug_warp_dynamic_loop_product",
    "dex_perturbation_confusion",
    "df_micro",
    "dr_let_order",
    "dr_list_length_dependent",
    "dr_particles",
    "dr_rotate_by_quaternion",
    "dr_sharing_eight_uses",
    "fut_custom_vjp",
    "fut_histogram_general_op",
    "fut_if_on_data",
    "fut_if_scalar",
    "fut_loop_array_state",
    "fut_loop_inplace_square",
    "fut_loop_last_iteration_wins",
    "fut_loop_pow",
    "fut_lotka_volterra_rk4",
    "fut_max_ties",
    "fut_nested_free_variable",
    "fut_scan_linear_recurrence",
    "fut_silent_zero_jacobian",
    "fut_sum_type_sdf",
    "fut_while_with_inner_gradient",
    "gb_kmeans",
    "ks_fold_closure",
    "ks_logsumexp_safe",
    "ks_second_derivative_selection",
    "lan_log_softmax_nll",
    "lan_matmul_sum",
    "rule_multiply_by_zero",
)


def _path(name: str) -> Path:
    return (folder() or Path("no folder")) / "cases" / f"{name}.json"


def _checks(name: str) -> Iterator[Any]:
    """The checks of a case, each by the methods that it asks for."""
    path = _path(name)
    if not path.is_file():
        reason = f"not here: cases/{name}.json (set FSMOOTH_DATA)"
        yield pytest.param(None, None, None, id=name, marks=pytest.mark.skip(reason=reason))
        return
    case = json.loads(path.read_text())
    for number, check in enumerate(case["checks"]):
        for method in MODES.get(check["op"], METHODS[:3]):
            yield pytest.param(case, check, method, id=f"{name}-{number}-{check['op']}-{method}")


CHECKS = [check for name in NAMES for check in _checks(name)]


def _argument(given: object) -> object:
    return np.array(given) if isinstance(given, list) else given


def _as_gradient(result: object) -> object:
    return [np.asarray(part) for part in result] if isinstance(result, tuple) else np.asarray(result)


def _result(case: dict, check: dict, method: str) -> object:
    """What fsmooth gives for a check by a method of differentiation, laid out as the case lays it out."""
    function: Function
    name, op, wrt = case["id"], check["op"], tuple(case["function"]["differentiate_wrt"])
    inputs = {key: _argument(value) for key, value in check["inputs"].items() if key not in ("kind", "typo")}
    name += f"_{check['inputs']['kind']}" if "kind" in check["inputs"] else ""
    if method.startswith("pullback"):
        function = getattr(functions, name)
        inputs = {key: inputs[key] for key in inspect.signature(function).parameters}
        mode = "tape" if "tape" in method else "reverse"
        _, pullback = fs.vjp(function, wrt=wrt if len(wrt) > 1 else wrt[0], method=mode)(**inputs)
        return pullback(_argument(check.get("seed", 1.0)))
    if op == "vjp":
        name += "_seeded" if hasattr(functions, name + "_seeded") else ""
        inputs["seed"] = _argument(check["seed"])
        op = "gradient"
    function = getattr(functions, name)
    inputs = {key: inputs[key] for key in inspect.signature(function).parameters}
    along = wrt if len(wrt) > 1 else wrt[0]
    match op:
        case "value":
            return fs.function(function)(**inputs)
        case "gradient":
            return fs.grad(function, wrt=along, method=method)(**inputs)
        case "jvp":
            return fs.jvp(function, wrt=along)(**inputs, tangent=check["tangent"][0])[1]
        case "hvp":
            if method == "tape":  # over forward mode, as no tape is differentiated
                return fs.hvp(function, wrt=along, method=method)(**inputs, tangent=_argument(check["v"]))
            gradient = fs.grad(function, wrt=along, method=method)
            return fs.jvp(gradient, wrt=along)(**inputs, tangent=_argument(check["v"]))[1]
        case "hessian":
            hessian = np.asarray(fs.hessian(function, wrt=along, method=method)(**inputs))
            return hessian.reshape(np.shape(check["expected"]))  # the case counts the gradient's elements in one row
        case "jacobian":
            blocks = fs.jacobian(function, wrt=along, method=method)(**inputs)
            if len(wrt) == 1:
                return blocks
            return [[np.asarray(block)[row] for block in blocks] for row in range(len(np.asarray(blocks[0])))]
    raise AssertionError(op)


def _close(result: object, expected: object, tolerance: float) -> None:
    if isinstance(expected, list) and not _regular(expected):
        assert len(result) == len(expected)  # type: ignore[arg-type]
        for part, wanted in zip(result, expected, strict=True):  # type: ignore[call-overload]
            _close(part, wanted, tolerance)
        return
    got, want = np.asarray(result, dtype=float), np.asarray(expected, dtype=float)
    assert got.shape == want.shape
    np.testing.assert_array_less(np.abs(got - want), tolerance * np.maximum(1.0, np.abs(want)) + 1e-300)


def _regular(nested: list) -> bool:
    shapes = {np.shape(x) if not isinstance(x, list) or _regular(x) else None for x in nested}
    return len(shapes) <= 1 and None not in shapes


@pytest.mark.parametrize(("case", "check", "method"), CHECKS)
def test_case(case: dict, check: dict, method: str) -> None:
    _close(_result(case, check, method), check["expected"], check["tol"])


@pytest.mark.parametrize(("case", "check", "method"), [p for p in CHECKS if p.id.startswith("fut_loop_pow")])
def test_powers_by_while(case: dict, check: dict, method: str) -> None:
    """The case asks for both kinds of loop."""
    test_case({**case, "id": "fut_loop_pow_while"}, check, method)


@pytest.mark.parametrize("name", INPUTS)
def test_own_inputs(name: str) -> None:
    """Both methods against differences of the plain Python function."""
    function, (inputs, wrt) = getattr(functions, name), INPUTS[name]
    value = np.asarray(function(**inputs), dtype=float)
    np.testing.assert_allclose(fs.function(function)(**inputs), value, rtol=1e-12)
    verb = fs.jacobian if value.ndim else fs.grad
    for method in METHODS[:2]:
        blocks = verb(function, wrt=wrt, method=method)(**inputs)
        for parameter, block in zip(wrt, blocks, strict=True):
            wanted = _differences(function, inputs, parameter)
            assert np.shape(block) == wanted.shape
            np.testing.assert_allclose(block, wanted, rtol=1e-7, atol=1e-7 * np.max(np.abs(wanted), initial=1e-300))


def _differences(function: Function, inputs: dict[str, Any], parameter: str) -> np.ndarray:
    """[output index…][input index…], by central differences in two steps, whose errors of second order cancel."""
    given = np.asarray(inputs[parameter], dtype=float)

    def slope(at: tuple[int, ...], step: float) -> np.ndarray:
        ends = []
        for signed in (step, -step):
            moved = given.copy()
            moved[at] += signed
            ends.append(np.asarray(function(**{**inputs, parameter: moved if moved.ndim else float(moved)})))
        return (ends[0] - ends[1]) / (2.0 * step)

    columns = [(4.0 * slope(at, 5e-4) - slope(at, 1e-3)) / 3.0 for at in np.ndindex(given.shape)]
    return np.stack(columns, axis=-1).reshape(columns[0].shape + given.shape)


def test_every_case_has_a_function_and_inputs_of_our_own() -> None:
    names = {name for name, _ in inspect.getmembers(functions, inspect.isfunction)}
    for case in NAMES:
        assert any(name.startswith(case) for name in names), case
        assert any(name.startswith(case) for name in INPUTS) or case == "fut_custom_vjp", case  # whose rule is wrong
