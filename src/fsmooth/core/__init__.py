"""The typed core language F̃: types, terms, primitives, and what is needed to work with them."""
