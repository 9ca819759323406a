"""Laws: equations in F̃ text, run and tested (paper 002, §5).  `law` makes a rule of one; `instances` and `testing` find
whether it keeps what a term means; what a rule of fsmooth's own may change is in `meaning`.
"""
