entry dot [n] [m] (v: [n]f64) (w: [m]f64): f64 =
  #[unsafe]
  f64.sum (tabulate n (\i -> v[i] * w[i]))
