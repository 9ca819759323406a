"""`python -m fsmooth`: the command line."""

from __future__ import annotations

import sys

from fsmooth.cli import main

sys.exit(main())
