"""A reader of Futhark, written from its language reference and its prelude: grammar, types with sizes, consumption, values.

It knows less of Futhark than there is, and refuses what it does not know.  Nothing of fsmooth is in it.
"""
