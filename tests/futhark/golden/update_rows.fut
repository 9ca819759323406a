entry update_rows [n] [k] [l] (m: [n][k]f64) (v: [l]f64): [n][k]f64 =
  loop s = copy m for i < n do
    s with [i] = (tabulate l (\i_1 -> (#[unsafe] v[i_1]) + (#[unsafe] s[0i64, i_1])) :> [k]f64)
