def loss [n] [m] (u: [n]f64) (v: [n]f64) (WEIGHTS: [m]f64): f64 =
  f64.sum (tabulate n (\i -> f64.tanh ((#[unsafe] u[i]) * (#[unsafe] v[i])) + f64.exp (-(#[unsafe] u[i])) * WEIGHTS[0i64]))

entry value_and_grad_loss [n] [m] (u: [n]f64) (v: [n]f64) (WEIGHTS: [m]f64): (f64, [n]f64, [n]f64) =
  let (value, (derivative, derivative_1)) = vjp2 (\(u, v) -> loss u v WEIGHTS) (u, v) 1f64
  in (value, derivative, derivative_1)
