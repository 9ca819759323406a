"""The strategy engine: rules, combinators, traversals, facts.  It knows no particular rule."""
