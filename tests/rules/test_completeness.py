"""Every rule of Fig. 8 exists under its own name, and every rule has a law, is in the registry and in use."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from fsmooth.core.traverse import subterms
from fsmooth.laws.equations import all_rules, by_examples, equations
from fsmooth.laws.meaning import DEMANDS, DISCARDS, REORDERS
from fsmooth.optimise import linear_maps, rules, schedules
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import REGISTRY, Rule
from tests.strategies import random_program

FIGURE_8 = {
    "a": (
        *("beta", "inline", "drop_unused", "flatten_let", "share_definition", "swap_definitions"),
        "let_out_of_argument",
    ),
    "b": ("add_zero", "multiply_one", "multiply_zero", "cancel", "factor"),
    "c": ("get_build", "length_build"),
    "d": ("if_known", "if_same", "use_condition", "if_out_of_argument"),
    "e": ("fold_empty", "fold_unroll_once", "fold_identity", "fold_single"),
    "f": ("project_tuple",),
    "g": ("split_fold",),
}
"""Paper 000, Fig. 8, from top to bottom; both rules of a line that has two are one rule here."""

BY_HAND = frozenset(
    {
        *("inline", "drop_unused", "flatten_let", "share_definition", "swap_definitions"),
        *("use_condition", "if_out_of_argument", "fold_unroll_once", "split_fold"),
    }
)
"""Rules of the figure that no schedule runs by name: the simplifier does them by weights, or they undo others."""


@pytest.mark.parametrize(("part", "name"), [(part, name) for part, names in FIGURE_8.items() for name in names])
def test_rule_of_the_figure(part: str, name: str) -> None:
    all_rules()
    assert f"000, Fig. 8{part}" in REGISTRY[name].source


def test_every_rule_is_in_the_registry_under_its_own_name() -> None:
    for module in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Rule):
                assert REGISTRY[name] is value


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_every_rule_has_a_law(rule: Rule) -> None:
    assert by_examples(rule) or equations(rule)
    assert rule.source
    assert rule.heads
    assert rule.__doc__ != Rule.__doc__


def test_every_rule_is_in_a_family() -> None:
    named = [*vars(schedules).values(), *vars(linear_maps).values()]
    used = {r.name for v in named if isinstance(v, tuple) for r in v if isinstance(r, Rule)}
    assert used | BY_HAND == set(REGISTRY)
    assert not used & BY_HAND


def test_exceptions_are_rules() -> None:
    assert set(REGISTRY) >= REORDERS | DISCARDS | DEMANDS | BY_HAND


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_a_rule_looks_at_its_heads_only(rule: Rule) -> None:
    """Strategies try a rule everywhere, the fast engine only where `heads` says."""
    for seed in range(6):
        for term in subterms(random_program(seed, depth=3)[0]):
            if not isinstance(term, rule.heads):
                assert rule.apply(term, Facts()) is None, f"{term}"
