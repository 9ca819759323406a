"""Where the parts of a fold's state live, step after step: in place where nothing else needs them, else beside the old ones."""
