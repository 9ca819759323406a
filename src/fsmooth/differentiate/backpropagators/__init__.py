"""Dual-numbers reverse mode (paper 003): one executable specification per stage of the paper, over every construct.

A number goes with a way to send a cotangent back; nothing but scalar operations does anything (§3.2), so a stage is an
arithmetic of the interpreter.  They are slow and plain: the judges of what is compiled.

| module | paper | a number is | calls of backpropagators |
|---|---|---|---|
| `naive` | D¹: Fig. 6, 7 | (x, ℝ ⊸ c), c a vector of all inputs | one for each path: exponential in what is shared |
| `staged` | D²: §4, Fig. 8 | (x, (id, ℝ ⊸ Staged c)) | each once; adds vectors and maps |
| `cayley` | D³: §5, §6, Fig. 9 | the same, Staged c → Staged c | each once; maps of numbers are updated |
| `arrays` | D⁴: §7, appendix A, Fig. 12 | the same, over two mutable arrays | each once, in constant time |
| `contributions` | §8.1, §8.2, Fig. 10 | (x, (id, [(∂, number)])) | none: lists of pairs |
| `tape` | §8.3 | (x, id), entries written on the way forward | none |

`stage` says what they have in common, `wrap` puts arguments in and takes gradients out.
"""
