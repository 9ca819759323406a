"""Rules and strategies of one's own: those of paper 002, §5, with differentiation among them, on its own program.

The gradient of a sum in forward mode takes as many passes over the array as it has elements; the paper's rules leave one.
"""

import numpy as np

import fsmooth as fs
from fsmooth import strategies as st

get_build = fs.law(
    "(build n (fun i -> e i))[k] ~> e k where 0 <= k and k < n", source="002, §5.1", name="get_build", discards=True
)
"""An element of an array that is made there; what else is in the array is not computed, and so cannot fail."""


def top_down(strategy):
    """At the first place where it applies, outermost first."""
    return st.mu(lambda x: strategy | st.one(x))


def normalise(strategy):
    """Until it applies nowhere."""
    return st.mu(lambda x: (top_down(strategy) >> x) | st.identity)


sums = st.length_build | st.let_out_of_argument | st.project_tuple | st.project_sum | st.get_delta | st.sum_single
rules = st.beta | st.let_subst(1) | get_build | sums
paper = normalise(st.beta | st.let_subst(1)) >> st.differentiate("forward") >> normalise(rules)


def vector_sum(n):
    """The gradient of a sum, of n ones."""
    v = np.array([1.0 for _ in range(n)])
    return fs.grad(lambda w: sum(w[i] for i in range(len(w))), method="forward")(v)


def main() -> None:
    """Print what the strategy makes of the program, and how."""
    f = fs.function(vector_sum, schedule=paper)
    print(f(5))
    print(f.stages.terms["optimised"])
    print(f.trace(5))


if __name__ == "__main__":
    main()
