entry histogram [m] (g: [m]i64) (n: i64): []f64 =
  #[unsafe]
  let k = i64.max 0 n
  in loop counts = replicate k 0.0f64 for i < m do
    counts with [g[i]] = counts[g[i]] + 1.0f64
