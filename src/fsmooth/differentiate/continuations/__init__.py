"""Reverse mode by continuations (paper 004): one executable specification for each way that the paper has to say it.

An operation computes its value, runs what follows, its delimited continuation, and then adds to the cotangents of its operands:
what is nested in the way forward is the way back (Fig. 6).  A number is (x, ref 0).

| module | paper | the continuation is |
|---|---|---|
| `evaluate` | Fig. 11, §4.2 (IF), §4.3 (WHILE), Fig. 7 | an argument: an evaluator of the core in continuation-passing style |
| `shift_reset` | Fig. 8, 9 | captured by `shift`, up to `reset` |
| `refunctionalised` | Fig. 12 | the caller, as a function that is composed: `tape` |

TREE (§4.4, Fig. 14) needs recursion, which programs have not.  They are run as the stages of paper 003 are
(`differentiate/backpropagators`); `evaluate` is an evaluator of its own.
"""
