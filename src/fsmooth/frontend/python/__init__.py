"""The Python front-end: from a function's source text to a typed core term."""
