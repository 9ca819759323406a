"""Differentiation by linear maps: the definitions (paper 001, Fig. 6–8, Fig. 12–15; design §4).

| module | what |
|---|---|
| `names` | every operand with a derivative gets a name (ANF, §5.1) |
| `jacobians` | ∂f of every built-in function (Fig. 2) |
| `clauses` | ∇⟦e⟧ of every construct, given the derivatives of its operands (Fig. 6, Fig. 13) |
| `substitution` | `let ∂x = ∇⟦e⟧`, as Fig. 6 writes it |
| `composition` | a let as a composition, environments as tuples: the default (docs/decisions/0006) |
| `tupling` | values and derivatives together (Fig. 7), and the same for every source (Fig. 8) |
| `functions` | ∂f, its transpose, `fwd$f` and `rev$f` by each of them |
| `demonstration` | the stages of a function as §9 prints them |
"""
