"""C to ship: many functions in one library (`fs.library`), with what builds it (`fsmooth build`).

The package of M̃ is `fsmooth.library`, too: it is imported here, before the name is given to the function.
"""

import fsmooth.library  # noqa: F401
from fsmooth.shipping.libraries import Library, library

__all__ = ["Library", "library"]
