entry tuple_argument [n] (a_x: f64) (a_pairs_0: [n]f64) (a_pairs_1: [n]i64): f64 =
  #[unsafe]
  let a_pairs = tabulate n (\i -> (a_pairs_0[i], a_pairs_1[i]))
  in f64.sum (tabulate n (\i_1 -> a_x * ((a_pairs[i_1]).0 * f64.i64 (a_pairs[i_1]).1)))
