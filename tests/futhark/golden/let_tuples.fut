entry let_tuples [n] [m] (v: [n]f64) (w: [m]f64): [n]f64 =
  #[unsafe]
  let pairs = tabulate n (\i -> (v[i], tabulate m (\i_1 -> v[i] * w[i_1])))
  in tabulate n (\i_2 -> (pairs[i_2]).0 + ((pairs[i_2]).1)[1i64])
