"""Terms as Futhark text (paper 002, §6): `entry` writes a whole program, `writer` an expression."""
