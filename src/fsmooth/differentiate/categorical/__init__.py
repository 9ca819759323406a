"""CL: programs without variables, as compositions of functions from their environments (paper 001, §6, Fig. 9–11).

| module | what |
|---|---|
| `arrows` | the syntax (Fig. 9), each form beside its typing rule (Fig. 11) |
| `loops` | the forms that the figures leave out: reductions, folds, filtered arrays, requirements |
| `meaning` | t ⋄ c: what a form does to an environment, and so the way back to terms (Fig. 10, top) |
| `conversion` | C⟦e⟧Γ, plain and pruned (Fig. 10, bottom) |
"""
