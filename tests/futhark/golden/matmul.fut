entry matmul [n] [m] [k] [l] (a: [n][m]f64) (c: [k][l]f64): [n][l]f64 =
  #[unsafe]
  tabulate_2d n l (\i0 i1 -> f64.sum (tabulate k (\i -> a[i0, i] * c[i, i1])))
