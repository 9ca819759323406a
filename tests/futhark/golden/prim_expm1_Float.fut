def expm1 (x: f64): f64 =
  let u = f64.exp x
  in if u == 1f64 then x
     else if u == f64.inf then u
     else if u - 1f64 == -1f64 then -1f64
     else (u - 1f64) * x / f64.log u

entry prim_expm1_Float (x0: f64): f64 =
  expm1 x0
