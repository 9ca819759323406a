"""Linear maps: the operators of paper 001, Fig. 3 (and lmFold of Fig. 12), each beside its typing rule.

Types carry no sizes, so maps that would not know the shape of what they give carry a *point* of the space: any term
of that shape, of which only the shape is used and which is never evaluated.  The space of `x` is that of the tangents
of `x`.  No constructor binds a variable: array forms take an array of maps, the others take functions.

| paper | here | text |
|---|---|---|
| m ⊙ x, r ⊙ᴿ m | `Apply`, `ApplyReverse` | `lmApply m x`, `lmApplyR r m` |
| ∘, ⊕, ·ᵀ | `Compose`, `AddMaps`, `Transpose` | `lmCompose`, `lmAdd`, `lmTranspose` |
| 0, 1, S(k) | `ZeroMap`, `UnitMap`, `ScaleMap` | `lmZero x y`, `lmOne x`, `lmScale k` |
| ×, ⋈ of any arity | `VCat`, `HCat` | `lmVCat m n …`, `lmHCat m n …` |
| 𝒱(v), ℋ(v) | `VCatArray`, `HCatArray` | `lmVCatV v`, `lmHCatV v` |
| ℒ, ℒ′ | `LambdaMap`, `SumMap` | `lmLambda n f`, `lmSum n f` |
| lmFold | `FoldMap` | `lmFold f g z n` |
"""

from __future__ import annotations

from fsmooth.core.term.base import Term
from fsmooth.core.term.linear_maps.basic import (
    AddMaps,
    Apply,
    ApplyReverse,
    Compose,
    MapTerm,
    ScaleMap,
    Transpose,
    UnitMap,
    ZeroMap,
    map_type,
    space_of,
)
from fsmooth.core.term.linear_maps.stacked import (
    FoldMap,
    HCat,
    HCatArray,
    LambdaMap,
    SumMap,
    VCat,
    VCatArray,
)

MAP_NAMES: dict[type[Term], str] = {
    Apply: "lmApply",
    ApplyReverse: "lmApplyR",
    Compose: "lmCompose",
    AddMaps: "lmAdd",
    ZeroMap: "lmZero",
    UnitMap: "lmOne",
    ScaleMap: "lmScale",
    VCat: "lmVCat",
    HCat: "lmHCat",
    VCatArray: "lmVCatV",
    HCatArray: "lmHCatV",
    Transpose: "lmTranspose",
    LambdaMap: "lmLambda",
    SumMap: "lmSum",
    FoldMap: "lmFold",
}
"""The names of the operators in text, those of the notes' prototype (paper 001, §9)."""

__all__ = [
    "AddMaps",
    "Apply",
    "ApplyReverse",
    "Compose",
    "FoldMap",
    "HCat",
    "HCatArray",
    "LambdaMap",
    "MAP_NAMES",
    "MapTerm",
    "ScaleMap",
    "SumMap",
    "Transpose",
    "UnitMap",
    "VCat",
    "VCatArray",
    "ZeroMap",
    "map_type",
    "space_of",
]
