"""The records of the compiler are structs, but for those of decision 33: a dataclass is half a millisecond of each first call."""

from __future__ import annotations

import importlib
import pkgutil

import fsmooth

DATACLASSES = {
    "core.array_annotation": {"ArrayAnnotation"},
    "core.nodes.declaration": {"Declaration"},
    "core.trees": {"Constant"},
    "core.types": {"Array", "Bool", "Float", "Function", "Int", "Linear", "Tuple"},
    "frontend.programs": {"CustomProgram", "DerivedProgram", "LibraryProgram", "SourceProgram"},
    "frontend.python.source": {"Source"},
    "frontend.text_programs": {"TextProgram"},
    "laws.law": {"Law"},
    "rewrite.strategy": {"Rule", "Strategy"},
}
"""What decision 33 leaves, by module."""


def test_few_records_are_dataclasses() -> None:
    found: dict[str, set[str]] = {}
    for module in pkgutil.walk_packages(fsmooth.__path__, "fsmooth."):
        if module.name.startswith(("fsmooth.demo", "fsmooth.__main__")):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and value.__module__ == module.name and "__dataclass_fields__" in vars(value):
                found.setdefault(module.name.removeprefix("fsmooth."), set()).add(value.__name__)
    assert found == DATACLASSES
