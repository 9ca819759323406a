"""What the C of the hand's Jacobian does for each of its 26 directions."""

import re

from benchmarks.workloads import hand, ht


def test_a_direction_costs_its_tangents_only() -> None:
    """Of the vertices that are read: three sums, over the tangents of their bones; values and checks are made before."""
    problem = hand.complicated(100)
    code = ht.complicated_columns.c_source(*problem)
    before, each = code[: code.index("complicated_columns_shape(")].split("r < 26; ++r", 1)
    for name in set(re.findall(r"complicated_columns_outlined_\d+", each)):
        each += before[before.rindex(f" {name}(") :].split("\n}\n", 1)[0]
    sums = 2 * 3 + 1  # for few bones and for many; with the product of a bone's tangent and the inverse
    assert each.count(" += ") == sums
    assert "hand_weights_n0" not in each
    assert "hand_bones_of" not in each
    assert "bad" not in each
