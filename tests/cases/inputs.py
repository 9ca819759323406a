"""Inputs of our own for the functions of the cases: with them they are tested against differences, on every machine."""

from typing import Any

import numpy as np

_RANDOM = np.random.default_rng(7)


def _real(*shape: int) -> np.ndarray:
    return _RANDOM.uniform(0.5, 2.0, shape)


INPUTS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "adb_bundle_adjustment_block": (
        {"cam": _real(11), "X": _real(3) + [0.0, 0.0, 9.0], "w": 0.75, "feat": _real(2)},
        ("cam", "X", "w"),
    ),
    "bug_cond_inside_scan": ({"x": 1.5, "n": 9, "stop": 4.0}, ("x",)),
    "bug_warp_dynamic_loop_product": ({"x": _real(4)}, ("x",)),
    "dex_perturbation_confusion": ({"x": 1.5}, ("x",)),
    "df_micro_dot": ({"a": _real(5), "b": _real(5)}, ("a",)),
    "df_micro_lse": ({"a": _real(5), "b": _real(5)}, ("a",)),
    "df_micro_max": ({"a": _real(5), "b": _real(5)}, ("a",)),
    "dr_let_order": ({"x": 0.75}, ("x",)),
    "dr_list_length_dependent_altsum": ({"l": _real(4)}, ("l",)),
    "dr_list_length_dependent_head": ({"l": _real(4)}, ("l",)),
    "dr_particles": ({"ps": _real(3, 2, 2), "n": 20}, ("ps",)),
    "dr_rotate_by_quaternion": ({"v": _real(3), "q": _real(4)}, ("v", "q")),
    "dr_sharing_eight_uses": ({"x": 0.6, "depth": 12}, ("x",)),
    "fut_histogram_general_op": (
        {"dst": _real(4), "vs": _real(6), "c": _real(4), "js": np.array([3, 0, -1, 3, 7, 1])},
        ("dst", "vs", "c"),
    ),
    "fut_if_on_data": ({"x": _real(3) - [9.0, 0.0, 0.0]}, ("x",)),
    "fut_if_scalar": ({"b": False, "x": 3.0, "y": 0.5}, ("x", "y")),
    "fut_loop_array_state": ({"xs": _real(4), "y": 4}, ("xs",)),
    "fut_loop_inplace_square": ({"xs": _real(4)}, ("xs",)),
    "fut_loop_last_iteration_wins": ({"xs": _real(4)}, ("xs",)),
    "fut_loop_pow": ({"x": 1.25, "y": 7}, ("x",)),
    "fut_loop_pow_while": ({"x": 1.25, "y": 7}, ("x",)),
    "fut_lotka_volterra_rk4": ({"p": _real(6) / 4.0, "h": 0.125, "steps": 20}, ("p",)),
    "fut_max_ties": ({"xs": np.array([0.5, -3.0, 2.0])}, ("xs",)),
    "fut_nested_free_variable": ({"a": 1.25, "b": 4.0}, ("a", "b")),
    "fut_scan_linear_recurrence": ({"xs": _real(5, 2)}, ("xs",)),
    "fut_silent_zero_jacobian": ({"x": _real(8)}, ("x",)),
    "fut_sum_type_sdf_0": ({"p": _real(3)}, ("p",)),
    "fut_sum_type_sdf_1": ({"p": _real(3)}, ("p",)),
    "fut_sum_type_sdf_2": ({"p": _real(3)}, ("p",)),
    "fut_while_with_inner_gradient": ({"w": 4.0}, ("w",)),
    "gb_kmeans": ({"C": _real(2, 2), "P": _real(6, 2)}, ("C",)),
    "ks_fold_closure": ({"v": _real(5), "c": 1.25}, ("v", "c")),
    "ks_logsumexp_safe": ({"v": _real(4)}, ("v",)),
    "ks_second_derivative_selection": ({"x": 2.5, "y": -0.25}, ("x", "y")),
    "lan_log_softmax_nll": ({"x": _real(2, 3), "target": np.array([2, 1])}, ("x",)),
    "lan_matmul_sum": ({"A": _real(2, 3), "B": _real(3, 2)}, ("A", "B")),
    "rule_multiply_by_zero": ({"x": 2.5}, ("x",)),
}
"""By the name of the function: its arguments, and those it is differentiated by."""
