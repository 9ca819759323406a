def loss [n] [m] (u: [n]f64) (v: [n]f64) (WEIGHTS: [m]f64): f64 =
  f64.sum (tabulate n (\i -> f64.tanh ((#[unsafe] u[i]) * (#[unsafe] v[i])) + f64.exp (-(#[unsafe] u[i])) * WEIGHTS[0i64]))

entry grad_loss [n] [m] (u: [n]f64) (v: [n]f64) (WEIGHTS: [m]f64): ([n]f64, [n]f64) =
  vjp (\(v, u) -> loss u v WEIGHTS) (v, u) 1f64
