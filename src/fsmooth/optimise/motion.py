"""x"""
from fsmooth.core.term import Term
from fsmooth.rewrite.trace import Trace
def move(term: Term, trace: Trace) -> Term:
    return term
