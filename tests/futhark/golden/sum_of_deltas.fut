entry sum_of_deltas [m] [k] (v: [m]f64) (g: [k]i64) (n: i64): []f64 =
  #[unsafe]
  let l = i64.max 0 n
  let (places, values) = unzip (tabulate k (\i -> (g[i], v[g[i]])))
  in reduce_by_index (replicate l 0.0f64) (+) 0.0f64 places values
