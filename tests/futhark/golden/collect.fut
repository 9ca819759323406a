entry collect [n] (v: [n]f64): []f64 =
  let m = i64.max 0 (i64.sum (tabulate n (\i -> if 0.0f64 < (#[unsafe] v[i]) then 1i64 else 0i64)))
  in map (\i_2 -> (#[unsafe] v[i_2]) * 2.0f64) (filter (\i_1 -> 0.0f64 < (#[unsafe] v[i_1])) (iota n) :> [m]i64)
