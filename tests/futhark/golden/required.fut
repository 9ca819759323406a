entry required [n] (v: [n]f64) (w: [n]f64): f64 =
  #[unsafe]
  f64.sum (tabulate n (\i -> v[i] * w[i]))
