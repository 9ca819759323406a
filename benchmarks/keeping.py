"""Where measurements are kept: the figures as JSON, beside the text that shows them."""

from __future__ import annotations

import json
from pathlib import Path

RESULTS = Path(__file__).with_name("results")


def keep(name: str, figures: object, text: str) -> str:
    """Write `name`.json and `name`.md; gives the text of the latter."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    (RESULTS / f"{name}.md").write_text(text)
    return text
