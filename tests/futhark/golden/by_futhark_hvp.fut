def loss [n] [m] (u: [n]f64) (v: [n]f64) (WEIGHTS: [m]f64): f64 =
  f64.sum (tabulate n (\i -> f64.tanh ((#[unsafe] u[i]) * (#[unsafe] v[i])) + f64.exp (-(#[unsafe] u[i])) * WEIGHTS[0i64]))

entry hvp_loss [n] [m] (u: [n]f64) (v: [n]f64) (du: [n]f64) (WEIGHTS: [m]f64): [n]f64 =
  jvp (\u -> vjp (\u -> loss u v WEIGHTS) u 1f64) u du
